// Functions that look for texts in texts: counting, positions in code points, replacing several.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "apl/functions/text_form.h"
#include "apl/functions/text_search.h"
#include "store/base/limits.h"
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

// A stretch of a text, and whether it is what a lookup became.
struct Stretch {
  std::string text;
  bool replaced = false;
};

// Cuts the stretches that are still as they were at each `lookup`.
std::vector<Stretch> replace_stretches(const std::vector<Stretch>& stretches,
                                       std::string_view lookup,
                                       const std::optional<std::string>& rewrite) {
  std::vector<Stretch> out;
  for (const Stretch& stretch : stretches) {
    std::string_view rest = stretch.text;
    std::size_t at = stretch.replaced ? std::string_view::npos : rest.find(lookup);
    for (; at != std::string_view::npos; at = rest.find(lookup)) {
      out.push_back({std::string(rest.substr(0, at)), false});
      out.push_back({rewrite.value_or(std::string(lookup)), true});
      rest.remove_prefix(at + lookup.size());
    }
    out.push_back({std::string(rest), stretch.replaced});
  }
  return out;
}

// Replaces lookups[i] by rewrites[i], earlier pairs first; what was replaced is not looked at
// again. A lookup without a text to replace it keeps its places from later ones.
std::optional<std::string> replace_strings(std::string_view text, DynamicView lookups,
                                           DynamicView rewrites) {
  std::vector<Stretch> stretches = {{std::string(text), false}};
  for (std::size_t i = 0; i < lookups.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const DynamicView lookup = lookups.at(at);
    const DynamicView rewrite = rewrites.is_array() ? rewrites.at(at) : rewrites;
    if (!lookup.is_string() || lookup.as_string().empty()) {
      continue;
    }
    stretches = replace_stretches(
        stretches, lookup.as_string(),
        rewrite.is_string() ? std::optional(std::string(rewrite.as_string())) : std::nullopt);
  }
  std::string out;
  for (const Stretch& stretch : stretches) {
    out += stretch.text;
    if (out.size() > kStringValueBytesMax) {
      return std::nullopt;
    }
  }
  return out;
}

constexpr std::array<ScalarFunction, 4> kStringSearchFunctions = {{
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
    {.name = "replace_strings",
     .category = "string",
     .summary = "Replaces several texts in another.",
     .params = {{{"text", "The text."},
                 {"lookups", "An array of texts to look for."},
                 {"rewrites", "An array of texts for their places."}}},
     .returns = "string. Where lookups overlap the earlier of the array wins; what "
                "was replaced is not looked at again, and values that are no texts "
                "replace nothing.",
     .examples = {{{"print replace_strings('abc', dynamic(['a', 'c']), "
                    "dynamic(['x', 'z']))",
                    "xbz"}}},
     .overloads = {lift<replace_strings>()}},
}};

}  // namespace

std::span<const ScalarFunction> string_search_functions() {
  return kStringSearchFunctions;
}

}  // namespace evq
