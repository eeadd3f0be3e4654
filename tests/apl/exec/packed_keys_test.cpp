// PackedKeys: what is packed comes back, numbers are the same for all chunks, and where they run
// out nothing is packed any more.

#include "apl/exec/packed_keys.h"

#include <numeric>

#include <doctest/doctest.h>

#include "tests/support/column_samples.h"

namespace evq {
namespace {

constexpr std::size_t kPackedRows = 8192;
constexpr std::uint64_t kPackingSeed = 7;

Vector column_of(const std::vector<Value>& values) {
  return test::flat_vector(values[0].type(), values);
}

// A dictionary of `values`, of which row i has number i * step.
Vector dictionary(const std::vector<Value>& values, std::size_t step,
                  std::size_t rows = kPackedRows) {
  const auto codes = make_codes(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    codes.get()[row] = static_cast<Code>(row * step % values.size());
  }
  return Vector::dictionary(column_of(values).shared_values(), codes, rows);
}

std::vector<Value> texts(std::size_t count, std::size_t first = 0) {
  std::vector<Value> values;
  for (std::size_t i = first; i < first + count; ++i) {
    values.push_back(Value::string("a text of some length " + std::to_string(i)));
  }
  return values;
}

std::vector<Value> longs(std::size_t count) {
  std::vector<Value> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(Value::integer(static_cast<std::int64_t>(i) * 1'000'003));
  }
  return values;
}

std::unique_ptr<PackedKeys> choose(const std::vector<Vector>& keys, std::size_t rows = kPackedRows,
                                   PackedKeys::When when = PackedKeys::When::kItPays) {
  return PackedKeys::choose(keys, rows, when, kPackingSeed, {nullptr, nullptr});
}

// Packs the keys, groups the rows by them, and compares each row's key with its group's.
void check_round_trip(PackedKeys& packed, GroupTable* table, const std::vector<Vector>& keys) {
  const std::size_t rows = keys[0].size();
  std::vector<Vector> as_packed = keys;
  const Result<bool> packs = packed.pack(rows, &as_packed);
  REQUIRE(packs.ok());
  REQUIRE(packs.value());
  REQUIRE(as_packed.size() == packed.types().size());
  std::vector<std::uint32_t> groups(rows);
  table->assign(as_packed, rows, 0, groups.data());
  for (std::size_t column = 0; column < keys.size(); ++column) {
    const Vector back = packed.unpack(column, *table, groups);
    REQUIRE(back.type() == keys[column].type());
    for (std::size_t row = 0; row < rows; ++row) {
      REQUIRE(back.value(row) == keys[column].value(row));
    }
  }
}

TEST_CASE("packed keys: columns of every shape come back, chunk after chunk") {
  std::vector<Value> with_null = texts(40);
  with_null.push_back(Value::null(Type::kString));
  const std::vector<Vector> first{dictionary(with_null, 1), dictionary(longs(70), 3),
                                  dictionary({Value::boolean(true), Value::boolean(false)}, 1),
                                  Vector::constant(Value::real(0.5), kPackedRows),
                                  column_of(longs(kPackedRows))};
  const auto packed = choose(first);
  REQUIRE(packed != nullptr);
  CHECK(packed->types() == std::vector<Type>{Type::kLong, Type::kLong});  // the last is as it was
  GroupTable table(packed->types(), kPackingSeed);
  check_round_trip(*packed, &table, first);
  const std::size_t groups = table.size();
  check_round_trip(*packed, &table, first);
  CHECK(table.size() == groups);

  // In other shapes, and with values that the first chunk did not have.
  const std::vector<Vector> second{
      dictionary(texts(60, 30), 7), dictionary(longs(100), 3).flatten(),
      Vector::constant(Value::null(Type::kBool), kPackedRows),
      dictionary({Value::real(-1.0), Value::real(7.25)}, 1), column_of(longs(kPackedRows))};
  check_round_trip(*packed, &table, second);
  check_round_trip(*packed, &table, first);
}

TEST_CASE("packed keys: when a column's numbers run out, nothing is packed any more") {
  const std::vector<Vector> few{dictionary(texts(200), 1), dictionary(longs(190), 1)};
  const auto packed = choose(few);
  REQUIRE(packed != nullptr);
  GroupTable table(packed->types(), kPackingSeed);
  check_round_trip(*packed, &table, few);
  bool packs = true;
  for (std::size_t first = 0; packs && first < 10 * kPackedRows; first += kPackedRows) {
    std::vector<Vector> keys{column_of(texts(kPackedRows, first)), dictionary(longs(190), 1)};
    const std::vector<Vector> before = keys;
    packs = packed->pack(kPackedRows, &keys).value();
    if (!packs) {
      REQUIRE(keys.size() == 2);
      CHECK(keys[0].value(17) == before[0].value(17));
    }
  }
  CHECK(!packs);
  std::vector<Vector> again = few;
  CHECK(!packed->pack(kPackedRows, &again).value());
}

TEST_CASE("packed keys: what gains nothing is not packed") {
  const Vector many = dictionary(texts(200), 1);
  const Vector flat = column_of(longs(kPackedRows));
  CHECK(choose({many, dictionary(longs(190), 1)}) != nullptr);
  CHECK(choose({many, flat}) == nullptr);  // one column
  CHECK(choose({many, Vector::constant(Value::real(1), kPackedRows)}) ==
        nullptr);                                                                  // as good as one
  CHECK(choose({dictionary(texts(10), 1), dictionary(longs(10), 1)}) == nullptr);  // few groups
  CHECK(choose({dictionary(texts(5000), 1), flat, many}) == nullptr);              // many entries
  const std::vector<Vector> short_ones{dictionary(texts(100), 1, 100),
                                       dictionary(longs(90), 1, 100)};
  CHECK(choose(short_ones, 100, PackedKeys::When::kItCan) != nullptr);
}

}  // namespace
}  // namespace evq
