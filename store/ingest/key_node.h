#pragma once
// KeyNode: a key of events below another, as EventAssembler keeps it from event to event. Its first
// bytes lie in it, so that an expected key is told without a look elsewhere. One thread's.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "store/base/text_hash.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace evq {

using NodeId = std::uint32_t;

struct alignas(64) KeyNode {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::string_view key() const { return {key_text, key_size}; }

  // Whether `other`, as it is written between quotes, is this key without a backslash; sixteen of
  // its bytes can be read.
  bool has_key(std::string_view other) const {
    if (key_size != other.size() || has_backslash) {
      return false;
    }
#if defined(__SSE2__)
    const __m128i head = _mm_loadu_si128(reinterpret_cast<const __m128i*>(other.data()));
    const __m128i known = _mm_load_si128(reinterpret_cast<const __m128i*>(key_head.data()));
    const auto same = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(head, known)));
    constexpr std::size_t kHead = 16;
    return other.size() <= kHead
               ? (~same & ((std::uint32_t{1} << other.size()) - 1)) == 0
               : same == 0xFFFF && equal_text(key().substr(kHead), other.substr(kHead));
#else
    return equal_text(key(), other);
#endif
  }

  std::array<char, 16> key_head{};  // the key's first bytes, zeros behind them
  const char* key_text = nullptr;   // the assembler's
  std::uint32_t key_size = 0;
  NodeId parent = kNone;
  NodeId next = 0;  // the key that followed it in the last event
  std::uint32_t column = kNone;
  // The number of its last visit. Later than its parent's: the key was there before in the same
  // object of the same event.
  std::uint64_t seen = 0;
  std::uint16_t traits = 0;
  bool has_backslash = false;  // the key
};

}  // namespace evq
