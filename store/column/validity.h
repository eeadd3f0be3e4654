#pragma once
// Bitmaps of validity, one bit a slot, 1 = valid (Values::validity()), beside a byte a slot. Pure;
// any thread.

#include <cstddef>
#include <cstdint>

namespace evq {

// Sets the bytes of the null slots among `size` slots to `byte`; the others stay.
void set_null_bytes(const std::uint64_t* validity, std::size_t size, std::uint8_t byte,
                    std::uint8_t* bytes);

}  // namespace evq
