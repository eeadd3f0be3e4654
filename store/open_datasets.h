#pragma once
// OpenDatasets: the datasets of a store whose files this process has open. The catalog says each
// time which file is meant, so that a dataset dropped or made anew by another process is seen.
//
// Opening a file may take long: its write-ahead file is read, or another process waited for. So one
// is opened at a time, and whoever wants one that is open does not wait. Some stay open when nobody
// uses them; those used longest ago go first, and hold nobody up but the one who closes them, while
// their write-ahead files are copied. Where datasets may have a quarter of the process's
// descriptors or more, and nearly all are taken, all of those are closed and no more are opened:
// what must be opened besides finds some left. Any thread.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/descriptor_room.h"
#include "store/base/mutex.h"
#include "store/base/result.h"
#include "store/base/turn.h"
#include "store/catalog_definitions.h"
#include "store/dataset.h"

namespace evq {

class OpenDatasets {
 public:
  // How files are opened: the path is filled in here.
  struct Options {
    std::string directory;  // of the store
    DatabaseOptions file;
    std::size_t open_max = 0;  // datasets; more only while they are in use
  };
  // `definitions` must outlive it.
  OpenDatasets(Options options, CatalogDefinitions& definitions);

  // Returns the open dataset, opening it when needed, and sets `definition` unless it is null.
  // Errors: kNotFound, kUnavailable while descriptors are short, those of Dataset::open(), and
  // kCancelled and kTimeout of the thread's WaitScope while another dataset is being opened.
  Result<std::shared_ptr<Dataset>> open(std::string_view name,
                                        DatasetDefinition* definition = nullptr);
  // Drops the dataset from the map; it closes when nobody uses it any more.
  void close(std::string_view name);
  // Closes datasets whose files are gone, which another process has dropped, and then idle ones,
  // those used longest ago first, until at most open_max are open.
  void close_unused();
  // Whether the catalog no longer names this file for the dataset, which explains a failure.
  bool is_dropped(std::string_view name, std::uint64_t file_id);

 private:
  struct Open {
    std::shared_ptr<Dataset> dataset;
    std::uint64_t last_use = 0;  // the number of the look-up
  };
  using Map = std::map<std::string, Open, std::less<>>;

  std::shared_ptr<Dataset> find(std::string_view name, const Result<DatasetFileName>& file);
  Result<std::shared_ptr<Dataset>> open_file(std::string_view name, const DatasetFileName& file);
  // Adds the dataset to the map; returns idle ones that have to go for it.
  std::vector<std::shared_ptr<Dataset>> keep(std::string_view name,
                                             const std::shared_ptr<Dataset>& dataset);
  // Takes idle datasets out of the map until at most left_max − opening are left, if it can.
  std::vector<std::shared_ptr<Dataset>> take_idle(std::size_t opening, std::size_t left_max)
      EVQ_REQUIRES(mutex_);
  void close_idle(std::size_t left_max);
  void close_removed();
  bool is_short();

  const Options options_;
  CatalogDefinitions& definitions_;
  DescriptorRoom room_;
  Turn opening_;
  Mutex mutex_;
  Map open_ EVQ_GUARDED_BY(mutex_);
  std::uint64_t uses_ EVQ_GUARDED_BY(mutex_) = 0;
};

}  // namespace evq
