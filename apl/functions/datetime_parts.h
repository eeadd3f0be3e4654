#pragma once
// datetime_part(), datetime_add() and datetime_diff(): calendar parts by their names, which queries
// write as texts. Null where there is no such part, and beyond the range of times. Any thread.

#include <cstdint>
#include <optional>
#include <string_view>

#include "apl/functions/function.h"
#include "apl/functions/lift_types.h"

namespace evq {

// Refuses a constant name of a part that does not exist while the query is bound, so that a typing
// error does not pass for missing data.
std::optional<BindFailure> check_date_part(const BindRequest& request);

std::optional<std::int64_t> datetime_part(std::string_view name, Datetime time);
std::optional<Datetime> datetime_add(std::string_view name, std::int64_t amount, Datetime time);
std::optional<std::int64_t> datetime_diff(std::string_view name, Datetime a, Datetime b);

// Kernels of datetime_part() and datetime_diff(), which read a constant name of a part only once.
Vector datetime_part_rows(const KernelCall& call);
Vector datetime_diff_rows(const KernelCall& call);

}  // namespace evq
