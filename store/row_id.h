#pragma once
// RowId: the name of one row of a dataset, stable for ever, and its cursor text.
//
// Every row gets an ordinal when it is committed: a counter of the dataset that only grows and is
// never reused. Rows are totally ordered by (time, ordinal); rows of equal `_time` therefore keep
// their order of arrival, in both directions. Sealing and merging move rows between blocks but
// keep their ordinals, so a cursor means the same place before and after, and after a restart.
// The wall clock plays no part in ordinals.
//
// Cursor text is "TTTTTTTTTTTTTTTT-OOOOOOOOOOOOOOOO-SSSSSSSS": time with its sign bit flipped,
// ordinal, and a check sum of both and of the dataset, in lower-case hexadecimal. Text order is row
// order. Text that is not exactly that is refused, so a made-up cursor is an error and never a
// wrong page.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "store/base/result.h"

namespace evq {

struct RowId {
  std::int64_t time = 0;      // nanoseconds since the Unix epoch
  std::uint64_t ordinal = 0;  // order of arrival within the dataset
  // NOLINTNEXTLINE(modernize-use-nullptr): the 0 of the comparison is none
  friend auto operator<=>(const RowId&, const RowId&) = default;
};

// Rows by their order of arrival: a half-open range of ordinals.
struct ArrivalRange {
  std::uint64_t from = 0;
  std::uint64_t before = UINT64_MAX;
};

// The cursor text of a row. `dataset` is a number for the dataset, which the check sum covers, too;
// 0 for none in particular.
std::string encode_cursor(const RowId& row, std::uint64_t dataset = 0);
// kUsage when `text` is not the cursor of a row of `dataset`.
Result<RowId> decode_cursor(std::string_view text, std::uint64_t dataset = 0);
// Like decode_cursor() for a row of any dataset: the check sum is not verified.
Result<RowId> read_cursor(std::string_view text);

}  // namespace evq
