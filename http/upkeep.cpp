#include "http/upkeep.h"

#include "store/base/time.h"

namespace evq {

Upkeep::Upkeep(Service& service, HttpMetrics& metrics, std::int64_t interval_ms)
    : service_(service), metrics_(metrics), interval_ms_(interval_ms) {
  thread_.submit([this] { run(); });
}

Upkeep::~Upkeep() {
  control_.cancel();
  const MutexLock lock(mutex_);
  stopping_ = true;
  wake_.notify_all();
}

void Upkeep::run() {
  for (;;) {
    {
      const MutexLock lock(mutex_);
      const std::int64_t until = monotonic_now_ns() + interval_ms_ * kMillisecondNs;
      for (std::int64_t left = interval_ms_; !stopping_ && left > 0;
           left = (until - monotonic_now_ns()) / kMillisecondNs) {
        static_cast<void>(wake_.wait_for_ms(mutex_, left));
      }
      if (stopping_) {
        return;
      }
    }
    go_round();
  }
}

// A dataset that fails is tried again in the next round; its requests report what is wrong.
void Upkeep::go_round() {
  Result<std::vector<DatasetDefinition>> datasets = service_.store().definitions().datasets();
  if (!datasets.ok()) {
    return;
  }
  const std::int64_t now = wall_clock_now_ns();
  for (const DatasetDefinition& dataset : *datasets) {
    if (control_.should_stop()) {
      return;
    }
    if (dataset.use_retention && dataset.retention_days > 0) {
      const auto age = checked_multiply(dataset.retention_days, kDayNs);
      const auto before = age.has_value() ? checked_subtract(now, *age) : std::nullopt;
      if (before.has_value()) {
        static_cast<void>(service_.store().trim(dataset.name, *before).ok());
      }
    }
    static_cast<void>(service_.store().maintain(dataset.name, false, control_).ok());
  }
  metrics_.maintenance_rounds.fetch_add(1);
}

}  // namespace evq
