// links: evq_store evq_block evq_base
// Any bytes as a block's header and as a fresh chunk. The checksum that ends a header is put right,
// so that what lies behind it is reached: such a header reads back as it was read, and its columns
// decode or fail.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "store/base/bytes.h"
#include "store/base/checksum.h"
#include "store/block/block_reader.h"
#include "store/block/format.h"
#include "store/mini_block.h"

namespace {

void read_chunk(std::string bytes) {
  auto reader = evq::open_mini_block(std::move(bytes));
  if (!reader.ok()) {
    return;
  }
  for (std::size_t i = 0; i < (*reader)->header().columns.size(); ++i) {
    (void)(*reader)->read(i, evq::Selection::range(0, 1));
    (void)(*reader)->read_dictionary(i);
    (void)(*reader)->filter(i);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  evq::ByteWriter sealed;
  sealed.raw(text);
  sealed.u64(evq::checksum64(text));
  const std::string header = sealed.release();
  const auto decoded = evq::decode_header(header);
  if (decoded.ok()) {
    const auto again = evq::decode_header(evq::encode_header(decoded.value()));
    if (!again.ok() || again.value().columns.size() != decoded.value().columns.size()) {
      __builtin_trap();
    }
  }
  read_chunk(std::string(text));
  evq::ByteWriter chunk;
  chunk.u32(evq::kMiniBlockMagic);
  chunk.string(header);
  chunk.raw(text);
  read_chunk(chunk.release());
  return 0;
}
