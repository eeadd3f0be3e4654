#include "store/encoding/letter_reader.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "store/encoding/packed_letters.h"
#include "tests/support/random_text.h"

namespace evq {
namespace {

// Some places of a text, ascending, the last one at `last`.
std::vector<std::uint32_t> some_places(Random& random, std::size_t last, bool neighbours) {
  std::vector<std::uint32_t> places;
  for (std::uint32_t place = 0; place < last; ++place) {
    if (neighbours ? place >= (last + 1) / 2 : random() % 3 != 0) {
      places.push_back(place);
    }
  }
  places.push_back(static_cast<std::uint32_t>(last));
  return places;
}

// The letter at a place, by its definition.
std::uint64_t number_at(std::string_view letters, std::string_view text, std::uint32_t place) {
  return letters.find(text[place]);
}

void check_words(std::string_view letters, unsigned bits, std::string_view text,
                 const std::vector<std::uint32_t>& places) {
  // Exactly as long as the text, so that a sanitizer sees any read behind it.
  const std::vector<char> exact(text.begin(), text.end());
  LetterReader reader(letters, bits, places, text.size());
  reader.read(exact.data());
  REQUIRE(reader.words() == (places.size() + kLettersAtOnce - 1) / kLettersAtOnce);
  for (std::size_t i = 0; i < reader.words(); ++i) {
    std::uint64_t ascending = 0;
    std::uint64_t descending = 0;
    for (unsigned k = 0; k < reader.letters(i); ++k) {
      const std::uint64_t number = number_at(letters, text, places[i * kLettersAtOnce + k]);
      ascending |= number << (k * bits);
      descending = descending << bits | number;
    }
    CHECK(reader.word(i) == ascending);
    CHECK(reader.word_descending(i) == descending);
  }
  CHECK_FALSE(reader.saw_other_bytes());
}

}  // namespace

TEST_CASE("the words of letters are their numbers side by side") {
  Random random(7);
  for (const auto& [letters, bits] : {std::pair<std::string_view, unsigned>{"01", 1},
                                      {"0123456789abcdef", 4},
                                      {"02468ACEGacegikm", 4},  // no two are neighbours
                                      {"89ABCDEFabxyz{|}", 4},
                                      {kBase32, 5},
                                      {kBase64, 6}}) {
    for (std::size_t length = 1; length < 256; length += length < 70 ? 1 : 31) {
      std::string text;
      while (text.size() < length) {
        text.push_back(letters[random() % letters.size()]);
      }
      check_words(letters, bits, text, some_places(random, length - 1, true));
      check_words(letters, bits, text, some_places(random, random() % length, false));
    }
  }
}

TEST_CASE("a letter that is there twice has its last number") {
  const std::string text(20, 'a');
  const std::vector<std::uint32_t> places = {3};
  LetterReader reader("abca", 2, places, text.size());
  reader.read(text.data());
  CHECK(reader.word(0) == 3);
  CHECK_FALSE(reader.saw_other_bytes());
}

TEST_CASE("bytes that are no letters are seen where they count") {
  const std::vector<std::uint32_t> places = {2, 3, 4, 17};
  for (unsigned byte = 0; byte < 256; ++byte) {
    for (const std::size_t at : {0U, 2U, 4U, 9U, 17U, 19U}) {
      std::string text(20, 'a');
      text[at] = static_cast<char>(byte);
      LetterReader reader("abcdef", 3, places, text.size());
      reader.read(text.data());
      static_cast<void>(reader.word(0));
      const bool counts = std::ranges::count(places, at) != 0;
      const bool letter = byte >= 'a' && byte <= 'f';
      CHECK(reader.saw_other_bytes() == (counts && !letter));
    }
  }
}

}  // namespace evq
