// FrequentItems: exact while items are few, and its bounds on streams with many.

#include "apl/functions/space_saving.h"

#include <map>
#include <random>
#include <string>

#include <doctest/doctest.h>

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
    }
    items.push_back(std::to_string(item));
  }
  return items;
}

void check_bounds(const FrequentItems& items, const std::map<std::string, std::uint64_t>& truth,
                  std::uint64_t total) {
  CHECK(items.total() == total);
  CHECK(items.error() <= 2 * total / kCapacity);
  std::map<std::string, std::uint64_t> listed;
  for (const FrequentItems::Item& item : items.top(kCapacity)) {
    const std::uint64_t count = truth.at(std::string(item.bytes));
    CHECK(item.count >= count);
    CHECK(item.count - item.error <= count);
    listed.emplace(item.bytes, count);
  }
  for (const auto& [item, count] : truth) {
    if (count > items.error()) {
      CHECK(listed.contains(item));
    }
  }
}

TEST_CASE("space_saving: bounds hold in one piece and in many") {
  for (const char* name : {"constant", "zipf", "distinct", "heavy last", "heavy first"}) {
    CAPTURE(name);
    const std::vector<std::string> rows = stream(name);
    std::map<std::string, std::uint64_t> truth;
    FrequentItems whole(kCapacity);
    std::vector<FrequentItems> parts(7, FrequentItems(kCapacity));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ++truth[rows[i]];
      whole.add(rows[i], 1);
      parts[i * i % 7].add(rows[i], 1);
    }
    check_bounds(whole, truth, rows.size());
    FrequentItems merged(kCapacity);
    for (const FrequentItems& part : parts) {
      merged.merge(part);
    }
    check_bounds(merged, truth, rows.size());
    CHECK(merged.size_bytes() < 128 * kCapacity);
  }
}

TEST_CASE("space_saving: exact and in order while items are few") {
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
}

}  // namespace
}  // namespace evq
