// The window functions: they look at other rows of an ordered stream, so the planner computes them
// in an operator of its own. These rows document them; binding one as an ordinary call tells what
// the call lacks.

#include <array>
#include <string>

#include "apl/functions/registry.h"

namespace evq {
namespace {

BindResult bind_window(const BindRequest& /*request*/) {
  return BindFailure{-1, "a window function needs rows in an order",
                     "put `sort by …` or `serialize` before it, and use it in extend, project, "
                     "serialize or where"};
}

constexpr std::string_view kCategory = "window";

constexpr std::array<ScalarFunction, 7> kWindowFunctions = {{
    {.name = "next",
     .category = kCategory,
     .summary = "The value of a later row.",
     .params = {{{"value", "The expression to take from it."},
                 {"[offset]", "How many rows later, 1 when left out."},
                 {"[default]", "The result after the last row, null when left out."}}},
     .returns = "The type of `value`.",
     .examples = {{{"datatable(x:long)[1, 2, 3] | serialize y = next(x) | summarize make_list(y)",
                    "[2,3]"}}},
     .bind = bind_window,
     .arguments_min = 1,
     .arguments_max = 3,
     .flags = FunctionFlags::kPerRow,
     .window = WindowKind::kNext},
    {.name = "prev",
     .category = kCategory,
     .summary = "The value of an earlier row.",
     .params = {{{"value", "The expression to take from it."},
                 {"[offset]", "How many rows earlier, 1 when left out."},
                 {"[default]", "The result before the first row, null when left out."}}},
     .returns = "The type of `value`.",
     .examples = {{{"datatable(x:long)[1, 2, 3] | serialize y = prev(x, 1, 0) | summarize "
                    "make_list(y)",
                    "[0,1,2]"}}},
     .bind = bind_window,
     .arguments_min = 1,
     .arguments_max = 3,
     .flags = FunctionFlags::kPerRow,
     .window = WindowKind::kPrev},
    {.name = "row_cumsum",
     .category = kCategory,
     .summary = "The sum of a value over all rows so far.",
     .params = {{{"value", "The number or timespan to add up."},
                 {"[restart]", "A condition: the sum begins anew where it is true."}}},
     .returns = "The type of `value`.",
     .examples = {{{"datatable(x:long)[1, 2, 3] | serialize y = row_cumsum(x) | summarize "
                    "make_list(y)",
                    "[1,3,6]"}}},
     .bind = bind_window,
     .arguments_min = 1,
     .arguments_max = 2,
     .flags = FunctionFlags::kPerRow,
     .window = WindowKind::kRowCumsum},
    {.name = "row_number",
     .category = kCategory,
     .summary = "The number of the row.",
     .params = {{{"[start]", "The first number, 1 when left out."},
                 {"[restart]", "A condition: counting begins anew where it is true."}}},
     .returns = "A long.",
     .examples = {{{"datatable(x:long)[7, 8] | serialize n = row_number() | summarize "
                    "make_list(n)",
                    "[1,2]"}}},
     .bind = bind_window,
     .arguments_min = 0,
     .arguments_max = 2,
     .flags = FunctionFlags::kPerRow,
     .window = WindowKind::kRowNumber},
    {.name = "row_rank_dense",
     .category = kCategory,
     .summary = "How many different values there were so far, this one included.",
     .params = {{{"value", "The value, equal in rows that follow each other."},
                 {"[restart]", "A condition: ranking begins anew where it is true."}}},
     .returns = "A long.",
     .examples = {{{"datatable(x:long)[5, 5, 6] | serialize r = row_rank_dense(x) | summarize "
                    "make_list(r)",
                    "[1,1,2]"}}},
     .bind = bind_window,
     .arguments_min = 1,
     .arguments_max = 2,
     .flags = FunctionFlags::kPerRow,
     .window = WindowKind::kRowRankDense},
    {.name = "row_rank_min",
     .category = kCategory,
     .summary = "The number of the first row with this row's value.",
     .params = {{{"value", "The value, equal in rows that follow each other."},
                 {"[restart]", "A condition: ranking begins anew where it is true."}}},
     .returns = "A long.",
     .examples = {{{"datatable(x:long)[5, 5, 6] | serialize r = row_rank_min(x) | summarize "
                    "make_list(r)",
                    "[1,1,3]"}}},
     .bind = bind_window,
     .arguments_min = 1,
     .arguments_max = 2,
     .flags = FunctionFlags::kPerRow,
     .window = WindowKind::kRowRankMin},
    {.name = "row_window_session",
     .category = kCategory,
     .summary = "The start of the session that the row's time belongs to.",
     .params = {{{"time", "The datetime, ascending."},
                 {"from_first",
                  "How long a session lasts at most: a row that far from its first "
                  "one begins another."},
                 {"between",
                  "How far apart its rows are at most: a row that far from the one "
                  "before begins another."},
                 {"[restart]", "A condition: a session begins where it is true."}}},
     .returns = "A datetime; null without a time, where the session ends too.",
     .examples = {{{"datatable(t:datetime)[datetime(2024-05-01 10:00), datetime(2024-05-01 10:01)]"
                    " | serialize s = row_window_session(t, 1h, 5m) | summarize dcount(s)",
                    "1"}}},
     .bind = bind_window,
     .arguments_min = 3,
     .arguments_max = 4,
     .flags = FunctionFlags::kPerRow,
     .window = WindowKind::kRowWindowSession},
}};

}  // namespace

std::span<const ScalarFunction> window_functions() {
  return kWindowFunctions;
}

}  // namespace evq
