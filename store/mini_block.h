#pragma once
// A mini block: a whole encoded block as one string of bytes, the payload of a fresh chunk, so
// that a small commit writes one row. The bytes: u32 kMiniBlockMagic, varint size of the header
// and the header (store/block/format.h), then pack_parts of segments and filters up to the end.
// The row that names the chunk holds the checksum of all of it. Pure functions.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "store/base/result.h"
#include "store/block/block_reader.h"
#include "store/block/block_writer.h"

namespace evq {

inline constexpr std::uint32_t kMiniBlockMagic = 0x4D515645;  // "EVQM" as bytes

std::string encode_mini_block(const EncodedBlock& block);
// A reader that keeps `bytes` alive. Bytes that are not a mini block are kCorrupt.
Result<std::unique_ptr<BlockReader>> open_mini_block(std::string bytes);

}  // namespace evq
