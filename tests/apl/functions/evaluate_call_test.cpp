// evaluate_call: a call over dictionaries, once for each combination of their entries, gives what
// it gives row by row.

#include <array>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "apl/functions/registry.h"
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
  check_call("strcat", {sixteen, four}, kRows, false);  // more than a combination for four rows
}

}  // namespace
}  // namespace evq
