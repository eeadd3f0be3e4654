// evaluate_call: a call over dictionaries, once for each combination of their entries, gives what
// it gives row by row; so does one over numbers of which few are different, and one that says the
// same of all times of a unit.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "apl/functions/registry.h"
#include "store/base/time.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

// Entries "0x", "1x", …, the last of them null, in random rows.
Vector random_dictionary(std::size_t entries, std::size_t rows, std::mt19937_64& random) {
  VectorBuilder builder(Type::kString);
  for (std::size_t entry = 0; entry + 1 < entries; ++entry) {
    builder.append_text(std::to_string(entry) + "x");
  }
  builder.append_null();
  const auto codes = make_codes(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    codes.get()[i] = static_cast<Code>(random() % entries);
  }
  return Vector::dictionary(builder.finish().shared_values(), codes, rows);
}

Vector call(std::string_view name, const std::vector<Vector>& args, std::size_t rows) {
  const ScalarFunction* function = find_function(name);
  REQUIRE(function != nullptr);
  std::vector<Argument> arguments;
  arguments.reserve(args.size());
  for (const Vector& arg : args) {
    arguments.push_back({arg.type(), nullptr});
  }
  const EvalContext context;
  const BindResult bound = bind_function(*function, {arguments, context});
  REQUIRE(std::holds_alternative<BoundCall>(bound));
  return evaluate_call(std::get<BoundCall>(bound), function->flags, context, args, rows);
}

void check_call(std::string_view name, const std::vector<Vector>& args, std::size_t rows,
                bool by_combination) {
  std::vector<Vector> flat;
  flat.reserve(args.size());
  for (const Vector& arg : args) {
    flat.push_back(arg.flatten());
  }
  const Vector expected = call(name, flat, rows);
  const Vector result = call(name, args, rows);
  CHECK(result.is_dictionary() == by_combination);
  REQUIRE(result.size() == rows);
  REQUIRE(result.type() == expected.type());
  for (std::size_t i = 0; i < rows; ++i) {
    REQUIRE(result.value(i) == expected.value(i));
  }
}

// As a filter leaves it. A text that no row has may be one that the function refuses.
TEST_CASE("a call over a dictionary looks at no entry that no row has") {
  std::mt19937_64 random(3);
  const Vector all = random_dictionary(50, 2000, random);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < all.size(); ++row) {
    if (all.codes()[row] % 5 == 4) {  // the null among them
      rows.push_back(row);
    }
  }
  const Vector some = all.gather(rows);
  REQUIRE(some.values().size() == 50);
  check_call("toupper", {some}, rows.size(), true);
  CHECK(call("toupper", {some}, rows.size()).values().size() == 10);
}

TEST_CASE("dictionaries meet in their combinations") {
  std::mt19937_64 random(3);
  constexpr std::size_t kRows = 200;
  const Vector three = random_dictionary(3, kRows, random);
  const Vector four = random_dictionary(4, kRows, random);
  const Vector sixteen = random_dictionary(16, kRows, random);
  const Vector constant = Vector::constant(Value::string("-"), kRows);
  check_call("strcat", {three, constant, four}, kRows, true);
  check_call("strcat", {three, four, three}, kRows, true);
  check_call("op_equal", {three, four}, kRows, true);
  check_call("coalesce", {three, four}, kRows, true);
  check_call("strcat", {three, three.flatten(), four}, kRows, false);
  // More that there can be than one for four rows: those that occur, if they do twice on average.
  check_call("strcat", {sixteen, four}, kRows, true);
  const Vector fourteen = random_dictionary(14, kRows, random);
  const Vector same =
      fourteen.with_values(random_dictionary(14, 14, random).flatten().shared_values());
  check_call("strcat", {fourteen, constant, same}, kRows, true);
  const Vector forty = random_dictionary(40, kRows, random);
  check_call("strcat", {forty, four}, kRows, false);
  check_call("strcat", {forty, forty}, kRows, false);  // more than rows
}

// One call over all rows gives what a call for each row gives.
void check_each(std::string_view name, const std::vector<Vector>& args) {
  const std::size_t rows = args[0].size();
  const Vector result = call(name, args, rows);
  REQUIRE(result.size() == rows);
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<Vector> one;
    for (const Vector& arg : args) {
      one.push_back(arg.slice(i, 1));
    }
    const Value expected = call(name, one, 1).value(0);
    REQUIRE_MESSAGE(result.value(i) == expected, name << " in row " << i);
    REQUIRE(result.value(i).to_text() == expected.to_text());
  }
}

Vector times_of(const std::vector<std::int64_t>& times, bool with_nulls) {
  auto values = Values::make(Type::kDatetime, times.size());
  std::ranges::copy(times, values->mutable_data<std::int64_t>());
  for (std::size_t i = 0; with_nulls && i < times.size(); i += 7) {
    values->set_null(i);
  }
  return Vector::flat(std::move(values));
}

// Times from `first` on, about `step` after one another, some of them before the last.
Vector rising_times(std::int64_t first, std::int64_t step, bool with_nulls) {
  constexpr std::size_t kTimes = 500;
  std::mt19937_64 random(11);
  std::vector<std::int64_t> times;
  std::uint64_t at = static_cast<std::uint64_t>(first);
  for (std::size_t i = 0; i < kTimes; ++i) {
    at += random() % static_cast<std::uint64_t>(2 * step);
    times.push_back(
        static_cast<std::int64_t>(i % 50 == 49 ? at - 3U * static_cast<std::uint64_t>(step) : at));
  }
  return times_of(times, with_nulls);
}

TEST_CASE("what is the same for a unit of time is found once for its times") {
  constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  std::vector<Vector> columns;
  for (const std::int64_t step : {kSecondNs, kMinuteNs, 40 * kMinuteNs, 9 * kHourNs, 11 * kDayNs}) {
    columns.push_back(rising_times(1714521600000000000 - 200 * step, step, false));
    columns.push_back(rising_times(-200 * step, step, step == kMinuteNs));  // across 1970
  }
  columns.push_back(rising_times(kFirst + 10 * kMinuteNs, kSecondNs, false));
  columns.push_back(rising_times(kLast - 2000 * kSecondNs, kSecondNs, false));
  for (const Vector& times : columns) {
    for (const std::string_view name :
         {"dayofmonth", "dayofweek", "dayofyear", "monthofyear", "getmonth", "getyear", "hourofday",
          "week_of_year", "startofday", "startofhour", "startofmonth", "startofweek", "startofyear",
          "endofday", "endofhour", "endofmonth", "endofweek", "endofyear"}) {
      check_each(name, {times});
    }
    for (const std::string_view part :
         {"year", "quarter", "month", "week", "day", "dayofyear", "hour", "minute", "second",
          "millisecond", "microsecond", "nanosecond", "none"}) {
      const Vector name = Vector::constant(Value::string(std::string(part)), times.size());
      const Vector fixed = Vector::constant(Value::datetime(1714567890123456789), times.size());
      check_each("datetime_part", {name, times});
      check_each("datetime_diff", {name, times, fixed});
      check_each("datetime_diff", {name, fixed, times});
      check_each("datetime_diff", {name, times, times});
    }
  }
}

TEST_CASE("texts of few different numbers are made once for each") {
  constexpr std::size_t kRows = 400;
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::array<double, 6> reals = {0.0, -0.0, 1.5, kNan, -kNan, 1e300};
  auto values = Values::make(Type::kReal, kRows);
  auto longs = Values::make(Type::kLong, kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    values->mutable_data<double>()[i] = reals[i * 7 % reals.size()];
    longs->mutable_data<std::int64_t>()[i] = static_cast<std::int64_t>(i * 31 % 40) - 20;
  }
  check_each("tostring", {Vector::flat(values)});
  check_each("tostring", {Vector::flat(longs)});
  CHECK(call("tostring", {Vector::flat(values)}, kRows).is_dictionary());
  values->set_null(9);
  longs->set_null(0);
  check_each("tostring", {Vector::flat(values)});
  check_each("strcat", {Vector::constant(Value::string("-"), kRows), Vector::flat(longs)});
}

TEST_CASE("numbers meet constants as they meet columns") {
  constexpr std::size_t kRows = 60;
  auto longs = Values::make(Type::kLong, kRows);
  auto reals = Values::make(Type::kReal, kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    longs->mutable_data<std::int64_t>()[i] =
        i % 9 == 0 ? std::numeric_limits<std::int64_t>::max() - static_cast<std::int64_t>(i)
                   : static_cast<std::int64_t>(i) - 20;
    reals->mutable_data<double>()[i] = static_cast<double>(i) / 8 - 3;
  }
  for (const std::string_view name :
       {"op_add", "op_subtract", "op_multiply", "op_divide", "op_modulo"}) {
    for (const std::int64_t number : {-1, 0, 2, 40}) {
      const Vector fixed = Vector::constant(Value::integer(number), kRows);
      check_each(name, {Vector::flat(longs), fixed});
      check_each(name, {fixed, Vector::flat(longs)});
      const Vector fraction = Vector::constant(Value::real(static_cast<double>(number)), kRows);
      check_each(name, {Vector::flat(reals), fraction});
      check_each(name, {fraction, Vector::flat(reals)});
    }
    check_each(name, {Vector::flat(longs), Vector::flat(longs)});
    check_each(name, {Vector::flat(reals), Vector::flat(reals)});
  }
}

}  // namespace
}  // namespace evq
