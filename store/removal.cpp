#include "store/removal.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "store/compactor.h"
#include "store/segment_cache.h"

namespace evq {

namespace {

// Scans of a delete that lost their blocks to a concurrent merge before it gives up.
constexpr int kRemoveAttemptsMax = 5;

// Marks the blocks deleted, in one transaction, unless one of them was merged meanwhile.
Result<bool> queue_blocks(Dataset& dataset, const std::vector<BlockId>& ids) {
  bool all_there = true;
  WriteJob job;
  job.apply = [&](DatasetWriter& writer) -> Status {
    EVQ_TRY(writer.load_blocks());
    all_there = true;
    for (const BlockId id : ids) {
      const BlockRow* row = writer.find_block(id);
      all_there = all_there && row != nullptr && row->state != BlockState::kQueued;
    }
    if (!all_there) {
      return {};
    }
    for (const BlockId id : ids) {
      EVQ_TRY(writer.set_state(id, BlockState::kQueued));
    }
    return {};
  };
  EVQ_TRY(dataset.write(job));
  return all_there;
}

// What a block that may match has.
Result<BlockMatch> match_block(const Snapshot& snapshot, const SnapshotBlock& info,
                               const RowFilter& doomed) {
  if (doomed.matches_whole(info)) {
    return BlockMatch{info.rows, info.min_time, info.max_time};
  }
  EVQ_TRY_ASSIGN(StoredBlock block, snapshot.open(info));
  return doomed.match(block);
}

// The snapshot ends with the search: nobody waits for the write lock with one open. The first one
// sets the `end` of the events that are meant.
Result<RemoveReport> find_matches(const std::shared_ptr<Dataset>& dataset,
                                  const std::shared_ptr<SegmentCache>& cache,
                                  const RowFilter& doomed, QueryControl& control,
                                  std::optional<std::uint64_t>* end, std::vector<BlockId>* ids) {
  EVQ_TRY_ASSIGN(const Snapshot snapshot, take_snapshot(dataset, cache));
  if (!doomed.fits(snapshot.schema())) {
    return make_error(ErrorCode::kConflict, "the types of its fields changed meanwhile",
                      "try the delete again");
  }
  *end = end->value_or(snapshot.ordinal_end());
  RemoveReport report;
  for (const SnapshotBlock& info : snapshot.blocks()) {
    EVQ_TRY(control.check());
    if (info.first_ordinal >= **end || !doomed.may_match(info)) {
      continue;
    }
    Result<BlockMatch> found = match_block(snapshot, info, doomed);
    if (!found.ok() && found.error().code == ErrorCode::kCorrupt) {
      if (report.blocks_damaged++ == 0) {
        report.damage = std::move(found).take_error();
      }
      continue;
    }
    EVQ_TRY_ASSIGN(const BlockMatch match, std::move(found));
    if (match.rows == 0) {
      continue;
    }
    ids->push_back(info.id);
    report.rows_matched += match.rows;
    report.rows_deleted += info.rows;
    ++report.blocks_deleted;
    report.first_matched_time =
        std::min(report.first_matched_time.value_or(match.first_time), match.first_time);
    report.last_matched_time =
        std::max(report.last_matched_time.value_or(match.last_time), match.last_time);
  }
  return report;
}

}  // namespace

Result<RemoveReport> remove_matches(const std::shared_ptr<Dataset>& dataset,
                                    const std::shared_ptr<SegmentCache>& cache,
                                    const RowFilter& doomed, Removal removal,
                                    QueryControl& control) {
  std::optional<std::uint64_t> end;
  for (int attempt = 0; attempt < kRemoveAttemptsMax; ++attempt) {
    std::vector<BlockId> ids;
    EVQ_TRY_ASSIGN(RemoveReport report, find_matches(dataset, cache, doomed, control, &end, &ids));
    if (removal == Removal::kDryRun || ids.empty()) {
      return report;
    }
    EVQ_TRY_ASSIGN(const bool queued, queue_blocks(*dataset, ids));
    if (queued) {
      free_removed_if_possible(*dataset, control);
      return report;
    }
  }
  return make_error(ErrorCode::kUnavailable, "the dataset keeps being reorganised",
                    "try the delete again");
}

Result<std::uint64_t> queue_older(Dataset& dataset, std::int64_t before) {
  {
    EVQ_TRY_ASSIGN(ReadLease lease, dataset.database().begin_read());
    EVQ_TRY_ASSIGN(const std::shared_ptr<const Listing> now, dataset.listing(lease.connection()));
    const auto is_old = [&](const SnapshotBlock& block) { return block.max_time < before; };
    if (std::ranges::none_of(now->blocks, is_old)) {
      return std::uint64_t{0};
    }
  }
  std::uint64_t rows = 0;
  WriteJob job;
  job.apply = [&](DatasetWriter& writer) -> Status {
    EVQ_TRY(writer.load_blocks());
    rows = 0;
    for (const BlockRow& row : writer.blocks()) {
      if (row.max_time < before && row.state != BlockState::kQueued) {
        rows += row.rows;
        EVQ_TRY(writer.set_state(row.id, BlockState::kQueued));
      }
    }
    return {};
  };
  EVQ_TRY(dataset.write(job));
  return rows;
}

Status free_removed(Dataset& dataset, const QueryControl& control) {
  EVQ_TRY(reap(dataset, control));
  return dataset.database().short_of_room() ? give_back(dataset, control) : Status();
}

void free_removed_if_possible(Dataset& dataset, const QueryControl& control) {
  static_cast<void>(free_removed(dataset, control));
}

}  // namespace evq
