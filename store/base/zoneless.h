#pragma once
// ZonelessTimes: sets the zone of times that name none, for all readers of times on this thread,
// while the scope lives; UTC without one. These are called far below those who know the zone.

#include <cstdint>
#include <optional>

namespace evq {

class TimeZone;

class ZonelessTimes {
 public:
  // Null: UTC. The zone must outlive the scope. Scopes of a thread go in the reverse order.
  explicit ZonelessTimes(const TimeZone* zone);
  ~ZonelessTimes();
  ZonelessTimes(const ZonelessTimes&) = delete;
  ZonelessTimes& operator=(const ZonelessTimes&) = delete;

  // Whether such a time was read in this scope.
  bool any() const { return any_; }

  // For readers: the instant of a time without a zone whose clock shows `local_ns`, as by
  // TimeZone::utc_from_local. Nothing outside of int64 nanoseconds.
  static std::optional<std::int64_t> instant_of(std::optional<std::int64_t> local_ns);

 private:
  const TimeZone* const zone_;
  ZonelessTimes* const outer_;
  bool any_ = false;
};

}  // namespace evq
