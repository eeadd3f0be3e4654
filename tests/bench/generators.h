#pragma once
// The benchmark's data sets, written as NDJSON or CSV to an Output. Same count and seed, same
// bytes.
//
//   write_firehose     a social network's commit stream, about 480 bytes an event: deep, many
//   shapes write_service_log  access log with 60 sparse attributes, about 830 bytes an event; as
//   CSV with
//                      one column per attribute too
//   write_services     the 40 rows that joins look services up in

#include <cstdint>

#include "tests/bench/output.h"

namespace evq::bench {

enum class LogFormat : std::uint8_t { kJson, kCsv };

void write_firehose(Output& out, std::uint64_t count, std::uint64_t seed);
void write_service_log(Output& out, std::uint64_t count, std::uint64_t seed, LogFormat format);
void write_services(Output& out);

}  // namespace evq::bench
