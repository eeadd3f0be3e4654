#include "store/catalog/database_files.h"

#include "store/base/file.h"

namespace evq {

namespace {

// What SQLite maps of an index at once: https://www.sqlite.org/walformat.html. An index has that
// many bytes for as long as somebody has it open.
constexpr std::uint64_t kIndexRegionBytes = 32768;

// The first of several threads decides.
void note_inode(const std::string& path, std::atomic<std::uint64_t>* noted) {
  if (noted->load() == 0) {
    std::uint64_t unknown = 0;
    noted->compare_exchange_strong(unknown, mark_of(path).inode);
  }
}

Error changed(const std::string& path, const char* how) {
  return make_error(ErrorCode::kIo, path + ": " + how + " while evq had it open",
                    "stop every evq that uses the store, then start again");
}

}  // namespace

void DatabaseFiles::note_database() {
  inode_ = mark_of(path_).inode;
}

void DatabaseFiles::note_others() {
  note_inode(path_ + "-wal", &wal_inode_);
  note_inode(path_ + "-shm", &index_inode_);
}

bool DatabaseFiles::has_database() const {
  return mark_of(path_).inode == inode_;
}

// Nobody will ever read what is written to a file without a name; and a lock file that is made
// beside it would stay.
Status DatabaseFiles::check() const {
  const std::uint64_t inode = mark_of(path_).inode;
  if (inode == 0) {
    return make_error(ErrorCode::kCorrupt, path_ + ": the file is missing",
                      "restore it from a backup");
  }
  if (inode != inode_) {
    return make_error(ErrorCode::kIo, path_ + ": another file has taken its place",
                      "was the store replaced? start evq again");
  }
  const std::string wal = path_ + "-wal";
  if (wal_inode_.load() != 0 && mark_of(wal).inode != wal_inode_.load()) {
    return changed(wal, "removed or replaced");
  }
  const std::string index = path_ + "-shm";
  if (index_inode_.load() == 0) {
    return {};
  }
  const FileMark mark = mark_of(index);
  if (mark.inode != index_inode_.load()) {
    return changed(index, "removed or replaced");
  }
  // Where nobody has it open, whoever comes first cuts it and makes it anew.
  const bool in_use = user_.use_count() > 1;
  return in_use && mark.size_bytes < kIndexRegionBytes ? Status(changed(index, "cut short"))
                                                       : Status();
}

}  // namespace evq
