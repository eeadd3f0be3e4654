#include "apl/exec/candidates.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "apl/exec/eval.h"
#include "apl/exec/forwarding_sink.h"
#include "apl/exec/group_table.h"
#include "apl/exec/row_sorter.h"
#include "apl/functions/canonical.h"
#include "apl/functions/number_codes.h"
#include "store/base/allocation_meter.h"

namespace evq {
namespace {

// After so many rows it is clear whether leaving some out pays: when fewer than half stay.
constexpr std::size_t kTrialRows = 131072;
// Rows that are held at most until they are looked at again.
constexpr std::size_t kHeldRowsMax = 262144;
// Missing values and the extreme one are not told apart.
constexpr std::uint64_t kNumberMax = std::numeric_limits<std::uint64_t>::max() - 1;

class CandidateSink final : public ForwardingSink {
 public:
  CandidateSink(const Executor& executor, const plan::RowCandidates& candidates,
                std::unique_ptr<Sink> next)
      : ForwardingSink(std::move(next)),
        executor_(executor),
        candidates_(candidates),
        best_(candidates.extremes.size()),
        lease_(executor.options().budget, "summarize") {}

  Result<Flow> push(Chunk chunk) override {
    EVQ_TRY(executor_.check());
    if (chunk.empty()) {
      return Flow::kMore;
    }
    if (all_pass_) {
      return next().push(std::move(chunk));
    }
    AllocationMeter meter(executor_.options().budget, executor_.options().control, "summarize");
    EVQ_TRY(meter.guard([&] { keep_some(std::move(chunk)); }));
    EVQ_TRY(charge());
    if (rows_seen_ >= kTrialRows && rows_held_ * 2 > rows_seen_) {
      all_pass_ = true;
      return hand_on();
    }
    if (rows_held_ > kHeldRowsMax) {
      EVQ_TRY(meter.guard([&] { drop_beaten(); }));
      all_pass_ = rows_held_ > kHeldRowsMax / 2;
      EVQ_TRY(charge());
      return all_pass_ ? hand_on() : Flow::kMore;
    }
    return Flow::kMore;
  }

  Status finish() override {
    AllocationMeter meter(executor_.options().budget, executor_.options().control, "summarize");
    EVQ_TRY(meter.guard([&] { drop_beaten(); }));
    EVQ_TRY_ASSIGN(const Flow flow, hand_on());
    static_cast<void>(flow);
    return ForwardingSink::finish();
  }

 private:
  // Rows of a chunk, with what is known of each.
  struct Held {
    Chunk chunk;
    std::vector<std::uint32_t> groups;
    std::vector<std::uint8_t> is_first;               // of its group
    std::vector<std::vector<std::uint64_t>> numbers;  // by extreme: small ones are preferred
  };

  void keep_some(Chunk chunk) {
    const std::size_t known = group_count_;
    Held held;
    held.groups.assign(chunk.rows(), 0);
    number_groups(chunk, held.groups.data());
    for (std::size_t i = 0; i < candidates_.extremes.size(); ++i) {
      std::vector<std::uint64_t>& numbers = held.numbers.emplace_back();
      sort_numbers(chunk.column(candidates_.extremes[i]), {candidates_.largest[i], false},
                   &numbers);
      best_[i].resize(group_count_, kNumberMax);
      std::uint64_t* const best = best_[i].data();
      for (std::size_t row = 0; row < numbers.size(); ++row) {
        numbers[row] = std::min(numbers[row], kNumberMax);
        best[held.groups[row]] = std::min(best[held.groups[row]], numbers[row]);
      }
    }
    held.is_first.assign(chunk.rows(), 0);
    std::vector<std::uint8_t> seen(group_count_ - known, 0);
    for (std::size_t row = 0; !seen.empty() && row < held.groups.size(); ++row) {
      if (held.groups[row] >= known && seen[held.groups[row] - known] == 0) {
        seen[held.groups[row] - known] = 1;
        held.is_first[row] = 1;
      }
    }
    rows_seen_ += chunk.rows();
    held.chunk = std::move(chunk);
    rows_held_ += held.chunk.rows();
    held_.push_back(std::move(held));
    drop_beaten(&held_.back());
  }

  void number_groups(const Chunk& chunk, std::uint32_t* groups) {
    if (candidates_.groups.empty()) {
      group_count_ = 1;
      return;
    }
    std::vector<Vector> keys;
    std::vector<Type> types;
    for (const std::size_t column : candidates_.groups) {
      types.push_back(chunk.column(column).type());
      keys.push_back(code_numbers(canonical_dynamics(chunk.column(column))));
    }
    if (!table_.has_value()) {
      table_.emplace(types, executor_.context().random_seed);
    }
    table_->assign(keys, chunk.rows(), 0, groups);
    group_count_ = table_->size();
  }

  bool may_be_chosen(const Held& held, std::size_t row) const {
    for (std::size_t i = 0; i < best_.size(); ++i) {
      if (held.numbers[i][row] <= best_[i][held.groups[row]]) {
        return true;
      }
    }
    return false;
  }

  void drop_beaten(Held* held) {
    RowList kept;
    for (std::size_t row = 0; row < held->groups.size(); ++row) {
      if (held->is_first[row] != 0 || may_be_chosen(*held, row)) {
        kept.push_back(static_cast<std::uint32_t>(row));
      }
    }
    if (kept.size() == held->groups.size()) {
      return;
    }
    rows_held_ -= held->groups.size() - kept.size();
    const auto keep = [&kept](auto* values) {
      for (std::size_t i = 0; i < kept.size(); ++i) {
        (*values)[i] = (*values)[kept[i]];
      }
      values->resize(kept.size());
      values->shrink_to_fit();
    };
    keep(&held->groups);
    keep(&held->is_first);
    for (std::vector<std::uint64_t>& numbers : held->numbers) {
      keep(&numbers);
    }
    held->chunk.select(kept);
  }

  void drop_beaten() {
    for (Held& held : held_) {
      drop_beaten(&held);
    }
  }

  Result<Flow> hand_on() {
    Flow flow = Flow::kMore;
    for (Held& held : held_) {
      if (flow == Flow::kMore && !held.chunk.empty()) {
        EVQ_TRY_ASSIGN(flow, next().push(std::move(held.chunk)));
      }
    }
    held_.clear();
    rows_held_ = 0;
    EVQ_TRY(charge());
    return flow;
  }

  Status charge() {
    std::size_t bytes = table_.has_value() ? table_->size_bytes() : 0;
    for (const std::vector<std::uint64_t>& best : best_) {
      bytes += best.capacity() * sizeof(std::uint64_t);
    }
    const std::size_t row_bytes = 8 + best_.size() * sizeof(std::uint64_t);
    for (const Held& held : held_) {
      bytes += held.chunk.size_bytes() + held.groups.size() * row_bytes;
    }
    return lease_.resize(bytes);
  }

  const Executor& executor_;
  const plan::RowCandidates& candidates_;
  std::optional<GroupTable> table_;  // where there are keys
  std::size_t group_count_ = 0;
  std::vector<std::vector<std::uint64_t>> best_;  // by extreme and group
  std::vector<Held> held_;
  std::size_t rows_seen_ = 0;
  std::size_t rows_held_ = 0;
  bool all_pass_ = false;
  MemoryLease lease_;
};

}  // namespace

std::unique_ptr<Sink> make_candidate_sink(const Executor& executor,
                                          const plan::RowCandidates& candidates,
                                          std::unique_ptr<Sink> next) {
  return std::make_unique<CandidateSink>(executor, candidates, std::move(next));
}

}  // namespace evq
