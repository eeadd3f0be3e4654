#pragma once
// Token filters: which terms (terms.h) occur in a column, as a split-block Bloom filter (Putze,
// Sanders, Singler). A filter never denies a term that occurs; it admits at most about
// three in a hundred of the others.
//
//   u8 kTokenFilterVersion, varint blocks (at least 1), blocks of 32 bytes: eight words u32
// A term's hash h (term_hash) selects block (h >> 32) * blocks >> 32, and in every word i of it the
// bit (low half of h * kSalts[i]) >> 27.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace evq {

inline constexpr std::uint8_t kTokenFilterVersion = 1;

// The filter of the terms of `texts`: 8 to 12 bits a term, unless there are extremely many.
std::string make_token_filter(std::span<const std::string_view> texts);
// False when no text of the column has the term with this hash. Bytes that are no filter admit
// everything.
bool may_have_term(std::string_view filter, std::uint64_t hash);
bool may_have_term(std::string_view filter, std::string_view folded);

}  // namespace evq
