#include "store/catalog/joined_writes.h"

#include <algorithm>
#include <cstddef>
#include <list>
#include <new>
#include <utility>

#include <sqlite3.h>

#include "store/base/limits.h"
#include "store/base/mutex.h"

namespace evq {

namespace {

// SQLite's own VFS cuts off what is past 128 KiB.
constexpr std::size_t kJoinedBytesMax = 124 * kKibibyte;

// What SQLite sees of a write-ahead file; the real one lies behind it in the same memory.
struct JoinedFile {
  sqlite3_file base;
  bool joins;
  char* room;  // of kJoinedBytesMax, between a write and the next sync
  std::size_t held_bytes;
  sqlite3_int64 held_at;

  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

struct JoinedVfs {
  sqlite3_vfs own;  // the base's, with its data, but for the opening
  sqlite3_vfs* real;
  std::string name;
};

JoinedFile* joined_file(sqlite3_file* file) {
  return reinterpret_cast<JoinedFile*>(file);
}

// Writes what is held back. When that fails it is gone: its transaction is rolled back.
int write_held(JoinedFile* file) {
  const auto bytes = static_cast<int>(std::exchange(file->held_bytes, 0));
  return bytes == 0
             ? SQLITE_OK
             : file->real()->pMethods->xWrite(file->real(), file->room, bytes, file->held_at);
}

void drop_room(JoinedFile* file) {
  delete[] std::exchange(file->room, nullptr);
}

int close_file(sqlite3_file* base) {
  JoinedFile* file = joined_file(base);
  // What is held is of no commit, which would have been synced. Somebody else may have written a
  // commit of theirs in its place since, so it must not get there.
  drop_room(file);
  return file->real()->pMethods->xClose(file->real());
}

int read_file(sqlite3_file* base, void* out, int size, sqlite3_int64 offset) {
  JoinedFile* file = joined_file(base);
  const int code = write_held(file);
  return code != SQLITE_OK ? code : file->real()->pMethods->xRead(file->real(), out, size, offset);
}

int write_file(sqlite3_file* base, const void* bytes, int size, sqlite3_int64 offset) {
  JoinedFile* file = joined_file(base);
  const auto size_bytes = static_cast<std::size_t>(size);
  const bool follows = offset == file->held_at + static_cast<sqlite3_int64>(file->held_bytes) &&
                       size_bytes <= kJoinedBytesMax - file->held_bytes;
  if (!follows) {
    if (const int code = write_held(file); code != SQLITE_OK) {
      return code;
    }
  }
  if (file->joins && file->room == nullptr) {
    file->room = new (std::nothrow) char[kJoinedBytesMax];
  }
  if (file->room == nullptr || size_bytes > kJoinedBytesMax) {
    return file->real()->pMethods->xWrite(file->real(), bytes, size, offset);
  }
  if (file->held_bytes == 0) {
    file->held_at = offset;
  }
  std::copy_n(static_cast<const char*>(bytes), size_bytes, file->room + file->held_bytes);
  file->held_bytes += size_bytes;
  return SQLITE_OK;
}

int truncate_file(sqlite3_file* base, sqlite3_int64 size) {
  JoinedFile* file = joined_file(base);
  const int code = write_held(file);
  return code != SQLITE_OK ? code : file->real()->pMethods->xTruncate(file->real(), size);
}

int sync_file(sqlite3_file* base, int flags) {
  JoinedFile* file = joined_file(base);
  const int code = write_held(file);
  drop_room(file);
  return code != SQLITE_OK ? code : file->real()->pMethods->xSync(file->real(), flags);
}

int size_of_file(sqlite3_file* base, sqlite3_int64* size) {
  JoinedFile* file = joined_file(base);
  const int code = write_held(file);
  return code != SQLITE_OK ? code : file->real()->pMethods->xFileSize(file->real(), size);
}

int lock_file(sqlite3_file* base, int level) {
  sqlite3_file* real = joined_file(base)->real();
  return real->pMethods->xLock(real, level);
}

int unlock_file(sqlite3_file* base, int level) {
  sqlite3_file* real = joined_file(base)->real();
  return real->pMethods->xUnlock(real, level);
}

int check_lock(sqlite3_file* base, int* held) {
  sqlite3_file* real = joined_file(base)->real();
  return real->pMethods->xCheckReservedLock(real, held);
}

int control_file(sqlite3_file* base, int operation, void* argument) {
  JoinedFile* file = joined_file(base);
  const int code = write_held(file);
  return code != SQLITE_OK
             ? code
             : file->real()->pMethods->xFileControl(file->real(), operation, argument);
}

int sector_size(sqlite3_file* base) {
  sqlite3_file* real = joined_file(base)->real();
  return real->pMethods->xSectorSize(real);
}

int characteristics(sqlite3_file* base) {
  sqlite3_file* real = joined_file(base)->real();
  return real->pMethods->xDeviceCharacteristics(real);
}

// A write-ahead file has no memory of its own that is shared.
constexpr sqlite3_io_methods kMethods = {
    1,         close_file,  read_file,  write_file,   truncate_file, sync_file,       size_of_file,
    lock_file, unlock_file, check_lock, control_file, sector_size,   characteristics, nullptr,
    nullptr,   nullptr,     nullptr,    nullptr,      nullptr};

int open_file(sqlite3_vfs* vfs, const char* path, sqlite3_file* base, int flags, int* out_flags) {
  sqlite3_vfs* real = reinterpret_cast<JoinedVfs*>(vfs)->real;
  if ((flags & SQLITE_OPEN_WAL) == 0) {
    return real->xOpen(real, path, base, flags, out_flags);
  }
  JoinedFile* file = joined_file(base);
  *file = {};
  file->real()->pMethods = nullptr;
  const int code = real->xOpen(real, path, file->real(), flags, out_flags);
  if (file->real()->pMethods != nullptr) {
    file->base.pMethods = &kMethods;
    // Else a commit fills its last sector, and what is behind that is written after its sync.
    file->joins = (characteristics(base) & SQLITE_IOCAP_POWERSAFE_OVERWRITE) != 0;
  }
  return code;
}

}  // namespace

std::string joined_writes_vfs(const std::string& base) {
  static Mutex mutex;
  static auto& made = *new std::list<JoinedVfs>;  // for ever: SQLite knows them
  sqlite3_vfs* real = sqlite3_vfs_find(base.empty() ? nullptr : base.c_str());
  if (real == nullptr) {
    return {};
  }
  const MutexLock lock(mutex);
  for (const JoinedVfs& known : made) {
    if (known.real == real) {
      return known.name;
    }
  }
  std::list<JoinedVfs> one;
  JoinedVfs& own = one.emplace_back(JoinedVfs{*real, real, {}});
  own.name = "evq-joined-" + std::to_string(made.size());
  own.own.zName = own.name.c_str();
  own.own.szOsFile = static_cast<int>(sizeof(JoinedFile)) + real->szOsFile;
  own.own.xOpen = open_file;
  own.own.pNext = nullptr;
  if (sqlite3_vfs_register(&own.own, 0) != SQLITE_OK) {
    return {};
  }
  made.splice(made.end(), one);
  return own.name;
}

}  // namespace evq
