// BoundedSet: the different values, in order, and beyond the limit those of least hash, whatever
// the order in which they came and the sets in which they were.

#include "apl/functions/bounded_set.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "apl/functions/value_hash.h"
#include "store/column/dynamic.h"

namespace evq {
namespace {

constexpr std::size_t kNoLimit = std::size_t{1} << 40U;

std::string text_item(std::string_view text) {
  DynamicBuilder builder;
  builder.add_string(text);
  return builder.take();
}

std::string long_item(std::int64_t number) {
  DynamicBuilder builder;
  builder.add_long(number);
  return builder.take();
}

void add(const std::string& item, std::size_t items_max, BoundedSet* set) {
  const std::uint64_t hash = sketch_hash(DynamicView(item));
  set->prefetch(hash);
  set->add(item, hash, items_max);
}

// What the set should hold, the slow way.
std::vector<std::string> expected_items(const std::vector<std::string>& items,
                                        std::size_t items_max) {
  std::map<std::pair<std::uint64_t, std::string>, bool> by_hash;
  for (const std::string& item : items) {
    by_hash[{sketch_hash(DynamicView(item)), item}] = true;
  }
  std::vector<std::string> kept;
  for (const auto& [key, unused] : by_hash) {
    if (kept.size() < items_max) {
      kept.push_back(key.second);
    }
  }
  std::ranges::sort(kept, [](const std::string& a, const std::string& b) {
    return compare_dynamic(DynamicView(a), DynamicView(b)) < 0;
  });
  return kept;
}

std::vector<std::string> items_of(const BoundedSet& set, std::size_t items_max) {
  std::vector<std::string> items;
  for (const DynamicView item : set.sorted(items_max, kNoLimit)) {
    items.emplace_back(item.bytes());
  }
  return items;
}

void check_set(std::vector<std::string> items) {
  std::mt19937_64 random(5);
  for (const std::size_t items_max : std::initializer_list<std::size_t>{0, 1, 3, 9, 100, 100000}) {
    const std::vector<std::string> expected = expected_items(items, items_max);
    std::ranges::shuffle(items, random);
    BoundedSet whole;
    BoundedSet parts[3];
    for (const std::string& item : items) {
      add(item, items_max, &whole);
      add(item, items_max, &parts[random() % 3]);
    }
    parts[0].merge(parts[1], items_max);
    parts[0].merge(parts[2], items_max);
    CHECK(items_of(whole, items_max) == expected);
    CHECK(items_of(parts[0], items_max) == expected);
  }
}

TEST_CASE("bounded_set: texts in order") {
  std::mt19937_64 random(1);
  std::vector<std::string> items;
  const std::string zeros("\0\0", 2);
  for (int i = 0; i < 3000; ++i) {
    const std::string number = std::to_string(random() % 1500);
    items.push_back(text_item("/api/v1/" + number));
    items.push_back(text_item("/api/v1/orders/of/someone/" + number + "/items"));
    items.push_back(text_item(std::string(random() % 40, 'a') + zeros.substr(0, random() % 3)));
    items.push_back(text_item("\xff" + number));
  }
  items.push_back(text_item(""));
  check_set(items);
}

TEST_CASE("bounded_set: texts that begin alike for long") {
  std::vector<std::string> items;
  for (std::size_t length = 0; length < 2000; length += 7) {
    items.push_back(text_item(std::string(length, 'x')));
    items.push_back(text_item(std::string(length, 'x') + "y"));
  }
  check_set(items);
}

TEST_CASE("bounded_set: values of several types") {
  std::vector<std::string> items;
  for (std::int64_t i = -300; i < 300; ++i) {
    items.push_back(long_item(i * 12345));
    items.push_back(text_item(std::to_string(i)));
  }
  check_set(items);
}

TEST_CASE("bounded_set: of more bytes than there may be, those of least hash stay") {
  BoundedSet set;
  std::vector<std::string> items;
  for (int i = 0; i < 50; ++i) {
    items.push_back(text_item(std::to_string(1000 + i)));
    add(items.back(), 1000, &set);
  }
  const std::size_t bytes = items[0].size() * 7;
  std::vector<std::string> kept;
  for (const DynamicView item : set.sorted(1000, bytes)) {
    kept.emplace_back(item.bytes());
  }
  CHECK(kept == expected_items(items, 7));
}

}  // namespace
}  // namespace evq
