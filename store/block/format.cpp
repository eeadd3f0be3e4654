#include "store/block/format.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "store/base/bytes.h"
#include "store/base/checksum.h"
#include "store/base/limits.h"
#include "store/base/utf8.h"
#include "store/column/vector.h"
#include "store/encoding/wanted_values.h"

namespace evq {
namespace {

constexpr std::uint8_t kKnownFlags = kColumnHasBounds | kColumnDistinctExact | kColumnLeastExact |
                                     kColumnGreatestExact | kColumnHasNan | kColumnIsDictionary;
// The least a column's description can take.
constexpr std::size_t kColumnBytesMin = 12;
constexpr std::size_t kChecksumBytes = 8;
// Up to here looking at one name after the other takes less than an order of the names.
constexpr std::size_t kScannedColumnsMax = 64;

void write_bound(const Value& bound, ByteWriter& out) {
  switch (bound.type()) {
    case Type::kBool:
      return out.i64(bound.as_bool() ? 1 : 0);
    case Type::kLong:
    case Type::kDatetime:
    case Type::kTimespan:
      return out.i64(bound.as_integer());
    case Type::kReal:
      return out.f64(bound.as_real());
    case Type::kString:
      return out.string(bound.as_text());
    case Type::kNull:
    case Type::kDynamic:
      return;
  }
}

Value read_bound(Type type, ByteReader& in) {
  switch (type) {
    case Type::kBool:
      return Value::boolean(in.i64() != 0);
    case Type::kLong:
      return Value::integer(in.i64());
    case Type::kDatetime:
      return Value::datetime(in.i64());
    case Type::kTimespan:
      return Value::timespan(in.i64());
    case Type::kReal:
      return Value::real(in.f64());
    case Type::kString:
      return Value::string(std::string(in.string()));
    case Type::kNull:
    case Type::kDynamic:
      break;
  }
  in.fail();
  return {};
}

void write_column(const ColumnHeader& column, ByteWriter& out) {
  out.string(column.name);
  out.u8(static_cast<std::uint8_t>(column.type));
  out.u8(column.encoding);
  out.u8(column.flags);
  out.varint(column.nulls);
  out.varint(column.distinct);
  if (column.has(kColumnHasBounds)) {
    write_bound(column.least, out);
    write_bound(column.greatest, out);
  }
  out.varint(column.raw_bytes);
  out.varint(column.segment_bytes);
  out.u64(column.segment_checksum);
  out.varint(column.filter_bytes);
  if (column.filter_bytes > 0) {
    out.u64(column.filter_checksum);
  }
}

bool sound(const ColumnHeader& column, std::uint32_t rows) {
  return column.nulls <= rows && column.distinct <= rows - column.nulls &&
         (column.flags & ~kKnownFlags) == 0 && column.segment_bytes <= kBlockBytesMax &&
         column.filter_bytes <= kBlockBytesMax && column.raw_bytes <= kBlockBytesMax;
}

ColumnHeader read_column(ByteReader& in, std::uint32_t rows) {
  ColumnHeader column;
  column.name = in.string();
  const std::uint8_t type = in.u8();
  if (type >= kTypeCount) {
    in.fail();
    return column;
  }
  column.type = static_cast<Type>(type);
  column.encoding = in.u8();
  column.flags = in.u8();
  const std::uint64_t nulls = in.varint();
  const std::uint64_t distinct = in.varint();
  if (nulls > rows || distinct > rows) {
    in.fail();
    return column;
  }
  column.nulls = static_cast<std::uint32_t>(nulls);
  column.distinct = static_cast<std::uint32_t>(distinct);
  column.least = Value::null(column.type);
  column.greatest = Value::null(column.type);
  if (column.has(kColumnHasBounds)) {
    column.least = read_bound(column.type, in);
    column.greatest = read_bound(column.type, in);
  }
  column.raw_bytes = in.varint();
  column.segment_bytes = in.varint();
  column.segment_checksum = in.u64();
  column.filter_bytes = in.varint();
  column.filter_checksum = column.filter_bytes > 0 ? in.u64() : 0;
  if (!sound(column, rows)) {
    in.fail();
  }
  return column;
}

Error corrupt_header(std::string_view what) {
  return make_error(ErrorCode::kCorrupt, "corrupt block header: " + std::string(what));
}

}  // namespace

std::optional<std::size_t> BlockHeader::find(std::string_view name) const {
  if (!by_name.empty()) {
    const auto name_at = [this](std::uint32_t i) -> std::string_view { return columns[i].name; };
    const auto at = std::ranges::lower_bound(by_name, name, {}, name_at);
    return at != by_name.end() && name_at(*at) == name ? std::optional<std::size_t>(*at)
                                                       : std::nullopt;
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == name) {
      return i;
    }
  }
  return std::nullopt;
}

void BlockHeader::index_names() {
  if (columns.size() <= kScannedColumnsMax) {
    return;
  }
  by_name.resize(columns.size());
  std::iota(by_name.begin(), by_name.end(), 0U);
  std::ranges::stable_sort(by_name, {},
                           [this](std::uint32_t i) -> std::string_view { return columns[i].name; });
}

std::uint64_t BlockHeader::stored_bytes() const {
  std::uint64_t bytes = 0;
  for (const ColumnHeader& column : columns) {
    bytes += column.segment_bytes + column.filter_bytes;
  }
  return bytes;
}

std::size_t estimate_decoded_bytes(const BlockHeader& header, std::size_t column) {
  const ColumnHeader& about = header.columns[column];
  const std::size_t values = header.rows - std::min(about.nulls, header.rows);
  if (values == 0) {
    return 0;
  }
  const bool few = is_sparse(values, header.rows);
  if (physical_of(about.type) != Physical::kView) {
    return few ? values * sizeof(std::int64_t) + header.rows * sizeof(Code)
               : header.rows * sizeof(std::int64_t);
  }
  const bool repeated = about.has(kColumnIsDictionary) || about.distinct <= 1;
  const std::size_t entries = repeated ? std::min<std::size_t>(about.distinct, values) : values;
  const std::size_t texts = std::min<std::size_t>(about.raw_bytes, kBlockBytesMax);
  const std::size_t slots = repeated || few
                                ? entries * sizeof(std::string_view) + header.rows * sizeof(Code)
                                : header.rows * sizeof(std::string_view);
  return texts / values * entries + slots;
}

std::string encode_header(const BlockHeader& header) {
  ByteWriter out;
  out.u32(kBlockMagic);
  out.u8(kBlockFormatVersion);
  out.varint(header.rows);
  out.i64(header.min_time);
  out.i64(header.max_time);
  out.i64(header.min_sys_time);
  out.i64(header.max_sys_time);
  out.varint(header.columns.size());
  for (const ColumnHeader& column : header.columns) {
    write_column(column, out);
  }
  out.u64(checksum64(out.view()));
  return out.release();
}

Result<BlockHeader> decode_header(std::string_view bytes) {
  if (bytes.size() < kChecksumBytes) {
    return corrupt_header("it ends early");
  }
  const std::string_view covered = bytes.substr(0, bytes.size() - kChecksumBytes);
  ByteReader tail(bytes.substr(covered.size()));
  ByteReader in(covered);
  if (in.u32() != kBlockMagic) {
    return corrupt_header("it does not start as one");
  }
  if (tail.u64() != checksum64(covered)) {
    return corrupt_header("the checksum does not match");
  }
  if (const std::uint8_t version = in.u8(); version != kBlockFormatVersion) {
    return make_error(ErrorCode::kUnsupported,
                      "block format version " + std::to_string(version) + " is not known",
                      "use the release of evq that wrote this store, or a newer one");
  }
  BlockHeader header;
  const std::uint64_t rows = in.varint();
  header.min_time = in.i64();
  header.max_time = in.i64();
  header.min_sys_time = in.i64();
  header.max_sys_time = in.i64();
  const std::size_t columns = in.count(kColumnBytesMin);
  if (!in.ok() || rows == 0 || rows > kBlockRowsMax) {
    return corrupt_header("its row count is impossible");
  }
  header.rows = static_cast<std::uint32_t>(rows);
  header.columns.reserve(columns);
  for (std::size_t i = 0; i < columns && in.ok(); ++i) {
    header.columns.push_back(read_column(in, header.rows));
  }
  if (!in.ok() || !in.at_end()) {
    return corrupt_header("its columns do not decode");
  }
  header.index_names();
  return header;
}

}  // namespace evq
