#include "apl/functions/byte_pattern.h"

#include <random>
#include <string>

#include <doctest/doctest.h>

#include "apl/functions/regex.h"

namespace evq {
namespace {

TEST_CASE("patterns that are taken and patterns that are not") {
  for (const std::string_view pattern :
       {"abc", "amount=[5-9][0-9]+ EUR", "\\d+x", "[a-c_]", "a+", "\\.", "[.]", "a]b", "\\w"}) {
    INFO(pattern);
    CHECK(BytePattern::parse(pattern).has_value());
  }
  for (const std::string_view pattern :
       {"a|b",         "(a)",  "a.c",     "^a",  "a$",    "a*",       "a?",  "a{2}",
        "[^a]",        "[a-",  "[]a]",    "\\b", "\\x41", "\xC3\xA9", "a+a", "\\w+1",
        "[[:alpha:]]", "[-a]", "[\\d-z]", "a++", "a+?",   "\\"}) {
    INFO(pattern);
    CHECK_FALSE(BytePattern::parse(pattern).has_value());
  }
}

TEST_CASE("it decides what RE2 decides") {
  constexpr std::string_view kPieces[] = {"a",   "b",   "1",      ",",     "[ab]", "[0-9]", "\\d",
                                          "\\w", "\\s", "[a-c1]", "[b,]+", "a+",   "\\d+",  "\\.",
                                          "]",   "}",   "\\-",    "[.,]",  " "};
  std::mt19937_64 random(5);
  std::size_t compared = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string pattern;
    for (std::uint64_t i = random() % 6 + 1; i > 0; --i) {
      pattern.append(kPieces[random() % std::size(kPieces)]);
    }
    const auto bytes = BytePattern::parse(pattern);
    const auto slow = Regex::compile("\\A(?:" + pattern + ")");
    if (!bytes.has_value()) {
      continue;
    }
    REQUIRE_MESSAGE(slow.ok(), pattern);
    for (int i = 0; i < 20; ++i) {
      std::string text;
      for (std::uint64_t size = random() % 10; size > 0; --size) {
        text.push_back("abc1,. -]}"[random() % 10]);
      }
      INFO(pattern << " on " << text);
      REQUIRE(bytes->matches_prefix(text) == (*slow)->search(text));
      ++compared;
    }
  }
  CHECK(compared > 50000);
}

}  // namespace
}  // namespace evq
