#include "apl/plan/asked_time.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <variant>

#include "apl/functions/time_range.h"
#include "apl/plan/optimizer.h"
#include "store/base/allocation_meter.h"

namespace evq::plan {
namespace {

// The time that all scans of a plan have together.
class ScannedTime {
 public:
  explicit ScannedTime(const EvalContext& context) : context_(context) {}

  // As the optimiser will have it, which knows what a condition on a computed column says.
  void add_plan(const Node& node) {
    add_scans(*tighten_time_range(push_filters(clone(node), context_), context_));
  }

  std::int64_t start_ns() const { return start_ns_; }
  std::int64_t end_ns() const { return end_ns_; }

 private:
  void add_scans(const Node& node) {
    if (const auto* scan = std::get_if<Scan>(&node.op)) {
      start_ns_ = std::min(start_ns_, scan->time_min);
      end_ns_ = std::max(end_ns_, scan->time_max);
    } else if (const auto* shared = std::get_if<Shared>(&node.op);
               shared != nullptr && added_.insert(shared->plan).second) {
      // Once is enough: the ways to plans that share others double with each of them.
      add_plan(*shared->plan);
    }
    for (const NodePtr& input : node.inputs) {
      add_scans(*input);
    }
  }

  const EvalContext& context_;
  std::set<std::shared_ptr<const Node>> added_;  // shared plans
  std::int64_t start_ns_ = kUnboundedEnd;        // none so far
  std::int64_t end_ns_ = kUnboundedStart;
};

}  // namespace

Result<std::optional<EvalContext>> asked_time_range(const Node& node, const EvalContext& context) {
  const std::optional<KnownRange> known = known_time_range(context);
  const bool open_start = context.range_start_ns == kUnboundedStart;
  const bool open_end = context.range_end_ns == kUnboundedEnd;
  if (!known.has_value() || (!open_start && !open_end)) {
    return std::optional<EvalContext>();
  }
  ScannedTime asked(context);
  AllocationMeter meter(nullptr, context.control, "plan");
  EVQ_TRY(meter.guard([&] { asked.add_plan(node); }));
  EvalContext closed = context;
  if (open_start && asked.start_ns() > known->start_ns) {
    closed.range_start_ns = asked.start_ns();
  }
  if (open_end && asked.end_ns() < known->end_ns) {
    closed.range_end_ns = asked.end_ns();
  }
  const bool changed = closed.range_start_ns != context.range_start_ns ||
                       closed.range_end_ns != context.range_end_ns;
  return changed && known_time_range(closed).has_value() ? std::optional(closed)
                                                         : std::optional<EvalContext>();
}

}  // namespace evq::plan
