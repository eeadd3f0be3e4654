#pragma once
// Made-up events for `evq demo`: a day of a web shop's requests as NDJSON, the same for the same
// number of events and end. There is something to find in them: an outage of the payment service in
// one region, one slow path, and more traffic in the evening. One thread.

#include <cstdint>
#include <memory>

#include "store/ingest/byte_source.h"

namespace evq {

std::unique_ptr<ByteSource> demo_events(std::uint64_t events, std::int64_t end_ns);

}  // namespace evq
