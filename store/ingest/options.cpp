#include "store/ingest/options.h"

#include <string>
#include <utility>

#include "store/base/limits.h"

namespace evq {

void IngestCounts::fail(IngestFailure failure) {
  ++failed;
  if (failures.size() < kIngestFailuresListedMax) {
    failures.push_back(std::move(failure));
  }
}

void IngestCounts::add(IngestCounts later) {
  ingested += later.ingested;
  failed += later.failed;
  repaired += later.repaired;
  untimed += later.untimed;
  relabelled += later.relabelled;
  zoneless = zoneless || later.zoneless;
  processed_bytes += later.processed_bytes;
  for (IngestFailure& failure : later.failures) {
    if (failures.size() < kIngestFailuresListedMax) {
      failures.push_back(std::move(failure));
    }
  }
  if (!first_repaired) {
    first_repaired = std::move(later.first_repaired);
  }
  for (auto& [column, values] : later.odd_csv_values) {
    const std::uint64_t count = values.count;
    const auto [known, fresh] = odd_csv_values.try_emplace(column, std::move(values));
    known->second.count += fresh ? 0 : count;
  }
}

Error too_many_failures(const IngestCounts& counts, std::uint64_t stored) {
  std::string message = "too many events failed: " + std::to_string(counts.failed);
  if (!counts.failures.empty()) {
    const IngestFailure& first = counts.failures.front();
    message += ", the first in line " + std::to_string(first.line) + ", column " +
               std::to_string(first.column) + ": " + first.reason;
  }
  return make_error(ErrorCode::kData, std::move(message),
                    stored == 0   ? "no event is stored"
                    : stored == 1 ? "one event is stored"
                                  : std::to_string(stored) + " events are stored");
}

}  // namespace evq
