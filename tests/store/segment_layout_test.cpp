// The order in which a block's segments are stored: what SQLite makes of it in its pages, and that
// nobody sees it.
#include "store/segment_layout.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/catalog/database.h"
#include "store/catalog/dataset_file.h"
#include "tests/support/store_support.h"

namespace evq {
namespace {

// Ids of five bytes, as leaf_bytes() has them.
constexpr std::uint64_t kFirstBlock = std::uint64_t{1} << 16;

std::uint64_t leaves_in(Connection& connection) {
  const auto leaves = connection.number(
      "SELECT count(*) FROM dbstat WHERE name = 'segments' AND pagetype = 'leaf'");
  REQUIRE(leaves.ok());
  return static_cast<std::uint64_t>(*leaves);
}

// How many leaves the blobs take when they are stored in this order.
std::uint64_t leaves_of(const std::vector<std::string>& blobs) {
  const TempDirectory directory;
  DatabaseOptions options;
  options.path = directory.path() + "/1.db";
  options.page_size_bytes = kDatasetPageBytes;
  options.create = true;
  const auto database = Database::open(options, dataset_schema());
  REQUIRE(database.ok());
  auto lock = (*database)->begin_write(Room::little());
  REQUIRE(lock.ok());
  auto insert = lock->connection().prepare("INSERT INTO segments(id, data) VALUES(?, ?)");
  REQUIRE(insert.ok());
  std::uint64_t id = segment_id(kFirstBlock, 0);
  for (const std::string& blob : blobs) {
    insert->bind(1, id++).bind_blob(2, blob);
    REQUIRE(insert->run().ok());
    insert->reset();
  }
  return leaves_in(lock->connection());
}

// The same by leaf_bytes().
std::uint64_t counted_leaves(const std::vector<std::string>& blobs) {
  std::uint64_t leaves = 0;
  std::size_t free = 0;
  for (const std::string& blob : blobs) {
    const std::size_t bytes = leaf_bytes(blob.size());
    if (bytes > free) {
      ++leaves;
      free = kLeafBytes;
    }
    free -= bytes;
  }
  return leaves;
}

std::vector<std::string> random_blobs(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> blobs;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bits = 3 + random() % 17;
    blobs.emplace_back(1 + random() % (std::size_t{1} << bits), 'x');
  }
  return blobs;
}

std::vector<std::string> in_order(const std::vector<std::string>& blobs,
                                  const std::vector<std::size_t>& order) {
  std::vector<std::string> ordered;
  ordered.reserve(order.size());
  std::ranges::transform(order, std::back_inserter(ordered),
                         [&](std::size_t i) { return blobs[i]; });
  return ordered;
}

TEST_CASE("a row takes as much of a leaf as SQLite gives it") {
  // About each size at which the form of a row changes, and some between.
  for (const std::size_t middle :
       {1U, 57U, 122U, 8100U, 8145U, 9160U, 9170U, 16300U, 17000U, 40000U}) {
    for (std::size_t size = middle < 10 ? 1 : middle - 10; size < middle + 10; ++size) {
      CAPTURE(size);
      const std::size_t a_leaf = kLeafBytes / leaf_bytes(size);
      const std::string blob(size, 'x');
      CHECK(leaves_of(std::vector<std::string>(a_leaf, blob)) == 1);
      CHECK(leaves_of(std::vector<std::string>(a_leaf + 1, blob)) == 2);
    }
  }
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    const std::vector<std::string> blobs = random_blobs(60, seed);
    CHECK(leaves_of(blobs) == counted_leaves(blobs));
  }
}

TEST_CASE("segments in their order leave little of their leaves unused") {
  std::uint64_t leaves = 0;
  std::uint64_t full = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    const std::vector<std::string> blobs = random_blobs(80, seed);
    const std::vector<std::size_t> order = leaf_filling_order(blobs);
    std::vector<std::size_t> numbers = order;
    std::ranges::sort(numbers);
    std::vector<std::size_t> each(blobs.size());
    std::iota(each.begin(), each.end(), std::size_t{0});
    CHECK(numbers == each);
    const std::uint64_t taken = leaves_of(in_order(blobs, order));
    CHECK(taken <= leaves_of(blobs));
    leaves += taken;
    full += std::accumulate(
        blobs.begin(), blobs.end(), std::uint64_t{0},
        [](std::uint64_t sum, const std::string& blob) { return sum + leaf_bytes(blob.size()); });
  }
  // No order can need fewer than the rows' bytes fill.
  CHECK(static_cast<double>(leaves * kLeafBytes) < 1.06 * static_cast<double>(full));
  CHECK(leaf_filling_order({}).empty());
}

TEST_CASE("fields keep the order of the events whatever the order of their segments") {
  const TempDirectory directory;
  const auto store = open_store(directory.path(), 16);
  std::string events;
  for (int i = 0; i < 16; ++i) {
    events += R"({"small":1,"long":")" + std::string(3000, static_cast<char>('a' + i)) +
              std::to_string(i * 7919) + R"(","n":)" + std::to_string(i) + "}\n";
  }
  REQUIRE(load(*store, "d", events).ok());
  REQUIRE(store->stats("d")->blocks == 1);
  const auto fields = store->fields("d");
  REQUIRE(fields.ok());
  std::vector<std::string> names;
  std::ranges::transform(*fields, std::back_inserter(names), &FieldInfo::name);
  CHECK(names == std::vector<std::string>{"_time", "_sysTime", "small", "long", "n"});
  std::vector<std::string> numbers;
  for (int i = 0; i < 16; ++i) {
    numbers.push_back(std::to_string(i));
  }
  CHECK(texts(read_rows(*store, "d", "n")) == numbers);
}

}  // namespace
}  // namespace evq
