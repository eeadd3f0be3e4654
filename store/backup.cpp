#include "store/backup.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "store/base/checksum.h"
#include "store/base/file.h"
#include "store/base/limits.h"
#include "store/base/on_scope_exit.h"
#include "store/catalog/database_copy.h"
#include "store/catalog/dataset_file.h"

namespace evq {
namespace {

// How often the catalog may name datasets that were made since the others were copied.
constexpr int kRoundsMax = 16;

// Without what ends in a slash, and with a folder before it.
std::string plain_path(const std::string& path) {
  std::filesystem::path plain = std::filesystem::path(path).lexically_normal();
  if (!plain.has_filename()) {
    plain = plain.parent_path();
  }
  return plain.string();
}

bool lies_in(const std::string& path, const std::string& directory) {
  return path == directory || path.starts_with(directory + "/");
}

// Whether a folder may take that name.
Status check_target(const std::string& target, const std::string& store) {
  if (target.empty() || target == "." || target == "..") {
    return make_error(ErrorCode::kUsage, "a backup needs a folder of its own",
                      "name one that is not there yet");
  }
  std::error_code failed;
  const auto real = std::filesystem::weakly_canonical(target, failed);
  if (!failed && lies_in(real.string(), store)) {
    return make_error(ErrorCode::kUsage, target + " is in the store itself",
                      "name a folder elsewhere, on another disk if there is one");
  }
  if (std::filesystem::is_symlink(target, failed)) {
    return make_error(ErrorCode::kConflict, target + " is a link",
                      "name a folder that is not there yet, or the one that it leads to");
  }
  if (!is_directory(target)) {
    return file_exists(target) ? make_error(ErrorCode::kConflict, target + " is there already",
                                            "name a folder that is not there yet")
                               : Status();
  }
  EVQ_TRY_ASSIGN(const std::vector<std::string> names, list_directory(target));
  return names.empty() ? Status()
                       : make_error(ErrorCode::kConflict, target + " is not empty",
                                    "name a folder that is not there yet, or one in it");
}

class Backup {
 public:
  Backup(const BackupSource& source, std::string target, const BackupProgress& progress,
         const QueryControl& control)
      : source_(source),
        target_(std::move(target)),
        folder_(target_ + ".partial-" + std::to_string(random_seed())),
        progress_(progress),
        control_(control) {}

  Result<BackupReport> run() {
    const OnScopeExit remove([this] { remove_failed(); });
    EVQ_TRY(make_private_directory(parent_of(target_)));
    EVQ_TRY(make_private_directory(folder_ + "/datasets"));
    EVQ_TRY_ASSIGN(std::vector<DatasetDefinition> named, source_.definitions.datasets());
    EVQ_TRY(measure(named));
    for (int round = 0; round < kRoundsMax; ++round) {
      EVQ_TRY(copy_datasets(named));
      EVQ_TRY_ASSIGN(named, source_.definitions.copy_to(catalog_path(), control_));
      if (has_all(named)) {
        EVQ_TRY(drop_others(named));
        const BackupReport made = report(named);
        EVQ_TRY(publish());
        return made;
      }
      EVQ_TRY(remove_copy(catalog_path()));
    }
    return make_error(ErrorCode::kUnavailable, "datasets are made faster than they are copied",
                      "try again in a moment");
  }

 private:
  struct Copied {
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
  };

  void remove_failed() const {
    if (done_) {
      return;
    }
    try {
      std::error_code ignored;
      std::filesystem::remove_all(renamed_ ? target_ : folder_, ignored);
    } catch (const std::bad_alloc&) {  // then it stays: unfinished under the name that says so
    }
  }

  std::string catalog_path() const { return folder_ + "/catalog.db"; }

  // What there is to copy, and whether there is room for it.
  Status measure(const std::vector<DatasetDefinition>& datasets) {
    bytes_total_ = size_or_zero(source_.directory + "/catalog.db");
    for (const DatasetDefinition& dataset : datasets) {
      bytes_total_ += size_or_zero(dataset_path(source_.directory, dataset.file_id));
    }
    EVQ_TRY_ASSIGN(const std::uint64_t room, free_disk_bytes(folder_));
    return bytes_total_ <= room
               ? Status()
               : make_error(ErrorCode::kDiskFull,
                            parent_of(target_) + ": the copy needs " +
                                std::to_string(bytes_total_ / kMebibyte + 1) + " MiB, " +
                                std::to_string(room / kMebibyte) + " MiB are free",
                            "name a folder on another disk");
  }

  // Those that are not copied yet. One that is gone meanwhile is missed when the catalog still
  // names it.
  Status copy_datasets(const std::vector<DatasetDefinition>& datasets) {
    for (const DatasetDefinition& definition : datasets) {
      if (copied_.contains(definition.file_id)) {
        continue;
      }
      const std::string path = dataset_path(folder_, definition.file_id);
      Status done = source_.with_dataset(definition.name, [&](Dataset& dataset) -> Status {
        return dataset.file_id() == definition.file_id ? copy_dataset(dataset, path) : Status();
      });
      if (!done.ok() && done.error().code == ErrorCode::kNotFound) {
        static_cast<void>(remove_copy(path));
        continue;
      }
      EVQ_TRY(std::move(done));
    }
    return {};
  }

  Status copy_dataset(Dataset& dataset, const std::string& path) {
    EVQ_TRY_ASSIGN(ReadLease lease, dataset.database().begin_read());
    Copied copied;
    EVQ_TRY_ASSIGN(const Counters counters, read_counters(lease.connection(), dataset.file_key()));
    RowProblems damaged;  // is copied as it is
    EVQ_TRY_ASSIGN(const std::vector<BlockRow> blocks,
                   read_blocks(lease.connection(), counters, &damaged));
    for (const BlockRow& block : blocks) {
      copied.rows += block.state == BlockState::kQueued ? 0 : block.rows;
    }
    const auto tell = [this](std::uint64_t bytes) {
      if (progress_) {
        progress_(bytes_ + bytes, std::max(bytes_total_, bytes_ + bytes));
      }
    };
    EVQ_TRY_ASSIGN(copied.bytes, copy_database(lease.connection(), path, control_, tell));
    bytes_ += copied.bytes;
    copied_.emplace(dataset.file_id(), copied);
    return {};
  }

  bool has_all(const std::vector<DatasetDefinition>& named) const {
    return std::ranges::all_of(named, [this](const DatasetDefinition& dataset) {
      return copied_.contains(dataset.file_id);
    });
  }

  // Datasets that went after they were copied.
  Status drop_others(const std::vector<DatasetDefinition>& named) {
    for (auto at = copied_.begin(); at != copied_.end();) {
      if (std::ranges::find(named, at->first, &DatasetDefinition::file_id) != named.end()) {
        ++at;
        continue;
      }
      EVQ_TRY(remove_copy(dataset_path(folder_, at->first)));
      at = copied_.erase(at);
    }
    return {};
  }

  Status publish() {
    EVQ_TRY(sync_directory(folder_ + "/datasets"));
    EVQ_TRY(sync_directory(folder_));
    if (std::rename(folder_.c_str(), target_.c_str()) != 0) {
      const int reason = errno;
      return make_error(
          reason == ENOTEMPTY || reason == EEXIST ? ErrorCode::kConflict : ErrorCode::kIo,
          target_ + ": " + std::generic_category().message(reason),
          "name a folder that is not there yet");
    }
    renamed_ = true;
    EVQ_TRY(sync_directory(parent_of(target_)));
    done_ = true;
    return {};
  }

  BackupReport report(const std::vector<DatasetDefinition>& named) const {
    BackupReport report;
    report.datasets = named.size();
    report.bytes = size_or_zero(catalog_path());
    for (const auto& [file_id, copied] : copied_) {
      report.rows += copied.rows;
      report.bytes += copied.bytes;
    }
    return report;
  }

  const BackupSource& source_;
  const std::string target_;
  const std::string folder_;  // until the copy is whole
  const BackupProgress& progress_;
  const QueryControl& control_;
  std::map<std::uint64_t, Copied> copied_;  // datasets, by the number of their file
  std::uint64_t bytes_ = 0;                 // of them
  std::uint64_t bytes_total_ = 0;           // about
  bool renamed_ = false;
  bool done_ = false;
};

}  // namespace

Result<BackupReport> back_up(const BackupSource& source, const std::string& target,
                             const BackupProgress& progress, const QueryControl& control) {
  const std::string plain = plain_path(target);
  EVQ_TRY(check_target(plain, source.directory));
  return Backup(source, plain, progress, control).run();
}

}  // namespace evq
