#pragma once
// Numbers as messages tell them to people: exact, and easy to read. All functions are pure and
// independent of the locale.

#include <cstddef>
#include <cstdint>
#include <string>

namespace evq {

// The digits in groups of three: 48,211.
std::string grouped_text(std::uint64_t value);
// A size in the largest unit that gives a whole number: "64 MiB", "1536 KiB", "100 bytes".
std::string memory_limit_text(std::size_t bytes);

}  // namespace evq
