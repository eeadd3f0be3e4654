// links: evq_store evq_block evq_base
// Any bytes as a block's header and as a fresh chunk. Checksums are put right, so that what lies
// behind them is reached: a header reads back as it was read, and columns decode or fail, some rows
// as all of them do.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/base/bytes.h"
#include "store/base/checksum.h"
#include "store/block/block_reader.h"
#include "store/block/format.h"
#include "store/mini_block.h"

namespace {

constexpr std::size_t kComparedRowsMax = 64;

void require(bool holds) {
  if (!holds) {
    __builtin_trap();
  }
}

std::string with_checksum(std::string_view header) {
  evq::ByteWriter sealed;
  sealed.raw(header);
  sealed.u64(evq::checksum64(header));
  return sealed.release();
}

std::string chunk_of(std::string_view header, std::string_view parts) {
  evq::ByteWriter chunk;
  chunk.u32(evq::kMiniBlockMagic);
  chunk.string(header);
  chunk.raw(parts);
  return chunk.release();
}

// A fresh chunk as it is, but for its checksums.
std::optional<std::string> mended(std::string_view chunk) {
  evq::ByteReader in(chunk);
  const std::uint32_t magic = in.u32();
  const bool ours = magic == evq::kMiniBlockMagic || magic == evq::kWholeSumMagic;
  const std::string_view written = in.string();
  if (!ours || !in.ok() || written.size() < sizeof(std::uint64_t)) {
    return std::nullopt;
  }
  std::string_view parts = in.take(in.remaining());
  auto header =
      evq::decode_header(with_checksum(written.substr(0, written.size() - sizeof(std::uint64_t))));
  if (!header.ok()) {
    return std::nullopt;
  }
  std::string_view rest = parts;
  const auto checksum_of = [&rest](std::uint64_t size) {
    const std::string_view part = rest.substr(0, size);
    rest.remove_prefix(part.size());
    return evq::checksum64(part);
  };
  for (evq::ColumnHeader& column : header->columns) {
    column.segment_checksum = checksum_of(column.segment_bytes);
  }
  for (evq::ColumnHeader& column : header->columns) {
    column.filter_checksum = column.filter_bytes > 0 ? checksum_of(column.filter_bytes) : 0;
  }
  return chunk_of(evq::encode_header(*header), parts);
}

void read_chunk(std::string_view bytes) {
  require(evq::mini_block_summed_bytes(bytes.substr(0, evq::kMiniBlockStartBytes), bytes.size()) <=
          bytes.size());
  auto opened = evq::open_mini_block({bytes, nullptr});
  if (!opened.ok()) {
    return;
  }
  evq::BlockReader& reader = **opened;
  const std::size_t rows = reader.header().rows;
  const std::size_t begin = rows / 2;
  const std::size_t count = std::min(rows - begin, kComparedRowsMax);
  for (std::size_t column = 0; column < reader.header().columns.size(); ++column) {
    (void)reader.read_dictionary(column);
    (void)reader.filter(column);
    const auto all = reader.read(column, evq::Selection::all());
    const auto some = reader.read(column, evq::Selection::range(begin, count));
    if (!all.ok()) {
      continue;
    }
    require(all->size() == rows && some.ok() && some->size() == count);
    for (std::size_t i = 0; i < count; ++i) {
      require(all->value(begin + i).to_text() == some->value(i).to_text());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string header = with_checksum(text);
  const auto decoded = evq::decode_header(header);
  if (decoded.ok()) {
    const auto again = evq::decode_header(evq::encode_header(*decoded));
    require(again.ok() && again->columns.size() == decoded->columns.size());
  }
  read_chunk(text);
  read_chunk(chunk_of(header, text));
  if (const auto chunk = mended(text)) {
    read_chunk(*chunk);
  }
  return 0;
}
