// FrequentItems: exact while items are few, and its bounds on streams with many.

#include "apl/functions/frequent_items.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "apl/functions/table_slot.h"

namespace evq {
namespace {

constexpr std::size_t kCapacity = 500;

std::vector<std::string> stream(const std::string& name) {
  std::mt19937_64 random(5);
  std::vector<std::string> items;
  for (std::size_t i = 0; i < 50000; ++i) {
    std::uint64_t item = 0;
    if (name == "zipf") {
      item = static_cast<std::uint64_t>(
          1.0 / (std::ldexp(static_cast<double>(random() >> 11), -53) + 1e-6));
    } else if (name == "distinct") {
      item = i;
    } else if (name == "heavy last") {
      item = i < 40000 ? i : 1000000;
    } else if (name == "heavy first") {
      item = i < 10000 ? 1000000 : i;
    } else if (name == "many heavy") {
      item = i % 2 == 0 ? i % 120 : i;
    }
    items.push_back(std::to_string(item));
  }
  return items;
}

using Truth = std::map<std::string, std::uint64_t>;

void check_bounds(const FrequentItems& items, const Truth& truth, std::uint64_t total) {
  CHECK(items.total() == total);
  CHECK(items.error() <= 3 * total / kCapacity);
  std::set<std::string> listed;
  for (const FrequentItems::Item& item : items.top(kCapacity)) {
    CHECK(item.count == items.count_of(item.bytes));
    CHECK(item.error == std::min(item.count, items.error()));
    listed.emplace(item.bytes);
  }
  std::size_t off = 0;
  for (const auto& [item, count] : truth) {
    CHECK(items.count_of(item) >= count);
    off += items.count_of(item) > count + items.error() ? 1U : 0U;
    if (items.count_of(item) > items.certain_above()) {
      CHECK(listed.contains(item));
    }
  }
  CHECK(off * 1000 <= truth.size());
}

// Everything that is listed, rare items too.
std::vector<std::pair<std::string, std::uint64_t>> listed(const FrequentItems& items) {
  std::vector<std::pair<std::string, std::uint64_t>> list;
  for (const FrequentItems::Item& item : items.top(kCapacity)) {
    list.emplace_back(item.bytes, item.count);
  }
  return list;
}

void check_same(const FrequentItems& a, const FrequentItems& b, const Truth& truth) {
  CHECK(a.is_exact() == b.is_exact());
  CHECK(listed(a) == listed(b));
  for (const auto& [item, count] : truth) {
    CHECK(a.count_of(item) == b.count_of(item));
  }
}

TEST_CASE("frequent_items: bounds hold, and any split and order gives the same counts and list") {
  std::mt19937_64 random(11);
  for (const char* name :
       {"constant", "zipf", "distinct", "heavy last", "heavy first", "many heavy"}) {
    CAPTURE(name);
    const std::vector<std::string> rows = stream(name);
    Truth truth;
    FrequentItems whole(kCapacity);
    std::vector<FrequentItems> parts(7, FrequentItems(kCapacity));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ++truth[rows[i]];
      whole.add(rows[i], 1);
      parts[i * i % 7].add(rows[i], 1);
    }
    whole.settle();
    std::ranges::for_each(parts, &FrequentItems::settle);
    check_bounds(whole, truth, rows.size());
    CHECK(whole.top(10).size() == std::min<std::size_t>(10, truth.size()));
    for (int round = 0; round < 4; ++round) {
      std::ranges::shuffle(parts, random);
      // Pairs first, then one after the other: trees of different shapes.
      FrequentItems merged(kCapacity);
      for (std::size_t i = 0; i < parts.size(); i += 2) {
        FrequentItems pair = parts[i];
        if (i + 1 < parts.size() && round % 2 == 0) {
          pair.merge(parts[i + 1]);
          merged.merge(pair);
        } else {
          merged.merge(pair);
          merged.merge(i + 1 < parts.size() ? parts[i + 1] : FrequentItems(kCapacity));
        }
      }
      check_bounds(merged, truth, rows.size());
      check_same(whole, merged, truth);
      CHECK(merged.size_bytes() < 256 * kCapacity);
    }
  }
}

TEST_CASE("frequent_items: parts on both sides of the capacity meet in the same counts") {
  FrequentItems few(kCapacity);
  FrequentItems many(kCapacity);
  FrequentItems whole(kCapacity);
  Truth truth;
  for (std::size_t i = 0; i < 3 * kCapacity; ++i) {
    const std::string item = std::to_string(i % (2 * kCapacity));
    ++truth[item];
    whole.add(item, 1);
    (i < kCapacity / 2 ? few : many).add(item, 1);
  }
  few.settle();
  many.settle();
  whole.settle();
  CHECK(few.is_exact());
  CHECK_FALSE(many.is_exact());
  FrequentItems there = few;
  there.merge(many);
  FrequentItems back = many;
  back.merge(few);
  check_same(whole, there, truth);
  check_same(whole, back, truth);
}

TEST_CASE("frequent_items: settling in between changes nothing") {
  for (const char* name : {"zipf", "distinct", "heavy last", "many heavy"}) {
    CAPTURE(name);
    FrequentItems once(kCapacity);
    FrequentItems often(kCapacity);
    Truth truth;
    for (const std::string& row : stream(name)) {
      ++truth[row];
      once.add(row, 1);
      often.add(row, 1);
      if (truth.size() % 100 == 0) {
        often.settle();
      }
    }
    once.with_settled([&](const FrequentItems& settled) {
      often.settle();
      check_same(settled, often, truth);
    });
  }
}

TEST_CASE("frequent_items: exact and in order while items are few") {
  FrequentItems items(3);
  items.add("b", 2);
  items.add("a", 2);
  items.add("c", 5);
  CHECK(items.is_exact());
  const auto top = items.top(2);
  REQUIRE(top.size() == 2);
  CHECK(top[0].bytes == "c");
  CHECK(top[0].count == 5);
  CHECK(top[1].bytes == "a");
  CHECK(items.top(10).size() == 3);
  CHECK(items.count_of("b") == 2);
  CHECK(items.count_of("d") == 0);
  CHECK(FrequentItems(3).count_of("a") == 0);
}

TEST_CASE("frequent_items: what has no counter left is merged into what counted nothing") {
  FrequentItems once(kCapacity);
  for (std::size_t i = 0; i <= kCapacity; ++i) {
    once.add(std::to_string(i), 5, 1);  // of one hash, so that the sketch takes each for all
  }
  once.settle();
  FrequentItems merged(kCapacity);
  merged.merge(once);
  CHECK(merged.total() == kCapacity + 1);
  const std::vector<FrequentItems::Item> top = merged.top(3);
  REQUIRE(top.size() == 3);
  CHECK(top[0].count > merged.certain_above());
}

TEST_CASE("table_slot: hashes that were chosen to meet do not") {
  constexpr std::size_t kSlots = 4096;
  for (const unsigned shift : {0U, 20U, 32U, 50U}) {
    std::set<std::size_t> slots;
    for (std::uint64_t i = 0; i < kSlots; ++i) {
      slots.insert(table_slot(i << shift, kSlots));
    }
    CHECK(slots.size() > kSlots / 2);  // 63 % is to be expected, give or take 1 %
    CHECK(*slots.rbegin() < kSlots);
  }
}

}  // namespace
}  // namespace evq
