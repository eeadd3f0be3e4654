#include "store/open_datasets.h"

#include <algorithm>
#include <utility>

#include "store/base/file.h"
#include "store/base/limits.h"
#include "store/base/process.h"
#include "store/base/system_call.h"

namespace evq {

namespace {

OpenDatasets::Options within_descriptors(OpenDatasets::Options options) {
  options.open_max = std::min(options.open_max, descriptor_limit() / kDescriptorsPerOpenDataset);
  return options;
}

}  // namespace

OpenDatasets::OpenDatasets(Options options, CatalogDefinitions& definitions)
    : options_(within_descriptors(std::move(options))), definitions_(definitions) {}

Result<std::shared_ptr<Dataset>> OpenDatasets::open(std::string_view name,
                                                    DatasetDefinition* definition) {
  if (is_short()) {
    close_idle(0);  // one that is open may need more of them, to be written for the first time
  }
  Result<DatasetFileName> file = definitions_.find_file(name, definition);
  if (std::shared_ptr<Dataset> known = find(name, file)) {
    return known;
  }
  if (!file.ok()) {
    return std::move(file).take_error();
  }
  std::vector<std::shared_ptr<Dataset>> closed;  // after the turn: a checkpoint takes a while
  EVQ_TRY_ASSIGN(const Turn::Holder turn,
                 opening_.take(dataset_path(options_.directory, file->file_id)));
  // Whoever had the turn may have opened it, and it may be another one by now.
  file = definitions_.find_file(name, definition);
  if (std::shared_ptr<Dataset> known = find(name, file)) {
    return known;
  }
  if (!file.ok()) {
    return std::move(file).take_error();
  }
  Result<std::shared_ptr<Dataset>> dataset = open_file(name, *file);
  if (dataset.ok()) {
    closed = keep(name, *dataset);  // a drop from now on closes it, and one before shows
  }
  // Opened while its files were being removed, it may lack those that went first.
  if (is_dropped(name, file->file_id)) {
    close(name);
    return missing_dataset(name);
  }
  return dataset;
}

// The dataset if this file of it is open. Another file, or one that is gone, is closed.
std::shared_ptr<Dataset> OpenDatasets::find(std::string_view name,
                                            const Result<DatasetFileName>& file) {
  std::shared_ptr<Dataset> closed;  // without the lock
  const MutexLock lock(mutex_);
  const auto known = open_.find(name);
  if (known == open_.end()) {
    return nullptr;
  }
  if (file.ok() && known->second.dataset->file_id() == file->file_id) {
    known->second.last_use = ++uses_;
    return known->second.dataset;
  }
  if (file.ok() || file.error().code == ErrorCode::kNotFound) {
    closed = std::move(known->second.dataset);
    open_.erase(known);
  }
  return nullptr;
}

Result<std::shared_ptr<Dataset>> OpenDatasets::open_file(std::string_view name,
                                                         const DatasetFileName& file) {
  DatabaseOptions options = options_.file;
  options.path = dataset_path(options_.directory, file.file_id);
  if (is_short()) {
    return no_descriptors(options.path + ": too many files are open for one more dataset");
  }
  return Dataset::open(std::string(name), file, options);
}

// Nobody asks where those of datasets are few of all: a server's connections have half of them, and
// some more while the oldest ones go.
bool OpenDatasets::is_short() {
  {
    const MutexLock lock(mutex_);
    if ((open_.size() + 1) * kDescriptorsPerOpenDataset < descriptor_limit() / 4) {
      return false;
    }
  }
  return !room_.take(kDescriptorsPerOpenDataset);
}

std::vector<std::shared_ptr<Dataset>> OpenDatasets::keep(std::string_view name,
                                                         const std::shared_ptr<Dataset>& dataset) {
  std::vector<std::shared_ptr<Dataset>> surplus;  // without the lock
  const MutexLock lock(mutex_);
  surplus = take_idle(1, options_.open_max);
  open_.insert_or_assign(std::string(name), Open{dataset, ++uses_});
  return surplus;
}

// Those that nobody uses and that were used longest ago. The map's reference to them is the only
// one, and no other can come up under the lock.
std::vector<std::shared_ptr<Dataset>> OpenDatasets::take_idle(std::size_t opening,
                                                              std::size_t left_max) {
  std::vector<std::shared_ptr<Dataset>> taken;
  if (open_.size() + opening <= left_max) {
    return taken;
  }
  std::vector<Map::iterator> idle;
  for (auto at = open_.begin(); at != open_.end(); ++at) {
    if (at->second.dataset.use_count() == 1) {
      idle.push_back(at);
    }
  }
  const std::size_t surplus = open_.size() + opening - left_max;
  if (surplus < idle.size()) {
    const auto last_use = [](const auto& at) { return at->second.last_use; };
    const auto kept = idle.begin() + static_cast<std::ptrdiff_t>(surplus);
    std::ranges::nth_element(idle, kept, {}, last_use);
    idle.erase(kept, idle.end());
  }
  taken.reserve(idle.size());
  for (const auto& at : idle) {
    taken.push_back(std::move(at->second.dataset));
    open_.erase(at);
  }
  return taken;
}

void OpenDatasets::close(std::string_view name) {
  std::shared_ptr<Dataset> closed;  // without the lock
  const MutexLock lock(mutex_);
  if (const auto known = open_.find(name); known != open_.end()) {
    closed = std::move(known->second.dataset);
    open_.erase(known);
  }
}

// A query over thousands of datasets leaves all of them open, and perhaps nobody opens another.
void OpenDatasets::close_unused() {
  close_removed();
  close_idle(options_.open_max);
}

// Who still uses one keeps it open for so long.
void OpenDatasets::close_removed() {
  std::vector<std::shared_ptr<Dataset>> closed;  // without the lock
  const MutexLock lock(mutex_);
  closed.reserve(open_.size());
  for (auto known = open_.begin(); known != open_.end();) {
    const auto at = known++;
    if (!file_exists(dataset_path(options_.directory, at->second.dataset->file_id()))) {
      closed.push_back(std::move(at->second.dataset));
      open_.erase(at);
    }
  }
}

void OpenDatasets::close_idle(std::size_t left_max) {
  std::vector<std::shared_ptr<Dataset>> closed;  // without the lock
  const MutexLock lock(mutex_);
  closed = take_idle(0, left_max);
}

bool OpenDatasets::is_dropped(std::string_view name, std::uint64_t file_id) {
  const Result<DatasetFileName> now = definitions_.find_file(name);
  return now.ok() ? now->file_id != file_id : now.error().code == ErrorCode::kNotFound;
}

}  // namespace evq
