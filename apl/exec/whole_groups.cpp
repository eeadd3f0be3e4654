#include "apl/exec/whole_groups.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "apl/exec/forwarding_sink.h"
#include "apl/exec/group_parts.h"
#include "apl/exec/group_states.h"
#include "store/base/allocation_meter.h"
#include "store/base/limits.h"

namespace evq {
namespace {

// The groups of one chunk, and of those after it while they are of the same expanded row.
class WholeGroupsSink final : public ForwardingSink {
 public:
  WholeGroupsSink(const GroupStates::Spec& spec, const Executor& executor,
                  std::unique_ptr<Sink> next)
      : ForwardingSink(std::move(next)), spec_(spec), executor_(executor) {}

  Result<Flow> push(Chunk chunk) override {
    EVQ_TRY(executor_.check());
    if (chunk.empty()) {
      return Flow::kMore;
    }
    const Vector& places = chunk.column(spec_.op.groups[0]);
    if (groups_ != nullptr && places.at<std::int64_t>(0) != last_place_) {
      EVQ_TRY_ASSIGN(const Flow flow, hand_on());
      if (flow == Flow::kDone) {
        return flow;
      }
    }
    if (groups_ == nullptr) {
      groups_ = std::make_unique<GroupStates>(spec_);
      sequence_ = chunk.sequence();
      rows_ = 0;
    }
    last_place_ = places.at<std::int64_t>(chunk.rows() - 1);
    EVQ_TRY(groups_->add(chunk, GroupParts::keys_of(spec_.op, chunk), rows_));
    rows_ += chunk.rows();
    return Flow::kMore;
  }

  Status finish() override {
    if (groups_ != nullptr) {
      EVQ_TRY(hand_on());
    }
    return ForwardingSink::finish();
  }

  std::size_t groups() const { return groups_made_; }

 private:
  // Groups stay charged while the operators after this one have them.
  Result<Flow> hand_on() {
    const std::unique_ptr<GroupStates> groups = std::move(groups_);
    groups_made_ += groups->size();
    EVQ_TRY(groups->settle());
    Flow flow = Flow::kMore;
    for (std::size_t begin = 0; begin < groups->size() && flow == Flow::kMore;
         begin += kChunkRowsMax) {
      AllocationMeter meter = executor_.meter("summarize");
      Chunk made;
      EVQ_TRY(meter.guard([&] { made = rows_from(*groups, begin); }));
      EVQ_TRY_ASSIGN(flow, next().push(std::move(made)));
    }
    return flow;
  }

  Chunk rows_from(const GroupStates& groups, std::size_t begin) const {
    std::vector<std::uint32_t> numbers(std::min(kChunkRowsMax, groups.size() - begin));
    std::iota(numbers.begin(), numbers.end(), static_cast<std::uint32_t>(begin));
    std::vector<Vector> columns = groups.keys(numbers);
    std::ranges::move(groups.results(begin, numbers.size()), std::back_inserter(columns));
    Chunk rows(std::move(columns), numbers.size());
    rows.set_sequence(sequence_);
    return rows;
  }

  const GroupStates::Spec& spec_;
  const Executor& executor_;
  std::unique_ptr<GroupStates> groups_;  // null while no row is held
  std::uint64_t sequence_ = 0;           // of the rows in groups_
  std::uint64_t rows_ = 0;
  std::int64_t last_place_ = 0;
  std::size_t groups_made_ = 0;
};

class WholeGroupsConsumer final : public Consumer {
 public:
  WholeGroupsConsumer(const GroupStates::Spec& spec, Executor& executor, Consumer& next)
      : spec_(spec), executor_(executor), next_(next) {}

  Result<std::unique_ptr<Sink>> make_sink() override {
    EVQ_TRY_ASSIGN(std::unique_ptr<Sink> next, next_.make_sink());
    return std::unique_ptr<Sink>(
        std::make_unique<WholeGroupsSink>(spec_, executor_, std::move(next)));
  }
  Status complete(std::vector<std::unique_ptr<Sink>> sinks) override {
    std::size_t groups = 0;
    for (const std::unique_ptr<Sink>& sink : sinks) {
      groups += static_cast<const WholeGroupsSink&>(*sink).groups();
    }
    executor_.stats().groups.store(groups);
    return next_.complete(forwarded_sinks(std::move(sinks)));
  }

 private:
  const GroupStates::Spec& spec_;
  Executor& executor_;
  Consumer& next_;
};

}  // namespace

bool comes_in_runs(const plan::Node& node, std::size_t column) {
  if (const auto* unnest = std::get_if<plan::Unnest>(&node.op)) {
    const std::size_t below = node.inputs[0]->schema.size();
    // A place from below is the same in all that is made of its row, which may be many chunks.
    return unnest->row_place && column == below + (unnest->item_index ? 1 : 0);
  }
  if (const auto* project = std::get_if<plan::Project>(&node.op)) {
    const plan::Expr& expr = *project->exprs[column];
    return expr.is_column() && comes_in_runs(*node.inputs[0], expr.column);
  }
  if (std::holds_alternative<plan::Aggregate>(node.op)) {
    return column == 0 && groups_by_place(node);
  }
  const bool keeps_rows =
      std::holds_alternative<plan::Filter>(node.op) ||
      (std::holds_alternative<plan::Extract>(node.op) && column < node.inputs[0]->schema.size());
  return keeps_rows && comes_in_runs(*node.inputs[0], column);
}

bool groups_by_place(const plan::Node& node) {
  const auto& op = std::get<plan::Aggregate>(node.op);
  return !op.groups.empty() && comes_in_runs(*node.inputs[0], op.groups[0]) &&
         std::ranges::all_of(op.aggregates, [](const plan::AggregateCall& call) {
           return call.row_cells == nullptr;
         });
}

Status run_whole_groups(Executor& executor, const plan::Node& node, Consumer& consumer) {
  const auto& op = std::get<plan::Aggregate>(node.op);
  std::vector<Type> key_types;
  for (std::size_t i = 0; i < op.groups.size(); ++i) {
    key_types.push_back(node.schema[i].type);
  }
  const GroupStates::Spec spec{op, executor.context(), std::move(key_types),
                               executor.options().budget};
  WholeGroupsConsumer groups(spec, executor, consumer);
  return executor.run(*node.inputs[0], groups);
}

}  // namespace evq
