#pragma once
// OpenTelemetry's export requests, in JSON or Protocol Buffers, as events: a log record or a span a
// line of NDJSON. Attributes become attributes.*, those of the resource resource.*, of the scope
// scope.*; dotted attribute names become nested objects, so that they are fields with dots. What is
// in no namespace of OpenTelemetry's conventions goes into one map, attributes.custom, under its
// whole name: applications make up so many names that each as a field would fill a dataset.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "http/rewriting_claim.h"
#include "store/base/result.h"

namespace evq {

// The field that the map of other attributes is; loads of otlp_events keep it as one value.
inline constexpr std::string_view kOtlpCustomField = "attributes.custom";
// The field of spans whose integers are timespans in nanoseconds; loads of otlp_events say so.
inline constexpr std::string_view kOtlpDurationField = "duration";

enum class OtlpSignal : std::uint8_t { kLogs, kTraces };
enum class OtlpEncoding : std::uint8_t { kProtobuf, kJson };

struct OtlpEvents {
  std::string text;  // NDJSON
  // The lines of events whose time cannot be read, with the member that has it: so many as may be
  // listed as failed.
  std::map<std::uint64_t, std::string_view> unread_times;
};

// kData for a malformed request. Takes the body, which may be long, to give it back soon; claims
// the memory of the events, unless `claim` is null.
Result<OtlpEvents> otlp_events(std::string body, OtlpSignal signal, OtlpEncoding encoding,
                               RewritingClaim* claim);

}  // namespace evq
