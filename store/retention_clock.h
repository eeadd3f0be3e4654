#pragma once
// RetentionClock: since when the events of a dataset are retained, by a wall clock that is believed
// only while it has not jumped (clock_watch.h), in this process or since an earlier one: each hour
// the catalog's settings note what the clock said. Where that cannot be kept or read, it is as if
// nothing were known from before; nothing fails. Any thread.

#include <cstdint>
#include <optional>
#include <string_view>

#include "store/base/clock_watch.h"
#include "store/base/mutex.h"
#include "store/definitions.h"

namespace evq {

class RetentionClock {
 public:
  // Watches from now on. `definitions` must outlive it.
  explicit RetentionClock(Definitions& definitions) : definitions_(definitions) {}

  // Events before that time have outlived the dataset's retention period; nothing where there is
  // none, or the clock is not to be believed.
  std::optional<std::int64_t> retained_from(const DatasetDefinition& definition);

 private:
  bool believes_clock();
  void continue_from_earlier(std::int64_t now) EVQ_REQUIRES(mutex_);
  std::optional<std::int64_t> kept_time(std::string_view setting);
  void keep_time(std::string_view setting, std::int64_t now);

  Definitions& definitions_;
  ClockWatch watch_;
  Mutex mutex_;
  std::optional<std::int64_t> noted_ns_ EVQ_GUARDED_BY(mutex_);  // by this process
};

}  // namespace evq
