// array_sort_asc() and array_sort_desc(). In both directions numbers and times come before texts,
// and those before everything else; further arrays follow the order of the first.

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "apl/functions/dynamic_elements.h"
#include "apl/functions/dynamic_rows.h"
#include "apl/functions/registry.h"
#include "store/base/allocation_meter.h"

namespace evq {
namespace {

int sorting_group(DynamicView value) {
  const bool is_time = value.tag() == DynamicTag::kDatetime || value.tag() == DynamicTag::kTimespan;
  return value.is_number() || is_time ? 0 : value.is_string() ? 1 : 2;
}

// Numbers by value, texts by code point, nulls last in both directions unless the last argument is
// false. Further arrays are put into the order of the first, null when they are of another length,
// and all of them come as one array.
template <int kSign>
bool array_sort(std::span<const DynamicView> args, DynamicBuilder* out) {
  const bool says = args.size() > 1 && args.back().is_bool();
  const bool nulls_last = !says || args.back().as_bool();
  const std::span<const DynamicView> arrays = args.first(args.size() - (says ? 1 : 0));
  if (arrays[0].is_null()) {
    return false;
  }
  const Elements keys = arrays[0].is_array() ? elements_of(arrays[0]) : Elements();
  ScratchVector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  PollCounter poll;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    poll.add();
    if (keys[a].is_null() || keys[b].is_null()) {
      return keys[a].is_null() != keys[b].is_null() && keys[b].is_null() == nulls_last;
    }
    const int group_a = sorting_group(keys[a]);
    const int group_b = sorting_group(keys[b]);
    return group_a != group_b ? group_a < group_b : compare_dynamic(keys[a], keys[b]) * kSign < 0;
  });
  const auto add = [&](std::span<const DynamicView> elements) {
    out->begin_array();
    for (const std::size_t at : order) {
      out->add_encoded(elements[at]);
    }
    out->end_array();
  };
  if (arrays.size() == 1) {
    add(keys);
    return true;
  }
  out->begin_array();
  add(keys);
  for (const DynamicView array : arrays.subspan(1)) {
    if (array.is_array() && array.size() == keys.size()) {
      add(elements_of(array));
    } else {
      out->add_null();
    }
  }
  out->end_array();
  return true;
}

// Only its type tells the last argument from one more array.
template <int kSign>
BindResult bind_array_sort(const BindRequest& request) {
  BindResult bound = bind_dynamic_rows<array_sort<kSign>>(request);
  const std::size_t last = request.arguments.size() - 1;
  if (last > 0 && request.arguments[last].type == Type::kBool) {
    make_null_where_null({last}, request, &std::get<BoundCall>(bound));
  }
  return bound;
}

constexpr ParameterDoc kSortedArrays{"arrays...",
                                     "Arrays; the others are put into the order of the first."};
constexpr ParameterDoc kNullsLast{"[nulls_last]",
                                  "A bool: whether nulls come last, as they do by default."};
constexpr std::string_view kReturnsSorted =
    "An array: numbers and times by value, then texts by code point, then the rest; empty when the "
    "argument is no array. Of several arrays an array of arrays, null for one of another length "
    "than the first.";

constexpr std::array<ScalarFunction, 2> kArraySortFunctions = {{
    {.name = "array_sort_asc",
     .category = "array",
     .summary = "Sorts an array upwards, nulls last.",
     .params = {{kSortedArrays, kNullsLast}},
     .returns = kReturnsSorted,
     .examples = {{{"print array_sort_asc(dynamic([3, null, 1, 2]))", "[1,2,3,null]"},
                   {"print array_sort_asc(dynamic([2, 1]), dynamic(['b', 'a']))",
                    "[[1,2],[\"a\",\"b\"]]"}}},
     .bind = bind_array_sort<1>,
     .arguments_min = 1},
    {.name = "array_sort_desc",
     .category = "array",
     .summary = "Sorts an array downwards, nulls last.",
     .params = {{kSortedArrays, kNullsLast}},
     .returns = kReturnsSorted,
     .examples = {{{"print array_sort_desc(dynamic([3, null, 1, 2]))", "[3,2,1,null]"},
                   {"print array_sort_desc(dynamic([1, 'a', 2, 'b']))", "[2,1,\"b\",\"a\"]"}}},
     .bind = bind_array_sort<-1>,
     .arguments_min = 1},
}};

}  // namespace

std::span<const ScalarFunction> array_sort_functions() {
  return kArraySortFunctions;
}

}  // namespace evq
