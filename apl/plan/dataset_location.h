#pragma once
// Locations of rows in a union, where rows of several datasets meet: the handle of a row's dataset
// stands above the location within it, so that rows of one time are ordered by dataset and then by
// location, in every page alike. Locations of a single dataset have the handle 0.

#include <cstdint>

namespace evq::plan {

inline constexpr unsigned kLocationBits = 40;
// Datasets with a higher handle are not told apart: their unions have no cursors.
inline constexpr std::uint64_t kUnionHandleMax = (std::uint64_t{1} << 20) - 1;

constexpr std::uint64_t handle_of_location(std::int64_t location) {
  return static_cast<std::uint64_t>(location) >> kLocationBits;
}
constexpr std::int64_t location_in_dataset(std::int64_t location) {
  return location & ((std::int64_t{1} << kLocationBits) - 1);
}
constexpr std::int64_t location_of_handle(std::uint64_t handle) {
  return static_cast<std::int64_t>(handle << kLocationBits);
}

}  // namespace evq::plan
