#pragma once
// The size packed_integers.cpp would need, for the chooser, measured on a few groups of rows.
// Pure: any thread may call it; nothing fails.

#include <cstddef>
#include <cstdint>

namespace evq {

// Bits a number when packed by groups, from a sample of the groups; `numbers` as made by
// IntegerRange.
double estimate_packed_bits(const std::uint64_t* numbers, std::size_t size);

}  // namespace evq
