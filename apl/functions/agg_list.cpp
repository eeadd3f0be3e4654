// make_list, make_set, make_bag and buildschema.

#include <algorithm>
#include <map>

#include "apl/functions/aggregate_binding.h"
#include "apl/functions/aggregate_rows.h"
#include "apl/functions/bounded_set.h"
#include "apl/functions/canonical.h"
#include "apl/functions/group_values.h"
#include "apl/functions/make_list_state.h"
#include "apl/functions/registry.h"
#include "apl/functions/schema_builder.h"
#include "apl/functions/size_meter.h"
#include "apl/functions/value_encoder.h"
#include "apl/functions/value_hash.h"
#include "store/base/allocation_meter.h"
#include "store/base/limits.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

constexpr std::size_t kSetItemsDefault = 128;

// ---- make_set

class SetState final : public AggregateState {
 public:
  explicit SetState(std::size_t items_max) : items_max_(items_max) {}

  void resize(std::size_t groups) override {
    if (groups > sets_.size()) {
      sets_.resize(groups);
    }
  }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    const Vector vector = canonical_dynamics(args[0]);
    const auto visit = [&](std::size_t group, std::size_t slot, std::size_t) {
      add_value(DynamicView(encoder_.encode(vector.values(), slot)), group);
    };
    visit_pairs(vector, groups, sets_.size(), rows, visit);
    add_waiting();
  }

  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override {
    const auto& from = static_cast<const SetState&>(other);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const GroupPair far = pairs[std::min(i + 2 * kAhead, pairs.size() - 1)];
      sets_[far.to].prefetch_self();
      from.sets_[far.from].prefetch_self();
      const GroupPair near = pairs[std::min(i + kAhead, pairs.size() - 1)];
      sets_[near.to].prefetch_items();
      from.sets_[near.from].prefetch_items();
      BoundedSet& into = sets_[pairs[i].to];
      const BoundedSet& added = from.sets_[pairs[i].from];
      poll_.add(1 + added.size_bytes() / kPollTextBytes);
      meter_.grow(into, [&] { into.merge(added, items_max_); });
    }
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    return {dynamics_of_groups(begin, count, [&](std::size_t group, DynamicBuilder* array) {
      sets_[std::min(group + kAhead, sets_.size() - 1)].prefetch_items();
      array->begin_array();
      for (const DynamicView item : sets_[group].sorted(items_max_, kCollectedValueBytesMax)) {
        array->add_encoded(item);
      }
      array->end_array();
    })};
  }

  std::size_t size_bytes() const override { return meter_.bytes(sets_); }

 private:
  // A value on its way into a group's set, and its memory on the way into the cache.
  struct Waiting {
    std::size_t group;
    std::uint64_t hash;
    std::size_t offset;  // in text_
    std::size_t size;
  };
  static constexpr std::size_t kBatch = 64;
  static constexpr std::size_t kBatchBytes = std::size_t{1} << 16U;
  static constexpr std::size_t kAhead = 8;  // of groups whose sets are read in turn

  // Arrays are taken apart, one level.
  void add_value(DynamicView value, std::size_t group) {
    if (!value.is_array()) {
      add_item(value, group);
      return;
    }
    DynamicView::Iterator elements(value);
    while (elements.next()) {
      poll_.add();
      if (!elements.value().is_null()) {
        add_item(elements.value(), group);
      }
    }
  }

  void add_item(DynamicView item, std::size_t group) {
    sets_[group].prefetch_self();
    waiting_.push_back({group, sketch_hash(item), text_.size(), item.bytes().size()});
    text_.append(item.bytes());
    if (waiting_.size() == kBatch || text_.size() > kBatchBytes) {
      add_waiting();
    }
  }

  void add_waiting() {
    for (const Waiting& waiting : waiting_) {
      sets_[waiting.group].prefetch(waiting.hash);
    }
    for (const Waiting& waiting : waiting_) {
      BoundedSet& set = sets_[waiting.group];
      const std::string_view bytes = std::string_view(text_).substr(waiting.offset, waiting.size);
      meter_.grow(set, [&] { set.add(bytes, waiting.hash, items_max_); });
    }
    waiting_.clear();
    text_.clear();
  }

  std::size_t items_max_;
  std::vector<BoundedSet> sets_;
  SizeMeter meter_{0};  // every item is counted as it comes
  ValueEncoder encoder_;
  PollCounter poll_;
  std::vector<Waiting> waiting_;  // empty between calls of add()
  std::string text_;
};

// ---- make_bag

// Of a key's values the largest stays, so that the order of rows does not count.
class BagState final : public AggregateState {
 public:
  explicit BagState(std::size_t items_max) : items_max_(items_max) {}

  void resize(std::size_t groups) override { bags_.resize(std::max(groups, bags_.size())); }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    if (rows == 0) {
      return;
    }
    const std::string_view* data = args[0].values().data<std::string_view>();
    visit_counted(args[0], groups, rows, [&](std::size_t group, std::size_t slot, std::size_t) {
      const DynamicView bag(data[slot]);
      DynamicView::Iterator entries(bag);
      while (bag.is_bag() && entries.next()) {
        put(group, entries.key(), entries.value());
      }
    });
  }

  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override {
    const auto& from = static_cast<const BagState&>(other);
    for (const GroupPair pair : pairs) {
      for (const auto& [key, value] : from.bags_[pair.from]) {
        put(pair.to, key, DynamicView(value));
      }
    }
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    return {dynamics_of_groups(begin, count, [&](std::size_t group, DynamicBuilder* bag) {
      bag->begin_bag();
      std::size_t bytes = 0;
      for (const auto& [key, value] : bags_[group]) {
        bytes += key.size() + value.size();
        if (bytes > kCollectedValueBytesMax) {
          break;
        }
        bag->key(key);
        bag->add_encoded(DynamicView(value));
      }
      bag->end_bag();
    })};
  }

  std::size_t size_bytes() const override { return bags_.capacity() * sizeof(Bag) + bytes_; }

 private:
  using Bag = std::map<std::string, std::string, std::less<>>;
  static constexpr std::size_t kNodeBytes = 112;

  // Beyond the limit the keys that come first in order stay.
  void put(std::size_t group, std::string_view key, DynamicView value) {
    poll_.add();
    Bag& bag = bags_[group];
    const auto at = bag.find(key);
    if (at != bag.end()) {
      if (compare_dynamic(value, DynamicView(at->second)) > 0) {
        bytes_ += value.bytes().size();
        bytes_ -= at->second.size();
        at->second.assign(value.bytes());
      }
      return;
    }
    const std::size_t added = key.size() + value.bytes().size() + kNodeBytes;
    bag.emplace(key, value.bytes());
    bytes_ += added;
    if (bag.size() > items_max_) {
      const auto last = std::prev(bag.end());
      bytes_ -= last->first.size() + last->second.size() + kNodeBytes;
      bag.erase(last);
    } else {
      charge_.add(added);
    }
  }

  std::size_t items_max_;
  std::vector<Bag> bags_;
  std::size_t bytes_ = 0;
  GrowthCharge charge_;
  PollCounter poll_;
};

// ---- buildschema

class SchemaState final : public AggregateState {
 public:
  void resize(std::size_t groups) override {
    if (groups > schemas_.size()) {
      schemas_.resize(groups);
    }
  }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    PollCounter poll;
    visit_counted(args[0], groups, rows, [&](std::size_t group, std::size_t slot, std::size_t) {
      const DynamicView value(encoder_.encode(args[0].values(), slot));
      poll.add(1 + value.bytes().size() / kPollTextBytes);
      schemas_[group].add(value);
    });
    meter_.note_rows(rows, schemas_, row_text_bytes(args[0], rows));
  }

  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override {
    const auto& from = static_cast<const SchemaState&>(other);
    for (const GroupPair pair : pairs) {
      AllocationMeter::poll();  // each may have many thousands of keys
      schemas_[pair.to].merge(from.schemas_[pair.from]);
    }
    meter_.measure(schemas_);
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    VectorBuilder builder(Type::kDynamic);
    DynamicBuilder schema;
    for (std::size_t group = begin; group < begin + count; ++group) {
      schema.clear();
      schemas_[group].write(&schema);
      if (DynamicView(schema.bytes()).is_null()) {
        builder.append_null();
      } else {
        builder.append_text(schema.bytes());
      }
    }
    return {builder.finish()};
  }

  std::size_t size_bytes() const override { return meter_.bytes(schemas_); }

 private:
  static constexpr std::size_t kRowBytesMax = 256;

  std::vector<SchemaNode> schemas_;
  SizeMeter meter_{kRowBytesMax};
  ValueEncoder encoder_;
};

// ---- binding

std::variant<std::int64_t, BindFailure> items_max(const AggregateBindRequest& request,
                                                  std::size_t otherwise) {
  return constant_whole_number(
      request, 1,
      {"the largest number of items", 0, static_cast<std::int64_t>(kListItemsMax),
       static_cast<std::int64_t>(otherwise)});
}

template <class State, std::size_t kDefault, class... Args>
AggregateBindResult bind_items(const AggregateBindRequest& request, Type first, Args... args) {
  const auto most = items_max(request, kDefault);
  if (const auto* failure = std::get_if<BindFailure>(&most)) {
    return *failure;
  }
  const auto count = static_cast<std::size_t>(std::get<std::int64_t>(most));
  return one_result(request, Type::kDynamic, first, make_aggregate<State>(count, args...));
}

template <bool kWithNulls>
AggregateBindResult bind_list(const AggregateBindRequest& request) {
  return bind_items<MakeListState, kListItemsMax>(request, request.arguments[0].type, kWithNulls);
}

template <std::size_t kDefault>
AggregateBindResult bind_set(const AggregateBindRequest& request) {
  return bind_items<SetState, kDefault>(request, request.arguments[0].type);
}

AggregateBindResult bind_bag(const AggregateBindRequest& request) {
  if (request.arguments[0].type != Type::kDynamic && request.arguments[0].type != Type::kNull) {
    return BindFailure{
        0,
        "make_bag() needs bags, but this is a " + std::string(type_name(request.arguments[0].type)),
        "make one with bag_pack(\"key\", value)"};
  }
  return bind_items<BagState, kListItemsMax>(request, Type::kDynamic);
}

AggregateBindResult bind_schema(const AggregateBindRequest& request) {
  return one_result(request, Type::kDynamic, request.arguments[0].type,
                    make_aggregate<SchemaState>());
}

constexpr ParameterDoc kListValue{"value", "A value of any type; null is left out."};
constexpr ParameterDoc kMax{"[max_size]",
                            "A constant from 0 to 1,048,576: the largest number of items."};

constexpr AggregateFunction kListRows[] = {
    {.name = "make_list",
     .aliases = {"makelist"},
     .summary = "Collects the values into an array, in the order of the rows.",
     .params = {{kListValue, kMax}},
     .returns = "dynamic; [] when no value is there. At most 1,048,576 items.",
     .examples = {{{"datatable (x:long) [3, 1, 3] | summarize l = make_list(x)", "[3,1,3]"}}},
     .bind = bind_list<false>,
     .arguments_min = 1,
     .arguments_max = 2,
     .order_sensitive = true,
     .api_name = "makelist",
     .alias_prefix = "list",
     .collects_values = true},
    {.name = "make_list_if",
     .summary = "Collects the values of the rows with a true predicate into an array.",
     .params = {{kListValue, kPredicate, kMax}},
     .returns = "As make_list().",
     .examples = {{{"datatable (x:long) [3, 1, 3] | summarize l = make_list_if(x, x > 1)",
                    "[3,3]"}}},
     .bind = bind_list<false>,
     .predicate = 1,
     .arguments_min = 2,
     .arguments_max = 3,
     .order_sensitive = true,
     .api_name = "makelistif",
     .collects_values = true},
    {.name = "make_list_with_nulls",
     .summary = "Collects the values into an array and keeps nulls.",
     .params = {{{"value", "A value of any type."}, kMax}},
     .returns = "dynamic; [] without rows.",
     .examples = {{{"datatable (x:long) [3, long(null)] | summarize l = make_list_with_nulls(x)",
                    "[3,null]"}}},
     .bind = bind_list<true>,
     .arguments_min = 1,
     .arguments_max = 2,
     .order_sensitive = true,
     .collects_values = true},
    {.name = "make_set",
     .aliases = {"makeset"},
     .summary = "Collects the different values into an array; arrays are taken apart.",
     .params = {{kListValue, kMax}},
     .returns = "dynamic, in ascending order; [] when no value is there. At most 128 items unless "
                "the call says otherwise; which are left out does not depend on the order of rows.",
     .examples = {{{"datatable (x:long) [3, 1, 3] | summarize s = make_set(x)", "[1,3]"}}},
     .bind = bind_set<kSetItemsDefault>,
     .arguments_min = 1,
     .arguments_max = 2,
     .api_name = "makeset",
     .alias_prefix = "set",
     .collects_values = true},
    {.name = "make_set_if",
     .summary = "Collects the different values of the rows with a true predicate into an array.",
     .params = {{kListValue, kPredicate, kMax}},
     .returns = "As make_set(), but at most 1,048,576 items unless the call says otherwise.",
     .examples = {{{"datatable (x:long) [3, 1, 3] | summarize s = make_set_if(x, x > 1)", "[3]"}}},
     .bind = bind_set<kListItemsMax>,
     .predicate = 1,
     .arguments_min = 2,
     .arguments_max = 3,
     .api_name = "makesetif",
     .collects_values = true},
    {.name = "make_bag",
     .aliases = {"make_dictionary"},
     .summary = "Merges bags into one.",
     .params = {{{"bag", "A bag; anything else is left out."}, kMax}},
     .returns = "dynamic, keys in order. Of several values for a key the largest is kept. At most "
                "1,048,576 keys.",
     .examples = {{{"datatable (k:string, x:long) [\"b\", 1, \"a\", 2] | summarize b = "
                    "make_bag(bag_pack(k, x))",
                    "{\"a\":2,\"b\":1}"}}},
     .bind = bind_bag,
     .arguments_min = 1,
     .arguments_max = 2},
    {.name = "make_bag_if",
     .summary = "Merges the bags of the rows with a true predicate into one.",
     .params = {{{"bag", "A bag; anything else is left out."}, kPredicate, kMax}},
     .returns = "As make_bag().",
     .examples = {{{"datatable (k:string, x:long) [\"b\", 1, \"a\", 2] | summarize b = "
                    "make_bag_if(bag_pack(k, x), x > 1)",
                    "{\"a\":2}"}}},
     .bind = bind_bag,
     .predicate = 1,
     .arguments_min = 2,
     .arguments_max = 3},
    {.name = "buildschema",
     .summary = "Describes the types of all values, nested ones included.",
     .params = {{{"value", "A dynamic value."}}},
     .returns = "dynamic: a type name, a bag of schemas by key, {\"`indexer`\": schema} for an "
                "array, or an array of these where values differ. Null when no value is there. Of "
                "more than 10,000 different keys the first in order.",
     .examples = {{{"print d = dynamic({\"a\": 1}) | summarize s = buildschema(d)",
                    "{\"a\":\"long\"}"}}},
     .bind = bind_schema,
     .arguments_min = 1,
     .arguments_max = 1},
};

}  // namespace

std::span<const AggregateFunction> list_aggregates() {
  return kListRows;
}

}  // namespace evq
