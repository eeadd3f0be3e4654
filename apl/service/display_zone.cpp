#include "apl/service/display_zone.h"

#include <cstdio>

#include "store/base/time.h"
#include "store/base/time_zone.h"

namespace evq {

Result<DisplayZone> DisplayZone::load(std::string_view name) {
  DisplayZone zone;
  if (name.empty() || is_utc_word(name)) {
    return zone;
  }
  EVQ_TRY_ASSIGN(zone.zone_, named_time_zone(name));
  zone.name_ = name;
  return zone;
}

std::int64_t DisplayZone::local_time(std::int64_t instant_ns) const {
  return zone_ == nullptr ? instant_ns : zone_->local_from_utc(instant_ns).value_or(instant_ns);
}

void DisplayZone::append_instant(std::string* out, std::int64_t instant_ns) const {
  // An offset is written in minutes: the seconds that some had before 1972 are left out of both.
  const std::int64_t minutes = (local_time(instant_ns) - instant_ns) / kMinuteNs;
  evq::append_instant(*out, instant_ns + minutes * kMinuteNs);
  if (minutes == 0) {
    return;
  }
  out->pop_back();  // Z
  char offset[16];
  const std::int64_t size = minutes < 0 ? -minutes : minutes;
  std::snprintf(offset, sizeof offset, "%c%02d:%02d", minutes < 0 ? '-' : '+',
                static_cast<int>(size / 60), static_cast<int>(size % 60));
  out->append(offset);
}

}  // namespace evq
