#include "store/encoding/letter_reader.h"

#include <algorithm>

#include "store/base/check.h"
#include "store/encoding/packed_letters.h"

namespace evq {

LetterReader::LetterReader(std::string_view letters, unsigned letter_bits,
                           std::span<const std::uint32_t> places, std::size_t length)
    : bits_(letter_bits), first_place_(places.front()), last_place_(places.back()) {
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
    numbers_[static_cast<unsigned char>(letters[i])] = static_cast<std::uint8_t>(i);
  }
  const std::size_t wide = length >= 16 ? 16 : length >= 8 ? 8 : 0;
  if (wide != 0 && set_stretches(letters)) {
    wide_bytes_ = wide;
    wide_end_ = length - wide;
  }
}

// Most alphabets are few stretches: digits, letters. One that has a letter twice (a damaged file's)
// is read by the table.
bool LetterReader::set_stretches(std::string_view letters) {
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(letters[i]);
    if (numbers_[byte] != i) {
      return false;
    }
    if (i > 0 && byte == static_cast<std::uint8_t>(letters[i - 1]) + 1) {
      Stretch& stretch = stretches_[stretch_count_ - 1];
      stretch.size.fill(static_cast<std::uint8_t>(stretch.size[0] + 1));
      continue;
    }
    if (stretch_count_ == kStretchesMax) {
      return false;
    }
    Stretch& stretch = stretches_[stretch_count_++];
    stretch.first.fill(byte);
    stretch.number.fill(static_cast<std::uint8_t>(i | kNoLetter));
  }
  return true;
}

}  // namespace evq
