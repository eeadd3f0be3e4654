#pragma once
// Event times: which columns of a plan are the times that blocks are laid out by and told apart by,
// so that a bound on them spares a scan whole blocks (time_bound.h). Pure; any thread.

#include <cstddef>
#include <optional>

#include "apl/plan/plan.h"

namespace evq {

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

}  // namespace evq
