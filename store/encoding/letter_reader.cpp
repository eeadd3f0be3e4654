#include "store/encoding/letter_reader.h"

#include <algorithm>
#include <cstring>

#include "store/base/bytes.h"
#include "store/base/check.h"
#include "store/encoding/packed_letters.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Sixteen letters at a time: the lower four bits of a byte choose a number from the row of its
// upper four bits, which is one shuffle a row; letters are in few rows.

namespace evq {

LetterLevel best_letter_level() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("ssse3") != 0) {
    return LetterLevel::kSsse3;
  }
#endif
  return LetterLevel::kPortable;
}

LetterReader::LetterReader(std::string_view letters, unsigned letter_bits,
                           std::span<const std::uint32_t> places, std::size_t length,
                           LetterLevel level)
    // Shorter values are not worth more than one look-up a letter.
    : level_(length < sizeof(std::uint64_t) ? LetterLevel::kPortable : level),
      bits_(letter_bits),
      length_(length),
      first_place_(places.front()),
      last_place_(places.back()) {
  EVQ_CHECK(length <= kLengthMax && last_place_ < length && letters.size() <= 64);
  for (std::size_t begin = 0; begin < places.size(); begin += kLettersAtOnce) {
    const auto some = places.subspan(begin, std::min(kLettersAtOnce, places.size() - begin));
    Word word;
    word.letters = static_cast<unsigned>(some.size());
    std::transform(some.begin(), some.end(), word.places.begin(),
                   [](std::uint32_t place) { return static_cast<std::uint8_t>(place); });
    if (some.back() - some.front() + 1 == some.size()) {
      word.together = ~std::uint64_t{0} >> (64 - 8 * some.size());
    }
    words_.push_back(word);
  }
  numbers_.fill(kNoLetter);
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const auto letter = static_cast<unsigned char>(letters[i]);
    numbers_[letter] = static_cast<std::uint8_t>(i);
    const auto upper = static_cast<std::uint8_t>(letter >> 4);
    auto row = std::find_if(rows_.begin(), rows_.end(),
                            [upper](const Row& other) { return other.upper == upper; });
    if (row == rows_.end()) {
      Row made;
      made.upper = upper;
      made.numbers.fill(kNoLetter);
      row = rows_.insert(row, made);
    }
    row->numbers[letter & 15U] = static_cast<std::uint8_t>(i);
  }
}

void LetterReader::read_each(const char* text) {
  for (std::size_t place = first_place_; place <= last_place_; ++place) {
    read_[place] = numbers_[static_cast<unsigned char>(text[place])];
  }
}

#if defined(__x86_64__)

namespace {

template <class Row>
__attribute__((target("ssse3"))) __m128i look_up_16(__m128i text, const std::vector<Row>& rows) {
  const __m128i four_bits = _mm_set1_epi8(15);
  const __m128i lower = _mm_and_si128(text, four_bits);
  const __m128i upper = _mm_and_si128(_mm_srli_epi16(text, 4), four_bits);
  __m128i found = _mm_setzero_si128();
  __m128i numbers = _mm_setzero_si128();
  for (const Row& row : rows) {
    const __m128i here = _mm_cmpeq_epi8(upper, _mm_set1_epi8(static_cast<char>(row.upper)));
    const __m128i table = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row.numbers.data()));
    numbers = _mm_or_si128(numbers, _mm_and_si128(here, _mm_shuffle_epi8(table, lower)));
    found = _mm_or_si128(found, here);
  }
  const __m128i none = _mm_set1_epi8(static_cast<char>(0x80));
  return _mm_or_si128(numbers, _mm_andnot_si128(found, none));
}

void store_16(__m128i bytes, std::uint8_t* to) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes);
}

}  // namespace

__attribute__((target("ssse3"))) void LetterReader::read_16(const char* text) {
  if (length_ < kBlockBytes) {
    // The last eight bytes overlap the first ones; no byte behind the text is read.
    const auto low = static_cast<long long>(load64(text));
    const std::uint64_t last = load64(text + length_ - 8);
    const auto high = static_cast<long long>(length_ == 8 ? 0 : last >> (8 * (16 - length_)));
    store_16(look_up_16(_mm_set_epi64x(high, low), rows_), read_.data());
    return;
  }
  for (std::size_t place = first_place_; place <= last_place_; place += kBlockBytes) {
    const std::size_t at = std::min(place, length_ - kBlockBytes);
    const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + at));
    store_16(look_up_16(some, rows_), read_.data() + at);
  }
}

#else

void LetterReader::read_16(const char* text) {
  read_each(text);
}

#endif

}  // namespace evq
