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
}

}  // namespace evq
