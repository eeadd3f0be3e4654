#pragma once
// Times that log lines tell behind other words, such as a level or the name of a container. Pure;
// nothing here fails.

#include <cstdint>
#include <optional>
#include <string_view>

namespace evq {

// The first date and time of day behind at most two words: "INFO 2024-05-01 10:20:30,123",
// "web-1 | 2024-05-01T10:20:30Z", "[I 240501 10:20:30 web:1]". Only notations that cannot be
// anything else.
std::optional<std::int64_t> time_behind_words(std::string_view text, std::int64_t receipt_ns);

}  // namespace evq
