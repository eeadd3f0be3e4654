#pragma once
// FollowedPath: a name at which a program writes its log, and the files that stand there one after
// the other as rotation renames them. Looks at names and their files, never at what is in these.
// Nothing here fails: a file that cannot be opened now may be at the next look, as one that
// logrotate has made for root and hands over to its writer a moment later. One thread; PathWatch
// looks on another one while that waits.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/follow_progress.h"
#include "store/base/control.h"
#include "store/base/file.h"
#include "store/base/mutex.h"
#include "store/base/thread_pool.h"

namespace evq {

// The regular file that a name leads to, or that is open; nullopt for anything else.
std::optional<FileIdentity> regular_file_at(const std::string& path);
std::optional<FileIdentity> regular_file_of(const File& file);

class FollowedPath {
 public:
  // For so long a file may be out of reach before the user is told: longer than rotation takes.
  static constexpr std::int64_t kTroubleToldMs = 2000;

  // `control` ends waits and must outlive the object.
  FollowedPath(std::string path, const QueryControl& control);

  const std::string& path() const { return path_; }
  // Returns the names under which a file may be found that was read before, likeliest first: the
  // path, or what rotation has made of it in its folder. Names of files with its inode on another
  // device come last: the number of a device may be another after each start of the machine, and
  // what is in the file has to tell.
  std::vector<std::string> names_of(const FileIdentity& file) const;

  struct Sight {
    std::optional<std::size_t> known = std::nullopt;    // the index of the one that is there
    std::optional<File> opened = std::nullopt;          // one that is not known
    std::optional<std::string> trouble = std::nullopt;  // why none can be opened: once, to be told
  };
  // Returns what stands at the path now; nothing while there is none.
  Sight look(std::span<const FileIdentity> known, std::int64_t now_ns);

 private:
  Sight troubled(std::string reason, std::int64_t now_ns);

  const std::string path_;
  const QueryControl& control_;
  std::optional<std::int64_t> trouble_since_ns_;
  bool trouble_told_ = false;
};

// Looks at a path while the thread that does it otherwise is in a call that may last as long as a
// server likes. Between begin() and end() nobody else may look at the path.
class PathWatch {
 public:
  static constexpr std::int64_t kPollMs = 100;

  // Is called on the thread for each file that was opened.
  using Opened = std::function<void(const File& file)>;

  explicit PathWatch(FollowedPath& path) : path_(path) {}

  // Looks for other files than the known ones, until there are `files_max` with these.
  void begin(std::vector<FileIdentity> known, std::size_t files_max, Opened opened);
  // Returns what was opened since, in the order in which it came, and what is to be told.
  std::vector<FollowedPath::Sight> end();

 private:
  void run();
  bool wait_for_end();  // false: kPollMs are over before

  FollowedPath& path_;
  // The thread's own while it runs.
  std::vector<FileIdentity> known_;
  std::size_t files_max_ = 0;
  Opened opened_;
  std::vector<FollowedPath::Sight> seen_;
  Mutex mutex_;
  CondVar changed_;
  bool runs_ EVQ_GUARDED_BY(mutex_) = false;
  bool is_over_ EVQ_GUARDED_BY(mutex_) = false;
  ThreadPool thread_{1};
};

}  // namespace evq
