#pragma once
// Parameters of a request's URL that many handlers read: numbers, limits of lists, switches. Pure;
// any thread.

#include <cstddef>
#include <string_view>

#include "http/message.h"
#include "store/base/result.h"

namespace evq {

// Reads a number from a URL parameter, `absent` when it is not given; kUsage above `max`.
Result<std::size_t> count_parameter(const HttpRequest& request, std::string_view name,
                                    std::size_t absent, std::size_t max);
// Reads ?limit of a list, from 1 to 1000; `absent` when it is not given.
Result<std::size_t> list_limit(const HttpRequest& request, std::size_t absent);
// Reads a switch from a URL parameter, off when it is not given: true or false, or any of the words
// that Splunk takes for them, in any case (Python writes True). kUsage, which names them, for
// anything else.
Result<bool> switch_parameter(const HttpRequest& request, std::string_view name);

}  // namespace evq
