#pragma once
// The encoding of dynamic values (store/column/dynamic.h) for loops over very many of them, which
// have no need of a DynamicBuilder: numbers appended to a string, and an array around elements that
// are encoded already. Pure; nothing fails but memory.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "store/column/dynamic.h"

namespace evq {

// A long, real, datetime or timespan by the bits of its value.
inline void append_dynamic_number(DynamicTag tag, std::uint64_t bits, std::string* to) {
  std::array<char, 1 + sizeof(bits)> bytes;
  bytes[0] = static_cast<char>(tag);
  std::memcpy(bytes.data() + 1, &bits, sizeof(bits));
  to->append(bytes.data(), bytes.size());
}
// `to` becomes the array of `count` elements that are `elements`, fewer bytes than 2^32.
void encode_dynamic_array(std::string_view elements, std::size_t count, std::string* to);

}  // namespace evq
