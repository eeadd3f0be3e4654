#pragma once
// SnapshotTables: the datasets of one query as the planner and the executor see them. Each is
// snapshotted when it is first named and stays pinned until the object goes.

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "apl/exec/executor.h"
#include "apl/plan/table_source.h"
#include "store/row_id.h"
#include "store/store.h"

namespace evq {

class SnapshotTables final : public plan::TableSource, public SnapshotProvider {
 public:
  // `may_read` may be empty; a dataset it refuses is reported as forbidden, whether it exists or
  // not.
  SnapshotTables(Store& store, std::function<bool(const std::string&)> may_read)
      : store_(store), may_read_(std::move(may_read)) {}

  Result<plan::TableInfo> table(std::string_view name) override;
  std::vector<std::string> table_names() override;
  Result<plan::LocationBounds> locate(const plan::TableRef& table, std::int64_t time,
                                      std::uint64_t ordinal) override;
  Result<const Snapshot*> snapshot(const plan::TableRef& table) override;

  // The id of the row at `location` of a dataset.
  Result<RowId> row_id(const std::string& dataset, std::int64_t time, std::int64_t location);

 private:
  Store& store_;
  std::function<bool(const std::string&)> may_read_;
  std::map<std::string, Snapshot, std::less<>> snapshots_;
  std::map<std::pair<std::string, std::size_t>, Vector> ordinals_;  // of blocks that need them
};

}  // namespace evq
