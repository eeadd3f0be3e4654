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
  struct Open {
    std::size_t number;
    std::size_t begin;
    std::size_t first_inside;  // of the numbered groups: itself if it is one
  };
  std::vector<Open> open;  // the groups around here
  while (!rest.empty() && rest != "$") {
    if (rest.front() == '(') {
      const bool unnumbered = rest.starts_with("(?:");
      rest.remove_prefix(unnumbered ? 3 : 1);
      open.push_back({unnumbered ? kUnnumbered : groups_.size(), atoms_.size(), groups_.size()});
      if (!unnumbered) {
        groups_.push_back({atoms_.size(), atoms_.size()});
      }
      continue;
    }
    if (rest.front() == ')') {
      rest.remove_prefix(1);
      if (open.empty() || (!rest.empty() && is_one_of(rest.front(), "*+{"))) {
        return false;
      }
      const Open closed = open.back();
      open.pop_back();
      if (closed.number != kUnnumbered) {
        groups_[closed.number].end = atoms_.size();
      }
      if (rest.starts_with('?')) {
        rest.remove_prefix(1);
        if (!take_optional({closed.begin, atoms_.size()}, closed.first_inside)) {
          return false;
        }
      }
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

// Of whose numbered groups `first_inside` is the first.
bool BytePattern::take_optional(const Group& group, std::size_t first_inside) {
  bool may_be_empty = true;
  for (std::size_t i = group.begin; i < group.end; ++i) {
    may_be_empty = may_be_empty && atoms_[i].optional;
  }
  const bool nests = !optionals_.empty() && optionals_.back().begin >= group.begin;
  for (std::size_t i = first_inside; i < groups_.size(); ++i) {
    groups_[i].optional = optionals_.size();
  }
  optionals_.push_back(group);
  return !may_be_empty && !nests && optionals_.size() <= kOptionalGroupsMax;
}

// The number of the optional group that begins with an atom; as many as there are if none does.
std::size_t BytePattern::optional_at(std::size_t atom) const {
  std::size_t i = 0;
  while (i < optionals_.size() && optionals_[i].begin != atom) {
    ++i;
  }
  return i;
}

// What an atom may take or leave must not be what can come next, or it might have to give it back.
bool BytePattern::gives_back(std::size_t atom) const {
  bool open = atoms_[atom].repeats || atoms_[atom].optional;
  for (std::size_t next = atom + 1; open && next < atoms_.size();) {
    const std::size_t optional = optional_at(next);
    const std::size_t end = optional < optionals_.size() ? optionals_[optional].end : next + 1;
    for (bool inside = true; inside && next < end; ++next) {
      if (atoms_[atom].overlaps(atoms_[next])) {
        return true;
      }
      inside = atoms_[next].optional;
      open = inside;
    }
    open = open || optional < optionals_.size();  // the group may be left out
    next = end;
  }
  return false;
}

bool BytePattern::never_gives_back() const {
  for (std::size_t i = 0; i < atoms_.size(); ++i) {
    if (gives_back(i)) {
      return false;
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
  return !atoms_[0].optional && optional_at(0) == optionals_.size();
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

BytePattern::Verdict BytePattern::walk_choice(std::string_view text, std::size_t start,
                                              Choice choice, Positions* positions) const {
  std::size_t at = start;
  std::size_t optional = 0;  // the next one
  for (std::size_t i = 0; i < atoms_.size(); ++i) {
    if (optional < optionals_.size() && i == optionals_[optional].begin) {
      if (leaves_out(choice, optional)) {
        for (; i < optionals_[optional].end; ++i) {
          (*positions)[i] = at;
        }
        ++optional;
        --i;
        continue;
      }
      ++optional;
    }
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

BytePattern::Verdict BytePattern::walk(std::string_view text, std::size_t start, Choice* choice,
                                       Positions* positions) const {
  const Choice choices = Choice{1} << optionals_.size();
  for (*choice = 0; *choice < choices; ++*choice) {
    const Verdict verdict = walk_choice(text, start, *choice, positions);
    if (verdict != Verdict::kNoMatch) {
      return verdict;
    }
  }
  return Verdict::kNoMatch;
}

BytePattern::Verdict BytePattern::match_prefix(std::string_view text) const {
  Choice choice = 0;
  Positions positions;
  return walk(text, 0, &choice, &positions);
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

void BytePattern::set_groups(std::string_view text, Choice choice, const Positions& positions,
                             std::span<std::string_view> groups) const {
  const auto part = [&](const Group& group) {
    return text.substr(positions[group.begin], positions[group.end] - positions[group.begin]);
  };
  for (std::size_t i = 0; i < groups.size() && i <= groups_.size(); ++i) {
    if (i == 0) {
      groups[i] = part({0, atoms_.size()});
    } else if (const Group& group = groups_[i - 1];
               group.optional.has_value() && leaves_out(choice, *group.optional)) {
      groups[i] = std::string_view();
    } else {
      groups[i] = part(group);
    }
  }
}

BytePattern::Verdict BytePattern::find(std::string_view text, std::size_t from,
                                       std::span<std::string_view> groups) const {
  if (!searchable_) {
    return Verdict::kUnknown;
  }
  Choice choice = 0;
  Positions positions;
  while (true) {
    const std::optional<std::size_t> start = next_start(text, from);
    if (!start.has_value()) {
      return Verdict::kUnknown;
    }
    if (*start > text.size()) {
      return Verdict::kNoMatch;
    }
    const Verdict verdict = walk(text, *start, &choice, &positions);
    if (verdict == Verdict::kUnknown) {
      return verdict;
    }
    if (verdict == Verdict::kMatch) {
      set_groups(text, choice, positions, groups);
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
