#include "store/encoding/terms.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "store/base/bytes.h"
#include "store/base/utf8.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// A window of texts is copied side by side; two passes follow. The first turns every 64 bytes into
// a mask of term bytes (letters, digits, and anything beyond ASCII, which is looked at later) and
// lowers ASCII letters in place. The second walks the mask from term to term. The start of a text
// ends the term before it, without a byte between them.

namespace evq {
namespace {

constexpr std::size_t kWindowBytes = std::size_t{64} * 1024;
constexpr std::size_t kTermSlackBytes = 64;
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

// With eight readable bytes behind the text: no call, no branch on the size.
std::uint64_t hash_padded(const char* text, std::size_t size) {
  return hash_words(text, size, [](const char* at, std::size_t left) {
    return left == 0 ? 0 : load64(at) & (~std::uint64_t{0} >> (64 - 8 * left));
  });
}

struct Classes {
  std::uint64_t alive = 0;   // bit i: byte i may belong to a term
  std::uint64_t beyond = 0;  // bit i: byte i is beyond ASCII
};

// Lowers the ASCII letters of the 64 bytes in place.
Classes classify_64(char* bytes) {
  Classes classes;
#if defined(__SSE2__)
  for (unsigned part = 0; part < 4; ++part) {
    auto* at = reinterpret_cast<__m128i*>(bytes + std::size_t{16} * part);
    __m128i text = _mm_loadu_si128(at);
    // Signed comparisons: bytes beyond ASCII are below everything.
    const __m128i upper = _mm_and_si128(_mm_cmpgt_epi8(text, _mm_set1_epi8('A' - 1)),
                                        _mm_cmplt_epi8(text, _mm_set1_epi8('Z' + 1)));
    text = _mm_or_si128(text, _mm_and_si128(upper, _mm_set1_epi8(0x20)));
    _mm_storeu_si128(at, text);
    const __m128i letter = _mm_and_si128(_mm_cmpgt_epi8(text, _mm_set1_epi8('a' - 1)),
                                         _mm_cmplt_epi8(text, _mm_set1_epi8('z' + 1)));
    const __m128i digit = _mm_and_si128(_mm_cmpgt_epi8(text, _mm_set1_epi8('0' - 1)),
                                        _mm_cmplt_epi8(text, _mm_set1_epi8('9' + 1)));
    const auto mask_of = [part](__m128i bytes_set) {
      return std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(bytes_set))} << (16 * part);
    };
    classes.beyond |= mask_of(text);
    classes.alive |= mask_of(_mm_or_si128(_mm_or_si128(letter, digit), text));
  }
#else
  for (unsigned i = 0; i < 64; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    const bool upper = byte >= 'A' && byte <= 'Z';
    const bool lower = byte >= 'a' && byte <= 'z';
    const bool digit = byte >= '0' && byte <= '9';
    bytes[i] = upper ? static_cast<char>(byte + 0x20) : bytes[i];
    classes.alive |= std::uint64_t{upper || lower || digit || byte >= 0x80} << i;
    classes.beyond |= std::uint64_t{byte >= 0x80} << i;
  }
#endif
  return classes;
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
  window_.clear();
  hashes_.clear();
  breaks_.assign((kWindowBytes + 2 * kTermSlackBytes) / 64 + 1, 0);
  const auto flush = [&] {
    add_window();
    take(hashes_);
    hashes_.clear();
    window_.clear();
    std::fill(breaks_.begin(), breaks_.end(), 0);
  };
  for (const std::string_view text : texts) {
    if (text.size() > kWindowBytes) {
      add_exactly(text);  // rare and long: without a window
      continue;
    }
    if (window_.size() + text.size() > kWindowBytes) {
      flush();
    }
    breaks_[window_.size() / 64] |= std::uint64_t{1} << (window_.size() % 64);
    window_.append(text);
  }
  flush();
}

void TermHasher::add_exactly(std::string_view text) {
  for_each_term(text, [&](const std::string& term) {
    std::uint64_t hash = 0;
    if (add_hash(term_hash(term), &hash, 0) != 0) {
      hashes_.push_back(hash);
    }
  });
}

void TermHasher::add_window() {
  const std::size_t size = window_.size();
  if (size == 0) {
    return;
  }
  breaks_[size / 64] |= std::uint64_t{1} << (size % 64);
  window_.resize(size + 2 * kTermSlackBytes, ' ');
  char* text = window_.data();
  std::size_t start = 0;
  bool inside = false;
  bool beyond = false;  // the term at hand has bytes beyond ASCII in blocks before this one
  for (std::size_t base = 0; base <= size; base += 64) {
    const Classes classes = classify_64(text + base);
    const std::uint64_t alive = classes.alive;
    const std::uint64_t breaks = breaks_[base / 64];
    // Places where a term may end or begin: the class changes, or a text starts.
    std::array<std::uint64_t, 64> hashes;  // of the terms that end in this block
    std::size_t count = 0;
    std::uint64_t edges = (alive ^ ((alive << 1) | (inside ? 1U : 0U))) | breaks;
    std::uint64_t behind = classes.beyond;  // of them, those at or behind the term's start
    while (edges != 0) {
      const auto bit = static_cast<unsigned>(std::countr_zero(edges));
      edges &= edges - 1;
      const std::uint64_t from_here = ~std::uint64_t{0} << bit;
      if (inside) {
        const std::string_view term(text + start, base + bit - start);
        // Such terms are cut and folded exactly; pure ASCII already is.
        if (beyond || (behind & ~from_here) != 0) {
          add_exactly(term);
        } else {
          const std::uint64_t hash = hash_padded(term.data(), term.size());
          count = add_hash(hash, hashes.data(), count);
        }
      }
      inside = ((alive >> bit) & 1) != 0;
      start = base + bit;
      behind &= from_here;
      beyond = false;
    }
    hashes_.insert(hashes_.end(), hashes.data(), hashes.data() + count);
    inside = (alive >> 63) != 0;
    beyond = inside && (beyond || behind != 0);
  }
}

}  // namespace evq
