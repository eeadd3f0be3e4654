#pragma once
// Spans of time: int64 nanoseconds, signed, up to about 292 years. Three texts exist for them: Go's
// ("1h2m3.5s", what tostring prints), APL literals ("1.5h", "7d", "100ms"), and Kusto's
// ("1.02:03:04.5"). Readers take the whole text and return nothing on failure or overflow.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evq {

// Go's Duration.String: "1h2m3.5s", "250ms", "1µs", "0s", "-1.5s".
void append_duration(std::string& out, std::int64_t ns);
std::string duration_text(std::int64_t ns);

// Go's ParseDuration: [+-] then numbers with a unit of ns us µs ms s m h, or "0".
std::optional<std::int64_t> parse_go_duration(std::string_view text);

// Nanoseconds of an APL unit: w week weeks, d day days, h hr hrs hour hours, m min minute minutes,
// s sec second seconds, ms milli millis millisecond milliseconds, us micro micros microsecond
// microseconds, ns nano nanos nanosecond nanoseconds, tick ticks; 0 when it is none. Case matters.
std::int64_t timespan_unit_ns(std::string_view unit);

// One number and one APL unit: "1.5h", "7d", "30min"; a sign is allowed.
std::optional<std::int64_t> parse_timespan_literal(std::string_view text);

// Kusto's [-][d.]hh:mm[:ss[.fffffffff]], or a number of days alone ("2").
std::optional<std::int64_t> parse_kusto_timespan(std::string_view text);

// What totimespan() reads: all of these, Kusto's text only with a colon, and "1w2d12h" as below.
std::optional<std::int64_t> parse_timespan(std::string_view text);

// A span on the command line: units w d h m s ms us ns, combined as in "1w2d12h"; sign allowed.
std::optional<std::int64_t> parse_combined_span(std::string_view text);

}  // namespace evq
