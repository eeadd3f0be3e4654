#include "store/column/dynamic_bytes.h"

#include <limits>

#include "store/base/check.h"

namespace evq {

void write_dynamic_array_head(std::size_t bytes, std::size_t count, char* to) {
  EVQ_CHECK(bytes <= std::numeric_limits<std::uint32_t>::max());
  EVQ_CHECK(count <= std::numeric_limits<std::uint32_t>::max());
  const std::array<std::uint32_t, 2> sizes = {static_cast<std::uint32_t>(bytes),
                                              static_cast<std::uint32_t>(count)};
  to[0] = static_cast<char>(DynamicTag::kArray);
  std::memcpy(to + 1, sizes.data(), sizeof(sizes));
}

}  // namespace evq
