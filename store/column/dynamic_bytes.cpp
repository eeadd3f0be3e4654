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

void encode_dynamic_array(std::string_view elements, std::size_t count, std::string* to) {
  EVQ_CHECK(elements.size() <= std::numeric_limits<std::uint32_t>::max());
  EVQ_CHECK(count <= std::numeric_limits<std::uint32_t>::max());
  if (elements.size() >= kChargedBytesMin) {
    AllocationMeter::charge(elements.size());
  }
  const std::array<std::uint32_t, 2> sizes = {static_cast<std::uint32_t>(elements.size()),
                                              static_cast<std::uint32_t>(count)};
  std::array<char, kArrayHeaderBytes> header;
  header[0] = static_cast<char>(DynamicTag::kArray);
  std::memcpy(header.data() + 1, sizes.data(), sizeof(sizes));
  to->assign(header.data(), header.size());
  to->append(elements);
}

}  // namespace evq
