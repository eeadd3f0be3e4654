#pragma once
// Times that log lines tell behind other words, such as a level or the name of a container. Pure;
// nothing here fails.

#include <cstdint>
#include <optional>
#include <string_view>

#include "store/base/time_parse.h"

namespace evq {

// The first date and time of day behind at most two words, not counting bars and dashes: "INFO
// 2024-05-01 10:20:30,123", "web-1 | 2024-05-01T10:20:30Z", "[I 240501 10:20:30 web:1]", "[Nest] 7
// - 08/02/2023, 7:32:47 PM", "INFO [05-01|10:20:30.123]". Only notations that cannot be anything
// else, but for the order of "22/06/2014" and "22-06-2014". Behind at most five where the date has
// its year and the words are no sentence: "0 3 HOST-IN 20/Jun/2022:13:09:14 +0200". What a sentence
// speaks of is no time of its line: "ERROR failed at 2024-05-01T10:20:30Z".
std::optional<std::int64_t> time_behind_words(std::string_view text, std::int64_t from_ns,
                                              DateOrder order);
// The date of such a time when its order of day and month is in question; empty otherwise.
std::string_view numeric_date_behind_words(std::string_view text);

}  // namespace evq
