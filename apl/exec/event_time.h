#pragma once
// Event times: which columns of a plan are the times that blocks are laid out by and told apart by,
// so that a bound on them spares a scan whole blocks (TimeBound). Pure; any thread.

#include <cstddef>
#include <optional>

#include "apl/exec/executor.h"
#include "apl/plan/plan.h"
#include "store/column/vector.h"

namespace evq {

// Whether all rows of a block lie in a scan's arrivals and between these times, both included.
bool lies_inside(const SnapshotBlock& block, const plan::Scan& scan, std::int64_t time_min,
                 std::int64_t time_max);

// True when column `column` of `node`'s output is the event time of one scan below it, reached
// through operators only that work row by row.
bool is_event_time(const plan::Node& node, std::size_t column);

// The input column of an aggregation without groups that asks for nothing but the rows with the
// newest, or the oldest, event times.
struct ChosenTime {
  std::size_t column;
  bool newest;
};
std::optional<ChosenTime> chosen_time(const plan::Aggregate& op, const plan::Node& input);

// Draws a bound to the newest, or the oldest, of some times.
void draw_to_extreme(const Vector& times, TimeBound* bound);

// Draws a bound to a time on whose side, as the catalog tells, at least so many rows of `node` lie;
// leaves it where rows are dropped on the way from the scan.
Status draw_to_catalog(Executor& executor, const plan::Node& node, std::size_t rows,
                       TimeBound* bound);

}  // namespace evq
