#pragma once
// FoundKeys: the nodes of keys that were looked up before, each at a place that a key's first and
// last bytes tell, where it pushes out another: for keys that come in no order, without a hash of
// their text. Whoever asks compares the key of what is there. One thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "store/base/bytes.h"

namespace evq {

class FoundKeys {
 public:
  // The node that was noted last at the slot of `key` below `parent`; 0 without any. `head` begins
  // as the key does and has eight readable bytes.
  std::uint32_t at(std::uint32_t parent, const char* head, std::string_view key) const {
    return nodes_[place_of(parent, head, key)];
  }
  void note(std::uint32_t parent, const char* head, std::string_view key, std::uint32_t node) {
    nodes_[place_of(parent, head, key)] = node;
  }

 private:
  static constexpr unsigned kPlaceBits = 8;

  static std::size_t place_of(std::uint32_t parent, const char* head, std::string_view key) {
    constexpr std::size_t kWord = sizeof(std::uint64_t);
    constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15;  // a multiplier without patterns
    const std::uint64_t first = load64(head);
    const std::uint64_t bytes = key.size() >= kWord
                                    ? first ^ (load64(key.data() + key.size() - kWord) << 1)
                                    : first << 1 << (8 * (kWord - key.size()) - 1);
    return ((bytes + parent) * kSpread) >> (64 - kPlaceBits);
  }

  std::array<std::uint32_t, std::size_t{1} << kPlaceBits> nodes_{};
};

}  // namespace evq
