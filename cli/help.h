#pragma once
// What evq says about itself besides its options, which come from the tree in options*.cpp, and the
// language, which the service explains.

#include <string>

namespace evq {

// The exit statuses and their meaning, a line each.
std::string exit_status_table();

}  // namespace evq
