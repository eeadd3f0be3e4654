// Arrays as sets: unions, differences and intersections in the order of the first array, each
// value once. Values are equal as == sees them, so 1 and 1.0 are one element.

#include <array>
#include <optional>

#include "apl/functions/dynamic_elements.h"
#include "apl/functions/dynamic_rows.h"
#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "store/base/allocation_meter.h"

namespace evq {
namespace {

DynamicSet set_of(DynamicView array) {
  DynamicSet set;
  PollCounter poll;
  DynamicView::Iterator each(array);
  while (each.next()) {
    poll.add();
    set.insert(each.value());
  }
  return set;
}

bool all_arrays(std::span<const DynamicView> args) {
  for (const DynamicView& arg : args) {
    if (!arg.is_array()) {
      return false;
    }
  }
  return true;
}

bool set_union(std::span<const DynamicView> args, DynamicBuilder* out) {
  if (!all_arrays(args)) {
    return false;
  }
  DynamicSet seen;
  PollCounter poll;
  out->begin_array();
  for (const DynamicView& arg : args) {
    DynamicView::Iterator each(arg);
    while (each.next()) {
      poll.add();
      if (seen.insert(each.value())) {
        out->add_encoded(each.value());
      }
    }
  }
  out->end_array();
  return true;
}

// The elements of the first array that are in all (or in none) of the others.
template <bool kInOthers>
bool set_filter(std::span<const DynamicView> args, DynamicBuilder* out) {
  if (!all_arrays(args)) {
    return false;
  }
  std::vector<DynamicSet> others;
  for (const DynamicView& arg : args.subspan(1)) {
    others.push_back(set_of(arg));
  }
  DynamicSet seen;
  PollCounter poll;
  out->begin_array();
  DynamicView::Iterator each(args[0]);
  while (each.next()) {
    poll.add(args.size());
    bool kept = seen.insert(each.value());
    for (const DynamicSet& other : others) {
      kept = kept && other.contains(each.value()) == kInOthers;
    }
    if (kept) {
      out->add_encoded(each.value());
    }
  }
  out->end_array();
  return true;
}

std::optional<bool> set_has_element(DynamicView array, DynamicView value) {
  if (!array.is_array()) {
    return std::nullopt;
  }
  DynamicView::Iterator each(array);
  while (each.next()) {
    if (is_wanted(each.value(), value)) {
      return true;
    }
  }
  return false;
}

std::optional<bool> set_equals(DynamicView a, DynamicView b) {
  if (!a.is_array() || !b.is_array()) {
    return std::nullopt;
  }
  const DynamicSet left = set_of(a);
  const DynamicSet right = set_of(b);
  PollCounter poll;
  for (const DynamicView& value : left.values()) {
    poll.add();
    if (!right.contains(value)) {
      return false;
    }
  }
  return left.values().size() == right.values().size();
}

std::optional<double> jaccard_index(DynamicView a, DynamicView b) {
  if (!a.is_array() || !b.is_array()) {
    return std::nullopt;
  }
  const DynamicSet left = set_of(a);
  const DynamicSet right = set_of(b);
  std::size_t common = 0;
  PollCounter poll;
  for (const DynamicView& value : left.values()) {
    poll.add();
    common += right.contains(value) ? 1U : 0U;
  }
  const std::size_t total = left.values().size() + right.values().size() - common;
  if (total == 0) {
    return std::nullopt;
  }
  return static_cast<double>(common) / static_cast<double>(total);
}

constexpr std::array<ScalarFunction, 6> kSetFunctions = {{
    {.name = "jaccard_index",
     .category = "set",
     .summary = "How alike two arrays are as sets: common values over all values.",
     .params = {{{"a", "An array."}, {"b", "An array."}}},
     .returns = "A real from 0 to 1; null when both are empty or one is no array.",
     .examples = {{{"print jaccard_index(dynamic([1, 2, 3]), dynamic([2, 3, 4]))", "0.5"}}},
     .overloads = {lift<jaccard_index>()}},
    {.name = "set_difference",
     .category = "set",
     .summary = "The values of the first array that are in none of the others.",
     .params = {{{"arrays...", "Two or more arrays."}}},
     .returns =
         "An array in the order of the first, each value once; null when an argument is no array.",
     .examples = {{{"print set_difference(dynamic([1, 2, 2, 3]), dynamic([3]))", "[1,2]"}}},
     .bind = bind_dynamic_rows<set_filter<false>>,
     .arguments_min = 2,
     .arguments_max = 64},
    {.name = "set_equals",
     .category = "set",
     .summary = "Whether two arrays have the same values, in whatever order and however often.",
     .params = {{{"a", "An array."}, {"b", "An array."}}},
     .returns = "A bool; null when one is no array.",
     .examples = {{{"print set_equals(dynamic([1, 2, 2]), dynamic([2.0, 1]))", "true"}}},
     .overloads = {lift<set_equals>()}},
    {.name = "set_has_element",
     .category = "set",
     .summary = "Whether an array has a value.",
     .params = {{{"array", "An array."},
                 {"value", "The value to look for; numbers compare by value."}}},
     .returns = "A bool; null when the first argument is no array.",
     .examples = {{{"print set_has_element(dynamic(['a', 'b']), 'b')", "true"}}},
     .overloads = {lift<set_has_element>()}},
    {.name = "set_intersect",
     .category = "set",
     .summary = "The values that all of the arrays have.",
     .params = {{{"arrays...", "Two or more arrays."}}},
     .returns =
         "An array in the order of the first, each value once; null when an argument is no array.",
     .examples = {{{"print set_intersect(dynamic([1, 2, 3]), dynamic([3, 2.0]))", "[2,3]"}}},
     .bind = bind_dynamic_rows<set_filter<true>>,
     .arguments_min = 2,
     .arguments_max = 64},
    {.name = "set_union",
     .category = "set",
     .summary = "The values that any of the arrays has.",
     .params = {{{"arrays...", "Two or more arrays."}}},
     .returns =
         "An array in the order of the first, each value once; null when an argument is no array.",
     .examples = {{{"print set_union(dynamic([1, 2]), dynamic([2, 3]))", "[1,2,3]"}}},
     .bind = bind_dynamic_rows<set_union>,
     .arguments_min = 1,
     .arguments_max = 64,
     .meant_aggregation = "make_set(x)"},
}};

}  // namespace

std::span<const ScalarFunction> set_functions() {
  return kSetFunctions;
}

}  // namespace evq
