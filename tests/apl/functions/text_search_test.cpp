#include "apl/functions/text_search.h"

#include <random>

#include <doctest/doctest.h>

#include "store/base/utf8.h"

namespace evq {
namespace {

constexpr SimdLevel kLevels[] = {SimdLevel::kPortable, SimdLevel::kAvx2, SimdLevel::kAvx512};

bool can_run(SimdLevel level) {
  return static_cast<int>(level) <= static_cast<int>(best_simd_level());
}

// The definition: fold both and compare at every code point.
bool naive_contains(std::string_view text, std::string_view needle, bool fold) {
  const std::string haystack = fold ? fold_case(text) : std::string(text);
  const std::string wanted = fold ? fold_case(needle) : std::string(needle);
  return haystack.find(wanted) != std::string::npos;
}

bool naive_has(std::string_view text, std::string_view needle, bool fold) {
  const std::string haystack = fold ? fold_case(text) : std::string(text);
  const std::string wanted = fold ? fold_case(needle) : std::string(needle);
  if (wanted.empty()) {
    return true;
  }
  std::size_t first_end = 0;
  std::size_t last_begin = wanted.size();
  const bool first_is_term = is_alphanumeric(next_code_point(wanted, first_end));
  const bool last_is_term = is_alphanumeric(previous_code_point(wanted, last_begin));
  for (std::size_t at = haystack.find(wanted); at != std::string::npos;
       at = haystack.find(wanted, at + 1)) {
    std::size_t before = at;
    std::size_t after = at + wanted.size();
    const bool open = before == 0 || !is_alphanumeric(previous_code_point(haystack, before));
    const bool close =
        after == haystack.size() || !is_alphanumeric(next_code_point(haystack, after));
    if ((open || !first_is_term) && (close || !last_is_term)) {
      return true;
    }
  }
  return false;
}

std::string random_text(std::mt19937_64* random, std::size_t pieces, bool unicode) {
  static constexpr std::string_view kAscii[] = {"a", "B", "k", "S", " ", "-", "1", "ab", "ks", "_"};
  static constexpr std::string_view kOther[] = {"\xE2\x84\xAA",    "\xC5\xBF", "\xC3\xA9",
                                                "\xC3\x89",        "\xD0\xB6", "\xD0\x96",
                                                "\xF0\x9F\x98\x80"};
  std::string text;
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::uint64_t roll = (*random)();
    if (unicode && roll % 5 == 0) {
      text.append(kOther[(roll >> 8) % std::size(kOther)]);
    } else {
      text.append(kAscii[(roll >> 8) % std::size(kAscii)]);
    }
  }
  return text;
}

TEST_CASE("every level finds a needle at every place of texts of every size") {
  for (const SimdLevel level : kLevels) {
    if (!can_run(level)) {
      continue;
    }
    for (const std::string_view needle :
         {"N", "Ne", "NeEdLe", "NeEdLe-of-a-good-length-0123456789"}) {
      const SubstringSearch exact(needle, false, level);
      const SubstringSearch folded(needle, true, level);
      for (std::size_t size = 0; size < 150; ++size) {
        std::string text(size, '.');
        CHECK_FALSE(exact.matches(text));
        for (std::size_t at = 0; at + needle.size() <= size; ++at) {
          text.assign(size, '.');
          text.replace(at, needle.size(), needle);
          REQUIRE(exact.find_plain(text, 0) == at);
          REQUIRE(exact.find_plain(text, at) == at);
          REQUIRE(exact.find_plain(text, at + 1) == std::string_view::npos);
          text.replace(at, needle.size(), to_upper(needle));
          REQUIRE(folded.find_plain(text, 0) == at);
        }
      }
    }
  }
}

TEST_CASE("folding without case maps no other signs onto letters") {
  // @ [ ` { differ from letters or each other by the bit of case only.
  CHECK_FALSE(SubstringSearch("`", true).matches("@"));
  CHECK_FALSE(SubstringSearch("@", true).matches("`"));
  CHECK_FALSE(SubstringSearch("[", true).matches("{"));
  CHECK(SubstringSearch("[z", true).matches("[Z"));
}

TEST_CASE("only the Kelvin sign and the long s fold into ASCII") {
  for (char32_t c = 0x80; c <= 0x10FFFF; ++c) {
    if (fold_code_point(c) < 0x80) {
      CHECK((c == 0x212A || c == 0x17F));
    }
  }
}

TEST_CASE("the search agrees with its definition on random texts") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20000; ++round) {
    const bool unicode = round % 2 == 0;
    const std::string text = random_text(&random, random() % 60, unicode);
    const std::string needle = random_text(&random, random() % 4, unicode);
    for (const bool fold : {false, true}) {
      INFO(text << " | " << needle << " | " << fold);
      REQUIRE(TextMatcher(TextTest::kContains, needle, fold).matches(text) ==
              naive_contains(text, needle, fold));
      REQUIRE(TextMatcher(TextTest::kHas, needle, fold).matches(text) ==
              naive_has(text, needle, fold));
      const std::string folded_text = fold ? fold_case(text) : text;
      const std::string folded_needle = fold ? fold_case(needle) : needle;
      REQUIRE(TextMatcher(TextTest::kStartsWith, needle, fold).matches(text) ==
              folded_text.starts_with(folded_needle));
      REQUIRE(TextMatcher(TextTest::kEndsWith, needle, fold).matches(text) ==
              folded_text.ends_with(folded_needle));
      REQUIRE(TextMatcher(TextTest::kEqual, needle, fold).matches(text) ==
              (folded_text == folded_needle));
    }
  }
}

TEST_CASE("a column in one run of memory gives what its rows give one by one") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = random() % 300 + 1;
    const std::string separator = round % 3 == 0 ? "" : "\n";
    std::vector<std::string> rows;
    std::string run;
    for (std::size_t i = 0; i < count; ++i) {
      rows.push_back(random() % 7 == 0 ? "" : random_text(&random, random() % 30, round % 4 == 0));
      run.append(rows.back()).append(separator);
    }
    auto values = Values::make(Type::kString, count);
    std::size_t at = 0;
    for (std::size_t i = 0; i < count; ++i) {
      values->mutable_data<std::string_view>()[i] =
          std::string_view(run).substr(at, rows[i].size());
      at += rows[i].size() + separator.size();
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (rows[i].empty() && random() % 2 == 0) {
        values->set_null(i);
      }
    }
    values->set_contiguous_text(run);
    const std::string needle = random_text(&random, random() % 3 + 1, round % 8 == 0);
    for (const TextTest test : {TextTest::kContains, TextTest::kHas, TextTest::kHasPrefix,
                                TextTest::kHasSuffix, TextTest::kStartsWith, TextTest::kEqual}) {
      for (const bool fold : {false, true}) {
        const TextMatcher matcher(test, needle, fold);
        std::vector<std::uint8_t> found(count, 9);
        matcher.match_slots(*values, found.data());
        for (std::size_t i = 0; i < count; ++i) {
          INFO(rows[i] << " | " << needle << " | " << fold);
          REQUIRE((found[i] != 0) == matcher.matches(rows[i]));
        }
      }
    }
  }
}

TEST_CASE("terms are runs of letters and digits of any script") {
  struct Case {
    std::string_view text;
    std::string_view needle;
    bool has;
    bool prefix;
    bool suffix;
  };
  constexpr Case kCases[] = {
      {"foo_bar", "foo", true, true, true},
      {"12:30", "30", true, true, true},
      {"error2", "error", false, true, false},
      {"terror", "error", false, false, true},
      {"terror error", "error", true, true, true},
      {"in North America now", "north america", true, true, true},
      {"foo-bars", "foo-bar", false, true, false},
      {"", "", true, true, true},
      {"x", "", true, true, true},
      {"\xD1\x82\xD0\xB5\xD1\x81\xD1\x82", "\xD0\xA2\xD0\x95\xD0\xA1", false, true, false},
      {"host/api", "/api", true, true, true},
  };
  for (const Case& c : kCases) {
    INFO(c.text << " | " << c.needle);
    CHECK(TextMatcher(TextTest::kHas, c.needle, true).matches(c.text) == c.has);
    CHECK(TextMatcher(TextTest::kHasPrefix, c.needle, true).matches(c.text) == c.prefix);
    CHECK(TextMatcher(TextTest::kHasSuffix, c.needle, true).matches(c.text) == c.suffix);
  }
}

}  // namespace
}  // namespace evq
