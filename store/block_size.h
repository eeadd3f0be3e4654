#pragma once
// Which rows are a block and which are a fresh chunk, which a merge rewrites soon: the one place
// that says so, for loads and merges alike. `block_rows` is what a full block of the store has,
// `raw_bytes` is of input. Pure functions.

#include <cstdint>

#include "store/base/limits.h"
#include "store/block/block_writer.h"

namespace evq {

// Whether rows that are encoded by themselves fill most of a block, or may be no chunk any more.
constexpr bool fills_block(std::uint64_t rows, std::uint64_t raw_bytes, std::uint64_t block_rows) {
  return 2 * rows >= block_rows || raw_bytes > kFreshChunkBytesMax;
}

// A quarter of a block, up to which loads wait for others to be encoded with: encoding more of them
// twice would cost more than the later merge of a small block does.
constexpr bool is_few_rows(std::uint64_t rows, std::uint64_t block_rows) {
  return 4 * rows <= block_rows;
}

// Whether the rows of loads that were encoded together become a block at once.
constexpr bool fills_joined_block(std::uint64_t rows, std::uint64_t raw_bytes,
                                  std::uint64_t block_rows) {
  return !is_few_rows(rows, block_rows) || raw_bytes > kFreshChunkBytesMax;
}

// Whether a block has room for as many rows again.
constexpr bool is_small_block(std::uint64_t rows, std::uint64_t block_rows) {
  return 2 * rows <= block_rows;
}

// How hard to compress a fresh chunk. One that is less than a quarter of a block is merged before
// long, and most are read by nobody but that merge.
constexpr Effort chunk_effort(std::uint64_t rows, std::uint64_t block_rows) {
  return is_few_rows(rows, block_rows) ? Effort::kFresh : Effort::kIngest;
}

}  // namespace evq
