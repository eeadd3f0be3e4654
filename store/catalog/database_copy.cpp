#include "store/catalog/database_copy.h"

#include <memory>
#include <utility>

#include <sqlite3.h>

#include "store/base/check.h"
#include "store/base/file.h"

namespace evq {
namespace {

// Between two looks at the control: some tens of milliseconds.
constexpr int kPagesAtOnce = 2048;

// Made first, the file is private whatever the umask is.
Status make_file(const std::string& path) {
  EVQ_TRY_ASSIGN(File file, File::create_new(path));
  EVQ_TRY(file.give_to_owner());
  return file.close();
}

// Nobody knows of the copy before it is whole: it needs no journal on the disk, and one sync.
Result<std::unique_ptr<Connection>> open_copy(const std::string& path) {
  ConnectionOptions options;
  options.path = path;
  options.writable = true;
  EVQ_TRY_ASSIGN(std::unique_ptr<Connection> copy, Connection::open(options));
  EVQ_TRY(copy->execute("PRAGMA journal_mode=MEMORY"));
  EVQ_TRY(copy->execute("PRAGMA synchronous=OFF"));
  return copy;
}

// Of what cannot be read. What cannot be written is known to the copy.
bool is_of_source(int code) {
  const int kind = code & 0xff;
  return kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB || code == SQLITE_IOERR_READ ||
         code == SQLITE_IOERR_SHORT_READ;
}

Error unreadable(const std::string& path, int code) {
  const bool damaged = (code & 0xff) != SQLITE_IOERR;
  return make_error(damaged ? ErrorCode::kCorrupt : ErrorCode::kIo,
                    path + ": " + sqlite3_errstr(code), "run 'evq check' to see what is damaged");
}

// A first reader makes the files that later ones share, who may not be allowed to make any. On a
// disk that cannot have them the copy is whole all the same.
void prepare_for_readers(const std::string& path) {
  ConnectionOptions options;
  options.path = path;
  if (const auto reader = Connection::open(options); reader.ok()) {
    static_cast<void>((*reader)->execute("SELECT count(*) FROM sqlite_schema"));
  }
}

}  // namespace

// SQLite's backup from one connection's handle to the other's.
class DatabaseCopy {
 public:
  DatabaseCopy(Connection& source, Connection& copy) : source_(source), copy_(copy) {}
  ~DatabaseCopy() { sqlite3_backup_finish(backup_); }
  DatabaseCopy(const DatabaseCopy&) = delete;
  DatabaseCopy& operator=(const DatabaseCopy&) = delete;

  Result<std::uint64_t> run(const QueryControl& control, const CopyProgress& progress) {
    EVQ_CHECK(source_.in_transaction());
    EVQ_TRY_ASSIGN(const std::uint64_t page_bytes, source_.page_bytes());
    backup_ = sqlite3_backup_init(copy_.handle_, "main", source_.handle_, "main");
    int code = backup_ != nullptr ? SQLITE_OK : sqlite3_errcode(copy_.handle_);
    std::uint64_t bytes = 0;
    while (code == SQLITE_OK) {
      EVQ_TRY(control.check());
      code = sqlite3_backup_step(backup_, kPagesAtOnce);
      const int pages = sqlite3_backup_pagecount(backup_) - sqlite3_backup_remaining(backup_);
      bytes = static_cast<std::uint64_t>(pages) * page_bytes;
      if (progress) {
        progress(bytes);
      }
    }
    if (code == SQLITE_DONE) {
      code = sqlite3_backup_finish(std::exchange(backup_, nullptr));
    }
    if (code != SQLITE_OK) {
      return is_of_source(code) ? unreadable(source_.path(), code) : copy_.error(code);
    }
    return bytes;
  }

 private:
  Connection& source_;
  Connection& copy_;
  sqlite3_backup* backup_ = nullptr;
};

Result<std::uint64_t> copy_database(Connection& source, const std::string& path,
                                    const QueryControl& control, const CopyProgress& progress) {
  EVQ_TRY(make_file(path));
  std::uint64_t bytes = 0;
  {
    EVQ_TRY_ASSIGN(const std::unique_ptr<Connection> copy, open_copy(path));
    EVQ_TRY_ASSIGN(bytes, DatabaseCopy(source, *copy).run(control, progress));
  }
  EVQ_TRY_ASSIGN(File file, File::open_read_write(path));
  EVQ_TRY(file.sync());
  EVQ_TRY(file.close());
  prepare_for_readers(path);
  return bytes;
}

Status remove_copy(const std::string& path) {
  for (const char* suffix : {"-wal", "-shm"}) {
    static_cast<void>(remove_file(path + suffix));  // where there is one
  }
  return remove_file(path);
}

}  // namespace evq
