#include "store/catalog/dataset_file.h"

#include <algorithm>
#include <utility>

#include "store/base/check.h"
#include "store/base/limits.h"
#include "store/catalog/row_sum.h"
#include "store/column/dynamic_kinds.h"

namespace evq {

namespace {

constexpr std::string_view kSelectBlocks =
    "SELECT id, state, dense, rows, first_ordinal, ordinal_end, min_time, max_time, min_sys_time, "
    "max_sys_time, stored_bytes, raw_bytes, segments, payload_sum, sum FROM blocks ORDER BY id";
constexpr std::string_view kInsertBlock =
    "INSERT OR REPLACE INTO blocks(id, state, dense, rows, first_ordinal, ordinal_end, min_time, "
    "max_time, min_sys_time, max_sys_time, stored_bytes, raw_bytes, segments, payload_sum, sum) "
    "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
constexpr std::string_view kSelectFields =
    "SELECT id, name, types, hidden, unit, description, sum FROM fields ORDER BY id";
constexpr std::string_view kInsertField =
    "INSERT OR REPLACE INTO fields(id, name, types, hidden, unit, description, sum) "
    "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)";
constexpr std::string_view kSelectCounters =
    "SELECT file_key, next_block, next_ordinal, block_count, block_sums, fresh_count, fresh_rows, "
    "field_count, field_sums, sum FROM counters WHERE id = 1";
constexpr std::string_view kWriteCounters =
    "INSERT OR REPLACE INTO counters(id, file_key, next_block, next_ordinal, block_count, "
    "block_sums, fresh_count, fresh_rows, field_count, field_sums, sum) "
    "VALUES(1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";

struct BlobSql {
  BlobTable table;
  const char* name;
  std::string_view insert;
  std::string_view remove;
  std::string_view ids;
};

constexpr BlobSql kBlobSql[] = {
    {BlobTable::kHeaders, "headers", "INSERT INTO headers(id, data) VALUES(?1, ?2)",
     "DELETE FROM headers WHERE id = ?1", "SELECT id FROM headers ORDER BY id"},
    {BlobTable::kSegments, "segments", "INSERT INTO segments(id, data) VALUES(?1, ?2)",
     "DELETE FROM segments WHERE id BETWEEN ?1 AND ?2", "SELECT id FROM segments ORDER BY id"},
    {BlobTable::kFilters, "filters", "INSERT INTO filters(id, data) VALUES(?1, ?2)",
     "DELETE FROM filters WHERE id BETWEEN ?1 AND ?2", "SELECT id FROM filters ORDER BY id"},
    {BlobTable::kChunks, "chunks", "INSERT INTO chunks(id, data) VALUES(?1, ?2)",
     "DELETE FROM chunks WHERE id = ?1", "SELECT id FROM chunks ORDER BY id"},
};

const BlobSql& sql_of(BlobTable table) {
  return kBlobSql[static_cast<std::size_t>(table)];
}

std::int64_t block_sum(std::uint64_t file_key, const BlockRow& row) {
  return RowSum(file_key, "blocks")
      .add(row.id)
      .add(static_cast<std::int64_t>(row.state))
      .add(std::int64_t{row.dense ? 1 : 0})
      .add(std::int64_t{row.rows})
      .add(row.first_ordinal)
      .add(row.ordinal_end)
      .add(row.min_time)
      .add(row.max_time)
      .add(row.min_sys_time)
      .add(row.max_sys_time)
      .add(row.stored_bytes)
      .add(row.raw_bytes)
      .add(std::int64_t{row.segments})
      .add(row.payload_sum)
      .value();
}

std::int64_t field_sum(std::uint64_t file_key, std::size_t id, const FieldRow& row) {
  return RowSum(file_key, "fields")
      .add(std::uint64_t{id})
      .add_text(row.name)
      .add(std::int64_t{row.types})
      .add(std::int64_t{row.hidden ? 1 : 0})
      .add_text(row.unit)
      .add_text(row.description)
      .value();
}

std::int64_t counters_sum(const Counters& row) {
  return RowSum(row.file_key, "counters")
      .add(row.next_block)
      .add(row.next_ordinal)
      .add(row.block_count)
      .add(row.block_sums)
      .add(row.fresh_count)
      .add(row.fresh_rows)
      .add(row.field_count)
      .add(row.field_sums)
      .value();
}

Error corrupt(const Connection& connection, const std::string& what) {
  return make_error(ErrorCode::kCorrupt, connection.path() + ": " + what,
                    "run 'evq check' to see what is damaged");
}

std::uint64_t bits(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

BlockRow block_of(const Statement& row) {
  BlockRow block;
  block.id = bits(row.integer(0));
  block.state = static_cast<BlockState>(row.integer(1));
  block.dense = row.integer(2) != 0;
  block.rows = static_cast<std::uint32_t>(row.integer(3));
  block.first_ordinal = bits(row.integer(4));
  block.ordinal_end = bits(row.integer(5));
  block.min_time = row.integer(6);
  block.max_time = row.integer(7);
  block.min_sys_time = row.integer(8);
  block.max_sys_time = row.integer(9);
  block.stored_bytes = bits(row.integer(10));
  block.raw_bytes = bits(row.integer(11));
  block.segments = static_cast<std::uint32_t>(row.integer(12));
  block.payload_sum = bits(row.integer(13));
  return block;
}

// Reports damage: into the list when the reader is lenient, as an error otherwise.
Status report(const Connection& connection, RowProblems* problems, const std::string& what) {
  if (problems == nullptr) {
    return corrupt(connection, what);
  }
  problems->push_back(what);
  return {};
}

}  // namespace

Result<Counters> read_counters(Connection& connection, std::uint64_t file_key) {
  EVQ_TRY_ASSIGN(Statement row, connection.prepare(kSelectCounters));
  EVQ_TRY_ASSIGN(const bool found, row.step());
  if (!found) {
    return corrupt(connection, "the counters are missing");
  }
  Counters counters;
  counters.file_key = bits(row.integer(0));
  counters.next_block = bits(row.integer(1));
  counters.next_ordinal = bits(row.integer(2));
  counters.block_count = bits(row.integer(3));
  counters.block_sums = bits(row.integer(4));
  counters.fresh_count = bits(row.integer(5));
  counters.fresh_rows = bits(row.integer(6));
  counters.field_count = bits(row.integer(7));
  counters.field_sums = bits(row.integer(8));
  if (row.integer(9) != counters_sum(counters)) {
    return corrupt(connection, "the counters fail their checksum");
  }
  if (file_key != 0 && counters.file_key != file_key) {
    return corrupt(connection, "the file belongs to another dataset or store");
  }
  return counters;
}

Result<std::vector<BlockRow>> read_blocks(Connection& connection, const Counters& counters,
                                          RowProblems* problems) {
  EVQ_TRY_ASSIGN(Statement row, connection.prepare(kSelectBlocks));
  std::vector<BlockRow> blocks;
  std::uint64_t last_id = 0;
  std::uint64_t count = 0;
  std::uint64_t sums = 0;
  const auto add = [&]() -> Status {
    const BlockRow block = block_of(row);
    ++count;
    sums ^= bits(row.integer(14));
    const bool sane = row.integer(14) == block_sum(counters.file_key, block) && block.rows != 0 &&
                      block.rows <= kBlockRowsMax && block.id > last_id &&
                      block.id < counters.next_block && block.first_ordinal < block.ordinal_end &&
                      block.ordinal_end <= counters.next_ordinal && row.integer(1) >= 0 &&
                      row.integer(1) <= static_cast<std::int64_t>(BlockState::kFresh);
    if (sane) {
      last_id = block.id;
      blocks.push_back(block);
      return {};
    }
    return report(connection, problems,
                  "block " + std::to_string(block.id) + ": its row is damaged");
  };
  EVQ_TRY(row.each(add));
  if (count != counters.block_count || sums != counters.block_sums) {
    EVQ_TRY(report(connection, problems, "the list of blocks is not the one that was committed"));
  }
  return blocks;
}

Result<std::vector<FieldRow>> read_fields(Connection& connection, const Counters& counters,
                                          RowProblems* problems) {
  EVQ_TRY_ASSIGN(Statement row, connection.prepare(kSelectFields));
  std::vector<FieldRow> fields;
  std::uint64_t sums = 0;
  const auto add = [&]() -> Status {
    FieldRow field;
    field.name = row.text(1);
    field.types = static_cast<std::uint32_t>(row.integer(2));
    field.hidden = row.integer(3) != 0;
    field.unit = row.text(4);
    field.description = row.text(5);
    const auto id = static_cast<std::size_t>(row.integer(0));
    sums ^= bits(row.integer(6));
    if (row.integer(6) != field_sum(counters.file_key, id, field) || id != fields.size()) {
      EVQ_TRY(report(connection, problems,
                     "field " + std::to_string(id) + ": its row fails its checksum"));
    }
    fields.push_back(std::move(field));
    return {};
  };
  EVQ_TRY(row.each(add));
  if (fields.size() != counters.field_count || sums != counters.field_sums) {
    EVQ_TRY(report(connection, problems, "the list of fields is not the one that was committed"));
  }
  return fields;
}

BlobReader blobs_of(Connection& connection, BlobTable table) {
  return {connection, sql_of(table).name};
}

Status each_blob_id(Connection& connection, BlobTable table,
                    const std::function<void(std::uint64_t id)>& take) {
  EVQ_TRY_ASSIGN(Statement row, connection.prepare(sql_of(table).ids));
  return row.each([&]() -> Status {
    take(bits(row.integer(0)));
    return {};
  });
}

Type type_of_set(std::uint32_t types) {
  Type common = Type::kNull;
  for (int i = 0; i < kTypeCount; ++i) {
    if (((types >> i) & 1U) != 0) {
      common = common_type(common, static_cast<Type>(i));
    }
  }
  return common == Type::kReal && (types & kWideLongs) != 0 ? Type::kDynamic : common;
}

// ---------------------------------------------------------------- DatasetWriter

Status DatasetWriter::initialise(Connection& connection, std::uint64_t file_key) {
  DatasetWriter writer(&connection, Counters{.file_key = file_key});
  return writer.finish();
}

Result<DatasetWriter> DatasetWriter::begin(Connection& connection, std::uint64_t file_key,
                                           FieldList known) {
  EVQ_TRY_ASSIGN(const Counters counters, read_counters(connection, file_key));
  DatasetWriter writer(&connection, counters);
  FieldList& fields = writer.fields_;
  if (known.count == counters.field_count && known.sums == counters.field_sums) {
    fields = std::move(known);
    return writer;
  }
  EVQ_TRY_ASSIGN(fields.rows, read_fields(connection, counters));
  for (std::size_t i = 0; i < fields.rows.size(); ++i) {
    fields.ids.emplace(fields.rows[i].name, i);
  }
  return writer;
}

FieldList DatasetWriter::take_fields() && {
  fields_.count = counters_.field_count;
  fields_.sums = counters_.field_sums;
  return std::move(fields_);
}

Status DatasetWriter::load_blocks() {
  if (blocks_loaded_) {
    return {};
  }
  // What this transaction appended already is read back in its turn.
  EVQ_TRY_ASSIGN(blocks_, read_blocks(*connection_, counters_));
  blocks_loaded_ = true;
  return {};
}

void DatasetWriter::count_fresh(const BlockRow& row, int sign) {
  if (row.state == BlockState::kFresh) {
    counters_.fresh_count += sign > 0 ? 1 : std::uint64_t{0} - 1;
    counters_.fresh_rows += sign > 0 ? row.rows : std::uint64_t{0} - row.rows;
  }
}

const BlockRow* DatasetWriter::find_block(std::uint64_t id) const {
  const auto at = std::ranges::lower_bound(blocks_, id, {}, &BlockRow::id);
  return at != blocks_.end() && at->id == id ? &*at : nullptr;
}

std::uint64_t DatasetWriter::take_ordinals(std::uint64_t count) {
  return std::exchange(counters_.next_ordinal, counters_.next_ordinal + count);
}

std::int64_t DatasetWriter::sum_of(const BlockRow& row) const {
  return block_sum(counters_.file_key, row);
}

std::int64_t DatasetWriter::sum_of(std::size_t id, const FieldRow& row) const {
  return field_sum(counters_.file_key, id, row);
}

Status DatasetWriter::write_block_row(const BlockRow& row) {
  EVQ_TRY_ASSIGN(Statement insert, connection_->prepare(kInsertBlock));
  insert.bind(1, row.id)
      .bind(2, static_cast<std::int64_t>(row.state))
      .bind(3, row.dense ? 1 : 0)
      .bind(4, row.rows)
      .bind(5, row.first_ordinal)
      .bind(6, row.ordinal_end)
      .bind(7, row.min_time)
      .bind(8, row.max_time)
      .bind(9, row.min_sys_time)
      .bind(10, row.max_sys_time)
      .bind(11, row.stored_bytes)
      .bind(12, row.raw_bytes)
      .bind(13, row.segments)
      .bind(14, row.payload_sum)
      .bind(15, sum_of(row));
  return insert.run();
}

Status DatasetWriter::insert_block(const BlockRow& row) {
  EVQ_CHECK(blocks_.empty() || blocks_.back().id < row.id);
  EVQ_CHECK(row.segments < (1U << kSegmentIdBits));
  EVQ_TRY(write_block_row(row));
  blocks_.push_back(row);
  ++counters_.block_count;
  count_fresh(row, 1);
  counters_.block_sums ^= bits(sum_of(row));
  return {};
}

Status DatasetWriter::insert_blob(BlobTable table, Blob blob) {
  EVQ_TRY_ASSIGN(Statement insert, connection_->prepare(sql_of(table).insert));
  insert.bind(1, blob.id).bind_blob(2, blob.bytes);
  return insert.run();
}

Status DatasetWriter::set_state(std::uint64_t id, BlockState state) {
  const auto at = std::ranges::lower_bound(blocks_, id, {}, &BlockRow::id);
  EVQ_CHECK(at != blocks_.end() && at->id == id);
  counters_.block_sums ^= bits(sum_of(*at));
  count_fresh(*at, -1);
  at->state = state;
  count_fresh(*at, 1);
  counters_.block_sums ^= bits(sum_of(*at));
  return write_block_row(*at);
}

Status DatasetWriter::remove_block(std::uint64_t id) {
  const auto at = std::ranges::lower_bound(blocks_, id, {}, &BlockRow::id);
  EVQ_CHECK(at != blocks_.end() && at->id == id);
  counters_.block_sums ^= bits(sum_of(*at));
  --counters_.block_count;
  count_fresh(*at, -1);
  blocks_.erase(at);
  EVQ_TRY_ASSIGN(Statement row, connection_->prepare("DELETE FROM blocks WHERE id = ?1"));
  EVQ_TRY(row.bind(1, id).run());
  for (const BlobSql& sql : kBlobSql) {
    EVQ_TRY_ASSIGN(Statement remove, connection_->prepare(sql.remove));
    if (is_per_column(sql.table)) {
      remove.bind(1, segment_id(id, 0)).bind(2, segment_id(id + 1, 0) - 1);
    } else {
      remove.bind(1, id);
    }
    EVQ_TRY(remove.run());
  }
  return {};
}

Status DatasetWriter::write_field_row(std::size_t id, const FieldRow& row) {
  EVQ_TRY_ASSIGN(Statement insert, connection_->prepare(kInsertField));
  insert.bind(1, id)
      .bind_text(2, row.name)
      .bind(3, row.types)
      .bind(4, row.hidden ? 1 : 0)
      .bind_text(5, row.unit)
      .bind_text(6, row.description)
      .bind(7, sum_of(id, row));
  return insert.run();
}

Status DatasetWriter::note_field(std::string_view name, std::uint32_t types) {
  const auto known = fields_.ids.find(name);
  const bool added = known == fields_.ids.end();
  const std::size_t id = added ? fields_.rows.size() : known->second;
  if (added) {
    if (id >= kDatasetFieldsMax) {
      return make_error(ErrorCode::kLimit, "the dataset has " + std::to_string(kDatasetFieldsMax) +
                                               " fields already; '" + std::string(name) +
                                               "' would be one more");
    }
    fields_.ids.emplace(name, id);
    FieldRow field;
    field.name = name;
    field.types = types;
    fields_.rows.push_back(std::move(field));
    ++counters_.field_count;
  } else if ((fields_.rows[id].types | types) == fields_.rows[id].types) {
    return {};
  } else {
    counters_.field_sums ^= bits(sum_of(id, fields_.rows[id]));
    fields_.rows[id].types |= types;
  }
  counters_.field_sums ^= bits(sum_of(id, fields_.rows[id]));
  return write_field_row(id, fields_.rows[id]);
}

const FieldRow* DatasetWriter::find_field(std::string_view name) const {
  const auto found = fields_.ids.find(name);
  return found == fields_.ids.end() ? nullptr : &fields_.rows[found->second];
}

Result<bool> DatasetWriter::describe_field(const FieldRow& field) {
  const auto found = fields_.ids.find(field.name);
  if (found == fields_.ids.end()) {
    return false;
  }
  const std::size_t id = found->second;
  FieldRow* at = &fields_.rows[id];
  counters_.field_sums ^= bits(sum_of(id, *at));
  at->hidden = field.hidden;
  at->unit = field.unit;
  at->description = field.description;
  counters_.field_sums ^= bits(sum_of(id, *at));
  EVQ_TRY(write_field_row(id, *at));
  return true;
}

Status DatasetWriter::finish() {
  EVQ_TRY_ASSIGN(Statement write, connection_->prepare(kWriteCounters));
  write.bind(1, counters_.file_key)
      .bind(2, counters_.next_block)
      .bind(3, counters_.next_ordinal)
      .bind(4, counters_.block_count)
      .bind(5, counters_.block_sums)
      .bind(6, counters_.fresh_count)
      .bind(7, counters_.fresh_rows)
      .bind(8, counters_.field_count)
      .bind(9, counters_.field_sums)
      .bind(10, counters_sum(counters_));
  return write.run();
}

}  // namespace evq
