// Connection: its write-ahead file, which SQLite reads and writes by itself and tells little about.

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <sqlite3.h>

#include "store/base/checksum.h"
#include "store/base/process.h"
#include "store/catalog/sqlite.h"
#include "store/catalog/sqlite_files.h"

namespace evq {
namespace {

// Sizes of the write-ahead file's parts, and where its index says how much of it counts, in the
// machine's byte order: https://www.sqlite.org/walformat.html.
constexpr int kWalIndexRegionBytes = 32768;
constexpr std::size_t kWalIndexPageSizeAt = 14;
constexpr std::size_t kWalIndexFramesAt = 16;
constexpr std::size_t kWalIndexPagesAt = 20;
constexpr std::size_t kWalIndexSaltAt = 32;
constexpr std::size_t kWalIndexCopyBytes = 48;  // it begins with two of the same
constexpr std::size_t kWalIndexBackfilledAt = 2 * kWalIndexCopyBytes;
constexpr std::size_t kWalIndexAttemptedAt = kWalIndexBackfilledAt + 32;

template <class Integer>
Integer integer_at(const volatile std::byte* memory, std::size_t at) {
  return *reinterpret_cast<const volatile Integer*>(memory + at);
}

// The index's first region, which readers and writers of all processes share; null when the file
// is not open as one with an index.
volatile std::byte* index_of(sqlite3_file* database) {
  void volatile* region = nullptr;
  const bool mapped =
      database != nullptr &&
      database->pMethods->xShmMap(database, 0, kWalIndexRegionBytes, 0, &region) == SQLITE_OK;
  return mapped ? static_cast<volatile std::byte*>(region) : nullptr;
}

// The size of the pages; 65,536 does not fit the index's field and is written as 1.
std::int64_t page_bytes_by(const volatile std::byte* index) {
  const auto noted = integer_at<std::uint16_t>(index, kWalIndexPageSizeAt);
  return noted == 1 ? 65536 : noted;
}

bool is_torn(const volatile std::byte* index) {
  return !std::equal(index, index + kWalIndexCopyBytes, index + kWalIndexCopyBytes);
}

bool read_at(sqlite3_file* file, std::uint64_t at, std::span<unsigned char> bytes) {
  return file->pMethods->xRead(file, bytes.data(), static_cast<int>(bytes.size()),
                               static_cast<sqlite3_int64>(at)) == SQLITE_OK;
}

// The last of the file's `frames`, at least one, as it lies there.
void note_last_page(sqlite3_file* wal, std::uint64_t frames, WalReach* reach) {
  std::array<unsigned char, kWalFrameHeaderBytes> header{};
  std::vector<unsigned char> page(page_bytes_of(reach->header));
  if (page.empty()) {
    return;
  }
  const std::uint64_t at = kWalHeaderBytes + (frames - 1) * (header.size() + page.size());
  if (read_at(wal, at, header) && read_at(wal, at + header.size(), page)) {
    reach->page = page_of_frame(header);
    reach->page_sum = checksum64(page);
    reach->boot = boot_number();
  }
}

// False when SQLite takes the file for an empty one, whatever is in it; true when nobody can tell.
bool may_have_frames(sqlite3_file* wal, sqlite3_int64 size) {
  WalHeaderBytes header{};
  return size > static_cast<sqlite3_int64>(kWalHeaderBytes) &&
         (!read_at(wal, 0, header) || page_bytes_of(header) != 0);
}

// While the system runs on, what was written to a file stays readable, on the disk or not.
bool is_of_this_run(const std::optional<WalReach>& acknowledged) {
  return acknowledged.has_value() && acknowledged->boot != 0 && acknowledged->boot == boot_number();
}

// Whether a write may harm the bytes beside it, so that SQLite fills sectors.
bool is_padded(sqlite3_file* file) {
  return (file->pMethods->xDeviceCharacteristics(file) & SQLITE_IOCAP_POWERSAFE_OVERWRITE) == 0;
}

}  // namespace

Status Connection::checkpoint(Checkpoint checkpoint) {
  const int mode =
      checkpoint == Checkpoint::kTruncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
  forget_backfill(Backfill::kUnfinished);
  const int code = sqlite3_wal_checkpoint_v2(handle_, "main", mode, nullptr, nullptr);
  return code == SQLITE_OK ? Status() : Status(error(code));
}

// What a checkpoint that readers held up has copied counts as copied, but is synced only by one
// that comes to the end. When that sync fails, the system forgets those pages, and a later
// checkpoint would not write them again. SQLite notes how far a checkpoint is to come before it
// begins, and how far it came only after that sync: where the two differ, the last one failed or
// its process was killed. Whoever reads the database alone, since all was in it, keeps later
// checkpoints away by a lock of its own.
void Connection::forget_backfill(Backfill which) {
  sqlite3_file* database = connection_file(handle_, SQLITE_FCNTL_FILE_POINTER);
  const bool open = connection_file(handle_, SQLITE_FCNTL_JOURNAL_POINTER) != nullptr;
  volatile std::byte* index = open ? index_of(database) : nullptr;
  if (index == nullptr) {
    return;
  }
  const auto attempted = integer_at<std::uint32_t>(index, kWalIndexAttemptedAt);
  const auto backfilled = integer_at<std::uint32_t>(index, kWalIndexBackfilledAt);
  if (which == Backfill::kAny || attempted != backfilled) {
    *reinterpret_cast<volatile std::uint32_t*>(index + kWalIndexBackfilledAt) = 0;
    database->pMethods->xShmBarrier(database);
  }
}

Status Connection::resync() {
  // Opens the write-ahead file, recovering from it what another process left.
  EVQ_TRY(execute("SELECT count(*) FROM sqlite_schema"));
  // First of all: a database that is ahead of its write-ahead file would be thrown back by it.
  EVQ_TRY(rewrite_wal());
  forget_backfill(Backfill::kAny);
  // Not needed, but what is empty is not written again by the next process.
  set_busy_ms(0);
  Status emptied = checkpoint(Checkpoint::kTruncate);
  set_busy_ms(busy_ms_);
  const bool can_wait = !emptied.ok() && (emptied.error().code == ErrorCode::kUnavailable ||
                                          emptied.error().code == ErrorCode::kDiskFull);
  return can_wait ? Status() : std::move(emptied);
}

Status Connection::cut_wal() {
  sqlite3_file* wal = connection_file(handle_, SQLITE_FCNTL_JOURNAL_POINTER);
  const volatile std::byte* index = index_of(connection_file(handle_, SQLITE_FCNTL_FILE_POINTER));
  if (wal == nullptr || index == nullptr) {
    return wal_not_open();
  }
  const std::int64_t page_bytes = page_bytes_by(index);
  const std::int64_t frames = integer_at<std::uint32_t>(index, kWalIndexFramesAt);
  const auto frame_bytes = page_bytes + static_cast<std::int64_t>(kWalFrameHeaderBytes);
  const std::int64_t bytes = static_cast<std::int64_t>(kWalHeaderBytes) + frames * frame_bytes;
  sqlite3_int64 size = 0;
  int code = wal->pMethods->xFileSize(wal, &size);
  if (code == SQLITE_OK && size > bytes) {
    code = wal->pMethods->xTruncate(wal, bytes);
    code = code == SQLITE_OK ? wal->pMethods->xSync(wal, SQLITE_SYNC_NORMAL) : code;
  }
  return code == SQLITE_OK ? Status() : Status(error(code));
}

// The copies that fill a sector after a commit count as frames, and the end of the last one is not
// synced before the next commit. The page is that of the last frame all the same, since a later one
// may hold another version of it.
std::optional<WalReach> Connection::take_reach() {
  const std::uint64_t frames = std::exchange(new_frames_, 0);
  sqlite3_file* wal = connection_file(handle_, SQLITE_FCNTL_JOURNAL_POINTER);
  WalReach reach;
  if (frames == 0 || wal == nullptr ||
      wal->pMethods->xRead(wal, reach.header.data(), kWalHeaderBytes, 0) != SQLITE_OK) {
    return std::nullopt;
  }
  std::uint64_t copies_max = 0;
  if (is_padded(wal)) {
    const auto sector_bytes = static_cast<std::uint64_t>(wal->pMethods->xSectorSize(wal));
    copies_max = 1 + sector_bytes / (page_bytes_ + kWalFrameHeaderBytes);
  }
  reach.frames = frames - std::min(frames, copies_max);
  note_last_page(wal, frames, &reach);
  return reach;
}

// While the system runs on, a header is torn only by damage: it is written by one call, which a
// kill does not cut in two.
bool Connection::has_dropped(const std::optional<WalReach>& acknowledged) {
  sqlite3_file* wal = connection_file(handle_, SQLITE_FCNTL_JOURNAL_POINTER);
  sqlite3_int64 size = 0;
  if (wal != nullptr && wal->pMethods->xFileSize(wal, &size) != SQLITE_OK) {
    return false;
  }
  if (!is_of_this_run(acknowledged) || acknowledged->page == 0 || may_have_frames(wal, size)) {
    return false;
  }
  sqlite3_file* database = connection_file(handle_, SQLITE_FCNTL_FILE_POINTER);
  std::vector<unsigned char> page(page_bytes_of(acknowledged->header));
  const std::uint64_t at = (acknowledged->page - 1) * page.size();
  return database == nullptr || !read_at(database, at, page) ||
         checksum64(page) != acknowledged->page_sum;
}

// By the index; nothing when there is none, or when whoever wrote it died over it.
std::optional<WalFile> Connection::wal_file() {
  sqlite3_file* wal = connection_file(handle_, SQLITE_FCNTL_JOURNAL_POINTER);
  sqlite3_int64 size = 0;
  if (wal == nullptr || wal->pMethods->xFileSize(wal, &size) != SQLITE_OK) {
    return std::nullopt;
  }
  const volatile std::byte* index = index_of(connection_file(handle_, SQLITE_FCNTL_FILE_POINTER));
  if (index == nullptr) {
    return std::nullopt;
  }
  if (is_torn(index)) {
    return std::nullopt;
  }
  WalFile file;
  file.read = [wal](std::uint64_t at, std::span<unsigned char> bytes) {
    return read_at(wal, at, bytes);
  };
  file.size_bytes = static_cast<std::uint64_t>(size);
  file.frames = integer_at<std::uint32_t>(index, kWalIndexFramesAt);
  std::transform(index + kWalIndexSaltAt, index + kWalIndexSaltAt + kWalSaltBytes,
                 file.salt.begin(),
                 [](std::byte byte) { return static_cast<unsigned char>(byte); });
  return file;
}

bool Connection::may_have_lost(const std::optional<WalReach>& acknowledged) {
  const std::optional<WalFile> wal = wal_file();
  return has_dropped(acknowledged) || (wal.has_value() && evq::may_have_lost(*wal, acknowledged));
}

bool Connection::has_lost(const std::optional<WalReach>& acknowledged) {
  const std::optional<WalFile> wal = wal_file();
  return has_dropped(acknowledged) || (wal.has_value() && evq::has_lost(*wal, acknowledged));
}

// A sync that fails leaves the index as it was, and with it what a note says. Where the index was
// made anew from the file, frames that such a sync was for may count, and no note covers them.
bool Connection::has_synced_wal(const std::optional<WalReach>& acknowledged) {
  const std::optional<WalFile> wal = wal_file();
  return wal.has_value() && is_of_this_run(acknowledged) && is_acknowledged(*wal, *acknowledged);
}

bool Connection::has_indexed_wal() {
  const std::optional<WalFile> wal = wal_file();
  return !wal.has_value() || has_indexed(*wal);
}

// The first page is written before there is a write-ahead file. An index whose file was empty when
// it was made tells no pages: then SQLite compares the database with what its first page says. One
// that was the same before and after the size was asked tells of that moment: a database shrinks to
// what a commit before has put there.
bool Connection::has_indexed_pages() {
  sqlite3_file* database = connection_file(handle_, SQLITE_FCNTL_FILE_POINTER);
  const bool open = connection_file(handle_, SQLITE_FCNTL_JOURNAL_POINTER) != nullptr;
  const volatile std::byte* index = open ? index_of(database) : nullptr;
  sqlite3_int64 size = 0;
  if (index == nullptr) {
    return true;
  }
  std::array<std::byte, kWalIndexCopyBytes> before{};
  std::copy(index, index + before.size(), before.begin());
  database->pMethods->xShmBarrier(database);
  if (database->pMethods->xFileSize(database, &size) != SQLITE_OK) {
    return true;
  }
  database->pMethods->xShmBarrier(database);
  if (is_torn(index) || !std::equal(before.begin(), before.end(), index)) {
    return true;
  }
  const std::int64_t page_bytes = std::max<std::int64_t>(page_bytes_by(before.data()), 1);
  const std::int64_t frames = integer_at<std::uint32_t>(before.data(), kWalIndexFramesAt);
  const std::int64_t pages = integer_at<std::uint32_t>(before.data(), kWalIndexPagesAt);
  return size >= page_bytes && size / page_bytes + frames >= pages;
}

std::uint64_t Connection::wal_read_bytes() {
  const std::optional<WalFile> wal = wal_file();
  return wal.has_value() ? wal_end_bytes(*wal) : 0;
}

Error Connection::wal_not_open() const {
  return make_error(ErrorCode::kIo, path_ + ": the write-ahead file is not open");
}

Status Connection::rewrite_wal() {
  sqlite3_file* file = connection_file(handle_, SQLITE_FCNTL_JOURNAL_POINTER);
  if (file == nullptr) {
    return wal_not_open();
  }
  sqlite3_int64 size = 0;
  int code = file->pMethods->xFileSize(file, &size);
  constexpr sqlite3_int64 kPieceBytes = 65536;  // SQLite's own VFS cuts off what is past 128 KiB
  std::vector<char> piece(kPieceBytes);
  for (sqlite3_int64 at = 0; code == SQLITE_OK && at < size;) {
    const auto bytes = static_cast<int>(std::min(size - at, kPieceBytes));
    code = file->pMethods->xRead(file, piece.data(), bytes, at);
    if (code == SQLITE_OK) {
      code = file->pMethods->xWrite(file, piece.data(), bytes, at);
    }
    at += bytes;
  }
  if (code == SQLITE_OK) {
    code = file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
  }
  return code == SQLITE_OK ? Status() : Status(error(code));
}

}  // namespace evq
