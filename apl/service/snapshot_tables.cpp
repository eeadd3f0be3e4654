#include "apl/service/snapshot_tables.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "store/block/format.h"

namespace evq {
namespace {

constexpr std::int64_t kRowMask = (std::int64_t{1} << kLocationRowBits) - 1;

}  // namespace

Result<plan::TableInfo> SnapshotTables::table(std::string_view name) {
  const std::string key(name);
  if (may_read_ && !may_read_(key)) {
    return make_error(ErrorCode::kForbidden, "no permission to query the dataset '" + key + "'");
  }
  auto at = snapshots_.find(key);
  if (at == snapshots_.end()) {
    EVQ_TRY_ASSIGN(Snapshot taken, store_.snapshot(name));
    at = snapshots_.emplace(key, std::move(taken)).first;
  }
  return plan::TableInfo{{key, 0}, at->second.schema(), {}};
}

std::vector<std::string> SnapshotTables::table_names() {
  std::vector<std::string> names;
  const auto datasets = store_.definitions().datasets();
  if (datasets.ok()) {
    for (const DatasetDefinition& dataset : datasets.value()) {
      if (!may_read_ || may_read_(dataset.name)) {
        names.push_back(dataset.name);
      }
    }
  }
  return names;
}

Result<const Snapshot*> SnapshotTables::snapshot(const plan::TableRef& table) {
  const auto at = snapshots_.find(table.name);
  EVQ_CHECK(at != snapshots_.end());
  return &at->second;
}

Result<plan::LocationBounds> SnapshotTables::locate(const plan::TableRef& table, std::int64_t time,
                                                    std::uint64_t ordinal) {
  EVQ_TRY_ASSIGN(const Snapshot* snapshot, this->snapshot(table));
  plan::LocationBounds bounds{std::numeric_limits<std::int64_t>::max(),
                              std::numeric_limits<std::int64_t>::max()};
  for (std::size_t index = 0; index < snapshot->blocks().size(); ++index) {
    const SnapshotBlock& info = snapshot->blocks()[index];
    if (info.min_time > time || info.max_time < time) {
      continue;
    }
    EVQ_TRY_ASSIGN(StoredBlock block, snapshot->open(info));
    EVQ_TRY_ASSIGN(const Vector times, block.column(kTimeField));
    EVQ_TRY_ASSIGN(const Vector ordinals, block.ordinals());
    const auto base = static_cast<std::int64_t>(index) << kLocationRowBits;
    for (std::size_t row = 0; row < times.size(); ++row) {
      if (times.at<std::int64_t>(row) != time) {
        continue;
      }
      const auto here = static_cast<std::uint64_t>(ordinals.at<std::int64_t>(row));
      const std::int64_t location = base | static_cast<std::int64_t>(row);
      if (here >= ordinal) {
        bounds.lower = std::min(bounds.lower, location);
      }
      if (here > ordinal) {
        bounds.upper = std::min(bounds.upper, location);
      }
    }
  }
  return bounds;
}

Result<RowId> SnapshotTables::row_id(const std::string& dataset, std::int64_t time,
                                     std::int64_t location) {
  EVQ_TRY_ASSIGN(const Snapshot* snapshot, this->snapshot({dataset, 0}));
  const auto index = static_cast<std::size_t>(location >> kLocationRowBits);
  const auto row = static_cast<std::size_t>(location & kRowMask);
  const SnapshotBlock& info = snapshot->blocks()[index];
  if (info.ordinals_dense) {
    return RowId{time, info.first_ordinal + row};
  }
  auto at = ordinals_.find({dataset, index});
  if (at == ordinals_.end()) {
    EVQ_TRY_ASSIGN(StoredBlock block, snapshot->open(info));
    EVQ_TRY_ASSIGN(Vector ordinals, block.ordinals());
    at = ordinals_.emplace(std::pair(dataset, index), std::move(ordinals)).first;
  }
  return RowId{time, static_cast<std::uint64_t>(at->second.at<std::int64_t>(row))};
}

}  // namespace evq
