#pragma once
// ScratchFolder: a private folder evq-XXXXXX under TMPDIR, removed with its object. A process that
// is killed leaves its folder behind; whoever makes the next one removes those whose owner is dead,
// which the lock on a file in them tells: it is held from before the file has its name until the
// owner ends. Nothing is removed where locks are not dependable.

#include <string>
#include <utility>

#include "store/base/file.h"
#include "store/base/result.h"

namespace evq {

class ScratchFolder {
 public:
  // Makes a folder; kIo when there is no place for it.
  static Result<ScratchFolder> make();
  ScratchFolder(ScratchFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  // Returns the path of a folder in it, private to the user, that need not be there yet.
  std::string store() const { return path_ + "/store"; }

 private:
  ScratchFolder(std::string path, File lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;
  File lock_;
};

}  // namespace evq
