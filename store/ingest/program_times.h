#pragma once
// Times in the notations of single programs, which read in no general way. Pure; nothing here
// fails.

#include <cstdint>
#include <optional>
#include <string_view>

#include "store/base/time_parse.h"

namespace evq {

// "I1010 13:55:36.123456", as Kubernetes' own programs begin their lines, or with the year, of
// which CockroachDB writes two digits.
std::optional<std::int64_t> klog_time(std::string_view text, std::int64_t from_ns);

// "17/06/09 20:10:40 INFO …", as Spark and Hadoop begin their lines, or with dashes: what cannot be
// a month stands for the year, unless the log has another order or the time would be more than a
// day ahead.
std::optional<std::int64_t> short_year_time(std::string_view text, std::int64_t from_ns,
                                            DateOrder order);

// "[1714557600.123] …" and "- 1117838570 …", as Nagios and supercomputers begin their lines, and
// "081109 203615 148 INFO …", as Hadoop's file system once did, and "20120702.102240,672 …".
std::optional<std::int64_t> program_time(std::string_view text);

// Times of Suricata and Snort, Db2, multilog (TAI64N), Proxifier, Zabbix, Rails where a request
// starts, ausearch -i, supercomputers behind a flag, programs that write Unix time with its
// fraction behind other words or the day of the year, and date and time of day in two cells or
// brackets, "2024-05-12|10:20:30|INFO" and "[2024-05-12][10:20:30]": shapes for lines in which
// nothing else is found.
std::optional<std::int64_t> rare_program_time(std::string_view text, std::int64_t from_ns,
                                              DateOrder order);

}  // namespace evq
