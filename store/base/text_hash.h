#pragma once
// The two questions a table of short texts asks, inline: hash_text, a fast seeded hash for tables
// keyed by input (field names, dictionary entries; with a random seed nobody outside can make keys
// collide; not for anything that is stored), and equal_text. Neither reads outside of its texts.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "store/base/bytes.h"

namespace evq {

namespace text_hash_detail {

__extension__ using Uint128 = unsigned __int128;

inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  const Uint128 product = static_cast<Uint128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t load32(const char* p) {
  std::uint32_t word = 0;
  std::memcpy(&word, p, sizeof word);
  return word;
}

inline constexpr std::uint64_t kFirst = 0xa0761d6478bd642fULL;
inline constexpr std::uint64_t kSecond = 0xe7037ed1a0b428dbULL;

}  // namespace text_hash_detail

// The hash of two words and a size.
inline std::uint64_t hash_words(std::uint64_t a, std::uint64_t b, std::size_t size,
                                std::uint64_t seed) {
  using text_hash_detail::fold;
  const std::uint64_t other = std::rotl(seed, 32) ^ text_hash_detail::kSecond;
  return fold(other ^ size, fold(a ^ other, b ^ seed ^ text_hash_detail::kFirst));
}

inline std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  using text_hash_detail::fold;
  using text_hash_detail::kFirst;
  using text_hash_detail::kSecond;
  using text_hash_detail::load32;
  const char* p = text.data();
  std::size_t left = text.size();
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t state = seed ^ kFirst;
  // The seed is in both factors, and in each its own way: a factor that a text can make zero, or
  // two that it can exchange, would give one hash to many texts, whatever the seed.
  const std::uint64_t other = std::rotl(seed, 32) ^ kSecond;
  if (left > 16) {
    while (left > 16) {
      state = fold(load64(p) ^ other, load64(p + 8) ^ state);
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
  return fold(other ^ text.size(), fold(a ^ other, b ^ state));
}

// Whether two texts are equal; for short ones, where calling memcmp costs more than comparing.
inline bool equal_text(std::string_view a, std::string_view b) {
  using text_hash_detail::load32;
  if (a.size() != b.size()) {
    return false;
  }
  const char* p = a.data();
  const char* q = b.data();
  std::size_t left = a.size();
  if (left >= 8) {
    while (left > 8) {
      if (load64(p) != load64(q)) {
        return false;
      }
      p += 8;
      q += 8;
      left -= 8;
    }
    // The last eight bytes, which may overlap what was compared already.
    return load64(p + left - 8) == load64(q + left - 8);
  }
  if (left >= 4) {
    return load32(p) == load32(q) && load32(p + left - 4) == load32(q + left - 4);
  }
  return left == 0 || (p[0] == q[0] && p[left >> 1] == q[left >> 1] && p[left - 1] == q[left - 1]);
}

}  // namespace evq
