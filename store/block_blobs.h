#pragma once
// BlockBlobs: the blobs of a dataset file that its blocks are stored in, each read into memory of
// its own, which keeps no part of the store. Who reads verifies them. kCorrupt when a blob is not
// there. The blob that was read last stays open (BlobReader): gone before the connection's read
// transaction is. One thread at a time.

#include <cstddef>
#include <cstdint>

#include "store/base/result.h"
#include "store/block/block_reader.h"
#include "store/catalog/blob_reader.h"

namespace evq {

class BlockBlobs {
 public:
  explicit BlockBlobs(Connection& connection);

  // Of a sealed block: its header, and a part of one of the header's columns.
  Result<SharedBytes> header(std::uint64_t block);
  Result<SharedBytes> part(std::uint64_t block, std::size_t column, SegmentPart part);
  bool has_header(std::uint64_t block) { return headers_.find(block).ok(); }
  // Of a fresh chunk: all of it, or up to `size` bytes from `offset` on.
  Result<SharedBytes> chunk(std::uint64_t block);
  Result<SharedBytes> chunk(std::uint64_t block, std::size_t offset, std::size_t size);

 private:
  BlobReader headers_;
  BlobReader segments_;
  BlobReader filters_;
  BlobReader chunks_;
};

}  // namespace evq
