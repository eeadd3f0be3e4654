#pragma once
// Searching text: SubstringSearch finds a needle with or without case, TextMatcher answers the
// string operators (contains, has, startswith, …) for one text or for a whole column.
//
// A needle is prepared once. A column whose rows lie in one run of memory is searched as one text
// with vector instructions, chosen when the program runs, and the hits are mapped to rows. Without
// case, ASCII letters are folded in place; wherever Unicode's folding could find more than that
// (a needle outside of ASCII, or the Kelvin sign and the long s, which fold to k and s) an exact
// search by code points takes over. Both classes are immutable and safe from any thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/base/simd_level.h"
#include "store/column/vector.h"

namespace evq {

struct TextHit {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Returns the first offset of `needle` at or after `from`, npos when there is none. Takes time
// linear in the text whatever the needle is, and polls (AllocationMeter::poll()).
std::size_t find_text(std::string_view text, std::string_view needle, std::size_t from);

// Whether folding the ASCII letters of `text` alone shows all that folds to ASCII: it has no Kelvin
// sign and no long s.
bool folds_by_bytes(std::string_view text);

class SubstringSearch {
 public:
  explicit SubstringSearch(std::string_view needle, bool fold = false,
                           SimdLevel level = best_simd_level());

  // The needle as it is compared: folded when case does not count.
  const std::string& needle() const { return needle_; }
  // Finds the first occurrence at or after `from`, which must be the start of a code point.
  std::optional<TextHit> find(std::string_view text, std::size_t from = 0) const;
  bool matches(std::string_view text) const;
  // True when the needle stands at `at` byte by byte, ASCII letters folded if asked for.
  bool is_plain_at(std::string_view text, std::size_t at) const;
  // True when no text whatever needs more than the plain search.
  bool is_always_plain() const { return !fold_ || (ascii_ && !has_k_or_s_); }
  // True when find_plain() finds in `text` all that find() does.
  bool is_plain_in(std::string_view text) const;
  // Finds the first occurrence byte by byte, ASCII letters folded if asked for; npos: none.
  std::size_t find_plain(std::string_view text, std::size_t from) const {
    return text.size() - from < needle_.size() ? std::string_view::npos : scan_(*this, text, from);
  }

 private:
  using Scan = std::size_t (*)(const SubstringSearch& search, std::string_view text,
                               std::size_t from);
  friend struct SearchKernels;

  std::optional<TextHit> find_folded(std::string_view text, std::size_t from) const;

  std::string needle_;
  std::string masks_;        // 0x20 where the needle has a letter that may be either case
  std::size_t probe_a_ = 0;  // two places of the needle with rare bytes
  std::size_t probe_b_ = 0;
  bool fold_ = false;
  bool ascii_ = true;        // the needle is
  bool has_k_or_s_ = false;  // and case does not count
  Scan scan_ = nullptr;
};

// The verdict on a row in which the needle was found.
enum class HitVerdict : std::uint8_t { kMatch, kTryNextHit, kNoMatch };

// Sets to[i] for every row whose text holds the needle and is accepted: accept(row, offset) gives
// a HitVerdict. `run` is a part of values.contiguous_text() in which the needle must be plain; `to`
// is all zero before. Rows without a hit are never looked at. `*first_row` is a row at or before
// the part's first; afterwards it serves the part that follows.
template <class Accept>
void scan_rows_in(std::string_view run, const SubstringSearch& search, const Values& values,
                  std::size_t* first_row, std::uint8_t* to, const Accept& accept) {
  constexpr std::size_t kStride = 64;
  const auto* rows = values.data<std::string_view>();
  const std::size_t count = values.size();
  const std::size_t needle_size = search.needle().size();
  std::size_t& row = *first_row;
  std::size_t from = 0;
  while (from <= run.size()) {
    const std::size_t hit = search.find_plain(run, from);
    if (hit == std::string_view::npos) {
      return;
    }
    const char* at = run.data() + hit;
    while (row + kStride < count && rows[row + kStride].data() != nullptr &&
           rows[row + kStride].data() <= at) {
      row += kStride;
    }
    while (row < count && rows[row].data() + rows[row].size() <= at) {
      ++row;
    }
    if (row == count) {
      return;
    }
    from = hit + 1;
    const std::string_view text = rows[row];
    if (at < text.data() || at + needle_size > text.data() + text.size()) {
      continue;  // the hit lies across the border of two rows
    }
    const HitVerdict verdict = accept(text, static_cast<std::size_t>(at - text.data()));
    if (verdict != HitVerdict::kTryNextHit) {
      to[row] = verdict == HitVerdict::kMatch ? 1 : 0;
      from = static_cast<std::size_t>(text.data() + text.size() - run.data());
    }
  }
}

// Does as scan_rows_in() for the whole of values.contiguous_text().
template <class Accept>
void scan_contiguous_rows(const SubstringSearch& search, const Values& values, std::uint8_t* to,
                          const Accept& accept) {
  std::size_t row = 0;
  scan_rows_in(values.contiguous_text(), search, values, &row, to, accept);
}

enum class TextTest : std::uint8_t {
  kContains,
  kStartsWith,
  kEndsWith,
  kHas,        // the needle's ends are ends of terms
  kHasPrefix,  // only its start is the start of a term
  kHasSuffix,  // only its end is the end of a term
  kEqual,
};

class TextMatcher {
 public:
  TextMatcher(TextTest test, std::string_view needle, bool fold);

  bool matches(std::string_view text) const;
  // Sets to[slot] to 1 where a string matches, else to 0; a null is the empty text.
  void match_slots(const Values& values, std::uint8_t* to) const;
  // False when no text made of `alphabet` alone can match: the needle has another character.
  bool could_match_alphabet(std::string_view alphabet) const;

 private:
  bool is_bounded(std::string_view text, TextHit hit) const;
  // Does match_slots() over contiguous text; false, with `to` in any state, when the needle is not
  // plain in it.
  bool match_contiguous(const Values& values, std::uint8_t* to) const;
  bool has_bounded_hit(std::string_view text) const;
  bool equals(std::string_view text) const;
  bool starts(std::string_view text) const;
  bool ends(std::string_view text) const;

  SubstringSearch search_;
  TextTest test_;
  bool fold_;
  bool bound_start_ = false;  // the test wants the hit to start a term
  bool bound_end_ = false;
};

}  // namespace evq
