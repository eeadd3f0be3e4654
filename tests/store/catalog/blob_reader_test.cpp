// Blobs by parts.
#include "store/catalog/blob_reader.h"

#include <array>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>

#include "tests/support/temp_store.h"

namespace evq {
namespace {

struct Table {
  TempDirectory directory;
  std::unique_ptr<Connection> connection;

  Table() {
    const std::string path = directory.path() + "/a.db";
    std::ofstream(path, std::ios::app).close();
    ConnectionOptions options;
    options.path = path;
    options.writable = true;
    options.page_size_bytes = 4096;
    auto opened = Connection::open(options);
    REQUIRE(opened.ok());
    connection = std::move(opened).value();
    REQUIRE(connection->execute("CREATE TABLE t(id INTEGER PRIMARY KEY, data BLOB)").ok());
  }

  void put(std::int64_t id, std::string_view data) {
    auto insert = connection->prepare("INSERT INTO t VALUES(?1, ?2)");
    REQUIRE(insert.ok());
    REQUIRE(insert->bind(1, id).bind_blob(2, data).run().ok());
  }
};

std::string read(BlobReader& reader, std::size_t offset, std::size_t size) {
  std::string bytes(size, '?');
  REQUIRE(reader.read(offset, bytes).ok());
  return bytes;
}

std::string long_blob() {
  std::string blob;
  for (int i = 0; blob.size() < 50'000; ++i) {
    blob += std::to_string(i) + ",";
  }
  return blob;
}

TEST_CASE("any part of any blob can be read, in any order") {
  Table table;
  const std::string blob = long_blob();
  table.put(1, "short");
  table.put(2, blob);
  table.put(3, "");
  BlobReader reader(*table.connection, "t");
  CHECK(reader.find(2).value() == blob.size());
  CHECK(read(reader, 40'000, 5'000) == blob.substr(40'000, 5'000));
  CHECK(read(reader, 10, 9'000) == blob.substr(10, 9'000));
  CHECK(read(reader, blob.size() - 1, 1) == blob.substr(blob.size() - 1));
  CHECK(reader.find(1).value() == 5);
  CHECK(read(reader, 1, 4) == "hort");
  CHECK(reader.find(3).value() == 0);
  CHECK(reader.find(2).value() == blob.size());
  CHECK(reader.find(2).value() == blob.size());
  CHECK(read(reader, 0, blob.size()) == blob);
}

TEST_CASE("what is no blob is damage, and the others are there all the same") {
  Table table;
  table.put(1, "one");
  REQUIRE(table.connection->execute("INSERT INTO t VALUES(2, NULL), (3, 7)").ok());
  BlobReader reader(*table.connection, "t");
  for (const std::uint64_t id : {2U, 3U, 4U}) {
    CAPTURE(id);
    CHECK(reader.find(id).error().code == ErrorCode::kCorrupt);
    CHECK(reader.find(1).value() == 3);
    CHECK(reader.find(id).error().code == ErrorCode::kCorrupt);
  }
  CHECK(BlobReader(*table.connection, "absent").find(1).error().code == ErrorCode::kCorrupt);
}

TEST_CASE("a part beyond the end is refused, and the blob can be found again") {
  Table table;
  table.put(1, "one");
  BlobReader reader(*table.connection, "t");
  REQUIRE(reader.find(1).ok());
  std::array<char, 4> room{};
  CHECK_FALSE(reader.read(0, room).ok());
  CHECK(reader.find(1).value() == 3);
  CHECK(read(reader, 0, 3) == "one");
}

}  // namespace
}  // namespace evq
