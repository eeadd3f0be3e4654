#include "apl/plan/asked_time.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>

#include "apl/functions/time_range.h"
#include "apl/plan/optimizer.h"

namespace evq::plan {
namespace {

struct ScannedTime {
  std::int64_t start_ns = kUnboundedEnd;  // of all scans together, none so far
  std::int64_t end_ns = kUnboundedStart;
};

void add_scans(const Node& node, const EvalContext& context, ScannedTime* time);

// As the optimiser will have it, which knows what a condition on a computed column says.
void add_plan(const Node& node, const EvalContext& context, ScannedTime* time) {
  add_scans(*tighten_time_range(push_filters(clone(node), context), context), context, time);
}

void add_scans(const Node& node, const EvalContext& context, ScannedTime* time) {
  if (const auto* scan = std::get_if<Scan>(&node.op)) {
    time->start_ns = std::min(time->start_ns, scan->time_min);
    time->end_ns = std::max(time->end_ns, scan->time_max);
  } else if (const auto* shared = std::get_if<Shared>(&node.op)) {
    add_plan(*shared->plan, context, time);
  }
  for (const NodePtr& input : node.inputs) {
    add_scans(*input, context, time);
  }
}

}  // namespace

std::optional<EvalContext> asked_time_range(const Node& node, const EvalContext& context) {
  const std::optional<KnownRange> known = known_time_range(context);
  const bool open_start = context.range_start_ns == kUnboundedStart;
  const bool open_end = context.range_end_ns == kUnboundedEnd;
  if (!known.has_value() || (!open_start && !open_end)) {
    return std::nullopt;
  }
  ScannedTime asked;
  add_plan(node, context, &asked);
  EvalContext closed = context;
  if (open_start && asked.start_ns > known->start_ns) {
    closed.range_start_ns = asked.start_ns;
  }
  if (open_end && asked.end_ns < known->end_ns) {
    closed.range_end_ns = asked.end_ns;
  }
  const bool changed = closed.range_start_ns != context.range_start_ns ||
                       closed.range_end_ns != context.range_end_ns;
  return changed && known_time_range(closed).has_value() ? std::optional(closed) : std::nullopt;
}

}  // namespace evq::plan
