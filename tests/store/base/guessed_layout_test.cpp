#include "store/base/guessed_layout.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/go_layout.h"

namespace evq {
namespace {

struct Row {
  std::vector<std::string> texts;
  const char* layout;
  const char* day_first;
};

const Row kRows[] = {
    {{"01/02/1965", "01/04/1965", "12/28/2016"}, "1/2/2006", ""},
    {{"1/1/1948", "1/2/1948"}, "1/2/2006", "2/1/2006"},
    {{"24/08/2008", "12/8/2012"}, "2/1/2006", ""},
    {{"12/8/2012", "24/08/2008"}, "2/1/2006", ""},
    {{"10/16/17 22:59", "9/30/17 2:22"}, "1/2/06 15:04", ""},
    {{"3/14/2025 1:20:03 PM"}, "1/2/2006 3:04:05 PM", ""},
    {{"3/4/2025, 11:20:03 PM"}, "1/2/2006, 3:04:05 PM", "2/1/2006, 3:04:05 PM"},
    {{"3.4.2025 23:20:03.25"}, "2.1.2006 15:04:05", ""},
    {{"Jan 1 2000", "Feb 1 2000"}, "Jan 2 2006", ""},
    {{"5-Jan-11"}, "2-Jan-06", ""},
    {{"January 3, 1791"}, "January 2, 2006", ""},
    {{"Monday, January 3, 1791"}, "Monday, January 2, 2006", ""},
    {{"Jun 15 02:04:59", "Jun 5 02:05:00"}, "Jan 2 15:04:05", ""},
    {{"15 Jun 02:04:59.123"}, "2 Jan 15:04:05", ""},
    {{"Jun 15"}, "", ""},
    {{"20180414", "20180415"}, "20060102", ""},
    {{"10142018", "10062018"}, "01022006", ""},
    {{"20180414093000"}, "20060102150405", ""},
    {{"201804"}, "200601", ""},
    {{"201813"}, "", ""},
    {{"1714557600"}, "", ""},
    {{"1714557600123"}, "", ""},
    {{"1958"}, "2006", ""},
    {{"2018-04"}, "2006-01", ""},
    {{"", "1/13/2006", "", "2/14/2006"}, "1/2/2006", ""},
    // One in ten may be anything.
    {{"1/13/2006", "1/14/2006", "1/15/2006", "1/16/2006", "1/17/2006", "1/18/2006", "1/19/2006",
      "1/20/2006", "1/21/2006", "2006-01-22T00:00:00Z"},
     "1/2/2006",
     ""},
    {{"1/13/2006", "?"}, "", ""},
    {{"13/13/2006"}, "", ""},
    {{"12345678"}, "", ""},
    {{"20189999"}, "", ""},
    {{"7"}, "", ""},
    {{"10.30"}, "", ""},
    {{"1.2.3"}, "", ""},
    {{"a text"}, "", ""},
    {{""}, "", ""},
    {{}, "", ""},
    {{std::string(1000, '1')}, "", ""},
};

TEST_CASE("layouts are told by what they read") {
  for (const Row& row : kRows) {
    CAPTURE(row.texts);
    const GuessedLayout guess = guess_layout(row.texts);
    CHECK(guess.layout == row.layout);
    CHECK(guess.day_first == row.day_first);
    if (!guess.layout.empty()) {
      const auto layout = GoLayout::compile(guess.layout);
      REQUIRE(layout.ok());
      CHECK(layout.value().parse(guess.example, 0).has_value());
    }
  }
}

TEST_CASE("a month alone has no day") {
  CHECK(guess_layout(std::vector<std::string>{"1/2/2006"}).has_day);
  CHECK(!guess_layout(std::vector<std::string>{"1/2006"}).has_day);
}

}  // namespace
}  // namespace evq
