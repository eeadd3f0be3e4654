#include "store/parquet/parquet_writer.h"

#include <utility>

#include "store/base/bytes.h"
#include "store/base/release_memory.h"
#include "store/parquet/compact_writer.h"

namespace evq {
namespace {

constexpr std::string_view kMagic = "PAR1";
constexpr std::int32_t kFormatVersion = 2;
// A row group ends at either. Readers work in parallel by row group and hold one in memory.
constexpr std::uint64_t kRowGroupRowsMax = 131'072;
constexpr std::size_t kRowGroupBytesMax = std::size_t{64} << 20U;
constexpr std::int32_t kOptional = 1;
// Numbers of the format: converted types, and fields of the union of logical types.
constexpr std::int32_t kConvertedUtf8 = 0;
constexpr int kLogicalString = 1;
constexpr int kLogicalTimestamp = 8;
constexpr int kUnitNanoseconds = 3;

void append_empty_struct(CompactWriter& writer, int id) {
  writer.begin_struct(id);
  writer.end_struct();
}

void append_schema_element(CompactWriter& writer, const Field& field) {
  writer.begin_struct();
  writer.i32(1, static_cast<std::int32_t>(parquet_type(field.type)));
  writer.i32(3, kOptional);
  writer.binary(4, field.name);
  if (parquet_type(field.type) == ParquetType::kByteArray) {
    writer.i32(6, kConvertedUtf8);
    writer.begin_struct(10);
    append_empty_struct(writer, kLogicalString);
    writer.end_struct();
  } else if (field.type == Type::kDatetime) {
    writer.begin_struct(10);
    writer.begin_struct(kLogicalTimestamp);
    writer.boolean(1, true);  // instants, not local times
    writer.begin_struct(2);
    append_empty_struct(writer, kUnitNanoseconds);
    writer.end_struct();
    writer.end_struct();
    writer.end_struct();
  }
  writer.end_struct();
}

std::string little_endian(std::int64_t value) {
  ByteWriter bytes;
  bytes.i64(value);
  return bytes.release();
}

void append_statistics(CompactWriter& writer, const ColumnPages& pages) {
  writer.begin_struct(12);
  writer.i64(3, static_cast<std::int64_t>(pages.nulls));
  if (pages.least.has_value()) {
    writer.binary(5, little_endian(*pages.greatest));
    writer.binary(6, little_endian(*pages.least));
  }
  writer.end_struct();
}

}  // namespace

ParquetWriter::ParquetWriter(Schema columns, Output out)
    : columns_(std::move(columns)), out_(std::move(out)) {}

Status ParquetWriter::write(std::string_view bytes) {
  EVQ_TRY(out_(bytes));
  written_ += bytes.size();
  return Status::success();
}

Status ParquetWriter::push(const Chunk& rows) {
  if (rows.empty()) {
    return Status::success();
  }
  held_.push_back(rows);
  held_rows_ += rows.rows();
  held_bytes_ += rows.size_bytes();
  return held_rows_ >= kRowGroupRowsMax || held_bytes_ >= kRowGroupBytesMax ? write_row_group()
                                                                            : Status::success();
}

Status ParquetWriter::write_row_group() {
  if (written_ == 0) {
    EVQ_TRY(write(kMagic));
  }
  RowGroup group;
  group.rows = held_rows_;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    std::vector<const Vector*> parts;
    parts.reserve(held_.size());
    for (const Chunk& chunk : held_) {
      parts.push_back(&chunk.column(column));
    }
    EVQ_TRY_ASSIGN(ColumnPages pages, encode_column_pages(columns_[column].type, parts));
    ColumnChunk chunk;
    chunk.offset = written_;
    chunk.has_dictionary = pages.data_offset.has_value();
    chunk.data_offset = written_ + pages.data_offset.value_or(0);
    chunk.bytes = pages.bytes.size();
    EVQ_TRY(write(pages.bytes));
    release_memory(pages.bytes);
    chunk.pages = std::move(pages);
    group.columns.push_back(std::move(chunk));
  }
  groups_.push_back(std::move(group));
  held_.clear();
  held_rows_ = 0;
  held_bytes_ = 0;
  return Status::success();
}

Status ParquetWriter::finish() {
  if (held_rows_ > 0) {
    EVQ_TRY(write_row_group());
  }
  if (written_ == 0) {
    EVQ_TRY(write(kMagic));
  }
  std::string end = metadata();
  const auto size = static_cast<std::uint32_t>(end.size());
  for (unsigned i = 0; i < 4; ++i) {
    end.push_back(static_cast<char>((size >> (8 * i)) & 0xff));
  }
  end.append(kMagic);
  return write(end);
}

void ParquetWriter::append_column(CompactWriter& writer, std::size_t column,
                                  const ColumnChunk& chunk) const {
  std::vector<std::int32_t> encodings = {static_cast<std::int32_t>(ParquetEncoding::kPlain),
                                         static_cast<std::int32_t>(ParquetEncoding::kRle)};
  if (chunk.has_dictionary) {
    encodings.push_back(static_cast<std::int32_t>(ParquetEncoding::kRleDictionary));
  }
  writer.begin_struct();
  writer.i64(2, static_cast<std::int64_t>(chunk.offset));
  writer.begin_struct(3);
  writer.i32(1, static_cast<std::int32_t>(parquet_type(columns_[column].type)));
  writer.i32_list(2, encodings);
  writer.binary_list(3, {columns_[column].name});
  writer.i32(4, kParquetZstd);
  writer.i64(5, static_cast<std::int64_t>(chunk.pages.values));
  writer.i64(6, static_cast<std::int64_t>(chunk.pages.uncompressed_bytes));
  writer.i64(7, static_cast<std::int64_t>(chunk.bytes));
  writer.i64(9, static_cast<std::int64_t>(chunk.data_offset));
  if (chunk.has_dictionary) {
    writer.i64(11, static_cast<std::int64_t>(chunk.offset));
  }
  append_statistics(writer, chunk.pages);
  writer.end_struct();
  writer.end_struct();
}

void ParquetWriter::append_row_group(CompactWriter& writer, const RowGroup& group) const {
  std::uint64_t plain_bytes = 0;
  writer.begin_struct();
  writer.begin_struct_list(1, group.columns.size());
  for (std::size_t i = 0; i < group.columns.size(); ++i) {
    plain_bytes += group.columns[i].pages.uncompressed_bytes;
    append_column(writer, i, group.columns[i]);
  }
  writer.i64(2, static_cast<std::int64_t>(plain_bytes));
  writer.i64(3, static_cast<std::int64_t>(group.rows));
  writer.end_struct();
}

std::string ParquetWriter::metadata() const {
  ByteWriter bytes;
  CompactWriter writer(bytes);
  writer.begin_struct();
  writer.i32(1, kFormatVersion);
  writer.begin_struct_list(2, columns_.size() + 1);
  writer.begin_struct();
  writer.binary(4, "events");
  writer.i32(5, static_cast<std::int32_t>(columns_.size()));
  writer.end_struct();
  for (const Field& field : columns_.fields()) {
    append_schema_element(writer, field);
  }
  std::uint64_t rows = 0;
  for (const RowGroup& group : groups_) {
    rows += group.rows;
  }
  writer.i64(3, static_cast<std::int64_t>(rows));
  writer.begin_struct_list(4, groups_.size());
  for (const RowGroup& group : groups_) {
    append_row_group(writer, group);
  }
  writer.binary(6, "evq version " EVQ_VERSION);
  writer.begin_struct_list(7, columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    writer.begin_struct();  // of the union: ordered as the type says
    append_empty_struct(writer, 1);
    writer.end_struct();
  }
  writer.end_struct();
  return bytes.release();
}

}  // namespace evq
