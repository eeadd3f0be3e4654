// GroupStates: of every aggregate, many groups that are each given something large stay within the
// memory of the query, and none goes on for long when its time is over. Aggregates that no
// arguments here fit fail the test.

#include "apl/exec/group_states.h"

#include <ctime>
#include <numeric>

#include <doctest/doctest.h>
#include <malloc.h>

#include "apl/functions/digest_state.h"
#include "apl/functions/hll_state.h"
#include "apl/functions/registry.h"
#include "store/base/allocation_meter.h"
#include "store/base/limits.h"
#include "store/column/vector_builder.h"
#include "tests/support/column_samples.h"

namespace evq {
namespace {

constexpr std::size_t kGroups = 2000;
constexpr std::size_t kBudgetBytes = 32 * kMebibyte;
// A thread's first bytes are free, and what one row brings is there before it is charged.
constexpr std::size_t kPastBudgetBytes = kUnchargedColumnBytesMax + 16 * kMebibyte;

std::string hll_bytes() {
  HyperLogLog sketch(HyperLogLog::kPrecisionDefault + 2);
  for (std::uint64_t i = 1; i <= 3 * HyperLogLog::kExactMax; ++i) {
    sketch.add(i * 0x9E3779B97F4A7C15U);
  }
  sketch.settle();
  return hll_text(sketch);
}

std::string digest_bytes() {
  QuantileSketch<double> sketch;
  for (std::size_t i = 0; i < QuantileSketch<double>::kBucketsMax; ++i) {
    sketch.add(static_cast<double>(i));
  }
  sketch.flush();
  return digest_text(sketch);
}

std::vector<Value> large_values() {
  std::string words;
  DynamicBuilder array;
  DynamicBuilder bag;
  array.begin_array();
  bag.begin_bag();
  for (std::int64_t i = 1000; i < 2000; ++i) {
    words += "word" + std::to_string(i) + " ";
    array.add_long(i);
    bag.key("key" + std::to_string(i));
    bag.add_long(i);
  }
  array.end_array();
  bag.end_bag();
  return {Value::string(hll_bytes()), Value::string(digest_bytes()),
          Value::string(words),       Value::dynamic(array.take()),
          Value::dynamic(bag.take()), Value::integer(3),
          Value::real(1.5),           Value::boolean(true)};
}

// An aggregate bound to constants, and the chunk of one row a group: the key, then these.
struct LargeCall {
  plan::Aggregate op;
  std::vector<Vector> columns;

  Chunk chunk() const { return Chunk(columns, kGroups); }
};

std::optional<LargeCall> bind_constants(const AggregateFunction& row,
                                        const std::vector<Value>& values) {
  std::vector<Argument> arguments;
  for (const Value& value : values) {
    arguments.push_back({value.type(), &value});
  }
  const EvalContext context;
  AggregateBindResult bound = bind_aggregate(row, {arguments, context, std::nullopt});
  if (!std::holds_alternative<BoundAggregateCall>(bound)) {
    return std::nullopt;
  }
  LargeCall made;
  std::vector<Value> keys;
  for (std::size_t group = 0; group < kGroups; ++group) {
    keys.push_back(Value::integer(static_cast<std::int64_t>(group)));
  }
  made.columns.push_back(test::flat_vector(Type::kLong, keys));
  made.op.groups = {0};
  plan::AggregateCall& call = made.op.aggregates.emplace_back();
  call.function = &row;
  call.call = std::get<BoundAggregateCall>(std::move(bound));
  for (std::size_t i = 0; i < call.call.arguments.size(); ++i) {
    call.args.push_back(i + 1);
    made.columns.push_back(
        implicit_cast(Vector::constant(values[i], kGroups), call.call.arguments[i]));
  }
  return made;
}

// The first way to call the aggregate with the value that binds: with nothing more, with what the
// others take as weight, number of items and predicate.
std::optional<LargeCall> bind_large(const AggregateFunction& row, const Value& value) {
  const Value yes = Value::boolean(true);
  const Value three = Value::integer(3);
  const std::vector<std::vector<Value>> ways = {
      {value},     {value, yes}, {value, three}, {value, three, yes}, {value, three, three},
      {yes, value}};
  for (const std::vector<Value>& way : ways) {
    if (way.size() >= row.arguments_min && way.size() <= row.arguments_max) {
      if (std::optional<LargeCall> made = bind_constants(row, way)) {
        return made;
      }
    }
  }
  return std::nullopt;
}

// visit(call) for every aggregate and everything large that it takes.
template <class Visit>
void for_each_large_call(const Visit& visit) {
  const std::vector<Value> values = large_values();
  for (const AggregateFunction* row : all_aggregates()) {
    CAPTURE(row->name);
    bool bound = row->arguments_max == 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      CAPTURE(i);
      if (const std::optional<LargeCall> call = bind_large(*row, values[i])) {
        bound = true;
        visit(*call);
      }
    }
    CHECK_MESSAGE(bound, "no arguments for this aggregate");
  }
}

// Of the C library, which a sanitizer's allocator is not.
std::size_t heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST_CASE("group states: many groups of something large stay within the query's memory") {
  for_each_large_call([](const LargeCall& large) {
    const Chunk chunk = large.chunk();
    MemoryBudget budget(kBudgetBytes);
    const EvalContext context;
    const GroupStates::Spec spec{large.op, context, {Type::kLong}, &budget};
    const std::size_t heap_before = heap_bytes();
    GroupStates states(spec);
    const Status added = states.add(chunk, {&chunk.column(0), 1}, 0);
    if (!added.ok()) {
      CHECK(added.error().code == ErrorCode::kLimit);
    }
    CHECK(budget.used() <= kBudgetBytes);
    const std::size_t heap_after = heap_bytes();
    CHECK(heap_after <= heap_before + kBudgetBytes + kPastBudgetBytes);
    states.state(0).settle();
    CHECK(states.state_bytes() <= kBudgetBytes + kPastBudgetBytes);
  });
}

// A chunk in which each of the groups has `count` values from `begin` on, in turn.
Chunk turns_of_groups(std::size_t groups, std::size_t begin, std::size_t count) {
  VectorBuilder keys(Type::kLong);
  VectorBuilder values(Type::kLong);
  for (std::size_t value = begin; value < begin + count; ++value) {
    for (std::size_t group = 0; group < groups; ++group) {
      keys.append_integer(static_cast<std::int64_t>(group));
      values.append_integer(static_cast<std::int64_t>(value));
    }
  }
  const std::size_t rows = groups * count;
  return Chunk({keys.finish(), values.finish(), Vector::constant(Value::integer(4), rows)}, rows);
}

TEST_CASE("group states: sketches that outgrow their lists in one chunk are charged one by one") {
  constexpr std::size_t kManyGroups = 300;
  constexpr std::size_t kTurns = 200;
  constexpr std::size_t kLimitBytes = 24 * kMebibyte;
  const Value accuracy = Value::integer(4);
  const std::vector<Argument> arguments = {{Type::kLong, nullptr}, {Type::kLong, &accuracy}};
  const EvalContext context;
  AggregateBindResult bound =
      bind_aggregate(*find_aggregate("dcount"), {arguments, context, std::nullopt});
  REQUIRE(std::holds_alternative<BoundAggregateCall>(bound));
  plan::Aggregate op;
  op.groups = {0};
  plan::AggregateCall& call = op.aggregates.emplace_back();
  call.function = find_aggregate("dcount");
  call.call = std::get<BoundAggregateCall>(std::move(bound));
  call.args = {1, 2};
  MemoryBudget budget(kLimitBytes);
  const GroupStates::Spec spec{op, context, {Type::kLong}, &budget};
  const std::size_t heap_before = heap_bytes();
  GroupStates states(spec);
  Status added;
  for (std::size_t begin = 0; added.ok() && begin <= 3 * HyperLogLog::kExactMax; begin += kTurns) {
    const Chunk chunk = turns_of_groups(kManyGroups, begin, kTurns);
    added = states.add(chunk, {&chunk.column(0), 1}, begin * kManyGroups);
  }
  REQUIRE_FALSE(added.ok());
  CHECK(added.error().code == ErrorCode::kLimit);
  CHECK(heap_bytes() <= heap_before + kLimitBytes + kUnchargedColumnBytesMax + 8 * kMebibyte);
}

TEST_CASE("group states: none goes on when the query's time is over") {
  QueryControl control;
  control.cancel();
  EvalContext context;
  context.control = &control;
  for_each_large_call([&](const LargeCall& large) {
    const Chunk chunk = large.chunk();
    const GroupStates::Spec spec{large.op, context, {Type::kLong}, nullptr};
    GroupStates states(spec);
    const std::clock_t begin = std::clock();
    const Status added = states.add(chunk, {&chunk.column(0), 1}, 0);
    CHECK(std::clock() - begin < 5 * CLOCKS_PER_SEC);
    REQUIRE_FALSE(added.ok());
    CHECK(added.error().code == ErrorCode::kCancelled);
  });
}

TEST_CASE("group states: what reads long texts looks at the time in between") {
  QueryControl control;
  control.cancel();
  const EvalContext context;
  const std::pair<std::string_view, Value> calls[] = {
      {"hll_merge", Value::string(hll_bytes())},
      {"tdigest_merge", Value::string(digest_bytes())},
      {"spotlight", Value::string(hll_bytes())}};
  for (const auto& [name, value] : calls) {
    CAPTURE(name);
    const std::optional<LargeCall> large = bind_large(*find_aggregate(name), value);
    REQUIRE(large.has_value());
    // As many as a chunk may have that is not cut.
    const std::size_t rows = kUncutTextBytesMax / value.as_text().size();
    REQUIRE(rows <= kGroups);
    std::vector<std::uint32_t> groups(rows);
    std::iota(groups.begin(), groups.end(), 0U);
    std::vector<Vector> args;
    for (const std::size_t column : large->op.aggregates[0].args) {
      args.push_back(large->columns[column].slice(0, rows));
    }
    const auto state = large->op.aggregates[0].call.aggregate->make_state();
    state->resize(rows);
    AllocationMeter meter(nullptr, &control, "test");
    const Status added = meter.guard([&] { state->add(context, args, groups.data(), rows); });
    REQUIRE_FALSE(added.ok());
    CHECK(added.error().code == ErrorCode::kCancelled);
  }
}

}  // namespace
}  // namespace evq
