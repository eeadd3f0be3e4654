#pragma once
// Zones of time as texts name them behind a time of day: "CEST", "GMT+2", "UTC-03:30",
// "Europe/Berlin". Any thread; names of the tz database are looked up in the system's files.

#include <cstddef>
#include <memory>
#include <string_view>

namespace evq {

class TimeZone;  // store/base/time_zone.h

struct NamedZone {
  std::size_t size = 0;                   // bytes that name it; 0: no zone that is known
  int offset = 0;                         // seconds east of UTC
  std::shared_ptr<const TimeZone> rules;  // not null: the offset is theirs at the time told
};

// The zone that the text begins with: a name that zone_from_name() knows, UTC or GMT with hours
// east of it, and minutes if need be, or a name of the tz database with its area.
NamedZone read_named_zone(std::string_view text);

}  // namespace evq
