#pragma once
// RowLocation: where a row lies in its snapshot. kRowColumn holds it as one number: the block's
// index, then the row's number in the block in the low bits, so that the numbers of one dataset
// ascend in the order of arrival.

#include <cstddef>
#include <cstdint>

namespace evq {

struct RowLocation {
  static constexpr unsigned kRowBits = 16;

  std::size_t block = 0;
  std::size_t row = 0;

  static RowLocation of(std::int64_t number) {
    constexpr std::int64_t kRowMask = (std::int64_t{1} << kRowBits) - 1;
    return {static_cast<std::size_t>(number >> kRowBits),
            static_cast<std::size_t>(number & kRowMask)};
  }
  std::int64_t number() const {
    return static_cast<std::int64_t>(block) << kRowBits | static_cast<std::int64_t>(row);
  }
};

}  // namespace evq
