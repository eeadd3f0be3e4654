#pragma once
// SnapshotTables: the datasets of one query as the planner and the executor see them. Each is
// snapshotted when it is first named and stays pinned until the object goes.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "apl/exec/executor.h"
#include "apl/exec/row_location.h"
#include "apl/functions/time_range.h"
#include "apl/plan/table_source.h"
#include "apl/service/request.h"
#include "store/base/mutex.h"
#include "store/row_id.h"
#include "store/store.h"

namespace evq {

class SnapshotTables final : public plan::TableSource, public SnapshotProvider, public TimeExtent {
 public:
  // `may_read` may be empty; a dataset it refuses is reported as forbidden, whether it exists or
  // not. `control` ends what reads block after block; it must outlive the object, and may be null.
  // `act` is what the refusal says that there is no permission for; a literal.
  SnapshotTables(Store& store, std::function<bool(const std::string&)> may_read,
                 const QueryControl* control = nullptr, std::string_view act = "query")
      : store_(store), may_read_(std::move(may_read)), control_(control), act_(act) {}

  Result<plan::TableInfo> table(std::string_view name) override;
  Result<std::vector<std::string>> table_names() override;
  void leave_out_damage(const EvalContext& context, bool on) override;
  Result<plan::LocationBounds> locate(const plan::TableRef& table, std::int64_t time,
                                      std::uint64_t ordinal) override;
  Result<const Snapshot*> snapshot(const plan::TableRef& table) override;

  // Finds a snapshot by the handle that table() gave; null when no table of that handle was named.
  const Snapshot* snapshot_of_handle(std::uint64_t handle) const;
  // Returns the store's number for a dataset that was named; 0 for others.
  std::uint64_t handle_of(std::string_view dataset) const;
  // Returns the times of the oldest and newest event of all tables named so far; nullopt: none.
  std::optional<std::pair<std::int64_t, std::int64_t>> time_bounds() const;
  // Returns time_bounds() of the tables named at its first call: all bins of a query are as wide.
  std::optional<std::pair<std::int64_t, std::int64_t>> time_extent() const override;

 private:
  Result<Snapshot> take(std::string_view name, std::vector<std::string>* warnings);
  Result<std::vector<plan::VirtualField>> virtual_fields(std::string_view dataset);

  Store& store_;
  std::function<bool(const std::string&)> may_read_;
  const QueryControl* const control_;
  const std::string_view act_;
  struct Soundness {
    std::int64_t min_time;
    std::int64_t max_time;
    const QueryControl* control;  // may be null
  };
  std::optional<Soundness> sound_;  // where only what is sound is read
  std::map<std::string, Snapshot, std::less<>> snapshots_;
  std::map<std::uint64_t, std::string> handles_;
  mutable Mutex extent_mutex_;
  mutable std::optional<std::pair<std::int64_t, std::int64_t>> extent_
      EVQ_GUARDED_BY(extent_mutex_);
};

// Cursors of unions: the handle of the row's dataset stands above its ordinal, as it does above its
// location (apl/plan/dataset_location.h).
inline constexpr unsigned kOrdinalBits = 44;

// Tells where rows of one snapshot come from, by their location. What a block has to be read for is
// kept until the locator goes; the snapshot must outlive it. One thread at a time.
class RowLocator {
 public:
  explicit RowLocator(const Snapshot& snapshot) : snapshot_(snapshot) {}

  // Returns the id of the row at a location, whose event time is `time`.
  Result<RowId> id(std::int64_t time, std::int64_t location);
  Result<std::int64_t> system_time(std::int64_t location);

 private:
  using ColumnsByBlock = std::map<std::size_t, Vector>;
  using ReadColumn = Result<Vector> (*)(StoredBlock& block);
  RowLocation checked(std::int64_t location) const;
  Result<std::int64_t> read(ColumnsByBlock* columns, const RowLocation& at, ReadColumn read_column);

  const Snapshot& snapshot_;
  ColumnsByBlock ordinals_;
  ColumnsByBlock system_times_;
};

}  // namespace evq
