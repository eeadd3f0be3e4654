// Laws that every aggregate keeps: however the rows are split among states, in whatever order the
// states are merged, in whatever shape they come and however groups are numbered, the answer is the
// same to the last bit. So it is in whatever order the rows come, but where an aggregate is about
// their order. Aggregates without a case here fail the test.

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "apl/functions/registry.h"
#include "store/column/dynamic_json.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

struct AggregateCase {
  std::vector<Type> types;       // of the arguments
  std::vector<Value> constants;  // a non-null value makes that argument a constant
};

const Type kL = Type::kLong;
const Type kB = Type::kBool;
const Type kS = Type::kString;
const Type kR = Type::kReal;
const Type kD = Type::kDynamic;

// Arguments of one type after the other; the trailing ones constant.
AggregateCase varying(std::vector<Type> types) {
  const std::size_t count = types.size();
  return {std::move(types), std::vector<Value>(count)};
}
AggregateCase with_constant(std::vector<Type> types, std::size_t at, Value value) {
  AggregateCase made = varying(std::move(types));
  made.types[at] = value.type();
  made.constants[at] = std::move(value);
  return made;
}

std::multimap<std::string_view, AggregateCase> cases() {
  const Value fifty = Value::integer(50);
  const Value three = Value::integer(3);
  std::multimap<std::string_view, AggregateCase> all = {
      {"count", varying({})},
      {"countif", varying({kB})},
      {"dcount_hll", varying({kS})},
      {"hll_merge", varying({kS})},
      {"tdigest", varying({kR})},
      {"tdigest_merge", varying({kS})},
      {"make_bag", varying({kD})},
      {"make_bag_if", varying({kD, kB})},
      {"buildschema", varying({kD})},
      {"phrases", with_constant({kS, kL}, 1, three)},
      {"spotlight", varying({kB, kS, kL, kR})},
      {"presence", varying({kS, kL, kD})},
      {"arg_max", varying({kL, kS, kR})},
      {"arg_min", varying({kR, kS, kD})},
      {"arg_max", varying({kS})},
      {"take_any", varying({kL, kS})},
      {"take_anyif", varying({kS, kB})},
      {"covariance", varying({kR, kR})},
      {"covariancep", varying({kL, kR})},
      {"covarianceif", varying({kR, kR, kB})},
      {"covariancepif", varying({kL, kR, kB})},
      {"hll_if", varying({kS, kB})},
      {"percentile", with_constant({kL, kL}, 1, fifty)},
      {"percentile", with_constant({Type::kDatetime, kL}, 1, fifty)},
      {"percentileif", with_constant({kR, kL, kB}, 1, fifty)},
      {"percentiles", with_constant({kD, kL}, 1, fifty)},
      {"percentiles_array", with_constant({Type::kTimespan, kL}, 1, fifty)},
      {"percentiles_arrayif", with_constant({kR, kL, kB}, 1, fifty)},
      {"percentilew", with_constant({kR, kL, kL}, 2, fifty)},
      {"percentilesw", with_constant({kL, kL, kL}, 2, fifty)},
      {"percentilesw_array", with_constant({kR, kL, kL}, 2, fifty)},
      {"histogram", with_constant({kL, kL}, 1, three)},
      {"histogram", with_constant({Type::kDatetime, kL}, 1, three)},
      {"histogramif", with_constant({kR, kL, kB}, 1, three)},
      {"topkif", with_constant({kS, kL, kB}, 1, three)},
      {"make_set", with_constant({kL, kL}, 1, three)},
      {"make_list", with_constant({kL, kL}, 1, three)},
      {"make_list_with_nulls", varying({kS})},
  };
  for (const char* name : {"sum", "avg", "stdev", "stdevp", "variance", "variancep", "rate"}) {
    for (const Type type : {kL, kR, kD}) {
      all.emplace(name, varying({type}));
    }
  }
  for (const char* name : {"sumif", "avgif", "stdevif", "stdevpif", "varianceif", "variancepif"}) {
    all.emplace(name, varying({kR, kB}));
    all.emplace(name, varying({kL, kB}));
  }
  for (const Type type : {kB, kL, kR, kS, Type::kDatetime, Type::kTimespan, kD, Type::kNull}) {
    for (const char* name : {"min", "max", "dcount", "count_distinct", "hll", "make_list",
                             "make_set", "take_any", "arg_max"}) {
      all.emplace(name, varying({type}));
    }
    for (const char* name :
         {"minif", "maxif", "dcountif", "count_distinctif", "make_list_if", "make_set_if"}) {
      all.emplace(name, varying({type, kB}));
    }
    all.emplace("topk", with_constant({type, kL}, 1, three));
  }
  for (const char* name : {"binary_all_and", "binary_all_or", "binary_all_xor"}) {
    all.emplace(name, varying({kL}));
  }
  return all;
}

// How hard reals make it to add them up.
enum class Reals : std::uint8_t { kPlain, kWide, kCancelling };

double random_real(std::int64_t number, Reals reals, std::mt19937_64& random) {
  const double plain = number == 1 ? std::nan("") : std::ldexp(static_cast<double>(number), -3);
  switch (reals) {
    case Reals::kPlain:
      break;
    case Reals::kWide: {
      const double digits = static_cast<double>(random() >> 11) * 0x1.0p-52 - 1;
      return std::ldexp(digits, static_cast<int>(random() % 2100) - 1075);
    }
    case Reals::kCancelling: {
      static constexpr double kSizes[] = {1e300, 1e200, 1e100, 1e16, 1, 0.1, 1e-16, 1e-300};
      const double size = kSizes[random() % std::size(kSizes)];
      return random() % 2 == 0 ? size : -size;
    }
  }
  return plain;
}

Value random_value(Type type, Reals reals, std::mt19937_64& random) {
  const auto number = static_cast<std::int64_t>(random() % 40);
  if (number == 0) {
    return Value::null(type);
  }
  switch (type) {
    case Type::kNull:
      break;
    case Type::kBool:
      return Value::boolean(number % 3 == 0);
    case Type::kLong:
      return Value::integer(number - 5);
    case Type::kReal:
      return Value::real(random_real(number, reals, random));
    case Type::kString:
      return Value::string("word" + std::to_string(number % 7) + " disk full");
    case Type::kDatetime:
      return Value::datetime(1700000000000000000 + number);
    case Type::kTimespan:
      return Value::timespan(number * 1000000007);
    case Type::kDynamic: {
      static constexpr const char* kTexts[] = {
          "1",   "2.5", "\"x\"", "[1,2,\"x\"]", "[]", "{\"a\":1}", "{\"a\":2.5,\"b\":[true]}",
          "true"};
      return Value::dynamic(*dynamic_from_json(kTexts[number % 8]));
    }
  }
  return Value::null(type);
}

Vector flat_of(Type type, const std::vector<Value>& values) {
  VectorBuilder builder(type);
  for (const Value& value : values) {
    if (value.is_null()) {
      builder.append_null();
    } else {
      builder.append(value);
    }
  }
  return builder.finish();
}

// The same rows with an entry for each different value, and one that no row uses.
Vector dictionary_of(Type type, const std::vector<Value>& values) {
  std::vector<Value> entries = {values[0]};
  auto codes = make_codes(values.size());
  for (std::size_t row = 0; row < values.size(); ++row) {
    std::size_t code = 1;
    while (code < entries.size() && !(entries[code] == values[row])) {
      ++code;
    }
    if (code == entries.size()) {
      entries.push_back(values[row]);
    }
    codes.get()[row] = static_cast<Code>(code);
  }
  return Vector::dictionary(flat_of(type, entries).shared_values(), std::move(codes),
                            values.size());
}

struct Input {
  std::vector<std::vector<Value>> values;  // by argument
  std::vector<Vector> args;
  std::vector<Vector> dictionaries;
  std::vector<std::uint32_t> groups;
  std::size_t rows = 0;
};

constexpr std::uint32_t kGroups = 4;

void make_vectors(const AggregateCase& test, const BoundAggregateCall& call, Input* input) {
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const std::vector<Value>& values = input->values[i];
    input->args.push_back(implicit_cast(flat_of(test.types[i], values), call.arguments[i]));
    input->dictionaries.push_back(
        implicit_cast(dictionary_of(test.types[i], values), call.arguments[i]));
  }
}

Input input_of(const AggregateCase& test, const BoundAggregateCall& call, Reals reals,
               std::mt19937_64& random) {
  Input input;
  input.rows = 1 + random() % 400;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    input.values.emplace_back(input.rows, test.constants[i]);
    if (test.constants[i].is_null()) {
      for (Value& value : input.values.back()) {
        value = random_value(test.types[i], reals, random);
      }
    }
  }
  for (std::size_t row = 0; row < input.rows; ++row) {
    input.groups.push_back(static_cast<std::uint32_t>(random() % kGroups));
  }
  make_vectors(test, call, &input);
  return input;
}

// The same rows in another order.
Input shuffled(const AggregateCase& test, const BoundAggregateCall& call, const Input& from,
               std::mt19937_64& random) {
  std::vector<std::size_t> order(from.rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::shuffle(order, random);
  Input input;
  input.rows = from.rows;
  for (const std::vector<Value>& values : from.values) {
    input.values.emplace_back();
    for (const std::size_t row : order) {
      input.values.back().push_back(values[row]);
    }
  }
  for (const std::size_t row : order) {
    input.groups.push_back(from.groups[row]);
  }
  make_vectors(test, call, &input);
  return input;
}

// Adds rows [begin, end) in the form the numbers ask for.
void add_rows(const Input& input, bool dictionaries, const std::uint32_t* groups,
              std::pair<std::size_t, std::size_t> range, AggregateState* state) {
  const EvalContext context{.now_ns = 2000000000, .range_start_ns = 0, .range_end_ns = 1000000000};
  std::vector<Vector> args;
  for (const Vector& vector : dictionaries ? input.dictionaries : input.args) {
    args.push_back(vector.slice(range.first, range.second - range.first));
  }
  state->add(context, args, groups == nullptr ? nullptr : groups + range.first,
             range.second - range.first);
}

std::vector<Vector> results_of(const AggregateState& state, std::size_t groups) {
  const EvalContext context{.now_ns = 2000000000, .range_start_ns = 0, .range_end_ns = 1000000000};
  return state.finish(context, 0, groups);
}

bool same_value(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null() || a.type() != Type::kReal || b.type() != Type::kReal) {
    return a == b;
  }
  return std::bit_cast<std::uint64_t>(a.as_real()) == std::bit_cast<std::uint64_t>(b.as_real()) ||
         (std::isnan(a.as_real()) && std::isnan(b.as_real()));
}

void check_same(const std::vector<Vector>& expected, const std::vector<Vector>& actual) {
  REQUIRE(expected.size() == actual.size());
  for (std::size_t column = 0; column < expected.size(); ++column) {
    REQUIRE(expected[column].size() == actual[column].size());
    REQUIRE(expected[column].type() == actual[column].type());
    for (std::size_t row = 0; row < expected[column].size(); ++row) {
      const Value left = expected[column].value(row);
      const Value right = actual[column].value(row);
      if (!same_value(left, right)) {
        CHECK(left.to_text() == right.to_text());
      }
    }
  }
}

BoundAggregateCall bind_case(const AggregateFunction& row, const AggregateCase& test) {
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < test.types.size(); ++i) {
    arguments.push_back(
        {test.types[i], test.constants[i].is_null() ? nullptr : &test.constants[i]});
  }
  const EvalContext context;
  AggregateBindResult bound = bind_aggregate(row, {arguments, context, std::nullopt});
  REQUIRE(std::holds_alternative<BoundAggregateCall>(bound));
  auto call = std::get<BoundAggregateCall>(std::move(bound));
  CHECK(call.results.size() == call.result_suffixes.size());
  CHECK(call.arguments.size() <= test.types.size());
  return call;
}

std::vector<Vector> results_of_groups(const BoundAggregateCall& call, const Input& input) {
  const auto state = call.aggregate->make_state();
  state->resize(kGroups);
  add_rows(input, false, input.groups.data(), {0, input.rows}, state.get());
  return results_of(*state, kGroups);
}

// Three states over consecutive rows, each numbering the groups its own way, against one. What
// they are merged into may get the last rows itself.
void check_groups(const BoundAggregateCall& call, const Input& input, std::mt19937_64& random) {
  const auto merged = call.aggregate->make_state();
  merged->resize(kGroups);
  std::size_t begin = 0;
  for (int part = 0; part < 3; ++part) {
    const std::size_t end = part == 2 ? input.rows : begin + random() % (input.rows - begin + 1);
    std::vector<GroupPair> pairs;
    for (std::uint32_t group = 0; group < kGroups; ++group) {
      pairs.push_back({group, (group + static_cast<std::uint32_t>(part)) % kGroups});
    }
    std::vector<std::uint32_t> renamed(input.rows);
    for (std::size_t row = 0; row < input.rows; ++row) {
      renamed[row] = (input.groups[row] + kGroups - static_cast<std::uint32_t>(part)) % kGroups;
    }
    if (part == 2 && random() % 2 == 0 && end > begin) {
      add_rows(input, true, input.groups.data(), {begin, end}, merged.get());
      merged->settle();
      break;
    }
    const auto state = call.aggregate->make_state();
    state->resize(kGroups);
    if (end > begin) {
      add_rows(input, part != 1, renamed.data(), {begin, end}, state.get());
    }
    if (part != 0) {
      state->settle();
    }
    // In two goes, as when groups are spread over several tables.
    const std::span<const GroupPair> all(pairs);
    const std::size_t cut = random() % (pairs.size() + 1);
    merged->merge(*state, all.first(cut));
    merged->merge(*state, all.subspan(cut));
    begin = end;
  }
  check_same(results_of_groups(call, input), results_of(*merged, kGroups));
  CHECK(merged->size_bytes() > 0);
}

// The rows in another order, in parts that are merged in any order, some of them with each other
// first.
void check_order(const BoundAggregateCall& call, const AggregateCase& test, const Input& input,
                 std::mt19937_64& random) {
  const Input other = shuffled(test, call, input, random);
  std::vector<std::unique_ptr<AggregateState>> parts;
  for (std::size_t begin = 0; begin < other.rows;) {
    const std::size_t end = begin + 1 + random() % (other.rows - begin);
    parts.push_back(call.aggregate->make_state());
    parts.back()->resize(kGroups);
    add_rows(other, random() % 2 == 0, other.groups.data(), {begin, end}, parts.back().get());
    begin = end;
  }
  std::vector<GroupPair> pairs;
  for (std::uint32_t group = 0; group < kGroups; ++group) {
    pairs.push_back({group, group});
  }
  while (parts.size() > 1) {
    std::ranges::shuffle(parts, random);
    parts.back()->settle();
    parts.front()->merge(*parts.back(), pairs);
    parts.pop_back();
  }
  check_same(results_of_groups(call, input), results_of(*parts.front(), kGroups));
}

// One group without numbers, flat and as dictionaries, against the numbered form row by row.
void check_one_group(const BoundAggregateCall& call, const Input& input) {
  const std::vector<std::uint32_t> zeros(input.rows, 0);
  const auto slow = call.aggregate->make_state();
  slow->resize(1);
  for (std::size_t row = 0; row < input.rows; ++row) {
    add_rows(input, false, zeros.data(), {row, row + 1}, slow.get());
  }
  for (const bool dictionaries : {false, true}) {
    const auto fast = call.aggregate->make_state();
    fast->resize(1);
    add_rows(input, dictionaries, nullptr, {0, input.rows}, fast.get());
    check_same(results_of(*slow, 1), results_of(*fast, 1));
  }
}

TEST_CASE("aggregates: any order, split, shape and numbering of groups gives the same answer") {
  const std::multimap<std::string_view, AggregateCase> all = cases();
  std::mt19937_64 random(3);
  for (const AggregateFunction* row : all_aggregates()) {
    CAPTURE(row->name);
    const auto [first, last] = all.equal_range(row->name);
    CHECK_MESSAGE(first != last, "no case for this aggregate");
    for (auto at = first; at != last; ++at) {
      CAPTURE(at->second.types.empty() ? "" : type_name(at->second.types[0]));
      const BoundAggregateCall call = bind_case(*row, at->second);
      for (int round = 0; round < 6; ++round) {
        const Input input = input_of(at->second, call, static_cast<Reals>(round % 3), random);
        check_groups(call, input, random);
        check_one_group(call, input);
        if (!row->order_sensitive) {
          check_order(call, at->second, input, random);
        }
      }
    }
  }
}

TEST_CASE("aggregates: which of equal dynamics is an extreme does not depend on their order") {
  DynamicBuilder whole;
  DynamicBuilder real;
  whole.add_long(1);
  real.add_real(1);
  const Value one = Value::dynamic(whole.take());
  const Value other = Value::dynamic(real.take());
  REQUIRE(compare_dynamic(DynamicView(one.as_text()), DynamicView(other.as_text())) == 0);
  REQUIRE(one.as_text() != other.as_text());
  for (const std::string_view name : {"min", "max"}) {
    CAPTURE(name);
    const BoundAggregateCall call = bind_case(*find_aggregate(name), varying({kD}));
    const auto extreme_of = [&](const std::vector<Value>& values) {
      const auto state = call.aggregate->make_state();
      state->resize(1);
      const std::vector<Vector> args = {flat_of(kD, values)};
      state->add(EvalContext{}, args, nullptr, values.size());
      return std::string(results_of(*state, 1)[0].value(0).as_text());
    };
    CHECK(extreme_of({one, other}) == extreme_of({other, one}));
  }
}

TEST_CASE("aggregates: groups without rows") {
  const auto result_text = [](std::string_view name, const AggregateCase& test) {
    const BoundAggregateCall call = bind_case(*find_aggregate(name), test);
    const auto state = call.aggregate->make_state();
    state->resize(1);
    return results_of(*state, 1)[0].value(0).to_text();
  };
  CHECK(result_text("count", varying({})) == "0");
  CHECK(result_text("sum", varying({kL})) == "0");
  CHECK(result_text("sum", varying({kR})) == "0");
  CHECK(result_text("avg", varying({kL})) == "null");
  CHECK(result_text("min", varying({kS})) == "null");
  CHECK(result_text("max", varying({kR})) == "null");
  CHECK(result_text("dcount", varying({kS})) == "0");
  CHECK(result_text("make_list", varying({kL})) == "[]");
  CHECK(result_text("make_set", varying({kL})) == "[]");
  CHECK(result_text("make_bag", varying({kD})) == "{}");
  CHECK(result_text("arg_max", varying({kL, kS})) == "null");
  CHECK(result_text("percentile", with_constant({kL, kL}, 1, Value::integer(50))) == "null");
  CHECK(result_text("stdev", varying({kL})) == "null");
}

TEST_CASE("aggregates: every row is documented") {
  for (const AggregateFunction* row : all_aggregates()) {
    CAPTURE(row->name);
    CHECK(row->summary.ends_with("."));
    CHECK_FALSE(row->returns.empty());
    CHECK_FALSE(row->examples[0].query.empty());
    CHECK_FALSE(row->examples[0].result.empty());
    CHECK((row->arguments_max == 0 || !row->params[0].name.empty()));
    CHECK(row->arguments_min <= row->arguments_max);
  }
}

TEST_CASE("aggregates: answers call none by a name that clients do not know") {
  // They refuse a whole answer for one other name.
  const std::set<std::string_view> known = {
      "count",    "countif", "distinct",    "distinctif",    "sum",        "sumif",
      "avg",      "avgif",   "min",         "minif",         "max",        "maxif",
      "topk",     "topkif",  "percentiles", "percentilesif", "histogram",  "histogramif",
      "stdev",    "stdevif", "variance",    "varianceif",    "argmin",     "argmax",
      "rate",     "makeset", "makesetif",   "makelist",      "makelistif", "computed",
      "spotlight"};
  for (const AggregateFunction* row : all_aggregates()) {
    CAPTURE(row->name);
    CHECK((row->api_name.empty() || known.contains(row->api_name)));
  }
}

TEST_CASE("aggregates: arguments that do not fit are refused with a reason") {
  const Value text = Value::string("x");
  const Value large = Value::integer(101);
  const std::vector<std::pair<std::string_view, std::vector<Argument>>> bad = {
      {"sum", {{kS, nullptr}}},
      {"sum", {{Type::kDatetime, nullptr}}},
      {"sumif", {{kL, nullptr}, {kL, nullptr}}},
      {"countif", {{kS, nullptr}}},
      {"percentile", {{kL, nullptr}, {kL, nullptr}}},
      {"percentile", {{kL, nullptr}, {kL, &large}}},
      {"percentile", {{kS, nullptr}, {kL, &large}}},
      {"topk", {{kL, nullptr}, {kS, &text}}},
      {"histogram", {{kL, nullptr}, {kS, &text}}},
      {"dcount", {{kL, nullptr}, {kL, &large}}},
      {"make_bag", {{kL, nullptr}}},
      {"phrases", {{kL, nullptr}}},
      {"binary_all_and", {{kR, nullptr}}},
  };
  const EvalContext context;
  for (const auto& each : bad) {
    CAPTURE(each.first);
    const AggregateBindResult bound =
        bind_aggregate(*find_aggregate(each.first), {each.second, context, std::nullopt});
    REQUIRE(std::holds_alternative<BindFailure>(bound));
    CHECK_FALSE(std::get<BindFailure>(bound).message.empty());
  }
}

}  // namespace
}  // namespace evq
