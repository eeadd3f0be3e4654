#pragma once
// Turn: a mutex for work that may take long because it waits for another process itself. Waiting
// for the turn ends when the thread's WaitScope says so. Any thread; it must outlive its holders.

#include <string>
#include <utility>

#include "store/base/mutex.h"
#include "store/base/result.h"

namespace evq {

class Turn {
 public:
  // Passes the turn on when destroyed, which any thread may do.
  class Holder {
   public:
    Holder(Holder&& other) noexcept : turn_(std::exchange(other.turn_, nullptr)) {}
    Holder& operator=(Holder&&) = delete;
    ~Holder();

   private:
    friend class Turn;
    explicit Holder(Turn* turn) : turn_(turn) {}

    Turn* turn_;
  };

  Turn() = default;
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  // Waits for the turn; kCancelled and kTimeout as WaitScope::check(awaited).
  Result<Holder> take(const std::string& awaited);

 private:
  void pass();

  Mutex mutex_;
  CondVar free_;
  bool taken_ EVQ_GUARDED_BY(mutex_) = false;
};

}  // namespace evq
