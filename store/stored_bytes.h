#pragma once
// Bytes of a stored blob, read into memory of their own, which keeps no part of the store. Who
// reads checks them. Errors are those of the reader, which belongs to one thread at a time.

#include <cstddef>
#include <cstdint>

#include "store/base/result.h"
#include "store/block/block_reader.h"
#include "store/catalog/blob_reader.h"

namespace evq {

// Reads up to `size` bytes of the blob of row `id` from `offset` on, fewer at its end. kCorrupt
// when there is no blob.
Result<SharedBytes> read_bytes(BlobReader& blobs, std::uint64_t id, std::size_t offset,
                               std::size_t size);
// The whole blob.
Result<SharedBytes> read_bytes(BlobReader& blobs, std::uint64_t id);

}  // namespace evq
