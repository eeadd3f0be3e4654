#pragma once
// FaultMemory: memory that runs out, for SQLite. While one is there, each of SQLite's allocations,
// the small ones included, can be made to fail, once or from then on.
//
// One at a time, and no connection may be open when it is made or goes. It takes SQLite back to its
// start: make it before a FaultVfs. Otherwise any thread.

#include <cstdint>

namespace evq {

class FaultMemory {
 public:
  FaultMemory();
  ~FaultMemory();
  FaultMemory(const FaultMemory&) = delete;
  FaultMemory& operator=(const FaultMemory&) = delete;

  // Numbers count from 0 from here on.
  void fail_at(std::uint64_t allocation, bool for_good);
  // No more failures; numbers count anew.
  void heal();

  std::uint64_t allocations() const;
  bool failed() const;  // since the last fail_at
  std::uint64_t held_bytes() const;
};

}  // namespace evq
