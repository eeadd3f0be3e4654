#pragma once
// A query's profile for people: its plan, each node's line beginning with the rows that it made and
// the time that threads spent in it, then a line of what the whole query read and took. A pure
// function of its arguments.

#include <string>

#include "apl/exec/profile.h"
#include "apl/plan/plan.h"
#include "apl/service/request.h"

namespace evq {

std::string profile_text(const plan::Node& root, const QueryProfile& profile,
                         const QueryStatus& status, std::size_t workers);

}  // namespace evq
