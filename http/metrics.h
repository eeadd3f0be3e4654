#pragma once
// HttpMetrics: counters of a running server, written by any thread and read by /metrics. Each
// number is right, but two of them need not be of the same instant.

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "store/base/control.h"

namespace evq {

struct HttpMetrics {
  std::atomic<std::int64_t> connections{0};  // open now
  std::atomic<std::uint64_t> connections_total{0};
  std::atomic<std::int64_t> requests_running{0};
  std::array<std::atomic<std::uint64_t>, 6> responses{};  // by first digit of the status
  std::atomic<std::uint64_t> request_bytes{0};
  std::atomic<std::uint64_t> response_bytes{0};
  std::atomic<std::uint64_t> request_us{0};  // from the head to the end of the answer, summed
  std::atomic<std::uint64_t> log_lines_dropped{0};
  std::atomic<std::uint64_t> refused_busy{0};
  std::atomic<std::uint64_t> refused_rate{0};
  std::atomic<std::uint64_t> out_of_memory{0};    // what ended for it in an IO thread
  std::atomic<std::uint64_t> failed_handlers{0};  // what a library's exception ended there
  std::atomic<std::uint64_t> events_ingested{0};
  std::atomic<std::uint64_t> events_failed{0};
  std::atomic<std::uint64_t> bytes_ingested{0};  // decoded
  std::atomic<std::uint64_t> queries{0};
  std::atomic<std::uint64_t> rows_examined{0};
  std::atomic<std::uint64_t> maintenance_rounds{0};
  const std::int64_t started_ns = wall_clock_now_ns();
};

// The text exposition format of Prometheus, with what the process takes by now of memory and
// descriptors, and what is left of the disk of `directory`; what the system does not tell is left
// out.
std::string metrics_text(const HttpMetrics& metrics, const std::string& directory);

// Adds one to a count for as long as the object lives.
class Counted {
 public:
  explicit Counted(std::atomic<std::int64_t>& count) : count_(count) { count_.fetch_add(1); }
  ~Counted() { count_.fetch_sub(1); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::atomic<std::int64_t>& count_;
};

}  // namespace evq
