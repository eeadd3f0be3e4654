// GroupTable against a map of the keys' values: random columns in every shape, chunk after chunk,
// so that one table takes each of its ways to find groups.

#include "apl/exec/group_table.h"

#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <random>

#include "apl/exec/key_combinations.h"
#include "store/base/allocation_meter.h"
#include "tests/support/column_samples.h"

namespace evq {
namespace {

using Rows = std::vector<std::uint32_t>;

constexpr std::uint64_t kSeed = 7;

// The values of one key column; later chunks have more of them.
struct Pool {
  Type type;
  std::vector<Value> values;
};

// How far apart the integers of a pool lie: some in reach of an array, some of them or all not.
enum class Spacing : std::uint8_t { kClose, kApart, kApartLater, kAtEnds, kCount };

std::int64_t spaced(std::size_t i, std::size_t size, Spacing spacing) {
  const auto number = static_cast<std::int64_t>(i);
  switch (spacing) {
    case Spacing::kClose:
      return 500 - 2 * number;
    case Spacing::kApartLater:
      return i < size / 2 ? number : number * 1'000'003;
    case Spacing::kAtEnds:
      return i % 2 == 0 || i < size / 2 ? std::numeric_limits<std::int64_t>::max() - number
                                        : std::numeric_limits<std::int64_t>::min() + number;
    case Spacing::kApart:
    case Spacing::kCount:
      break;
  }
  return number * 1'000'003;
}

Pool make_pool(Type type, std::size_t size, Spacing spacing) {
  Pool pool{type, {Value::null(type)}};
  for (std::size_t i = 1; i < size; ++i) {
    const std::int64_t number = spaced(i, size, spacing);
    pool.values.push_back(type == Type::kLong   ? Value::integer(number)
                          : type == Type::kReal ? Value::real(static_cast<double>(number) / 4)
                                                : Value::string("text " + std::to_string(i)));
  }
  return pool;
}

class Keys {
 public:
  explicit Keys(std::uint32_t seed) : random_(seed) {
    const std::size_t columns = pick(1, 4);
    const std::size_t size = pick(2, columns == 1 ? 2000 : 60);
    for (std::size_t i = 0; i < columns; ++i) {
      constexpr std::array kTypes = {Type::kLong, Type::kReal, Type::kString};
      const auto spacing =
          static_cast<Spacing>(pick(0, static_cast<std::size_t>(Spacing::kCount) - 1));
      pools_.push_back(make_pool(kTypes.at(pick(0, 2)), size, spacing));
    }
  }

  std::size_t pick(std::size_t low, std::size_t high) {
    return std::uniform_int_distribution<std::size_t>(low, high)(random_);
  }
  std::vector<Type> types() const {
    std::vector<Type> types;
    for (const Pool& pool : pools_) {
      types.push_back(pool.type);
    }
    return types;
  }
  // A chunk of `rows` with values of the first `share` percent of each pool.
  std::vector<Vector> chunk(std::size_t rows, std::size_t share) {
    std::vector<Vector> columns;
    for (const Pool& pool : pools_) {
      const std::size_t most = std::max<std::size_t>(pool.values.size() * share / 100, 1) - 1;
      const std::size_t shape = pick(0, 9);
      if (shape == 0) {
        columns.push_back(Vector::constant(pool.values[pick(0, most)], rows));
      } else if (shape == 1) {
        columns.push_back(test::flat_vector(pool.type, some(pool, most, rows)));
      } else {
        const Vector entries =
            test::flat_vector(pool.type, some(pool, most, pick(1, 2 * most + 2)));
        std::shared_ptr<Code[]> codes = make_codes(rows);
        for (std::size_t i = 0; i < rows; ++i) {
          codes.get()[i] = static_cast<Code>(pick(0, entries.size() - 1));
        }
        columns.push_back(Vector::dictionary(entries.shared_values(), std::move(codes), rows));
      }
    }
    return columns;
  }

 private:
  std::vector<Value> some(const Pool& pool, std::size_t most, std::size_t count) {
    std::vector<Value> values;
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(pool.values[pick(0, most)]);
    }
    return values;
  }

  std::mt19937 random_;
  std::vector<Pool> pools_;
};

std::string key_text(std::span<const Vector> keys, std::size_t row) {
  std::string text;
  for (const Vector& key : keys) {
    text += key.is_null(row) ? "null" : "=" + key.value(row).to_text();
    text += '|';
  }
  return text;
}

// What a table has to say: a key's group and where it was first seen.
struct Expected {
  std::map<std::string, std::uint32_t> groups;
  std::map<std::string, std::uint64_t> first_seen;
  std::size_t columns = 0;

  void note(std::span<const Vector> keys, std::size_t row, std::uint64_t order,
            std::uint32_t group) {
    columns = keys.size();
    const std::string key = key_text(keys, row);
    CAPTURE(row);
    CAPTURE(key);
    REQUIRE(group == groups.try_emplace(key, group).first->second);
    auto& seen = first_seen.try_emplace(key, order + row).first->second;
    seen = std::min(seen, order + row);
  }
  void check(const GroupTable& table) const {
    REQUIRE(table.size() == groups.size());
    std::vector<std::uint32_t> all(table.size());
    std::iota(all.begin(), all.end(), 0U);
    std::vector<Vector> keys;
    for (std::size_t column = 0; column < columns; ++column) {
      keys.push_back(table.key(column, all));
    }
    for (std::uint32_t group = 0; group < table.size(); ++group) {
      const std::string key = key_text(keys, group);
      CAPTURE(key);
      REQUIRE(groups.at(key) == group);
      REQUIRE(first_seen.at(key) == table.first_seen(group));
    }
  }
};

// Keys are found as they were assigned, and no others.
void check_found(const GroupTable& table, const Expected& expected, std::span<const Vector> keys) {
  std::vector<std::uint32_t> groups(keys[0].size());
  table.find(keys, groups.size(), groups.data());
  for (std::size_t row = 0; row < groups.size(); ++row) {
    const auto known = expected.groups.find(key_text(keys, row));
    REQUIRE(groups[row] == (known == expected.groups.end() ? GroupTable::kNoGroup : known->second));
  }
}

void add_chunk(GroupTable& table, Expected& expected, std::span<const Vector> keys,
               std::uint64_t order) {
  const std::size_t rows = keys[0].size();
  std::vector<std::uint32_t> groups(rows);
  table.assign(keys, rows, order, groups.data());
  for (std::size_t row = 0; row < rows; ++row) {
    expected.note(keys, row, order, groups[row]);
  }
}

// Two tables, each of the keys of one part.
struct Parted {
  std::array<GroupTable, 2> tables;
  std::array<Expected, 2> expected;

  void add_rows(std::span<const Vector> keys, std::uint64_t order) {
    std::vector<std::uint64_t> hashes(keys[0].size());
    tables[0].hash(keys, keys[0].size(), hashes.data());
    const std::array<Rows, 2> lists = by_part(hashes);
    for (std::size_t part = 0; part < tables.size(); ++part) {
      const Rows& rows = lists.at(part);
      std::vector<std::uint64_t> loaded(rows.size() * tables.at(part).loaded_words());
      tables[0].load(keys, rows, loaded.data());
      std::vector<std::uint32_t> groups(rows.size());
      tables.at(part).assign_loaded(loaded.data(), rows, order, groups.data());
      for (std::size_t i = 0; i < groups.size(); ++i) {
        REQUIRE(loaded[i * tables.at(part).loaded_words()] == hashes[rows[i]]);
        expected.at(part).note(keys, rows[i], order, groups[i]);
      }
    }
  }

  void add_combinations(std::span<const Vector> keys, std::size_t radix, std::uint64_t order) {
    const std::size_t rows = keys[0].size();
    ChunkCombinations combinations;
    combinations.find(keys, rows, radix);
    REQUIRE(std::accumulate(combinations.counts().begin(), combinations.counts().end(), 0UL) ==
            rows);
    std::vector<std::uint64_t> hashes(combinations.size());
    tables[0].hash(keys, combinations, hashes.data());
    combinations.find_first_rows();
    const std::array<Rows, 2> lists = by_part(hashes);
    std::vector<std::uint32_t> groups(combinations.size());
    std::vector<std::uint32_t> parts(combinations.size());
    for (std::uint32_t part = 0; part < tables.size(); ++part) {
      std::vector<std::uint32_t> some(lists.at(part).size());
      tables.at(part).assign_some(keys, combinations, lists.at(part), hashes.data(), order,
                                  some.data());
      for (std::size_t i = 0; i < some.size(); ++i) {
        groups[lists.at(part)[i]] = some[i];
        parts[lists.at(part)[i]] = part;
      }
    }
    std::vector<std::uint32_t> group_of_row(rows);
    std::vector<std::uint32_t> part_of_row(rows);
    combinations.spread(groups.data(), group_of_row.data());
    combinations.spread(parts.data(), part_of_row.data());
    for (std::size_t row = 0; row < rows; ++row) {
      expected.at(part_of_row[row]).note(keys, row, order, group_of_row[row]);
    }
  }

 private:
  static std::array<Rows, 2> by_part(std::span<const std::uint64_t> hashes) {
    std::array<Rows, 2> lists;
    for (std::uint32_t i = 0; i < hashes.size(); ++i) {
      lists.at(GroupTable::part_of(hashes[i], 1)).push_back(i);
    }
    return lists;
  }
};

TEST_CASE("A row's group is that of its key, whatever the shapes of the key's columns") {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Keys keys(seed);
    GroupTable table(keys.types(), kSeed);
    Expected expected;
    for (std::uint64_t chunk = 0; chunk < 6; ++chunk) {
      const std::size_t rows = keys.pick(1, keys.pick(0, 1) == 0 ? 40 : 3000);
      // The third and fourth come out of order.
      add_chunk(table, expected, keys.chunk(rows, (chunk + 1) * 100 / 6), (chunk ^ 1U) << 32U);
      check_found(table, expected, keys.chunk(rows, 100));
    }
    expected.check(table);
  }
}

TEST_CASE("Keys are in the part that their hash says, told by rows or by combinations of entries") {
  std::size_t by_combinations = 0;
  for (std::uint32_t seed = 2000; seed < 2200; ++seed) {
    CAPTURE(seed);
    Keys keys(seed);
    const std::vector<Type> types = keys.types();
    Parted parted{{GroupTable(types, kSeed), GroupTable(types, kSeed)}, {}};
    for (std::uint64_t chunk = 0; chunk < 6; ++chunk) {
      const std::vector<Vector> columns = keys.chunk(keys.pick(1, 3000), (chunk + 1) * 100 / 6);
      const std::uint64_t order = (chunk ^ 1U) << 32U;
      const std::size_t radix = combinations_of(columns, columns[0].size());
      if (radix != 0 && keys.pick(0, 3) != 0) {
        parted.add_combinations(columns, radix, order);
        ++by_combinations;
      } else {
        parted.add_rows(columns, order);
      }
    }
    for (std::size_t part = 0; part < 2; ++part) {
      parted.expected.at(part).check(parted.tables.at(part));
    }
    for (const auto& [key, group] : parted.expected[0].groups) {
      REQUIRE(parted.expected[1].groups.count(key) == 0);
    }
  }
  CHECK(by_combinations > 100);
}

TEST_CASE("A merged table has the groups of both, whatever way each found its own") {
  for (std::uint32_t seed = 1000; seed < 1100; ++seed) {
    CAPTURE(seed);
    Keys keys(seed);
    GroupTable table(keys.types(), kSeed);
    GroupTable other(keys.types(), kSeed);
    Expected expected;
    Expected of_other;
    for (std::uint64_t chunk = 0; chunk < 4; ++chunk) {
      const bool first = chunk % 2 == 0;
      add_chunk(first ? table : other, first ? expected : of_other,
                keys.chunk(keys.pick(1, 3000), 100), chunk << 32U);
    }
    std::vector<std::uint32_t> all(other.size());
    std::iota(all.begin(), all.end(), 0U);
    std::vector<GroupPair> pairs;
    table.merge(other, all, &pairs);
    REQUIRE(pairs.size() == all.size());
    std::map<std::uint32_t, std::string> key_of;
    for (const auto& [key, group] : of_other.groups) {
      key_of[group] = key;
    }
    for (const GroupPair pair : pairs) {
      const std::string& key = key_of.at(pair.from);
      REQUIRE(expected.groups.try_emplace(key, pair.to).first->second == pair.to);
      auto& seen = expected.first_seen.try_emplace(key, of_other.first_seen.at(key)).first->second;
      seen = std::min(seen, of_other.first_seen.at(key));
    }
    expected.check(table);
    check_found(table, expected, keys.chunk(2000, 100));
    // And goes on as one, also with what comes before chunks that only the other saw.
    add_chunk(table, expected, keys.chunk(2000, 100), (std::uint64_t{2} << 32U) + 100'000);
    add_chunk(table, expected, keys.chunk(2000, 100), std::uint64_t{9} << 32U);
    expected.check(table);
  }
}

TEST_CASE("Sorting groups by part ends when the query is cancelled") {
  constexpr std::size_t kSortedGroups = 50'000;
  const std::shared_ptr<Values> values = Values::make(Type::kLong, kSortedGroups);
  for (std::size_t i = 0; i < kSortedGroups; ++i) {
    values->mutable_data<std::int64_t>()[i] = static_cast<std::int64_t>(i) * 1'000'003;
  }
  const Vector key = Vector::flat(values);
  GroupTable table({Type::kLong}, kSeed);
  Rows groups(kSortedGroups);
  table.assign({&key, 1}, kSortedGroups, 0, groups.data());
  REQUIRE(table.by_hash(1)[0].size() + table.by_hash(1)[1].size() == kSortedGroups);
  QueryControl control;
  control.cancel();
  AllocationMeter meter(nullptr, &control, "summarize");
  const Status sorted = meter.guard([&] { static_cast<void>(table.by_hash(1)); });
  REQUIRE_FALSE(sorted.ok());
  CHECK(sorted.error().code == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace evq
