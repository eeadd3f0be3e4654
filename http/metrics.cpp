#include "http/metrics.h"

#include <string_view>

#include "store/base/file.h"
#include "store/base/process.h"
#include "store/base/time.h"

namespace evq {
namespace {

void append_metric(std::string* out, std::string_view name, std::string_view kind,
                   std::string_view help, const std::string& value) {
  out->append("# HELP ").append(name).append(" ").append(help).append("\n");
  out->append("# TYPE ").append(name).append(" ").append(kind).append("\n");
  out->append(name).append(" ").append(value).append("\n");
}

// Under the names that Prometheus's own clients give them.
void append_process(const HttpMetrics& metrics, const std::string& directory, std::string* out) {
  const auto gauge = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    append_metric(out, name, "gauge", help, std::to_string(value));
  };
  out->append("# HELP evq_build_info The version that runs.\n# TYPE evq_build_info gauge\n");
  out->append("evq_build_info{version=\"" EVQ_VERSION "\"} 1\n");
  gauge("process_start_time_seconds", "When the server started, since the Unix epoch.",
        static_cast<std::uint64_t>(metrics.started_ns / kSecondNs));
  if (const std::size_t bytes = resident_bytes(); bytes != 0) {
    gauge("process_resident_memory_bytes", "Memory that is in use.", bytes);
  }
  if (const std::size_t open = count_descriptors(); open != 0) {
    gauge("process_open_fds", "Open descriptors.", open);
  }
  gauge("process_max_fds", "Descriptors that may be open.", descriptor_limit());
  if (const auto bytes = free_disk_bytes(directory); bytes.ok()) {
    gauge("evq_disk_free_bytes", "What is left of the store's disk.", *bytes);
  }
}

}  // namespace

std::string metrics_text(const HttpMetrics& metrics, const std::string& directory) {
  std::string out;
  const auto counter = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    append_metric(&out, name, "counter", help, std::to_string(value));
  };
  const auto gauge = [&](std::string_view name, std::string_view help, std::int64_t value) {
    append_metric(&out, name, "gauge", help, std::to_string(value));
  };
  gauge("evq_http_connections", "Open connections.", metrics.connections.load());
  counter("evq_http_connections_total", "Accepted connections.", metrics.connections_total.load());
  gauge("evq_http_requests_running", "Requests being handled.", metrics.requests_running.load());
  out.append("# HELP evq_http_responses_total Answers by class of status.\n");
  out.append("# TYPE evq_http_responses_total counter\n");
  for (std::size_t digit = 1; digit < metrics.responses.size(); ++digit) {
    out.append("evq_http_responses_total{class=\"" + std::to_string(digit) + "xx\"} " +
               std::to_string(metrics.responses.at(digit).load()) + "\n");
  }
  counter("evq_http_request_bytes_total", "Bytes of bodies received.",
          metrics.request_bytes.load());
  counter("evq_http_response_bytes_total", "Bytes of bodies sent.", metrics.response_bytes.load());
  append_metric(&out, "evq_http_request_seconds_total", "counter",
                "Time from the head of a request to the end of its answer.",
                std::to_string(static_cast<double>(metrics.request_us.load()) / 1e6));
  counter("evq_http_log_lines_dropped_total", "Lines of the access log that nobody read in time.",
          metrics.log_lines_dropped.load());
  counter("evq_http_busy_total", "Requests refused because the server was busy.",
          metrics.refused_busy.load());
  counter("evq_http_rate_limited_total", "Requests refused because their client sent too many.",
          metrics.refused_rate.load());
  counter("evq_http_out_of_memory_total", "Connections that ended for want of memory.",
          metrics.out_of_memory.load());
  counter("evq_http_failed_handlers_total", "Connections that ended for a fault of the server.",
          metrics.failed_handlers.load());
  counter("evq_ingested_events_total", "Events stored.", metrics.events_ingested.load());
  counter("evq_failed_events_total", "Events refused.", metrics.events_failed.load());
  counter("evq_ingested_bytes_total", "Decoded bytes of ingest bodies.",
          metrics.bytes_ingested.load());
  counter("evq_queries_total", "Queries answered.", metrics.queries.load());
  counter("evq_rows_examined_total", "Rows examined by queries.", metrics.rows_examined.load());
  counter("evq_maintenance_rounds_total", "Rounds of background upkeep.",
          metrics.maintenance_rounds.load());
  append_process(metrics, directory, &out);
  return out;
}

}  // namespace evq
