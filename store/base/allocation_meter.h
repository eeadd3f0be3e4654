#pragma once
// AllocationMeter: the memory of the columns that one piece of work makes on its thread, charged to
// a budget while it is being allocated. Whoever allocates for columns (StringArena, Values) calls
// charge(), so that the loops that make values row by row need not know of budgets. When there is
// no room, or the work must end, the allocation fails as allocations do, with std::bad_alloc;
// guard() turns that into the reason.
//
// Meters of one thread nest like the calls that own them. The thread's first bytes are free, its
// share of kUnchargedColumnBytesMax: chunks of common rows cost no reservation.

#include <cstddef>
#include <new>
#include <string_view>
#include <utility>

#include "store/base/control.h"
#include "store/base/error.h"
#include "store/base/memory_budget.h"
#include "store/base/result.h"

namespace evq {

class AllocationMeter {
 public:
  // `budget` and `control` may be null. `operator_name`, a literal, is for memory errors.
  AllocationMeter(MemoryBudget* budget, const QueryControl* control,
                  std::string_view operator_name);
  // Releases what was charged; must run on the thread that made the meter.
  ~AllocationMeter();
  AllocationMeter(const AllocationMeter&) = delete;
  AllocationMeter& operator=(const AllocationMeter&) = delete;

  // Runs `work` with this meter as the thread's. kLimit, kTimeout or kCancelled when it was refused
  // memory; what it was making is of no use then.
  template <class Work>
  Status guard(const Work& work) {
    const Current current(this);
    try {
      work();
    } catch (const std::bad_alloc&) {
      if (refusal_.ok()) {
        return make_error(ErrorCode::kLimit, "out of memory", "set a lower memory limit");
      }
    }
    return std::exchange(refusal_, Status());
  }

  // Charges `bytes` about to be allocated, or throws std::bad_alloc. Does nothing without a meter.
  static void charge(std::size_t bytes);
  // Gives back `bytes` that this thread charged and has freed, while the same meter is its current
  // one: see scratch.h.
  static void give_back(std::size_t bytes) noexcept;
  // Throws like charge() when the work must end; for loops that read much and allocate little.
  static void poll() { charge(0); }
  // Throws like charge(), so that guard() returns `reason`. Does nothing without a meter.
  static void refuse(Error reason);
  // The bytes that all meters of this thread hold together.
  static std::size_t held_bytes();

 private:
  // Makes a meter the thread's current one for a scope.
  class Current {
   public:
    explicit Current(AllocationMeter* meter);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    AllocationMeter* const before_;
  };

  Status take(std::size_t bytes);
  void drop(std::size_t bytes);

  const QueryControl* const control_;
  MemoryLease lease_;
  std::size_t bytes_ = 0;
  Status refusal_;
};

// Bytes of text that a slow reader gets through in a microsecond.
inline constexpr std::size_t kPollTextBytes = 256;

// Polls now and then, for loops of steps too short to poll in each. A step that may look at a long
// text counts for more: 1 + bytes / kPollTextBytes.
class PollCounter {
 public:
  void add(std::size_t steps = 1) {
    steps_ += steps;
    if (steps_ >= kPollStepsMax) {
      steps_ = 0;
      AllocationMeter::poll();
    }
  }

 private:
  // A step takes a microsecond at worst, which is within kControlPollMsMax.
  static constexpr std::size_t kPollStepsMax = 16384;

  std::size_t steps_ = 0;
};

}  // namespace evq
