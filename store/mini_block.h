#pragma once
// A mini block: a whole encoded block as one string of bytes, the payload of a fresh chunk, so
// that a small commit writes one row. The bytes:
//   head    u32 kMiniBlockMagic, varint size of the header, the header (store/block/format.h)
//   parts   all segments, then all filters, in header order and without gaps, up to the end
// The row that names the chunk holds a checksum of the head, whose header holds those of the parts:
// each can be read without the others. Of a chunk that begins with kWholeSumMagic, as early
// versions wrote them, it is that of all bytes. Pure functions.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "store/base/result.h"
#include "store/block/block_reader.h"
#include "store/block/block_writer.h"

namespace evq {

inline constexpr std::uint32_t kMiniBlockMagic = 0x4E515645;  // "EVQN" as bytes
inline constexpr std::uint32_t kWholeSumMagic = 0x4D515645;   // "EVQM"
// Enough of a chunk's first bytes for mini_block_summed_bytes().
inline constexpr std::size_t kMiniBlockStartBytes = 16;

std::string encode_mini_block(const EncodedBlock& block);
// How many bytes the row's checksum covers of a chunk of `size` bytes that begins with `start`: its
// head, or all of them. Any bytes.
std::size_t mini_block_summed_bytes(std::string_view start, std::size_t size);
// The header of a chunk that begins with `bytes`, its head or more. kCorrupt when it is none.
Result<BlockHeader> read_mini_block_header(std::string_view bytes);
// A reader of the whole chunk, whose bytes it keeps alive. Bytes that are not a mini block are
// kCorrupt.
Result<std::unique_ptr<BlockReader>> open_mini_block(SharedBytes bytes);

}  // namespace evq
