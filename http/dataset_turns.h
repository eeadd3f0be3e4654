#pragma once
// DatasetTurns: a lock for each dataset name, for looking after it: a second one at a time would do
// the same work once more beside the first. Any thread; it must outlive its holders.

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "store/base/mutex.h"
#include "store/base/result.h"

namespace evq {

class DatasetTurns {
 public:
  // Holds the turn, and passes it on when destroyed.
  class Holder {
   public:
    Holder(Holder&& other) noexcept
        : turns_(std::exchange(other.turns_, nullptr)), name_(std::move(other.name_)) {}
    Holder& operator=(Holder&&) = delete;
    ~Holder();

   private:
    friend class DatasetTurns;
    Holder(DatasetTurns* turns, std::string name) : turns_(turns), name_(std::move(name)) {}

    DatasetTurns* turns_;
    std::string name_;
  };

  // Waits until nobody else has the turn; kCancelled and kTimeout as WaitScope::check.
  Result<Holder> take(std::string_view dataset);
  // Takes the turn without waiting; nothing when somebody has it.
  std::optional<Holder> try_take(std::string_view dataset);

 private:
  Mutex mutex_;
  CondVar passed_;
  std::set<std::string, std::less<>> taken_ EVQ_GUARDED_BY(mutex_);
};

}  // namespace evq
