// Rows of a dataset file: what is written is read, what is damaged is refused.
#include "store/catalog/dataset_file.h"

#include <string>

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "store/catalog/database.h"
#include "store/column/dynamic_kinds.h"
#include "tests/support/temp_store.h"

namespace evq {
namespace {

constexpr std::uint64_t kKey = 77;

struct File {
  TempDirectory directory;
  std::unique_ptr<Database> database;

  File() {
    DatabaseOptions options;
    options.path = directory.path() + "/d.db";
    options.create = true;
    auto opened = Database::open(options, dataset_schema());
    REQUIRE(opened.ok());
    database = std::move(opened).value();
    auto lock = database->begin_write(Room::little());
    REQUIRE(DatasetWriter::initialise(lock->connection(), kKey).ok());
    REQUIRE(lock->commit().ok());
  }

  template <class Change>
  void write(Change change) {
    auto lock = database->begin_write(Room::little());
    REQUIRE(lock.ok());
    auto writer = DatasetWriter::begin(lock->connection(), kKey);
    REQUIRE(writer.ok());
    change(*writer);
    REQUIRE(writer->finish().ok());
    REQUIRE(lock->commit().ok());
  }
  void sql(std::string_view text) {
    auto lock = database->begin_write(Room::little());
    REQUIRE(lock->connection().execute(text).ok());
    REQUIRE(lock->commit().ok());
  }
};

BlockRow sample_row(DatasetWriter& writer, std::uint32_t rows, BlockState state) {
  BlockRow row;
  row.id = writer.take_block_id();
  row.state = state;
  row.rows = rows;
  row.first_ordinal = writer.take_ordinals(rows);
  row.ordinal_end = row.first_ordinal + rows;
  row.min_time = -5;
  row.max_time = 9;
  row.segments = 2;
  row.payload_sum = ~std::uint64_t{0};
  return row;
}

void add_two_blocks(File& file) {
  file.write([](DatasetWriter& writer) {
    for (const BlockState state : {BlockState::kStored, BlockState::kFresh}) {
      const BlockRow row = sample_row(writer, 3, state);
      REQUIRE(writer.insert_block(row).ok());
      REQUIRE(writer.insert_blob(BlobTable::kSegments, {segment_id(row.id, 1), "abc"}).ok());
    }
    REQUIRE(writer.note_field("a", 1U << 2).ok());
    REQUIRE(writer.note_field("b", 1U << 4).ok());
    REQUIRE(writer.note_field("a", 1U << 3).ok());
  });
}

TEST_CASE("rows come back as they were written") {
  File file;
  add_two_blocks(file);
  auto lease = file.database->begin_read();
  const auto counters = read_counters(lease->connection(), kKey);
  REQUIRE(counters.ok());
  CHECK(counters->next_ordinal == 6);
  CHECK(counters->fresh_count == 1);
  CHECK(counters->fresh_rows == 3);
  const auto blocks = read_blocks(lease->connection(), *counters);
  REQUIRE(blocks.ok());
  REQUIRE(blocks->size() == 2);
  CHECK((*blocks)[1].first_ordinal == 3);
  CHECK((*blocks)[1].state == BlockState::kFresh);
  CHECK((*blocks)[1].min_time == -5);
  CHECK((*blocks)[1].payload_sum == ~std::uint64_t{0});
  const auto fields = read_fields(lease->connection(), *counters);
  REQUIRE(fields.ok());
  REQUIRE(fields->size() == 2);
  CHECK((*fields)[0].name == "a");
  CHECK(type_of_set((*fields)[0].types) == Type::kReal);
  BlobReader segments = blobs_of(lease->connection(), BlobTable::kSegments);
  REQUIRE(segments.find(segment_id(1, 1)).value() == 3);
  std::string segment(3, '?');
  REQUIRE(segments.read(0, segment).ok());
  CHECK(segment == "abc");
  CHECK(segments.find(4).error().code == ErrorCode::kCorrupt);
}

TEST_CASE("a removed block takes its blobs along and leaves the others") {
  File file;
  add_two_blocks(file);
  file.write([](DatasetWriter& writer) {
    REQUIRE(writer.load_blocks().ok());
    REQUIRE(writer.set_state(1, BlockState::kQueued).ok());
    REQUIRE(writer.remove_block(1).ok());
  });
  auto lease = file.database->begin_read();
  const auto counters = read_counters(lease->connection(), kKey);
  CHECK(read_blocks(lease->connection(), *counters)->size() == 1);
  std::vector<std::uint64_t> segments;
  const auto add = [&](std::uint64_t id) -> Status {
    segments.push_back(id);
    return {};
  };
  REQUIRE(each_blob_id(lease->connection(), BlobTable::kSegments, add).ok());
  CHECK(segments == std::vector<std::uint64_t>{segment_id(2, 1)});
}

TEST_CASE("who looks at all blobs of a table may stop at any") {
  File file;
  add_two_blocks(file);
  auto lease = file.database->begin_read();
  QueryControl control;
  std::size_t seen = 0;
  const auto stop = [&](std::uint64_t /*id*/) {
    ++seen;
    control.cancel();
    return control.check();
  };
  CHECK(each_blob_id(lease->connection(), BlobTable::kSegments, stop).error().code ==
        ErrorCode::kCancelled);
  CHECK(seen == 1);
}

TEST_CASE("rows that no version writes are refused, though their sums are right") {
  const auto refused = [](auto change) {
    File file;
    add_two_blocks(file);
    file.write([&](DatasetWriter& writer) {
      BlockRow row = sample_row(writer, 3, BlockState::kStored);
      change(row);
      REQUIRE(writer.insert_block(row).ok());
    });
    auto lease = file.database->begin_read();
    const auto counters = read_counters(lease->connection(), kKey);
    REQUIRE(counters.ok());
    return !read_blocks(lease->connection(), *counters).ok();
  };
  CHECK_FALSE(refused([](BlockRow& /*row*/) {}));
  CHECK(refused([](BlockRow& row) { row.id = 99; }));                     // above the counter
  CHECK(refused([](BlockRow& row) { row.id = ~std::uint64_t{0} - 4; }));  // negative in SQL
  CHECK(refused([](BlockRow& row) { row.ordinal_end += 1000; }));
  CHECK(refused([](BlockRow& row) { row.ordinal_end = row.first_ordinal; }));
  CHECK(refused([](BlockRow& row) { row.state = static_cast<BlockState>(3); }));
}

TEST_CASE("every changed value of every row is noticed") {
  for (const char* damage :
       {"UPDATE blocks SET rows = 4 WHERE id = 1", "UPDATE blocks SET state = 1 WHERE id = 1",
        "UPDATE blocks SET max_time = 10", "UPDATE blocks SET first_ordinal = 1 WHERE id = 2",
        "UPDATE blocks SET sum = sum + 1 WHERE id = 2", "DELETE FROM blocks WHERE id = 1",
        "UPDATE blocks SET payload_sum = 'x'", "UPDATE blocks SET id = 9 WHERE id = 2",
        "UPDATE fields SET types = 1 WHERE id = 0", "UPDATE fields SET name = 'c' WHERE id = 0",
        "DELETE FROM fields WHERE id = 1", "UPDATE fields SET unit = 'ms'",
        "UPDATE counters SET next_ordinal = 0", "UPDATE counters SET block_count = 1",
        "UPDATE counters SET file_key = 78", "DELETE FROM counters",
        "UPDATE counters SET fresh_rows = 0"}) {
    CAPTURE(damage);
    File file;
    add_two_blocks(file);
    file.sql(damage);
    auto lease = file.database->begin_read();
    const auto counters = read_counters(lease->connection(), kKey);
    const bool refused = !counters.ok() || !read_blocks(lease->connection(), *counters).ok() ||
                         !read_fields(lease->connection(), *counters).ok();
    CHECK(refused);
  }
}

TEST_CASE("a dataset takes the limit of fields and not one more") {
  File file;
  auto lock = file.database->begin_write(Room::little());
  auto writer = DatasetWriter::begin(lock->connection(), kKey);
  for (std::size_t i = 0; i < kDatasetFieldsMax; ++i) {
    REQUIRE(writer->note_field("f" + std::to_string(i), 4).ok());
  }
  CHECK(writer->note_field("one more", 4).error().code == ErrorCode::kLimit);
  CHECK(writer->note_field("f7", 8).ok());
}

TEST_CASE("types of a set have the common type") {
  CHECK(type_of_set(0) == Type::kNull);
  CHECK(type_of_set(1) == Type::kNull);
  CHECK(type_of_set(1U | 1U << 2) == Type::kLong);
  CHECK(type_of_set(1U << 2 | 1U << 3) == Type::kReal);
  CHECK(type_of_set(1U << 2 | 1U << 4) == Type::kDynamic);
  CHECK(type_of_set(1U << 2 | kWideLongs) == Type::kLong);
  CHECK(type_of_set(1U << 2 | 1U << 3 | kWideLongs) == Type::kDynamic);
}

}  // namespace
}  // namespace evq
