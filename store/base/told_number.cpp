#include "store/base/told_number.h"

#include <utility>

namespace evq {

std::string grouped_text(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) {
    digits.insert(at - 3, 1, ',');
  }
  return digits;
}

std::string memory_limit_text(std::size_t bytes) {
  constexpr std::pair<std::size_t, const char*> kUnits[] = {{std::size_t{1} << 30, " GiB"},
                                                            {std::size_t{1} << 20, " MiB"},
                                                            {std::size_t{1} << 10, " KiB"}};
  for (const auto& [size, unit] : kUnits) {
    if (bytes >= size && bytes % size == 0) {
      return std::to_string(bytes / size) + unit;
    }
  }
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

}  // namespace evq
