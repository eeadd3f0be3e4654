// DirectGroups against a map: ranges that grow on either side, and that keys must not leave.

#include "apl/exec/direct_groups.h"

#include <array>
#include <limits>
#include <map>

#include <doctest/doctest.h>

namespace evq {
namespace {

using Limits = std::numeric_limits<std::int64_t>;

void put(DirectGroups& groups, std::map<std::int64_t, std::uint32_t>& expected, std::int64_t key) {
  const auto group = static_cast<std::uint32_t>(expected.size() + 1);
  groups[key] = group;
  expected[key] = group;
}

TEST_CASE("direct groups: keys keep their groups while the range grows on both sides") {
  DirectGroups groups;
  std::map<std::int64_t, std::uint32_t> expected;
  REQUIRE(groups.cover({1000, 1010}, 11));
  put(groups, expected, 1000);
  put(groups, expected, 1010);
  for (std::int64_t step = 1; step < 40; ++step) {
    const std::int64_t key = 1000 + (step % 2 == 0 ? 90 : -90) * step;
    REQUIRE(groups.cover({key, key}, 2000));
    put(groups, expected, key);
  }
  for (std::int64_t key = -5000; key < 7000; ++key) {
    const auto known = expected.find(key);
    REQUIRE(groups.find(key) == (known == expected.end() ? 0 : known->second));
  }
}

TEST_CASE("direct groups: keys too far apart for their number are refused, and nothing changes") {
  DirectGroups groups;
  std::map<std::int64_t, std::uint32_t> expected;
  REQUIRE(groups.cover({-3, 3}, 7));
  put(groups, expected, -3);
  const std::size_t bytes = groups.size_bytes();
  CHECK(!groups.cover({100'000, 100'000}, 100));
  CHECK(!groups.cover({Limits::min(), Limits::max()}, Limits::max()));
  CHECK(!groups.cover({0, std::int64_t{1} << 40U}, std::size_t{1} << 40U));
  CHECK(groups.size_bytes() == bytes);
  CHECK(groups.find(std::int64_t{-3}) == 1);
  CHECK(groups.find(std::int64_t{100'000}) == 0);
  CHECK(groups.cover({100'000, 100'000}, 100'000));
  CHECK(groups.find(std::int64_t{-3}) == 1);
}

TEST_CASE("direct groups: the least and the greatest integer are keys as others are") {
  for (const auto& [first, second] :
       {std::pair(Limits::min() + 5, Limits::min()), std::pair(Limits::max() - 5, Limits::max())}) {
    DirectGroups groups;
    std::map<std::int64_t, std::uint32_t> expected;
    REQUIRE(groups.cover({first, first}, 1));
    put(groups, expected, first);
    REQUIRE(groups.cover({second, second}, 2));
    put(groups, expected, second);
    CHECK(groups.find(first) == 1);
    CHECK(groups.find(second) == 2);
    CHECK(groups.find(first == Limits::min() + 5 ? Limits::max() : Limits::min()) == 0);
  }
}

TEST_CASE("direct groups: null has a group besides") {
  DirectGroups groups;
  REQUIRE(groups.cover({7, 7}, 1));
  const std::array<std::uint64_t, 2> null{1, 0};
  const std::array<std::uint64_t, 2> seven{0, 7};
  const std::array<std::uint64_t, 2> eight{0, 8};
  CHECK(groups.find(null.data()) == 0);
  *groups.place(null.data()) = 3;
  *groups.place(seven.data()) = 4;
  CHECK(groups.find(null.data()) == 3);
  CHECK(groups.find(seven.data()) == 4);
  CHECK(groups.find(std::int64_t{0}) == 0);
  CHECK(groups.place(eight.data()) == nullptr);
}

}  // namespace
}  // namespace evq
