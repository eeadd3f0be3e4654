#include "store/base/checksum.h"

#include <cerrno>
#include <ctime>

#include <sys/random.h>
#include <xxhash.h>

namespace evq {

std::uint64_t checksum64(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t checksum64(std::span<const std::uint8_t> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t checksum64(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::uint64_t xxh64(std::string_view bytes, std::uint64_t seed) {
  return XXH64(bytes.data(), bytes.size(), seed);
}

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  while (getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed)) {
    if (errno != EINTR) {
      // Without a random source (a kernel older than 3.17) the clock and the stack's place must do;
      // the seed only hardens hash tables, nothing secret depends on it.
      timespec now{};
      static_cast<void>(clock_gettime(CLOCK_MONOTONIC, &now));
      return hash64(static_cast<std::uint64_t>(now.tv_nsec),
                    reinterpret_cast<std::uint64_t>(&seed));
    }
  }
  return seed;
}

}  // namespace evq
