#include "store/catalog/database.h"

#include <algorithm>
#include <new>
#include <utility>

#include "store/base/file.h"
#include "store/base/limits.h"
#include "store/base/on_scope_exit.h"
#include "store/base/system_call.h"
#include "store/catalog/disk_reserve.h"
#include "store/catalog/unsynced_vfs.h"

namespace evq {

namespace {

// How long a writer waits for readers to empty the write-ahead file. It holds the write lock
// meanwhile: whoever waits for the lock with a snapshot open, as a check does, holds up others.
constexpr std::int32_t kWalShrinkMsMax = 1000;
constexpr std::int32_t kBusyMs = 20000;
// Readers of a file that are kept open between queries. More run at once for moments only, and one
// is opened in half a millisecond; of one that is closed SQLite keeps a descriptor for the next.
constexpr std::size_t kIdleReadersMax = 2;
// Pages that a reader keeps: those on the way to a blob, and all rows that list a small dataset.
constexpr std::uint32_t kReaderCacheKib = 256;

// Opening anything else might wait for ever, or reach a file that is not the store's.
Status check_plain(const std::string& path) {
  for (const char* part : {"", "-wal", "-shm", ".lock"}) {
    const std::string_view kind = other_than_file(path + part);
    if (!kind.empty()) {
      return make_error(ErrorCode::kCorrupt,
                        path + part + " is " + std::string(kind) + ", not a file of a store",
                        "put the file itself in its place");
    }
  }
  return {};
}

void note_reach(const WalReach& reach, FileLock* lock) {
  const WalReachText text = encode_reach(reach);
  lock->note({text.data(), text.size()});
}

// At which size of the write-ahead file a commit waits for readers, when it has `wal_bytes` now.
std::uint64_t next_wait_bytes(std::uint64_t wal_bytes) {
  constexpr std::uint64_t kStep = kWalBytesTarget;
  return std::max<std::uint64_t>(kWalBytesMax, (wal_bytes / kStep + 1) * kStep);
}

// Did the disk, not the request, fail? Then nobody knows what a later read will see.
bool leaves_doubt(const Error& error) {
  return error.code == ErrorCode::kIo;
}

}  // namespace

// ---------------------------------------------------------------- WriteLock

WriteLock::WriteLock(Database* database, Turn::Holder turn, FileLock lock, Transaction transaction)
    : database_(database),
      turn_(std::move(turn)),
      lock_(std::move(lock)),
      transaction_(std::move(transaction)) {}

WriteLock::WriteLock(WriteLock&& other) noexcept
    : database_(other.database_),
      turn_(std::move(other.turn_)),
      lock_(std::move(other.lock_)),
      transaction_(std::move(other.transaction_)) {
  other.lock_.reset();
  other.transaction_.reset();
}

// The transaction ends first, then the lock, then the turn.
WriteLock::~WriteLock() = default;

Connection& WriteLock::connection() {
  return *database_->writer_;
}

Status WriteLock::commit() {
  // Nobody knows how far it came until it has said so, which may take memory.
  bool in_doubt = true;
  const OnScopeExit poison([&] {
    if (in_doubt) {
      database_->poisoned_.store(true);
    }
  });
  Status committed = transaction_->commit();
  transaction_.reset();
  if (!committed.ok()) {
    in_doubt = leaves_doubt(committed.error()) || !database_->writer_->cut_wal().ok();
    return committed;
  }
  in_doubt = false;
  database_->wrote_ = true;
  try {
    if (const auto reach = database_->writer_->take_reach()) {
      note_reach(*reach, &*lock_);
    }
    database_->checkpoint_when_due(*lock_);
  } catch (const std::bad_alloc&) {
    lock_->forget();  // what is durable stays so; the next commit does what this one could not
  }
  return {};
}

// ---------------------------------------------------------------- ReadLease

ReadLease::ReadLease(Database* database, std::unique_ptr<Connection> connection,
                     Transaction transaction)
    : database_(database),
      connection_(std::move(connection)),
      transaction_(std::move(transaction)) {}

ReadLease::ReadLease(ReadLease&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)),
      connection_(std::move(other.connection_)),
      transaction_(std::move(other.transaction_)) {
  other.transaction_.reset();
}

ReadLease::~ReadLease() {
  transaction_.reset();
  if (database_ == nullptr || connection_ == nullptr || connection_->in_transaction()) {
    return;
  }
  const MutexLock lock(database_->pool_mutex_);
  if (database_->idle_readers_.size() < kIdleReadersMax) {
    database_->idle_readers_.push_back(std::move(connection_));
  }
}

// ---------------------------------------------------------------- Database

Database::Database(DatabaseOptions options, const SchemaSpec& spec)
    : options_(std::move(options)), spec_(spec), files_(options_.path) {
  const MutexLock lock(pool_mutex_);
  idle_readers_.reserve(kIdleReadersMax);  // a lease that ends must not need memory
}

// The last commit is durable already; an empty write-ahead file only makes the next open faster.
Database::~Database() {
  if (!wrote_ || poisoned_.load() || !files_.has_database()) {
    return;
  }
  try {
    auto lock = FileLock::try_acquire(options_.path + ".lock");
    if (lock.ok() && lock->has_value() && check_writable().ok()) {
      static_cast<void>(empty_wal(**lock, 0));
      keep_reserve();
    }
    writer_.reset();                 // before the lock goes
  } catch (const std::bad_alloc&) {  // then the file stays as it is
  }
}

namespace {

// What may be in the way of writing to a file that can be read.
bool refuses_writes(ErrorCode code) {
  return code == ErrorCode::kIo || code == ErrorCode::kReadOnly;
}

}  // namespace

Result<std::unique_ptr<Database>> Database::open(const DatabaseOptions& options,
                                                 const SchemaSpec& spec) {
  std::unique_ptr<Database> database(new Database(options, spec));
  if (!file_exists(options.path)) {
    if (!options.create) {
      return make_error(ErrorCode::kNotFound, options.path + ": no such file");
    }
    EVQ_TRY(database->create_file());
  }
  EVQ_TRY(check_plain(options.path));
  database->files_.note_database();
  std::unique_ptr<Connection> reader;
  Result<bool> inspected = database->inspect(&reader);
  if (!inspected.ok() && inspected.error().code == ErrorCode::kIo) {
    // A process killed while it made the file leaves a rollback journal, which only a connection
    // that may write can play back.
    EVQ_TRY(database->migrate_file());
    inspected = database->inspect(&reader);
  }
  EVQ_TRY_ASSIGN(const bool current, std::move(inspected));
  database->look_for_loss(*reader);
  if (!current) {
    EVQ_TRY(database->loss());
    EVQ_TRY_ASSIGN(const std::vector<std::string> tables,
                   reader->text_rows("SELECT name FROM sqlite_schema LIMIT 1"));
    if (tables.empty() && !options.may_be_new) {
      return make_error(ErrorCode::kCorrupt, options.path + ": the file has lost its contents",
                        "restore it from a backup");
    }
    EVQ_TRY_ASSIGN(const bool readable, schema_is_readable(*reader, spec));
    reader.reset();
    Status migrated = database->migrate_file();
    // Where nobody may write, an older file is read as it is.
    const bool as_it_is = readable && !migrated.ok() && refuses_writes(migrated.error().code);
    EVQ_TRY(as_it_is ? Status() : std::move(migrated));
    EVQ_TRY_ASSIGN(const bool made, database->inspect(&reader));
    if (!made && !as_it_is) {
      return make_error(ErrorCode::kCorrupt, options.path + ": its tables cannot be made");
    }
  }
  database->files_.note_others();
  reader->keep(database->files_.user());
  const MutexLock lock(database->pool_mutex_);
  database->idle_readers_.push_back(std::move(reader));
  return database;
}

// Opens a reader and says whether the file is as this version makes it.
Result<bool> Database::inspect(std::unique_ptr<Connection>* reader) {
  reader->reset();
  EVQ_TRY_ASSIGN(*reader, open_reader());
  return schema_is_current(**reader, spec_);
}

std::optional<WalReach> Database::acknowledged() const {
  return decode_reach(FileLock::noted(options_.path + ".lock", sizeof(WalReachText)));
}

// With the lock held.
Status Database::check_loss(Connection& connection) const {
  if (!connection.has_lost(acknowledged())) {
    return {};
  }
  const std::string wal = options_.path + "-wal";
  const std::string give_up = "truncate -s 0 " + options_.path + ".lock";
  if (size_or_zero(wal) <= kWalHeaderBytes && connection.has_dropped(acknowledged())) {
    return make_error(ErrorCode::kCorrupt,
                      wal + ": removed or emptied while acknowledged commits were in it alone",
                      "put it back, or restore the store from a backup; 'set best_effort; …' reads "
                      "what is left; to give those commits up: " +
                          give_up);
  }
  const std::string end = std::to_string(connection.wal_read_bytes());
  return make_error(
      ErrorCode::kCorrupt,
      wal + ": damaged behind byte " + end + ", where acknowledged commits were",
      "restore the store from a backup; 'set best_effort; …' reads what is left; to give those "
      "commits up: truncate -s " +
          end + " " + wal + "; " + give_up);
}

// Nobody waits for long: who has the lock looks by themselves before they write.
void Database::look_for_loss(Connection& reader) {
  constexpr std::int64_t kWaitMsMax = 1000;
  if (!reader.may_have_lost(acknowledged())) {
    return;
  }
  const Result<FileLock> lock = FileLock::acquire(options_.path + ".lock", kWaitMsMax);
  if (!lock.ok() || !reader.execute("SELECT count(*) FROM sqlite_schema").ok()) {
    return;
  }
  if (Status lost = check_loss(reader); !lost.ok()) {
    loss_ = std::move(lost).take_error();
  }
}

Status Database::sync_folder() const {
  return is_unsynced(options_.vfs) ? Status() : sync_directory(parent_of(options_.path));
}

// SQLite would create the file with the umask's mode; made first, it is private, and the
// write-ahead files take its mode over.
Status Database::create_file() {
  Result<File> file = File::create_new(options_.path);
  if (!file.ok()) {
    const bool lost_race = file.error().code == ErrorCode::kConflict;
    return lost_race ? Status() : Status(std::move(file).take_error());
  }
  EVQ_TRY(file->give_to_owner());
  EVQ_TRY(file->close());
  return sync_folder();
}

Status Database::migrate_file() {
  EVQ_TRY_ASSIGN(const Turn::Holder turn, write_turn_.take(options_.path));
  EVQ_TRY_ASSIGN(FileLock lock, lock_file());
  EVQ_TRY(open_writer(lock));
  EVQ_TRY_ASSIGN(const bool current, schema_is_current(*writer_, spec_));
  if (current) {
    return {};  // another process was faster
  }
  // Lets compaction give the space of deleted blocks back; it must be said before the first table.
  EVQ_TRY(writer_->execute("PRAGMA auto_vacuum=INCREMENTAL"));
  EVQ_TRY_ASSIGN(const std::vector<std::string> mode,
                 writer_->text_rows("PRAGMA journal_mode=WAL"));
  if (mode.size() != 1 || mode[0] != "wal") {
    return make_error(ErrorCode::kUnsupported,
                      options_.path + ": the file system cannot keep a write-ahead file",
                      "choose a store directory on a local disk");
  }
  EVQ_TRY_ASSIGN(Transaction transaction, Transaction::begin(*writer_, Transaction::Kind::kWrite));
  EVQ_TRY(migrate(*writer_, spec_));
  EVQ_TRY(transaction.commit());
  wrote_ = true;
  return sync_folder();
}

Status Database::open_writer(FileLock& lock) {
  if (writer_ != nullptr) {
    return {};
  }
  ConnectionOptions options;
  options.path = options_.path;
  options.vfs = options_.vfs;
  options.writable = true;
  options.page_size_bytes = options_.page_size_bytes;
  options.busy_ms = kBusyMs;
  EVQ_TRY_ASSIGN(std::unique_ptr<Connection> writer, Connection::open(options));
  // Somebody else wrote what is there, and how that ended only a note of theirs can tell.
  const bool empty = size_or_zero(options_.path + "-wal") == 0;
  if (!empty) {
    EVQ_TRY(writer->execute("SELECT count(*) FROM sqlite_schema"));  // opens that file
    EVQ_TRY(check_log(*writer));
  }
  EVQ_TRY(check_loss(*writer));
  if (!empty && !writer->has_synced_wal(acknowledged())) {
    EVQ_TRY(without_note(lock, [&] { return writer->resync(); }));
  }
  resynced_.store(true);
  wal_wait_bytes_ = next_wait_bytes(writer->wal_read_bytes());
  writer_ = std::move(writer);
  return {};
}

Result<std::unique_ptr<Connection>> Database::open_reader() {
  ConnectionOptions options;
  options.path = options_.path;
  options.vfs = options_.vfs;
  options.busy_ms = kBusyMs;
  options.cache_kib = kReaderCacheKib;
  // The index that readers share is beside the file. Where there is none and none can be made, no
  // write-ahead file may be there either.
  options.unchanging = !file_exists(options_.path + "-shm") &&
                       size_or_zero(options_.path + "-wal") == 0 &&
                       is_on_read_only_disk(options_.path);
  return Connection::open(options);
}

Result<FileLock> Database::lock_file() {
  Result<FileLock> lock = FileLock::acquire(options_.path + ".lock", kWriteLockMsMax);
  if (!lock.ok() && lock.error().code == ErrorCode::kUnavailable &&
      !is_no_descriptors(lock.error())) {
    return make_error(ErrorCode::kUnavailable,
                      options_.path + ": another process has been writing for too long",
                      "try again in a moment");
  }
  return lock;
}

Status Database::check_pages(Connection& connection) const {
  if (connection.has_indexed_pages()) {
    return {};
  }
  if (!began_.load()) {
    return make_error(ErrorCode::kCorrupt,
                      options_.path + ": shorter than its write-ahead file's index says",
                      "run 'evq check' to see what is damaged; restore it from a backup");
  }
  return make_error(ErrorCode::kIo, options_.path + ": cut short while evq had it open",
                    "stop every evq that uses the store, then restore the file from a backup");
}

Status Database::check_log(Connection& connection) const {
  EVQ_TRY(check_pages(connection));
  if (connection.has_indexed_wal()) {
    return {};
  }
  return make_error(ErrorCode::kIo,
                    options_.path + "-wal: cut short or overwritten while evq had it open",
                    "stop every evq that uses the store, then start again; commits that were in it "
                    "are lost");
}

Status Database::check_writable() {
  EVQ_TRY(files_.check());
  return writer_ == nullptr ? Status() : check_log(*writer_);
}

// A commit needs its bytes twice: in the write-ahead file, and in the database at the checkpoint.
Status Database::check_room(Room wanted) const {
  EVQ_TRY_ASSIGN(const std::uint64_t room, free_disk_bytes(parent_of(options_.path)));
  const auto mebibytes = [](std::uint64_t bytes) {
    return std::to_string(bytes / kMebibyte) + " MiB";
  };
  if (room / 2 < wanted.bytes() || room - 2 * wanted.bytes() < kDiskReserveBytesMin) {
    return make_error(
        ErrorCode::kDiskFull,
        options_.path + ": the disk is nearly full, " + mebibytes(room) + " are left, and " +
            mebibytes(2 * wanted.bytes() + kDiskReserveBytesMin + kMebibyte - 1) + " are needed",
        "free some space; queries and deletes still work");
  }
  return {};
}

// Whether the disk has room for many write-ahead files of the size they are let grow to.
bool Database::is_roomy() const {
  constexpr std::uint64_t kFilesMin = 16;
  const auto room = free_disk_bytes(parent_of(options_.path));
  return room.ok() && *room / kFilesMin >= options_.wal_bytes_target;
}

bool Database::short_of_room() const {
  return on_reserve_.load() || !check_room(Room::little()).ok();
}

void Database::use_reserve() {
  if (!options_.reserve_path.empty() && release_disk_reserve(options_.reserve_path)) {
    on_reserve_.store(true);
  }
}

void Database::keep_reserve() const {
  if (!options_.reserve_path.empty()) {
    keep_disk_reserve(options_.reserve_path);
  }
}

Status Database::check_sound() const {
  if (poisoned_.load()) {
    return make_error(ErrorCode::kIo,
                      options_.path + ": a write to the disk failed before; no more are taken",
                      "check the disk, then start evq again");
  }
  return {};
}

Result<WriteLock> Database::begin_write(Room room) {
  EVQ_TRY_ASSIGN(Turn::Holder turn, write_turn_.take(options_.path));
  EVQ_TRY(check_sound());
  if (!room.is_none()) {
    EVQ_TRY(check_room(room));
    keep_reserve();
    on_reserve_.store(false);
  }
  EVQ_TRY(files_.check());
  EVQ_TRY_ASSIGN(FileLock lock, lock_file());
  EVQ_TRY(files_.check());
  EVQ_TRY(open_writer(lock));
  EVQ_TRY_ASSIGN(Transaction transaction, Transaction::begin(*writer_, Transaction::Kind::kWrite));
  files_.note_others();
  writer_->keep(files_.user());
  EVQ_TRY(check_writable());
  began_.store(true);
  return WriteLock(this, std::move(turn), std::move(lock), std::move(transaction));
}

Result<ReadLease> Database::begin_read(Loss loss) {
  if (loss == Loss::kRefused) {
    EVQ_TRY(this->loss());
  }
  EVQ_TRY(files_.check());
  std::unique_ptr<Connection> connection;
  {
    const MutexLock lock(pool_mutex_);
    if (!idle_readers_.empty()) {
      connection = std::move(idle_readers_.back());
      idle_readers_.pop_back();
    }
  }
  if (connection == nullptr) {
    EVQ_TRY_ASSIGN(connection, open_reader());
  }
  EVQ_TRY_ASSIGN(Transaction transaction,
                 Transaction::begin(*connection, Transaction::Kind::kRead));
  connection->keep(files_.user());
  if (loss == Loss::kRefused) {
    EVQ_TRY(check_pages(*connection));
    began_.store(true);
  }
  return ReadLease(this, std::move(connection), std::move(transaction));
}

Status Database::checkpoint(Checkpoint checkpoint) {
  return checkpoint_within(checkpoint, kWalShrinkMsMax);
}

bool Database::empty_log() {
  const std::string wal = options_.path + "-wal";
  return size_or_zero(wal) != 0 && checkpoint_within(Checkpoint::kTruncate, 0).ok() &&
         size_or_zero(wal) == 0;
}

Status Database::checkpoint_within(Checkpoint checkpoint, std::int32_t wait_ms) {
  EVQ_TRY_ASSIGN(const Turn::Holder turn, write_turn_.take(options_.path));
  EVQ_TRY(check_sound());
  EVQ_TRY(files_.check());
  EVQ_TRY_ASSIGN(FileLock lock, lock_file());
  EVQ_TRY(open_writer(lock));
  EVQ_TRY(check_writable());
  if (checkpoint == Checkpoint::kPassive) {
    return copy_wal(Checkpoint::kPassive);
  }
  EVQ_TRY(empty_wal(lock, wait_ms));
  keep_reserve();  // what it was used for may be free again
  return {};
}

Status Database::copy_wal(Checkpoint checkpoint) {
  Status copied = writer_->checkpoint(checkpoint);
  if (!copied.ok() && leaves_doubt(copied.error())) {
    poisoned_.store(true);
  }
  return copied;
}

// A checkpoint that stops half-way for want of room has used up the room there was.
Status Database::empty_wal(FileLock& lock, std::int32_t wait_ms) {
  EVQ_TRY_ASSIGN(const std::int64_t pages, writer_->number("PRAGMA page_count"));
  EVQ_TRY_ASSIGN(const std::uint64_t page_bytes, writer_->page_bytes());
  const std::uint64_t wanted = static_cast<std::uint64_t>(pages) * page_bytes;
  const std::uint64_t there = size_or_zero(options_.path);
  EVQ_TRY_ASSIGN(const std::uint64_t room, free_disk_bytes(parent_of(options_.path)));
  if (wanted > there && wanted - there > room) {
    return make_error(ErrorCode::kDiskFull, options_.path + ": the disk is full");
  }
  return without_note(lock, [&] {
    writer_->set_busy_ms(wait_ms);
    Status emptied = copy_wal(Checkpoint::kTruncate);
    writer_->set_busy_ms(kBusyMs);
    return emptied;
  });
}

template <class Attempt>
Status Database::without_note(FileLock& lock, const Attempt& attempt) {
  const std::optional<WalReach> noted = acknowledged();
  lock.forget();
  Status done = attempt();
  if (noted.has_value() && size_or_zero(options_.path + "-wal") != 0) {
    note_reach(*noted, &lock);
  }
  return done;
}

Status Database::resync() {
  if (resynced_.load()) {
    return {};
  }
  if (size_or_zero(options_.path + "-wal") == 0) {
    resynced_.store(true);  // whoever writes from now on says so or fails
    return {};
  }
  EVQ_TRY_ASSIGN(const Turn::Holder turn, write_turn_.take(options_.path));
  EVQ_TRY_ASSIGN(FileLock lock, lock_file());
  return open_writer(lock);
}

// Past the target, what no reader needs is copied without waiting. From the hard limit on, the
// writer waits a little for readers each time that the file has grown by the target again: large
// loads slow down instead of filling the disk, and of small commits few are held up.
void Database::checkpoint_when_due(FileLock& lock) {
  const std::uint64_t bytes = writer_->wal_bytes();
  const bool waits = bytes >= wal_wait_bytes_;
  wal_wait_bytes_ = next_wait_bytes(bytes);
  if (bytes < kWalBytesTarget || (bytes < options_.wal_bytes_target && is_roomy())) {
    return;
  }
  if (bytes < kWalBytesMax) {
    static_cast<void>(copy_wal(Checkpoint::kPassive));
    return;
  }
  static_cast<void>(empty_wal(lock, waits ? kWalShrinkMsMax : 0));
}

std::uint64_t Database::file_bytes() const {
  return size_or_zero(options_.path) + size_or_zero(options_.path + "-wal");
}

}  // namespace evq
