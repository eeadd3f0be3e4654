// Fresh chunks in a store: their parts are read one by one, each with its checksum, and those that
// early versions wrote as well.
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "store/base/checksum.h"
#include "store/catalog/database.h"
#include "store/catalog/dataset_file.h"
#include "store/mini_block.h"
#include "tests/support/store_support.h"

namespace evq {
namespace {

// Texts that do not compress, so that chunks are longer than what is read of them first.
std::string two_texts(int first, int count) {
  std::mt19937_64 random(static_cast<std::uint64_t>(first));
  std::string events;
  for (int i = first; i < first + count; ++i) {
    events += "{\"_time\":" + std::to_string(1'600'000'000 + i) + ",\"n\":" + std::to_string(i);
    for (const char* name : {"left", "right"}) {
      events += std::string(",\"") + name + "\":\"";
      for (int k = 0; k < 4; ++k) {
        events += std::to_string(random());
      }
      events += '"';
    }
    events += "}\n";
  }
  return events;
}

// A chunk of a dataset file, and what names it.
using ChangeChunk = std::function<void(std::string* bytes, BlockRow* row)>;

// Changes the only chunk of the store's only dataset, with all sums of rows as they should be.
void change_chunk(const std::string& directory, const ChangeChunk& change) {
  DatabaseOptions options;
  options.path = directory + "/datasets/1.db";
  auto database = Database::open(options, dataset_schema());
  REQUIRE(database.ok());
  auto lock = (*database)->begin_write(Room::little());
  REQUIRE(lock.ok());
  std::uint64_t key = 0;
  {
    auto row = lock->connection().prepare("SELECT file_key FROM counters");
    REQUIRE(row->step().value());
    key = static_cast<std::uint64_t>(row->integer(0));
  }
  auto writer = DatasetWriter::begin(lock->connection(), key);
  REQUIRE(writer.ok());
  REQUIRE(writer->load_blocks().ok());
  REQUIRE(writer->blocks().size() == 1);
  BlockRow row = writer->blocks().front();
  REQUIRE(row.state == BlockState::kFresh);
  std::string bytes;
  {
    BlobReader chunks = blobs_of(lock->connection(), BlobTable::kChunks);
    bytes.resize(chunks.find(row.id).value());
    REQUIRE(chunks.read(0, bytes).ok());
  }
  REQUIRE(writer->remove_block(row.id).ok());
  REQUIRE(writer->take_block_id() == row.id + 1);  // which it may become
  change(&bytes, &row);
  REQUIRE(writer->insert_block(row).ok());
  REQUIRE(writer->insert_blob(BlobTable::kChunks, {row.id, bytes}).ok());
  REQUIRE(writer->finish().ok());
  REQUIRE(lock->commit().ok());
}

Result<Vector> read_column(Store& store, std::string_view field) {
  EVQ_TRY_ASSIGN(const Snapshot snapshot, store.snapshot("d"));
  EVQ_TRY_ASSIGN(StoredBlock block, snapshot.open(snapshot.blocks().front()));
  return block.column(field);
}

bool is_clean(Store& store) {
  QueryControl control;
  const auto report = store.check(control);
  REQUIRE(report.ok());
  return report->problems.empty();
}

// Where a column's segment begins in a chunk.
std::size_t segment_at(const std::string& chunk, std::string_view field) {
  const auto header = read_mini_block_header(chunk);
  REQUIRE(header.ok());
  const PackedRanges ranges(*header);
  return chunk.size() - header->stored_bytes() +
         ranges.of(*header->find(field), SegmentPart::kSegment).offset;
}

TEST_CASE("a column of a chunk is read without the others, and damage of it alone is noticed") {
  const TempDirectory directory;
  REQUIRE(load(*open_store(directory.path(), 20'000), "d", two_texts(0, 2000)).ok());
  change_chunk(directory.path(), [](std::string* bytes, BlockRow* /*row*/) {
    REQUIRE(bytes->size() > 200'000);
    (*bytes)[segment_at(*bytes, "right") + 1000] ^= 1;
  });
  const auto store = open_store(directory.path(), 20'000);
  for (int pass = 0; pass < 2; ++pass) {  // with the header in the cache, then
    CHECK(read_column(*store, "n").ok());
    CHECK(read_column(*store, "left").ok());
    CHECK(read_column(*store, "right").error().code == ErrorCode::kCorrupt);
  }
  CHECK_FALSE(is_clean(*store));
}

TEST_CASE("a chunk's head is its own") {
  const TempDirectory directory;
  REQUIRE(load(*open_store(directory.path(), 20'000), "d", two_texts(0, 2000)).ok());
  SUBCASE("a byte of it") {
    change_chunk(directory.path(),
                 [](std::string* bytes, BlockRow* /*row*/) { (*bytes)[30] ^= 1; });
  }
  SUBCASE("that it is one") {
    change_chunk(directory.path(), [](std::string* bytes, BlockRow* /*row*/) {
      std::memcpy(bytes->data(), &kWholeSumMagic, sizeof(kWholeSumMagic));
    });
  }
  SUBCASE("how long it is") {
    change_chunk(directory.path(),
                 [](std::string* bytes, BlockRow* /*row*/) { (*bytes)[4] = '\xFF'; });
  }
  SUBCASE("whose it is") {
    change_chunk(directory.path(), [](std::string* /*bytes*/, BlockRow* row) { ++row->id; });
  }
  const auto store = open_store(directory.path(), 20'000);
  CHECK(read_column(*store, "n").error().code == ErrorCode::kCorrupt);
  CHECK_FALSE(is_clean(*store));
}

TEST_CASE("a chunk that lost its end gives what is left, or damage") {
  const TempDirectory directory;
  REQUIRE(load(*open_store(directory.path(), 20'000), "d", two_texts(0, 2000)).ok());
  change_chunk(directory.path(), [](std::string* bytes, BlockRow* /*row*/) {
    bytes->resize(bytes->size() - bytes->size() / 4);
  });
  const auto store = open_store(directory.path(), 20'000);
  const auto numbers = read_column(*store, "n");
  CHECK((numbers.ok() || numbers.error().code == ErrorCode::kCorrupt));
  CHECK(read_column(*store, "right").error().code == ErrorCode::kCorrupt);
  CHECK_FALSE(is_clean(*store));
}

TEST_CASE("a head longer than what is read first") {
  const TempDirectory directory;
  const auto store = open_store(directory.path(), 20'000);
  std::string events;
  for (int event = 0; event < 3; ++event) {
    events += "{\"_time\":1600000000";
    for (int i = event * 600; i < (event + 1) * 600; ++i) {
      events +=
          ",\"a field of which there are many " + std::to_string(i) + "\":" + std::to_string(i);
    }
    events += "}\n";
  }
  REQUIRE(load(*store, "d", events).ok());
  {
    const auto snapshot = store->snapshot("d");
    REQUIRE(snapshot->blocks().size() == 1);
    CHECK(snapshot->blocks().front().fresh);
    CHECK(snapshot->blocks().front().stored_bytes > 100'000);
  }
  const auto numbers = read_column(*store, "a field of which there are many 1234");
  REQUIRE(numbers.ok());
  CHECK(numbers->at<std::int64_t>(2) == 1234);
  CHECK(is_clean(*store));
}

// Of all bytes is the checksum of chunks that early versions wrote.
void make_early(std::string* bytes, BlockRow* row) {
  std::memcpy(bytes->data(), &kWholeSumMagic, sizeof(kWholeSumMagic));
  row->payload_sum = checksum64(*bytes, row->id);
}

void set_version(const std::string& directory, int version) {
  ConnectionOptions options;
  options.path = directory + "/datasets/1.db";
  options.writable = true;
  const auto connection = Connection::open(options);
  REQUIRE(connection.ok());
  REQUIRE((*connection)->execute("PRAGMA user_version=" + std::to_string(version)).ok());
}

TEST_CASE("chunks of early versions are read, and merged into blocks") {
  for (const int count : {3, 2000}) {
    CAPTURE(count);
    const TempDirectory directory;
    REQUIRE(load(*open_store(directory.path(), 20'000), "d", two_texts(0, count)).ok());
    const auto before = texts(read_rows(*open_store(directory.path(), 20'000), "d", "right"));
    change_chunk(directory.path(), make_early);
    set_version(directory.path(), 1);
    const auto store = open_store(directory.path(), 20'000);
    CHECK(texts(read_rows(*store, "d", "right")) == before);
    CHECK(is_clean(*store));
    QueryControl control;
    REQUIRE(store->maintain("d", Maintenance::kFull, control).ok());
    CHECK(store->stats("d")->fresh_chunks == 0);
    CHECK(texts(read_rows(*store, "d", "right")) == before);
  }
}

TEST_CASE("any damage of a chunk of an early version is noticed") {
  const TempDirectory directory;
  REQUIRE(load(*open_store(directory.path(), 20'000), "d", two_texts(0, 2000)).ok());
  change_chunk(directory.path(), [](std::string* bytes, BlockRow* row) {
    make_early(bytes, row);
    bytes->back() ^= 1;
  });
  const auto store = open_store(directory.path(), 20'000);
  CHECK(read_column(*store, "n").error().code == ErrorCode::kCorrupt);
  CHECK_FALSE(is_clean(*store));
}

}  // namespace
}  // namespace evq
