#pragma once
// QuietDatasets: the datasets in which nothing was due when they were last looked after, told by
// the marks of their files. While those stay, only time can make something due: a block that
// outlives the retention period. So regular upkeep need not open thousands of datasets that nobody
// writes to.
//
// A file system's clock is coarse: two changes of a file within a tick may leave the same mark. So
// a file that was changed within the last seconds is never quiet. Any thread.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "store/base/file.h"
#include "store/base/mutex.h"
#include "store/base/result.h"
#include "store/dataset.h"

namespace evq {

// The marks of a dataset's file and of its write-ahead file.
using FileMarks = std::array<FileMark, 2>;

// The least max_time of all blocks of the dataset; INT64_MAX when it has none.
Result<std::int64_t> oldest_end(Dataset& dataset);

class QuietDatasets {
 public:
  // The marks of the files at `path`; nothing when they were changed just now.
  static std::optional<FileMarks> look(const std::string& path);
  // Whether the dataset was noted, its files are what they were, and no block ended before
  // `before`.
  bool holds(std::uint64_t file_id, const std::string& path, std::optional<std::int64_t> before);
  // Notes that nothing was due at `marks`, unless the files have changed since.
  void note(std::uint64_t file_id, const std::string& path, const FileMarks& marks,
            std::int64_t oldest_end);

 private:
  struct Quiet {
    FileMarks marks;
    std::int64_t oldest_end = 0;
  };
  Mutex mutex_;
  std::unordered_map<std::uint64_t, Quiet> quiet_ EVQ_GUARDED_BY(mutex_);
};

}  // namespace evq
