#include "apl/syntax/unfinished.h"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "apl/syntax/operators.h"

namespace evq::syntax {

namespace {

// What a prompt that reads the text line by line takes as its first query.
template <class IsUnfinished>
std::string first_query(std::string_view text, IsUnfinished is_unfinished) {
  std::size_t known = 0;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos;
       end = text.find('\n', end + 1)) {
    if (!is_unfinished(text.substr(0, end), known)) {
      return std::string(text.substr(0, end));
    }
    known = end;
  }
  return std::string(text);
}

std::string first_query_of_growing(std::string_view text) {
  GrowingText growing;
  return first_query(text, [&](std::string_view lines, std::size_t known) {
    return growing.is_unfinished(lines, known);
  });
}

// The slow twin: the parser looks at every line.
std::string first_query_of_parsed(std::string_view text) {
  return first_query(
      text, [](std::string_view lines, std::size_t /*known*/) { return is_unfinished(lines); });
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) {
    all += text;
  }
  return all;
}

}  // namespace

TEST_CASE("a text is unfinished when something is missing at its end") {
  for (const std::string_view text :
       {"web |", "web | where", "web | where (", "web | where a ==", "web | summarize count() by",
        "web | project a,", "let x = 1;", "print f(1,", "print ```a", "web | where a and\n",
        "web | where a and // so far", "web | // (\n", "datatable (a:string) ['x',",
        "datatable (a:string) ['x'", "print dynamic(['a',\n'b'"}) {
    CAPTURE(text);
    CHECK(is_unfinished(text));
  }
  for (const std::string_view text :
       {"web", "web | count", "web | where x", "web | wher", "print 'a", "web | summarize | count",
        "web | where ) |", "print ```a```", "web; ", "web // and", "['web' | count"}) {
    CAPTURE(text);
    CHECK_FALSE(is_unfinished(text));
  }
}

TEST_CASE("a text that grows by lines ends where the parser says") {
  for (const std::string_view text : {
           "print f(\n1,\n2)\nprint 3\n",
           "let a = 1;\nlet b = (\n2);\nset x = 1;\nprint a,\nb\nprint c\n",
           "let f = (x:long) {\nx + 1\n};\nprint f(1);\nprint 2\n",
           "let a = 1\n;\nweb\nweb\n",
           "web | where (a\nand b\nor c)\nweb\n",
           "web | where a and\n// (\nb\nweb\n",
           "print '(',\n'['\nprint 1\n",
           "print ```(\n[```,\n1\nprint 1\n",
           "print f(```)\n(```,\n1)\nprint 1\n",
           "print datetime(\n2024-01-01), f(datetime(\n2024-01-01)\n)\nprint 1\n",
           "['web\nprint 1\n",
           "['web'\n| count\nprint 1\n",
           "print dynamic(['a'\n,\n'b'\n])\nprint 1\n",
           "print f('a\nprint 1\n",
           "web ) (\nprint 1\n",
           "print (1]\n)\nprint 1\n",
           "print f(\xff\nprint 1\n",
           "web | wher (\n1\n)\nprint 1\n",
           "web | where\na ==\n1 and\nb\nprint 1\n",
       }) {
    CAPTURE(text);
    CHECK(first_query_of_growing(text) == first_query_of_parsed(text));
  }
  for (const OperatorInfo& info : all_operators()) {
    for (const OperatorExample& example : info.examples) {
      for (const char broken_at : {' ', ',', '(', '|'}) {
        std::string text(example.query);
        for (std::size_t at = 0; (at = text.find(broken_at, at)) != std::string::npos; at += 2) {
          text.insert(at + 1, 1, '\n');
        }
        text += "\nprint 1\n";
        CAPTURE(text);
        CHECK(first_query_of_growing(text) == first_query_of_parsed(text));
      }
    }
  }
}

TEST_CASE("a mistake in a list of many lines is noticed before its end") {
  const std::string text = "web | project a,\nb c,\n" + repeated("d,\n", 100) + "e\nprint 1\n";
  CHECK(first_query_of_growing(text).size() < 100);
}

// Looked at with every line, each of these would take the parser half an hour.
TEST_CASE("a text of many lines is looked at a few times") {
  constexpr std::size_t kLines = 40'000;
  for (const auto& [begin, line, end] : {
           std::tuple("print array_length(dynamic([", "1,\n", "0]))\n"),
           std::tuple("web | project a,", "b,\n", "c\n"),
           std::tuple("web | where a or\n", "b or\n", "c\n"),
           std::tuple("let a = ```(```;\n", "let b = 1;\n", "print a\n"),
       }) {
    const std::string text =
        std::string(begin) + repeated(line, kLines * 4 / std::string_view(line).size()) + end;
    CAPTURE(begin);
    CHECK(first_query_of_growing(text + "print 2\n") == text.substr(0, text.size() - 1));
  }
}

}  // namespace evq::syntax
