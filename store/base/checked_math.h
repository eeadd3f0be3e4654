#pragma once
// Exact arithmetic of 64-bit integers: nothing where the result has no place in them, or there is
// none. Inline, for loops over rows. Any thread may call.

#include <cstdint>
#include <limits>
#include <optional>

namespace evq {

inline std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::nullopt : std::optional(sum);
}

inline std::optional<std::int64_t> checked_subtract(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  return __builtin_sub_overflow(a, b, &difference) ? std::nullopt : std::optional(difference);
}

inline std::optional<std::int64_t> checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::nullopt : std::optional(product);
}

inline std::optional<std::int64_t> checked_divide(std::int64_t a, std::int64_t b) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) {
    return std::nullopt;
  }
  return a / b;
}

// The remainder has the sign of `a`.
inline std::optional<std::int64_t> checked_modulo(std::int64_t a, std::int64_t b) {
  if (b == 0) {
    return std::nullopt;
  }
  return b == -1 ? 0 : a % b;
}

}  // namespace evq
