#pragma once
// The benchmark's data sets, written as NDJSON or CSV to an Output. Same count and seed, same
// bytes.
//
//   write_firehose     a social network's commit stream, about 480 bytes an event: deep, with
//                      many shapes
//   write_service_log  access log with 60 sparse attributes, about 830 bytes an event; as CSV
//                      with one column per attribute too
//   write_services     the 40 rows that joins look services up in
//   write_requests     a log of seven fields, about 150 bytes an event, a million events a day
//                      however many there are: for growth up to what a disk holds
//   write_page_views   a web counter's flat rows of 24 fields, about 520 bytes an event: keys and
//                      texts of many distinct values

#include <cstdint>

#include "tests/bench/output.h"

namespace evq::bench {

enum class LogFormat : std::uint8_t { kJson, kCsv };

void write_firehose(Output& out, std::uint64_t count, std::uint64_t seed);
void write_service_log(Output& out, std::uint64_t count, std::uint64_t seed, LogFormat format);
void write_services(Output& out);
void write_requests(Output& out, std::uint64_t count, std::uint64_t seed);
void write_page_views(Output& out, std::uint64_t count, std::uint64_t seed);

}  // namespace evq::bench
