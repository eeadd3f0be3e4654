#include "cli/store_exposure.h"

#include <algorithm>

#include <sys/stat.h>
#include <unistd.h>

#include "cli/shell_word.h"
#include "store/base/file.h"

namespace evq {
namespace {

// Those of a group are meant to share the store: evq itself gives them nothing.
constexpr mode_t kOthersWrite = S_IWOTH;
constexpr mode_t kOthersEnter = S_IXOTH;

// A link says nothing: those inside a store are not followed.
bool others_may_write(const std::string& path) {
  struct stat about {};
  return ::lstat(path.c_str(), &about) == 0 && !S_ISLNK(about.st_mode) &&
         (about.st_mode & kOthersWrite) != 0;
}

// Something in the folder that others may write to; empty without any.
std::string writable_in(const std::string& folder) {
  const auto names = list_directory(folder);
  if (!names.ok()) {
    return {};
  }
  const auto found = std::ranges::find_if(
      *names, [&](const std::string& name) { return others_may_write(folder + "/" + name); });
  return found == names->end() ? std::string() : folder + "/" + *found;
}

}  // namespace

std::string store_exposure(const std::string& directory) {
  struct stat folder {};
  if (::stat(directory.c_str(), &folder) != 0) {
    return {};
  }
  const uid_t user = ::geteuid();
  if (user != 0 && folder.st_uid != 0 && folder.st_uid != user) {
    return directory +
           " belongs to another user, who may change what is in it; chown -R gives it to one";
  }
  std::string writable;
  if ((folder.st_mode & kOthersWrite) != 0) {
    writable = directory;
  } else if ((folder.st_mode & kOthersEnter) != 0) {
    writable = writable_in(directory);
    writable = writable.empty() ? writable_in(directory + "/datasets") : writable;
  }
  return writable.empty() ? std::string()
                          : "other users may write to " + writable + "; chmod -R o-w " +
                                shell_word(directory) + " ends that";
}

}  // namespace evq
