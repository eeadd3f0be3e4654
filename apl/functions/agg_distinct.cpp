// dcount by HyperLogLog, count_distinct by exact sets, and hll() states.

#include <algorithm>
#include <array>
#include <bit>
#include <memory>

#include "apl/functions/aggregate_binding.h"
#include "apl/functions/aggregate_rows.h"
#include "apl/functions/hll_state.h"
#include "apl/functions/registry.h"
#include "apl/functions/size_meter.h"
#include "apl/functions/table_slot.h"
#include "apl/functions/value_hash.h"
#include "store/base/allocation_meter.h"
#include "store/base/large_pages.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

// visit(group, hash) for every row that is not null; entries are hashed once.
template <class Visit>
void visit_hashes(const Vector& vector, const std::uint32_t* groups, std::size_t rows,
                  const Visit& visit) {
  if (rows == 0) {
    return;
  }
  const Values& values = vector.values();
  with_value_type(vector.type(), [&](auto tag) {
    using T = decltype(tag);
    const bool by_entry = !vector.is_flat() && values.size() <= rows;
    if (!by_entry || groups == nullptr) {
      visit_counted(vector, groups, rows, [&](std::size_t group, std::size_t slot, std::size_t) {
        visit(group, sketch_hash(slot_value<T>(values, slot)));
      });
      return;
    }
    std::vector<std::uint64_t> hashes(values.size());
    for (std::size_t slot = 0; slot < hashes.size(); ++slot) {
      hashes[slot] = values.is_null(slot) ? 0 : sketch_hash(slot_value<T>(values, slot));
    }
    visit_row_slots(vector, groups, rows,
                    [&](std::size_t group, std::size_t slot) { visit(group, hashes[slot]); });
  });
}

// Hashes on their way into the sketches of many groups: some wait for their memory side by side.
class WaitingHashes {
 public:
  explicit WaitingHashes(HyperLogLog* sketches) : sketches_(sketches) {}

  void add(std::uint32_t group, std::uint64_t hash) {
    __builtin_prefetch(&sketches_[group], 1);
    waiting_[count_++] = {hash, group};
    if (count_ == waiting_.size()) {
      flush();
    }
  }
  void flush() {
    const auto waiting = std::span(waiting_).first(count_);
    for (const Waiting& one : waiting) {
      sketches_[one.group].prefetch(one.hash);
    }
    for (const Waiting& one : waiting) {
      sketches_[one.group].add(one.hash);
    }
    count_ = 0;
  }

 private:
  struct Waiting {
    std::uint64_t hash;
    std::uint32_t group;
  };

  HyperLogLog* sketches_;
  std::array<Waiting, 64> waiting_;
  std::size_t count_ = 0;
};

enum class HllResult : std::uint8_t { kCount, kState };

class HllState : public AggregateState {
 public:
  HllState(unsigned precision, HllResult result) : precision_(precision), result_(result) {}

  void resize(std::size_t groups) override {
    if (groups > sketches_.size()) {
      sketches_.resize(groups, HyperLogLog(precision_));
    }
  }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    HyperLogLog* sketches = sketches_.data();
    if (precision_ > HyperLogLog::kPrecisionDefault) {
      // A sketch that stops being exact takes many times the memory, those of many groups at once.
      visit_hashes(args[0], groups, rows, [&](std::size_t group, std::uint64_t hash) {
        meter_.grow(sketches[group], [&] { sketches[group].add(hash); });
      });
      return;
    }
    if (sketches_.size() < kPrefetchedSketchesMin) {
      visit_hashes(args[0], groups, rows, [sketches](std::size_t group, std::uint64_t hash) {
        sketches[group].add(hash);
      });
    } else {
      WaitingHashes waiting(sketches);
      visit_hashes(args[0], groups, rows, [&waiting](std::size_t group, std::uint64_t hash) {
        waiting.add(static_cast<std::uint32_t>(group), hash);
      });
      waiting.flush();
    }
    meter_.note_rows(rows, sketches_);
  }

  bool merges_unsettled() const override { return true; }
  void settle() override {
    PollCounter poll;
    for (HyperLogLog& sketch : sketches_) {
      poll.add(1 + sketch.size_bytes() / kPollTextBytes);
      meter_.grow(sketch, [&] { sketch.settle(); });
    }
    meter_.measure(sketches_);
  }

  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override {
    const auto& from = static_cast<const HllState&>(other);
    PollCounter poll;
    for (const GroupPair pair : pairs) {
      const HyperLogLog& sketch = from.sketches_[pair.from];
      poll.add(1 + sketch.size_bytes() / kPollTextBytes);
      merge_into(pair.to, sketch);
    }
    meter_.measure(sketches_);
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    VectorBuilder builder(result_ == HllResult::kCount ? Type::kLong : Type::kString);
    for (std::size_t group = begin; group < begin + count; ++group) {
      if (result_ == HllResult::kCount) {
        builder.append_integer(static_cast<std::int64_t>(sketches_[group].estimate()));
      } else {
        builder.append_text(hll_text(sketches_[group]));
      }
    }
    return {builder.finish()};
  }

  std::size_t size_bytes() const override { return meter_.bytes(sketches_); }

 protected:
  void merge_into(std::size_t group, const HyperLogLog& sketch) {
    HyperLogLog& into = sketches_[group];
    meter_.grow(into, [&] { into.merge(sketch); });
  }

 private:
  static constexpr std::size_t kRowBytesMax = 128;
  // The tables of fewer are in a near cache.
  static constexpr std::size_t kPrefetchedSketchesMin = 64;

  unsigned precision_;
  HllResult result_;
  std::vector<HyperLogLog> sketches_;
  SizeMeter meter_{kRowBytesMax};
};

// hll_merge(): the rows are states already; text that is none is passed over.
class HllMergeState final : public HllState {
 public:
  using HllState::HllState;

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    if (rows == 0) {
      return;
    }
    const std::string_view* texts = args[0].values().data<std::string_view>();
    PollCounter poll;
    visit_counted(args[0], groups, rows, [&](std::size_t group, std::size_t slot, std::size_t) {
      poll.add(1 + texts[slot].size() / kPollTextBytes);
      if (const std::optional<HyperLogLog> sketch = hll_of_text(texts[slot])) {
        merge_into(group, *sketch);
      }
    });
  }
};

// ---- exact

// Entries found by their hash, in a table of open addressing; an entry's hash is never zero.
template <class Entry>
class HashedSet {
 public:
  // Calls make() for the entry to put in where equals(entry) holds for none with this hash; says
  // whether it did.
  template <class Equals, class Make>
  bool insert(std::uint64_t hash, const Equals& equals, const Make& make) {
    reserve(count_ + 1);
    std::size_t at = table_slot(hash, slots_.size());
    for (; slots_[at].hash != 0; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].hash == hash && equals(slots_[at])) {
        return false;
      }
    }
    slots_[at] = make();
    ++count_;
    return true;
  }
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const Entry& entry : slots_) {
      if (entry.hash != 0) {
        visit(entry);
      }
    }
  }
  std::size_t size() const { return count_; }
  std::size_t size_bytes() const { return slots_.capacity() * sizeof(Entry); }
  // Makes room for `count` entries. Needed ahead of entries in the order of their hashes, as
  // for_each() of another set gives them: they would crowd the first slots of a small table.
  void reserve(std::size_t count) {
    constexpr std::size_t kFirstSlots = 8;
    if (count * 4 > slots_.size() * 3) {
      grow(std::max(kFirstSlots, std::bit_ceil(count + count / 3 + 1)));
    }
  }
  // Asks for the memory that insert() will read first.
  void prefetch(std::uint64_t hash) const {
    if (!slots_.empty()) {
      __builtin_prefetch(&slots_[table_slot(hash, slots_.size())], 1);
    }
  }

 private:
  void grow(std::size_t size) {
    LargeVector<Entry> slots(size);
    for_each([&](const Entry& entry) {
      std::size_t at = table_slot(entry.hash, size);
      while (slots[at].hash != 0) {
        at = (at + 1) & (size - 1);
      }
      slots[at] = entry;
    });
    slots_ = std::move(slots);
  }

  LargeVector<Entry> slots_;
  std::size_t count_ = 0;
};

// The distinct values of every group, each as the 64-bit hash for fixed-width types (which is a
// bijection) and as text otherwise. Texts lie in arenas that merged states share.
class ExactState final : public AggregateState {
 public:
  void resize(std::size_t groups) override { groups_.resize(std::max(groups, groups_.size())); }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    if (rows == 0) {
      return;
    }
    const Values& values = args[0].values();
    with_value_type(args[0].type(), [&](auto tag) {
      using T = decltype(tag);
      dynamic_ = std::is_same_v<T, DynamicView>;
      std::array<Added, kBatch> batch;
      std::size_t count = 0;
      const auto take = [&](std::size_t group, std::size_t slot, std::size_t /*rows*/) {
        batch[count++] = {group, slot, sketch_hash(slot_value<T>(values, slot))};
        if (count == kBatch) {
          add_batch<T>(values, {batch.data(), count});
          count = 0;
        }
      };
      visit_pairs(args[0], groups, groups_.size(), rows, take);
      add_batch<T>(values, {batch.data(), count});
    });
  }

  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override {
    const auto& from = static_cast<const ExactState&>(other);
    dynamic_ = dynamic_ || from.dynamic_;
    arenas_.insert(arenas_.end(), from.arenas_.begin(), from.arenas_.end());
    GrowthCharge charge;
    PollCounter poll;
    for (const GroupPair pair : pairs) {
      const Group& group = from.groups_[pair.from];
      make_room(group.numbers.size(), &groups_[pair.to].numbers, &charge);
      make_room(group.texts.size(), &groups_[pair.to].texts, &charge);
      poll.add();
      if (group.has_zero) {
        add_number(pair.to, 0);
      }
      group.numbers.for_each([&](const Number& number) {
        poll.add();
        add_number(pair.to, number.hash);
      });
      group.texts.for_each([&](const Text& text) {
        poll.add();
        add_text(pair.to, text.hash, text.bytes, [&] {
          shared_text_bytes_ += text.bytes.size();
          return text.bytes;
        });
      });
    }
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    VectorBuilder builder(Type::kLong);
    for (std::size_t i = begin; i < begin + count; ++i) {
      const Group& group = groups_[i];
      builder.append_integer(static_cast<std::int64_t>(
          group.numbers.size() + (group.has_zero ? 1 : 0) + group.texts.size()));
    }
    return {builder.finish()};
  }

  std::size_t size_bytes() const override {
    return groups_.capacity() * sizeof(Group) + entries_ * kEntryBytesMax +
           arenas_[0]->size_bytes() + shared_text_bytes_;
  }

 private:
  struct Number {
    std::uint64_t hash = 0;
  };
  struct Text {
    std::uint64_t hash = 0;
    std::string_view bytes;
  };
  struct Group {
    HashedSet<Number> numbers;
    bool has_zero = false;  // the number whose hash is zero
    HashedSet<Text> texts;
  };
  // A value on its way into a group's set.
  struct Added {
    std::size_t group;
    std::size_t slot;
    std::uint64_t hash;
  };
  // Values whose places in the sets are asked for side by side.
  static constexpr std::size_t kBatch = 256;
  // A slot, in a table that has just grown.
  static constexpr std::size_t kEntryBytesMax = sizeof(Text) * 8 / 3;

  template <class T>
  void add_batch(const Values& values, std::span<const Added> batch) {
    constexpr bool kText = std::is_same_v<T, DynamicView> || std::is_same_v<T, std::string_view>;
    for (const Added& added : batch) {
      if constexpr (kText) {
        groups_[added.group].texts.prefetch(key_of_text(added.hash));
      } else {
        groups_[added.group].numbers.prefetch(added.hash);
      }
    }
    for (const Added& added : batch) {
      if constexpr (kText) {
        const std::string_view bytes = values.data<std::string_view>()[added.slot];
        add_text(added.group, added.hash, bytes, [&] { return arenas_[0]->copy(bytes); });
      } else {
        add_number(added.group, added.hash);
      }
    }
  }

  // Room for `count` more, which is charged.
  template <class Set>
  static void make_room(std::size_t count, Set* set, GrowthCharge* charge) {
    const std::size_t before = set->size_bytes();
    set->reserve(set->size() + count);
    charge->add(set->size_bytes() - before);
  }

  static std::uint64_t key_of_text(std::uint64_t hash) { return std::max<std::uint64_t>(hash, 1); }

  void add_number(std::size_t group, std::uint64_t hash) {
    if (hash == 0) {
      groups_[group].has_zero = true;
      return;
    }
    const bool fresh = groups_[group].numbers.insert(
        hash, [](const Number&) { return true; }, [&] { return Number{hash}; });
    entries_ += fresh ? 1U : 0U;
  }

  // keep() gives bytes that live as long as the arenas.
  template <class Keep>
  void add_text(std::size_t group, std::uint64_t hash, std::string_view bytes, const Keep& keep) {
    const std::uint64_t key = key_of_text(hash);
    const bool fresh = groups_[group].texts.insert(
        key, [&](const Text& text) { return same_text(text.bytes, bytes); },
        [&] {
          return Text{key, keep()};
        });
    entries_ += fresh ? 1U : 0U;
  }

  bool same_text(std::string_view a, std::string_view b) const {
    return dynamic_ ? compare_dynamic(DynamicView(a), DynamicView(b)) == 0 : a == b;
  }

  std::vector<Group> groups_;
  // The first is this state's own; texts in the others are counted one by one.
  std::vector<std::shared_ptr<StringArena>> arenas_{std::make_shared<StringArena>()};
  std::size_t shared_text_bytes_ = 0;
  bool dynamic_ = false;
  std::size_t entries_ = 0;
};

// ---- binding

std::variant<unsigned, BindFailure> precision_of(const AggregateBindRequest& request) {
  // The accuracies of Kusto; ours is never worse than what the level promises.
  constexpr std::int64_t kAccuracyMax = 4;
  const auto level = constant_whole_number(request, 1, {"the accuracy", 0, kAccuracyMax, 1});
  if (const auto* failure = std::get_if<BindFailure>(&level)) {
    return *failure;
  }
  const auto steps = static_cast<unsigned>(std::get<std::int64_t>(level));
  return steps <= 1 ? HyperLogLog::kPrecisionDefault : HyperLogLog::kPrecisionDefault + steps;
}

template <HllResult kResult>
AggregateBindResult bind_hll(const AggregateBindRequest& request) {
  const auto precision = precision_of(request);
  if (const auto* failure = std::get_if<BindFailure>(&precision)) {
    return *failure;
  }
  const Type type = request.arguments[0].type;
  return one_result(request, kResult == HllResult::kCount ? Type::kLong : Type::kString, type,
                    make_aggregate<HllState>(std::get<unsigned>(precision), kResult));
}

AggregateBindResult bind_hll_merge(const AggregateBindRequest& request) {
  if (!implicit_cast_cost(request.arguments[0].type, Type::kString).has_value()) {
    return BindFailure{0, "this must be a state that hll() made", ""};
  }
  return one_result(request, Type::kString, Type::kString,
                    make_aggregate<HllMergeState>(HyperLogLog::kPrecisionMax, HllResult::kState));
}

AggregateBindResult bind_exact(const AggregateBindRequest& request) {
  return one_result(request, Type::kLong, request.arguments[0].type, make_aggregate<ExactState>());
}

constexpr ParameterDoc kDistinctValue{"value", "A value of any type; null is not counted."};
constexpr ParameterDoc kAccuracy{"[accuracy]",
                                 "0 to 4: standard error 0.81 %, 0.81 %, 0.41 %, 0.29 %, 0.2 %."};

constexpr AggregateFunction kDistinctRows[] = {
    {.name = "dcount",
     .summary = "Estimates how many different values there are.",
     .params = {{kDistinctValue, kAccuracy}},
     .returns = "long. Exact up to 4,096 values, then an estimate with a standard error of 0.81 % "
                "that any order of the rows gives.",
     .examples = {{{"datatable (x:long) [1, 2, 2, 3] | summarize n = dcount(x)", "3"}}},
     .bind = bind_hll<HllResult::kCount>,
     .arguments_min = 1,
     .arguments_max = 2,
     .api_name = "distinct",
     .zero_of_nothing = true},
    {.name = "dcountif",
     .summary = "Estimates how many different values the rows with a true predicate have.",
     .params = {{kDistinctValue, kPredicate, kAccuracy}},
     .returns = "As dcount().",
     .examples = {{{"datatable (x:long) [1, 2, 2, 3] | summarize n = dcountif(x, x > 1)", "2"}}},
     .bind = bind_hll<HllResult::kCount>,
     .predicate = 1,
     .arguments_min = 2,
     .arguments_max = 3,
     .api_name = "distinctif",
     .zero_of_nothing = true},
    {.name = "count_distinct",
     .summary = "Counts the different values exactly.",
     .params = {{kDistinctValue}},
     .returns = "long. Takes memory for every different value; dcount() does not.",
     .examples = {{{"datatable (x:long) [1, 2, 2, 3] | summarize n = count_distinct(x)", "3"}}},
     .bind = bind_exact,
     .arguments_min = 1,
     .arguments_max = 1,
     .api_name = "distinct",
     .zero_of_nothing = true},
    {.name = "count_distinctif",
     .summary = "Counts the different values of the rows with a true predicate exactly.",
     .params = {{kDistinctValue, kPredicate}},
     .returns = "As count_distinct().",
     .examples = {{{"datatable (x:long) [1, 2, 2, 3] | summarize n = count_distinctif(x, x > 1)",
                    "2"}}},
     .bind = bind_exact,
     .predicate = kLastArgument,
     .arguments_min = 2,
     .arguments_max = 2,
     .api_name = "distinctif",
     .zero_of_nothing = true},
    {.name = "hll",
     .summary = "Makes a state that dcount_hll() and hll_merge() read: the values seen, as a "
                "sketch.",
     .params = {{kDistinctValue, kAccuracy}},
     .returns = "string. States of several groups merge into the state of all their rows.",
     .examples = {{{"datatable (x:long) [1, 2, 2] | summarize h = hll(x) | project n = "
                    "dcount_hll(h)",
                    "2"}}},
     .bind = bind_hll<HllResult::kState>,
     .arguments_min = 1,
     .arguments_max = 2},
    {.name = "hll_if",
     .summary = "As hll(), of the rows for which the predicate is true.",
     .params = {{kDistinctValue, kPredicate, kAccuracy}},
     .returns = "string, a state.",
     .examples = {{{"datatable (x:long) [1, 2, 2] | summarize h = hll_if(x, x > 1) | project n = "
                    "dcount_hll(h)",
                    "1"}}},
     .bind = bind_hll<HllResult::kState>,
     .predicate = 1,
     .arguments_min = 2,
     .arguments_max = 3},
    {.name = "hll_merge",
     .summary = "Merges states made by hll() into one.",
     .params = {{{"state", "A state; anything else is passed over."}}},
     .returns = "string, a state.",
     .examples = {{{"datatable (k:long, x:long) [1, 1, 2, 1, 2, 5] | summarize h = hll(x) by k | "
                    "summarize n = dcount_hll(hll_merge(h))",
                    "2"}}},
     .bind = bind_hll_merge,
     .arguments_min = 1,
     .arguments_max = 1},
};

}  // namespace

std::span<const AggregateFunction> distinct_aggregates() {
  return kDistinctRows;
}

}  // namespace evq
