#pragma once
// find_time_field: which field of an input's events is likely to tell their times, for those who
// did not say. Pure; an input that cannot be read has none.

#include <string>
#include <string_view>

#include "store/ingest/options.h"

namespace evq {

// By the first event of `head`, an input's beginning, which may be cut anywhere: a field whose
// value is a time of these decades, well-known names first, then names that speak of time, then
// other texts; one inside of objects only for want of another. Empty: none.
std::string find_time_field(std::string_view head, const IngestOptions& options);

}  // namespace evq
