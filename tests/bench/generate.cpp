// evq_bench_generate bluesky|otel|otelcsv|services|requests|views [COUNT] [SEED]: one data set on
// standard output.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/bench/generators.h"

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000000;
  const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  evq::bench::Output out;
  if (mode == "bluesky") {
    evq::bench::write_firehose(out, count, seed);
  } else if (mode == "otel") {
    evq::bench::write_service_log(out, count, seed, evq::bench::LogFormat::kJson);
  } else if (mode == "otelcsv") {
    evq::bench::write_service_log(out, count, seed, evq::bench::LogFormat::kCsv);
  } else if (mode == "services") {
    evq::bench::write_services(out);
  } else if (mode == "requests") {
    evq::bench::write_requests(out, count, seed);
  } else if (mode == "views") {
    evq::bench::write_page_views(out, count, seed);
  } else {
    std::fputs(
        "usage: evq_bench_generate bluesky|otel|otelcsv|services|requests|views [COUNT] [SEED]\n",
        stderr);
    return 2;
  }
  return 0;
}
