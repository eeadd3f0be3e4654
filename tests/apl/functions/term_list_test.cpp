#include "apl/functions/term_list.h"

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "apl/functions/text_search.h"

namespace evq {
namespace {

std::string random_text(std::mt19937_64* random, std::size_t pieces) {
  static constexpr std::array<std::string_view, 16> kPieces = {"a",
                                                               "B",
                                                               "k",
                                                               "S",
                                                               " ",
                                                               "-",
                                                               "1",
                                                               "ab",
                                                               "ks",
                                                               "_",
                                                               "/",
                                                               ".",
                                                               "\xE2\x84\xAA",
                                                               "\xC5\xBF",
                                                               "\xC3\xA9",
                                                               "\xD0\x96"};
  std::string text;
  for (std::size_t i = 0; i < pieces; ++i) {
    // Signs outside of ASCII are rare: with them other ways are taken.
    const std::uint64_t roll = (*random)();
    text.append(kPieces[(roll >> 8U) % (roll % 4 == 0 ? kPieces.size() : 12)]);
  }
  return text;
}

}  // namespace

TEST_CASE("a list of terms finds what a search for each needle finds") {
  std::mt19937_64 random(7);
  int any = 0;
  int all = 0;
  for (int round = 0; round < 4000; ++round) {
    const bool fold = round % 2 == 0;
    std::vector<std::string> needles;
    for (std::uint64_t i = random() % 4; i < 4; ++i) {
      needles.push_back(random_text(&random, random() % 4));
    }
    const TermList list(needles, fold);
    std::vector<TextMatcher> matchers;
    for (const std::string& needle : needles) {
      matchers.emplace_back(TextTest::kHas, needle, fold);
    }
    for (int i = 0; i < 20; ++i) {
      const std::string text = random_text(&random, random() % 12);
      const auto matches = [&](const TextMatcher& each) { return each.matches(text); };
      CAPTURE(text);
      CAPTURE(needles.front());
      REQUIRE(list.has_any(text) == std::ranges::any_of(matchers, matches));
      REQUIRE(list.has_all(text) == std::ranges::all_of(matchers, matches));
      any += list.has_any(text) ? 1 : 0;
      all += list.has_all(text) ? 1 : 0;
    }
  }
  CHECK(any > 10000);
  CHECK(any < 70000);
  CHECK(all > 1000);
}

TEST_CASE("a list of no needles has all of them and none") {
  const TermList list({}, true);
  CHECK(list.has_all("text"));
  CHECK_FALSE(list.has_any("text"));
}

}  // namespace evq
