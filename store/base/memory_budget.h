#pragma once
// MemoryBudget: how many bytes a query, or all queries of a process together, may hold. Operators
// reserve before they allocate and release after they free; nobody hooks malloc. A budget may have
// a parent (the process's), which is charged for the same bytes. The outermost one with a limit
// has a HeapWatch.
// All methods of MemoryBudget may be called from any thread; a lease belongs to one thread.

#include <atomic>
#include <cstddef>
#include <optional>
#include <string_view>

#include "store/base/heap_watch.h"
#include "store/base/result.h"

namespace evq {

class MemoryBudget {
 public:
  // `limit_bytes` 0 means no limit of its own. The parent must outlive this budget.
  explicit MemoryBudget(std::size_t limit_bytes, MemoryBudget* parent = nullptr)
      : limit_(limit_bytes),
        parent_(parent),
        watch_(parent == nullptr || parent->limit() == 0 ? limit_bytes : 0) {}
  // Everything must have been released.
  ~MemoryBudget() = default;
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // Reserves `bytes`. When they do not fit, it fails with kLimit, "memory limit of N exceeded in
  // OPERATOR", and reserves nothing.
  Status reserve(std::size_t bytes, std::string_view operator_name);
  // Releases `bytes`, at most what is reserved.
  void release(std::size_t bytes);

  std::size_t limit() const { return limit_; }
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  // The most that was ever reserved at once.
  std::size_t peak() const { return peak_.load(std::memory_order_relaxed); }

 private:
  // Reserves `bytes` and returns the new total; nothing when they do not fit.
  std::optional<std::size_t> try_reserve(std::size_t bytes);

  const std::size_t limit_;
  MemoryBudget* const parent_;
  HeapWatch watch_;
  std::atomic<std::size_t> used_{0};
  std::atomic<std::size_t> peak_{0};
};

// Bytes reserved from a budget, given back when destroyed. Without a budget nothing is counted,
// so that code under test needs none.
class MemoryLease {
 public:
  MemoryLease() = default;
  // `operator_name` must outlive the lease: a literal.
  MemoryLease(MemoryBudget* budget, std::string_view operator_name)
      : budget_(budget), operator_name_(operator_name) {}
  ~MemoryLease() { reset(); }
  MemoryLease(MemoryLease&& other) noexcept;
  MemoryLease& operator=(MemoryLease&& other) noexcept;
  MemoryLease(const MemoryLease&) = delete;
  MemoryLease& operator=(const MemoryLease&) = delete;

  // Reserves more.
  Status grow(std::size_t bytes);
  // Gives back some of what is held.
  void shrink(std::size_t bytes);
  // Reserves or releases so that exactly `bytes` are held; on failure what was held stays.
  Status resize(std::size_t bytes);
  // Takes over what `other`, a lease of the same budget, holds. Nobody else can have it meanwhile.
  void take(MemoryLease* other);
  // Gives everything back.
  void reset();
  std::size_t bytes() const { return bytes_; }

 private:
  MemoryBudget* budget_ = nullptr;
  std::string_view operator_name_;
  std::size_t bytes_ = 0;
};

}  // namespace evq
