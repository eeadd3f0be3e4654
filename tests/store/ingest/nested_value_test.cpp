// Closing brackets found 64 bytes at a time are those found byte by byte, however the text arrives.
#include "store/ingest/nested_value.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

namespace {

using Pass = std::size_t (*)(std::string_view, std::size_t, evq::NestedValue*);

// Behind the value that begins the text, which comes `step` bytes at a time.
std::size_t end_of(std::string_view text, std::size_t step, Pass pass) {
  evq::NestedValue value{.depth = 1};
  std::size_t at = 1;
  for (std::size_t end = std::min(step, text.size()); value.depth > 0;
       end = std::min(end + step, text.size())) {
    at = pass(text.substr(0, end), at, &value);
    if (end == text.size()) {
      break;
    }
  }
  return value.depth == 0 ? at : std::string_view::npos;
}

std::string random_text(std::mt19937& random, std::string_view letters) {
  std::string text = "{";
  for (std::size_t left = 1 + random() % 300; left > 0; --left) {
    text.push_back(letters[random() % letters.size()]);
  }
  return text;
}

}  // namespace

TEST_CASE("a value ends where it does byte by byte") {
  std::mt19937 random(11);
  for (const std::string_view letters :
       {"{}[]\"\\ab", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa{}\"", "\"\"\"\\\\\\\\\\{{{}}}", "\\",
        "[[[[[[]]]]]", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"\\"}) {
    for (int round = 0; round < 4000; ++round) {
      const std::string text = random_text(random, letters);
      const std::size_t end = end_of(text, text.size(), evq::pass_nested_bytewise);
      CAPTURE(text);
      REQUIRE(end_of(text, text.size(), evq::pass_nested) == end);
      REQUIRE(end_of(text, 1 + random() % 150, evq::pass_nested) == end);
    }
  }
}

TEST_CASE("brackets in strings close nothing, wherever the strings lie") {
  for (std::size_t padding = 0; padding < 200; ++padding) {
    const std::string value =
        "{\"a\":\"" + std::string(padding, 'x') + "}\\\"]\\\\\",\"b\":[1,{\"c\":\"{\"}]}";
    const std::string text = value + ",{\"d\":\"" + std::string(100, '}') + "\"}";
    CHECK(end_of(text, text.size(), evq::pass_nested) == value.size());
  }
}
