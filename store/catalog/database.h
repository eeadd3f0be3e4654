#pragma once
// Database: one SQLite file of a store and the discipline around it.
//
// SQLite before 3.51.3 can corrupt a file when two connections write and checkpoint at the same
// instant. Here that cannot happen: one lock between processes (FileLock on "<file>.lock") and one
// turn inside the process surround every write transaction and every checkpoint, no connection
// checkpoints by itself, and readers never write. Readers use pooled connections and never wait
// for a writer.
//
// Commits are durable on return (synchronous=FULL). One that is refused for want of room or memory
// has not happened, whatever comes after. Once durable, how far the write-ahead file goes is noted
// in the lock file; one that is found to have lost acknowledged commits (wal_loss.h) is not written
// to, and read only by those who say so. When a commit or a checkpoint fails with an I/O error,
// what the disk holds is unknown: the Database refuses every later write (kIo) until it is opened
// anew.
//
// Any thread. A WriteLock or ReadLease belongs to the thread that uses it and must go before its
// Database.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/base/file.h"
#include "store/base/file_lock.h"
#include "store/base/limits.h"
#include "store/base/mutex.h"
#include "store/base/result.h"
#include "store/base/turn.h"
#include "store/catalog/database_files.h"
#include "store/catalog/migrations.h"
#include "store/catalog/sqlite.h"

namespace evq {

// A wal_bytes_target for files that take many small loads: by the time of the checkpoint most of
// what these wrote has been merged, and its pages reused.
inline constexpr std::uint64_t kBusyWalBytesTarget = kWalBytesMax / 2;

struct DatabaseOptions {
  std::string path;
  std::string vfs;
  std::uint32_t page_size_bytes = 4096;  // of a new file
  bool create = false;                   // a missing file is made; else kNotFound
  bool may_be_new = true;                // false: an empty file is one that was damaged
  std::string reserve_path;              // of the store's disk_reserve.h; empty = none
  // Write-ahead bytes at which a commit checkpoints; kWalBytesTarget on a disk short of room.
  std::uint64_t wal_bytes_target = kWalBytesTarget;
};

// The free space that a write wants to see before it begins.
class Room {
 public:
  // For writes that only delete, and may use the store's reserve: see Database::with_reserve().
  static constexpr Room none() { return {}; }
  // For writes that add a few rows.
  static constexpr Room little() { return for_bytes(0); }
  // For writes that add about `bytes` bytes.
  static constexpr Room for_bytes(std::uint64_t bytes) { return Room(true, bytes); }

  constexpr Room() = default;
  bool is_none() const { return !wanted_; }
  std::uint64_t bytes() const { return bytes_; }
  // Adds the space that another write wants.
  Room& operator+=(Room other) {
    wanted_ = wanted_ || other.wanted_;
    bytes_ += other.bytes_;
    return *this;
  }

 private:
  constexpr Room(bool wanted, std::uint64_t bytes) : wanted_(wanted), bytes_(bytes) {}

  bool wanted_ = false;
  std::uint64_t bytes_ = 0;
};

class Database;

// A write transaction with both locks held. Destroyed without commit: nothing happened.
class WriteLock {
 public:
  WriteLock(WriteLock&& other) noexcept;
  WriteLock& operator=(WriteLock&&) = delete;
  ~WriteLock();

  Connection& connection();
  // Durable when it succeeds. Checkpoints afterwards when the write-ahead file has grown past its
  // target; a failure of that is not one of the commit.
  Status commit();

 private:
  friend class Database;
  WriteLock(Database* database, Turn::Holder turn, FileLock lock, Transaction transaction);

  Database* database_;
  Turn::Holder turn_;
  std::optional<FileLock> lock_;
  std::optional<Transaction> transaction_;
};

// A read transaction on a connection of its own; the connection goes back to the pool.
class ReadLease {
 public:
  ReadLease(ReadLease&& other) noexcept;
  ReadLease& operator=(ReadLease&&) = delete;
  ~ReadLease();

  Connection& connection() { return *connection_; }

 private:
  friend class Database;
  ReadLease(Database* database, std::unique_ptr<Connection> connection, Transaction transaction);

  Database* database_;
  std::unique_ptr<Connection> connection_;
  std::optional<Transaction> transaction_;
};

class Database {
 public:
  // Creates or migrates the file when needed. `spec` must outlive the database.
  static Result<std::unique_ptr<Database>> open(const DatabaseOptions& options,
                                                const SchemaSpec& spec);
  // Empties the write-ahead file when this process wrote and nobody is in the way.
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Waits for both locks, the other processes' up to kWriteLockMsMax (kUnavailable), and no longer
  // than the thread's WaitScope lets it (kCancelled, kTimeout). Refuses with kDiskFull when twice
  // the room's bytes and kDiskReserveBytesMin are not free, but where it is none. kCorrupt when
  // somebody removed the file, kIo when another stands in its place.
  Result<WriteLock> begin_write(Room room);
  // Runs `attempt`, a write that only deletes, and once more on the store's reserve when the disk
  // is full; returns its last outcome.
  template <class Attempt>
  auto with_reserve(const Attempt& attempt) {
    auto outcome = attempt();
    const bool full = !outcome.ok() && outcome.error().code == ErrorCode::kDiskFull;
    if (full) {
      use_reserve();  // or somebody else has just done so
    }
    return full ? attempt() : std::move(outcome);
  }
  // Whether the disk is too full for loads, or a delete has used the reserve since the last load:
  // free pages of the file should be given back to the disk then.
  bool short_of_room() const;
  enum class Loss : std::uint8_t { kRefused, kAccepted };
  // Begins a read transaction. kCorrupt when acknowledged commits are lost, unless kAccepted.
  Result<ReadLease> begin_read(Loss loss = Loss::kRefused);
  // kCorrupt when acknowledged commits were found to be lost when the file was opened.
  Status loss() const { return loss_.has_value() ? Status(*loss_) : Status(); }
  // Copies the write-ahead file into the database; kTruncate waits a second for readers
  // (kUnavailable) and empties it. Waits for the write lock. kIo after a sync that failed.
  Status checkpoint(Checkpoint checkpoint);
  // Empties the write-ahead file for a write that found no room: a limit on file sizes may end it
  // early. True when it held something and is empty now. Waits for no reader.
  bool empty_log();
  // Makes what was read from the write-ahead file durable: see Connection::resync. Cheap when it is
  // known to be. Writers do it themselves; this is for writes to another file that rely on it.
  Status resync();

  const std::string& path() const { return options_.path; }
  // Bytes of the file and of its write-ahead file.
  std::uint64_t file_bytes() const;

 private:
  friend class WriteLock;
  friend class ReadLease;
  Database(DatabaseOptions options, const SchemaSpec& spec);
  Status checkpoint_within(Checkpoint checkpoint, std::int32_t wait_ms);
  Status create_file();
  Status sync_folder() const;
  Status migrate_file();
  Result<bool> inspect(std::unique_ptr<Connection>* reader);
  void look_for_loss(Connection& reader);
  Status check_loss(Connection& connection) const;
  std::optional<WalReach> acknowledged() const;
  Status open_writer(FileLock& lock);
  Result<std::unique_ptr<Connection>> open_reader();
  Result<FileLock> lock_file();
  // kIo once a sync has failed: what is seen of the write-ahead file may not be on the platter, so
  // that nothing may follow it, nor be copied from it to the database.
  Status check_sound() const;
  // Fails unless the pages that the index tells are in the database or in the write-ahead file, as
  // far as sizes show: with kCorrupt before any transaction has begun here, with kIo later.
  Status check_pages(Connection& connection) const;
  // The same, and unless the write-ahead file has what its index tells. Needs the lock.
  Status check_log(Connection& connection) const;
  // Looks at the files and calls check_log(), before any write or checkpoint. Needs the lock.
  Status check_writable();
  Status check_room(Room wanted) const;
  void use_reserve();
  void keep_reserve() const;
  // The writer's checkpoint; one under which the disk fails poisons. Needs both locks.
  Status copy_wal(Checkpoint checkpoint);
  // Copies the write-ahead file after a commit when it is past its target. Needs both locks.
  void checkpoint_when_due(FileLock& lock);
  bool is_roomy() const;
  // Checkpoints and empties the write-ahead file, waiting up to `wait_ms` for readers of older
  // states (kUnavailable). kDiskFull when the database would not fit. Needs both locks.
  Status empty_wal(FileLock& lock, std::int32_t wait_ms);
  // Runs `attempt`, which may empty the write-ahead file: removes the note of how far it goes
  // first, and writes it again when the file was not emptied.
  template <class Attempt>
  Status without_note(FileLock& lock, const Attempt& attempt);

  const DatabaseOptions options_;
  const SchemaSpec& spec_;
  std::optional<Error> loss_;
  DatabaseFiles files_;

  Turn write_turn_;                     // held for the life of a WriteLock
  std::unique_ptr<Connection> writer_;  // belongs to who has the turn
  bool wrote_ = false;                  // the same
  std::uint64_t wal_wait_bytes_ = 0;    // the same: where a commit waits for readers next
  std::atomic<bool> poisoned_{false};
  std::atomic<bool> resynced_{false};
  std::atomic<bool> began_{false};  // a transaction, on a database that was long enough
  std::atomic<bool> on_reserve_{false};

  Mutex pool_mutex_;
  std::vector<std::unique_ptr<Connection>> idle_readers_ EVQ_GUARDED_BY(pool_mutex_);
};

}  // namespace evq
