// Functions that look for texts in texts: counting and positions, in code points.

#include <array>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "apl/functions/text_form.h"
#include "apl/functions/text_search.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

using MaybeLong = std::optional<std::int64_t>;

std::int64_t count_occurrences(std::string_view needle, std::string_view text) {
  if (needle.empty()) {
    return 0;
  }
  std::int64_t count = 0;
  for (std::size_t at = text.find(needle); at != std::string_view::npos;
       at = text.find(needle, at + needle.size())) {
    ++count;
  }
  return count;
}

// The part of a text that a search may look at: from character `start` on (negative from the end),
// at most `length` characters (negative: all). Null when that makes no sense.
struct Window {
  std::size_t begin = 0;
  std::size_t end = 0;
};
std::optional<Window> window_of(std::string_view text, std::int64_t start, std::int64_t length) {
  if (length < -1) {
    return std::nullopt;
  }
  if (start < 0) {
    start = std::max<std::int64_t>(0, start + static_cast<std::int64_t>(count_code_points(text)));
  }
  Window window;
  window.begin = code_point_offset(text, static_cast<std::size_t>(start));
  window.end = length < 0 ? text.size()
                          : window.begin + code_point_offset(text.substr(window.begin),
                                                             static_cast<std::size_t>(length));
  return window;
}

MaybeLong index_of(std::string_view text, std::string_view needle, MaybeLong start,
                   MaybeLong length, MaybeLong occurrence) {
  std::int64_t left = occurrence.value_or(1);
  const std::optional<Window> window = window_of(text, start.value_or(0), length.value_or(-1));
  if (!window.has_value() || left < 1) {
    return std::nullopt;
  }
  const std::string_view visible = text.substr(0, window->end);
  std::size_t at = visible.find(needle, window->begin);
  while (at != std::string_view::npos && --left > 0) {
    at = visible.find(needle, at + 1);
  }
  if (at == std::string_view::npos) {
    return -1;
  }
  return static_cast<std::int64_t>(count_code_points(text.substr(0, at)));
}

std::int64_t has_any_index(std::string_view text, DynamicView needles) {
  DynamicView::Iterator items(needles);
  std::string needle;
  for (std::int64_t index = 0; items.next(); ++index) {
    needle.clear();
    append_text_form(items.value(), &needle);
    if (TextMatcher(TextTest::kHas, needle, true).matches(text)) {
      return index;
    }
  }
  return -1;
}

constexpr std::array<ScalarFunction, 3> kStringSearchFunctions = {{
    {.name = "countof",
     .category = "string",
     .summary = "Counts the occurrences of a text in another, which do not overlap.",
     .params = {{{"search", "The text to look for."}, {"text", "The text to look at."}}},
     .returns = "long.",
     .examples = {{{"print countof('an', 'banana')", "2"}}},
     .overloads = {lift<count_occurrences>()}},
    {.name = "has_any_index",
     .category = "string",
     .summary = "Finds which of several terms is the first that a text has.",
     .params = {{{"text", "The text to look at."}, {"terms", "An array of terms, as for has."}}},
     .returns = "long: the term's place in the array, -1 when the text has none.",
     .examples = {{{"print has_any_index('disk is full', dynamic(['net', 'full']))", "1"}}},
     .overloads = {lift<has_any_index>()}},
    {.name = "indexof",
     .category = "string",
     .summary = "Finds where a text occurs in another.",
     .params = {{{"text", "The text to look at."},
                 {"search", "The text to look for."},
                 {"[start]", "Where to begin, 0-based; negative counts from the end."},
                 {"[length]", "How many characters to look at; -1 for all."},
                 {"[occurrence]", "Which occurrence, 1 for the first."}}},
     .returns = "long: the position in characters, -1 when there is none; null for bad numbers.",
     .examples = {{{"print indexof('abcabc', 'c')", "2"},
                   {"print indexof('abcabc', 'c', 0, -1, 2)", "5"},
                   {"print indexof('abcabc', 'x')", "-1"}}},
     .overloads = {lift<index_of>()}},
}};

}  // namespace

std::span<const ScalarFunction> string_search_functions() {
  return kStringSearchFunctions;
}

}  // namespace evq
