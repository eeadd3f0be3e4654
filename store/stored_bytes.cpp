#include "store/stored_bytes.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <span>

namespace evq {

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

Result<SharedBytes> read_bytes(BlobReader& blobs, std::uint64_t id) {
  return read_bytes(blobs, id, 0, std::numeric_limits<std::size_t>::max());
}

}  // namespace evq
