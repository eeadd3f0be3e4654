#pragma once
// copy_short: std::copy_n for texts that are mostly of a few words, where calling memmove costs
// more than copying. It neither reads nor writes outside of them; the two may not overlap.

#include <cstddef>
#include <cstring>

namespace evq {

inline void copy_short(const char* from, std::size_t size, char* to) {
  // The first and the last bytes, which may overlap.
  constexpr std::size_t kWord = 8;
  constexpr std::size_t kWords = 16;
  if (size >= kWords && size <= 4 * kWords) {
    const std::size_t last = size - kWords;
    if (size > 2 * kWords) {
      std::memcpy(to + kWords, from + kWords, kWords);
      std::memcpy(to + last - kWords, from + last - kWords, kWords);
    }
    std::memcpy(to, from, kWords);
    std::memcpy(to + last, from + last, kWords);
  } else if (size >= kWord && size < kWords) {
    std::memcpy(to, from, kWord);
    std::memcpy(to + size - kWord, from + size - kWord, kWord);
  } else if (size != 0) {
    std::memcpy(to, from, size);
  }
}

}  // namespace evq
