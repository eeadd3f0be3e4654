#include "tests/support/fault_vfs.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <sqlite3.h>

#include "store/base/file.h"
#include "store/base/file_lock.h"
#include "tests/support/unsynced.h"

namespace evq {

namespace {

using test::Change;
using test::contents_of;
using test::Disk;
using test::kSectorBytes;

// Of `sectors`, those that reached the platter.
std::vector<Change> survivors(std::vector<Change> sectors, FaultVfs::Survival survival,
                              std::mt19937_64& random) {
  switch (survival) {
    case FaultVfs::Survival::kNothing:
      return {};
    case FaultVfs::Survival::kEverything:
      return sectors;
    case FaultVfs::Survival::kSome:
      std::erase_if(sectors, [&](const Change&) { return random() % 2 == 0; });
      return sectors;
    case FaultVfs::Survival::kPrefix:
      sectors.resize(sectors.empty() ? 0 : random() % (sectors.size() + 1));
      if (!sectors.empty() && !sectors.back().truncates) {
        sectors.back().bytes.resize(random() % (sectors.back().bytes.size() + 1));
      }
      return sectors;
  }
  return {};
}

}  // namespace

struct FaultVfs::State {
  // Of the limited directory; what is written by other means counts too.
  std::uint64_t used_bytes() const {
    std::uint64_t bytes = 0;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(room_of, ignored)) {
      bytes += entry.is_regular_file(ignored)
                   ? std::max<std::uint64_t>(entry.file_size(ignored),
                                             disk_bytes_of(entry.path().string()))
                   : 0;
    }
    return bytes;
  }
  // Whether a file of `size` bytes may become `wanted` bytes long.
  bool has_room(std::uint64_t size, std::uint64_t wanted) {
    const std::lock_guard<std::mutex> lock(mutex);
    return room_of.empty() || wanted <= size || used_bytes() + (wanted - size) <= room_max;
  }

  enum class Kind : std::uint8_t { kOther, kWrite, kSync, kChange };

  // True when this call must fail. `what` names it for failure().
  bool fails(Kind kind, std::string_view what, const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex);
    const std::uint64_t call = calls++;
    const std::uint64_t write = kind == Kind::kWrite ? writes++ : writes;
    const std::uint64_t sync = kind == Kind::kSync ? syncs++ : syncs;
    const std::uint64_t change = kind == Kind::kOther ? changes : changes++;
    bool now = false;
    if (cut) {
      now = *cut < change || (*cut == change && kind != Kind::kOther);
    } else if (fail_call && fault == Fault::kIo) {
      now = is_due(call);
    } else if (fail_call) {
      now = fault == Fault::kFull ? kind == Kind::kWrite && is_due(write)
                                  : kind == Kind::kSync && is_due(sync);
    }
    if (now && failure.empty()) {
      failure = std::string(what) + " " + std::filesystem::path(path).filename().string();
    }
    return now;
  }
  bool is_due(std::uint64_t number) const {
    return number == *fail_call || (for_good && number > *fail_call);
  }
  int error_of(int io_code) const { return fault == Fault::kFull && !cut ? SQLITE_FULL : io_code; }

  void note_lock(std::string_view what, const std::string& path) {
    const std::filesystem::path file(path);
    const bool wal = file.extension() == ".db-wal";
    if (!wal && file.extension() != ".db") {
      return;
    }
    const std::string lock_path =
        (wal ? path.substr(0, path.size() - std::string_view("-wal").size()) : path) + ".lock";
    const auto lock = FileLock::try_acquire(lock_path);
    if (!lock.ok() || lock->has_value()) {
      const std::lock_guard<std::mutex> guard(mutex);
      unlocked = unlocked.empty() ? std::string(what) + " " + file.filename().string() : unlocked;
    }
  }
  void note_open(const std::string& path, bool existed) {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto [at, added] = disks.try_emplace(path);
    if (added && existed) {
      at->second.durable = contents_of(path);
    } else if (!added && !existed) {
      at->second.pending = {{true, 0, ""}};
    }
  }
  void note_change(const std::string& path, Change change) {
    const std::lock_guard<std::mutex> lock(mutex);
    disks[path].pending.push_back(std::move(change));
  }
  void note_sync(const std::string& path, bool reached_platter) {
    const std::lock_guard<std::mutex> lock(mutex);
    Disk& disk = disks[path];
    if (reached_platter) {
      std::string& bytes = disk.durable.has_value() ? *disk.durable : disk.durable.emplace();
      for (const Change& change : disk.pending) {
        apply(&bytes, change);
      }
    }
    disk.pending.clear();
  }
  // The names in the folder are as they are now: what has gone has gone for good.
  void note_directory_sync(const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex);
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::erase_if(disks, [&](const auto& disk) {
      std::error_code ignored;
      return std::filesystem::path(disk.first).parent_path() == folder &&
             !std::filesystem::exists(disk.first, ignored);
    });
  }
  void note_removal(const std::string& path, bool directory_synced) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (directory_synced) {
      disks.erase(path);
    }
  }

  std::string name;
  sqlite3_vfs* real = nullptr;
  sqlite3_vfs own = {};
  std::mutex mutex;
  std::map<std::string, Disk> disks;
  std::uint64_t calls = 0;
  std::uint64_t writes = 0;
  std::uint64_t syncs = 0;
  std::uint64_t changes = 0;
  std::atomic<std::uint64_t> sleeps = 0;
  std::function<void(const std::string& name)> before_sync;
  std::optional<std::uint64_t> fail_call;
  std::optional<std::uint64_t> cut;
  std::atomic<Fault> fault = Fault::kIo;  // which error_of() reads without the mutex
  std::string room_of;                    // empty: no limit
  std::uint64_t room_max = 0;
  bool for_good = false;
  bool powersafe = false;
  std::string failure;
  std::string unlocked;
};

namespace {

using State = FaultVfs::State;

// The file SQLite sees; the real one lies behind it in the same memory.
struct FaultFile {
  sqlite3_file base;
  State* state;
  std::string* path;     // null for a file without a name
  bool syncs_directory;  // SQLite's own VFS does so once for a journal that it made

  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

FaultFile* fault_file(sqlite3_file* file) {
  return reinterpret_cast<FaultFile*>(file);
}
State* state_of(sqlite3_vfs* vfs) {
  return static_cast<State*>(vfs->pAppData);
}

bool fails(FaultFile* file, State::Kind kind, std::string_view what) {
  return file->path != nullptr && file->state->fails(kind, what, *file->path);
}

int close_file(sqlite3_file* base) {
  FaultFile* file = fault_file(base);
  delete file->path;
  file->path = nullptr;
  return file->real()->pMethods->xClose(file->real());
}

int read_file(sqlite3_file* base, void* out, int size, sqlite3_int64 offset) {
  FaultFile* file = fault_file(base);
  if (fails(file, State::Kind::kOther, "read")) {
    return SQLITE_IOERR_READ;
  }
  return file->real()->pMethods->xRead(file->real(), out, size, offset);
}

int write_file(sqlite3_file* base, const void* bytes, int size, sqlite3_int64 offset) {
  FaultFile* file = fault_file(base);
  if (file->path != nullptr) {
    file->state->note_lock("write", *file->path);
  }
  sqlite3_int64 before = 0;
  static_cast<void>(file->real()->pMethods->xFileSize(file->real(), &before));
  if (file->path != nullptr && !file->state->has_room(static_cast<std::uint64_t>(before),
                                                      static_cast<std::uint64_t>(offset + size))) {
    return SQLITE_FULL;
  }
  const bool failed = fails(file, State::Kind::kWrite, "write");
  // A write that fails may have got half its way.
  const int written = failed ? size / 2 : size;
  if (!failed || !file->state->cut) {
    const int code = file->real()->pMethods->xWrite(file->real(), bytes, written, offset);
    if (code != SQLITE_OK) {
      return code;
    }
    if (file->path != nullptr) {
      const std::string_view view(static_cast<const char*>(bytes),
                                  static_cast<std::size_t>(written));
      file->state->note_change(*file->path,
                               {false, static_cast<std::uint64_t>(offset), std::string(view)});
    }
  }
  return failed ? file->state->error_of(SQLITE_IOERR_WRITE) : SQLITE_OK;
}

int truncate_file(sqlite3_file* base, sqlite3_int64 size) {
  FaultFile* file = fault_file(base);
  if (file->path != nullptr) {
    file->state->note_lock("truncate", *file->path);
  }
  if (fails(file, State::Kind::kChange, "truncate")) {
    return SQLITE_IOERR_TRUNCATE;
  }
  const int code = file->real()->pMethods->xTruncate(file->real(), size);
  if (code == SQLITE_OK && file->path != nullptr) {
    file->state->note_change(*file->path, {true, static_cast<std::uint64_t>(size), ""});
  }
  return code;
}

int sync_file(sqlite3_file* base, int flags) {
  FaultFile* file = fault_file(base);
  if (file->path != nullptr && file->state->before_sync) {
    file->state->before_sync(std::filesystem::path(*file->path).filename().string());
  }
  if (fails(file, State::Kind::kSync, "sync")) {
    if (!file->state->cut) {
      file->state->note_sync(*file->path, false);
    }
    return SQLITE_IOERR_FSYNC;
  }
  // The platter is a model, so the real disk need not be waited for.
  static_cast<void>(flags);
  if (file->path != nullptr) {
    file->state->note_sync(*file->path, true);
    if (std::exchange(file->syncs_directory, false)) {
      file->state->note_directory_sync(*file->path);
    }
  }
  return SQLITE_OK;
}

int size_of_file(sqlite3_file* base, sqlite3_int64* size) {
  FaultFile* file = fault_file(base);
  if (fails(file, State::Kind::kOther, "stat")) {
    return SQLITE_IOERR_FSTAT;
  }
  return file->real()->pMethods->xFileSize(file->real(), size);
}

int lock_file(sqlite3_file* base, int level) {
  FaultFile* file = fault_file(base);
  if (fails(file, State::Kind::kOther, "lock")) {
    return SQLITE_IOERR_LOCK;
  }
  return file->real()->pMethods->xLock(file->real(), level);
}

int unlock_file(sqlite3_file* base, int level) {
  FaultFile* file = fault_file(base);
  return file->real()->pMethods->xUnlock(file->real(), level);
}

int check_lock(sqlite3_file* base, int* held) {
  FaultFile* file = fault_file(base);
  return file->real()->pMethods->xCheckReservedLock(file->real(), held);
}

int control_file(sqlite3_file* base, int operation, void* argument) {
  FaultFile* file = fault_file(base);
  return file->real()->pMethods->xFileControl(file->real(), operation, argument);
}

int sector_size(sqlite3_file* /*base*/) {
  return static_cast<int>(kSectorBytes);
}

// Nothing else may be taken for granted about how writes arrive.
int characteristics(sqlite3_file* base) {
  return fault_file(base)->state->powersafe ? SQLITE_IOCAP_POWERSAFE_OVERWRITE : 0;
}

int map_shared(sqlite3_file* base, int page, int size, int extend, void volatile** out) {
  FaultFile* file = fault_file(base);
  if (fails(file, State::Kind::kOther, "map")) {
    return SQLITE_IOERR_SHMMAP;
  }
  return file->real()->pMethods->xShmMap(file->real(), page, size, extend, out);
}

int lock_shared(sqlite3_file* base, int offset, int count, int flags) {
  FaultFile* file = fault_file(base);
  if ((flags & SQLITE_SHM_LOCK) != 0 && fails(file, State::Kind::kOther, "lock")) {
    return SQLITE_IOERR_SHMLOCK;
  }
  return file->real()->pMethods->xShmLock(file->real(), offset, count, flags);
}

void order_shared(sqlite3_file* base) {
  FaultFile* file = fault_file(base);
  file->real()->pMethods->xShmBarrier(file->real());
}

int unmap_shared(sqlite3_file* base, int remove) {
  FaultFile* file = fault_file(base);
  return file->real()->pMethods->xShmUnmap(file->real(), remove);
}

constexpr sqlite3_io_methods kMethods = {2,
                                         close_file,
                                         read_file,
                                         write_file,
                                         truncate_file,
                                         sync_file,
                                         size_of_file,
                                         lock_file,
                                         unlock_file,
                                         check_lock,
                                         control_file,
                                         sector_size,
                                         characteristics,
                                         map_shared,
                                         lock_shared,
                                         order_shared,
                                         unmap_shared,
                                         nullptr,
                                         nullptr};

int open_file(sqlite3_vfs* vfs, const char* path, sqlite3_file* base, int flags, int* out_flags) {
  State* state = state_of(vfs);
  FaultFile* file = fault_file(base);
  file->base.pMethods = nullptr;
  file->state = state;
  file->path = nullptr;
  file->syncs_directory = false;
  if (path != nullptr && state->fails(State::Kind::kOther, "open", path)) {
    return SQLITE_CANTOPEN;
  }
  std::error_code ignored;
  const bool existed = path != nullptr && std::filesystem::exists(path, ignored);
  const int code = state->real->xOpen(state->real, path, file->real(), flags, out_flags);
  if (code != SQLITE_OK) {
    return code;
  }
  if (path != nullptr) {
    state->note_open(path, existed);
    file->path = new std::string(path);
    constexpr int kJournals =
        SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL;
    file->syncs_directory = (flags & SQLITE_OPEN_CREATE) != 0 && (flags & kJournals) != 0;
  }
  file->base.pMethods = &kMethods;
  return SQLITE_OK;
}

int remove_path(sqlite3_vfs* vfs, const char* path, int sync_directory) {
  State* state = state_of(vfs);
  if (state->fails(State::Kind::kChange, "remove", path)) {
    return SQLITE_IOERR_DELETE;
  }
  const int code = state->real->xDelete(state->real, path, 0);
  if (code == SQLITE_OK) {
    state->note_removal(path, sync_directory != 0);
  }
  return code;
}

int access_path(sqlite3_vfs* vfs, const char* path, int flags, int* result) {
  State* state = state_of(vfs);
  if (state->fails(State::Kind::kOther, "access", path)) {
    return SQLITE_IOERR_ACCESS;
  }
  return state->real->xAccess(state->real, path, flags, result);
}

int full_path(sqlite3_vfs* vfs, const char* path, int size, char* out) {
  State* state = state_of(vfs);
  return state->real->xFullPathname(state->real, path, size, out);
}

int random_bytes(sqlite3_vfs* vfs, int size, char* out) {
  State* state = state_of(vfs);
  return state->real->xRandomness(state->real, size, out);
}

int sleep_for(sqlite3_vfs* vfs, int microseconds) {
  State* state = state_of(vfs);
  ++state->sleeps;
  return state->real->xSleep(state->real, microseconds);
}

int current_time(sqlite3_vfs* vfs, double* out) {
  State* state = state_of(vfs);
  return state->real->xCurrentTime(state->real, out);
}

int current_time_ms(sqlite3_vfs* vfs, sqlite3_int64* out) {
  State* state = state_of(vfs);
  return state->real->xCurrentTimeInt64(state->real, out);
}

int last_error(sqlite3_vfs* vfs, int size, char* out) {
  State* state = state_of(vfs);
  return state->real->xGetLastError(state->real, size, out);
}

}  // namespace

FaultVfs::FaultVfs(bool is_default) : state_(std::make_unique<State>()) {
  // What is the default later may be one that was made over an earlier FaultVfs.
  static sqlite3_vfs* const system = sqlite3_vfs_find(nullptr);
  State* state = state_.get();
  state->name = "evq-fault-" + std::to_string(reinterpret_cast<std::uintptr_t>(state));
  state->real = system;
  sqlite3_vfs& own = state->own;
  own.iVersion = 2;
  own.szOsFile = static_cast<int>(sizeof(FaultFile)) + state->real->szOsFile;
  own.mxPathname = state->real->mxPathname;
  own.zName = state->name.c_str();
  own.pAppData = state;
  own.xOpen = open_file;
  own.xDelete = remove_path;
  own.xAccess = access_path;
  own.xFullPathname = full_path;
  own.xRandomness = random_bytes;
  own.xSleep = sleep_for;
  own.xCurrentTime = current_time;
  own.xCurrentTimeInt64 = current_time_ms;
  own.xGetLastError = last_error;
  sqlite3_vfs_register(&own, is_default ? 1 : 0);
}

FaultVfs::~FaultVfs() {
  sqlite3_vfs_unregister(&state_->own);
  // Else SQLite takes any other as its default, even one that stands on this.
  sqlite3_vfs_register(state_->real, 1);
}

const std::string& FaultVfs::name() const {
  return state_->name;
}

void FaultVfs::heal() {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->calls = 0;
  state_->writes = 0;
  state_->syncs = 0;
  state_->changes = 0;
  state_->fail_call.reset();
  state_->cut.reset();
  state_->failure.clear();
}

void FaultVfs::set_powersafe(bool powersafe) {
  state_->powersafe = powersafe;
}

void FaultVfs::fail_at(std::uint64_t call, Fault fault, bool for_good) {
  heal();
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->fail_call = call;
  state_->fault = fault;
  state_->for_good = for_good;
}

void FaultVfs::before_sync(std::function<void(const std::string& name)> call) {
  state_->before_sync = std::move(call);
}

void FaultVfs::cut_at(std::uint64_t change) {
  heal();
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->cut = change;
}

void FaultVfs::limit_room(const std::string& directory) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->room_of = directory;
  state_->room_max = state_->used_bytes();
}

void FaultVfs::unlimit_room() {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->room_of.clear();
}

std::uint64_t FaultVfs::calls() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->calls;
}

std::uint64_t FaultVfs::writes() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->writes;
}

std::uint64_t FaultVfs::syncs() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->syncs;
}

std::uint64_t FaultVfs::changes() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->changes;
}

std::uint64_t FaultVfs::sleeps() const {
  return state_->sleeps;
}

std::string FaultVfs::failure() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->failure;
}

std::string FaultVfs::unlocked_change() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->unlocked;
}

void FaultVfs::settle(Survival survival, std::mt19937_64& random) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  for (const auto& [path, disk] : state_->disks) {
    const std::vector<Change> arrived = survivors(sectors_of(disk.pending), survival, random);
    std::error_code ignored;
    const bool present = std::filesystem::exists(path, ignored);
    const bool keep_removal =
        survival == Survival::kEverything || (survival != Survival::kNothing && random() % 2 == 0);
    const bool unmade = !disk.durable && arrived.empty() && survival != Survival::kEverything;
    if (unmade || (!present && keep_removal)) {
      std::filesystem::remove(path, ignored);
      continue;
    }
    std::string bytes = disk.durable.value_or("");
    for (const Change& change : arrived) {
      apply(&bytes, change);
    }
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  // Shared memory does not outlive the power; what is found under its name is noise.
  for (const auto& [path, disk] : state_->disks) {
    const std::string shared = path + "-shm";
    if (std::filesystem::exists(shared)) {
      std::string noise(std::filesystem::file_size(shared), '\0');
      std::generate(noise.begin(), noise.end(), [&] { return static_cast<char>(random()); });
      std::ofstream(shared, std::ios::binary | std::ios::trunc) << noise;
    }
  }
  state_->disks.clear();
  state_->cut.reset();
  state_->failure.clear();
}

}  // namespace evq
