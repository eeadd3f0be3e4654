#include "apl/service/answer_rows.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "apl/exec/collect_sink.h"
#include "apl/plan/node_traits.h"
#include "store/base/check.h"

namespace evq {
namespace {

class PassingSink final : public Sink {
 public:
  PassingSink(MemoryBudget* budget, bool kept, const PassedRows::Take& take)
      : lease_(budget, "result"), kept_(kept), take_(take) {}
  Result<Flow> push(Chunk chunk) override {
    if (kept_) {
      EVQ_TRY(lease_.grow(chunk.size_bytes()));
    }
    EVQ_TRY(take_(chunk));
    return Flow::kMore;
  }
  MemoryLease& lease() { return lease_; }

 private:
  MemoryLease lease_;
  const bool kept_;
  const PassedRows::Take& take_;
};

}  // namespace

bool comes_in_order(const plan::Node& node) {
  const plan::RowOrder order = plan::traits_of(node.op).order;
  // It may hold all rows, which it hands to several sinks then.
  if (order != plan::RowOrder::kOfInput || std::holds_alternative<plan::Window>(node.op)) {
    return order == plan::RowOrder::kOwn;
  }
  return comes_in_order(*node.inputs[0]);
}

Result<std::unique_ptr<Sink>> KeptRows::make_sink() {
  return std::unique_ptr<Sink>(
      std::make_unique<CollectSink>(MemoryLease(charge_->budget.get(), "result")));
}

Status KeptRows::complete(std::vector<std::unique_ptr<Sink>> sinks) {
  for (const std::unique_ptr<Sink>& sink : sinks) {
    auto& kept = static_cast<CollectSink&>(*sink);
    std::ranges::move(kept.chunks(), std::back_inserter(chunks_));
    charge_->leases.push_back(std::move(kept.lease()));
  }
  std::ranges::stable_sort(chunks_, {}, &Chunk::sequence);
  return Status::success();
}

Result<std::unique_ptr<Sink>> PassedRows::make_sink() {
  return std::unique_ptr<Sink>(std::make_unique<PassingSink>(charge_->budget.get(), kept_, take_));
}

Status PassedRows::complete(std::vector<std::unique_ptr<Sink>> sinks) {
  EVQ_CHECK(sinks.size() == 1);
  charge_->leases.push_back(std::move(static_cast<PassingSink&>(*sinks[0]).lease()));
  return Status::success();
}

}  // namespace evq
