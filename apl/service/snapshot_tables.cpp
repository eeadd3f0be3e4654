#include "apl/service/snapshot_tables.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "store/block/format.h"
#include "store/column/dynamic_json.h"

namespace evq {

Result<plan::TableInfo> SnapshotTables::table(std::string_view name) {
  const std::string key(name);
  if (may_read_ && !may_read_(key)) {
    return make_error(ErrorCode::kForbidden,
                      "no permission to " + std::string(act_) + " the dataset '" + key + "'");
  }
  auto at = snapshots_.find(key);
  std::vector<std::string> warnings;
  if (at == snapshots_.end()) {
    EVQ_TRY_ASSIGN(Snapshot taken, take(name, &warnings));
    at = snapshots_.emplace(key, std::move(taken)).first;
  }
  plan::TableInfo info;
  info.ref.name = key;
  info.schema = at->second.schema();
  info.wide_longs = at->second.wide_longs();
  info.warnings = std::move(warnings);
  EVQ_TRY_ASSIGN(const std::optional<DatasetDefinition> definition,
                 store_.definitions().find_dataset(name));
  if (definition.has_value()) {
    info.map_fields = definition->map_fields;
    info.ref.handle = definition->file_id;
    handles_[definition->file_id] = key;
  }
  EVQ_TRY_ASSIGN(info.virtual_fields, virtual_fields(name));
  return info;
}

void SnapshotTables::leave_out_damage(const EvalContext& context, bool on) {
  sound_.reset();
  if (on) {
    sound_ = {context.range_start_ns, context.range_end_ns, context.control};
  }
}

Result<Snapshot> SnapshotTables::take(std::string_view name, std::vector<std::string>* warnings) {
  if (!sound_.has_value()) {
    return store_.snapshot(name);
  }
  const QueryControl endless;
  const SoundRange range{sound_->min_time, sound_->max_time,
                         sound_->control != nullptr ? *sound_->control : endless};
  std::vector<std::string> problems;
  Result<Snapshot> taken = store_.sound_snapshot(name, range, &problems);
  constexpr std::size_t kNamedMax = 10;
  for (std::size_t i = 0; i < std::min(problems.size(), kNamedMax); ++i) {
    warnings->push_back("left out as damaged: " + problems[i]);
  }
  if (problems.size() > kNamedMax) {
    warnings->push_back("left out as damaged: " + std::to_string(problems.size() - kNamedMax) +
                        " more; 'evq check' names them");
  }
  return taken;
}

// Objects whose JSON is not what the API takes are left alone.
Result<std::vector<plan::VirtualField>> SnapshotTables::virtual_fields(std::string_view dataset) {
  EVQ_TRY_ASSIGN(const std::vector<StoredObject> objects,
                 store_.definitions().objects(ObjectKind::kVirtualField, dataset));
  std::vector<plan::VirtualField> fields;
  for (const StoredObject& object : objects) {
    const std::optional<std::string> body = dynamic_from_json(object.body);
    const auto text = [&](std::string_view key) -> std::string {
      const auto value = body.has_value() ? DynamicView(*body).find(key) : std::nullopt;
      return value.has_value() && value->is_string() ? std::string(value->as_string()) : "";
    };
    plan::VirtualField field{text("name"), text("expression")};
    if (!field.name.empty() && !field.expression.empty()) {
      fields.push_back(std::move(field));
    }
  }
  return fields;
}

Result<std::vector<std::string>> SnapshotTables::table_names() {
  auto datasets = store_.definitions().datasets();
  if (!datasets.ok()) {
    Error error = std::move(datasets).take_error();
    // It may name one that is not to be seen, but to who may read all.
    if (may_read_ && !may_read_("*") && error.code == ErrorCode::kCorrupt) {
      error.message = "not all datasets can be told: the catalog is damaged";
    }
    return error;
  }
  std::vector<std::string> names;
  for (const DatasetDefinition& dataset : *datasets) {
    if (!may_read_ || may_read_(dataset.name)) {
      names.push_back(dataset.name);
    }
  }
  return names;
}

Result<const Snapshot*> SnapshotTables::snapshot(const plan::TableRef& table) {
  const auto at = snapshots_.find(table.name);
  EVQ_CHECK(at != snapshots_.end());
  return &at->second;
}

const Snapshot* SnapshotTables::snapshot_of_handle(std::uint64_t handle) const {
  const auto name = handles_.find(handle);
  const auto at = name == handles_.end() ? snapshots_.end() : snapshots_.find(name->second);
  return at == snapshots_.end() ? nullptr : &at->second;
}

std::uint64_t SnapshotTables::handle_of(std::string_view dataset) const {
  for (const auto& [handle, name] : handles_) {
    if (name == dataset) {
      return handle;
    }
  }
  return 0;
}

Result<plan::LocationBounds> SnapshotTables::locate(const plan::TableRef& table, std::int64_t time,
                                                    std::uint64_t ordinal) {
  // Rows of the cursor's time in another dataset of the union are all before it or all behind it.
  const std::uint64_t handle = ordinal >> kOrdinalBits;
  if (handle != 0 && handle != table.handle) {
    const std::int64_t cut = table.handle < handle ? std::numeric_limits<std::int64_t>::max() : 0;
    return plan::LocationBounds{cut, cut};
  }
  ordinal &= (std::uint64_t{1} << kOrdinalBits) - 1;
  EVQ_TRY_ASSIGN(const Snapshot* snapshot, this->snapshot(table));
  plan::LocationBounds bounds{std::numeric_limits<std::int64_t>::max(),
                              std::numeric_limits<std::int64_t>::max()};
  for (std::size_t index = 0; index < snapshot->blocks().size(); ++index) {
    const SnapshotBlock& info = snapshot->blocks()[index];
    if (info.min_time > time || info.max_time < time) {
      continue;
    }
    EVQ_TRY(control_ != nullptr ? control_->check() : Status());
    EVQ_TRY_ASSIGN(StoredBlock block, snapshot->open(info));
    EVQ_TRY_ASSIGN(const Vector times, block.column(kTimeField));
    EVQ_TRY_ASSIGN(const Vector ordinals, block.ordinals());
    for (std::size_t row = 0; row < times.size(); ++row) {
      if (times.at<std::int64_t>(row) != time) {
        continue;
      }
      const auto here = static_cast<std::uint64_t>(ordinals.at<std::int64_t>(row));
      const std::int64_t location = RowLocation{index, row}.number();
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

std::optional<std::pair<std::int64_t, std::int64_t>> SnapshotTables::time_bounds() const {
  std::optional<std::pair<std::int64_t, std::int64_t>> bounds;
  for (const auto& [name, snapshot] : snapshots_) {
    if (!snapshot.min_time().has_value() || !snapshot.max_time().has_value()) {
      continue;
    }
    bounds = bounds.value_or(std::pair(*snapshot.min_time(), *snapshot.max_time()));
    bounds->first = std::min(bounds->first, *snapshot.min_time());
    bounds->second = std::max(bounds->second, *snapshot.max_time());
  }
  return bounds;
}

std::optional<std::pair<std::int64_t, std::int64_t>> SnapshotTables::time_extent() const {
  const MutexLock lock(extent_mutex_);
  if (!extent_.has_value()) {
    extent_ = time_bounds();
  }
  return extent_;
}

RowLocation RowLocator::checked(std::int64_t location) const {
  const auto at = RowLocation::of(location);
  EVQ_CHECK(at.block < snapshot_.blocks().size() && at.row < snapshot_.blocks()[at.block].rows);
  return at;
}

Result<RowId> RowLocator::id(std::int64_t time, std::int64_t location) {
  const RowLocation at = checked(location);
  const SnapshotBlock& info = snapshot_.blocks()[at.block];
  RowId id{time, info.first_ordinal + at.row};
  if (!info.ordinals_dense) {
    EVQ_TRY_ASSIGN(const std::int64_t ordinal,
                   read(&ordinals_, at, [](StoredBlock& open) { return open.ordinals(); }));
    id.ordinal = static_cast<std::uint64_t>(ordinal);
  }
  return id;
}

Result<std::int64_t> RowLocator::system_time(std::int64_t location) {
  const RowLocation at = checked(location);
  const SnapshotBlock& info = snapshot_.blocks()[at.block];
  if (info.min_sys_time == info.max_sys_time) {
    return info.min_sys_time;
  }
  return read(&system_times_, at, [](StoredBlock& open) { return open.column(kSysTimeField); });
}

Result<std::int64_t> RowLocator::read(ColumnsByBlock* columns, const RowLocation& at,
                                      ReadColumn read_column) {
  auto known = columns->find(at.block);
  if (known == columns->end()) {
    EVQ_TRY_ASSIGN(StoredBlock open, snapshot_.open(snapshot_.blocks()[at.block]));
    EVQ_TRY_ASSIGN(Vector column, read_column(open));
    known = columns->emplace(at.block, std::move(column)).first;
  }
  return known->second.at<std::int64_t>(at.row);
}

}  // namespace evq
