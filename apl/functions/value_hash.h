#pragma once
// Hashes of single values for sketches: equal values of one type hash equally in every worker and
// every run (one fixed seed), and -0.0 equals 0.0, NaN equals NaN.

#include <bit>
#include <cstdint>
#include <string_view>

#include "store/base/checksum.h"
#include "store/column/dynamic.h"
#include "store/column/vector.h"

namespace evq {

inline constexpr std::uint64_t kSketchSeed = 0x5EEDC0DE12345678ULL;

inline std::uint64_t sketch_hash(std::int64_t value) {
  return hash64(std::bit_cast<std::uint64_t>(value), kSketchSeed);
}
inline std::uint64_t sketch_hash(std::uint8_t value) {
  return hash64(std::uint64_t{value}, kSketchSeed);
}
inline std::uint64_t sketch_hash(double value) {
  constexpr std::uint64_t kNanBits = 0x7FF8000000000000ULL;
  const std::uint64_t bits = value != value ? kNanBits : std::bit_cast<std::uint64_t>(value + 0.0);
  return hash64(bits, kSketchSeed);
}
inline std::uint64_t sketch_hash(std::string_view value) {
  return hash64(value, kSketchSeed);
}
inline std::uint64_t sketch_hash(DynamicView value) {
  return hash_dynamic(value, kSketchSeed);
}

// Calls with_type(tag) with a value of the type's C++ form: T() to deduce from; dynamics as
// DynamicView. Bare nulls have no values and count as bools.
template <class WithType>
decltype(auto) with_value_type(Type type, const WithType& with_type) {
  switch (type) {
    case Type::kReal:
      return with_type(double{});
    case Type::kString:
      return with_type(std::string_view{});
    case Type::kDynamic:
      return with_type(DynamicView{});
    case Type::kLong:
    case Type::kDatetime:
    case Type::kTimespan:
      return with_type(std::int64_t{});
    case Type::kNull:
    case Type::kBool:
      break;
  }
  return with_type(std::uint8_t{});
}

// Returns the value at a slot in the form of with_value_type().
template <class T>
T slot_value(const Values& values, std::size_t slot) {
  if constexpr (std::is_same_v<T, DynamicView>) {
    return DynamicView(values.data<std::string_view>()[slot]);
  } else {
    return values.data<T>()[slot];
  }
}

}  // namespace evq
