#include "store/base/zoneless.h"

#include <utility>

#include "store/base/time_zone.h"

namespace evq {

namespace {

ZonelessTimes*& zoneless_scope() {
  thread_local ZonelessTimes* scope = nullptr;
  return scope;
}

}  // namespace

ZonelessTimes::ZonelessTimes(const TimeZone* zone)
    : zone_(zone), outer_(std::exchange(zoneless_scope(), this)) {}

ZonelessTimes::~ZonelessTimes() {
  zoneless_scope() = outer_;
}

std::optional<std::int64_t> ZonelessTimes::instant_of(std::optional<std::int64_t> local_ns) {
  ZonelessTimes* const scope = zoneless_scope();
  if (scope == nullptr || !local_ns) {
    return local_ns;
  }
  scope->any_ = true;
  return scope->zone_ == nullptr ? local_ns : scope->zone_->utc_from_local(*local_ns);
}

}  // namespace evq
