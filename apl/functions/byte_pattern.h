#pragma once
// BytePattern: regular expressions that are nothing but a row of ASCII characters and classes, such
// as amount=[5-9][0-9]+ EUR. They need no automaton: one walk over the bytes decides. It is a fast
// twin of RE2 for the patterns it takes, and it takes none that it does not decide exactly.

#include <bitset>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace evq {

class BytePattern {
 public:
  // Nothing for patterns with anything else: groups, |, ., anchors, negated classes, characters
  // beyond ASCII, and repetitions that could have to give back what they took.
  static std::optional<BytePattern> parse(std::string_view pattern);

  // Whether a match starts at the first byte of `text`.
  bool matches_prefix(std::string_view text) const;

 private:
  using ByteSet = std::bitset<256>;
  struct Atom {
    ByteSet bytes;
    bool repeats = false;  // one or more
  };

  static bool take_atom(std::string_view* rest, ByteSet* bytes);
  static bool take_class(std::string_view* rest, ByteSet* bytes);
  static bool take_escape(std::string_view* rest, ByteSet* bytes);

  std::vector<Atom> atoms_;
};

}  // namespace evq
