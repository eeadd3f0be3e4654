// The functions of arrays. Elements are read in place and copied once, into the result. Indexes
// below zero count from the end; a value that is no array gives null unless said otherwise.

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "apl/functions/dynamic_elements.h"
#include "apl/functions/dynamic_rows.h"
#include "apl/functions/json_path.h"
#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "apl/functions/text_form.h"
#include "store/base/limits.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

std::int64_t signed_size(const Elements& elements) {
  return static_cast<std::int64_t>(elements.size());
}
auto iterator_at(const Elements& elements, std::int64_t index) {
  return elements.begin() + index;
}
DynamicView element_at(const Elements& elements, std::int64_t index) {
  return elements[static_cast<std::size_t>(index)];
}

// Elements [begin, end) of `from`, both within it.
DynamicBytes part_of(const Elements& from, std::int64_t begin, std::int64_t end) {
  return array_of(Elements(iterator_at(from, begin), iterator_at(from, std::max(begin, end))));
}
// An index counted from either end, kept within [0, size].
std::int64_t clipped(std::int64_t index, std::int64_t size) {
  return std::clamp(index < 0 ? index + size : index, std::int64_t{0}, size);
}

// What is no array adds nothing.
bool array_concat(std::span<const DynamicView> args, DynamicBuilder* out) {
  if (!may_fit_together(args)) {
    return false;
  }
  bool any = false;
  out->begin_array();
  for (const DynamicView& arg : args) {
    any = any || arg.is_array();
    DynamicView::Iterator each(arg.is_array() ? arg : DynamicView());
    while (each.next()) {
      out->add_encoded(each.value());
    }
  }
  out->end_array();
  return any;
}

bool pack_array(std::span<const DynamicView> args, DynamicBuilder* out) {
  if (!may_fit_together(args)) {
    return false;
  }
  add_array(args, out);
  return true;
}

MaybeDynamic array_extract(DynamicView array, std::string_view text) {
  const JsonPath* path = JsonPath::of_row(text);
  return path == nullptr ? std::nullopt : MaybeDynamic(array_of(path->matches(array)));
}

// What a condition of array_iff() means; nothing for null and for text.
std::optional<bool> truth(DynamicView value) {
  if (value.is_bool()) {
    return value.as_bool();
  }
  return value.is_number() ? std::optional(value.as_real() != 0) : std::nullopt;
}

MaybeDynamic array_iff(DynamicView conditions, std::optional<DynamicView> when_true,
                       std::optional<DynamicView> when_false) {
  if (!conditions.is_array()) {
    return std::nullopt;
  }
  const Elements tests = elements_of(conditions);
  const DynamicView branches[] = {when_false.value_or(DynamicView()),
                                  when_true.value_or(DynamicView())};
  const Elements items[] = {elements_of(branches[0]), elements_of(branches[1])};
  Elements out;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const std::optional<bool> test = truth(tests[i]);
    const std::size_t branch = test.value_or(false) ? 1 : 0;
    if (!test.has_value()) {
      out.emplace_back();
    } else if (!branches[branch].is_array()) {
      out.push_back(branches[branch]);
    } else {
      out.push_back(i < items[branch].size() ? items[branch][i] : DynamicView());
    }
  }
  return array_of(out);
}

MaybeLong array_index_of(DynamicView array, DynamicView value, MaybeLong start, MaybeLong length,
                         MaybeLong occurrence) {
  std::int64_t wanted = occurrence.value_or(1);
  if (!array.is_array() || wanted < 1 || length.value_or(-1) < -1) {
    return std::nullopt;
  }
  const Elements elements = elements_of(array);
  const std::int64_t size = signed_size(elements);
  const std::int64_t begin = clipped(start.value_or(0), size);
  const std::int64_t count = length.value_or(-1);
  const std::int64_t end = count < 0 || count > size - begin ? size : begin + count;
  for (std::int64_t i = begin; i < end; ++i) {
    if (is_wanted(element_at(elements, i), value) && --wanted == 0) {
      return i;
    }
  }
  return -1;
}

MaybeLong array_length(DynamicView array) {
  return array.is_array() ? MaybeLong(array.size()) : std::nullopt;
}
std::int64_t length_of_text(std::string_view text) {
  return static_cast<std::int64_t>(count_code_points(text));
}
MaybeLong length_of_dynamic(DynamicView value) {
  if (value.is_string()) {
    return length_of_text(value.as_string());
  }
  return value.is_array() || value.is_bag() ? MaybeLong(value.size()) : std::nullopt;
}

MaybeDynamic array_reverse(DynamicView array) {
  if (!array.is_array()) {
    return std::nullopt;
  }
  Elements elements = elements_of(array);
  std::ranges::reverse(elements);
  return array_of(elements);
}

MaybeDynamic rotate(DynamicView array, std::int64_t to_the_left) {
  if (!array.is_array()) {
    return std::nullopt;
  }
  Elements elements = elements_of(array);
  if (!elements.empty()) {
    const std::int64_t size = signed_size(elements);
    const std::int64_t by = (to_the_left % size + size) % size;
    std::rotate(elements.begin(), elements.begin() + by, elements.end());
  }
  return array_of(elements);
}
MaybeDynamic array_rotate_left(DynamicView array, std::int64_t count) {
  return rotate(array, count);
}
MaybeDynamic array_rotate_right(DynamicView array, std::int64_t count) {
  const auto size = static_cast<std::int64_t>(std::max<std::size_t>(array.size(), 1));
  return rotate(array, -(count % size));
}

MaybeDynamic shift(DynamicView array, std::int64_t to_the_left, DynamicView fill) {
  if (!array.is_array()) {
    return std::nullopt;
  }
  const Elements elements = elements_of(array);
  const std::int64_t size = signed_size(elements);
  const std::int64_t by = std::clamp(to_the_left, -size, size);
  Elements out;
  for (std::int64_t i = 0; i < size; ++i) {
    const std::int64_t from = i + by;
    out.push_back(from >= 0 && from < size ? element_at(elements, from) : fill);
  }
  return array_of(out);
}
MaybeDynamic array_shift_left(DynamicView array, std::int64_t count,
                              std::optional<DynamicView> fill) {
  return shift(array, count, fill.value_or(DynamicView()));
}
MaybeDynamic array_shift_right(DynamicView array, MaybeLong count,
                               std::optional<DynamicView> fill) {
  const std::int64_t right = std::max(count.value_or(1), -INT64_MAX);
  return shift(array, -right, fill.value_or(DynamicView()));
}

MaybeDynamic array_select_dict(DynamicView array, std::string_view key, DynamicView value) {
  DynamicView::Iterator each(array);
  while (array.is_array() && each.next()) {
    const std::optional<DynamicView> found = each.value().find(key);
    if (found.has_value() && is_wanted(*found, value)) {
      return DynamicBytes{std::string(each.value().bytes())};
    }
  }
  return std::nullopt;
}

MaybeDynamic array_slice(DynamicView array, std::int64_t start, std::int64_t end) {
  if (!array.is_array()) {
    return std::nullopt;
  }
  const Elements elements = elements_of(array);
  const std::int64_t size = signed_size(elements);
  return part_of(elements, clipped(start, size), clipped(end, size));
}

MaybeDynamic array_split(DynamicView array, DynamicView points) {
  if (!array.is_array() || !(points.is_array() || points.is_number())) {
    return std::nullopt;
  }
  const Elements elements = elements_of(array);
  const std::int64_t size = signed_size(elements);
  const Elements cuts = points.is_array() ? elements_of(points) : Elements{points};
  DynamicBuilder out;
  out.begin_array();
  std::int64_t begin = 0;
  for (const DynamicView& cut : cuts) {
    if (cut.tag() != DynamicTag::kLong) {
      return std::nullopt;
    }
    const std::int64_t end = std::max(begin, clipped(cut.as_integer(), size));
    out.add_encoded(DynamicView(part_of(elements, begin, end).bytes));
    begin = end;
  }
  out.add_encoded(DynamicView(part_of(elements, begin, size).bytes));
  out.end_array();
  return DynamicBytes{out.take()};
}

// The sum of the numbers, as a long while all of them are and it fits, else as a real. Timespans
// count as their nanoseconds.
MaybeDynamic array_sum(DynamicView array) {
  std::int64_t whole = 0;
  double real = 0;
  bool exact = true;
  bool any = false;
  DynamicView::Iterator each(array);
  while (array.is_array() && each.next()) {
    const DynamicView value = each.value();
    if (value.tag() == DynamicTag::kReal) {
      real += value.as_real();
      exact = false;
    } else if (value.tag() == DynamicTag::kLong || value.tag() == DynamicTag::kTimespan) {
      real += static_cast<double>(value.as_integer());
      exact = !__builtin_add_overflow(whole, value.as_integer(), &whole) && exact;
    } else {
      continue;
    }
    any = true;
  }
  if (!any) {
    return std::nullopt;
  }
  DynamicBuilder out;
  if (exact) {
    out.add_long(whole);
  } else {
    out.add_real(real);
  }
  return DynamicBytes{out.take()};
}

bool is_array(std::optional<DynamicView> value) {
  return value.has_value() && value->is_array();
}

std::optional<std::string> strcat_array(DynamicView array,
                                        std::optional<std::string_view> between) {
  if (!array.is_array()) {
    return std::nullopt;
  }
  std::string out;
  bool first = true;
  DynamicView::Iterator each(array);
  while (each.next()) {
    if (!first) {
      out.append(between.value_or(""));
    }
    first = false;
    append_text_form(each.value(), &out);
    if (out.size() > kStringValueBytesMax) {
      return std::nullopt;
    }
  }
  return out;
}

MaybeDynamic repeat(DynamicView value, std::int64_t count) {
  if (count < 0 || static_cast<std::uint64_t>(count) > kListItemsMax || value.is_array() ||
      value.is_bag()) {
    return std::nullopt;
  }
  return array_of(Elements(static_cast<std::size_t>(count), value));
}

// As many rows as the longest array has elements; what is missing is null.
bool zip(std::span<const DynamicView> args, DynamicBuilder* out) {
  std::vector<Elements> columns;
  std::size_t rows = 0;
  for (const DynamicView& arg : args) {
    if (!arg.is_array()) {
      return false;
    }
    columns.push_back(elements_of(arg));
    rows = std::max(rows, columns.back().size());
  }
  out->begin_array();
  for (std::size_t i = 0; i < rows; ++i) {
    out->begin_array();
    for (const Elements& column : columns) {
      out->add_encoded(i < column.size() ? column[i] : DynamicView());
    }
    out->end_array();
  }
  out->end_array();
  return true;
}

constexpr std::array<ScalarFunction, 20> kArrayFunctions = {{
    {.name = "array_concat",
     .category = "array",
     .summary = "Joins arrays, in order.",
     .params = {{{"arrays...", "One or more arrays; what is none is left out."}}},
     .returns = "An array; null when no argument is one.",
     .examples = {{{"print array_concat(dynamic([1, 2]), dynamic([3]))", "[1,2,3]"}}},
     .bind = bind_dynamic_rows<array_concat>,
     .arguments_min = 1,
     .arguments_max = 64,
     .meant_aggregation = "make_list(x)"},
    {.name = "array_extract",
     .category = "array",
     .summary = "The values that a JSON path leads to.",
     .params = {{{"array", "An array."},
                 {"path", "A path such as $[*].key, $[0].a.b or $['a b']."}}},
     .returns = "An array, empty when nothing matches; null when the path is malformed.",
     .examples = {{{"print array_extract(dynamic([{'a': 1}, {'a': 2}]), '$[*].a')", "[1,2]"},
                   {"print array_extract(dynamic([[1], [2]]), '$[1][0]')", "[2]"}}},
     .overloads = {lift<array_extract>()}},
    {.name = "array_iff",
     .aliases = {"array_iif"},
     .category = "array",
     .summary = "Chooses between two arrays or values, element by element.",
     .params = {{{"conditions", "An array of bools; numbers count as true unless zero."},
                 {"when_true", "An array, or one value for all elements."},
                 {"when_false", "An array, or one value for all elements."}}},
     .returns = "An array as long as the conditions; null elements where a condition is null or an "
                "array too short.",
     .examples = {{{"print array_iff(dynamic([true, false, true]), dynamic([1, 2, 3]), 0)",
                    "[1,0,3]"}}},
     .overloads = {lift<array_iff>()}},
    {.name = "array_index_of",
     .category = "array",
     .summary = "The place of a value in an array.",
     .params = {{{"array", "An array."},
                 {"value", "The value to find; numbers compare by value."},
                 {"[start]", "Where to begin, 0 when left out; negative from the end."},
                 {"[length]", "How many elements to look at, -1 for all."},
                 {"[occurrence]", "Which of several, 1 for the first."}}},
     .returns = "A long counted from 0, -1 when absent; null when the first argument is no array.",
     .examples = {{{"print array_index_of(dynamic(['a', 'b', 'a']), 'a')", "0"},
                   {"print array_index_of(dynamic(['a', 'b', 'a']), 'a', 1)", "2"},
                   {"print array_index_of(dynamic([1, 2]), 5)", "-1"}}},
     .overloads = {lift<array_index_of>()}},
    {.name = "array_length",
     .aliases = {"arraylength"},
     .category = "array",
     .summary = "How many elements an array has.",
     .params = {{{"array", "An array."}}},
     .returns = "A long; null when the argument is no array.",
     .examples = {{{"print array_length(dynamic([1, 'a', null]))", "3"}}},
     .overloads = {lift<array_length>()}},
    {.name = "array_reverse",
     .category = "array",
     .summary = "The elements in reverse order.",
     .params = {{{"array", "An array."}}},
     .returns = "An array; null when the argument is no array.",
     .examples = {{{"print array_reverse(dynamic([1, 2, 3]))", "[3,2,1]"}}},
     .overloads = {lift<array_reverse>()}},
    {.name = "array_rotate_left",
     .category = "array",
     .summary = "Moves the elements to the left; those that leave come back at the end.",
     .params = {{{"array", "An array."},
                 {"count", "By how many places; negative turns the other way."}}},
     .returns = "An array; null when the argument is no array.",
     .examples = {{{"print array_rotate_left(dynamic([1, 2, 3, 4]), 1)", "[2,3,4,1]"}}},
     .overloads = {lift<array_rotate_left>()}},
    {.name = "array_rotate_right",
     .category = "array",
     .summary = "Moves the elements to the right; those that leave come back at the start.",
     .params = {{{"array", "An array."},
                 {"count", "By how many places; negative turns the other way."}}},
     .returns = "An array; null when the argument is no array.",
     .examples = {{{"print array_rotate_right(dynamic([1, 2, 3, 4]), 1)", "[4,1,2,3]"}}},
     .overloads = {lift<array_rotate_right>()}},
    {.name = "array_select_dict",
     .category = "array",
     .summary = "The first bag of an array that has a key with a value.",
     .params = {{{"array", "An array."},
                 {"key", "The key to look at."},
                 {"value", "The value it must have."}}},
     .returns = "A bag; null when there is none.",
     .examples = {{{"print array_select_dict(dynamic([{'id': 1}, {'id': 2, 'x': 'b'}]), 'id', 2)",
                    "{\"id\":2,\"x\":\"b\"}"}}},
     .overloads = {lift<array_select_dict>()}},
    {.name = "array_shift_left",
     .category = "array",
     .summary = "Moves the elements to the left and drops those that leave.",
     .params = {{{"array", "An array."},
                 {"count", "By how many places; negative shifts right."},
                 {"[fill]", "The value of vacated places, null when left out.", true}}},
     .returns = "An array of the same length; null when the argument is no array.",
     .examples = {{{"print array_shift_left(dynamic([1, 2, 3, 4]), 2)", "[3,4,null,null]"}}},
     .overloads = {lift<array_shift_left>()}},
    {.name = "array_shift_right",
     .category = "array",
     .summary = "Moves the elements to the right and drops those that leave.",
     .params = {{{"array", "An array."},
                 {"[count]", "By how many places, 1 when left out; negative shifts left."},
                 {"[fill]", "The value of vacated places, null when left out.", true}}},
     .returns = "An array of the same length; null when the argument is no array.",
     .examples = {{{"print array_shift_right(dynamic([1, 2, 3]), 1, 0)", "[0,1,2]"}}},
     .overloads = {lift<array_shift_right>()}},
    {.name = "array_slice",
     .category = "array",
     .summary = "A part of an array.",
     .params = {{{"array", "An array."},
                 {"start", "The first element; negative from the end."},
                 {"end", "The element before which the part ends; negative from the end."}}},
     .returns = "An array, places outside clipped; null when the argument is no array.",
     .examples = {{{"print array_slice(dynamic([1, 2, 3, 4, 5]), 1, 3)", "[2,3]"},
                   {"print array_slice(dynamic([1, 2, 3]), -2, 9)", "[2,3]"}}},
     .overloads = {lift<array_slice>()}},
    {.name = "array_split",
     .category = "array",
     .summary = "Cuts an array into parts.",
     .params = {{{"array", "An array."},
                 {"points",
                  "An index or an array of them: where parts begin; negative from the end."}}},
     .returns = "An array of arrays, one more than points; null when an argument does not fit.",
     .examples = {{{"print array_split(dynamic([1, 2, 3, 4, 5]), dynamic([1, 3]))",
                    "[[1],[2,3],[4,5]]"},
                   {"print array_split(dynamic([1, 2, 3]), -1)", "[[1,2],[3]]"}}},
     .overloads = {lift<array_split>()}},
    {.name = "array_sum",
     .category = "array",
     .summary = "The sum of the numbers in an array.",
     .params = {{{"array",
                  "An array; what is no number does not count, timespans count as their "
                  "nanoseconds."}}},
     .returns = "A long while all are integers and it fits, else a real; null when there is none.",
     .examples = {{{"print array_sum(dynamic([1, 2, 3.5]))", "6.5"},
                   {"print array_sum(dynamic([1, 'a'])), array_sum(dynamic(['a']))", "1  null"}}},
     .overloads = {lift<array_sum>()}},
    {.name = "isarray",
     .category = "array",
     .summary = "Whether a value is an array.",
     .params = {{{"value", "Any value."}}},
     .returns = "A bool; false for JSON text and for null.",
     .examples = {{{"print isarray(dynamic([1])), isarray('[1]')", "true  false"}}},
     .overloads = {lift<is_array>()}},
    {.name = "len",
     .category = "array",
     .summary = "The length of a text in characters, of an array in elements, of a bag in keys.",
     .params = {{{"value", "A string, array or bag."}}},
     .returns = "A long; null for other values.",
     .examples = {{{"print len('héllo'), len(dynamic([1, 2]))", "5  2"}}},
     .overloads = {lift<length_of_text>(), lift<length_of_dynamic>()}},
    {.name = "pack_array",
     .category = "array",
     .summary = "An array of the given values.",
     .params = {{{"values...", "Values of any types; * stands for all fields."}}},
     .returns = "An array; nulls stay in it.",
     .examples = {{{"print pack_array(1, 'a', true)", "[1,\"a\",true]"}}},
     .bind = bind_dynamic_rows<pack_array>,
     .arguments_min = 0,
     .arguments_max = 255,
     .star = StarArgument::kValues,
     .meant_aggregation = "make_list(x)"},
    {.name = "repeat",
     .category = "array",
     .summary = "An array that holds one value several times.",
     .params = {{{"value", "A scalar."}, {"count", "How many times."}}},
     .returns = "An array; null when the count is negative or above 1,048,576.",
     .examples = {{{"print repeat('a', 3)", "[\"a\",\"a\",\"a\"]"}}},
     .overloads = {lift<repeat>()}},
    {.name = "strcat_array",
     .aliases = {"array_strcat"},
     .category = "array",
     .summary = "The texts of an array, joined.",
     .params = {{{"array", "An array."},
                 {"[delimiter]", "What to put between two, nothing when left out."}}},
     .returns = "A string; null when the argument is no array.",
     .examples = {{{"print strcat_array(dynamic(['a', 1, 'b']), '-')", "a-1-b"}}},
     .overloads = {lift<strcat_array>()},
     .meant_aggregation = "strcat_array(make_list(x), ',')"},
    {.name = "zip",
     .category = "array",
     .summary = "Turns arrays into one array of their first elements, second elements and so on.",
     .params = {{{"arrays...", "Two or more arrays."}}},
     .returns = "An array of arrays, as many as the longest argument has elements, nulls where one "
                "is too short.",
     .examples = {{{"print zip(dynamic([1, 2, 3]), dynamic(['a', 'b']))",
                    "[[1,\"a\"],[2,\"b\"],[3,null]]"}}},
     .bind = bind_dynamic_rows<zip>,
     .arguments_min = 2,
     .arguments_max = 16},
}};

}  // namespace

std::span<const ScalarFunction> array_functions() {
  return kArrayFunctions;
}

}  // namespace evq
