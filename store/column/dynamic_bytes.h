#pragma once
// The encoding of dynamic values (store/column/dynamic.h) for loops over very many of them, which
// have no need of a DynamicBuilder: numbers, texts that are appended, and the head of an array
// whose elements are encoded already. Pure; nothing fails but memory.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "store/column/dynamic.h"

namespace evq {

// A long, real, datetime or timespan by the bits of its value.
using DynamicNumber = std::array<char, 1 + sizeof(std::uint64_t)>;
inline DynamicNumber encode_dynamic_number(DynamicTag tag, std::uint64_t bits) {
  DynamicNumber bytes;
  bytes[0] = static_cast<char>(tag);
  std::memcpy(bytes.data() + 1, &bits, sizeof(bits));
  return bytes;
}
inline void append_dynamic_string(std::string_view text, std::string* to) {
  std::array<char, 1 + sizeof(std::uint32_t)> head;
  const auto size = static_cast<std::uint32_t>(text.size());
  head[0] = static_cast<char>(DynamicTag::kString);
  std::memcpy(head.data() + 1, &size, sizeof(size));
  to->append(head.data(), head.size()).append(text);
}
// Writes the head of an array of `count` elements that take `bytes` bytes in all, fewer than 2^32.
constexpr std::size_t kDynamicArrayHeadBytes = 1 + 2 * sizeof(std::uint32_t);
void write_dynamic_array_head(std::size_t bytes, std::size_t count, char* to);

}  // namespace evq
