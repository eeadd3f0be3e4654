#pragma once
// Checksums of stored bytes and hashes for tables, both XXH3 with 64 bits. A checksum is part of
// the format on disk: its value for given bytes and seed never changes. A hash is for memory only;
// tables keyed by input take a random seed so that nobody can choose colliding keys.
// All functions are pure and may be called from any thread.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace evq {

// XXH3-64 with seed 0.
std::uint64_t checksum64(std::string_view bytes);
std::uint64_t checksum64(std::span<const std::uint8_t> bytes);
// The seed binds the bytes to their place: a block put where another belongs does not verify.
std::uint64_t checksum64(std::string_view bytes, std::uint64_t seed);

// XXH64, an older hash, for what queries compute: never changes either.
std::uint64_t xxh64(std::string_view bytes, std::uint64_t seed);

// A hash for tables in memory.
std::uint64_t hash64(std::string_view bytes, std::uint64_t seed);

// Mixes one integer: every input bit changes half of the output bits.
inline std::uint64_t hash64(std::uint64_t value, std::uint64_t seed) {
  std::uint64_t x = value ^ (seed * 0x9E3779B97F4A7C15ULL);
  x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93ULL;
  x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93ULL;
  return x ^ (x >> 32);
}

// The number after `x` of SplitMix64 (Steele et al. 2014): a bijection whose values, of one x after
// the other, pass as random.
inline std::uint64_t split_mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

// A seed nobody can guess, from the operating system's random source.
std::uint64_t random_seed();

}  // namespace evq
