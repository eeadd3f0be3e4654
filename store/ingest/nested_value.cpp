#include "store/ingest/nested_value.h"

#include <bit>

#include "store/base/simd_level.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace evq {

namespace {

#if defined(__x86_64__)
constexpr std::size_t kBlockBytes = 64;

// Bit i stands for byte i.
struct BlockMasks {
  std::uint64_t quotes;
  std::uint64_t backslashes;
  std::uint64_t opening;
  std::uint64_t closing;
};

__attribute__((target("avx2"))) inline std::uint64_t equal_bytes(__m256i low, __m256i high,
                                                                 char wanted) {
  const __m256i all = _mm256_set1_epi8(wanted);
  const auto first = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, all)));
  const auto last = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, all)));
  return first | static_cast<std::uint64_t>(last) << 32U;
}

__attribute__((target("avx2"))) inline BlockMasks classify(const char* block) {
  const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block));
  const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block + 32));
  // [ and { differ in this bit only, as ] and } do.
  const __m256i brace = _mm256_set1_epi8('{' ^ '[');
  const __m256i folded_low = _mm256_or_si256(low, brace);
  const __m256i folded_high = _mm256_or_si256(high, brace);
  return {equal_bytes(low, high, '"'), equal_bytes(low, high, '\\'),
          equal_bytes(folded_low, folded_high, '{'), equal_bytes(folded_low, folded_high, '}')};
}

// The bytes that a backslash stands before which is not itself one that is escaped; `escaped` says
// so of the block's first byte, and becomes what the next block needs.
inline std::uint64_t escaped_bytes(std::uint64_t backslashes, bool* escaped) {
  constexpr std::uint64_t kEvenBits = 0x5555555555555555;
  const std::uint64_t first = *escaped ? 1 : 0;
  backslashes &= ~first;
  const std::uint64_t follows = backslashes << 1U | first;
  // A run that begins at an odd place is added up to behind its end.
  std::uint64_t sums = 0;
  *escaped = __builtin_add_overflow(backslashes & ~kEvenBits & ~follows, backslashes, &sums);
  return (kEvenBits ^ sums << 1U) & follows;
}

// Bit i becomes the sum of bits 0 to i.
inline std::uint64_t prefix_sums(std::uint64_t bits) {
  for (unsigned step = 1; step < 64; step *= 2) {
    bits ^= bits << step;
  }
  return bits;
}

// Where the block of `masks` closes the value, as a count of its bytes; 0: it does not.
std::size_t count_brackets(std::uint64_t opening, std::uint64_t closing, std::uint64_t* depth) {
  const auto closed = static_cast<std::uint64_t>(std::popcount(closing));
  if (closed < *depth) {
    *depth += static_cast<std::uint64_t>(std::popcount(opening)) - closed;
    return 0;
  }
  for (std::uint64_t left = opening | closing; left != 0; left &= left - 1) {
    const std::uint64_t lowest = left & -left;
    *depth += (opening & lowest) != 0 ? 1 : -std::uint64_t{1};
    if (*depth == 0) {
      return static_cast<std::size_t>(std::countr_zero(left)) + 1;
    }
  }
  return 0;
}

__attribute__((target("avx2,popcnt"))) std::size_t pass_blocks(std::string_view text,
                                                               std::size_t at, NestedValue* value) {
  for (; value->depth > 0 && text.size() - at >= kBlockBytes; at += kBlockBytes) {
    const NestedValue before = *value;
    const BlockMasks masks = classify(text.data() + at);
    std::uint64_t quotes = masks.quotes;
    if (masks.backslashes != 0 || value->escaped) {
      quotes &= ~escaped_bytes(masks.backslashes, &value->escaped);
    }
    const std::uint64_t strings = prefix_sums(quotes) ^ (value->in_string ? ~std::uint64_t{0} : 0);
    if ((masks.backslashes & ~strings) != 0) {  // no JSON: it escapes nothing there
      *value = before;
      const std::size_t end = pass_nested_bytewise(text.substr(0, at + kBlockBytes), at, value);
      if (value->depth == 0) {
        return end;
      }
      continue;
    }
    value->in_string = (strings >> 63U) != 0;
    if (const std::size_t size =
            count_brackets(masks.opening & ~strings, masks.closing & ~strings, &value->depth)) {
      *value = NestedValue{};
      return at + size;
    }
  }
  return pass_nested_bytewise(text, at, value);
}
#endif

}  // namespace

std::size_t pass_nested_bytewise(std::string_view text, std::size_t at, NestedValue* value) {
  while (at < text.size() && value->depth > 0) {
    const char c = text[at++];
    if (value->escaped) {
      value->escaped = false;
    } else if (value->in_string) {
      value->escaped = c == '\\';
      value->in_string = c != '"';
    } else if (c == '"') {
      value->in_string = true;
    } else if (c == '{' || c == '[') {
      ++value->depth;
    } else if (c == '}' || c == ']') {
      --value->depth;
    }
  }
  return at;
}

std::size_t pass_nested(std::string_view text, std::size_t at, NestedValue* value) {
#if defined(__x86_64__)
  static const bool kWide = best_simd_level() != SimdLevel::kPortable;
  if (kWide) {
    return pass_blocks(text, at, value);
  }
#endif
  return pass_nested_bytewise(text, at, value);
}

}  // namespace evq
