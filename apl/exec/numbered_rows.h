#pragma once
// Rows that an operator holds, and groups that it tells apart, have numbers of 32 bits. Whoever
// joins rows to one run, or makes a new group, asks here before numbers would repeat; no loop over
// rows needs to. Also here: what is told when the chunks of a stream have no more numbers. Any
// thread.

#include <cstddef>
#include <string_view>

#include "store/base/error.h"
#include "store/base/limits.h"

namespace evq {

// Whether `count` rows or groups can have a number each.
inline bool can_number(std::size_t count) {
  return count <= kNumberedRowsMax;
}
// Returns the error kLimit for too many rows: "more than N rows to hold at once in OPERATOR".
Error too_many_rows(std::string_view operator_name);
// Returns the error kLimit for too many groups of an aggregation.
Error too_many_groups();
// Returns the error kLimit for a stream of more chunks than have a sequence each (sequence_rows.h).
Error too_many_chunks();

}  // namespace evq
