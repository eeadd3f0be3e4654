#pragma once
// Token filters: which terms (terms.h) occur in a column. A filter never denies a term that occurs.
// Old files keep the filters they were written with; new ones are versions 2 and 3.
//
// Term bits, a split-block Bloom filter (Putze, Sanders, Singler), which admits at most about four
// in a hundred of the terms that do not occur:
//
//   u8 version, varint blocks (at least 1), blocks of 32 bytes: eight words u32 (version 1) or four
//   u64 (version 3)
//
// A term's hash h (term_hash) selects block (h >> 32) * blocks >> 32, and of every word i of it the
// bit that the highest 5 (version 1) or 6 bits (version 3) of the low half of h * kSalts[i] name.
//
// Term ranges (term_ranges.h), for ids that grow with time:
//
//   u8 version 2, varint ranges (at least 1), for each: string least, string greatest
//
// A term may occur if it has the size of a range's least term and is, by its bytes, not below that
// nor above the greatest.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace evq {

inline constexpr std::uint8_t kNarrowTermBitsVersion = 1;
inline constexpr std::uint8_t kTermRangesVersion = 2;
inline constexpr std::uint8_t kTermBitsVersion = 3;

// The filter of the terms of `texts`, which are in the order of their rows: term ranges if there
// are any, otherwise 7 to 11 bits a term, unless there are extremely many.
std::string make_token_filter(std::span<const std::string_view> texts);
// False when no text of the column has this folded term. Bytes that are no filter admit everything.
bool may_have_term(std::string_view filter, std::string_view folded);

}  // namespace evq
