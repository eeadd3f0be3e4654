#include "store/ingest/options.h"

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
  processed_bytes += later.processed_bytes;
  for (IngestFailure& failure : later.failures) {
    if (failures.size() < kIngestFailuresListedMax) {
      failures.push_back(std::move(failure));
    }
  }
  if (!first_repaired) {
    first_repaired = std::move(later.first_repaired);
  }
}

}  // namespace evq
