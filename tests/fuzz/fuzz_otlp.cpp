// links: evq_http
// Any bytes as an OTLP export request in Protocol Buffers or JSON: an error, or lines of which
// every one is a JSON object, as ingest will see.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/otlp.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto signal = (data[0] & 1) != 0 ? evq::OtlpSignal::kTraces : evq::OtlpSignal::kLogs;
  const auto encoding =
      (data[0] & 2) == 0 ? evq::OtlpEncoding::kProtobuf : evq::OtlpEncoding::kJson;
  evq::RewritingBudget budget(evq::kRewritingBytesMax);
  evq::RewritingClaim claim(budget);
  const auto events = evq::otlp_events(std::string(body), signal, encoding, &claim);
  if (!events.ok()) {
    return 0;
  }
  std::string_view rest = events.value().text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos || end < 2 || rest[0] != '{' || rest[end - 1] != '}') {
      __builtin_trap();
    }
    rest.remove_prefix(end + 1);
  }
  return 0;
}
