#include "tests/support/fault_memory.h"

#include <atomic>
#include <cstdlib>

#include <sqlite3.h>

namespace evq {

namespace {

constexpr std::uint64_t kNever = UINT64_MAX;

// SQLite's methods of memory are plain functions, so this is the program's.
struct Watch {
  std::atomic<std::uint64_t> made{0};
  std::atomic<std::uint64_t> fails_at{kNever};
  std::atomic<bool> for_good{false};
  std::atomic<bool> failed{false};
  sqlite3_mem_methods real = {};

  bool fails() {
    const std::uint64_t number = made.fetch_add(1);
    const std::uint64_t due = fails_at.load();
    if (number != due && (number < due || !for_good.load())) {
      return false;
    }
    failed.store(true);
    return true;
  }
};

Watch& watch() {
  static Watch only;
  return only;
}

void* allocate(int size) {
  return watch().fails() ? nullptr : watch().real.xMalloc(size);
}

void* reallocate(void* memory, int size) {
  return watch().fails() ? nullptr : watch().real.xRealloc(memory, size);
}

void require(int code) {
  if (code != SQLITE_OK) {
    std::abort();
  }
}

// SQLite hands small pieces out of memory that it keeps; without that each is an allocation.
constexpr int kKeptPieceBytes = 1200;
constexpr int kKeptPieces = 40;

void restart_with(const sqlite3_mem_methods& methods, int piece_bytes, int pieces) {
  require(sqlite3_shutdown());
  require(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods));
  require(sqlite3_config(SQLITE_CONFIG_LOOKASIDE, piece_bytes, pieces));
  require(sqlite3_initialize());
}

}  // namespace

FaultMemory::FaultMemory() {
  heal();
  require(sqlite3_shutdown());
  require(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &watch().real));
  sqlite3_mem_methods methods = watch().real;
  methods.xMalloc = allocate;
  methods.xRealloc = reallocate;
  restart_with(methods, 0, 0);
}

FaultMemory::~FaultMemory() {
  heal();
  restart_with(watch().real, kKeptPieceBytes, kKeptPieces);
}

void FaultMemory::heal() {
  watch().fails_at.store(kNever);
  watch().for_good.store(false);
  watch().made.store(0);
}

void FaultMemory::fail_at(std::uint64_t allocation, bool for_good) {
  heal();
  watch().failed.store(false);
  watch().for_good.store(for_good);
  watch().fails_at.store(allocation);
}

std::uint64_t FaultMemory::allocations() const {
  return watch().made.load();
}

bool FaultMemory::failed() const {
  return watch().failed.load();
}

std::uint64_t FaultMemory::held_bytes() const {
  return static_cast<std::uint64_t>(sqlite3_memory_used());
}

}  // namespace evq
