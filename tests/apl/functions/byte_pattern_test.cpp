#include "apl/functions/byte_pattern.h"

#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "apl/functions/regex.h"

namespace evq {
namespace {

using Verdict = BytePattern::Verdict;

TEST_CASE("patterns that are taken and patterns that are not") {
  for (const std::string_view pattern : {"abc",
                                         "amount=[5-9][0-9]+ EUR",
                                         "\\d+x",
                                         "[a-c_]",
                                         "a+",
                                         "\\.",
                                         "[.]",
                                         "a]b",
                                         "\\w",
                                         "(a)",
                                         "^/([^/?]+)/?$",
                                         "a*b?c",
                                         "x.",
                                         "(?:a)",
                                         "[^a]",
                                         "()a",
                                         "((a)b)",
                                         "^a*$",
                                         "user=(.*)",
                                         "a$",
                                         "[^\\d]+",
                                         "(ab)?c",
                                         "^(?:www[.])?([^/]+)/",
                                         "x(a)?(b)?(c)?y",
                                         "a+(?:bc)?d",
                                         "."}) {
    INFO(pattern);
    CHECK(BytePattern::parse(pattern).has_value());
  }
  for (const std::string_view pattern :
       {"a|b",      "(a)+",  "(?i)a",       "(?P<x>a)",   "a^",        "a$b",
        "",         "a{2}",  "[a-",         "[]a]",       "\\b",       "\\x41",
        "\xC3\xA9", "a+a",   "\\w+1",       "(a",         "a)",        "a?a",
        "a*b*a",    ".*x",   "[[:alpha:]]", "[-a]",       "[\\d-z]",   "a++",
        "()?",      "(a?)?", "((a)?b)?",    "a+(?:ba)?a", "(a)??",     "(a)?(b)?(c)?(d)?x",
        "a+?",      "\\",    "^",           "$",          "[^a]+[^b]", "(a$)",
        "\\D",      "^*"}) {
    INFO(pattern);
    CHECK_FALSE(BytePattern::parse(pattern).has_value());
  }
}

std::string random_pattern(std::mt19937_64& random) {
  constexpr std::string_view kPieces[] = {
      "a",     "b",    "1",     ",",    "[ab]", "[0-9]", "\\d", "\\w", "\\s", "[a-c1]",
      "[b,]+", "a+",   "a?",    "\\d+", "\\.",  "1*",    "]",   "}",   "\\-", "[.,]",
      " ",     "[^a]", "[^1]+", ".",    "c?",   "[^,]*", ".*",  "()",  "b*"};
  std::string pattern = random() % 6 == 0 ? "^" : "";
  std::size_t open = 0;
  for (std::uint64_t i = random() % 6 + 1; i > 0; --i) {
    if (random() % 6 == 0) {
      pattern.append(random() % 3 == 0 ? "(?:" : "(");
      ++open;
    }
    pattern.append(kPieces[random() % std::size(kPieces)]);
    if (open > 0 && random() % 2 == 0) {
      pattern.append(random() % 2 == 0 ? ")?" : ")");
      --open;
    }
  }
  pattern.append(open, ')');
  return pattern + (random() % 6 == 0 ? "$" : "");
}

std::string random_text(std::mt19937_64& random) {
  constexpr std::string_view kLetters[] = {"a", "b", "c", "1", ",", ".", " ", "-", "]", "}", "\n"};
  std::string text;
  for (std::uint64_t size = random() % 12; size > 0; --size) {
    text.append(random() % 40 == 0 ? "\xC3\xA9" : kLetters[random() % std::size(kLetters)]);
  }
  return text;
}

TEST_CASE("it decides what RE2 decides") {
  std::mt19937_64 random(5);
  std::size_t compared = 0;
  std::size_t found = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::string pattern = random_pattern(random);
    const auto bytes = BytePattern::parse(pattern);
    if (!bytes.has_value()) {
      continue;
    }
    // Flags, even without effect, and \A are nothing that BytePattern takes.
    const auto prefix = Regex::compile("\\A(?:" + pattern + ")");
    const auto slow = Regex::compile("(?s-s:" + pattern + ")");
    REQUIRE_MESSAGE(prefix.ok(), pattern);
    REQUIRE_MESSAGE(slow.ok(), pattern);
    for (int i = 0; i < 20; ++i) {
      const std::string text = random_text(random);
      const std::size_t from = random() % 4 == 0 ? random() % (text.size() + 1) : 0;
      INFO(pattern << " on " << text << " from " << from);
      const Verdict starts = bytes->match_prefix(text);
      if (starts != Verdict::kUnknown) {
        REQUIRE((starts == Verdict::kMatch) == (*prefix)->search(text));
      }
      std::vector<std::string_view> expected((*slow)->group_count() + 1);
      std::vector<std::string_view> groups(expected.size());
      const Verdict verdict = bytes->find(text, from, groups);
      const bool inside = from < text.size() && (text[from] & 0xC0) == 0x80;
      if (verdict == Verdict::kUnknown || inside) {
        continue;
      }
      REQUIRE((verdict == Verdict::kMatch) == (*slow)->match(text, from, expected));
      ++compared;
      for (std::size_t group = 0; verdict == Verdict::kMatch && group < groups.size(); ++group) {
        REQUIRE(groups[group] == expected[group]);
        REQUIRE(groups[group].data() == expected[group].data());
        ++found;
      }
    }
  }
  CHECK(compared > 50000);
  CHECK(found > 10000);
}

TEST_CASE("a search takes time linear in the text") {
  // Each of these would look at the run of letters again from every letter of it.
  const std::string text(1 << 20, 'a');
  for (const std::string_view pattern : {"a+1", "[a-z][a-z]+1", "a[ab]+$", "aa*b"}) {
    INFO(pattern);
    const auto bytes = BytePattern::parse(pattern);
    if (bytes.has_value()) {
      const Verdict verdict = bytes->find(text + ".", 0, {});
      CHECK((verdict == Verdict::kNoMatch || verdict == Verdict::kUnknown));
    }
  }
}

}  // namespace
}  // namespace evq
