#include "store/block/format.h"

#include <limits>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "store/base/checksum.h"
#include "store/base/limits.h"

namespace evq {
namespace {

ColumnHeader column_of(std::string name, Type type, Value least, Value greatest) {
  ColumnHeader column;
  column.name = std::move(name);
  column.type = type;
  column.encoding = 3;
  column.flags = least.is_null() ? 0 : kColumnHasBounds | kColumnLeastExact;
  column.nulls = 7;
  column.distinct = 11;
  column.least = std::move(least);
  column.greatest = std::move(greatest);
  column.raw_bytes = 123456;
  column.segment_bytes = 999;
  column.segment_checksum = 0x0123456789ABCDEF;
  column.filter_bytes = type == Type::kString ? 64 : 0;
  column.filter_checksum = type == Type::kString ? 42 : 0;
  return column;
}

BlockHeader sample_header() {
  BlockHeader header;
  header.rows = 1000;
  header.min_time = std::numeric_limits<std::int64_t>::min();
  header.max_time = std::numeric_limits<std::int64_t>::max();
  header.min_sys_time = 1;
  header.max_sys_time = 2;
  header.columns = {
      column_of("_time", Type::kDatetime, Value::datetime(-5), Value::datetime(5)),
      column_of("n", Type::kLong, Value::integer(-5), Value::integer(5)),
      column_of("r", Type::kReal, Value::real(-0.5), Value::real(5e300)),
      column_of("b", Type::kBool, Value::boolean(false), Value::boolean(true)),
      column_of("s", Type::kString, Value::string(""), Value::string("zz")),
      column_of("d", Type::kDynamic, Value::null(Type::kDynamic), Value::null(Type::kDynamic)),
      column_of("t", Type::kTimespan, Value::timespan(0), Value::timespan(9)),
      column_of("", Type::kNull, Value::null(), Value::null())};
  return header;
}

// A header with its own checksum put right again after damage.
std::string resealed(std::string bytes) {
  bytes.resize(bytes.size() - 8);
  const std::uint64_t sum = checksum64(bytes);
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return bytes;
}

}  // namespace

TEST_CASE("headers come back whole") {
  const BlockHeader header = sample_header();
  const std::string bytes = encode_header(header);
  const Result<BlockHeader> decoded = decode_header(bytes);
  REQUIRE(decoded.ok());
  CHECK(encode_header(*decoded) == bytes);
  CHECK(decoded->rows == header.rows);
  CHECK(decoded->min_time == header.min_time);
  CHECK(decoded->max_sys_time == header.max_sys_time);
  REQUIRE(decoded->columns.size() == header.columns.size());
  for (std::size_t i = 0; i < header.columns.size(); ++i) {
    const ColumnHeader& a = header.columns[i];
    const ColumnHeader& b = decoded->columns[i];
    CHECK(a.name == b.name);
    CHECK(a.type == b.type);
    CHECK(a.flags == b.flags);
    CHECK(a.nulls == b.nulls);
    CHECK(a.distinct == b.distinct);
    CHECK(a.least == b.least);
    CHECK(a.greatest == b.greatest);
    CHECK(a.raw_bytes == b.raw_bytes);
    CHECK(a.segment_bytes == b.segment_bytes);
    CHECK(a.segment_checksum == b.segment_checksum);
    CHECK(a.filter_bytes == b.filter_bytes);
    CHECK(a.filter_checksum == b.filter_checksum);
  }
  CHECK(decoded->find("r") == 2);
  CHECK_FALSE(decoded->find("R").has_value());
}

TEST_CASE("columns are found by their names, however many there are") {
  for (const std::size_t count : {1U, 64U, 65U, 3000U}) {
    BlockHeader header;
    header.rows = 1;
    for (std::size_t i = 0; i < count; ++i) {
      ColumnHeader column;
      column.name = "f" + std::to_string(i * 7919 % count);
      header.columns.push_back(std::move(column));
    }
    header.columns.push_back(header.columns.front());
    const Result<BlockHeader> decoded = decode_header(encode_header(header));
    REQUIRE(decoded.ok());
    for (const BlockHeader* each : {&std::as_const(header), &decoded.value()}) {
      for (std::size_t i = 0; i < count; ++i) {
        CHECK(each->find(header.columns[i].name) == i);
      }
      for (const char* missing : {"", "f", "f00", "g", "f3000"}) {
        CHECK_FALSE(each->find(missing).has_value());
      }
    }
  }
}

TEST_CASE("damaged headers are corrupt") {
  const std::string bytes = encode_header(sample_header());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto decoded = decode_header(std::string_view(bytes).substr(0, size));
    REQUIRE_FALSE(decoded.ok());
    CHECK(decoded.error().code == ErrorCode::kCorrupt);
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x20);
    CHECK_FALSE(decode_header(damaged).ok());
  }
}

TEST_CASE("headers damaged before they were sealed do not crash") {
  const std::string bytes = encode_header(sample_header());
  for (std::size_t i = 0; i + 8 < bytes.size(); ++i) {
    for (const int flip : {0x01, 0x80, 0xFF}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      const auto decoded = decode_header(resealed(damaged));
      if (decoded.ok()) {
        CHECK(decoded->rows > 0);
        CHECK(decoded->rows <= kBlockRowsMax);
      }
    }
  }
}

TEST_CASE("an unknown version is unsupported, not corrupt") {
  std::string bytes = encode_header(sample_header());
  bytes[4] = 9;
  const auto decoded = decode_header(resealed(bytes));
  REQUIRE_FALSE(decoded.ok());
  CHECK(decoded.error().code == ErrorCode::kUnsupported);
}

}  // namespace evq
