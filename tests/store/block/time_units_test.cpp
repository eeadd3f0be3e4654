#include "store/block/time_units.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/bytes.h"
#include "store/base/checksum.h"
#include "store/block/block_reader.h"
#include "store/block/block_writer.h"
#include "store/column/vector_builder.h"
#include "store/encoding/encoding.h"
#include "tests/support/packed_block.h"

namespace evq {
namespace {

using Random = std::mt19937_64;
using Integers = std::vector<std::int64_t>;

constexpr std::size_t kTold = 1;  // the column that repeats `_time`
constexpr auto kTimeUnits = static_cast<std::uint8_t>(EncodingId::kTimeUnits);

// Multiples of `unit`, not in order, before and after 1970.
Integers some_times(std::size_t rows, std::int64_t unit) {
  Random random(rows + static_cast<std::size_t>(unit));
  Integers times(rows);
  std::generate(times.begin(), times.end(),
                [&] { return (static_cast<std::int64_t>(random() % 2000000) - 1000000) * unit; });
  return times;
}

Vector integers(Type type, const Integers& values) {
  VectorBuilder builder(type);
  for (const std::int64_t value : values) {
    builder.append_integer(value);
  }
  return builder.finish();
}

Table make_table(const Integers& times, Vector told) {
  Table table;
  table.rows = times.size();
  table.schema = Schema({{"_time", Type::kDatetime},
                         {"told", told.type()},
                         {"_sysTime", Type::kDatetime},
                         {"text", Type::kString}});
  VectorBuilder texts(Type::kString);
  for (std::size_t i = 0; i < times.size(); ++i) {
    texts.append_text("text " + std::to_string(i));
  }
  table.columns = {integers(Type::kDatetime, times), std::move(told),
                   Vector::constant(Value::datetime(77), times.size()), texts.finish()};
  return table;
}

Integers divided(const Integers& times, std::int64_t unit) {
  Integers values(times.size());
  std::transform(times.begin(), times.end(), values.begin(),
                 [unit](std::int64_t time) { return time / unit; });
  return values;
}

BlockReader make_reader(const EncodedBlock& block) {
  return BlockReader(std::make_shared<BlockHeader>(block.header),
                     make_packed_source(block.header, test::pack_block(block)));
}

void set_segment(EncodedBlock* block, std::size_t column, std::string bytes) {
  ColumnHeader& header = block->header.columns[column];
  header.segment_bytes = bytes.size();
  header.segment_checksum = checksum64(bytes);
  block->segments[column] = std::move(bytes);
}

EncodedBlock told_block(std::size_t rows) {
  const Integers times = some_times(rows, 1000);
  Result<EncodedBlock> block =
      encode_block(make_table(times, integers(Type::kLong, divided(times, 1000))), Effort::kIngest);
  REQUIRE(block.ok());
  REQUIRE(block->header.columns[kTold].encoding == kTimeUnits);
  return std::move(block).value();
}

void check_corrupt(const EncodedBlock& block, std::size_t column) {
  BlockReader reader = make_reader(block);
  const Result<Vector> read = reader.read(column, Selection::all());
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().code == ErrorCode::kCorrupt);
  CHECK(read.error().message.find("'" + block.header.columns[column].name + "'") !=
        std::string::npos);
}

}  // namespace

TEST_CASE("a column that _time tells keeps its values, whatever rows are read") {
  for (const Effort effort : {Effort::kIngest, Effort::kCompact}) {
    for (const std::int64_t unit : {1LL, 1000LL, 1000000LL, 1000000000LL}) {
      for (const Type type : {Type::kLong, Type::kDatetime, Type::kTimespan}) {
        const Integers times = some_times(3000, unit);
        const Table table = make_table(times, integers(type, divided(times, unit)));
        const std::vector<std::uint32_t> order =
            time_order(table.columns[*table.schema.find(kTimeField)]);
        const Vector expected = table.columns[kTold].gather(order);
        const Result<EncodedBlock> block = encode_block(table, effort);
        REQUIRE(block.ok());
        CHECK(block->header.columns[kTold].encoding == kTimeUnits);
        CHECK(block->segments[kTold].size() < 10);
        CHECK(block->header.columns[kTold].least == expected.value(0));
        BlockReader reader = make_reader(*block);
        const std::vector<std::uint32_t> rows = {0, 17, 1024, 2999};
        const Vector few = reader.read(kTold, Selection::rows(rows)).value();
        const Vector range = reader.read(kTold, Selection::range(900, 1100)).value();
        const Vector all = reader.read(kTold, Selection::all()).value();
        REQUIRE(few.size() == rows.size());
        REQUIRE(range.size() == 1100);
        REQUIRE(all.size() == 3000);
        CHECK(all.type() == type);
        bool same = true;
        for (std::size_t i = 0; i < rows.size(); ++i) {
          same = same && few.value(i) == expected.value(rows[i]);
        }
        for (std::size_t i = 0; i < range.size(); ++i) {
          same = same && range.value(i) == expected.value(900 + i);
        }
        for (std::size_t i = 0; i < all.size(); ++i) {
          same = same && all.value(i) == expected.value(i);
        }
        CHECK(same);
        CHECK(reader.read(kTold, Selection::rows({})).value().size() == 0);
      }
    }
  }
}

TEST_CASE("a column is stored by itself when _time does not tell all of it") {
  const Integers times = some_times(3000, 1000);
  Integers one_differs = divided(times, 1000);
  one_differs[1234] += 1;
  Integers overflows = one_differs;
  overflows[1234] = (std::int64_t{1} << 62) + times[1234] / 1000;
  Integers other_unit = divided(times, 500);
  for (const Integers& values : {one_differs, overflows, other_unit}) {
    const auto block =
        encode_block(make_table(times, integers(Type::kLong, values)), Effort::kIngest);
    REQUIRE(block.ok());
    CHECK(block->header.columns[kTold].encoding != kTimeUnits);
  }
  const Integers told = divided(times, 1000);
  VectorBuilder nulls(Type::kLong);
  nulls.append_null();
  for (std::size_t i = 1; i < told.size(); ++i) {
    nulls.append_integer(told[i]);
  }
  const auto block = encode_block(make_table(times, nulls.finish()), Effort::kIngest);
  REQUIRE(block.ok());
  CHECK(block->header.columns[kTold].encoding != kTimeUnits);
  // What is merged soon is not looked at.
  const auto fresh = encode_block(make_table(times, integers(Type::kLong, told)), Effort::kFresh);
  REQUIRE(fresh.ok());
  CHECK(fresh->header.columns[kTold].encoding != kTimeUnits);
  const auto one_row =
      encode_block(make_table({5000}, integers(Type::kLong, {5})), Effort::kIngest);
  REQUIRE(one_row.ok());
  CHECK(one_row->header.columns[kTold].encoding != kTimeUnits);
}

TEST_CASE("bytes that are no count of units of _time are corrupt") {
  const EncodedBlock good = told_block(500);
  const std::string& stored = good.segments[kTold];
  for (std::size_t size = 1; size < stored.size(); ++size) {
    EncodedBlock cut = good;
    set_segment(&cut, kTold, stored.substr(0, size));
    check_corrupt(cut, kTold);
  }
  for (const std::uint64_t unit : {std::uint64_t{0}, std::uint64_t{7}, ~std::uint64_t{0}}) {
    ByteWriter out;
    out.u8(kTimeUnits);
    out.u8(0);
    out.varint(unit);
    EncodedBlock other = good;
    set_segment(&other, kTold, out.release());
    check_corrupt(other, kTold);
  }
  EncodedBlock text = good;
  set_segment(&text, 3, stored);
  check_corrupt(text, 3);
  // A circle.
  EncodedBlock circle = good;
  set_segment(&circle, 0, stored);
  check_corrupt(circle, 0);
  check_corrupt(circle, kTold);
  EncodedBlock no_time = good;
  no_time.header.columns[0].name = "time";
  check_corrupt(no_time, kTold);
  EncodedBlock null_times = good;
  null_times.header.columns[0].nulls = 500;
  check_corrupt(null_times, kTold);
  // A segment by itself does not have the times.
  CHECK_FALSE(decode_time_units(stored, Type::kLong, 500, integers(Type::kLong, {1, 2})).ok());
}

// A disk on which the segment of `_time` cannot be read.
class FailingSource final : public SegmentSource {
 public:
  explicit FailingSource(std::unique_ptr<SegmentSource> source) : source_(std::move(source)) {}

  Result<SharedBytes> fetch(std::size_t column, SegmentPart part) override {
    return column == 0 ? make_error(ErrorCode::kIo, "cannot read the file")
                       : source_->fetch(column, part);
  }

 private:
  const std::unique_ptr<SegmentSource> source_;
};

TEST_CASE("a column that _time tells is not corrupt because _time could not be read") {
  const EncodedBlock block = told_block(500);
  BlockReader reader(
      std::make_shared<BlockHeader>(block.header),
      std::make_unique<FailingSource>(make_packed_source(block.header, test::pack_block(block))));
  const Result<Vector> read = reader.read(kTold, Selection::all());
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().code == ErrorCode::kIo);
  CHECK(read.error().message == "cannot read the file");
}

TEST_CASE("any bytes as a count of units of _time are values or corrupt") {
  Random random(3);
  const Vector times = integers(Type::kDatetime, some_times(64, 1000));
  for (int round = 0; round < 20000; ++round) {
    std::string bytes(1 + random() % 16, '\0');
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<char>(random()); });
    bytes[0] = static_cast<char>(kTimeUnits);
    if (bytes.size() > 1 && random() % 2 == 0) {
      bytes[1] = 0;
    }
    const auto type = static_cast<Type>(random() % kTypeCount);
    const Result<Vector> values = decode_time_units(bytes, type, 64, times);
    CHECK((values.ok() ? values->size() == 64 : values.error().code == ErrorCode::kCorrupt));
  }
}

}  // namespace evq
