#include "store/block/block_writer.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/thread_pool.h"
#include "store/block/block_reader.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

using Random = std::mt19937_64;

Table sample_table(std::size_t rows, bool sorted) {
  Random random(9);
  VectorBuilder times(Type::kDatetime);
  VectorBuilder names(Type::kString);
  VectorBuilder numbers(Type::kLong);
  VectorBuilder notes(Type::kString);
  for (std::size_t i = 0; i < rows; ++i) {
    times.append_integer(static_cast<std::int64_t>(sorted ? i / 3 : random() % (rows / 2 + 1)));
    names.append_text("name " + std::to_string(random() % 20));
    numbers.append_integer(static_cast<std::int64_t>(i));
    if (random() % 3 == 0) {
      notes.append_null();
    } else {
      notes.append_text("note " + std::to_string(random() % 1000000));
    }
  }
  Table table;
  table.rows = rows;
  table.schema = Schema({{"name", Type::kString},
                         {"_time", Type::kDatetime},
                         {"number", Type::kLong},
                         {"_sysTime", Type::kDatetime},
                         {"note", Type::kString}});
  table.columns = {names.finish(), times.finish(), numbers.finish(),
                   Vector::constant(Value::datetime(77), rows), notes.finish()};
  return table;
}

struct CountingSource final : SegmentSource {
  const EncodedBlock* block = nullptr;
  int* fetches = nullptr;

  Result<SharedBytes> fetch(std::size_t column, SegmentPart part) override {
    ++*fetches;
    return SharedBytes{
        part == SegmentPart::kSegment ? block->segments[column] : block->filters[column], nullptr};
  }
};

BlockReader make_reader(const EncodedBlock& block, int* fetches) {
  auto source = std::make_unique<CountingSource>();
  source->block = &block;
  source->fetches = fetches;
  return BlockReader(std::make_shared<BlockHeader>(block.header), std::move(source));
}

}  // namespace

TEST_CASE("late rows find their place, behind those of the same time that were not late") {
  Random random(11);
  for (const std::size_t late_every : {2U, 10U, 5000U}) {
    std::vector<std::int64_t> values;
    VectorBuilder times(Type::kDatetime);
    for (std::int64_t i = 0; i < 5000; ++i) {
      const auto late = static_cast<std::int64_t>(random() % 300);
      values.push_back(random() % late_every == 0 ? i / 4 - late : i / 4);
      times.append_integer(values.back());
    }
    std::vector<std::uint32_t> expected(values.size());
    std::iota(expected.begin(), expected.end(), 0U);
    std::ranges::stable_sort(expected, {}, [&](std::uint32_t row) { return values[row]; });
    CHECK(time_order(times.finish()) == expected);
  }
}

TEST_CASE("rows come back in time order, equal times in order of arrival") {
  for (const std::size_t rows : {1U, 2U, 500U, 65536U}) {
    const Table table = sample_table(rows, false);
    const Result<EncodedBlock> block = encode_block(table, Effort::kIngest);
    REQUIRE(block.ok());
    std::vector<std::uint32_t> order = time_order(table.columns[*table.schema.find(kTimeField)]);
    if (order.empty()) {
      for (std::uint32_t i = 0; i < rows; ++i) {
        order.push_back(i);
      }
    }
    int fetches = 0;
    BlockReader reader = make_reader(*block, &fetches);
    CHECK(reader.header().min_time == table.columns[1].at<std::int64_t>(order.front()));
    CHECK(reader.header().max_time == table.columns[1].at<std::int64_t>(order.back()));
    CHECK(reader.header().min_sys_time == 77);
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      const Result<Vector> read = reader.read(column, Selection::all());
      REQUIRE(read.ok());
      const Vector expected = table.columns[column].gather(order);
      bool same = true;
      for (std::size_t i = 0; i < rows; ++i) {
        same = same && read->value(i) == expected.value(i);
      }
      CHECK(same);
    }
    for (std::size_t i = 1; i < rows; ++i) {
      const Vector& times = table.columns[1];
      const auto before = times.at<std::int64_t>(order[i - 1]);
      const auto now = times.at<std::int64_t>(order[i]);
      if (before > now || (before == now && order[i - 1] > order[i])) {
        FAIL("rows out of order");
      }
    }
  }
}

TEST_CASE("a pool gives the same bytes as one thread") {
  ThreadPool pool(2);
  const Table table = sample_table(3000, false);
  const auto alone = encode_block(table, Effort::kIngest);
  const auto together = encode_block(table, Effort::kIngest, &pool);
  REQUIRE(alone.ok());
  REQUIRE(together.ok());
  CHECK(encode_header(alone->header) == encode_header(together->header));
  CHECK(alone->segments == together->segments);
  CHECK(alone->filters == together->filters);
}

TEST_CASE("selections read what they name and fetch once") {
  const Table table = sample_table(5000, true);
  for (const Effort effort :
       {Effort::kPassing, Effort::kFresh, Effort::kIngest, Effort::kCompact}) {
    const auto block = encode_block(table, effort);
    REQUIRE(block.ok());
    int fetches = 0;
    BlockReader reader = make_reader(*block, &fetches);
    const std::vector<std::uint32_t> rows = {0, 17, 4095, 4096, 4999};
    for (std::size_t column = 0; column < 5; ++column) {
      const Vector few = reader.read(column, Selection::rows(rows)).value();
      const Vector range = reader.read(column, Selection::range(4000, 1000)).value();
      CHECK(few.size() == rows.size());
      CHECK(range.size() == 1000);
      CHECK(reader.read(column, Selection::rows({})).value().size() == 0);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK(few.value(i) == table.columns[column].value(rows[i]));
      }
      for (std::size_t i = 0; i < 1000; ++i) {
        REQUIRE(range.value(i) == table.columns[column].value(4000 + i));
      }
    }
    CHECK(fetches == 5);
    reader.release(0);
    CHECK(reader.read(0, Selection::all()).ok());
    CHECK(fetches == 6);
    const auto entries = reader.read_dictionary(0);
    REQUIRE(entries.ok());
    REQUIRE(entries->has_value() == (effort > Effort::kFresh));
    if (entries->has_value()) {
      CHECK((*entries)->size() == 20);
    }
    CHECK_FALSE(reader.read_dictionary(2)->has_value());
  }
}

TEST_CASE("bytes that are not the header's are corrupt") {
  const auto block = encode_block(sample_table(300, true), Effort::kIngest);
  REQUIRE(block.ok());
  EncodedBlock damaged = *block;
  for (std::string& segment : damaged.segments) {
    segment.back() = static_cast<char>(segment.back() ^ 1);
  }
  int fetches = 0;
  BlockReader reader = make_reader(damaged, &fetches);
  for (std::size_t column = 0; column < 5; ++column) {
    const auto read = reader.read(column, Selection::all());
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().code == ErrorCode::kCorrupt);
  }
}

TEST_CASE("tables that are no block are refused") {
  const Table good = sample_table(10, true);
  Table no_time = good;
  no_time.schema = Schema({{"name", Type::kString},
                           {"time", Type::kDatetime},
                           {"number", Type::kLong},
                           {"_sysTime", Type::kDatetime},
                           {"note", Type::kString}});
  Table twice = good;
  twice.schema = Schema({{"name", Type::kString},
                         {"_time", Type::kDatetime},
                         {"number", Type::kLong},
                         {"_sysTime", Type::kDatetime},
                         {"name", Type::kString}});
  Table null_time = good;
  null_time.columns[1] = Vector::constant(Value::null(Type::kDatetime), 10);
  for (const Table& table : {no_time, twice, null_time, Table{}}) {
    const auto block = encode_block(table, Effort::kIngest);
    REQUIRE_FALSE(block.ok());
    CHECK(block.error().code == ErrorCode::kUsage);
  }
  CHECK(encode_block(good, Effort::kIngest).ok());
}

}  // namespace evq
