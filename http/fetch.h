#pragma once
// What an address names, read whole: for queries over external data. Blocks the calling thread
// until the body is there or the control ends it; any thread may call.

#include <cstddef>
#include <string>

#include "store/base/control.h"
#include "store/base/result.h"

namespace evq {

// Returns the body behind an http:// or https:// address. Follows a few redirects if it may. kUsage
// for what is no address, kServer when the network or the server fails, kTooLarge beyond
// `bytes_max`, kCancelled and kTimeout as `control` says.
Result<std::string> fetch_address(const std::string& address, std::size_t bytes_max,
                                  bool may_redirect, const QueryControl& control);

}  // namespace evq
