#pragma once
// QueryProfile: what each node of a plan cost, for `evq query --profile`: the rows it made, and the
// time that threads spent in it, added up. Made for one run of an executor. The thread that runs
// the plan asks for costs; workers only add to them.
//
// Time is told apart at the borders between nodes: ProfiledConsumer stands at the place after a
// node, and while it hands something on, the thread's time is the next node's.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "apl/exec/operator.h"
#include "apl/plan/plan.h"

namespace evq {

struct NodeCost {
  std::atomic<std::uint64_t> rows{0};
  std::atomic<std::int64_t> time_ns{0};
};

class QueryProfile {
 public:
  // Returns the cost of a node, at an address that stays.
  NodeCost& of(const plan::Node& node) { return costs_[&node]; }
  // Returns the cost of a node; null when it has not run.
  const NodeCost* find(const plan::Node& node) const;

 private:
  std::map<const plan::Node*, NodeCost> costs_;
};

// Counts this thread's time for `cost`, or for nobody, while it lives; afterwards for whom it was
// counted before.
class TimeGoesTo {
 public:
  explicit TimeGoesTo(NodeCost* cost);
  ~TimeGoesTo();
  TimeGoesTo(const TimeGoesTo&) = delete;
  TimeGoesTo& operator=(const TimeGoesTo&) = delete;

  // Returns whom this thread's time is counted for now; may be null.
  static NodeCost* now();

 private:
  NodeCost* const before_;
};

// Counts the rows of `maker` on their way to `next`, whose time goes to `taker`.
class ProfiledConsumer final : public Consumer {
 public:
  ProfiledConsumer(NodeCost& maker, NodeCost* taker, Consumer& next)
      : maker_(maker), taker_(taker), next_(next) {}
  Result<std::unique_ptr<Sink>> make_sink() override;
  Status complete(std::vector<std::unique_ptr<Sink>> sinks) override;

 private:
  NodeCost& maker_;
  NodeCost* const taker_;
  Consumer& next_;
};

}  // namespace evq
