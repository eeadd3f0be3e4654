// BuildSide: its lists of rows by group, and that what looks at all rows ends when the query must.

#include "apl/exec/join_build.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/allocation_meter.h"

namespace evq {
namespace {

constexpr std::uint32_t kOfNone = GroupTable::kNoGroup;

// A side whose rows are of these groups, which ascend from 0 on as they come.
void fill_side(BuildSide* side, const LargeVector<std::uint32_t>& groups) {
  const std::shared_ptr<Values> values = Values::make(Type::kLong, groups.size());
  std::size_t found = 0;
  for (const std::uint32_t group : groups) {
    if (group == found) {
      values->mutable_data<std::int64_t>()[found++] = static_cast<std::int64_t>(group);
    }
  }
  side->rows = groups.size();
  side->table = std::make_unique<GroupTable>(std::vector<Type>{Type::kLong}, 1);
  const Vector key = Vector::flat(values).slice(0, found);
  std::vector<std::uint32_t> numbered(found);
  side->table->assign({&key, 1}, found, 0, numbered.data());
  side->matched = std::vector<std::atomic<std::uint8_t>>(side->rows);
}

std::vector<std::uint32_t> rows_of_group(const BuildSide& side, std::uint32_t group) {
  std::vector<std::uint32_t> rows;
  const BuildSide::Places places = side.places_of(group);
  for (std::uint32_t at = places.begin; at < places.end; ++at) {
    rows.push_back(side.row_at(at));
  }
  return rows;
}

TEST_CASE("the rows of each group ascend, and those of none are left out") {
  BuildSide side;
  const LargeVector<std::uint32_t> groups{0, 1, 0, kOfNone, 2, 1, 0};
  fill_side(&side, groups);
  side.list_rows(groups);
  CHECK_FALSE(side.row_per_group);
  CHECK_FALSE(side.unique_keys);
  CHECK(rows_of_group(side, 0) == std::vector<std::uint32_t>{0, 2, 6});
  CHECK(rows_of_group(side, 1) == std::vector<std::uint32_t>{1, 5});
  CHECK(rows_of_group(side, 2) == std::vector<std::uint32_t>{4});
  side.mark(side.places_of(1).begin);
  side.mark(side.places_of(2).begin);
  CHECK(side.unmarked_rows() == std::vector<std::uint32_t>{0, 2, 3, 5, 6});
}

TEST_CASE("keys that come once are told") {
  BuildSide some;
  const LargeVector<std::uint32_t> with_none{0, kOfNone, 1, 2};
  fill_side(&some, with_none);
  some.list_rows(with_none);
  CHECK_FALSE(some.row_per_group);
  CHECK(some.unique_keys);
  BuildSide all;
  const LargeVector<std::uint32_t> as_rows{0, 1, 2};
  fill_side(&all, as_rows);
  all.list_rows(as_rows);
  CHECK(all.row_per_group);
  CHECK(all.unique_keys);
  CHECK(rows_of_group(all, 2) == std::vector<std::uint32_t>{2});
}

TEST_CASE("loops over all rows end when the query is cancelled") {
  constexpr std::size_t kRows = 100'000;
  LargeVector<std::uint32_t> groups(kRows);
  BuildSide side;
  fill_side(&side, groups);
  side.list_rows(groups);
  side.mark(side.places_of(0).begin);
  QueryControl control;
  control.cancel();
  const auto ends = [&](const auto& work) {
    AllocationMeter meter(nullptr, &control, "join");
    const Status status = meter.guard(work);
    REQUIRE(!status.ok());
    CHECK(status.error().code == ErrorCode::kCancelled);
  };
  ends([&] { side.list_rows(groups); });
  ends([&] { static_cast<void>(side.unmarked_rows()); });
}

}  // namespace
}  // namespace evq
