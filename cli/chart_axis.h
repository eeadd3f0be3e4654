#pragma once
// The horizontal axis of a picture: its places, in order, and what is written under them. A place
// is an instant, a whole number, or the number of a name in order of appearance. Pure but for
// NamedPlaces, which one thread at a time fills.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apl/service/display_zone.h"
#include "cli/terminal/chart.h"
#include "store/column/dynamic.h"

namespace evq {

// Adds the bins that no row fell into, unless they are so many that nothing would be seen. `places`
// are distinct and ascend.
std::vector<std::int64_t> with_empty_bins(std::vector<std::int64_t> places,
                                          std::optional<std::int64_t> bin);

struct TimeLabels {
  std::vector<std::string> labels;
  std::vector<std::string> groups;  // of the labels
};
// Labels instants: 05-01 in the group 2024 where all are days, else 12:00 in the group 2024-05-01.
TimeLabels time_labels(const std::vector<std::int64_t>& instants, const DisplayZone& zone);
// Writes "2024-05-01 12:00 – 18:00" from the first label to the last; empty without labels.
std::string time_range(const TimeLabels& times, bool unicode);

// Makes an axis from `low` to `high`, instants, widened so that about `count` labels, four at
// least, stand at round times; its numbers are nanoseconds.
ChartAxis time_axis(std::int64_t low, std::int64_t high, std::size_t count,
                    const DisplayZone& zone);

// Reads an element of an array of times: a datetime, or its text; nullopt for others.
std::optional<std::int64_t> instant_of(DynamicView value);

class NamedPlaces {
 public:
  std::int64_t place_of(const std::string& name);
  // Returns the names at these places; the numbers themselves when no place was named.
  std::vector<std::string> labels(const std::vector<std::int64_t>& places) const;

 private:
  std::map<std::string, std::int64_t, std::less<>> places_;
  std::vector<std::string> names_;
};

}  // namespace evq
