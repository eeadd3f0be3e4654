#include "store/block_merge.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "store/base/limits.h"
#include "store/base/seeded_text_hash.h"
#include "store/block/block_reader.h"
#include "store/block/join_columns.h"
#include "store/column/dynamic_kinds.h"
#include "store/column/row_runs.h"

namespace evq {

namespace {

// Decoded columns of a merge that are in memory at a time.
constexpr std::size_t kMergeBytesMax = 8 * kMebibyte;
// Rows for each distinct string of a column that stays a dictionary.
constexpr std::size_t kRepeatsMin = 8;

// One field of the rows being merged, and where they have it.
struct MergedField {
  struct Place {
    std::uint32_t source;  // ascending
    std::uint32_t column;  // of that source's block
  };
  Field field;
  bool wide_longs = false;
  std::vector<Place> places;
};

// The fields of all sources. Longs that are not exact as doubles and reals become dynamic, as they
// do within one batch; `kinds` says so of them, for files that do not yet.
std::vector<MergedField> merged_fields(std::span<StoredBlock> blocks, FieldKinds* kinds) {
  std::vector<MergedField> fields;
  std::unordered_map<std::string_view, std::size_t, SeededTextHash> index;
  for (std::uint32_t source = 0; source < blocks.size(); ++source) {
    const std::vector<ColumnHeader>& columns = blocks[source].reader().header().columns;
    for (std::uint32_t i = 0; i < columns.size(); ++i) {
      const ColumnHeader& column = columns[i];
      if (column.name == kOrdinalField) {
        continue;
      }
      const auto [at, added] = index.try_emplace(column.name, fields.size());
      if (added) {
        fields.push_back({{column.name, Type::kNull}, false, {}});
      }
      MergedField& merged = fields[at->second];
      merged.field.type = common_type(merged.field.type, column.type);
      merged.wide_longs = merged.wide_longs || has_wide_longs(column);
      merged.places.push_back({source, i});
    }
  }
  for (auto& [field, wide_longs, places] : fields) {
    if (field.type == Type::kReal && wide_longs) {
      field.type = Type::kDynamic;
      kinds->emplace(field.name, type_bit(Type::kLong) | type_bit(Type::kReal) | kWideLongs);
    }
  }
  return fields;
}

// From memory where it is there. What is read is not kept: nobody will ask for it again.
Result<Vector> whole_column(StoredBlock& block, std::size_t at) {
  if (std::optional<Vector> known = block.reader().source().decoded(at)) {
    return std::move(*known);
  }
  Result<Vector> column = block.reader().read(at, Selection::all());
  if (!column.ok()) {
    return block.located(std::move(column).take_error());
  }
  block.reader().release(at);
  return column;
}

// All rows, or those of `runs` when there are any. A dictionary of strings stays one where an
// encoder would keep it whatever its entries cost.
Result<Vector> merged_column(std::span<StoredBlock> blocks, const MergedField& merged,
                             std::span<const RowRun> runs) {
  const Type type = merged.field.type;
  std::vector<Vector> parts;
  std::size_t values = 0;
  auto place = merged.places.begin();
  for (std::size_t source = 0; source < blocks.size(); ++source) {
    StoredBlock& block = blocks[source];
    if (place == merged.places.end() || place->source != source) {
      parts.push_back(Vector::constant(Value::null(type), block.rows()));
      continue;
    }
    EVQ_TRY_ASSIGN(Vector part, whole_column(block, place->column));
    parts.push_back(part.type() == type ? std::move(part) : part.widen(type));
    values += block.rows() - block.reader().header().columns[place->column].nulls;
    ++place;
  }
  return join_columns(parts, values / kRepeatsMin, runs);
}

// Row numbers tell the ordinals when the sources follow each other without gaps and time order is
// arrival order.
bool stays_dense(Sources sources, bool sorted) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const bool follows =
        i == 0 || sources[i].first_ordinal == sources[i - 1].first_ordinal + sources[i - 1].rows;
    if (!sources[i].ordinals_dense || !follows) {
      return false;
    }
  }
  return sorted;
}

Result<Vector> merged_ordinals(std::span<StoredBlock> blocks) {
  std::vector<Vector> parts;
  for (StoredBlock& block : blocks) {
    EVQ_TRY_ASSIGN(Vector part, block.ordinals());
    parts.push_back(std::move(part));
  }
  return concatenate(parts);
}

// Ascending by time, then by ordinal; ordinals within a time need not ascend in source order when
// the sources' ranges overlap. Empty when the rows are in that order already.
std::vector<std::uint32_t> row_order(const Vector& times, const Vector& ordinals) {
  const Vector flat_ordinals = ordinals.flatten();
  const auto* numbers = flat_ordinals.values().data<std::int64_t>();
  if (std::is_sorted(numbers, numbers + flat_ordinals.size())) {
    return time_order(times);
  }
  struct Key {
    std::int64_t time;
    std::int64_t ordinal;
    std::uint32_t row;
    bool operator<(const Key& other) const {
      return time != other.time ? time < other.time : ordinal < other.ordinal;
    }
  };
  const Vector flat_times = times.flatten();
  std::vector<Key> keys(times.size());
  for (std::uint32_t row = 0; row < keys.size(); ++row) {
    keys[row] = {flat_times.values().data<std::int64_t>()[row], numbers[row], row};
  }
  if (std::ranges::is_sorted(keys, std::less<>())) {
    return {};
  }
  std::ranges::sort(keys, std::less<>());
  std::vector<std::uint32_t> order(keys.size());
  std::ranges::transform(keys, order.begin(), &Key::row);
  return order;
}

// Where the rows of a merge come from: empty when they are in their order already.
struct MergedOrder {
  std::vector<std::uint32_t> rows;
  std::vector<RowRun> runs;  // the same, when the runs are long
};

MergedOrder merged_order(std::vector<std::uint32_t> rows, Sources sources) {
  std::vector<std::size_t> sizes;
  std::ranges::transform(sources, std::back_inserter(sizes), &SnapshotBlock::rows);
  std::vector<RowRun> runs = long_runs(rows, sizes);
  return {std::move(rows), std::move(runs)};
}

// The merged columns in their new order, some at a time: thousands of columns of a whole block's
// rows would not fit into memory.
Result<std::vector<EncodedColumn>> merged_columns(std::span<StoredBlock> blocks,
                                                  const std::vector<MergedField>& fields,
                                                  const MergedOrder& order, const Vector& times,
                                                  Effort effort, const MergeMeans& means) {
  const std::vector<std::uint32_t> as_joined;
  std::vector<EncodedColumn> merged;
  for (std::size_t next = 0; next < fields.size();) {
    Table some;
    std::vector<Field> names;
    for (std::size_t bytes = 0; next < fields.size() && bytes < kMergeBytesMax; ++next) {
      EVQ_TRY(means.control.check());
      EVQ_TRY_ASSIGN(Vector column, merged_column(blocks, fields[next], order.runs));
      bytes += column.size_bytes();
      some.rows = column.size();
      some.columns.push_back(std::move(column));
      names.push_back(fields[next].field);
    }
    some.schema = Schema(std::move(names));
    EVQ_TRY_ASSIGN(std::vector<EncodedColumn> columns,
                   encode_columns(std::move(some), order.runs.empty() ? order.rows : as_joined,
                                  effort, means.pool, &times));
    std::ranges::move(columns, std::back_inserter(merged));
  }
  return merged;
}

}  // namespace

Result<StoredForm> merge_blocks(std::span<StoredBlock> blocks, const MergePlan& plan,
                                const MergeMeans& means) {
  std::vector<SnapshotBlock> sources;
  std::ranges::transform(blocks, std::back_inserter(sources), &StoredBlock::info);
  FieldKinds kinds;
  const std::vector<MergedField> fields = merged_fields(blocks, &kinds);
  const auto time = std::ranges::find(
      fields, kTimeField,
      [](const MergedField& merged) -> const auto& { return merged.field.name; });
  if (time == fields.end()) {
    return make_error(ErrorCode::kCorrupt, "a block has no column _time");
  }
  EVQ_TRY_ASSIGN(const Vector ordinals, merged_ordinals(blocks));
  EVQ_TRY_ASSIGN(Vector times, merged_column(blocks, *time, {}));
  const MergedOrder order = merged_order(row_order(times, ordinals), sources);
  const bool sorted = order.rows.empty();
  const bool dense = stays_dense(sources, sorted);
  if (!sorted) {
    times = times.gather(order.rows);
  }
  EVQ_TRY_ASSIGN(std::vector<EncodedColumn> columns,
                 merged_columns(blocks, fields, order, times, plan.effort, means));
  if (!dense) {
    EVQ_TRY_ASSIGN(EncodedColumn column,
                   encode_column({std::string(kOrdinalField), Type::kLong},
                                 sorted ? ordinals : ordinals.gather(order.rows), plan.effort));
    columns.push_back(std::move(column));
  }
  EVQ_TRY_ASSIGN(EncodedBlock block, assemble_block(ordinals.size(), std::move(columns)));
  std::uint64_t raw_bytes = 0;
  for (const SnapshotBlock& source : sources) {
    raw_bytes += source.raw_bytes;
  }
  StoredForm form =
      plan.stay_fresh ? make_fresh(block, raw_bytes) : make_sealed(std::move(block), raw_bytes);
  note_kinds(kinds, &form);
  std::erase_if(form.fields, [](const auto& field) { return field.first == kOrdinalField; });
  form.keeps_ordinals = true;
  form.row.dense = dense;
  form.row.first_ordinal = sources.front().first_ordinal;
  const auto* values = ordinals.values().data<std::int64_t>();
  form.row.ordinal_end =
      static_cast<std::uint64_t>(*std::max_element(values, values + ordinals.size())) + 1;
  return form;
}

Result<std::optional<DamagedBlock>> find_damage(std::span<StoredBlock> blocks,
                                                const QueryControl& control) {
  for (std::size_t at = 0; at < blocks.size(); ++at) {
    const std::size_t columns = blocks[at].reader().header().columns.size();
    for (std::size_t column = 0; column < columns; ++column) {
      EVQ_TRY(control.check());
      const Result<Vector> values = whole_column(blocks[at], column);
      if (!values.ok() && values.error().code != ErrorCode::kCorrupt) {
        return values.error();
      }
      if (!values.ok()) {
        return std::optional(DamagedBlock{at, values.error()});
      }
    }
  }
  return std::optional<DamagedBlock>();
}

}  // namespace evq
