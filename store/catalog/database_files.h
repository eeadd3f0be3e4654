#pragma once
// DatabaseFiles: a database, its write-ahead file and the index of that one, as the connections of
// a Database have them open, and whether they still stand there by their names. What is written to
// others would be lost, or would destroy what processes write that have opened the new ones; and
// the memory of an index that was cut short ends the process that touches it.
//
// A look is one look: who cuts a file right behind it is too late to be found. Any thread.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "store/base/result.h"

namespace evq {

class DatabaseFiles {
 public:
  explicit DatabaseFiles(std::string path) : path_(std::move(path)) {}

  // Records which database is opened; before any other call.
  void note_database();
  // Records the files beside it, once a transaction has begun: those that it opened.
  void note_others();
  // For each connection that has begun a transaction, to keep until it is closed.
  std::shared_ptr<const void> user() const { return user_; }
  // Whether the database stands there, whatever is beside it.
  bool has_database() const;
  // kCorrupt when the database is gone; kIo when another one has taken its place, or when a file
  // beside it was removed, replaced or cut short.
  Status check() const;

 private:
  const std::string path_;
  const std::shared_ptr<const void> user_ = std::make_shared<const char>();
  std::uint64_t inode_ = 0;
  // Of the others, 0: not known yet.
  std::atomic<std::uint64_t> wal_inode_{0};
  std::atomic<std::uint64_t> index_inode_{0};
};

}  // namespace evq
