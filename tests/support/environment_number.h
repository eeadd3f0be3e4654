#pragma once
// How long a test runs and where it begins: numbers of the environment, for the runs that sh
// tests/endure makes longer than the suite's own.

#include <cstdint>
#include <cstdlib>

namespace evq {

inline std::uint64_t number_from(const char* variable, std::uint64_t fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

}  // namespace evq
