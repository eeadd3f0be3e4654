#pragma once
// FrequentItemsState: the part that aggregates over the most frequent byte strings share, a
// FrequentItems for each group. Derived classes add what they count and say how a group's answer
// is written.

#include <span>
#include <string_view>
#include <vector>

#include "apl/functions/aggregate_function.h"
#include "apl/functions/frequent_items.h"
#include "apl/functions/group_values.h"
#include "apl/functions/size_meter.h"
#include "store/base/allocation_meter.h"

namespace evq {

class FrequentItemsState : public AggregateState {
 public:
  void resize(std::size_t groups) override {
    if (groups > items_.size()) {
      items_.resize(groups, FrequentItems(counters_));
    }
  }

  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override {
    const auto& from = static_cast<const FrequentItemsState&>(other);
    PollCounter poll;
    for (const GroupPair pair : pairs) {
      poll.add(1 + from.items_[pair.from].size_bytes() / kPollTextBytes);
      from.items_[pair.from].with_settled([&](const FrequentItems& items) {
        meter_.grow(items_[pair.to], [&] { items_[pair.to].merge(items); });
      });
    }
    meter_.measure(items_);
  }

  void settle() override {
    PollCounter poll;
    for (FrequentItems& items : items_) {
      poll.add(1 + items.size_bytes() / kPollTextBytes);
      meter_.grow(items, [&] { items.settle(); });
    }
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    return {dynamics_of_groups(begin, count, [&](std::size_t group, DynamicBuilder* list) {
      list->begin_array();
      items_[group].with_settled([&](const FrequentItems& items) { append_answer(items, list); });
      list->end_array();
    })};
  }

  std::size_t size_bytes() const override { return meter_.bytes(items_); }

 protected:
  // `counters` is the capacity of each group, `row_bytes_max` what one row may add to its size, its
  // texts aside.
  FrequentItemsState(std::size_t counters, std::size_t row_bytes_max)
      : counters_(counters), meter_(row_bytes_max) {}

  // Appends the group's answer to the array that is open in `list`.
  virtual void append_answer(const FrequentItems& items, DynamicBuilder* list) const = 0;

  FrequentItems& items_of(std::size_t group) { return items_[group]; }
  std::size_t group_count() const { return items_.size(); }
  // Adds one of many items of a row and meters it at once; note_rows() is not told of such rows.
  void add_item(std::size_t group, std::string_view bytes, std::uint64_t count) {
    meter_.grow(items_[group], [&] { items_[group].add(bytes, count); });
  }
  // Must be called at the end of add(), with the bytes of the texts that the items may keep.
  void note_rows(std::size_t rows, std::size_t text_bytes) {
    meter_.note_rows(rows, items_, text_bytes);
  }

 private:
  std::size_t counters_;
  std::vector<FrequentItems> items_;
  SizeMeter meter_;
};

}  // namespace evq
