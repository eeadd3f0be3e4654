#pragma once
// hash_text: a fast seeded hash for tables keyed by input (field names, dictionary entries). With
// a random seed nobody outside can make keys collide. Not for anything that is stored.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace evq {

namespace text_hash_detail {

__extension__ using Uint128 = unsigned __int128;

inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  const Uint128 product = static_cast<Uint128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t load64(const char* p) {
  std::uint64_t word = 0;
  std::memcpy(&word, p, sizeof word);
  return word;
}

inline std::uint64_t load32(const char* p) {
  std::uint32_t word = 0;
  std::memcpy(&word, p, sizeof word);
  return word;
}

inline constexpr std::uint64_t kFirst = 0xa0761d6478bd642fULL;
inline constexpr std::uint64_t kSecond = 0xe7037ed1a0b428dbULL;

}  // namespace text_hash_detail

inline std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  using namespace text_hash_detail;  // NOLINT(google-build-using-namespace)
  const char* p = text.data();
  std::size_t left = text.size();
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t state = seed ^ kFirst;
  if (left > 16) {
    while (left > 16) {
      state = fold(load64(p) ^ kSecond, load64(p + 8) ^ state);
      p += 16;
      left -= 16;
    }
    // The last 16 bytes, which may overlap what was read already.
    a = load64(p + left - 16);
    b = load64(p + left - 8);
  } else if (left >= 8) {
    a = load64(p);
    b = load64(p + left - 8);
  } else if (left >= 4) {
    a = load32(p);
    b = load32(p + left - 4);
  } else if (left > 0) {
    a = static_cast<std::uint64_t>(static_cast<unsigned char>(p[0])) << 16 |
        static_cast<std::uint64_t>(static_cast<unsigned char>(p[left >> 1])) << 8 |
        static_cast<unsigned char>(p[left - 1]);
  }
  return fold(kSecond ^ text.size(), fold(a ^ kSecond, b ^ state));
}

}  // namespace evq
