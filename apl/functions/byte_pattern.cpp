#include "apl/functions/byte_pattern.h"

namespace evq {
namespace {

std::size_t index_of(char c) {
  return static_cast<unsigned char>(c);
}

bool is_ascii_byte(char c) {
  return index_of(c) < 0x80;
}

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

template <class Set>
void add_range(Set* bytes, char first, char last) {
  for (std::size_t i = index_of(first); i <= index_of(last); ++i) {
    bytes->set(i);
  }
}

}  // namespace

// An escape: \d, \w, \s or an escaped sign.
bool BytePattern::take_escape(std::string_view* rest, ByteSet* bytes) {
  if (rest->size() < 2 || !is_ascii_byte((*rest)[1])) {
    return false;
  }
  const char c = (*rest)[1];
  rest->remove_prefix(2);
  switch (c) {
    case 'd':
      add_range(bytes, '0', '9');
      return true;
    case 'w':
      add_range(bytes, '0', '9');
      add_range(bytes, 'a', 'z');
      add_range(bytes, 'A', 'Z');
      bytes->set(index_of('_'));
      return true;
    case 's':
      for (const char blank : {'\t', '\n', '\f', '\r', ' '}) {
        bytes->set(index_of(blank));
      }
      return true;
    default:
      bytes->set(index_of(c));
      return !is_letter_or_digit(c);
  }
}

// The members of a class after its [; signs that begin something special are not taken.
bool BytePattern::take_class(std::string_view* rest, ByteSet* bytes) {
  rest->remove_prefix(1);
  while (!rest->empty() && rest->front() != ']') {
    const char first = rest->front();
    if (first == '\\') {
      if (!take_escape(rest, bytes) || rest->starts_with('-')) {
        return false;
      }
      continue;
    }
    if (first == '^' || first == '[' || first == '-' || !is_ascii_byte(first)) {
      return false;
    }
    rest->remove_prefix(1);
    char last = first;
    if (rest->size() >= 2 && rest->front() == '-') {
      last = (*rest)[1];
      if (!is_letter_or_digit(first) || !is_letter_or_digit(last) || last < first) {
        return false;
      }
      rest->remove_prefix(2);
    }
    add_range(bytes, first, last);
  }
  if (rest->empty() || bytes->none()) {
    return false;
  }
  rest->remove_prefix(1);
  return true;
}

bool BytePattern::take_atom(std::string_view* rest, ByteSet* bytes) {
  const char c = rest->front();
  if (c == '[') {
    return take_class(rest, bytes);
  }
  if (c == '\\') {
    return take_escape(rest, bytes);
  }
  if (!is_ascii_byte(c) || std::string_view("|().^$*+?{").find(c) != std::string_view::npos) {
    return false;
  }
  bytes->set(index_of(c));
  rest->remove_prefix(1);
  return true;
}

std::optional<BytePattern> BytePattern::parse(std::string_view pattern) {
  BytePattern out;
  while (!pattern.empty()) {
    Atom atom;
    if (!take_atom(&pattern, &atom.bytes)) {
      return std::nullopt;
    }
    if (pattern.starts_with('+')) {
      pattern.remove_prefix(1);
      atom.repeats = true;
    }
    // What a repetition takes must not be what comes next, or it might have to give it back.
    if (!out.atoms_.empty() && out.atoms_.back().repeats &&
        (out.atoms_.back().bytes & atom.bytes).any()) {
      return std::nullopt;
    }
    out.atoms_.push_back(atom);
  }
  return out;
}

bool BytePattern::matches_prefix(std::string_view text) const {
  std::size_t at = 0;
  for (const Atom& atom : atoms_) {
    if (at == text.size() || !atom.bytes[index_of(text[at])]) {
      return false;
    }
    ++at;
    while (atom.repeats && at < text.size() && atom.bytes[index_of(text[at])]) {
      ++at;
    }
  }
  return true;
}

}  // namespace evq
