#include "store/compactor.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <unordered_map>
#include <utility>

#include "store/base/check.h"
#include "store/base/limits.h"
#include "store/block/block_reader.h"
#include "store/block/block_writer.h"
#include "store/segment_cache.h"
#include "store/stored_form.h"

namespace evq {

namespace {

// Fresh chunks of a dataset before the newest are merged: a query opens each of them.
constexpr std::uint64_t kFreshChunksMax = 64;
// A merge takes in an older chunk only when it is at most this many times what it has already, so
// that a row is rewritten a logarithmic number of times.
constexpr std::uint64_t kMergeRatioMax = 4;
// Decoded columns of a merge that are in memory at a time.
constexpr std::size_t kMergeBytesMax = 32 * kMebibyte;
// Integers up to this size survive the change to a double.
constexpr std::int64_t kExactRealMax = std::int64_t{1} << 53;

using Sources = std::span<const SnapshotBlock>;

// One field of the rows being merged.
struct MergedField {
  Field field;
  bool exact = true;  // false: widening would change a value
};

void widen_field(MergedField* merged, const ColumnHeader& column) {
  const Type before = merged->field.type;
  merged->field.type = common_type(before, column.type);
  if (column.type == Type::kLong && !column.least.is_null()) {
    const bool fits = column.least.as_integer() >= -kExactRealMax &&
                      column.greatest.as_integer() <= kExactRealMax;
    merged->exact = merged->exact && fits;
  }
}

// The fields of all sources. Nothing when merging them would change a value: integers that are
// not exact as doubles meeting reals.
std::optional<std::vector<Field>> merged_fields(std::span<StoredBlock> blocks) {
  std::vector<MergedField> fields;
  std::unordered_map<std::string, std::size_t> index;
  for (StoredBlock& block : blocks) {
    for (const ColumnHeader& column : block.reader().header().columns) {
      if (column.name == kOrdinalField) {
        continue;
      }
      const auto [at, added] = index.try_emplace(column.name, fields.size());
      if (added) {
        fields.push_back({{column.name, Type::kNull}, true});
      }
      widen_field(&fields[at->second], column);
    }
  }
  std::vector<Field> plain;
  for (MergedField& merged : fields) {
    if (merged.field.type == Type::kReal && !merged.exact) {
      return std::nullopt;
    }
    plain.push_back(std::move(merged.field));
  }
  return plain;
}

Result<Vector> merged_column(std::span<StoredBlock> blocks, const Field& field) {
  std::vector<Vector> parts;
  for (StoredBlock& block : blocks) {
    const std::optional<std::size_t> at = block.reader().find(field.name);
    if (!at) {
      parts.push_back(Vector::constant(Value::null(field.type), block.rows()));
      continue;
    }
    Result<Vector> part = block.reader().read(*at, Selection::all());
    if (!part.ok()) {
      return block.located(std::move(part).take_error());
    }
    block.reader().release(*at);
    parts.push_back(part->type() == field.type ? std::move(*part) : part->widen(field.type));
  }
  return concatenate(parts);
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
// the sources' ranges overlap.
std::vector<std::uint32_t> row_order(const Vector& times, const Vector& ordinals) {
  std::vector<std::uint32_t> order(times.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const auto time_a = times.at<std::int64_t>(a);
    const auto time_b = times.at<std::int64_t>(b);
    return time_a != time_b ? time_a < time_b
                            : ordinals.at<std::int64_t>(a) < ordinals.at<std::int64_t>(b);
  });
  return order;
}

// The merged columns in their new order, some at a time: thousands of columns of a whole block's
// rows would not fit into memory.
Result<std::vector<EncodedColumn>> merged_columns(std::span<StoredBlock> blocks,
                                                  const std::vector<Field>& fields,
                                                  const std::vector<std::uint32_t>& order,
                                                  Effort effort, ThreadPool* pool) {
  std::vector<EncodedColumn> merged;
  for (std::size_t next = 0; next < fields.size();) {
    Table some;
    std::vector<Field> names;
    for (std::size_t bytes = 0; next < fields.size() && bytes < kMergeBytesMax; ++next) {
      EVQ_TRY_ASSIGN(Vector column, merged_column(blocks, fields[next]));
      bytes += column.size_bytes();
      some.rows = column.size();
      some.columns.push_back(std::move(column));
      names.push_back(fields[next]);
    }
    some.schema = Schema(std::move(names));
    EVQ_TRY_ASSIGN(std::vector<EncodedColumn> columns,
                   encode_columns(std::move(some), order, effort, pool));
    std::ranges::move(columns, std::back_inserter(merged));
  }
  return merged;
}

struct MergePlan {
  Effort effort = Effort::kIngest;
  bool stay_fresh = false;
};

// The sources' rows as one block; nothing when they cannot be merged without loss.
Result<std::optional<StoredForm>> merge(std::span<StoredBlock> blocks, Sources sources,
                                        const MergePlan& plan, ThreadPool* pool) {
  std::optional<std::vector<Field>> fields = merged_fields(blocks);
  if (!fields) {
    return std::optional<StoredForm>();
  }
  const auto time = std::ranges::find(*fields, kTimeField, &Field::name);
  if (time == fields->end()) {
    return make_error(ErrorCode::kCorrupt, "a block has no column _time");
  }
  EVQ_TRY_ASSIGN(const Vector ordinals, merged_ordinals(blocks));
  EVQ_TRY_ASSIGN(const Vector times, merged_column(blocks, *time));
  std::vector<std::uint32_t> order = row_order(times, ordinals);
  const bool sorted = std::ranges::is_sorted(order);
  const bool dense = stays_dense(sources, sorted);
  if (sorted) {
    order.clear();
  }
  EVQ_TRY_ASSIGN(std::vector<EncodedColumn> columns,
                 merged_columns(blocks, *fields, order, plan.effort, pool));
  if (!dense) {
    EVQ_TRY_ASSIGN(EncodedColumn column,
                   encode_column({std::string(kOrdinalField), Type::kLong},
                                 sorted ? ordinals : ordinals.gather(order), plan.effort));
    columns.push_back(std::move(column));
  }
  EVQ_TRY_ASSIGN(EncodedBlock block, assemble_block(ordinals.size(), std::move(columns)));
  std::uint64_t raw_bytes = 0;
  for (const SnapshotBlock& source : sources) {
    raw_bytes += source.raw_bytes;
  }
  StoredForm form =
      plan.stay_fresh ? make_fresh(block, raw_bytes) : make_sealed(std::move(block), raw_bytes);
  std::erase_if(form.fields, [](const auto& field) { return field.first == kOrdinalField; });
  form.keeps_ordinals = true;
  form.row.dense = dense;
  form.row.first_ordinal = sources.front().first_ordinal;
  const auto* values = ordinals.values().data<std::int64_t>();
  form.row.ordinal_end =
      static_cast<std::uint64_t>(*std::max_element(values, values + ordinals.size())) + 1;
  return std::optional<StoredForm>(std::move(form));
}

// Swaps the sources for the merged block, if they are all still what they were.
Status replace(Dataset& dataset, Sources sources, const StoredForm& form) {
  WriteJob job;
  job.bytes_needed = form.size_bytes() + 1;
  job.apply = [&](DatasetWriter& writer) -> Status {
    EVQ_TRY(writer.load_blocks());
    for (const SnapshotBlock& source : sources) {
      const BlockRow* row = writer.find_block(source.id);
      const BlockState expected = source.fresh ? BlockState::kFresh : BlockState::kStored;
      if (row == nullptr || row->state != expected) {
        return {};  // someone else merged or deleted it first
      }
    }
    for (const SnapshotBlock& source : sources) {
      EVQ_TRY(writer.remove_block(source.id));
    }
    return insert_form(writer, form);
  };
  return dataset.write(job);
}

Status merge_sources(const std::shared_ptr<Dataset>& dataset, const Snapshot& snapshot,
                     Sources sources, const MergePlan& plan, ThreadPool* pool) {
  std::vector<StoredBlock> blocks;
  for (const SnapshotBlock& source : sources) {
    EVQ_TRY_ASSIGN(StoredBlock block, snapshot.open(source));
    blocks.push_back(std::move(block));
  }
  EVQ_TRY_ASSIGN(std::optional<StoredForm> form, merge(blocks, sources, plan, pool));
  if (!form && sources.size() > 1) {
    // Types that do not mix: each source by itself is a block at least.
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].fresh && !plan.stay_fresh) {
        EVQ_TRY(merge_sources(dataset, snapshot, sources.subspan(i, 1), plan, pool));
      }
    }
    return {};
  }
  return form ? replace(*dataset, sources, *form) : Status();
}

// Neighbouring runs of `blocks` that `wanted` takes, each of at most `rows_max` rows.
template <class Wanted>
std::vector<Sources> runs_of(Sources blocks, std::uint64_t rows_max, Wanted wanted) {
  std::vector<Sources> runs;
  std::size_t begin = 0;
  while (begin < blocks.size()) {
    std::size_t end = begin;
    std::uint64_t rows = 0;
    while (end < blocks.size() && wanted(blocks[end]) && rows + blocks[end].rows <= rows_max) {
      rows += blocks[end++].rows;
    }
    if (end > begin) {
      runs.push_back(blocks.subspan(begin, end - begin));
    }
    begin = std::max(end, begin + 1);
  }
  return runs;
}

Status merge_runs(const std::shared_ptr<Dataset>& dataset, const Snapshot& snapshot,
                  const std::vector<Sources>& runs, const MergePlan& plan,
                  const CompactOptions& options, QueryControl& control) {
  for (const Sources run : runs) {
    EVQ_TRY(control.check());
    EVQ_TRY(merge_sources(dataset, snapshot, run, plan, options.pool));
  }
  return {};
}

// The newest fresh chunks worth merging into one.
Sources newest_small(Sources blocks) {
  std::size_t begin = blocks.size();
  std::uint64_t rows = 0;
  while (begin > 0 && blocks[begin - 1].fresh &&
         (rows == 0 || blocks[begin - 1].rows <= kMergeRatioMax * rows) &&
         rows + blocks[begin - 1].rows <= kBlockRowsMax) {
    rows += blocks[--begin].rows;
  }
  return blocks.subspan(begin);
}

}  // namespace

Status tidy_fresh(const std::shared_ptr<Dataset>& dataset, const CompactOptions& options,
                  QueryControl& control) {
  EVQ_TRY_ASSIGN(const Snapshot snapshot, take_snapshot(dataset, options.cache));
  std::uint64_t fresh_rows = 0;
  std::uint64_t fresh_chunks = 0;
  for (const SnapshotBlock& block : snapshot.blocks()) {
    fresh_rows += block.fresh ? block.rows : 0;
    fresh_chunks += block.fresh ? 1 : 0;
  }
  if (fresh_rows >= options.block_rows) {
    const auto runs = runs_of(snapshot.blocks(), options.block_rows,
                              [](const SnapshotBlock& block) { return block.fresh; });
    return merge_runs(dataset, snapshot, runs, MergePlan{}, options, control);
  }
  if (fresh_chunks >= kFreshChunksMax) {
    const Sources sources = newest_small(snapshot.blocks());
    if (sources.size() > 1) {
      return merge_sources(dataset, snapshot, sources, {Effort::kIngest, true}, options.pool);
    }
  }
  return {};
}

Status compact(const std::shared_ptr<Dataset>& dataset, const CompactOptions& options,
               QueryControl& control) {
  EVQ_TRY_ASSIGN(const Snapshot snapshot, take_snapshot(dataset, options.cache));
  auto runs = runs_of(snapshot.blocks(), options.block_rows, [&](const SnapshotBlock& block) {
    return block.fresh || block.rows <= options.block_rows / 2;
  });
  std::erase_if(runs, [](Sources run) { return run.size() == 1 && !run.front().fresh; });
  return merge_runs(dataset, snapshot, runs, {Effort::kCompact, false}, options, control);
}

Result<std::uint64_t> reap(Dataset& dataset) {
  std::uint64_t reaped = 0;
  WriteJob job;
  job.apply = [&](DatasetWriter& writer) -> Status {
    reaped = 0;
    EVQ_TRY(writer.load_blocks());
    std::vector<std::uint64_t> queued;
    for (const BlockRow& row : writer.blocks()) {
      if (row.state == BlockState::kQueued) {
        queued.push_back(row.id);
      }
    }
    for (const std::uint64_t id : queued) {
      EVQ_TRY(writer.remove_block(id));
      ++reaped;
    }
    return {};
  };
  EVQ_TRY(dataset.write(job));
  return reaped;
}

}  // namespace evq
