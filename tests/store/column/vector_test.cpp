#include "store/column/vector.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/column_samples.h"

namespace evq::test {
namespace {

constexpr std::size_t kSizes[] = {0, 1, 63, 64, 65, 200};

template <class Body>
void for_all_vectors(Body body) {
  for (const Type type : kTypes) {
    for (const std::size_t size : kSizes) {
      const std::vector<Vector> vectors = sample_vectors(type, size);
      for (const Vector& vector : vectors) {
        CAPTURE(type);
        CAPTURE(size);
        CAPTURE(static_cast<int>(vector.shape()));
        REQUIRE(vector.type() == type);
        body(vector);
      }
    }
  }
}

std::vector<std::uint32_t> some_rows(std::size_t size, std::size_t count, std::size_t step) {
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; size != 0 && i < count; ++i) {
    rows.push_back(static_cast<std::uint32_t>((i * step + 1) % size));
  }
  return rows;
}

}  // namespace

TEST_CASE("flatten gives the same rows in flat shape") {
  for_all_vectors([](const Vector& vector) {
    const Vector flat = vector.flatten();
    CHECK(flat.is_flat());
    CHECK(flat.type() == vector.type());
    check_rows(flat, values_of(vector));
  });
}

TEST_CASE("gather agrees with picking values one by one") {
  for_all_vectors([](const Vector& vector) {
    const std::vector<Value> values = values_of(vector);
    for (const std::size_t step : {std::size_t{1}, std::size_t{3}, std::size_t{64}}) {
      const auto rows = some_rows(vector.size(), 130, step);
      std::vector<Value> expected;
      for (const std::uint32_t row : rows) {
        expected.push_back(values[row]);
      }
      const Vector gathered = vector.gather(rows);
      CHECK(gathered.shape() == vector.shape());
      check_rows(gathered, expected);
    }
    CHECK(vector.gather({}).size() == 0);
  });
}

TEST_CASE("slice agrees with picking values one by one") {
  for_all_vectors([](const Vector& vector) {
    const std::vector<Value> values = values_of(vector);
    for (std::size_t begin = 0; begin <= vector.size(); begin += 1 + vector.size() / 4) {
      for (std::size_t count = 0; count <= vector.size() - begin; count += 1 + count * 2) {
        const auto from = values.begin() + static_cast<std::ptrdiff_t>(begin);
        const std::vector<Value> expected(from, from + static_cast<std::ptrdiff_t>(count));
        check_rows(vector.slice(begin, count), expected);
      }
    }
  });
}

TEST_CASE("interleave agrees with picking values one by one") {
  for (const Type type : kTypes) {
    // Every shape beside every other one, several sizes.
    std::vector<Vector> parts;
    for (const std::size_t size : {std::size_t{1}, std::size_t{64}, std::size_t{200}}) {
      std::ranges::move(sample_vectors(type, size), std::back_inserter(parts));
    }
    const auto check = [&](std::span<const Vector> some) {
      CAPTURE(type);
      for (const std::size_t rows :
           {std::size_t{0}, std::size_t{1}, std::size_t{65}, std::size_t{900}}) {
        std::vector<RowPlace> places;
        std::vector<Value> expected;
        for (std::size_t i = 0; i < rows; ++i) {
          const std::size_t part = i * 7 % some.size();
          const std::size_t row = i * 13 % some[part].size();
          places.push_back({static_cast<std::uint32_t>(part), static_cast<std::uint32_t>(row)});
          expected.push_back(some[part].value(row));
        }
        const Vector made = interleave(some, places);
        CHECK(made.type() == type);
        check_rows(made, expected);
      }
    };
    check(parts);
    for (const Vector& part : parts) {
      check(std::vector<Vector>{part});
      check(std::vector<Vector>{part, parts.back(), part});
    }
  }
}

TEST_CASE("interleaved dictionaries stay one while it is no longer than its rows") {
  const Vector dictionary = sample_vectors(Type::kString, 200)[1];
  REQUIRE(dictionary.is_dictionary());
  const Vector constant = Vector::constant(Value::string("c"), 3);
  const std::vector<Vector> parts = {dictionary, constant, dictionary};
  std::vector<RowPlace> places(1000, RowPlace{1, 2});
  CHECK(interleave(parts, places).is_dictionary());
  CHECK(interleave(parts, std::span(places).first(2)).is_flat());
  const std::vector<Vector> nulls(2, Vector::constant(Value::null(Type::kString), 3));
  CHECK(interleave(nulls, places).is_constant());
}

TEST_CASE("a slice of a slice of a dictionary keeps its codes alive") {
  Vector inner;
  {
    const Vector outer = sample_vectors(Type::kString, 200)[1];
    REQUIRE(outer.is_dictionary());
    inner = outer.slice(50, 100).slice(10, 20);
  }
  CHECK(values_of(inner).size() == 20);
}

TEST_CASE("widen agrees with converting values one by one") {
  for_all_vectors([](const Vector& vector) {
    std::vector<Type> targets = {vector.type(), Type::kDynamic};
    if (vector.type() == Type::kLong) {
      targets.push_back(Type::kReal);
    }
    if (vector.type() == Type::kNull) {
      targets.assign(kTypes.begin(), kTypes.end());
    }
    for (const Type target : targets) {
      CAPTURE(target);
      const Vector wide = vector.widen(target);
      CHECK(wide.type() == target);
      VectorBuilder twin(target);
      for (const Value& value : values_of(vector)) {
        twin.append(value);
      }
      check_rows(wide, values_of(twin.finish()));
    }
  });
}

TEST_CASE("widening to dynamic encodes the scalar") {
  const Vector wide = Vector::constant(Value::datetime(5), 2).widen(Type::kDynamic);
  CHECK(wide.is_constant());
  CHECK(value_from_dynamic(DynamicView(wide.at<std::string_view>(1))) == Value::datetime(5));
}

TEST_CASE("concatenate joins parts of every shape") {
  for (const Type type : kTypes) {
    CAPTURE(type);
    std::vector<Vector> parts;
    std::vector<Value> expected;
    for (const std::size_t size : kSizes) {
      for (const Vector& vector : sample_vectors(type, size)) {
        parts.push_back(vector);
        const std::vector<Value> values = values_of(vector);
        expected.insert(expected.end(), values.begin(), values.end());
      }
    }
    const Vector whole = concatenate(parts);
    parts.clear();
    CHECK(whole.is_flat());
    CHECK(whole.type() == type);
    check_rows(whole, expected);
  }
  CHECK(concatenate({}).size() == 0);
}

TEST_CASE("concatenate keeps the type of empty parts") {
  const std::vector<Vector> parts = {Vector(), flat_vector(Type::kLong, {})};
  CHECK(concatenate(parts).type() == Type::kLong);
  CHECK(concatenate(parts).size() == 0);
}

TEST_CASE("rows gathered past all nulls forget the bitmap") {
  const Vector vector =
      flat_vector(Type::kLong, {Value::integer(1), Value::null(Type::kLong), Value::integer(3)});
  CHECK(vector.may_have_nulls());
  const std::vector<std::uint32_t> rows = {2, 0, 2};
  CHECK_FALSE(vector.gather(rows).may_have_nulls());
  CHECK_FALSE(vector.slice(2, 1).may_have_nulls());
}

TEST_CASE("gathered strings outlive the vector they came from") {
  Vector gathered;
  {
    const Vector vector = flat_vector(Type::kString, mixed_values(Type::kString, 50, true));
    const std::vector<std::uint32_t> rows = {5, 4, 3, 2, 1, 0};
    gathered = vector.gather(rows);
  }
  const std::vector<Value> all = mixed_values(Type::kString, 50, true);
  check_rows(gathered, {all[5], all[4], all[3], all[2], all[1], all[0]});
}

TEST_CASE("with_values keeps shape and codes") {
  const Vector vector = sample_vectors(Type::kString, 65)[1];
  auto lengths = Values::make(Type::kLong, vector.values().size());
  for (std::size_t i = 0; i < lengths->size(); ++i) {
    const auto size = vector.values().data<std::string_view>()[i].size();
    lengths->mutable_data<std::int64_t>()[i] = static_cast<std::int64_t>(size);
  }
  const Vector mapped = vector.with_values(lengths);
  CHECK(mapped.is_dictionary());
  for (std::size_t i = 0; i < vector.size(); ++i) {
    CHECK(static_cast<std::size_t>(mapped.at<std::int64_t>(i)) ==
          vector.at<std::string_view>(i).size());
  }
}

TEST_CASE("slices narrow contiguous text to their rows") {
  const auto text = std::make_shared<const std::string>("one|two||four");
  const std::string_view view = *text;
  auto values = Values::make(Type::kString, 4);
  std::string_view* slots = values->mutable_data<std::string_view>();
  slots[0] = view.substr(0, 3);
  slots[1] = view.substr(4, 3);
  slots[2] = {};
  slots[3] = view.substr(9);
  values->add_owner({text, text->size()});
  values->set_contiguous_text(view);
  const Vector vector = Vector::flat(values);
  CHECK(vector.slice(0, 2).values().contiguous_text() == "one|two");
  CHECK(vector.slice(1, 3).values().contiguous_text() == "two||four");
  CHECK(vector.slice(1, 2).values().contiguous_text() == "two");
  CHECK(vector.slice(2, 1).values().contiguous_text().empty());
  CHECK(vector.slice(0, 4).values().contiguous_text() == view);
}

TEST_CASE("slots are aligned and may be read past their end") {
  for (const Type type : kTypes) {
    const auto values = Values::make(type, 3);
    CHECK(reinterpret_cast<std::uintptr_t>(values->data<std::uint8_t>()) % 64 == 0);
    const std::size_t bytes = values->size_bytes() - Values::make(type, 0)->size_bytes();
    std::vector<std::uint8_t> copy(bytes + 64);
    std::memcpy(copy.data(), values->data<std::uint8_t>(), copy.size());
  }
}

TEST_CASE("set_null empties the slot") {
  auto values = Values::make(Type::kLong, 70);
  for (std::size_t i = 0; i < 70; ++i) {
    values->mutable_data<std::int64_t>()[i] = 5;
  }
  CHECK_FALSE(values->has_nulls());
  values->set_null(69);
  CHECK(values->is_null(69));
  CHECK_FALSE(values->is_null(68));
  CHECK(values->data<std::int64_t>()[69] == 0);
}

TEST_CASE("an arena never moves what it handed out") {
  StringArena arena;
  std::vector<std::string> expected;
  std::vector<std::string_view> views;
  std::size_t total = 0;
  for (std::size_t i = 0; i < 2000; ++i) {
    expected.emplace_back((i * i) % 7919, static_cast<char>('a' + i % 26));
    views.push_back(arena.copy(expected.back()));
    total += expected.back().size();
  }
  for (std::size_t i = 0; i < views.size(); ++i) {
    REQUIRE(views[i] == expected[i]);
  }
  CHECK(arena.size_bytes() >= total);
  CHECK(arena.size_bytes() < 2 * total);
  CHECK(arena.copy("").empty());
}

}  // namespace evq::test
