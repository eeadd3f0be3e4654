#pragma once
// Options and counts of a load of events: plain structs shared by the readers, the parsers, the
// pipeline and the callers (HTTP, command line, queries over files).
//
// Which input is taken how (the input policy; each row has a test):
// - UTF-16, told by its byte order mark, is read as the UTF-8 it stands for.
// - Invalid UTF-8, lone surrogates: kept, the bytes become U+FFFD, counted as repaired.
// - The escape \xHH, as nginx writes it: its byte, counted as repaired; others that JSON does not
//   have: the event fails.
// - A comma behind an event, at the end of its line: passed over, counted as repaired; where the
//   input is said to be NDJSON, the event fails.
// - Integers outside of int64: the nearest double, counted as repaired; not where that double is
//   written with the same digits, as 100000000000000000000 is.
// - Numbers beyond every double (1e400): null, counted as repaired.
// - Duplicate keys: the last one wins, at every depth; in a CSV header: an error.
// - NaN, Infinity, comments, raw control bytes in strings: not JSON, the event fails.
// - Too deep, too long, too many fields: the event fails alone (limits in limits.h).
// - Reserved names: `_user` is put in front, `_sysTime` becomes `_user_sysTime`.
//
// With `strict` a repair is a failure.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/error.h"
#include "store/base/limits.h"

namespace evq {

class TimeZone;

enum class InputFormat : std::uint8_t {
  kAuto,    // told by the first bytes: `[` and `{` are JSON, anything else CSV
  kDetect,  // the same, but kW3c, kLogfmt and kText are known as well (detect_kind in format.h)
  kJson,    // one array, or values one after the other, pretty-printed or a line each
  kNdjson,  // one value a line
  kCsv,
  kText,    // plain log lines (text_line.h)
  kLogfmt,  // lines of key=value (logfmt_line.h)
  kW3c,     // lines under a header of lines that begin with # (w3c_log.h)
};

enum class InputCompression : std::uint8_t { kAuto, kNone, kGzip, kZlib, kZstd };

struct IngestOptions {
  InputFormat format = InputFormat::kAuto;
  // The field (flattened name) that carries the event time; it also stays a field of its own name.
  // Or several, with commas between (at most kTimePartsMax), whose values do so together, one after
  // the other with spaces between, or as Unix seconds and nanoseconds. Empty: `_time`. Where all
  // are absent or null, `_time` is looked at, then the receipt time.
  std::string timestamp_field;
  // When the input was last written to, if that is known (times_from).
  std::optional<std::int64_t> written_ns;
  // The zone of all times that say none (store/base/zoneless.h). Null: UTC.
  std::shared_ptr<const TimeZone> zone;
  // A Go layout for the timestamp field; empty: detect (parse_event_time).
  std::string timestamp_layout;
  // Names for CSV without a header line; empty: the first record is the header.
  std::vector<std::string> csv_fields;
  // The delimiter of CSV; 0: the most frequent of , ; tab | in the first record.
  char csv_delimiter = 0;
  // For kText, detected or not: lines that belong together (log_entry.h) are one event. Ignored for
  // other formats.
  bool multiline = false;
  // A JSON object whose members become fields of every event, over members of the same name.
  std::string labels_json;
  // Fields (flattened names) whose objects stay one dynamic value instead of being flattened.
  std::vector<std::string> map_fields;
  // Fields (flattened names) whose integers are timespans in nanoseconds.
  std::vector<std::string> timespan_fields;
  // Whether an event of nothing but `time`, `data` and `labels` is of Axiom's grouped form, whose
  // `time` is the event's. Off for documents of other systems, which may have members of any name.
  bool grouped_events = true;
  // A repaired event counts as failed.
  bool strict = false;
  // The most failed events; one more ends the load with kData. Nothing: no limit.
  std::optional<std::uint64_t> failures_max;
  std::size_t line_bytes_max = kCliLineBytesMax;
  // Rows of a batch, at most kBlockRowsMax.
  std::size_t batch_rows_max = kBlockRowsMax;
  // For kNdjson that content told: as with kDetect, a line may hold several objects, or a comma
  // behind one.
  bool lenient_lines = false;

  bool has_one_value_a_line() const { return format == InputFormat::kNdjson && !lenient_lines; }

  // Whether the times that lines of logs begin with are those of their events: no field was named
  // for them, nor a layout.
  bool finds_line_times() const { return timestamp_field.empty() && timestamp_layout.empty(); }

  bool operator==(const IngestOptions&) const = default;
};

// The moment from which times without a year are told, none of which lies more than a day ahead of
// it: when the input of the event was last written to, or its receipt, if that is earlier or all
// that is known.
inline std::int64_t times_from(std::optional<std::int64_t> written_ns, std::int64_t receipt_ns) {
  return std::min(written_ns.value_or(receipt_ns), receipt_ns);
}

// One event that was not taken.
struct IngestFailure {
  // The place of the fault, or of the event's first byte where the whole event is at fault.
  std::uint64_t line = 0;    // from 1
  std::uint64_t column = 0;  // from 1, in bytes
  std::uint64_t offset = 0;  // in bytes from the start of the decoded input
  std::string reason;
  std::int64_t time_ns = 0;  // of receipt
};

// The place where something happened first, and what.
struct IngestPlace {
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  std::string reason;
};

// Values that stay text in a CSV column of numbers, or of true and false.
struct OddCsvValues {
  std::string field;
  bool number = true;  // what the column has else
  std::uint64_t count = 0;
  std::uint64_t line = 0;  // of the first
};

struct IngestCounts {
  std::uint64_t ingested = 0;
  std::uint64_t failed = 0;
  // Parts of `ingested`: events that were repaired, that got the time of their receipt, and that
  // had a field whose place a label took.
  std::uint64_t repaired = 0;
  std::uint64_t untimed = 0;
  std::uint64_t relabelled = 0;
  bool zoneless = false;              // some time said no zone, W3C logs left aside
  std::uint64_t processed_bytes = 0;  // decoded input, blanks included, plus the labels' length
  // The first kIngestFailuresListedMax failed events, in input order.
  std::vector<IngestFailure> failures;
  std::optional<IngestPlace> first_repaired;
  std::map<std::uint32_t, OddCsvValues> odd_csv_values;  // by the number of the column

  // Counts an event that failed, and lists it if there is room.
  void fail(IngestFailure failure);
  // Adds the counts of what came after, with places in the same input.
  void add(IngestCounts later);
};

// The kData error for a load that IngestOptions::failures_max ends after `stored` events.
Error too_many_failures(const IngestCounts& counts, std::uint64_t stored);

}  // namespace evq
