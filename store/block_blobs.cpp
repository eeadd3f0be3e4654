#include "store/block_blobs.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "store/catalog/dataset_file.h"

namespace evq {
namespace {

constexpr std::size_t kWhole = std::numeric_limits<std::size_t>::max();

// Up to `size` bytes of the blob of row `id` from `offset` on, fewer at its end.
Result<SharedBytes> read_bytes(BlobReader& blobs, std::uint64_t id, std::size_t offset,
                               std::size_t size) {
  EVQ_TRY_ASSIGN(const std::size_t stored, blobs.find(id));
  const std::size_t count = std::min(size, stored - std::min(offset, stored));
  auto bytes = std::make_shared_for_overwrite<char[]>(count);
  if (count != 0) {
    EVQ_TRY(blobs.read(offset, {bytes.get(), count}));
  }
  const std::string_view view(bytes.get(), count);
  return SharedBytes{view, std::move(bytes)};
}

}  // namespace

BlockBlobs::BlockBlobs(Connection& connection)
    : headers_(blobs_of(connection, BlobTable::kHeaders)),
      segments_(blobs_of(connection, BlobTable::kSegments)),
      filters_(blobs_of(connection, BlobTable::kFilters)),
      chunks_(blobs_of(connection, BlobTable::kChunks)) {}

Result<SharedBytes> BlockBlobs::header(std::uint64_t block) {
  return read_bytes(headers_, block, 0, kWhole);
}

Result<SharedBytes> BlockBlobs::part(std::uint64_t block, std::size_t column, SegmentPart part) {
  return read_bytes(part == SegmentPart::kSegment ? segments_ : filters_, segment_id(block, column),
                    0, kWhole);
}

Result<SharedBytes> BlockBlobs::chunk(std::uint64_t block) {
  return read_bytes(chunks_, block, 0, kWhole);
}

Result<SharedBytes> BlockBlobs::chunk(std::uint64_t block, std::size_t offset, std::size_t size) {
  return read_bytes(chunks_, block, offset, size);
}

}  // namespace evq
