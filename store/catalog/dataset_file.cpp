#include "store/catalog/dataset_file.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "store/base/check.h"
#include "store/base/limits.h"
#include "store/catalog/row_sum.h"
#include "store/column/dynamic_kinds.h"

namespace evq {

namespace {

// The columns of each table, once: `visit` is called with the name and the member of each, in the
// order in which they are summed, which never changes. Before them come those that kLeading names,
// which are no members of the row; behind them comes the row's sum.
struct BlockColumns {
  using Row = BlockRow;
  static constexpr std::string_view kTable = "blocks";
  static constexpr std::string_view kLeading = "";
  static constexpr int kLeadingCount = 0;

  template <class AnyRow, class Visit>
  static void each(AnyRow& row, const Visit& visit) {
    visit("id", row.id);
    visit("state", row.state);
    visit("dense", row.dense);
    visit("rows", row.rows);
    visit("first_ordinal", row.first_ordinal);
    visit("ordinal_end", row.ordinal_end);
    visit("min_time", row.min_time);
    visit("max_time", row.max_time);
    visit("min_sys_time", row.min_sys_time);
    visit("max_sys_time", row.max_sys_time);
    visit("stored_bytes", row.stored_bytes);
    visit("raw_bytes", row.raw_bytes);
    visit("segments", row.segments);
    visit("payload_sum", row.payload_sum);
  }
};

struct FieldColumns {
  using Row = FieldRow;
  static constexpr std::string_view kTable = "fields";
  static constexpr std::string_view kLeading = "id, ";  // the place in the list
  static constexpr int kLeadingCount = 1;

  template <class AnyRow, class Visit>
  static void each(AnyRow& row, const Visit& visit) {
    visit("name", row.name);
    visit("types", row.types);
    visit("hidden", row.hidden);
    visit("unit", row.unit);
    visit("description", row.description);
  }
};

struct CounterColumns {
  using Row = Counters;
  static constexpr std::string_view kTable = "counters";
  static constexpr std::string_view kLeading = "id, file_key, ";  // kCountersId, the sum's seed
  static constexpr int kLeadingCount = 2;

  template <class AnyRow, class Visit>
  static void each(AnyRow& row, const Visit& visit) {
    visit("next_block", row.next_block);
    visit("next_ordinal", row.next_ordinal);
    visit("block_count", row.block_count);
    visit("block_sums", row.block_sums);
    visit("fresh_count", row.fresh_count);
    visit("fresh_rows", row.fresh_rows);
    visit("field_count", row.field_count);
    visit("field_sums", row.field_sums);
  }
};

constexpr int kCountersId = 1;  // of the only row

template <class Columns>
std::string names_of() {
  std::string names(Columns::kLeading);
  const typename Columns::Row row;
  Columns::each(row, [&names](std::string_view name, const auto& /*value*/) {
    names += name;
    names += ", ";
  });
  return names + "sum";
}

// All rows by their ids.
template <class Columns>
const std::string& select_sql() {
  static const std::string kSql =
      "SELECT " + names_of<Columns>() + " FROM " + std::string(Columns::kTable) + " ORDER BY id";
  return kSql;
}

template <class Columns>
const std::string& insert_sql() {
  static const std::string kSql = [] {
    const std::string names = names_of<Columns>();
    std::string sql = "INSERT OR REPLACE INTO " + std::string(Columns::kTable);
    sql += "(" + names + ") VALUES(?1";
    const auto commas = std::ranges::count(names, ',');
    for (std::ptrdiff_t number = 2; number <= commas + 1; ++number) {
      sql += ", ?" + std::to_string(number);
    }
    return sql + ")";
  }();
  return kSql;
}

// The members from the statement's current row; the row's sum.
template <class Columns>
std::int64_t read_columns(const Statement& row, typename Columns::Row* out) {
  int column = Columns::kLeadingCount;
  Columns::each(*out, [&](std::string_view /*name*/, auto& value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::string>) {
      value = row.text(column++);
    } else {
      value = static_cast<Value>(row.integer(column++));
    }
  });
  return row.integer(column);
}

template <class Columns>
void bind_columns(const typename Columns::Row& row, std::int64_t sum, Statement* insert) {
  int number = Columns::kLeadingCount;
  Columns::each(row, [&](std::string_view /*name*/, const auto& value) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, std::string>) {
      insert->bind_text(++number, value);
    } else {
      insert->bind(++number, static_cast<std::int64_t>(value));
    }
  });
  insert->bind(++number, sum);
}

template <class Columns>
std::int64_t sum_columns(RowSum sum, const typename Columns::Row& row) {
  Columns::each(row, [&sum](std::string_view /*name*/, const auto& value) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, std::string>) {
      sum.add_text(value);
    } else {
      sum.add(static_cast<std::int64_t>(value));
    }
  });
  return sum.value();
}

std::int64_t block_sum(std::uint64_t file_key, const BlockRow& row) {
  return sum_columns<BlockColumns>(RowSum(file_key, BlockColumns::kTable), row);
}

std::int64_t field_sum(std::uint64_t file_key, std::size_t id, const FieldRow& row) {
  RowSum sum(file_key, FieldColumns::kTable);
  sum.add(std::uint64_t{id});
  return sum_columns<FieldColumns>(std::move(sum), row);
}

std::int64_t counters_sum(const Counters& row) {
  return sum_columns<CounterColumns>(RowSum(row.file_key, CounterColumns::kTable), row);
}

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

Error corrupt(const Connection& connection, const std::string& what) {
  return make_error(ErrorCode::kCorrupt, connection.path() + ": " + what,
                    "run 'evq check' to see what is damaged");
}

std::uint64_t bits(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
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
  EVQ_TRY_ASSIGN(Statement row, connection.prepare(select_sql<CounterColumns>()));
  EVQ_TRY_ASSIGN(const bool found, row.step());
  if (!found || row.integer(0) != kCountersId) {
    return corrupt(connection, "the counters are missing");
  }
  Counters counters;
  counters.file_key = bits(row.integer(1));
  if (read_columns<CounterColumns>(row, &counters) != counters_sum(counters)) {
    return corrupt(connection, "the counters fail their checksum");
  }
  if (file_key != 0 && counters.file_key != file_key) {
    return corrupt(connection, "the file belongs to another dataset or store");
  }
  return counters;
}

Result<std::vector<BlockRow>> read_blocks(Connection& connection, const Counters& counters,
                                          RowProblems* problems) {
  EVQ_TRY_ASSIGN(Statement row, connection.prepare(select_sql<BlockColumns>()));
  std::vector<BlockRow> blocks;
  std::uint64_t last_id = 0;
  std::uint64_t count = 0;
  std::uint64_t sums = 0;
  const auto add = [&]() -> Status {
    BlockRow block;
    const std::int64_t sum = read_columns<BlockColumns>(row, &block);
    ++count;
    sums ^= bits(sum);
    const bool sane = sum == block_sum(counters.file_key, block) && block.rows != 0 &&
                      block.rows <= kBlockRowsMax && block.id > last_id &&
                      block.id < counters.next_block && block.first_ordinal < block.ordinal_end &&
                      block.ordinal_end <= counters.next_ordinal &&
                      block.state <= BlockState::kFresh;
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
  EVQ_TRY_ASSIGN(Statement row, connection.prepare(select_sql<FieldColumns>()));
  std::vector<FieldRow> fields;
  std::uint64_t count = 0;
  std::uint64_t sums = 0;
  const auto add = [&]() -> Status {
    FieldRow field;
    const std::int64_t sum = read_columns<FieldColumns>(row, &field);
    const auto id = static_cast<std::size_t>(row.integer(0));
    sums ^= bits(sum);
    ++count;
    if (sum == field_sum(counters.file_key, id, field)) {
      fields.push_back(std::move(field));
      return {};
    }
    return report(connection, problems,
                  "field " + std::to_string(id) + ": its row fails its checksum");
  };
  EVQ_TRY(row.each(add));
  if (count != counters.field_count || sums != counters.field_sums) {
    EVQ_TRY(report(connection, problems, "the list of fields is not the one that was committed"));
  }
  return fields;
}

BlobReader blobs_of(Connection& connection, BlobTable table) {
  return {connection, sql_of(table).name};
}

Status each_blob_id(Connection& connection, BlobTable table,
                    const std::function<Status(std::uint64_t id)>& take) {
  EVQ_TRY_ASSIGN(Statement row, connection.prepare(sql_of(table).ids));
  return row.each([&] { return take(bits(row.integer(0))); });
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
  EVQ_TRY_ASSIGN(Statement insert, connection_->prepare(insert_sql<BlockColumns>()));
  bind_columns<BlockColumns>(row, sum_of(row), &insert);
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
  EVQ_TRY_ASSIGN(Statement insert, connection_->prepare(insert_sql<FieldColumns>()));
  insert.bind(1, id);
  bind_columns<FieldColumns>(row, sum_of(id, row), &insert);
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
  EVQ_TRY_ASSIGN(Statement write, connection_->prepare(insert_sql<CounterColumns>()));
  write.bind(1, kCountersId).bind(2, counters_.file_key);
  bind_columns<CounterColumns>(counters_, counters_sum(counters_), &write);
  return write.run();
}

}  // namespace evq
