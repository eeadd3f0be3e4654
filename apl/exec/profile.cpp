#include "apl/exec/profile.h"

#include <utility>

#include "apl/exec/forwarding_sink.h"
#include "store/base/time.h"

namespace evq {
namespace {

struct Stopwatch {
  NodeCost* cost = nullptr;
  std::int64_t since_ns = 0;
};

Stopwatch& stopwatch() {
  thread_local Stopwatch of_this_thread;
  return of_this_thread;
}

void switch_to(NodeCost* cost) {
  Stopwatch& watch = stopwatch();
  const std::int64_t now = monotonic_now_ns();
  if (watch.cost != nullptr) {
    watch.cost->time_ns += now - watch.since_ns;
  }
  watch = {cost, now};
}

class ProfiledSink final : public ForwardingSink {
 public:
  ProfiledSink(NodeCost& maker, NodeCost* taker, std::unique_ptr<Sink> next)
      : ForwardingSink(std::move(next)), maker_(maker), taker_(taker) {}
  Result<Flow> push(Chunk chunk) override {
    maker_.rows += chunk.rows();
    const TimeGoesTo taker(taker_);
    return next().push(std::move(chunk));
  }
  Status finish() override {
    const TimeGoesTo taker(taker_);
    return ForwardingSink::finish();
  }

 private:
  NodeCost& maker_;
  NodeCost* const taker_;
};

}  // namespace

const NodeCost* QueryProfile::find(const plan::Node& node) const {
  const auto at = costs_.find(&node);
  return at == costs_.end() ? nullptr : &at->second;
}

TimeGoesTo::TimeGoesTo(NodeCost* cost) : before_(now()) {
  switch_to(cost);
}

TimeGoesTo::~TimeGoesTo() {
  switch_to(before_);
}

NodeCost* TimeGoesTo::now() {
  return stopwatch().cost;
}

Result<std::unique_ptr<Sink>> ProfiledConsumer::make_sink() {
  EVQ_TRY_ASSIGN(std::unique_ptr<Sink> next, next_.make_sink());
  return std::unique_ptr<Sink>(std::make_unique<ProfiledSink>(maker_, taker_, std::move(next)));
}

Status ProfiledConsumer::complete(std::vector<std::unique_ptr<Sink>> sinks) {
  const TimeGoesTo taker(taker_);
  return next_.complete(forwarded_sinks(std::move(sinks)));
}

}  // namespace evq
