#include "store/column/dynamic_bytes.h"

#include <limits>

#include "store/base/allocation_meter.h"
#include "store/base/check.h"

namespace evq {
namespace {

constexpr std::size_t kArrayHeaderBytes = 9;
// Smaller ones are not worth asking whether there is room.
constexpr std::size_t kChargedBytesMin = std::size_t{1} << 16U;

}  // namespace

void begin_dynamic_array(std::size_t bytes, std::size_t count, std::string* to) {
  EVQ_CHECK(bytes <= std::numeric_limits<std::uint32_t>::max());
  EVQ_CHECK(count <= std::numeric_limits<std::uint32_t>::max());
  if (bytes >= kChargedBytesMin) {
    AllocationMeter::charge(bytes);
  }
  const std::array<std::uint32_t, 2> sizes = {static_cast<std::uint32_t>(bytes),
                                              static_cast<std::uint32_t>(count)};
  std::array<char, kArrayHeaderBytes> header;
  header[0] = static_cast<char>(DynamicTag::kArray);
  std::memcpy(header.data() + 1, sizes.data(), sizeof(sizes));
  to->clear();
  to->reserve(header.size() + bytes);
  to->append(header.data(), header.size());
}

}  // namespace evq
