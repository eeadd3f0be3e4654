#pragma once
// TextHead: the first sixteen bytes of a text, zeros behind its end, as two words: most texts of
// events are no longer, so that comparing and hashing them takes no loop and no branch.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "store/base/bytes.h"
#include "store/base/text_hash.h"

namespace evq {

struct TextHead {
  static constexpr std::size_t kBytes = 16;

  std::uint64_t first = 0;
  std::uint64_t second = 0;

  friend bool operator==(const TextHead& a, const TextHead& b) {
    return ((a.first ^ b.first) | (a.second ^ b.second)) == 0;
  }
};

inline TextHead head_of(std::string_view text) {
  std::array<char, TextHead::kBytes> bytes{};
  if (!text.empty()) {
    std::memcpy(bytes.data(), text.data(), std::min(text.size(), bytes.size()));
  }
  return {load64(bytes.data()), load64(bytes.data() + 8)};
}

// Like head_of(), for a text with at least sixteen readable bytes from its first byte on.
inline TextHead head_of_readable(std::string_view text) {
  constexpr auto kMasks = [] {
    std::array<char, 2 * TextHead::kBytes> masks{};
    std::fill_n(masks.begin(), TextHead::kBytes, '\xFF');
    return masks;
  }();
  static constexpr auto kKept = kMasks;
  const char* kept = kKept.data() + TextHead::kBytes - std::min(text.size(), TextHead::kBytes);
  return {load64(text.data()) & load64(kept), load64(text.data() + 8) & load64(kept + 8)};
}

// A hash as strong as hash_text(text, seed), but with other values; `head` is head_of(text).
inline std::uint64_t hash_text(std::string_view text, const TextHead& head, std::uint64_t seed) {
  return text.size() <= TextHead::kBytes ? hash_words(head.first, head.second, text.size(), seed)
                                         : hash_text(text, seed);
}

}  // namespace evq
