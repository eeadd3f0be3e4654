#include "apl/exec/candidates.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "apl/exec/eval.h"
#include "apl/exec/forwarding_sink.h"
#include "apl/exec/group_table.h"
#include "apl/exec/sort_numbers.h"
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

// Of each group the number that the last of its `count` smallest numbers has.
class FirstNumbers {
 public:
  explicit FirstNumbers(std::size_t count) : count_(count) {}

  void resize(std::size_t groups) {
    last_.resize(groups, kNumberMax);
    if (count_ > 1) {
      smallest_.resize(groups);
    }
  }
  void add(std::size_t group, std::uint64_t number) {
    if (count_ == 1) {
      last_[group] = std::min(last_[group], number);
    } else if (number < last_[group]) {
      add_to_heap(&smallest_[group], number, &last_[group]);
    }
  }
  std::uint64_t last(std::size_t group) const { return last_[group]; }
  std::size_t size_bytes() const {
    return last_.capacity() * sizeof(std::uint64_t) +
           smallest_.capacity() * sizeof(std::vector<std::uint64_t>) +
           held_ * sizeof(std::uint64_t);
  }

 private:
  // The largest of them is on top.
  void add_to_heap(std::vector<std::uint64_t>* heap, std::uint64_t number, std::uint64_t* last) {
    if (heap->size() == count_) {
      std::ranges::pop_heap(*heap);
      heap->back() = number;
    } else {
      heap->push_back(number);
      ++held_;
    }
    std::ranges::push_heap(*heap);
    if (heap->size() == count_) {
      *last = heap->front();
    }
  }

  const std::size_t count_;
  std::vector<std::uint64_t> last_;  // by group; the highest until there are enough
  std::vector<std::vector<std::uint64_t>> smallest_;  // by group
  std::size_t held_ = 0;
};

class CandidateSink final : public ForwardingSink {
 public:
  CandidateSink(const Executor& executor, const plan::RowCandidates& candidates,
                std::string_view name, std::unique_ptr<Sink> next)
      : ForwardingSink(std::move(next)),
        executor_(executor),
        candidates_(candidates),
        name_(name),
        by_arrival_(candidates.keys.empty() && candidates.count > 1),
        numbers_(by_arrival_ ? 1 : candidates.keys.size(), FirstNumbers(candidates.count)),
        lease_(executor.options().budget, name) {}

  Result<Flow> push(Chunk chunk) override {
    EVQ_TRY(executor_.check());
    if (chunk.empty()) {
      return Flow::kMore;
    }
    if (all_pass_) {
      return next().push(std::move(chunk));
    }
    AllocationMeter meter = executor_.meter(name_);
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
    AllocationMeter meter = executor_.meter(name_);
    EVQ_TRY(meter.guard([&] { drop_beaten(); }));
    EVQ_TRY(hand_on());
    return ForwardingSink::finish();
  }

 private:
  // Rows of a chunk, with what is known of each.
  struct Held {
    Chunk chunk;
    std::vector<std::uint32_t> groups;
    std::vector<std::uint8_t> is_first;               // of its group
    std::vector<std::vector<std::uint64_t>> numbers;  // by key: small ones are first
    std::size_t bytes = 0;
  };

  void keep_some(Chunk chunk) {
    const std::size_t known = group_count_;
    Held held;
    held.groups.assign(chunk.rows(), 0);
    number_groups(chunk, held.groups.data());
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      const std::vector<std::uint64_t>& numbers = held.numbers.emplace_back(numbers_of(chunk, i));
      numbers_[i].resize(group_count_);
      // Where a number is below all before it, as times are newest first, each would be noted.
      const bool falls = numbers.front() > numbers.back();
      for (std::size_t j = 0; j < numbers.size(); ++j) {
        const std::size_t row = falls ? numbers.size() - 1 - j : j;
        numbers_[i].add(held.groups[row], numbers[row]);
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
    drop_beaten(&held);
    if (!held.chunk.empty()) {
      held_bytes_ += held.bytes;
      held_.push_back(std::move(held));
    }
  }

  // By which a group's first rows are told. Without keys they are the first that come.
  std::vector<std::uint64_t> numbers_of(const Chunk& chunk, std::size_t index) const {
    std::vector<std::uint64_t> numbers;
    if (by_arrival_) {
      numbers.resize(chunk.rows());
      std::iota(numbers.begin(), numbers.end(), rows_seen_);
      return numbers;
    }
    const plan::SortKey& key = candidates_.keys[index];
    sort_numbers(chunk.column(key.column), key.order, &numbers);
    for (std::uint64_t& number : numbers) {
      number = std::min(number, kNumberMax);
    }
    return numbers;
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
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      if (held.numbers[i][row] <= numbers_[i].last(held.groups[row])) {
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
    if (kept.size() != held->groups.size()) {
      keep_rows(kept, held);
    }
    held->chunk.detach();
    const std::size_t row_bytes =
        sizeof(std::uint32_t) + sizeof(std::uint8_t) + held->numbers.size() * sizeof(std::uint64_t);
    held->bytes = held->chunk.size_bytes() + held->groups.size() * row_bytes;
  }

  void keep_rows(const RowList& kept, Held* held) {
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
    held_bytes_ = 0;
    for (Held& held : held_) {
      drop_beaten(&held);
      held_bytes_ += held.bytes;
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
    held_bytes_ = 0;
    rows_held_ = 0;
    EVQ_TRY(charge());
    return flow;
  }

  Status charge() {
    std::size_t bytes = held_bytes_ + (table_.has_value() ? table_->size_bytes() : 0);
    for (const FirstNumbers& numbers : numbers_) {
      bytes += numbers.size_bytes();
    }
    return lease_.resize(bytes);
  }

  const Executor& executor_;
  const plan::RowCandidates& candidates_;
  const std::string_view name_;
  std::optional<GroupTable> table_;  // where there are keys
  std::size_t group_count_ = 0;
  const bool by_arrival_;
  std::vector<FirstNumbers> numbers_;  // by key, or of arrivals
  std::vector<Held> held_;
  std::size_t held_bytes_ = 0;
  std::size_t rows_seen_ = 0;
  std::size_t rows_held_ = 0;
  bool all_pass_ = false;
  MemoryLease lease_;
};

}  // namespace

std::unique_ptr<Sink> make_candidate_sink(const Executor& executor,
                                          const plan::RowCandidates& candidates,
                                          std::string_view operator_name,
                                          std::unique_ptr<Sink> next) {
  return std::make_unique<CandidateSink>(executor, candidates, operator_name, std::move(next));
}

}  // namespace evq
