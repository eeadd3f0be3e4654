#pragma once
// DisplayZone: the time zone in which people are shown instants. Data itself is always UTC; only
// tables and charts ask a zone. Immutable and cheap to copy; any thread.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "store/base/result.h"

namespace evq {

class TimeZone;  // store/base/time_zone.h

class DisplayZone {
 public:
  // Makes UTC.
  DisplayZone() = default;
  // Reads "UTC", "local", a name of the tz database such as "Europe/Berlin", or an offset such as
  // "+02:00". kUsage for anything else.
  static Result<DisplayZone> load(std::string_view name);

  const std::string& name() const { return name_; }
  bool is_utc() const { return zone_ == nullptr; }
  // Returns the instant as the zone's clocks show it, still counted in nanoseconds since 1970.
  std::int64_t local_time(std::int64_t instant_ns) const;
  // Appends RFC 3339 with the zone's offset: 2024-05-01T14:00:00+02:00, or Z in UTC.
  void append_instant(std::string* out, std::int64_t instant_ns) const;

 private:
  std::string name_ = "UTC";
  std::shared_ptr<const TimeZone> zone_;  // null: UTC
};

}  // namespace evq
