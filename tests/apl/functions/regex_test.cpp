#include "apl/functions/regex.h"

#include <array>
#include <atomic>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "apl/functions/regex_literal.h"
#include "store/base/allocation_meter.h"
#include "store/base/limits.h"

namespace evq {
namespace {

TEST_CASE("the literal that every match must contain") {
  struct Case {
    std::string_view pattern;
    std::string_view literal;
    bool whole;
    bool prefix;
  };
  constexpr Case kCases[] = {
      {"amount=[5-9][0-9]", "amount=", false, true},
      {"error", "error", true, true},
      {"a\\.b\\.c", "a.b.c", true, true},
      {"^error", "error", false, false},
      {"error$", "error", false, true},
      {"abcd?ef", "abc", false, true},
      {"abcd*", "abc", false, true},
      {"abcd+efgh", "abcd", false, true},
      {"abcd{2,3}xyz1", "xyz1", false, false},
      {"ab{2}12345", "12345", false, false},
      {"a+1234", "1234", false, false},
      {"x(foo|bar)longer", "longer", false, false},
      {"foo|barbar", "", false, false},
      {"(?i)error", "", false, false},
      {"x(?i:abc)yyyy", "", false, false},
      {"[a-z]+abc[^]]def", "abc", false, false},
      {"\\derror\\w", "error", false, false},
      {"\\Qabc\\E", "", false, false},
      {"\\x41bcd", "", false, false},
      {"ab", "", false, false},
      {"abc\xC3\xA9?", "abc", false, true},
      {"[[:alpha:]]xyz", "xyz", false, false},
      {"", "", false, false},
  };
  for (const Case& c : kCases) {
    INFO(c.pattern);
    const RequiredLiteral found = required_literal(c.pattern);
    CHECK(found.text == c.literal);
    CHECK(found.is_whole == c.whole);
    CHECK(found.is_prefix == c.prefix);
  }
}

TEST_CASE("the literal never loses a match") {
  constexpr std::string_view kPieces[] = {
      "a",   "b",   "c",   "ab", "abc", "a?", "b*", "c+", ".",      "^", "$",   "(a|b)", "[ab]",
      "\\.", "{2}", "\\d", "1",  ",",   "}",  "]",  "|",  "(?:bc)", "-", "abc", "[1,]+"};
  std::mt19937_64 random(3);
  std::size_t compared = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string pattern;
    for (std::uint64_t i = 0; i < random() % 8 + 1; ++i) {
      pattern.append(kPieces[random() % std::size(kPieces)]);
    }
    // A flag that changes nothing here makes the finder give up: the slow twin.
    const auto fast = Regex::compile(pattern);
    const auto slow = Regex::compile("(?s:)" + pattern);
    if (!fast.ok() || !slow.ok()) {
      continue;
    }
    for (int i = 0; i < 20; ++i) {
      std::string text;
      const std::uint64_t longest = i == 0 ? 80 : 12;  // a literal may be met many times
      for (std::uint64_t size = random() % longest; size > 0; --size) {
        text.push_back("abc.1,}]-"[random() % 9]);
      }
      INFO(pattern << " on " << text);
      const bool expected = (*slow)->search(text);
      REQUIRE((*fast)->search(text) == expected);
      auto column = Values::make(Type::kString, 1);
      column->mutable_data<std::string_view>()[0] = text;
      column->set_contiguous_text(text);
      std::uint8_t found = 9;
      (*fast)->match_slots(*column, &found);
      REQUIRE((found != 0) == expected);
      ++compared;
    }
  }
  CHECK(compared > 100000);
}

TEST_CASE("a column gives what its rows give") {
  const std::string run = "amount=57\namount=42\nnothing\namount=amount=99";
  auto values = Values::make(Type::kString, 5);
  auto* rows = values->mutable_data<std::string_view>();
  const std::string_view text = run;
  rows[0] = text.substr(0, 9);
  rows[1] = text.substr(10, 9);
  rows[2] = text.substr(20, 7);
  rows[3] = text.substr(28);
  values->set_null(4);
  values->set_contiguous_text(text);
  for (const std::string_view pattern : {"amount=[5-9]", "amount=", "[0-9]", "^$", "e=99$"}) {
    const auto regex = Regex::compile(pattern);
    REQUIRE(regex.ok());
    std::uint8_t found[5] = {9, 9, 9, 9, 9};
    (*regex)->match_slots(*values, found);
    for (std::size_t i = 0; i < 5; ++i) {
      INFO(pattern << " row " << i);
      CHECK((found[i] != 0) == (*regex)->search(values->is_null(i) ? "" : rows[i]));
    }
  }
}

TEST_CASE("patterns are bounded") {
  CHECK(Regex::compile(std::string(kRegexPatternBytesMax, 'a')).ok());
  CHECK_FALSE(Regex::compile(std::string(kRegexPatternBytesMax + 1, 'a')).ok());
  CHECK_FALSE(Regex::compile("((a{100}){100}){100}").ok());
  CHECK_FALSE(Regex::compile("a(?=b)").ok());
  const auto regex = Regex::compile("(a*)*$");
  REQUIRE(regex.ok());
  CHECK_FALSE(Regex::compile("[").ok());
  CHECK((*regex)->search(std::string(100000, 'a') + "b"));
}

TEST_CASE("a search that would take long is refused") {
  const auto searched = [](const Regex& regex, const std::string& text, std::size_t groups) {
    AllocationMeter meter(nullptr, nullptr, "test");
    std::vector<std::string_view> found(groups);
    return meter.guard([&] { regex.match(text, 0, found); });
  };
  // Two thousand instructions, and an automaton beyond its memory.
  const auto costly = Regex::compile("((a?){0,30}){0,30}b(c*)");
  REQUIRE(costly.ok());
  CHECK(searched(**costly, std::string(4096, 'a'), 4).ok());
  const Status refused = searched(**costly, std::string(std::size_t{1} << 20, 'a'), 4);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kLimit);
  CHECK(refused.error().message.find("takes too long on a text of 1048576 bytes") !=
        std::string::npos);
  // So is the search behind a match that was quickly found.
  const std::string text = "b" + std::string(std::size_t{1} << 20, 'a');
  AllocationMeter meter(nullptr, nullptr, "test");
  const Status second = meter.guard([&] {
    RegexMatches matches(**costly, text);
    std::vector<std::string_view> found(4);
    while (matches.next(found)) {
    }
  });
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().code == ErrorCode::kLimit);
  // As long and as many, but the automaton has room.
  const auto quick = Regex::compile("(x{0,500}y){2}(.*)");
  REQUIRE(quick.ok());
  CHECK(searched(**quick, std::string(std::size_t{1} << 20, 'a'), 3).ok());
}

TEST_CASE("many places where a match could start do not make it slow") {
  // Each of them would look at all that follows: 10^12 bytes in all.
  const std::string text(std::size_t{1} << 20, 'a');
  auto column = Values::make(Type::kString, 1);
  column->mutable_data<std::string_view>()[0] = text;
  column->set_contiguous_text(text);
  for (const std::string_view pattern : {"aaa[^x]*x", "aaa(b|[^xyz])*x", "aaa([a-w]|[^x]1)*x"}) {
    const auto regex = Regex::compile(pattern);
    REQUIRE(regex.ok());
    std::uint8_t found = 9;
    (*regex)->match_slots(*column, &found);
    CHECK(found == 0);
  }
}

TEST_CASE("what takes memory before it is measured is counted") {
  const auto repeated = [](std::string_view part, std::size_t count) {
    std::string pattern;
    for (std::size_t i = 0; i < count; ++i) {
      pattern.append(part);
    }
    return pattern;
  };
  const auto error = [](const std::string& pattern) {
    const auto regex = Regex::compile(pattern);
    return regex.ok() ? std::string("OK") : regex.error().message;
  };
  CHECK(error(repeated("\\p{Zl}", kRegexUnicodeClassesMax)) == "OK");
  CHECK(error(repeated("[\\PL]", kRegexUnicodeClassesMax + 1)) ==
        "the regular expression has more than 1500 classes such as \\p{L}");
  constexpr std::size_t kOnce = 1000;
  const std::string most = repeated("(?:x{7,1000})", kRegexRepetitionsMax / (kOnce + 7));
  CHECK(error(most).starts_with("the regular expression is invalid: pattern too large"));
  CHECK(error(most + repeated("x{1000}", 1)) ==
        "the regular expression repeats more than 600000 times in all");
  CHECK(error(repeated("x{1000}", kRegexPatternBytesMax / 7)) ==
        "the regular expression repeats more than 600000 times in all");
  CHECK(error(repeated("[{9999}]", 1000)) == "OK");  // no counts
}

TEST_CASE("no match is a part of a character") {
  for (const char* pattern : {"\\C", "a(\\C+)", "(?s)[[:alpha:]]\\C", "\\Qa\\E\\C", "[]]\\C"}) {
    const auto regex = Regex::compile(pattern);
    REQUIRE_FALSE(regex.ok());
    CHECK(regex.error().message ==
          "the regular expression has \\C, any byte, which may be part of a character");
  }
  for (const char* pattern : {"\\\\C", "\\Q\\C\\E", "\\\\\\\\C"}) {
    CHECK(Regex::compile(pattern).ok());
  }
  CHECK((*Regex::compile("^\\\\C$"))->search("\\C"));
}

TEST_CASE("groups are named in two ways") {
  const auto names = [](std::string_view pattern) {
    const auto regex = Regex::compile(pattern);
    std::string all;
    for (const auto& [group, name] :
         regex.ok() ? (*regex)->group_names() : decltype((*regex)->group_names())()) {
      all += std::to_string(group) + name;
    }
    return regex.ok() ? all : "invalid";
  };
  CHECK(names("(?P<a>x)(?<b>y(?<c>z))") == "1a2b3c");
  CHECK(names("(?i)(?<a>x)(?:y)(z)") == "1a");
  CHECK(names("[(?<a>]") == "");
  CHECK(names("[^](?<a>](?<b>x)") == "1b");
  CHECK(names("[[:alpha:](?<a>](?<b>x)") == "1b");
  CHECK(names("\\(?<a>") == "");
  CHECK(names("\\Q(?<a>\\E(?<b>x)") == "1b");
  CHECK(names("(?<=a)b") == "invalid");
  CHECK(names("(?<!a)b") == "invalid");
  CHECK(names("(?<") == "invalid");
  CHECK((*Regex::compile("ab(?<n>c+)"))->search("xabcc"));
}

TEST_CASE("many threads search with one pattern") {
  constexpr std::size_t kThreads = 2 * kRegexProgramsMax + 1;
  constexpr int kRounds = 200;
  const auto regex = Regex::compile("(?i)(cat|dog)s? ([0-9]+)");
  REQUIRE(regex.ok());
  std::atomic<std::size_t> right{0};
  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&right, &regex, thread] {
        for (int round = 0; round < kRounds; ++round) {
          const std::string number = std::to_string(round * kRounds + static_cast<int>(thread));
          const std::string text = "a DOG, Cats " + number + " and dogs";
          std::array<std::string_view, 3> groups;
          const bool found = (*regex)->match(text, 0, groups) && groups[0] == "Cats " + number &&
                             groups[1] == "Cat" && groups[2] == number;
          right += found && !(*regex)->search("Cats") && (*regex)->search(text) ? 1 : 0;
        }
      });
    }
  }
  CHECK(right == kThreads * kRounds);
}

TEST_CASE("options") {
  CHECK((*Regex::compile("abc", {.ignore_case = true}))->search("xABCx"));
  CHECK((*Regex::compile("^b", {.multi_line = true}))->search("a\nb"));
  CHECK_FALSE((*Regex::compile("^b"))->search("a\nb"));
  CHECK((*Regex::compile("a.b", {.dot_all = true}))->search("a\nb"));
  std::string_view groups[1];
  CHECK((*Regex::compile("a+", {.ungreedy = true}))->match("aaa", 0, groups));
  CHECK(groups[0] == "a");
}

TEST_CASE("rewriting") {
  const auto regex = Regex::compile("(\\w)(\\w)");
  REQUIRE(regex.ok());
  std::string out;
  CHECK(replace_matches(**regex, "ab-cd", "$2\\1[$0]$9$$\\\\$", &out));
  CHECK(out == "ba[ab]$\\$-dc[cd]$\\$");
  out.clear();
  const auto any = Regex::compile(".");
  CHECK_FALSE(replace_matches(**any, std::string(1 << 20, 'x'), std::string(64, 'y'), &out));
}

}  // namespace
}  // namespace evq
