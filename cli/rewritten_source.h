#pragma once
// Inputs that are no events yet, read as the NDJSON of their events: lines of OpenTelemetry's
// export requests, as the collector's file exporter writes them, journalctl -o export, and lines of
// JSON or logfmt behind the names of containers, as Docker Compose puts them ("web-1  | {…}"), of
// which the name becomes the field `container`. Told by their first bytes where the format is to be
// detected; any other input passes as it is, and so does what turns out to be broken.
// Where lines of plain text are put together, so are those that a container's runtime took apart,
// "TIME stdout P begins " and "TIME stdout F ends" (CRI), of each stream by itself.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/container_lines.h"
#include "store/base/control.h"
#include "store/base/json_writer.h"
#include "store/ingest/byte_source.h"
#include "store/ingest/options.h"

namespace evq {

// The longest line of a collector that is rewritten: beside its text stands what becomes of it. One
// that is longer passes as it is.
inline constexpr std::size_t kRewrittenBytesMax = std::size_t{16} << 20U;

// What an input is whose events are to be read.
enum class RewrittenKind : std::uint8_t { kEvents, kOtlp, kJournal, kNamed, kParts };
// Tells it by how the input begins: by its first line, or more of it.
RewrittenKind rewritten_kind(std::string_view head, const IngestOptions& options);

// Appends a collector's line as the NDJSON of its events, or as it is when it is no request.
void append_request_line(std::string_view line, std::string* text);
// Says to a load which fields of a collector's events are maps and timespans.
void tell_collector_fields(IngestOptions* options);

// One thread.
class RewrittenSource final : public ByteSource {
 public:
  // Reads from `source`, which must outlive it.
  explicit RewrittenSource(ByteSource& source) : source_(source) {}

  // Reads as far as tells what the input is. Returns how to load what is read then, given how the
  // input is to be loaded. Errors: of the source and the control.
  Result<IngestOptions> begin(IngestOptions options, QueryControl& control);
  Result<std::optional<std::size_t>> read(std::span<char> buffer, std::int64_t timeout_ms) override;
  // Returns what was read to tell the kind of input, until it is read from here.
  std::string_view head() const { return input_; }

 private:
  Result<bool> read_on(std::int64_t timeout_ms);
  void detect(bool no_more);
  bool take_torn();
  void rewrite();
  std::size_t rewrite_field(std::string_view rest);
  std::size_t rewrite_line(std::string_view rest);
  void add_field(std::string_view name, std::string_view value);
  void end_entry();

  ByteSource& source_;
  IngestOptions options_;
  std::optional<RewrittenKind> kind_ = RewrittenKind::kEvents;  // nothing: it is not known yet
  std::string input_;                                           // bytes that are not rewritten yet
  std::string text_;
  std::size_t given_ = 0;  // bytes of the text that were given out
  bool ended_ = false;     // the source
  // State of the entry of a journal that is being read.
  std::string entry_;                 // as JSON, as far as it is there
  std::optional<JsonWriter> writer_;  // of it, from its first field on
  std::uint64_t skipped_bytes_ = 0;   // of a field that is too long, still to come
  bool skips_line_ = false;           // it ends where its line does
  PartJoiner parts_;
};

}  // namespace evq
