#pragma once
// Typed reads and writes of a dataset file (tables in migrations.cpp). Rows are verified as they
// are read: each against its own checksum, all of them against the counters. Blobs are returned
// as stored; whoever knows their format verifies them against the checksums in the rows.
// Reads take a connection inside a transaction; writes happen through one DatasetWriter per write
// transaction. Errors name the file.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/base/result.h"
#include "store/base/seeded_text_hash.h"
#include "store/catalog/blob_reader.h"
#include "store/catalog/sqlite.h"
#include "store/column/type.h"

namespace evq {

enum class BlockState : std::uint8_t { kStored = 0, kQueued = 1, kFresh = 2 };

// Positions of columns fit this many bits of a segment's id.
inline constexpr unsigned kSegmentIdBits = 14;
// Pages of a new dataset file: small enough for tiny commits and little waste behind segments.
inline constexpr std::uint32_t kDatasetPageBytes = 8192;

struct BlockRow {
  std::uint64_t id = 0;
  BlockState state = BlockState::kStored;
  bool dense = true;
  std::uint32_t rows = 0;
  std::uint64_t first_ordinal = 0;
  std::uint64_t ordinal_end = 0;
  std::int64_t min_time = 0;
  std::int64_t max_time = 0;
  std::int64_t min_sys_time = 0;
  std::int64_t max_sys_time = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t raw_bytes = 0;
  std::uint32_t segments = 0;
  std::uint64_t payload_sum = 0;
};

struct FieldRow {
  std::string name;
  std::uint32_t types = 0;  // bit per Type, and kWideLongs (store/column/dynamic_kinds.h)
  bool hidden = false;
  std::string unit;
  std::string description;
};

struct Counters {
  std::uint64_t file_key = 0;
  std::uint64_t next_block = 1;
  std::uint64_t next_ordinal = 0;
  std::uint64_t block_count = 0;
  std::uint64_t block_sums = 0;
  std::uint64_t fresh_count = 0;
  std::uint64_t fresh_rows = 0;
  std::uint64_t field_count = 0;
  std::uint64_t field_sums = 0;
};

enum class BlobTable : std::uint8_t { kHeaders, kSegments, kFilters, kChunks };

struct Blob {
  std::uint64_t id = 0;
  std::string_view bytes;
};

// Damaged rows, described: a read that is given a list adds to it and goes on, others fail.
using RowProblems = std::vector<std::string>;

// kCorrupt when the key is not the expected one (0: any).
Result<Counters> read_counters(Connection& connection, std::uint64_t file_key);
// Reads all rows of blocks, in id order. With `problems`, leaves out damaged ones, described there.
Result<std::vector<BlockRow>> read_blocks(Connection& connection, const Counters& counters,
                                          RowProblems* problems = nullptr);
// Reads all rows of fields, in order of first appearance; `problems` as above.
Result<std::vector<FieldRow>> read_fields(Connection& connection, const Counters& counters,
                                          RowProblems* problems = nullptr);
// Makes a reader of a table's blobs by their ids; calls `take` with all of these in their order,
// and stops when that fails.
BlobReader blobs_of(Connection& connection, BlobTable table);
Status each_blob_id(Connection& connection, BlobTable table,
                    const std::function<Status(std::uint64_t id)>& take);

// Whether a table has a blob for each column, by segment_id(), instead of one for each block.
constexpr bool is_per_column(BlobTable table) {
  return table == BlobTable::kSegments || table == BlobTable::kFilters;
}
constexpr std::uint64_t segment_id(std::uint64_t block, std::size_t column) {
  return (block << kSegmentIdBits) | column;
}
constexpr std::uint64_t block_of_segment(std::uint64_t id) {
  return id >> kSegmentIdBits;
}
constexpr std::uint64_t column_of_segment(std::uint64_t id) {
  return id & ((std::uint64_t{1} << kSegmentIdBits) - 1);
}

// The common type of all types in a FieldRow's set; where longs and reals have none that keeps
// every value, it is kDynamic, as it is within one batch.
Type type_of_set(std::uint32_t types);

// The fields of a file, with the counters' values that tell whether the list is still current.
struct FieldList {
  std::vector<FieldRow> rows;
  std::unordered_map<std::string, std::size_t, SeededTextHash, std::equal_to<>> ids;
  std::uint64_t count = 0;
  std::uint64_t sums = 0;
};

// The changes of one write transaction. finish() must be called before the commit.
class DatasetWriter {
 public:
  // Makes the counters of a new file.
  static Status initialise(Connection& connection, std::uint64_t file_key);
  // `known` are the fields that an earlier transaction left, read again when another process has
  // changed them since.
  static Result<DatasetWriter> begin(Connection& connection, std::uint64_t file_key,
                                     FieldList known = {});

  // Reads the blocks; call before blocks(), find_block(), set_state() and remove_block().
  Status load_blocks();
  const std::vector<BlockRow>& blocks() const { return blocks_; }
  const BlockRow* find_block(std::uint64_t id) const;
  const Counters& counters() const { return counters_; }

  // Takes `count` ordinals and returns the first of them.
  std::uint64_t take_ordinals(std::uint64_t count);
  // The id for a new block.
  std::uint64_t take_block_id() { return counters_.next_block++; }
  // Inserts `row`, whose id comes from take_block_id().
  Status insert_block(const BlockRow& row);
  Status insert_blob(BlobTable table, Blob blob);
  Status set_state(std::uint64_t id, BlockState state);
  // Removes the row and every blob of the block.
  Status remove_block(std::uint64_t id);
  // Adds the field or the types; kLimit past kDatasetFieldsMax.
  Status note_field(std::string_view name, std::uint32_t types);
  // Null when there is no such field; valid until the next change.
  const FieldRow* find_field(std::string_view name) const;
  // Stores the field's unit, description and hidden flag; false when there is no such field.
  Result<bool> describe_field(const FieldRow& field);
  Status finish();
  // The fields, for begin() of a later transaction once this one is committed; the last call.
  FieldList take_fields() &&;

 private:
  DatasetWriter(Connection* connection, Counters counters)
      : connection_(connection), counters_(counters) {}
  std::int64_t sum_of(const BlockRow& row) const;
  std::int64_t sum_of(std::size_t id, const FieldRow& row) const;
  Status write_block_row(const BlockRow& row);
  // Adds or takes away (`sign` -1) a row's share of the counters.
  void count_fresh(const BlockRow& row, int sign);
  Status write_field_row(std::size_t id, const FieldRow& row);

  Connection* connection_;
  Counters counters_;
  bool blocks_loaded_ = false;
  std::vector<BlockRow> blocks_;
  FieldList fields_;
};

}  // namespace evq
