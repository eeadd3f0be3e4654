#pragma once
// LetterReader: the letters at the varying places of values of one length as numbers,
// kLettersAtOnce of them a word, as packed text (packed_text.cpp) stores them. One thread.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "store/base/bytes.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace evq {

class LetterReader {
 public:
  // `letters` by their numbers, at most 64 different ones, of which each takes `letter_bits`;
  // `places` ascending, at least one, in values of `length` bytes, at most 255.
  LetterReader(std::string_view letters, unsigned letter_bits,
               std::span<const std::uint32_t> places, std::size_t length);

  std::size_t words() const { return words_.size(); }
  // `text` has the values' length.
  void read(const char* text) {
#if defined(__SSE2__)
    if (wide_bytes_ == 16) {
      read_wide<16>(text);
      return;
    }
    if (wide_bytes_ == 8) {
      read_wide<8>(text);
      return;
    }
#endif
    for (std::size_t place = first_place_; place <= last_place_; ++place) {
      read_[place] = numbers_[static_cast<unsigned char>(text[place])];
    }
  }
#if defined(__SSE2__)
  // The numbers of 16 bytes, with the highest bit for each that is no letter. Only where
  // reads_wide(): texts of eight bytes at least, of letters in few stretches.
  bool reads_wide() const {
    return wide_bytes_ != 0;
  }
  __m128i numbers_of(__m128i bytes) const;
#endif
  // Word `i` of the text read last: the numbers at its places from `kLettersAtOnce * i` on, the
  // first in the lowest bits; any number for a byte that is no letter.
  std::uint64_t word(std::size_t i) {
    return pack(bytes_of(words_[i]));
  }
  // Like word(), with the first letter in the highest bits; it holds `letters(i)` of them.
  std::uint64_t word_descending(std::size_t i) {
    const Word& word = words_[i];
    return pack(__builtin_bswap64(bytes_of(word)) >> (8 * (8 - word.letters)));
  }
  unsigned letters(std::size_t i) const {
    return words_[i].letters;
  }
  // All letters of the text read last, the first one in the highest bits; 64 bits at most.
  std::uint64_t integer() {
    std::uint64_t integer = 0;
    for (std::size_t i = 0; i < words(); ++i) {
      integer = integer << (letters(i) * bits_) | word_descending(i);
    }
    return integer;
  }
  // Whether some word had a byte that is no letter.
  bool saw_other_bytes() const {
    return (seen_ & kNoLetters) != 0;
  }

 private:
  static constexpr std::uint8_t kNoLetter = 0x80;
  static constexpr std::uint64_t kNoLetters = 0x8080808080808080ULL;
  static constexpr std::size_t kLengthMax = 255;

  struct Word {
    std::array<std::uint8_t, 8> places{};
    unsigned letters = 0;
    std::uint64_t together = 0;  // mask of the letters when their places are neighbours, else 0
  };
  // A range of letters whose bytes and numbers are consecutive; each value fills all lanes.
  struct Stretch {
    using Bytes = std::array<std::uint8_t, 16>;
    alignas(16) Bytes first{};
    alignas(16) Bytes size{};    // less one
    alignas(16) Bytes number{};  // of the first letter, and kNoLetter
  };
  static constexpr std::size_t kStretchesMax = 5;  // beyond it a look-up a byte is faster

  // False when the letters are in too many stretches.
  bool set_stretches(std::string_view letters);
  // Like read(), kBytes places at a time.
  template <std::size_t kBytes>
  void read_wide(const char* text);
  std::uint64_t bytes_of(const Word& word);
  // Packs eight numbers, given a byte each, side by side.
  std::uint64_t pack(std::uint64_t bytes) const;

  const unsigned bits_;
  std::size_t first_place_;
  std::size_t last_place_;
  std::size_t wide_bytes_ = 0;  // that are read at once; 0: one
  std::size_t wide_end_ = 0;    // the last place where so many are there
  std::array<Stretch, kStretchesMax> stretches_;
  std::size_t stretch_count_ = 0;
  std::vector<Word> words_;
  std::array<std::uint8_t, 256> numbers_;
  // The number of each byte of the text; a word's neighbours are read eight bytes at once.
  std::array<std::uint8_t, kLengthMax + sizeof(std::uint64_t)> read_{};
  std::uint64_t seen_ = 0;
};

inline std::uint64_t LetterReader::bytes_of(const Word& word) {
  std::uint64_t bytes = 0;
  if (word.together != 0) {
    bytes = load64(reinterpret_cast<const char*>(read_.data()) + word.places[0]) & word.together;
  } else {
    for (unsigned i = 0; i < word.letters; ++i) {
      bytes |= std::uint64_t{read_[word.places[i]]} << (8 * i);
    }
  }
  seen_ |= bytes;
  return bytes;
}

// Neighbours join: bytes to pairs, pairs to fours, fours to the word.
inline std::uint64_t LetterReader::pack(std::uint64_t bytes) const {
  constexpr std::uint64_t kEvenBytes = 0x00FF00FF00FF00FFULL;
  constexpr std::uint64_t kEvenPairs = 0x0000FFFF0000FFFFULL;
  constexpr std::uint64_t kLetters = 0x3F3F3F3F3F3F3F3FULL;
  const std::uint64_t letters = bytes & kLetters;
  const std::uint64_t pairs = (letters & kEvenBytes) | ((letters & ~kEvenBytes) >> (8 - bits_));
  const std::uint64_t fours = (pairs & kEvenPairs) | ((pairs & ~kEvenPairs) >> (16 - 2 * bits_));
  return (fours & 0xFFFFFFFF) | ((fours >> 32) << (4 * bits_));
}

#if defined(__SSE2__)
// Numbers are below 64, so that the highest bit can tell that no stretch took the byte.
inline __m128i LetterReader::numbers_of(__m128i bytes) const {
  const auto all_of = [](const Stretch::Bytes& each) {
    return _mm_load_si128(reinterpret_cast<const __m128i*>(each.data()));
  };
  __m128i numbers = _mm_set1_epi8(static_cast<char>(kNoLetter));
  for (std::size_t i = 0; i < stretch_count_; ++i) {
    const Stretch& stretch = stretches_[i];
    const __m128i behind = _mm_sub_epi8(bytes, all_of(stretch.first));
    const __m128i inside = _mm_cmpeq_epi8(_mm_min_epu8(behind, all_of(stretch.size)), behind);
    const __m128i number = _mm_add_epi8(behind, all_of(stretch.number));
    numbers = _mm_xor_si128(numbers, _mm_and_si128(inside, number));
  }
  return numbers;
}

template <std::size_t kBytes>
inline void LetterReader::read_wide(const char* text) {
  for (std::size_t place = first_place_; place <= last_place_; place += kBytes) {
    const std::size_t at = std::min(place, wide_end_);
    const auto* from = reinterpret_cast<const __m128i*>(text + at);
    auto* to = reinterpret_cast<__m128i*>(read_.data() + at);
    const __m128i bytes = kBytes == 16 ? _mm_loadu_si128(from) : _mm_loadl_epi64(from);
    const __m128i numbers = numbers_of(bytes);
    if constexpr (kBytes == 16) {
      _mm_storeu_si128(to, numbers);
    } else {
      _mm_storel_epi64(to, numbers);
    }
  }
}
#endif

}  // namespace evq
