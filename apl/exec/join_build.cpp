// Building the right side of a join: all of its rows, whose keys are numbered, or the rows that
// have a key of the left side.

#include "apl/exec/join_build.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "apl/exec/collect_sink.h"
#include "apl/exec/eval.h"
#include "apl/functions/canonical.h"
#include "apl/plan/join_kinds.h"
#include "store/base/allocation_meter.h"

namespace evq {
namespace {

// Of a row of the right side in the lists below: its group while they are made, its place among the
// rows of that, and whether it was matched.
constexpr std::size_t kBuildRowBytes = 2 * sizeof(std::uint32_t) + sizeof(std::uint8_t);
// Of a key: where its rows begin.
constexpr std::size_t kBuildKeyBytes = sizeof(std::uint32_t);
// Where keys repeat more often, those to come are probably there already.
constexpr std::size_t kRowsPerReservedKeyMax = 2;
constexpr std::size_t kReservedGrowthMax = 8;

// A null or NaN, which equals nothing, itself included.
bool equals_nothing(const Vector& key, std::size_t row) {
  if (key.is_null(row)) {
    return true;
  }
  if (key.type() == Type::kReal) {
    return std::isnan(key.at<double>(row));
  }
  if (key.type() != Type::kDynamic) {
    return false;
  }
  const DynamicView value(key.at<std::string_view>(row));
  return value.tag() == DynamicTag::kReal && std::isnan(value.as_real());
}

// The texts of rows that the side keeps need no copy; those of dynamics may be of values that were
// made for the table alone.
void make_table(const Executor& executor, const plan::Join& join, const Schema& right,
                bool keeps_rows, BuildSide* side) {
  std::vector<Type> key_types;
  for (const std::size_t key : join.right_keys) {
    key_types.push_back(right[key].type);
  }
  const bool stay = keeps_rows && std::ranges::find(key_types, Type::kDynamic) == key_types.end();
  const KeyTexts texts = stay ? KeyTexts::kStay : KeyTexts::kCopied;
  side->table =
      std::make_unique<GroupTable>(std::move(key_types), executor.context().random_seed, texts);
}

bool may_equal_nothing(const Vector& key) {
  return key.may_have_nulls() || key.type() == Type::kReal || key.type() == Type::kDynamic;
}

// Makes room in a table for the keys of all rows, if as many of them are new as of those `seen`;
// for a few times those that it has at most, since later rows may repeat them.
void reserve_groups(std::size_t rows, std::size_t seen, GroupTable* table) {
  if (table->size() * kRowsPerReservedKeyMax >= seen) {
    const double share = static_cast<double>(table->size()) / static_cast<double>(seen);
    table->reserve(std::min(static_cast<std::size_t>(share * static_cast<double>(rows)),
                            table->size() * kReservedGrowthMax));
  }
}

// The group of every row of one side, none for rows that match nothing. They are the caller's to
// charge.
Status number_keys(Executor& executor, const plan::Join& join,
                   const std::vector<std::size_t>& positions, std::span<const Chunk> chunks,
                   BuildSide* side, LargeVector<std::uint32_t>* groups) {
  std::size_t table_bytes = 0;
  std::size_t begin = 0;
  groups->resize(count_rows(chunks));
  for (const Chunk& chunk : chunks) {
    EVQ_TRY(executor.check());
    const std::vector<Vector> keys = key_columns(chunk.columns(), positions);
    AllocationMeter meter = executor.meter("join");
    EVQ_TRY(meter.guard([&] {
      if (begin > 0) {
        reserve_groups(groups->size(), begin, side->table.get());
      }
      side->table->assign(keys, chunk.rows(), 0, groups->data() + begin);
    }));
    forget_null_keys(join, keys, chunk.rows(), groups->data() + begin);
    begin += chunk.rows();
    const std::size_t grown = side->table->size_bytes();
    EVQ_TRY(side->lists_lease.grow(grown - std::min(grown, table_bytes)));
    table_bytes = std::max(grown, table_bytes);
  }
  return Status::success();
}

// The rows of a chunk whose keys are in a table, and the groups of each.
struct MatchedRows {
  Chunk rows;
  std::vector<std::uint32_t> groups;

  std::uint64_t sequence() const { return rows.sequence(); }
  std::size_t size_bytes() const {
    return rows.size_bytes() + groups.capacity() * sizeof(std::uint32_t);
  }
};

class MatchSink final : public Sink {
 public:
  MatchSink(const BuildSpec& spec, const GroupTable& table)
      : spec_(spec), table_(table), lease_(spec.executor.options().budget, "join") {}

  Result<Flow> push(Chunk chunk) override {
    EVQ_TRY(spec_.executor.check());
    MatchedRows matched;
    AllocationMeter meter = spec_.executor.meter("join");
    EVQ_TRY(spec_.overflow.note(meter.guard([&] { matched = match(std::move(chunk)); })));
    if (!matched.groups.empty()) {
      const std::size_t bytes = matched.size_bytes();
      EVQ_TRY(spec_.overflow.note(lease_.grow(bytes)));
      spec_.overflow.add_held(bytes);
      matched_.push_back(std::move(matched));
    }
    return Flow::kMore;
  }
  std::vector<MatchedRows>& chunks() { return matched_; }
  MemoryLease& lease() { return lease_; }

 private:
  MatchedRows match(Chunk chunk) const {
    const std::vector<Vector> keys = key_columns(chunk.columns(), spec_.join.right_keys);
    MatchedRows matched;
    matched.groups.resize(chunk.rows());
    table_.find(keys, chunk.rows(), matched.groups.data());
    forget_null_keys(spec_.join, keys, chunk.rows(), matched.groups.data());
    RowList rows;
    for (std::size_t i = 0; i < chunk.rows(); ++i) {
      if (matched.groups[i] != GroupTable::kNoGroup) {
        rows.push_back(static_cast<std::uint32_t>(i));
      }
    }
    if (rows.size() != chunk.rows()) {
      std::erase(matched.groups, GroupTable::kNoGroup);
      matched.groups.shrink_to_fit();
      chunk.select(rows);
    }
    chunk.detach();
    matched.rows = std::move(chunk);
    return matched;
  }

  const BuildSpec& spec_;
  const GroupTable& table_;
  MemoryLease lease_;
  std::vector<MatchedRows> matched_;
};

// What there is of the right side, and the group of each row.
struct NumberedRows {
  Collected rows;
  LargeVector<std::uint32_t> groups;
};

class MatchConsumer final : public Consumer {
 public:
  MatchConsumer(const BuildSpec& spec, BuildSide& side) : spec_(spec), side_(side) {}

  Result<std::unique_ptr<Sink>> make_sink() override {
    return std::unique_ptr<Sink>(std::make_unique<MatchSink>(spec_, *side_.table));
  }
  Status complete(std::vector<std::unique_ptr<Sink>> sinks) override {
    made_.rows.lease = MemoryLease(spec_.executor.options().budget, "join");
    std::vector<MatchedRows> all = gather_in_order<MatchSink>(sinks, &made_.rows.lease);
    const std::size_t rows = std::accumulate(
        all.begin(), all.end(), std::size_t{0},
        [](std::size_t count, const MatchedRows& one) { return count + one.groups.size(); });
    EVQ_TRY(spec_.overflow.note(side_.lists_lease.grow(rows * kBuildRowBytes)));
    made_.groups.reserve(rows);
    for (MatchedRows& one : all) {
      made_.groups.insert(made_.groups.end(), one.groups.begin(), one.groups.end());
      made_.rows.chunks.push_back(std::move(one.rows));
    }
    return Status::success();
  }
  NumberedRows take() { return std::move(made_); }

 private:
  const BuildSpec& spec_;
  BuildSide& side_;
  NumberedRows made_;
};

// All rows of the right side that are of these shares: their keys are those of the table.
Result<NumberedRows> number_right(const BuildSpec& spec, BuildSide* side) {
  const std::vector<std::size_t>& positions = spec.join.right_keys;
  ChunkMap keep;
  if (!spec.shares.all()) {
    keep = [&](Chunk chunk) -> Result<Chunk> {
      return rows_of_shares(*side->table, spec.shares, positions, std::move(chunk));
    };
  }
  NumberedRows numbered;
  EVQ_TRY_ASSIGN(numbered.rows,
                 spec.executor.collect(spec.right, "join", keep, spec.demand, &spec.overflow));
  const std::vector<Chunk>& chunks = numbered.rows.chunks;
  EVQ_TRY(spec.overflow.note(side->lists_lease.grow(count_rows(chunks) * kBuildRowBytes)));
  EVQ_TRY(spec.overflow.note(
      number_keys(spec.executor, spec.join, positions, chunks, side, &numbered.groups)));
  return numbered;
}

// The keys of the left side become those of the table.
Status number_left(const BuildSpec& spec, std::span<const Chunk> left, BuildSide* side) {
  MemoryLease passing(spec.executor.options().budget, "join");
  EVQ_TRY(passing.grow(count_rows(left) * sizeof(std::uint32_t)));
  LargeVector<std::uint32_t> groups;
  return number_keys(spec.executor, spec.join, spec.join.left_keys, left, side, &groups);
}

// The rows of the right side that have a key of the left side's.
Result<NumberedRows> number_matches(const BuildSpec& spec, std::span<const Chunk> left,
                                    BuildSide* side) {
  EVQ_TRY(spec.overflow.note(number_left(spec, left, side)));
  spec.overflow.add_held(side->lists_lease.bytes());
  const KeyTest test(*side->table);
  Demand demand = spec.demand;
  demand.rows.kept_keys.push_back({&test, spec.join.right_keys});
  MatchConsumer matches(spec, *side);
  EVQ_TRY(spec.overflow.note_below(spec.executor.run(spec.right, matches, demand),
                                   spec.executor.options().budget));
  return matches.take();
}

// Makes of the rows that there are, and of the group of each, what is probed.
Status make_lists(const BuildSpec& spec, NumberedRows numbered, BuildSide* side) {
  const Schema& schema = spec.right.schema;
  side->rows = numbered.groups.size();
  EVQ_TRY(side->lists_lease.grow(side->table->size() * kBuildKeyBytes));
  std::vector<Vector> nulls;
  for (const Field& field : schema.fields()) {
    nulls.push_back(Vector::constant(Value::null(field.type), 1));
  }
  numbered.rows.chunks.emplace_back(std::move(nulls), 1);
  EVQ_TRY_ASSIGN(side->input,
                 join_collected(spec.executor, std::move(numbered.rows), schema, "join"));
  // For the deadline alone: what the lists take is charged already.
  AllocationMeter meter(nullptr, spec.executor.options().control, "join");
  EVQ_TRY(meter.guard([&] { side->list_rows(numbered.groups); }));
  if (plan::join_traits(spec.join.kind).marks_right) {
    side->matched = std::vector<std::atomic<std::uint8_t>>(side->rows);
  }
  return Status::success();
}

// Whether the groups were numbered as the rows are.
bool is_row_per_group(const LargeVector<std::uint32_t>& groups, const GroupTable& table) {
  PollCounter poll;
  std::uint32_t row = 0;
  return table.size() == groups.size() && std::ranges::all_of(groups, [&](std::uint32_t group) {
           poll.add();
           return group == row++;
         });
}

}  // namespace

void BuildSide::list_rows(const LargeVector<std::uint32_t>& groups) {
  row_per_group = is_row_per_group(groups, *table);
  unique_keys = true;
  if (row_per_group) {
    return;
  }
  // Until the rows are in their places, the begin of group g stands at g + 1, and there becomes its
  // end, which is the next one's begin.
  const std::size_t group_count = table->size();
  group_begin.assign(group_count + 2, 0);
  PollCounter poll;
  for (const std::uint32_t group : groups) {
    poll.add();
    if (group != GroupTable::kNoGroup) {
      ++group_begin[std::size_t{group} + 2];
    }
  }
  for (std::size_t group = 0; group < group_count; ++group) {
    poll.add();
    unique_keys = unique_keys && group_begin[group + 2] <= 1;
    group_begin[group + 2] += group_begin[group + 1];
  }
  group_rows.resize(group_begin.back());
  for (std::size_t row = 0; row < groups.size(); ++row) {
    poll.add();
    if (groups[row] != GroupTable::kNoGroup) {
      group_rows[group_begin[std::size_t{groups[row]} + 1]++] = static_cast<std::uint32_t>(row);
    }
  }
  group_begin.pop_back();
}

std::vector<std::uint32_t> BuildSide::unmarked_rows() const {
  PollCounter poll;
  std::vector<std::uint32_t> found;
  for (std::size_t row = 0; row < rows; ++row) {
    poll.add();
    if (matched[row].load(std::memory_order_relaxed) == 0) {
      found.push_back(static_cast<std::uint32_t>(row));
    }
  }
  return found;
}

void forget_null_keys(const plan::Join& join, std::span<const Vector> keys, std::size_t rows,
                      std::uint32_t* groups) {
  for (const Vector& key : keys) {
    if (join.nulls_match || !may_equal_nothing(key)) {
      continue;
    }
    for (std::size_t row = 0; row < rows; ++row) {
      groups[row] = equals_nothing(key, row) ? GroupTable::kNoGroup : groups[row];
    }
  }
}

std::vector<Vector> key_columns(std::span<const Vector> columns,
                                const std::vector<std::size_t>& positions) {
  std::vector<Vector> keys;
  keys.reserve(positions.size());
  for (const std::size_t position : positions) {
    keys.push_back(canonical_dynamics(columns[position]));
  }
  return keys;
}

Chunk rows_of_shares(const GroupTable& table, const KeyShares& shares,
                     const std::vector<std::size_t>& keys, Chunk chunk) {
  chunk.select(table.rows_of(shares, key_columns(chunk.columns(), keys), chunk.rows()));
  return chunk;
}

Status make_build_side(const BuildSpec& spec, const std::optional<Collected>& left,
                       BuildSide* side) {
  side->lists_lease = MemoryLease(spec.executor.options().budget, "join");
  make_table(spec.executor, spec.join, spec.right.schema, !left.has_value(), side);
  EVQ_TRY_ASSIGN(NumberedRows numbered, left.has_value() ? number_matches(spec, left->chunks, side)
                                                         : number_right(spec, side));
  return spec.overflow.note(make_lists(spec, std::move(numbered), side));
}

}  // namespace evq
