#include "cli/scratch_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/terminal/terminal.h"
#include "store/base/ascii.h"

namespace evq {
namespace {

constexpr std::string_view kPrefix = "evq-";
constexpr std::string_view kPattern = "XXXXXX";
constexpr std::string_view kLockName = "/owner.lock";

void remove_folder(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

bool is_scratch_name(std::string_view name) {
  return name.size() == kPrefix.size() + kPattern.size() && name.starts_with(kPrefix) &&
         std::ranges::all_of(name.substr(kPrefix.size()), is_letter_or_digit);
}

// The lock of this user's folder whose owner is dead; a closed file for any other. A folder without
// the file is just being made, or is not ours at all.
File lock_of_dead_owner(const std::string& folder) {
  const std::string path = folder + std::string(kLockName);
  struct stat about {};
  if (::lstat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode) ||
      about.st_uid != ::geteuid()) {
    return {};
  }
  if (::lstat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) {
    return {};
  }
  auto lock = File::open_read_write(path);
  const bool dead = lock.ok() && ::flock(lock->descriptor(), LOCK_EX | LOCK_NB) == 0;
  return dead ? std::move(lock).value() : File();
}

void remove_abandoned(const std::string& place) {
  const Result<bool> network = is_network_filesystem(place);
  if (!network.ok() || *network) {
    return;
  }
  const auto names = list_directory(place);
  if (!names.ok()) {
    return;
  }
  for (const std::string& name : *names) {
    if (!is_scratch_name(name)) {
      continue;
    }
    const std::string folder = place + "/" + name;
    if (const File lock = lock_of_dead_owner(folder); lock.is_open()) {
      remove_folder(folder);
    }
  }
}

// Locked before it has the name that others look for.
Result<File> make_lock(const std::string& folder) {
  const std::string path = folder + std::string(kLockName);
  const std::string unnamed = path + ".new";
  EVQ_TRY_ASSIGN(File lock, File::create_new(unnamed));
  if (::flock(lock.descriptor(), LOCK_EX | LOCK_NB) != 0 ||
      std::rename(unnamed.c_str(), path.c_str()) != 0) {
    static_cast<void>(remove_file(unnamed).ok());  // nobody will remove the folder but its owner
  }
  return lock;
}

}  // namespace

Result<ScratchFolder> ScratchFolder::make() {
  const std::string place = process_environment()("TMPDIR").value_or("/tmp");
  remove_abandoned(place);
  std::string path = place + "/" + std::string(kPrefix) + std::string(kPattern);
  if (::mkdtemp(path.data()) == nullptr) {
    return make_error(ErrorCode::kIo,
                      "cannot make a folder in " + place + ": " + std::strerror(errno),
                      "TMPDIR names another place");
  }
  auto lock = make_lock(path);
  if (!lock.ok()) {
    remove_folder(path);
    return lock.error();
  }
  return ScratchFolder(std::move(path), std::move(lock).value());
}

ScratchFolder::~ScratchFolder() {
  if (!path_.empty()) {
    remove_folder(path_);
  }
}

}  // namespace evq
