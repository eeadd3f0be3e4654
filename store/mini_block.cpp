#include "store/mini_block.h"

#include <utility>

#include "store/base/bytes.h"

namespace evq {

std::string encode_mini_block(const EncodedBlock& block) {
  const std::string header = encode_header(block.header);
  ByteWriter out;
  out.reserve(kMiniBlockStartBytes + header.size() + block.header.stored_bytes());
  out.u32(kMiniBlockMagic);
  out.string(header);
  for (const auto* parts : {&block.segments, &block.filters}) {
    for (const std::string& part : *parts) {
      out.raw(part);
    }
  }
  return out.release();
}

std::size_t mini_block_summed_bytes(std::string_view start, std::size_t size) {
  ByteReader in(start);
  const bool has_head = in.u32() == kMiniBlockMagic;
  const std::uint64_t header_bytes = in.varint();
  const bool fits = in.ok() && in.position() <= size && header_bytes <= size - in.position();
  return has_head && fits ? in.position() + static_cast<std::size_t>(header_bytes) : size;
}

Result<BlockHeader> read_mini_block_header(std::string_view bytes) {
  ByteReader in(bytes);
  const std::uint32_t magic = in.u32();
  const std::string_view header = in.string();
  if ((magic != kMiniBlockMagic && magic != kWholeSumMagic) || !in.ok()) {
    return make_error(ErrorCode::kCorrupt, "a fresh chunk is damaged");
  }
  return decode_header(header);
}

Result<std::unique_ptr<BlockReader>> open_mini_block(SharedBytes bytes) {
  EVQ_TRY_ASSIGN(BlockHeader header, read_mini_block_header(bytes.view));
  ByteReader in(bytes.view);
  in.u32();
  in.string();
  bytes.view = in.take(in.remaining());
  if (bytes.view.size() != header.stored_bytes()) {
    return make_error(ErrorCode::kCorrupt, "a fresh chunk has the wrong size");
  }
  auto shared = std::make_shared<const BlockHeader>(std::move(header));
  auto source = make_packed_source(*shared, std::move(bytes));
  return std::make_unique<BlockReader>(std::move(shared), std::move(source));
}

}  // namespace evq
