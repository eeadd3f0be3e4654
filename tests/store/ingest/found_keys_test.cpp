// Keys that come in any order find their fields: few share a place of the table, then many.
#include "store/ingest/found_keys.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/load_events.h"

namespace evq::test {
namespace {

TEST_CASE("a place keeps the last node, told by the key's ends and what it is below") {
  FoundKeys found;
  const std::string key = "http.request.bytes";
  CHECK(found.at(3, key.data(), key) == 0);
  found.note(3, key.data(), key, 7);
  CHECK(found.at(3, key.data(), key) == 7);
  found.note(3, key.data(), key, 9);
  CHECK(found.at(3, key.data(), key) == 9);
  // What follows a short key does not matter.
  const std::string in_text = "id\":\"a value";
  const std::string alone("id\0\0\0\0\0\0", 8);
  found.note(0, alone.data(), {alone.data(), 2}, 5);
  CHECK(found.at(0, in_text.data(), {in_text.data(), 2}) == 5);
}

// Keys of all lengths, many of them with the same first and last bytes as others.
std::vector<std::string> keys_alike(std::size_t count) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; keys.size() < count; ++i) {
    const std::string number = std::to_string(i);
    const std::string keys_of_number[] = {number, "k" + number + ".bytes",
                                          "http.request." + number + ".response",
                                          number + "abcdefg", "abcdefgh" + number + "ijklmnop"};
    keys.insert(keys.end(), std::begin(keys_of_number), std::end(keys_of_number));
  }
  return keys;
}

// An event with every key, at the top and below one of two objects, in the order given.
std::string event_of(const std::vector<std::string>& keys, std::size_t event) {
  const auto members = [&](std::size_t object) {
    std::string text;
    for (const std::string& key : keys) {
      text += (text.empty() ? "\"" : ",\"") + key +
              "\":" + std::to_string(std::hash<std::string>()(key) % 1000 + event * 1000 + object);
    }
    return text;
  };
  return "{" + members(0) + ",\"one\":{" + members(1) + "},\"two\":{" + members(2) + "}}\n";
}

TEST_CASE("keys in any order are the fields that they are in one order") {
  for (const std::size_t count : {5U, 60U, 300U}) {
    std::vector<std::string> keys = keys_alike(count);
    std::mt19937 random(static_cast<unsigned>(count));
    std::string ordered;
    std::string shuffled;
    std::vector<std::string> order = keys;
    for (std::size_t event = 0; event < 20; ++event) {
      ordered += event_of(keys, event);
      shuffled += event_of(order, event);
      std::shuffle(order.begin(), order.end(), random);
    }
    const Loaded one = load_events(ordered);
    const Loaded any = load_events(shuffled);
    REQUIRE(one.counts.ingested == 20);
    CHECK(one.rows() == any.rows());
  }
}

}  // namespace
}  // namespace evq::test
