#pragma once
// ParquetWriter: rows as one Parquet file, written front to back: row groups as they fill, the
// metadata at the end, so that the output may be a pipe and memory holds one row group.
//
//   bool BOOLEAN · long INT64 · real DOUBLE · datetime INT64 as TIMESTAMP(UTC, nanoseconds)
//   timespan INT64 nanoseconds · string BYTE_ARRAY as STRING · dynamic the same, its JSON text
//
// Not the type JSON: ClickHouse takes that for objects only. Every column is optional and flat.
// What a page is coded as is in column_pages.h. One thread.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/result.h"
#include "store/column/chunk.h"
#include "store/column/schema.h"
#include "store/parquet/column_pages.h"

namespace evq {

class CompactWriter;

class ParquetWriter {
 public:
  using Output = std::function<Status(std::string_view bytes)>;

  ParquetWriter(Schema columns, Output out);

  // Adds rows; their columns have the schema's types.
  Status push(const Chunk& rows);
  // Writes the last row group and the metadata. The file is complete when this succeeded.
  Status finish();

 private:
  struct ColumnChunk {
    std::uint64_t offset = 0;       // of the first page, in the file
    std::uint64_t data_offset = 0;  // of the first data page
    bool has_dictionary = false;
    std::uint64_t bytes = 0;
    ColumnPages pages;  // without the bytes
  };
  struct RowGroup {
    std::uint64_t rows = 0;
    std::vector<ColumnChunk> columns;
  };

  Status write(std::string_view bytes);
  Status write_row_group();
  void append_column(CompactWriter& writer, std::size_t column, const ColumnChunk& chunk) const;
  void append_row_group(CompactWriter& writer, const RowGroup& group) const;
  std::string metadata() const;

  const Schema columns_;
  const Output out_;
  std::uint64_t written_ = 0;
  std::vector<Chunk> held_;
  std::uint64_t held_rows_ = 0;
  std::size_t held_bytes_ = 0;
  std::vector<RowGroup> groups_;
};

}  // namespace evq
