#include "store/store.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "store/backup.h"
#include "store/base/check.h"
#include "store/base/file.h"
#include "store/base/limits.h"
#include "store/base/mutex.h"
#include "store/base/thread_pool.h"
#include "store/base/wait_scope.h"
#include "store/catalog/unsynced_vfs.h"
#include "store/catalog_definitions.h"
#include "store/checker.h"
#include "store/compactor.h"
#include "store/dataset.h"
#include "store/load.h"
#include "store/open_datasets.h"
#include "store/quiet_datasets.h"
#include "store/removal.h"
#include "store/retention_clock.h"
#include "store/segment_cache.h"

namespace evq {

namespace {

class DirectoryStore final : public Store {
 public:
  DirectoryStore(StoreOptions options, std::string directory)
      : options_(std::move(options)),
        directory_(std::move(directory)),
        definitions_({directory_, options_.vfs}),
        cache_(std::make_shared<SegmentCache>(options_.cache_bytes, options_.cache_bytes_grown)),
        retention_(definitions_),
        open_({directory_, file_options(), options_.open_datasets_max}, definitions_) {}

  Definitions& definitions() override { return definitions_; }
  Status drop_dataset(std::string_view dataset) override;
  Result<bool> drop_damaged_dataset(std::string_view dataset) override;
  Result<DatasetStats> stats(std::string_view name) override;
  Result<std::vector<FieldInfo>> fields(std::string_view name) override;
  Result<FieldAttributes> change_field(std::string_view name, std::string_view field,
                                       const FieldChange& change) override;
  Result<Snapshot> snapshot(std::string_view name) override;
  Result<Snapshot> sound_snapshot(std::string_view name, const SoundRange& range,
                                  std::vector<std::string>* problems) override;
  Result<IngestReport> ingest(std::string_view name, ByteSource& source,
                              const IngestRequest& request, QueryControl& control) override;
  Result<RemoveReport> remove(std::string_view name, const RowFilter& doomed, Removal removal,
                              QueryControl& control) override;
  Result<std::uint64_t> trim(std::string_view name, std::int64_t before,
                             QueryControl& control) override;
  Status maintain(std::string_view name, Maintenance maintenance, QueryControl& control) override;
  void close_unused() override { open_.close_unused(); }
  Result<BackupReport> back_up(const std::string& target, const BackupProgress& progress,
                               QueryControl& control) override;
  Result<CheckReport> check(QueryControl& control) override;

 private:
  class IngestTarget;

  Result<std::shared_ptr<Dataset>> open_or_create(std::string_view name);
  std::shared_ptr<FieldAdmission> admission_of_new(std::string_view name);
  // What `run` makes of the dataset; kNotFound when it failed because somebody dropped it
  // meanwhile.
  template <class Run>
  auto with_dataset(std::string_view name, const Run& run, DatasetDefinition* definition = nullptr)
      -> decltype(run(std::shared_ptr<Dataset>()));
  Status maintain_due(std::string_view name, QueryControl& control);
  Status maintain(const std::shared_ptr<Dataset>& dataset, const DatasetDefinition& definition,
                  Maintenance maintenance, QueryControl& control);
  bool is_roomy() const;
  DatabaseOptions file_options() const;
  IngestOptions options_for(IngestOptions options, const DatasetDefinition& definition) const;
  CompactOptions compact_options() const { return {options_.block_rows, options_.pool, cache_}; }

  const StoreOptions options_;
  const std::string directory_;
  CatalogDefinitions definitions_;
  const std::shared_ptr<SegmentCache> cache_;

  RetentionClock retention_;
  QuietDatasets quiet_;
  OpenDatasets open_;
  Mutex mutex_;
  // Of the loads into datasets that are not there yet.
  std::map<std::string, std::weak_ptr<FieldAdmission>> new_admissions_ EVQ_GUARDED_BY(mutex_);
};

Error missing_store(const std::string& directory) {
  return make_error(ErrorCode::kNotFound, "there is no store in " + directory,
                    "ingest something first, or name another directory with --store");
}

// ---------------------------------------------------------------- datasets

DatabaseOptions DirectoryStore::file_options() const {
  DatabaseOptions options;
  options.reserve_path = reserve_path(directory_);
  options.vfs = options_.vfs;
  options.page_size_bytes = kDatasetPageBytes;
  if (options_.background_upkeep) {
    options.wal_bytes_target = kBusyWalBytesTarget;
  }
  return options;
}

template <class Run>
auto DirectoryStore::with_dataset(std::string_view name, const Run& run,
                                  DatasetDefinition* definition)
    -> decltype(run(std::shared_ptr<Dataset>())) {
  EVQ_TRY_ASSIGN(const std::shared_ptr<Dataset> dataset, open_.open(name, definition));
  auto outcome = run(dataset);
  if (!outcome.ok() && open_.is_dropped(name, dataset->file_id())) {
    return missing_dataset(name);
  }
  return outcome;
}

Result<std::shared_ptr<Dataset>> DirectoryStore::open_or_create(std::string_view name) {
  EVQ_TRY(definitions_.make_durable());
  for (std::size_t deleted = 0;; ++deleted) {  // as soon as it was made
    Result<std::shared_ptr<Dataset>> dataset = open_.open(name);
    if (dataset.ok() || dataset.error().code != ErrorCode::kNotFound ||
        deleted == kIngestDeletionsMax) {
      return dataset;
    }
    DatasetDefinition definition;
    definition.name = name;
    definition.kind = "axiom:events:v1";
    Result<DatasetDefinition> made = definitions_.create_dataset(definition);
    if (!made.ok() && made.error().code != ErrorCode::kConflict) {
      return std::move(made).take_error();
    }
  }
}

// A dataset that is yet to be made has two fields; it is made when something is committed.
std::shared_ptr<FieldAdmission> DirectoryStore::admission_of_new(std::string_view name) {
  const MutexLock lock(mutex_);
  std::erase_if(new_admissions_, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<FieldAdmission>& shared = new_admissions_[std::string(name)];
  std::shared_ptr<FieldAdmission> admission = shared.lock();
  if (admission == nullptr) {
    admission = make_field_admission({"_time", "_sysTime"});
    shared = admission;
  }
  return admission;
}

Status DirectoryStore::drop_dataset(std::string_view dataset) {
  EVQ_TRY(definitions_.drop_dataset(dataset));
  open_.close(dataset);
  return {};
}

Result<bool> DirectoryStore::drop_damaged_dataset(std::string_view dataset) {
  const Status dropped = drop_dataset(dataset);
  if (dropped.ok()) {
    return true;
  }
  if (dropped.error().code != ErrorCode::kCorrupt) {
    return dropped.error();
  }
  open_.close(dataset);  // from before the damage
  return definitions_.drop_damaged_dataset(dataset);
}

Result<DatasetStats> read_stats(Dataset& dataset) {
  EVQ_TRY_ASSIGN(ReadLease lease, dataset.database().begin_read());
  EVQ_TRY_ASSIGN(const Counters counters, read_counters(lease.connection(), dataset.file_key()));
  EVQ_TRY_ASSIGN(const std::vector<BlockRow> rows, read_blocks(lease.connection(), counters));
  DatasetStats stats;
  stats.file_bytes = dataset.database().file_bytes();
  for (const BlockRow& row : rows) {
    if (row.state == BlockState::kQueued) {
      ++stats.queued_blocks;
      continue;
    }
    const bool fresh = row.state == BlockState::kFresh;
    stats.blocks += fresh ? 0 : 1;
    stats.fresh_chunks += fresh ? 1 : 0;
    stats.fresh_rows += fresh ? row.rows : 0;
    stats.rows += row.rows;
    stats.raw_bytes += row.raw_bytes;
    stats.stored_bytes += row.stored_bytes;
    stats.min_time = std::min(stats.min_time.value_or(row.min_time), row.min_time);
    stats.max_time = std::max(stats.max_time.value_or(row.max_time), row.max_time);
  }
  return stats;
}

Result<std::vector<FieldInfo>> read_field_infos(Dataset& dataset) {
  EVQ_TRY_ASSIGN(ReadLease lease, dataset.database().begin_read());
  EVQ_TRY_ASSIGN(const std::shared_ptr<const Listing> listing, dataset.listing(lease.connection()));
  std::vector<FieldInfo> fields;
  for (const FieldRow& row : listing->fields) {
    FieldInfo field;
    field.name = row.name;
    field.type = type_of_set(row.types);
    for (int i = 0; i < kTypeCount; ++i) {
      if (((row.types >> i) & 1U) != 0) {
        field.types_seen.push_back(static_cast<Type>(i));
      }
    }
    field.attributes = {row.unit, row.description, row.hidden};
    fields.push_back(std::move(field));
  }
  return fields;
}

Result<DatasetStats> DirectoryStore::stats(std::string_view name) {
  return with_dataset(name,
                      [](const std::shared_ptr<Dataset>& dataset) { return read_stats(*dataset); });
}

Result<std::vector<FieldInfo>> DirectoryStore::fields(std::string_view name) {
  return with_dataset(
      name, [](const std::shared_ptr<Dataset>& dataset) { return read_field_infos(*dataset); });
}

Result<FieldAttributes> DirectoryStore::change_field(std::string_view name, std::string_view field,
                                                     const FieldChange& change) {
  FieldAttributes attributes;
  WriteJob job;
  job.room = Room::little();
  job.apply = [&](DatasetWriter& writer) -> Status {
    const FieldRow* known = writer.find_field(field);
    if (known == nullptr) {
      return make_error(
          ErrorCode::kNotFound,
          "field '" + std::string(field) + "' not found in dataset '" + std::string(name) + "'");
    }
    attributes = {known->unit, known->description, known->hidden};
    change(&attributes);
    FieldRow row;
    row.name = field;
    row.hidden = attributes.hidden;
    row.unit = attributes.unit;
    row.description = attributes.description;
    EVQ_TRY_ASSIGN(const bool found, writer.describe_field(row));
    EVQ_CHECK(found);
    return {};
  };
  EVQ_TRY(with_dataset(
      name, [&](const std::shared_ptr<Dataset>& dataset) { return dataset->write(job); }));
  return attributes;
}

Result<Snapshot> DirectoryStore::snapshot(std::string_view name) {
  return with_dataset(name, [this](const std::shared_ptr<Dataset>& dataset) {
    return take_snapshot(dataset, cache_);
  });
}

Result<Snapshot> DirectoryStore::sound_snapshot(std::string_view name, const SoundRange& range,
                                                std::vector<std::string>* problems) {
  return with_dataset(name, [&](const std::shared_ptr<Dataset>& dataset) {
    return take_sound_snapshot(dataset, cache_, range, problems);
  });
}

// ---------------------------------------------------------------- ingest

// As the dataset wants them.
IngestOptions DirectoryStore::options_for(IngestOptions options,
                                          const DatasetDefinition& definition) const {
  options.batch_rows_max = std::min<std::size_t>(options.batch_rows_max, options_.block_rows);
  options.map_fields.insert(options.map_fields.end(), definition.map_fields.begin(),
                            definition.map_fields.end());
  return options;
}

// The dataset that one ingest writes into: there when it began, or made by its first commit; made
// anew where somebody deletes it on the way.
class DirectoryStore::IngestTarget {
 public:
  IngestTarget(DirectoryStore& store, std::string_view name) : store_(store), name_(name) {}

  // Looks for it, and gives what it wants of the options.
  Result<IngestOptions> find(const IngestOptions& asked) {
    DatasetDefinition definition;
    Result<std::shared_ptr<Dataset>> found = store_.open_.open(name_, &definition);
    if (!found.ok() && found.error().code != ErrorCode::kNotFound) {
      return std::move(found).take_error();
    }
    known_ = found.ok() ? *found : nullptr;
    return store_.options_for(asked, definition);
  }
  Result<std::shared_ptr<BuilderPool>> builders(const IngestOptions& options) {
    if (known_ != nullptr) {
      auto builders = known_->builders(options);
      if (builders.ok() || !is_deleted(*known_)) {
        return builders;
      }
      known_ = nullptr;
    }
    EVQ_TRY(check_dataset_name(name_));
    new_admission_ = store_.admission_of_new(name_);
    EVQ_TRY_ASSIGN(const auto rules, make_event_rules(options, new_admission_));
    return std::make_shared<BuilderPool>(rules);
  }
  // To be called again when what it gave was deleted.
  Result<std::shared_ptr<Dataset>> open() {
    if (known_ != nullptr && !std::exchange(given_, true)) {
      return known_;
    }
    EVQ_TRY_ASSIGN(std::shared_ptr<Dataset> made, store_.open_or_create(name_));
    if (new_admission_ != nullptr) {
      made->share_admission(new_admission_);
    }
    return made;
  }
  bool is_deleted(const Dataset& dataset) {
    return store_.open_.is_dropped(name_, dataset.file_id());
  }
  // Its builders may hold what was not stored.
  void renew_builders() {
    if (known_ != nullptr) {
      known_->renew_builders();
    }
  }

 private:
  DirectoryStore& store_;
  const std::string_view name_;
  std::shared_ptr<Dataset> known_;  // null: there was none
  bool given_ = false;
  std::shared_ptr<FieldAdmission> new_admission_;
};

Result<IngestReport> DirectoryStore::ingest(std::string_view name, ByteSource& source,
                                            const IngestRequest& request, QueryControl& control) {
  const WaitScope scope(control);
  EVQ_TRY(definitions_.make_durable());
  IngestTarget target(*this, name);
  EVQ_TRY_ASSIGN(const IngestOptions options, target.find(request.options));
  StreamContext context;
  context.control = &control;
  context.keeps_read = request.keeps_read && !request.atomic;
  context.pool = request.parallel ? options_.pool : nullptr;
  EVQ_TRY_ASSIGN(context.builders, target.builders(options));
  context.before = request.before;
  context.reject = request.reject;
  context.clock = request.clock;
  std::optional<ThreadPool> committer;
  if (!request.atomic && context.pool != nullptr && context.pool->threads() != 0) {
    context.committer = &committer.emplace(1);
  }
  CompactOptions compact = compact_options();
  compact.pool = context.pool;
  Load load([&target] { return target.open(); }, request,
            {compact, options_.pool, !options_.background_upkeep,
             [&target](const Dataset& dataset) { return target.is_deleted(dataset); }},
            control);
  IngestCounts* const so_far = request.so_far != nullptr ? &request.so_far->counts : nullptr;
  Result<IngestCounts> counts = parse_stream(source, options, load, context, so_far);
  Status finished = counts.ok() ? load.finish(*counts) : Status();
  if (!counts.ok() || !finished.ok() || context.builders->refused_fields()) {
    target.renew_builders();
  }
  EVQ_TRY_ASSIGN(IngestCounts ingested, std::move(counts));
  EVQ_TRY(std::move(finished));
  return load.report(std::move(ingested));
}

// ---------------------------------------------------------------- remove and upkeep

Result<RemoveReport> DirectoryStore::remove(std::string_view name, const RowFilter& doomed,
                                            Removal removal, QueryControl& control) {
  const WaitScope scope(control);
  return with_dataset(name, [&](const std::shared_ptr<Dataset>& dataset) {
    return remove_matches(dataset, cache_, doomed, removal, control);
  });
}

Result<std::uint64_t> DirectoryStore::trim(std::string_view name, std::int64_t before,
                                           QueryControl& control) {
  const WaitScope scope(control);
  return with_dataset(name, [&](const std::shared_ptr<Dataset>& dataset) -> Result<std::uint64_t> {
    EVQ_TRY_ASSIGN(const std::uint64_t rows, queue_older(*dataset, before));
    if (rows != 0) {
      free_removed_if_possible(*dataset, control);
    }
    return rows;
  });
}

Status DirectoryStore::maintain(std::string_view name, Maintenance maintenance,
                                QueryControl& control) {
  const WaitScope scope(control);
  if (maintenance == Maintenance::kDue) {
    return maintain_due(name, control);
  }
  DatasetDefinition definition;
  return with_dataset(
      name,
      [&](const std::shared_ptr<Dataset>& dataset) {
        return maintain(dataset, definition, Maintenance::kFull, control);
      },
      &definition);
}

// Where nothing was due the last time and no file has changed since, a look at the files is enough.
// What can wait until nobody writes is done when nobody does.
Status DirectoryStore::maintain_due(std::string_view name, QueryControl& control) {
  DatasetDefinition definition;
  EVQ_TRY_ASSIGN(const DatasetFileName file, definitions_.find_file(name, &definition));
  const std::string path = dataset_path(directory_, file.file_id);
  if (is_roomy() && quiet_.holds(file.file_id, path, retention_.retained_from(definition))) {
    return {};
  }
  const std::optional<FileMarks> marks = QuietDatasets::look(path);
  return with_dataset(name, [&](const std::shared_ptr<Dataset>& dataset) -> Status {
    Status done = maintain(dataset, definition, Maintenance::kDue, control);
    if (done.ok() && marks) {
      done = merge_small(dataset, compact_options(), control);
    }
    // What is damaged stays so until somebody changes the file.
    if (marks && (done.ok() || done.error().code == ErrorCode::kCorrupt)) {
      EVQ_TRY_ASSIGN(const std::int64_t oldest, oldest_end(*dataset));
      quiet_.note(file.file_id, path, *marks, oldest);
    }
    return done;
  });
}

bool DirectoryStore::is_roomy() const {
  const auto room = free_disk_bytes(directory_);
  return room.ok() && *room > 2 * kDiskReserveBytesMin;
}

Status DirectoryStore::maintain(const std::shared_ptr<Dataset>& dataset,
                                const DatasetDefinition& definition, Maintenance maintenance,
                                QueryControl& control) {
  if (const std::optional<std::int64_t> before = retention_.retained_from(definition)) {
    EVQ_TRY(queue_older(*dataset, *before));
  }
  EVQ_TRY_ASSIGN(const DatasetStats now, read_stats(*dataset));
  if (now.queued_blocks != 0 || dataset->database().short_of_room()) {
    EVQ_TRY(free_removed(*dataset, control));  // before what needs room
  }
  const bool full = maintenance == Maintenance::kFull;
  Status merged = full ? compact(dataset, compact_options(), control)
                       : tidy_fresh(dataset, compact_options(), control);
  if (full && (merged.ok() || merged.error().code == ErrorCode::kCorrupt)) {
    EVQ_TRY(give_back(*dataset, control));
  }
  return merged;
}

Result<BackupReport> DirectoryStore::back_up(const std::string& target,
                                             const BackupProgress& progress,
                                             QueryControl& control) {
  const WaitScope scope(control);
  const auto with = [this](std::string_view name, const BackupSource::Run& run) {
    return with_dataset(name,
                        [&](const std::shared_ptr<Dataset>& dataset) { return run(*dataset); });
  };
  return evq::back_up({directory_, definitions_, with}, target, progress, control);
}

Result<CheckReport> DirectoryStore::check(QueryControl& control) {
  const WaitScope scope(control);
  return check_store({directory_, definitions_, open_}, control);
}

}  // namespace

Result<std::unique_ptr<Store>> Store::open(const StoreOptions& options) {
  if (options.directory.empty() || options.block_rows == 0 || options.block_rows > kBlockRowsMax) {
    return make_error(ErrorCode::kUsage, "a store needs a directory and blocks of 1 to 65536 rows");
  }
  EVQ_TRY_ASSIGN(const bool remote, is_network_filesystem(options.directory));
  if (remote) {
    return make_error(ErrorCode::kUnsupported,
                      options.directory +
                          " is on a network file system, where locks and syncs "
                          "cannot be trusted",
                      "choose a directory on a local disk");
  }
  if (!is_directory(options.directory)) {
    if (!options.create) {
      return missing_store(options.directory);
    }
    EVQ_TRY(make_private_directory(options.directory,
                                   options.scratch ? FolderUse::kUnsynced : FolderUse::kDurable));
  }
  // What may not be looked into would seem to be empty.
  if (auto names = list_directory(options.directory); !names.ok()) {
    return std::move(names).take_error();
  }
  // Links on the way to the store are the user's business; inside it none is followed.
  std::error_code failed;
  const std::string directory = std::filesystem::canonical(options.directory, failed).string();
  if (failed) {
    return make_error(ErrorCode::kIo, options.directory + ": " + failed.message());
  }
  StoreOptions opened = options;
  if (options.scratch) {
    if (file_exists(directory + "/catalog.db") || is_directory(directory + "/datasets")) {
      return make_error(ErrorCode::kConflict, directory + ": there is a store already");
    }
    opened.vfs = unsynced_vfs();
  }
  return std::unique_ptr<Store>(std::make_unique<DirectoryStore>(std::move(opened), directory));
}

}  // namespace evq
