#include "store/catalog/unsynced_vfs.h"

#include <list>

#include <sqlite3.h>

#include "store/base/mutex.h"

namespace evq {

namespace {

constexpr const char* kName = "evq-unsynced";

// What a kind of files does, but for the sync. The files themselves are the real VFS's.
struct UnsyncedMethods {
  sqlite3_io_methods own;
  const sqlite3_io_methods* real;
};

int sync_nothing(sqlite3_file* /*file*/, int /*flags*/) {
  return SQLITE_OK;
}

const sqlite3_io_methods* unsynced(const sqlite3_io_methods* real) {
  static Mutex mutex;
  static auto& made = *new std::list<UnsyncedMethods>;  // for ever: open files use them
  const MutexLock lock(mutex);
  for (const UnsyncedMethods& known : made) {
    if (known.real == real) {
      return &known.own;
    }
  }
  UnsyncedMethods& methods = made.emplace_back(UnsyncedMethods{*real, real});
  methods.own.xSync = sync_nothing;
  return &methods.own;
}

sqlite3_vfs* real_of(sqlite3_vfs* vfs) {
  return static_cast<sqlite3_vfs*>(vfs->pAppData);
}

int open_unsynced(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags,
                  int* out_flags) {
  const int code = real_of(vfs)->xOpen(real_of(vfs), path, file, flags, out_flags);
  if (file->pMethods != nullptr) {
    file->pMethods = unsynced(file->pMethods);
  }
  return code;
}

int delete_unsynced(sqlite3_vfs* vfs, const char* path, int /*sync_folder*/) {
  return real_of(vfs)->xDelete(real_of(vfs), path, 0);
}

// The system's VFS finds its data by itself, so these are told which one it is.
int access_unsynced(sqlite3_vfs* vfs, const char* path, int flags, int* result) {
  return real_of(vfs)->xAccess(real_of(vfs), path, flags, result);
}

int full_path_unsynced(sqlite3_vfs* vfs, const char* path, int size, char* out) {
  return real_of(vfs)->xFullPathname(real_of(vfs), path, size, out);
}

bool register_vfs() {
  static sqlite3_vfs own;  // for ever: SQLite knows it
  sqlite3_vfs* const real = sqlite3_vfs_find(nullptr);
  if (real == nullptr) {
    return false;
  }
  own = *real;
  own.zName = kName;
  own.pNext = nullptr;
  own.pAppData = real;
  own.xOpen = open_unsynced;
  own.xDelete = delete_unsynced;
  own.xAccess = access_unsynced;
  own.xFullPathname = full_path_unsynced;
  return sqlite3_vfs_register(&own, 0) == SQLITE_OK;
}

}  // namespace

std::string unsynced_vfs() {
  static const bool known = register_vfs();
  return known ? kName : "";
}

bool is_unsynced(std::string_view vfs) {
  return vfs == kName;
}

}  // namespace evq
