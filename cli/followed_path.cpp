#include "cli/followed_path.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include <sys/stat.h>

#include "store/base/system_call.h"
#include "store/base/time.h"

namespace evq {
namespace {

std::optional<FileIdentity> regular_file(const struct stat& info) {
  return S_ISREG(info.st_mode) ? std::optional(FileIdentity{info.st_dev, info.st_ino})
                               : std::nullopt;
}

}  // namespace

std::optional<FileIdentity> regular_file_at(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? regular_file(info) : std::nullopt;
}

std::optional<FileIdentity> regular_file_of(const File& file) {
  struct stat info {};
  return ::fstat(file.descriptor(), &info) == 0 ? regular_file(info) : std::nullopt;
}

FollowedPath::FollowedPath(std::string path, const QueryControl& control)
    : path_(std::move(path)), control_(control) {}

std::vector<std::string> FollowedPath::names_of(const FileIdentity& file) const {
  std::set<std::string> folders = {parent_of(path_)};
  std::error_code dangling;
  if (const auto target = std::filesystem::canonical(path_, dangling); !dangling) {
    folders.insert(target.parent_path().string());  // where the file of a link is renamed
  }
  std::vector<std::string> names = {path_};
  for (const std::string& folder : folders) {
    const auto siblings = list_directory(folder);
    for (const std::string& name : siblings.ok() ? siblings.value() : std::vector<std::string>()) {
      names.push_back((std::filesystem::path(folder) / name).string());
    }
  }
  std::vector<std::string> same;
  std::vector<std::string> of_other_devices;
  for (std::string& name : names) {
    const std::optional<FileIdentity> there = regular_file_at(name);
    if (there == file) {
      same.push_back(std::move(name));
    } else if (there.has_value() && there->inode == file.inode) {
      of_other_devices.push_back(std::move(name));
    }
  }
  std::ranges::move(of_other_devices, std::back_inserter(same));
  return same;
}

FollowedPath::Sight FollowedPath::look(std::span<const FileIdentity> known, std::int64_t now_ns) {
  struct stat info {};
  if (::stat(path_.c_str(), &info) != 0) {
    if (const int reason = errno; reason != ENOENT) {
      return troubled(system_error("look at", path_, reason).message, now_ns);
    }
    trouble_since_ns_.reset();
    return {};
  }
  const std::optional<FileIdentity> there = regular_file(info);
  if (!there.has_value()) {
    return troubled(path_ + " is no regular file", now_ns);
  }
  if (const auto same = std::ranges::find(known, *there); same != known.end()) {
    trouble_since_ns_.reset();
    return {.known = static_cast<std::size_t>(same - known.begin())};
  }
  auto opened = File::open_input(path_, control_);
  if (!opened.ok() && opened.error().code != ErrorCode::kNotFound) {
    return troubled(opened.error().message, now_ns);
  }
  trouble_since_ns_.reset();
  // By now it may be a file that was there before: the next look tells.
  const auto identity = opened.ok() ? regular_file_of(*opened) : std::nullopt;
  if (!identity.has_value() || std::ranges::find(known, *identity) != known.end()) {
    return {};
  }
  return {.opened = std::move(opened).value()};
}

FollowedPath::Sight FollowedPath::troubled(std::string reason, std::int64_t now_ns) {
  if (!trouble_since_ns_.has_value()) {
    trouble_since_ns_ = now_ns;
    trouble_told_ = false;
  }
  if (now_ns - *trouble_since_ns_ < kTroubleToldMs * kMillisecondNs ||
      std::exchange(trouble_told_, true)) {
    return {};
  }
  return {.trouble = std::move(reason)};
}

void PathWatch::begin(std::vector<FileIdentity> known, std::size_t files_max, Opened opened) {
  known_ = std::move(known);
  files_max_ = files_max;
  opened_ = std::move(opened);
  {
    const MutexLock lock(mutex_);
    runs_ = true;
    is_over_ = false;
  }
  if (!thread_.offer([this] { run(); })) {
    const MutexLock lock(mutex_);
    runs_ = false;  // no thread is to be had: nobody looks this time
  }
}

std::vector<FollowedPath::Sight> PathWatch::end() {
  const MutexLock lock(mutex_);
  is_over_ = true;
  changed_.notify_all();
  while (runs_) {
    changed_.wait(mutex_);
  }
  return std::exchange(seen_, {});
}

void PathWatch::run() {
  while (!wait_for_end()) {
    if (known_.size() >= files_max_) {
      continue;
    }
    FollowedPath::Sight sight = path_.look(known_, monotonic_now_ns());
    const auto identity = sight.opened ? regular_file_of(*sight.opened) : std::nullopt;
    if (identity.has_value()) {
      known_.push_back(*identity);
      opened_(*sight.opened);
    }
    if (identity.has_value() || sight.trouble.has_value()) {
      seen_.push_back(std::move(sight));
    }
  }
  const MutexLock lock(mutex_);
  runs_ = false;
  changed_.notify_all();
}

bool PathWatch::wait_for_end() {
  const MutexLock lock(mutex_);
  while (!is_over_ && changed_.wait_for_ms(mutex_, kPollMs)) {
  }
  return is_over_;
}

}  // namespace evq
