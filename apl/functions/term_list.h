#pragma once
// TermList: many needles of `has` looked for at once. Each term of a text, a longest run of letters
// and digits, is looked up among the needles' terms, of each the one that fewest needles have, so
// that a text is read once however many needles there are. Gives what a TextMatcher a needle gives.
// Immutable and safe from any thread.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apl/functions/text_search.h"

namespace evq {

// Needles from which on it is faster than to look for each with vector instructions.
inline constexpr std::size_t kTermListNeedlesMin = 24;

class TermList {
 public:
  // Needles may repeat. With `fold` case does not count.
  TermList(const std::vector<std::string>& needles, bool fold);

  bool has_any(std::string_view text) const;
  bool has_all(std::string_view text) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  // A needle in ASCII that has a term.
  struct Needle {
    std::string text;      // folded if asked for
    std::size_t term = 0;  // where the term begins by which it is found
    TextMatcher matcher;
  };

  // Whether the needle stands so in the text that its term is that at `at`.
  bool is_around(std::string_view text, std::size_t at, const Needle& needle) const;
  // Calls found(needle's number) for each needle of needles_ in the text, as often as it stands
  // there, until that returns true. Returns whether it did.
  template <class Found>
  bool each_found(std::string_view text, const Found& found) const;

  const bool fold_;
  std::vector<Needle> needles_;
  std::unordered_map<std::string, std::vector<std::size_t>, Hash, std::equal_to<>> by_term_;
  std::size_t term_bytes_max_ = 0;   // of these terms
  std::vector<TextMatcher> others_;  // of the other needles
};

}  // namespace evq
