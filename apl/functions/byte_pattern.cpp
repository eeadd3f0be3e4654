#include "apl/functions/byte_pattern.h"

#include <cstring>

#include "store/base/ascii.h"

namespace evq {
namespace {

constexpr std::size_t kUnnumbered = static_cast<std::size_t>(-1);

std::size_t index_of(char c) {
  return static_cast<unsigned char>(c);
}

bool is_ascii_byte(char c) {
  return index_of(c) < 0x80;
}

bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

template <class Set>
void add_range(Set* bytes, char first, char last) {
  for (std::size_t i = index_of(first); i <= index_of(last); ++i) {
    bytes->set(i);
  }
}

}  // namespace

// An escape: \d, \w, \s or an escaped sign.
bool BytePattern::take_escape(std::string_view* rest, Atom* atom) {
  if (rest->size() < 2 || !is_ascii_byte((*rest)[1])) {
    return false;
  }
  const char c = (*rest)[1];
  rest->remove_prefix(2);
  switch (c) {
    case 'd':
      add_range(&atom->bytes, '0', '9');
      return true;
    case 'w':
      add_range(&atom->bytes, '0', '9');
      add_range(&atom->bytes, 'a', 'z');
      add_range(&atom->bytes, 'A', 'Z');
      atom->bytes.set(index_of('_'));
      return true;
    case 's':
      for (const char blank : {'\t', '\n', '\f', '\r', ' '}) {
        atom->bytes.set(index_of(blank));
      }
      return true;
    default:
      atom->bytes.set(index_of(c));
      return !is_letter_or_digit(c);
  }
}

// The members of a class after its [; signs that begin something special are not taken.
bool BytePattern::take_class(std::string_view* rest, Atom* atom) {
  rest->remove_prefix(1);
  const bool negated = rest->starts_with('^');
  if (negated) {
    rest->remove_prefix(1);
  }
  while (!rest->empty() && rest->front() != ']') {
    const char first = rest->front();
    if (first == '\\') {
      if (!take_escape(rest, atom) || rest->starts_with('-')) {
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
    add_range(&atom->bytes, first, last);
  }
  if (rest->empty() || atom->bytes.none()) {
    return false;
  }
  rest->remove_prefix(1);
  if (negated) {
    atom->bytes.flip();
    atom->wide = true;
  }
  return true;
}

bool BytePattern::take_atom(std::string_view* rest, Atom* atom) {
  const char c = rest->front();
  if (c == '[') {
    return take_class(rest, atom);
  }
  if (c == '\\') {
    return take_escape(rest, atom);
  }
  if (!is_ascii_byte(c) || is_one_of(c, "|()^$*+?{")) {
    return false;
  }
  rest->remove_prefix(1);
  atom->bytes.set(index_of(c));
  if (c == '.') {
    atom->bytes.reset().flip().reset(index_of('\n'));
    atom->wide = true;
  }
  return true;
}

void BytePattern::take_quantifier(std::string_view* rest, Atom* atom) {
  if (rest->empty() || !is_one_of(rest->front(), "*+?")) {
    return;
  }
  atom->repeats = rest->front() != '?';
  atom->optional = rest->front() != '+';
  rest->remove_prefix(1);
}

// Atoms and groups up to the end of the pattern.
bool BytePattern::take_elements(std::string_view rest) {
  std::vector<std::size_t> open;  // the groups around here
  while (!rest.empty() && rest != "$") {
    if (rest.front() == '(') {
      const bool unnumbered = rest.starts_with("(?:");
      rest.remove_prefix(unnumbered ? 3 : 1);
      open.push_back(unnumbered ? kUnnumbered : groups_.size());
      if (!unnumbered) {
        groups_.push_back({atoms_.size(), atoms_.size()});
      }
      continue;
    }
    if (rest.front() == ')') {
      rest.remove_prefix(1);
      if (open.empty() || (!rest.empty() && is_one_of(rest.front(), "*+?{"))) {
        return false;
      }
      if (open.back() != kUnnumbered) {
        groups_[open.back()].end = atoms_.size();
      }
      open.pop_back();
      continue;
    }
    Atom atom;
    if (atoms_.size() == kAtomsMax || !take_atom(&rest, &atom)) {
      return false;
    }
    take_quantifier(&rest, &atom);
    for (std::size_t i = 0; i < atom.bytes.size(); ++i) {
      atom.takes[i] = atom.bytes[i];
    }
    atoms_.push_back(atom);
  }
  at_end_ = !rest.empty();
  return open.empty() && !atoms_.empty();
}

// What an atom may take or leave must not be what can come next, or it might have to give it back.
bool BytePattern::never_gives_back() const {
  for (std::size_t i = 0; i < atoms_.size(); ++i) {
    bool open = atoms_[i].repeats || atoms_[i].optional;
    for (std::size_t next = i + 1; open && next < atoms_.size(); ++next) {
      if (atoms_[i].overlaps(atoms_[next])) {
        return false;
      }
      open = atoms_[next].optional;
    }
  }
  return true;
}

// A search that fails in one place goes on in the next. No byte that a repetition passed over may
// be such a place, other than those of the first atom, which find() skips.
bool BytePattern::is_searched_in_linear_time() const {
  if (at_start_) {
    return true;
  }
  for (std::size_t i = 1; i < atoms_.size(); ++i) {
    const bool may_fail_later = i + 1 < atoms_.size() || at_end_;
    if (atoms_[i].repeats && may_fail_later && atoms_[i].overlaps(atoms_[0])) {
      return false;
    }
  }
  return !atoms_[0].optional;
}

std::optional<BytePattern> BytePattern::parse(std::string_view pattern) {
  BytePattern out;
  out.at_start_ = pattern.starts_with('^');
  if (!out.take_elements(pattern.substr(out.at_start_ ? 1 : 0)) || !out.never_gives_back()) {
    return std::nullopt;
  }
  out.searchable_ = out.is_searched_in_linear_time();
  const Atom& first = out.atoms_[0];
  if (!first.wide && first.bytes.count() == 1) {
    std::size_t byte = 0;
    while (!first.bytes[byte]) {
      ++byte;
    }
    out.first_byte_ = static_cast<char>(byte);
  }
  return out;
}

BytePattern::Verdict BytePattern::walk(std::string_view text, std::size_t start,
                                       Positions* positions) const {
  std::size_t at = start;
  for (std::size_t i = 0; i < atoms_.size(); ++i) {
    const Atom& atom = atoms_[i];
    (*positions)[i] = at;
    const bool taken = at < text.size() && atom.takes[index_of(text[at])];
    if (taken) {
      ++at;
      while (atom.repeats && at < text.size() && atom.takes[index_of(text[at])]) {
        ++at;
      }
    }
    const bool wants_more = atom.wide && (!taken || atom.repeats);
    if (wants_more && at < text.size() && !is_ascii_byte(text[at])) {
      return Verdict::kUnknown;
    }
    if (!taken && !atom.optional) {
      return Verdict::kNoMatch;
    }
  }
  (*positions)[atoms_.size()] = at;
  return at_end_ && at != text.size() ? Verdict::kNoMatch : Verdict::kMatch;
}

BytePattern::Verdict BytePattern::match_prefix(std::string_view text) const {
  Positions positions;
  return walk(text, 0, &positions);
}

std::optional<std::size_t> BytePattern::next_start(std::string_view text, std::size_t from) const {
  if (at_start_) {
    return from == 0 ? 0 : text.size() + 1;
  }
  if (first_byte_.has_value()) {
    const std::size_t at = text.find(*first_byte_, from);
    return at == std::string_view::npos ? text.size() + 1 : at;
  }
  const Atom& first = atoms_[0];
  for (std::size_t at = from; at < text.size(); ++at) {
    if (first.takes[index_of(text[at])]) {
      return at;
    }
    if (first.wide && !is_ascii_byte(text[at])) {
      return std::nullopt;
    }
  }
  return text.size() + 1;
}

BytePattern::Verdict BytePattern::find(std::string_view text, std::size_t from,
                                       std::span<std::string_view> groups) const {
  if (!searchable_) {
    return Verdict::kUnknown;
  }
  Positions positions;
  while (true) {
    const std::optional<std::size_t> start = next_start(text, from);
    if (!start.has_value()) {
      return Verdict::kUnknown;
    }
    if (*start > text.size()) {
      return Verdict::kNoMatch;
    }
    const Verdict verdict = walk(text, *start, &positions);
    if (verdict == Verdict::kUnknown) {
      return verdict;
    }
    if (verdict == Verdict::kMatch) {
      const auto part = [&](std::size_t begin, std::size_t end) {
        return text.substr(positions[begin], positions[end] - positions[begin]);
      };
      for (std::size_t i = 0; i < groups.size() && i <= groups_.size(); ++i) {
        groups[i] =
            i == 0 ? part(0, atoms_.size()) : part(groups_[i - 1].begin, groups_[i - 1].end);
      }
      return verdict;
    }
    // The rest of a run of the first atom would come to the same end.
    from = *start + 1;
    while (atoms_[0].repeats && from < text.size() && atoms_[0].takes[index_of(text[from])]) {
      ++from;
    }
  }
}

}  // namespace evq
