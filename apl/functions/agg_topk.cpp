// topk and topkif over bounded counters.

#include <algorithm>
#include <string>
#include <vector>

#include "apl/functions/aggregate_binding.h"
#include "apl/functions/aggregate_rows.h"
#include "apl/functions/canonical.h"
#include "apl/functions/frequent_items_state.h"
#include "apl/functions/registry.h"
#include "apl/functions/value_encoder.h"
#include "store/base/limits.h"

namespace evq {
namespace {

// Different values counted exactly: some megabytes a group.
constexpr std::size_t kCountersMin = 65536;
constexpr std::size_t kCountersPerResult = 10;

class TopState final : public FrequentItemsState {
 public:
  explicit TopState(std::size_t k)
      : FrequentItemsState(std::max(kCountersMin, kCountersPerResult * k), kRowBytesMax), k_(k) {}

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    const Vector values = canonical_dynamics(args[0]);
    visit_pairs(
        values, groups, group_count(), rows,
        [&](std::size_t group, std::size_t slot, std::size_t count) {
          const std::size_t begin = text_.size();
          encoder_.append(values.values(), slot, &text_);
          const auto bytes = std::string_view(text_).substr(begin);
          waiting_.push_back({group, count, FrequentItems::hash_of(bytes), begin, bytes.size()});
          if (waiting_.size() == kBatch || text_.size() > kBatchBytes) {
            add_waiting();
          }
        });
    add_waiting();
    note_rows(rows, row_text_bytes(values, rows));
  }

 private:
  // A value on its way into a group's items.
  struct Waiting {
    std::size_t group;
    std::size_t count;
    std::uint64_t hash;
    std::size_t offset;  // in text_
    std::size_t size;
  };
  // So many wait for their memory side by side.
  static constexpr std::size_t kBatch = 128;
  static constexpr std::size_t kBatchBytes = std::size_t{1} << 18U;

  void add_waiting() {
    for (const Waiting& waiting : waiting_) {
      items_of(waiting.group).prefetch_slot(waiting.hash);
    }
    for (const Waiting& waiting : waiting_) {
      items_of(waiting.group).prefetch_item(waiting.hash);
    }
    for (const Waiting& waiting : waiting_) {
      const std::string_view bytes = std::string_view(text_).substr(waiting.offset, waiting.size);
      items_of(waiting.group).add(bytes, waiting.hash, waiting.count);
    }
    waiting_.clear();
    text_.clear();
  }

  static constexpr std::size_t kRowBytesMax = 256;

  void append_answer(const FrequentItems& items, DynamicBuilder* list) const override {
    for (const FrequentItems::Item& item : items.top(k_)) {
      list->begin_bag();
      list->key("key");
      list->add_encoded(DynamicView(item.bytes));
      list->key("count");
      list->add_long(static_cast<std::int64_t>(item.count));
      list->key("error");
      list->add_long(static_cast<std::int64_t>(item.error));
      list->end_bag();
    }
  }

  std::size_t k_;
  ValueEncoder encoder_;
  std::vector<Waiting> waiting_;  // empty between calls of add()
  std::string text_;
};

AggregateBindResult bind_topk(const AggregateBindRequest& request) {
  const auto k = constant_whole_number(request, 1, {"the number of values", 1, kTopValuesMax, 10});
  if (const auto* failure = std::get_if<BindFailure>(&k)) {
    return *failure;
  }
  return one_result(request, Type::kDynamic, request.arguments[0].type,
                    make_aggregate<TopState>(static_cast<std::size_t>(std::get<std::int64_t>(k))));
}

constexpr std::string_view kTopKReturns =
    "dynamic: an array of {\"key\", \"count\", \"error\"}, most frequent first. Exact up to 65,536 "
    "different values. Beyond, a count is never too low, and too high by more than error, about "
    "1 / 24,000 of all rows, for less than 1 value in 1,000; values of more than 1 / 10,000 of all "
    "rows are all considered, of rarer ones a sample, which is the same in every run.";

constexpr AggregateFunction kTopKRows[] = {
    {.name = "topk",
     .summary = "Estimates the most frequent values.",
     .params = {{{"value", "A value of any type; null is not counted."},
                 {"k", "A constant from 1 to 10,000: how many values to return."}}},
     .returns = kTopKReturns,
     .examples = {{{"datatable (x:string) [\"a\", \"b\", \"a\"] | summarize t = topk(x, 1)",
                    "[{\"key\":\"a\",\"count\":2,\"error\":0}]"}}},
     .bind = bind_topk,
     .arguments_min = 2,
     .arguments_max = 2,
     .api_name = "topk"},
    {.name = "topkif",
     .summary = "Estimates the most frequent values of the rows for which the predicate is true.",
     .params = {{{"value", "A value of any type; null is not counted."},
                 {"k", "A constant from 1 to 10,000: how many values to return."},
                 {"predicate", "A bool; null is not true."}}},
     .returns = kTopKReturns,
     .examples = {{{"datatable (x:string) [\"a\", \"b\", \"a\"] | summarize t = topkif(x, 1, x == "
                    "\"b\")",
                    "[{\"key\":\"b\",\"count\":1,\"error\":0}]"}}},
     .bind = bind_topk,
     .predicate = kLastArgument,
     .arguments_min = 3,
     .arguments_max = 3,
     .api_name = "topkif"},
};

}  // namespace

std::span<const AggregateFunction> topk_aggregates() {
  return kTopKRows;
}

}  // namespace evq
