#pragma once
// Term ranges: the filter of a column of ids that grow with time, such as ULIDs, TIDs and padded
// counters. Between the least and the greatest id of a stretch of rows lie the ids of no other
// time, so a few ranges say more than a Bloom filter does, in hundreds of bytes instead of tens of
// thousands. token_filter.h has the format. Pure functions.

#include <span>
#include <string>
#include <string_view>

namespace evq {

// The ranges of `texts`, which are in the order of their rows or first occurrences; empty when they
// are not one term each, of one size and ascending but for neighbours, with few exceptions.
std::string make_term_ranges(std::span<const std::string_view> texts);
// False when no text has this folded term. Bytes that are no term ranges admit everything.
bool ranges_may_have_term(std::string_view filter, std::string_view folded);

}  // namespace evq
