// Functions that look for texts in texts: counting, positions in code points, replacing several.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "apl/functions/dynamic_elements.h"
#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "apl/functions/text_form.h"
#include "apl/functions/text_search.h"
#include "store/base/allocation_meter.h"
#include "store/base/limits.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

// ---- countof

// Occurrences begin at least `step` bytes after each other.
std::int64_t count_texts(std::string_view needle, std::string_view text, std::size_t step) {
  std::int64_t count = 0;
  PollCounter poll;
  std::size_t at = needle.empty() ? std::string_view::npos : find_text(text, needle, 0);
  for (; at != std::string_view::npos; at = find_text(text, needle, at + step)) {
    poll.add();
    ++count;
  }
  return count;
}
std::int64_t count_apart(std::string_view needle, std::string_view text) {
  return count_texts(needle, text, needle.size());
}
std::int64_t count_overlapping(std::string_view text, std::string_view needle,
                               std::string_view /*kind*/) {
  return count_texts(needle, text, 1);
}

// A function of (pattern, text), called as (text, pattern, kind).
class TextFirstCall final : public BoundFunction {
 public:
  explicit TextFirstCall(std::shared_ptr<const BoundFunction> call) : call_(std::move(call)) {}

  Vector evaluate(const EvalContext& context, std::span<const Vector> args,
                  std::size_t rows) const override {
    const std::array<Vector, 2> swapped{args[1], args[0]};
    return call_->evaluate(context, swapped, rows);
  }

 private:
  std::shared_ptr<const BoundFunction> call_;
};

// countof(text, pattern, 'regex')
BindResult bind_countof_pattern(const BindRequest& request) {
  const std::array<Argument, 2> swapped{request.arguments[1], request.arguments[0]};
  BindResult bound = bind_function(*find_function("countof_regex"), {swapped, request.context});
  if (auto* failure = std::get_if<BindFailure>(&bound)) {
    failure->argument = failure->argument < 0 ? failure->argument : 1 - failure->argument;
    return bound;
  }
  auto& call = std::get<BoundCall>(bound);
  call.arguments = {call.arguments[1], call.arguments[0], Type::kString};
  call.function = std::make_shared<TextFirstCall>(std::move(call.function));
  return bound;
}

// Three arguments are Kusto's: the text, what to look for, and how.
BindResult bind_countof(const BindRequest& request) {
  if (request.arguments.size() < 3) {
    return bind_overload(lift<count_apart>(), request);
  }
  const Value* constant = request.arguments[2].constant;
  const bool known =
      constant != nullptr && !constant->is_null() && constant->type() == Type::kString;
  const std::string_view kind = known ? constant->as_text() : "";
  if (kind == "regex") {
    return bind_countof_pattern(request);
  }
  if (kind == "normal") {
    return bind_overload(lift<count_overlapping>(), request);
  }
  return BindFailure{2, "countof() takes a kind as its third argument, 'normal' or 'regex'",
                     "without a kind: countof(search, text)"};
}

// ---- indexof

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
  PollCounter poll;
  std::size_t at = find_text(visible, needle, window->begin);
  while (at != std::string_view::npos && --left > 0) {
    poll.add();
    at = find_text(visible, needle, at + 1);
  }
  if (at == std::string_view::npos) {
    return -1;
  }
  return static_cast<std::int64_t>(count_code_points(text.substr(0, at)));
}

std::int64_t has_any_index(std::string_view text, DynamicView needles) {
  DynamicView::Iterator items(needles);
  std::string needle;
  PollCounter poll;
  for (std::int64_t index = 0; items.next(); ++index) {
    poll.add(1 + text.size() / kPollTextBytes);
    needle.clear();
    append_text_form(items.value(), &needle);
    if (TextMatcher(TextTest::kHas, needle, true).matches(text)) {
      return index;
    }
  }
  return -1;
}

// A stretch of a text in which the lookups from number `lookup` on are still to be replaced; or,
// when `found`, one that begins with that lookup.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t lookup = 0;
  bool found = false;
};

// Replaces lookups[i] by rewrites[i], earlier pairs first; what was replaced is not looked at
// again. A lookup without a text to replace it keeps its places from later ones. The first place of
// a lookup parts a stretch in three: what is before it, where only later lookups can be; the place;
// and the rest, which waits. So there are never more stretches than lookups.
std::optional<std::string> replace_strings(std::string_view text, DynamicView lookups,
                                           DynamicView rewrites) {
  const Elements wanted = elements_of(lookups);
  const Elements given = elements_of(rewrites);
  const auto rewrite_of = [&](std::size_t lookup) {
    const DynamicView rewrite = !rewrites.is_array()    ? rewrites
                                : lookup < given.size() ? given[lookup]
                                                        : DynamicView();
    return rewrite.is_string() ? rewrite.as_string() : wanted[lookup].as_string();
  };
  std::string out;
  PollCounter poll;
  ScratchVector<Stretch> left = {{0, text.size(), 0, false}};
  while (!left.empty() && out.size() <= kStringValueBytesMax) {
    Stretch here = left.back();
    left.pop_back();
    if (here.found) {
      out += rewrite_of(here.lookup);
      here.begin += wanted[here.lookup].as_string().size();
    }
    for (; here.begin < here.end && here.lookup < wanted.size(); ++here.lookup) {
      poll.add(1 + (here.end - here.begin) / kPollTextBytes);
      const DynamicView lookup = wanted[here.lookup];
      const std::size_t at =
          !lookup.is_string() || lookup.as_string().empty()
              ? std::string_view::npos
              : find_text(text.substr(0, here.end), lookup.as_string(), here.begin);
      if (at != std::string_view::npos) {
        left.push_back({at, here.end, here.lookup, true});
        here.end = at;
      }
    }
    out += text.substr(here.begin, here.end - here.begin);
  }
  return out.size() <= kStringValueBytesMax ? std::optional(std::move(out)) : std::nullopt;
}

constexpr std::array<ScalarFunction, 4> kStringSearchFunctions = {{
    {.name = "countof",
     .category = "string",
     .summary =
         "Counts the occurrences of a text in another, which do not overlap. Kusto's form is "
         "countof(text, search, kind); without the kind it is taken, with a note, where the text "
         "is "
         "not the same in every row and what to look for is.",
     .params = {{{"search", "The text to look for."},
                 {"text", "The text to look at."},
                 {"[kind]",
                  "A constant, 'normal' or 'regex': the text comes first then. Occurrences may "
                  "overlap where kind is 'normal'."}}},
     .returns = "long.",
     .examples = {{{"print countof('an', 'banana')", "2"},
                   {"print countof('banana', 'ana', 'normal')", "2"},
                   {"print countof('banana', '[bn]a', 'regex')", "3"}}},
     .bind = bind_countof,
     .arguments_min = 2,
     .arguments_max = 3,
     .kusto_text_first = true},
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
     .overloads = {lift<index_of>()},
     .texts_first = 2},
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
