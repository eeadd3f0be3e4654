#pragma once
// Connection, Statement, Transaction: SQLite as evq uses it, and nothing else of it. sqlite3.h is
// seen by sqlite.cpp, by sqlite_wal.cpp and sqlite_files.h, which belong to it, by blob_reader.cpp
// and database_copy.cpp, and by the VFSs, joined_writes.cpp and unsynced_vfs.cpp.
//
// Every connection is opened hostile-file safe (defensive, untrusted schema, no triggers, views or
// extensions, cell size checks, low limits) and never checkpoints by itself, neither at commit nor
// at close: see database.h for who does, and why. Errors map to kDiskFull (full, a quota or a
// limit of a file's size reached), kCorrupt (corrupt, not a database), kIo (I/O errors),
// kUnavailable (busy past the time limit, no descriptor left), each with the file's name.
//
// A Connection and its statements belong to one thread at a time. A Statement must go before its
// Connection, and only one Statement of the same SQL may be in use at once.

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/base/control.h"
#include "store/base/result.h"
#include "store/catalog/wal_loss.h"

struct sqlite3;
struct sqlite3_stmt;

namespace evq {

struct ConnectionOptions {
  std::string path;
  std::string vfs;          // registered name; empty = the system's
  bool writable = false;    // the file must exist in either case
  bool unchanging = false;  // nobody can write it: it is read without files beside it
  bool alone = false;       // others are kept out (kUnavailable where there are some), so that what
                            // readers share, the index of the write-ahead file, needs no file
  std::uint32_t page_size_bytes = 0;  // when the file is still empty; 0 = SQLite's own choice
  std::uint32_t cache_kib = 2048;
  std::int32_t busy_ms = 20000;  // how long any single lock is waited for
};

// How a checkpoint goes about it, by SQLite's names.
enum class Checkpoint : std::uint8_t {
  kPassive,   // copies what it can without waiting for anyone
  kTruncate,  // waits for readers of older states too, and empties the write-ahead file
};

// A prepared statement borrowed from its connection's cache; reset when destroyed.
// Parameters are numbered from 1, columns from 0.
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  // An unsigned value is stored as the signed one of the same bits.
  template <std::integral Integer>
  Statement& bind(int index, Integer value) {
    return bind_integer(index, static_cast<std::int64_t>(value));
  }
  // Text and blobs are not copied: they must live until the statement is reset or destroyed.
  Statement& bind_text(int index, std::string_view value);
  Statement& bind_blob(int index, std::string_view value);
  Statement& bind_null(int index);

  // True while there is a row. Errors of bind calls surface here.
  Result<bool> step();
  // Calls `take`, which returns a Status, for each row, and stops when that fails.
  template <class Take>
  Status each(const Take& take) {
    while (true) {
      EVQ_TRY_ASSIGN(const bool more, step());
      if (!more) {
        return {};
      }
      EVQ_TRY(take());
    }
  }
  // Runs to the end, ignoring rows.
  Status run();
  // Runs a statement without rows, ignoring its outcome; allocates nothing.
  void run_unheard();
  // Makes the statement ready to be bound and run again.
  void reset();

  // Columns of the current row; views live until the next step or reset. A column of another
  // storage class gives zero or an empty view, which the row's checksum then refuses.
  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  std::string_view text(int column) const;
  std::string_view blob(int column) const;

 private:
  friend class Connection;
  Statement(sqlite3_stmt* handle, bool* in_use, const std::string* path);
  Statement& bind_integer(int index, std::int64_t value);
  Error error() const;

  sqlite3_stmt* handle_;
  bool* in_use_;
  const std::string* path_;
  int bind_code_ = 0;
};

class Connection {
 public:
  static Result<std::unique_ptr<Connection>> open(const ConnectionOptions& options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // `sql` must be one statement; its text is the key of the cache. At most kStatementsMax may be
  // in use at once; where there are more, those that are not are prepared anew when they come
  // again.
  Result<Statement> prepare(std::string_view sql);
  // One statement without parameters, run to the end; not cached.
  Status execute(std::string_view sql);

  // Copies the write-ahead file into the database. After one under which the disk failed (kIo), or
  // whose process was killed, the next one, whoever's it is, copies all of it.
  Status checkpoint(Checkpoint checkpoint);
  // Makes sure that what is read from the write-ahead file is on the disk too. It may not be: after
  // a sync that failed, the system drops from its memory's backlog what the sync was for, and a
  // process that comes later sees bytes that nothing will ever write. So they are written once more
  // and, while no readers are in the way, moved into the database. Only when nobody else writes or
  // checkpoints.
  Status resync();
  // Whether that is sure already: what was acknowledged since the system was started is all that
  // this connection reads of the write-ahead file, and not nothing. The same conditions.
  bool has_synced_wal(const std::optional<WalReach>& acknowledged);
  // After a commit that failed and was rolled back: cuts off what it has written to the write-ahead
  // file. That may be the whole transaction, when only a write after its last page or the note in
  // the index was refused, and whoever recovers the file would find it valid. Only when nobody else
  // writes or checkpoints.
  Status cut_wal();
  // How far the write-ahead file is on the disk since the last commit; given once a commit.
  std::optional<WalReach> take_reach();
  // Whether the write-ahead file, as what this connection has last read says, lost commits: see
  // wal_loss.h for the two questions.
  bool may_have_lost(const std::optional<WalReach>& acknowledged);
  bool has_lost(const std::optional<WalReach>& acknowledged);
  // Whether the write-ahead file is missing, empty or without a sound header, and the database
  // lacks what was acknowledged.
  bool has_dropped(const std::optional<WalReach>& acknowledged);
  // False when the write-ahead file has not what its index tells: somebody cut it or wrote over it.
  bool has_indexed_wal();
  // False when the database is so short that pages which the index counts can be neither in it nor
  // in the write-ahead file.
  bool has_indexed_pages();
  // Bytes of the write-ahead file that SQLite reads; 0 when there are none.
  std::uint64_t wal_read_bytes();
  void set_busy_ms(std::int32_t busy_ms);
  // The first column of all rows of a statement without parameters.
  Result<std::vector<std::string>> text_rows(std::string_view sql);
  // The first column of the first row as an integer; 0 when there is no row.
  Result<std::int64_t> number(std::string_view sql);
  // The size of the file's pages, whatever size a new file would get.
  Result<std::uint64_t> page_bytes();
  // The first 20 problems that SQLite's own check of the file finds; empty: none. Reads the whole
  // file, and ends with kCancelled or kTimeout when `control` says so.
  Result<std::vector<std::string>> integrity_problems(const QueryControl& control);
  bool in_transaction() const;
  // Keeps `owned` until the connection is closed.
  void keep(std::shared_ptr<const void> owned) { kept_ = std::move(owned); }
  // Size of the write-ahead file's live part after this connection's last commit.
  std::uint64_t wal_bytes() const { return wal_frames_ * (page_bytes_ + kWalFrameHeaderBytes); }
  const std::string& path() const { return path_; }

 private:
  explicit Connection(std::string path);
  friend class Transaction;
  friend class BlobReader;
  friend class DatabaseCopy;
  Status rewrite_wal();
  enum class Backfill : std::uint8_t { kUnfinished, kAny };
  // Lets the next checkpoint copy all of the write-ahead file; kUnfinished: if the last one did not
  // end well. Only when nobody else checkpoints.
  void forget_backfill(Backfill which);
  std::optional<WalFile> wal_file();
  Error wal_not_open() const;
  Status configure(const ConnectionOptions& options);
  Error error(int code) const;
  static int note_commit(void* self, sqlite3* handle, const char* name, int frames);

  struct Cached;
  std::string path_;
  std::shared_ptr<const void> kept_;
  sqlite3* handle_ = nullptr;
  std::uint64_t page_bytes_ = 0;  // of the file; 0: not read, which a write transaction does
  std::uint64_t wal_frames_ = 0;
  std::uint64_t new_frames_ = 0;  // of the write-ahead file, after a commit whose reach nobody took
  std::int32_t busy_ms_ = 0;
  std::vector<std::unique_ptr<Cached>> cache_;
};

// Rolls back when destroyed, unless committed.
class Transaction {
 public:
  enum class Kind : std::uint8_t {
    kRead,
    kWrite,  // takes SQLite's write lock at once, so that it cannot fail half-way for being late
  };
  static Result<Transaction> begin(Connection& connection, Kind kind);
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  Status commit();

 private:
  Transaction(Connection* connection, Statement rollback)
      : connection_(connection), rollback_(std::move(rollback)) {}
  Connection* connection_;
  Statement rollback_;  // made before it is needed, when there may be no memory for it
};

}  // namespace evq
