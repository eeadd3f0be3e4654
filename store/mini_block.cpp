#include "store/mini_block.h"

#include <utility>

#include "store/base/bytes.h"

namespace evq {

std::string encode_mini_block(const EncodedBlock& block) {
  constexpr std::size_t kPrefixBytesMax = 16;
  ByteWriter out;
  out.reserve(kPrefixBytesMax + block.header_bytes.size() + block.header.stored_bytes());
  out.u32(kMiniBlockMagic);
  out.string(block.header_bytes);
  for (const auto* parts : {&block.segments, &block.filters}) {
    for (const std::string& part : *parts) {
      out.raw(part);
    }
  }
  return out.release();
}

Result<std::unique_ptr<BlockReader>> open_mini_block(std::string bytes) {
  auto owner = std::make_shared<const std::string>(std::move(bytes));
  ByteReader in(*owner);
  const bool ours = in.u32() == kMiniBlockMagic;
  const std::string_view header_bytes = in.string();
  if (!ours || !in.ok()) {
    return make_error(ErrorCode::kCorrupt, "a fresh chunk is damaged");
  }
  EVQ_TRY_ASSIGN(BlockHeader header, decode_header(header_bytes));
  const std::string_view packed = in.take(in.remaining());
  if (packed.size() != header.stored_bytes()) {
    return make_error(ErrorCode::kCorrupt, "a fresh chunk has the wrong size");
  }
  auto shared = std::make_shared<const BlockHeader>(std::move(header));
  auto source = make_packed_source(*shared, SharedBytes{packed, owner});
  return std::make_unique<BlockReader>(std::move(shared), std::move(source));
}

}  // namespace evq
