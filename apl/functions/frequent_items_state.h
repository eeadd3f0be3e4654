#pragma once
// FrequentItemsState: the part that aggregates over the most frequent byte strings share, a
// FrequentItems for each group. Derived classes add what they count and say how a group's answer
// is written.

#include <span>
#include <vector>

#include "apl/functions/function.h"
#include "apl/functions/group_values.h"
#include "apl/functions/size_meter.h"
#include "apl/functions/space_saving.h"

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
    for (const GroupPair pair : pairs) {
      from.items_[pair.from].with_settled(
          [&](const FrequentItems& items) { items_[pair.to].merge(items); });
    }
    meter_.measure(items_);
  }

  void settle() override {
    for (FrequentItems& items : items_) {
      items.settle();
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

  // Into an open array.
  virtual void append_answer(const FrequentItems& items, DynamicBuilder* list) const = 0;

  FrequentItems& items_of(std::size_t group) { return items_[group]; }
  std::size_t group_count() const { return items_.size(); }
  // At the end of add(), with the bytes of the texts that the items may keep.
  void note_rows(std::size_t rows, std::size_t text_bytes) {
    meter_.note_rows(rows, items_, text_bytes);
  }

 private:
  std::size_t counters_;
  std::vector<FrequentItems> items_;
  SizeMeter meter_;
};

}  // namespace evq
