#include "store/catalog/sqlite.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <system_error>
#include <thread>
#include <utility>

#include <sqlite3.h>

#include "store/base/check.h"
#include "store/base/limits.h"
#include "store/base/mutex.h"
#include "store/base/on_scope_exit.h"
#include "store/base/system_call.h"
#include "store/base/thread_pool.h"
#include "store/catalog/joined_writes.h"
#include "store/catalog/sqlite_files.h"
#include "store/catalog/sqlite_uri.h"

namespace evq {

namespace {

// Statements kept per connection; evq has hardly more in all, and few in use at once.
constexpr std::size_t kStatementsMax = 64;

Error map_error(int code, const std::string& path, const char* detail) {
  const std::string what = path + ": " + (detail != nullptr ? detail : sqlite3_errstr(code));
  switch (code & 0xff) {
    case SQLITE_FULL:
      return make_error(ErrorCode::kDiskFull, what,
                        "free some space or raise its limit, then repeat the command");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
      return make_error(ErrorCode::kCorrupt, what, "run 'evq check' to see what is damaged");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return make_error(ErrorCode::kUnavailable, path + ": another process keeps the file busy",
                        "try again in a moment");
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return make_error(ErrorCode::kIo, what);
    case SQLITE_TOOBIG:
      return make_error(ErrorCode::kLimit, what);
    case SQLITE_NOMEM:
      return make_error(ErrorCode::kUnavailable, what, "try again when more memory is free");
    case SQLITE_INTERRUPT:
      return make_error(ErrorCode::kCancelled, what);
    // A file that lost a table or column, or holds what a constraint forbids, is a damaged one.
    case SQLITE_ERROR:
    case SQLITE_SCHEMA:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
      return make_error(ErrorCode::kCorrupt, what, "run 'evq check' to see what is damaged");
    default:
      return make_error(ErrorCode::kInternal, what);
  }
}

// Why the system refused the last write to the file that `which` names that it refused; 0: none.
int write_error(sqlite3* connection, int which) {
  sqlite3_file* file = connection_file(connection, which);
  int reason = 0;
  if (file != nullptr && file->pMethods->xFileControl != nullptr) {  // a journal in memory has none
    file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &reason);
  }
  return reason;
}

// SQLite knows of one way to have no room; to the system, a quota and a limit of a file's size are
// others.
Error map_failure(sqlite3* connection, int code, const std::string& path) {
  if (code == SQLITE_IOERR_WRITE) {
    const int wal = write_error(connection, SQLITE_FCNTL_JOURNAL_POINTER);
    const int database = write_error(connection, SQLITE_FCNTL_FILE_POINTER);
    const auto no_room = [](int reason) { return reason == EDQUOT || reason == EFBIG; };
    if ((no_room(wal) || no_room(database)) && (wal == 0 || no_room(wal)) &&
        (database == 0 || no_room(database))) {
      const int reason = wal != 0 ? wal : database;
      return map_error(SQLITE_FULL, path, std::generic_category().message(reason).c_str());
    }
  }
  if (code == SQLITE_CANTOPEN && sqlite3_system_errno(connection) != 0) {
    const int number = sqlite3_system_errno(connection);
    const std::string reason = "cannot open the file: " + std::generic_category().message(number);
    return is_no_descriptors(number) ? no_descriptors(path + ": " + reason)
                                     : map_error(code, path, reason.c_str());
  }
  return map_error(code, path, sqlite3_errmsg(connection));
}

struct Limit {
  int id;
  int value;
};

// A blob of a gibibyte is SQLite's own limit; everything else is far above what evq's SQL needs.
constexpr Limit kLimits[] = {
    {SQLITE_LIMIT_LENGTH, 1000000000}, {SQLITE_LIMIT_SQL_LENGTH, 16384},
    {SQLITE_LIMIT_COLUMN, 64},         {SQLITE_LIMIT_EXPR_DEPTH, 64},
    {SQLITE_LIMIT_COMPOUND_SELECT, 8}, {SQLITE_LIMIT_ATTACHED, 0},
    {SQLITE_LIMIT_FUNCTION_ARG, 16},   {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 128},
    {SQLITE_LIMIT_TRIGGER_DEPTH, 1},   {SQLITE_LIMIT_WORKER_THREADS, 0},
};

struct Switch {
  int id;
  int value;
};

constexpr Switch kSwitches[] = {
    {SQLITE_DBCONFIG_DEFENSIVE, 1},        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},   {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
    {SQLITE_DBCONFIG_DQS_DML, 0},          {SQLITE_DBCONFIG_DQS_DDL, 0},
    {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1},
};

}  // namespace

// ---------------------------------------------------------------- Statement

Statement::Statement(sqlite3_stmt* handle, bool* in_use, const std::string* path)
    : handle_(handle), in_use_(in_use), path_(path) {}

Statement::Statement(Statement&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      in_use_(other.in_use_),
      path_(other.path_),
      bind_code_(other.bind_code_) {}

Statement::~Statement() {
  if (handle_ != nullptr) {
    reset();
    *in_use_ = false;
  }
}

void Statement::reset() {
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
  bind_code_ = SQLITE_OK;
}

Statement& Statement::bind_integer(int index, std::int64_t value) {
  bind_code_ = std::max(bind_code_, sqlite3_bind_int64(handle_, index, value));
  return *this;
}

// A null data pointer would bind NULL; empty values must stay values.
Statement& Statement::bind_text(int index, std::string_view value) {
  const char* data = value.data() != nullptr ? value.data() : "";
  const int code =
      sqlite3_bind_text64(handle_, index, data, value.size(), SQLITE_STATIC, SQLITE_UTF8);
  bind_code_ = std::max(bind_code_, code);
  return *this;
}

Statement& Statement::bind_blob(int index, std::string_view value) {
  const char* data = value.data() != nullptr ? value.data() : "";
  const int code = sqlite3_bind_blob64(handle_, index, data, value.size(), SQLITE_STATIC);
  bind_code_ = std::max(bind_code_, code);
  return *this;
}

Statement& Statement::bind_null(int index) {
  bind_code_ = std::max(bind_code_, sqlite3_bind_null(handle_, index));
  return *this;
}

Error Statement::error() const {
  sqlite3* connection = sqlite3_db_handle(handle_);
  return map_failure(connection, sqlite3_extended_errcode(connection), *path_);
}

Result<bool> Statement::step() {
  if (bind_code_ != SQLITE_OK) {
    return map_error(bind_code_, *path_, nullptr);
  }
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) {
    return true;
  }
  if (code == SQLITE_DONE) {
    return false;
  }
  return error();
}

Status Statement::run() {
  return each([] { return Status(); });
}

void Statement::run_unheard() {
  sqlite3_step(handle_);
  sqlite3_reset(handle_);
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_INTEGER
             ? sqlite3_column_int64(handle_, column)
             : 0;
}

std::string_view Statement::text(int column) const {
  if (sqlite3_column_type(handle_, column) != SQLITE_TEXT) {
    return {};
  }
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  return data == nullptr
             ? std::string_view()
             : std::string_view(data,
                                static_cast<std::size_t>(sqlite3_column_bytes(handle_, column)));
}

std::string_view Statement::blob(int column) const {
  if (sqlite3_column_type(handle_, column) != SQLITE_BLOB) {
    return {};
  }
  const auto* data = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  return data == nullptr
             ? std::string_view()
             : std::string_view(data,
                                static_cast<std::size_t>(sqlite3_column_bytes(handle_, column)));
}

// ---------------------------------------------------------------- Connection

struct Connection::Cached {
  Cached() = default;
  Cached(const Cached&) = delete;
  Cached& operator=(const Cached&) = delete;
  ~Cached() { sqlite3_finalize(handle); }

  std::string sql;
  sqlite3_stmt* handle = nullptr;
  bool in_use = false;
};

Connection::Connection(std::string path) : path_(std::move(path)) {}

// A connection with statements would not close.
Connection::~Connection() {
  cache_.clear();
  sqlite3_close(handle_);
}

Error Connection::error(int code) const {
  return handle_ != nullptr ? map_failure(handle_, code, path_) : map_error(code, path_, nullptr);
}

namespace {

// A connection asks for the memory of each page when it reads it. By default it takes that of
// twenty ahead, most of which the short catalog of a dataset never needs: of two thousand datasets,
// 300 MB. Without effect when something in the process has used SQLite before.
void configure_library() {
  static const int kOnce = sqlite3_config(SQLITE_CONFIG_PAGECACHE, nullptr, 0, 0);
  static_cast<void>(kOnce);
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(const ConnectionOptions& options) {
  configure_library();
  std::unique_ptr<Connection> connection(new Connection(options.path));
  const std::string name = options.unchanging ? unchanging_uri(options.path) : options.path;
  const int flags = (options.writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) |
                    (options.unchanging ? SQLITE_OPEN_URI : 0) | SQLITE_OPEN_NOMUTEX |
                    SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE;
  const std::string vfs = options.writable ? joined_writes_vfs(options.vfs) : options.vfs;
  const int code = sqlite3_open_v2(name.c_str(), &connection->handle_, flags,
                                   vfs.empty() ? nullptr : vfs.c_str());
  if (code != SQLITE_OK) {
    return connection->error(code);
  }
  EVQ_TRY(connection->configure(options));
  return connection;
}

Status Connection::configure(const ConnectionOptions& options) {
  for (const Switch& setting : kSwitches) {
    int now = 0;
    const int code = sqlite3_db_config(handle_, setting.id, setting.value, &now);
    if (code != SQLITE_OK || now != setting.value) {
      return make_error(ErrorCode::kUnsupported, "this SQLite lacks a safety switch evq needs");
    }
  }
  for (const Limit& limit : kLimits) {
    sqlite3_limit(handle_, limit.id, limit.value);
  }
  set_busy_ms(options.busy_ms);
  busy_ms_ = options.busy_ms;
  int keep = 1;  // the write-ahead file stays at close: a reader on a full disk can still open
  sqlite3_file_control(handle_, "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
  // The hook's slot is also the automatic checkpoint's, which is thereby off.
  sqlite3_wal_hook(handle_, &Connection::note_commit, this);
  if (options.alone) {
    EVQ_TRY(execute("PRAGMA locking_mode=EXCLUSIVE"));  // before the file is looked at
  }
  EVQ_TRY(execute("PRAGMA cell_size_check=1"));
  EVQ_TRY(execute("PRAGMA cache_size=-" + std::to_string(options.cache_kib)));
  if (options.writable) {
    if (options.page_size_bytes != 0) {
      EVQ_TRY(execute("PRAGMA page_size=" + std::to_string(options.page_size_bytes)));
    }
    EVQ_TRY(execute("PRAGMA synchronous=FULL"));
    // A page written before its transaction ends is often written again, and all sums behind it;
    // and nothing of a transaction that is given up is ever on its way to the write-ahead file.
    EVQ_TRY(execute("PRAGMA cache_spill=OFF"));
    EVQ_TRY(execute("PRAGMA secure_delete=0"));
  }
  return {};
}

int Connection::note_commit(void* self, sqlite3* /*handle*/, const char* /*name*/, int frames) {
  auto* connection = static_cast<Connection*>(self);
  connection->new_frames_ = static_cast<std::uint64_t>(frames);
  connection->wal_frames_ = connection->new_frames_;
  return SQLITE_OK;
}

Result<Statement> Connection::prepare(std::string_view sql) {
  for (const auto& cached : cache_) {
    if (cached->sql == sql) {
      EVQ_CHECK(!cached->in_use);
      cached->in_use = true;
      return Statement(cached->handle, &cached->in_use, &path_);
    }
  }
  if (cache_.size() == kStatementsMax) {
    const auto idle =
        std::ranges::find(cache_, false, [](const auto& each) { return each->in_use; });
    EVQ_CHECK(idle != cache_.end());
    cache_.erase(idle);
  }
  auto cached = std::make_unique<Cached>();
  cached->sql = sql;
  const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &cached->handle, nullptr);
  if (code != SQLITE_OK) {
    return error(code);
  }
  cached->in_use = true;
  cache_.push_back(std::move(cached));
  return Statement(cache_.back()->handle, &cache_.back()->in_use, &path_);
}

Status Connection::execute(std::string_view sql) {
  const int code = sqlite3_exec(handle_, std::string(sql).c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? Status() : Status(error(code));
}

void Connection::set_busy_ms(std::int32_t busy_ms) {
  sqlite3_busy_timeout(handle_, busy_ms);
}

Result<std::vector<std::string>> Connection::text_rows(std::string_view sql) {
  EVQ_TRY_ASSIGN(Statement statement, prepare(sql));
  std::vector<std::string> rows;
  const auto add = [&]() -> Status {
    rows.emplace_back(statement.text(0));
    return {};
  };
  EVQ_TRY(statement.each(add));
  return rows;
}

Result<std::int64_t> Connection::number(std::string_view sql) {
  EVQ_TRY_ASSIGN(Statement statement, prepare(sql));
  EVQ_TRY_ASSIGN(const bool found, statement.step());
  return found ? statement.integer(0) : 0;
}

// SQLite knows it once it has read from the file, which it does for the count.
Result<std::uint64_t> Connection::page_bytes() {
  if (page_bytes_ == 0) {
    EVQ_TRY(number("PRAGMA page_count"));
    EVQ_TRY_ASSIGN(const std::int64_t bytes, number("PRAGMA page_size"));
    page_bytes_ = static_cast<std::uint64_t>(bytes);
  }
  return page_bytes_;
}

// One call of SQLite, which looks at nothing but interrupts while it walks over pages: so another
// thread looks at the control.
Result<std::vector<std::string>> Connection::integrity_problems(const QueryControl& control) {
  constexpr std::int64_t kLookMs = 20;
  constexpr std::int64_t kAgainMs = 1;
  Mutex mutex;
  CondVar ended;
  bool done = false;
  ThreadPool watcher(1);
  watcher.submit([&, caller = std::this_thread::get_id()] {
    const MutexLock lock(mutex);
    while (!done && std::this_thread::get_id() != caller) {  // for want of memory it may be
      const bool stops = control.should_stop();
      if (stops) {
        sqlite3_interrupt(handle_);  // again and again: before the call begins it is for nothing
      }
      ended.wait_for_ms(mutex, stops ? kAgainMs : kLookMs);
    }
  });
  Result<std::vector<std::string>> lines = [&] {
    const OnScopeExit tell([&] {  // when memory runs out as well: the watcher is waited for
      const MutexLock lock(mutex);
      done = true;
      ended.notify_all();
    });
    return text_rows("PRAGMA integrity_check(20)");
  }();
  if (!lines.ok()) {
    EVQ_TRY(control.check());
    return lines;
  }
  std::erase(*lines, "ok");
  return lines;
}

bool Connection::in_transaction() const {
  return sqlite3_get_autocommit(handle_) == 0;
}

// ---------------------------------------------------------------- Transaction

Result<Transaction> Transaction::begin(Connection& connection, Kind kind) {
  EVQ_TRY_ASSIGN(Statement begin,
                 connection.prepare(kind == Kind::kWrite ? "BEGIN IMMEDIATE" : "BEGIN"));
  EVQ_TRY_ASSIGN(Statement rollback, connection.prepare("ROLLBACK"));
  EVQ_TRY(begin.run());
  Transaction begun(&connection, std::move(rollback));
  if (kind == Kind::kWrite) {
    EVQ_TRY(connection.page_bytes());
  }
  return begun;
}

Transaction::Transaction(Transaction&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)),
      rollback_(std::move(other.rollback_)) {}

Transaction::~Transaction() {
  // SQLite rolls back by itself after some errors; a second rollback would only be noise.
  if (connection_ != nullptr && connection_->in_transaction()) {
    rollback_.run_unheard();
  }
}

Status Transaction::commit() {
  EVQ_TRY_ASSIGN(Statement commit, connection_->prepare("COMMIT"));
  EVQ_TRY(commit.run());
  connection_ = nullptr;
  return {};
}

}  // namespace evq
