#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "store/encoding/schemes.h"
#include "tests/support/random_text.h"

namespace evq {

TEST_CASE("letters take no more than the bytes they are written for") {
  Random random(6);
  constexpr std::size_t kRows = 20000;
  constexpr std::size_t kHashBytes = 32;
  const auto check = [&](std::string_view letters, unsigned bits) {
    std::vector<std::string> owned;
    for (std::size_t i = 0; i < kRows; ++i) {
      owned.push_back(random_letters(random, kHashBytes, letters, bits));
    }
    const std::vector<std::string_view> texts(owned.begin(), owned.end());
    ByteWriter out;
    REQUIRE(packed_text().encode({Type::kString, kRows, texts.data()}, {}, out));
    CHECK(out.size() < kRows * kHashBytes + 300);
  };
  check(kBase32, 5);
  check(kBase64, 6);
}

TEST_CASE("texts are told from those that are not there without decoding") {
  Random random(8);
  // Integers, whole letters, letters with constant bits and fixed places in their midst.
  for (const auto& [prefix, letters, length] :
       {std::tuple<const char*, std::string_view, std::size_t>{"", "0123456789", 12},
        {"", "0123456789abcdef", 16},
        {"req_", "0123456789abcdef", 21},
        {"did:plc:", kBase32, 24},
        {"", kBase64, 43},
        {"a", "01", 3}}) {
    for (const std::size_t size : {1U, 2U, 9U, 100U, 4097U}) {
      std::set<std::string> values;
      std::vector<std::string> owned;
      for (std::size_t i = 0; i < size; ++i) {
        std::string text = prefix;
        while (text.size() < std::string_view(prefix).size() + length) {
          text.push_back(text.size() == 11 ? '-' : letters[random() % letters.size()]);
        }
        values.insert(text);
        owned.push_back(std::move(text));
      }
      const std::vector<std::string_view> texts(owned.begin(), owned.end());
      ByteWriter out;
      if (!packed_text().encode({Type::kString, size, texts.data()}, {}, out)) {
        continue;  // all values are one
      }
      const auto may_have = [&](std::string_view text) {
        ByteReader in(out.view());
        return packed_text().may_have_text(in, size, text);
      };
      for (const std::string& text : owned) {
        REQUIRE(may_have(text));
        std::string other = text;
        char& changed = other[random() % other.size()];
        changed = random() % 4 == 0 ? '!' : letters[random() % letters.size()];
        REQUIRE(may_have(other) == (values.count(other) != 0));
      }
      CHECK_FALSE(may_have(""));
      CHECK_FALSE(may_have(owned[0] + "0"));
    }
  }
}

}  // namespace evq
