#include "store/compactor.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "store/base/check.h"
#include "store/base/limits.h"
#include "store/block_merge.h"
#include "store/block_size.h"
#include "store/segment_cache.h"
#include "store/stored_form.h"

namespace evq {

namespace {

// A merge takes in an older chunk only when it is at most this many times what it has already, so
// that a row is rewritten a logarithmic number of times.
constexpr std::uint64_t kMergeRatioMax = 4;
// Runs of small blocks that a round of upkeep merges, a second's work: other datasets wait for it.
constexpr std::size_t kSmallMergesMax = 16;
// Blocks whose bytes are freed in one transaction, which writes about 20 KiB for each; and those
// for which the reserve is enough.
constexpr std::size_t kReapStep = 512;
constexpr std::size_t kReapStepOnReserve = 32;
// The same for pages given back to the file system: up to two are written for each.
constexpr std::string_view kVacuumStep = "PRAGMA incremental_vacuum(1024)";
constexpr std::string_view kVacuumStepOnReserve = "PRAGMA incremental_vacuum(64)";

using Run = std::vector<SnapshotBlock>;

// Swaps the sources for the merged block, if they are all still what they were.
Status replace(Dataset& dataset, Sources sources, const StoredForm& form, SegmentCache& cache) {
  WriteJob job;
  job.room = Room::for_bytes(form.size_bytes());
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
  EVQ_TRY(dataset.write(job));
  for (const SnapshotBlock& source : sources) {
    cache.forget_block(dataset.file_id(), source.id, source.columns);
  }
  return {};
}

// The first sources, up to one that is damaged; then also why.
struct OpenSources {
  std::vector<StoredBlock> blocks;
  Status damage;
};

Result<OpenSources> open_sources(const Snapshot& snapshot, Sources run) {
  OpenSources open;
  for (const SnapshotBlock& source : run) {
    Result<StoredBlock> block = snapshot.open(source);
    if (!block.ok() && block.error().code == ErrorCode::kCorrupt) {
      open.damage = std::move(block).take_error();
      break;
    }
    EVQ_TRY_ASSIGN(StoredBlock opened, std::move(block));
    open.blocks.push_back(std::move(opened));
  }
  return open;
}

// Lets go of the first block that is damaged, and of those behind it; false when all are sound.
Result<bool> cut_at_damage(OpenSources* open, const QueryControl& control) {
  EVQ_TRY_ASSIGN(std::optional<DamagedBlock> found, find_damage(open->blocks, control));
  if (found) {
    open->blocks.erase(open->blocks.begin() + static_cast<std::ptrdiff_t>(found->at),
                       open->blocks.end());
    open->damage = std::move(found->damage);
  }
  return found.has_value();
}

bool is_worth_merging(Sources run, const MergePlan& plan) {
  return run.size() > 1 || (run.size() == 1 && run.front().fresh && !plan.stay_fresh);
}

// The open sources as one block, where that is worth it. Damage that shows only when their columns
// are read leaves fewer of them open.
Result<std::optional<StoredForm>> merge_sound(OpenSources* open, Sources run, const MergePlan& plan,
                                              const MergeMeans& means) {
  while (is_worth_merging(run.first(open->blocks.size()), plan)) {
    Result<StoredForm> merged = merge_blocks(open->blocks, plan, means);
    if (merged.ok() || merged.error().code != ErrorCode::kCorrupt) {
      EVQ_TRY_ASSIGN(StoredForm form, std::move(merged));
      return std::optional(std::move(form));
    }
    EVQ_TRY_ASSIGN(const bool cut, cut_at_damage(open, means.control));
    if (!cut) {
      return std::move(merged).take_error();
    }
  }
  return std::optional<StoredForm>();
}

bool holds_all(const Snapshot& snapshot, Sources run) {
  return std::ranges::all_of(run, [&](const SnapshotBlock& source) {
    const auto same = [&](const SnapshotBlock& block) {
      return block.id == source.id && block.fresh == source.fresh;
    };
    return std::ranges::any_of(snapshot.blocks(), same);
  });
}

// Sources that are damaged stay as they are, and what lies between them is merged; kCorrupt then.
Status merge_run(const std::shared_ptr<Dataset>& dataset, const Run& run, const MergePlan& plan,
                 const CompactOptions& options, const QueryControl& control) {
  Status damage;
  for (Sources rest = run; !rest.empty();) {
    Sources part;
    std::optional<StoredForm> merged;
    {
      EVQ_TRY_ASSIGN(const Snapshot snapshot, take_snapshot(dataset, options.cache));
      if (!holds_all(snapshot, rest)) {
        break;  // someone else merged or deleted it first
      }
      EVQ_TRY_ASSIGN(OpenSources open, open_sources(snapshot, rest));
      EVQ_TRY_ASSIGN(merged, merge_sound(&open, rest, plan, {options.pool, control}));
      part = rest.first(open.blocks.size());
      if (damage.ok()) {
        damage = std::move(open.damage);
      }
    }
    if (merged) {
      EVQ_TRY(replace(*dataset, part, *merged, *options.cache));
    }
    rest = rest.subspan(std::min(part.size() + 1, rest.size()));
  }
  return damage;
}

// What a merge takes in: at most the rows of a block, events of kMergedEventBytesMax and
// kMergedColumnsMax.
class Fill {
 public:
  explicit Fill(std::uint64_t rows_max) : rows_max_(rows_max) {}

  // False when the block has no place any more. One always has.
  bool take(const SnapshotBlock& block) {
    const bool fits = rows_ + block.rows <= rows_max_ &&
                      bytes_ + block.raw_bytes <= kMergedEventBytesMax &&
                      columns_ + block.columns <= kMergedColumnsMax;
    if (rows_ != 0 && !fits) {
      return false;
    }
    rows_ += block.rows;
    bytes_ += block.raw_bytes;
    columns_ += block.columns;
    return true;
  }
  std::uint64_t rows() const { return rows_; }

 private:
  const std::uint64_t rows_max_;
  std::uint64_t rows_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t columns_ = 0;
};

// Neighbouring runs of `blocks` that `wanted` takes, each as much as one merge may take in.
template <class Wanted>
std::vector<Run> runs_of(Sources blocks, std::uint64_t rows_max, Wanted wanted) {
  std::vector<Run> runs;
  std::size_t begin = 0;
  while (begin < blocks.size()) {
    std::size_t end = begin;
    Fill fill(rows_max);
    while (end < blocks.size() && wanted(blocks[end]) && fill.take(blocks[end])) {
      ++end;
    }
    if (end > begin) {
      runs.emplace_back(blocks.begin() + static_cast<std::ptrdiff_t>(begin),
                        blocks.begin() + static_cast<std::ptrdiff_t>(end));
    }
    begin = std::max(end, begin + 1);
  }
  return runs;
}

Status merge_runs(const std::shared_ptr<Dataset>& dataset, const std::vector<Run>& runs,
                  const MergePlan& plan, const CompactOptions& options, QueryControl& control) {
  Status damage;
  for (const Run& run : runs) {
    EVQ_TRY(control.check());
    Status merged = merge_run(dataset, run, plan, options, control);
    if (!merged.ok() && merged.error().code != ErrorCode::kCorrupt) {
      return merged;
    }
    if (damage.ok()) {
      damage = std::move(merged);
    }
  }
  return damage;
}

std::uint64_t rows_of(Sources blocks) {
  return std::accumulate(
      blocks.begin(), blocks.end(), std::uint64_t{0},
      [](std::uint64_t rows, const SnapshotBlock& block) { return rows + block.rows; });
}

std::uint64_t event_bytes_of(Sources blocks) {
  return std::accumulate(
      blocks.begin(), blocks.end(), std::uint64_t{0},
      [](std::uint64_t bytes, const SnapshotBlock& block) { return bytes + block.raw_bytes; });
}

bool fill_block(Sources blocks, std::uint32_t block_rows) {
  return fills_block(rows_of(blocks), event_bytes_of(blocks), block_rows);
}

bool is_fresh(const SnapshotBlock& block) {
  return block.fresh;
}

// The runs of fresh chunks that fill most of a block. Where there are none, those that no later
// chunk can join, since nothing else makes them fewer: large loads were sealed in between.
std::vector<Run> runs_to_seal(Sources blocks, std::uint32_t block_rows) {
  std::vector<Run> runs = runs_of(blocks, block_rows, is_fresh);
  const auto fills = [&](const Run& run) { return fill_block(run, block_rows); };
  if (std::ranges::any_of(runs, fills)) {
    std::erase_if(runs, std::not_fn(fills));
  } else if (!runs.empty() && blocks.back().fresh) {
    runs.pop_back();
  }
  return runs;
}

// The newest fresh chunks worth merging into one.
Run newest_small(Sources blocks, std::uint64_t rows_max) {
  std::size_t begin = blocks.size();
  Fill fill(rows_max);
  while (begin > 0 && blocks[begin - 1].fresh &&
         (fill.rows() == 0 || blocks[begin - 1].rows <= kMergeRatioMax * fill.rows()) &&
         fill.take(blocks[begin - 1])) {
    --begin;
  }
  return {blocks.begin() + static_cast<std::ptrdiff_t>(begin), blocks.end()};
}

// The newest small chunks become a block when they fill most of one, else one chunk.
Status merge_newest(const std::shared_ptr<Dataset>& dataset, const Run& run,
                    const CompactOptions& options, const QueryControl& control) {
  if (fill_block(run, options.block_rows)) {
    return merge_run(dataset, run, MergePlan{}, options, control);
  }
  const Effort effort = chunk_effort(rows_of(run), options.block_rows);
  return merge_run(dataset, run, {.effort = effort, .stay_fresh = true}, options, control);
}

// Moves the last pages of the file into free ones; how many free ones are left.
Result<std::int64_t> give_back_some(Database& database) {
  const bool short_of_room = database.short_of_room();
  EVQ_TRY_ASSIGN(WriteLock lock, database.begin_write(Room::none()));
  {
    EVQ_TRY_ASSIGN(Statement vacuum,
                   lock.connection().prepare(short_of_room ? kVacuumStepOnReserve : kVacuumStep));
    EVQ_TRY(vacuum.run());
  }
  EVQ_TRY_ASSIGN(const std::int64_t pages, lock.connection().number("PRAGMA freelist_count"));
  EVQ_TRY(lock.commit());
  return pages;
}

}  // namespace

Status tidy_fresh(const std::shared_ptr<Dataset>& dataset, const CompactOptions& options,
                  QueryControl& control) {
  std::vector<Run> to_seal;
  Run newest;
  {
    EVQ_TRY_ASSIGN(const Snapshot snapshot, take_snapshot(dataset, options.cache));
    const Sources blocks = snapshot.blocks();
    Run fresh;
    std::ranges::copy_if(blocks, std::back_inserter(fresh), is_fresh);
    const bool enough =
        rows_of(fresh) >= options.block_rows || event_bytes_of(fresh) >= kMergedEventBytesMax;
    if (!enough && fresh.size() < kFreshChunksMax) {
      return {};
    }
    if (!enough) {
      newest = newest_small(blocks, options.block_rows);
    }
    if (newest.size() < 2) {
      to_seal = runs_to_seal(blocks, options.block_rows);
    }
  }
  return newest.size() < 2 ? merge_runs(dataset, to_seal, MergePlan{}, options, control)
                           : merge_newest(dataset, newest, options, control);
}

Status merge_small(const std::shared_ptr<Dataset>& dataset, const CompactOptions& options,
                   QueryControl& control) {
  std::vector<Run> runs;
  {
    EVQ_TRY_ASSIGN(const Snapshot snapshot, take_snapshot(dataset, options.cache));
    runs = runs_of(snapshot.blocks(), options.block_rows, [&](const SnapshotBlock& block) {
      return !block.fresh && is_small_block(block.rows, options.block_rows);
    });
  }
  std::erase_if(runs, [](const Run& run) { return run.size() == 1; });
  runs.resize(std::min(runs.size(), kSmallMergesMax));
  return merge_runs(dataset, runs, MergePlan{}, options, control);
}

Status compact(const std::shared_ptr<Dataset>& dataset, const CompactOptions& options,
               QueryControl& control) {
  std::vector<Run> runs;
  {
    EVQ_TRY_ASSIGN(const Snapshot snapshot, take_snapshot(dataset, options.cache));
    runs = runs_of(snapshot.blocks(), options.block_rows, [&](const SnapshotBlock& block) {
      return block.fresh || is_small_block(block.rows, options.block_rows);
    });
  }
  std::erase_if(runs, [](const Run& run) { return run.size() == 1 && !run.front().fresh; });
  return merge_runs(dataset, runs, {.effort = Effort::kCompact}, options, control);
}

// Each step is a transaction of its own, so that the write-ahead file stays short.
Status reap(Dataset& dataset, const QueryControl& control) {
  bool first = true;
  for (bool more = true; more; first = false) {
    EVQ_TRY(control.check());
    const bool short_of_room = dataset.database().short_of_room();
    if (short_of_room && !first) {
      static_cast<void>(dataset.database().checkpoint(Checkpoint::kTruncate));
    }
    WriteJob job;
    job.apply = [&](DatasetWriter& writer) -> Status {
      std::vector<std::uint64_t> queued;
      EVQ_TRY(writer.load_blocks());
      for (const BlockRow& row : writer.blocks()) {
        if (row.state == BlockState::kQueued) {
          queued.push_back(row.id);
        }
      }
      const std::size_t step = short_of_room ? kReapStepOnReserve : kReapStep;
      more = queued.size() > step;
      queued.resize(std::min(queued.size(), step));
      for (const std::uint64_t id : queued) {
        EVQ_TRY(writer.remove_block(id));
      }
      return {};
    };
    EVQ_TRY(dataset.write(job));
  }
  return {};
}

// Readers of older states keep the write-ahead file as it is, and with it what would become free.
Status give_back(Dataset& dataset, const QueryControl& control) {
  Database& database = dataset.database();
  for (std::int64_t before = std::numeric_limits<std::int64_t>::max();;) {
    EVQ_TRY(control.check());
    EVQ_TRY_ASSIGN(const std::int64_t left,
                   database.with_reserve([&] { return give_back_some(database); }));
    Status emptied = database.checkpoint(Checkpoint::kTruncate);
    // What was committed but has no room in the database fits when that is shorter.
    const bool full = !emptied.ok() && emptied.error().code == ErrorCode::kDiskFull;
    if ((!emptied.ok() && !full) || left == 0 || left >= before) {
      const bool readers = !emptied.ok() && emptied.error().code == ErrorCode::kUnavailable;
      return readers ? Status() : std::move(emptied);
    }
    before = left;
  }
}

}  // namespace evq
