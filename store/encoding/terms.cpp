#include "store/encoding/terms.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "store/base/ascii.h"
#include "store/base/bytes.h"
#include "store/base/short_copy.h"
#include "store/base/utf8.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// A window of texts is copied side by side; two passes follow. The first turns every 64 bytes into
// a mask of term bytes (letters, digits, and anything beyond ASCII, which is looked at later) and
// lowers ASCII letters in place. The second walks the masks from term to term. The start of a text
// ends the term before it, without a byte between them.

namespace evq {
namespace {

// A window is hashed when so much is in it: what both passes touch stays in the level 1 cache …
constexpr std::size_t kWindowBytes = std::size_t{16} * 1024;
// … but there is room for a longer text.
constexpr std::size_t kWindowBytesMax = std::size_t{64} * 1024;
constexpr std::size_t kMaskedBytes = 64;
constexpr std::size_t kTermSlackBytes = 2 * kMaskedBytes;
constexpr std::uint64_t kMultiplierA = 0x9E3779B97F4A7C15ULL;
constexpr std::uint64_t kMultiplierB = 0xD6E8FEB86659FD93ULL;

// The last `size` bytes (1 to 8) of a term as a word, zeros above.
std::uint64_t load_tail(const char* in, std::size_t size) {
  std::uint64_t word = 0;
  std::memcpy(&word, in, size);
  return word;
}

__extension__ using Wide = unsigned __int128;

std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Words of the term, the last one masked, are mixed in turn; 0 marks free table slots and is never
// a hash.
template <class LoadTail>
std::uint64_t hash_words(const char* text, std::size_t size, LoadTail tail) {
  std::uint64_t hash = kMultiplierB ^ size;
  while (size > 8) {
    hash = fold_multiply(hash ^ load64(text), kMultiplierA);
    text += 8;
    size -= 8;
  }
  hash = fold_multiply(hash ^ tail(text, size), kMultiplierA);
  hash ^= hash >> 32;
  return hash == 0 ? 1 : hash;
}

// With sixteen readable bytes behind the text, which is not empty. How many words a term has, one
// or two, cannot be foretold: both are made, without a branch.
[[gnu::always_inline]] inline std::uint64_t hash_padded(const char* text, std::size_t size) {
  std::uint64_t hash = kMultiplierB ^ size;
  while (size > 16) {
    hash = fold_multiply(hash ^ load64(text), kMultiplierA);
    text += 8;
    size -= 8;
  }
  const std::uint64_t one = load64(text);
  const std::uint64_t two = load64(text + 8);
  const std::uint64_t other = fold_multiply(hash ^ one, kMultiplierA);
  const bool longer = size > 8;
  hash = longer ? other : hash;
  // The shift is modulo 64, and `size` is 1 to 8, or 9 to 16.
  hash ^= (longer ? two : one) & (~std::uint64_t{0} >> ((64 - 8 * size) % 64));
  hash = fold_multiply(hash, kMultiplierA);
  hash ^= hash >> 32;
  return hash == 0 ? 1 : hash;
}

// Each kernel lowers the ASCII letters of the blocks in place and says of each byte whether it may
// belong to a term, and whether it is beyond ASCII.
void classify_portably(char* text, std::size_t blocks, TermHasher::Block* out) {
  for (std::size_t i = 0; i < blocks; ++i, text += kMaskedBytes) {
    std::uint64_t alive = 0;
    std::uint64_t beyond = 0;
#if defined(__SSE2__)
    for (unsigned part = 0; part < 4; ++part) {
      auto* at = reinterpret_cast<__m128i*>(text + std::size_t{16} * part);
      __m128i bytes = _mm_loadu_si128(at);
      // Signed comparisons: bytes beyond ASCII are below everything.
      const __m128i upper = _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8('A' - 1)),
                                          _mm_cmplt_epi8(bytes, _mm_set1_epi8('Z' + 1)));
      bytes = _mm_or_si128(bytes, _mm_and_si128(upper, _mm_set1_epi8(0x20)));
      _mm_storeu_si128(at, bytes);
      const __m128i letter = _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8('a' - 1)),
                                           _mm_cmplt_epi8(bytes, _mm_set1_epi8('z' + 1)));
      const __m128i digit = _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8('0' - 1)),
                                          _mm_cmplt_epi8(bytes, _mm_set1_epi8('9' + 1)));
      const auto mask_of = [part](__m128i bytes_set) {
        const auto mask = static_cast<std::uint32_t>(_mm_movemask_epi8(bytes_set));
        return std::uint64_t{mask} << (16 * part);
      };
      beyond |= mask_of(bytes);
      alive |= mask_of(_mm_or_si128(_mm_or_si128(letter, digit), bytes));
    }
#else
    for (unsigned j = 0; j < kMaskedBytes; ++j) {
      const auto byte = static_cast<unsigned char>(text[j]);
      const bool upper = byte >= 'A' && byte <= 'Z';
      const bool lower = byte >= 'a' && byte <= 'z';
      const bool digit = byte >= '0' && byte <= '9';
      text[j] = upper ? static_cast<char>(byte + 0x20) : text[j];
      alive |= std::uint64_t{upper || lower || digit || byte >= 0x80} << j;
      beyond |= std::uint64_t{byte >= 0x80} << j;
    }
#endif
    out[i].alive = alive;
    out[i].beyond = beyond;
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void classify_avx2(char* text, std::size_t blocks,
                                                   TermHasher::Block* out) {
  for (std::size_t i = 0; i < blocks; ++i, text += kMaskedBytes) {
    std::uint64_t alive = 0;
    std::uint64_t beyond = 0;
    for (unsigned part = 0; part < 2; ++part) {
      auto* at = reinterpret_cast<__m256i*>(text + std::size_t{32} * part);
      __m256i bytes = _mm256_loadu_si256(at);
      const __m256i upper = _mm256_and_si256(_mm256_cmpgt_epi8(bytes, _mm256_set1_epi8('A' - 1)),
                                             _mm256_cmpgt_epi8(_mm256_set1_epi8('Z' + 1), bytes));
      bytes = _mm256_or_si256(bytes, _mm256_and_si256(upper, _mm256_set1_epi8(0x20)));
      _mm256_storeu_si256(at, bytes);
      const __m256i letter = _mm256_and_si256(_mm256_cmpgt_epi8(bytes, _mm256_set1_epi8('a' - 1)),
                                              _mm256_cmpgt_epi8(_mm256_set1_epi8('z' + 1), bytes));
      const __m256i digit = _mm256_and_si256(_mm256_cmpgt_epi8(bytes, _mm256_set1_epi8('0' - 1)),
                                             _mm256_cmpgt_epi8(_mm256_set1_epi8('9' + 1), bytes));
      const __m256i either = _mm256_or_si256(_mm256_or_si256(letter, digit), bytes);
      beyond |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes))}
                << (32 * part);
      alive |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(either))}
               << (32 * part);
    }
    out[i].alive = alive;
    out[i].beyond = beyond;
  }
}

__attribute__((target("avx512bw"))) void classify_avx512(char* text, std::size_t blocks,
                                                         TermHasher::Block* out) {
  const __m512i letters = _mm512_set1_epi8(26);
  const __m512i digits = _mm512_set1_epi8(10);
  const __m512i lower_bit = _mm512_set1_epi8(0x20);
  for (std::size_t i = 0; i < blocks; ++i, text += kMaskedBytes) {
    __m512i bytes = _mm512_loadu_si512(text);
    const __mmask64 upper =
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8('A')), letters);
    bytes = _mm512_mask_add_epi8(bytes, upper, bytes, lower_bit);
    _mm512_storeu_si512(text, bytes);
    const std::uint64_t letter =
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8('a')), letters);
    const std::uint64_t digit =
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8('0')), digits);
    const std::uint64_t beyond = _mm512_movepi8_mask(bytes);
    out[i].alive = letter | digit | beyond;
    out[i].beyond = beyond;
  }
}
#endif

auto classifier_of(SimdLevel level) {
#if defined(__x86_64__)
  switch (level) {
    case SimdLevel::kAvx512:
      return classify_avx512;
    case SimdLevel::kAvx2:
      return classify_avx2;
    case SimdLevel::kPortable:
      break;
  }
#else
  static_cast<void>(level);
#endif
  return classify_portably;
}

bool is_ascii_separator(char c) {
  return static_cast<signed char>(c) >= 0 && !is_letter_or_digit(c);
}

// Where `text` begins to have terms that `before` does not begin with: behind an ASCII separator
// that both have, and all before it. Not always as far as there is one.
std::size_t known_prefix(std::string_view text, std::string_view before) {
  constexpr std::size_t kLookBack = 24;
  const std::size_t size = std::min(text.size(), before.size());
  std::size_t same = 0;
  while (same + 8 <= size) {
    const std::uint64_t differs = load64(text.data() + same) ^ load64(before.data() + same);
    if (differs != 0) {
      same += static_cast<std::size_t>(std::countr_zero(differs)) / 8;
      break;
    }
    same += 8;
  }
  const std::size_t stop = same - std::min(same, kLookBack);
  for (std::size_t i = same; i > stop; --i) {
    if (is_ascii_separator(text[i - 1])) {
      return i;
    }
  }
  return 0;
}

// How many bytes of a text are taken at once: all of a short one, and of a longer one a window
// full, up to behind an ASCII separator. One that has none there stays whole.
std::size_t next_part(std::string_view text) {
  if (text.size() <= kWindowBytesMax) [[likely]] {
    return text.size();
  }
  for (std::size_t end = kWindowBytes; end > 0; --end) {
    if (is_ascii_separator(text[end - 1])) {
      return end;
    }
  }
  return text.size();
}

template <class Take>
void for_each_term(std::string_view text, Take take) {
  std::size_t position = 0;
  std::string term;
  while (position < text.size()) {
    const char32_t point = next_code_point(text, position);
    if (is_alphanumeric(point)) {
      append_code_point(term, fold_code_point(point));
    } else if (!term.empty()) {
      take(term);
      term.clear();
    }
  }
  if (!term.empty()) {
    take(term);
  }
}

}  // namespace

std::uint64_t term_hash(std::string_view folded) {
  return hash_words(folded.data(), folded.size(), load_tail);
}

std::vector<std::string> fold_terms(std::string_view text) {
  std::vector<std::string> terms;
  for_each_term(text, [&](const std::string& term) { terms.push_back(term); });
  return terms;
}

TermHasher::TermHasher(SimdLevel level)
    : classify_(classifier_of(level)),
      window_(std::make_unique_for_overwrite<char[]>(kWindowBytesMax + kTermSlackBytes)),
      blocks_(kWindowBytesMax / kMaskedBytes + 1) {}

// Without a branch: whether a term was seen lately cannot be foretold.
[[gnu::always_inline]] inline std::size_t TermHasher::add_hash(std::uint64_t hash,
                                                               std::uint64_t* hashes,
                                                               std::size_t count) {
  std::uint64_t& recent = recent_[hash % kRecentSlots];
  const bool fresh = recent != hash;
  recent = hash;
  hashes[count] = hash;
  return count + (fresh ? 1U : 0U);
}

void TermHasher::add(std::span<const std::string_view> texts, const Take& take) {
  const auto flush = [&] {
    hash_window();
    take(std::span(hashes_).first(count_));
    count_ = 0;
  };
  std::string_view before;
  for (const std::string_view whole : texts) {
    std::string_view rest = whole.substr(known_prefix(whole, before));
    before = whole;
    do {
      const std::string_view text = rest.substr(0, next_part(rest));
      rest.remove_prefix(text.size());
      if (size_ != 0 && size_ + text.size() > kWindowBytes) {
        flush();
      }
      if (text.size() > kWindowBytesMax) {
        make_room(text.size());
        count_ = add_exactly(text, count_);  // rare and long: without a window
        flush();
        continue;
      }
      blocks_[size_ / kMaskedBytes].text_begins |= std::uint64_t{1} << (size_ % kMaskedBytes);
      copy_short(text.data(), text.size(), window_.get() + size_);
      size_ += text.size();
    } while (!rest.empty());
  }
  flush();
}

// Terms are no shorter than a byte.
void TermHasher::make_room(std::size_t text_bytes) {
  hashes_.resize(std::max(hashes_.size(), count_ + text_bytes + 1));
}

std::size_t TermHasher::add_exactly(std::string_view text, std::size_t count) {
  for_each_term(text, [&](const std::string& term) {
    count = add_hash(term_hash(term), hashes_.data(), count);
  });
  return count;
}

void TermHasher::hash_window() {
  make_room(size_);
  const char* const text = window_.get();
  std::memset(window_.get() + size_, ' ', kTermSlackBytes);
  const std::size_t blocks = size_ / kMaskedBytes + 1;
  classify_(window_.get(), blocks, blocks_.data());
  std::uint64_t* const hashes = hashes_.data();
  std::size_t count = count_;
  std::size_t start = 0;
  bool inside = false;
  bool beyond = false;  // the term at hand has bytes beyond ASCII in blocks before this one
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::size_t base = i * kMaskedBytes;
    const std::uint64_t alive = blocks_[i].alive;
    const std::uint64_t breaks = std::exchange(blocks_[i].text_begins, 0);
    const std::uint64_t before = alive << 1 | (inside ? 1U : 0U);
    std::uint64_t starts = alive & (~before | breaks);
    const auto next_start = [&] {  // anything when there is none
      const std::size_t next = base + static_cast<std::size_t>(std::countr_zero(starts));
      starts &= starts - 1;
      return next;
    };
    start = inside ? start : next_start();
    const bool plain = blocks_[i].beyond == 0 && !beyond;
    for (std::uint64_t ends = before & (~alive | breaks); ends != 0; ends &= ends - 1) {
      const auto bit = static_cast<unsigned>(std::countr_zero(ends));
      const std::size_t size = base + bit - start;
      if (plain || !(beyond || has_beyond(i, start, bit))) {
        count = add_hash(hash_padded(text + start, size), hashes, count);
      } else {
        count = add_exactly({text + start, size}, count);  // cut, folded; pure ASCII already is
      }
      beyond = false;
      start = next_start();
    }
    inside = (alive >> 63) != 0;
    beyond = inside && (beyond || has_beyond(i, start, kMaskedBytes));
  }
  count_ = count;
  size_ = 0;
}

// Whether a byte of the block is beyond ASCII, from place `start` of the window, or the block's
// beginning, up to the block's bit `end`.
bool TermHasher::has_beyond(std::size_t block, std::size_t start, std::size_t end) const {
  const std::size_t base = block * kMaskedBytes;
  const std::size_t begin = start > base ? (start - base) % kMaskedBytes : 0;
  const std::uint64_t from = blocks_[block].beyond >> begin << begin;
  return end < kMaskedBytes ? (from & ((std::uint64_t{1} << end) - 1)) != 0 : from != 0;
}

}  // namespace evq
