#pragma once
// Which field of an input's events is likely to tell their times, and how they are written, for
// those who did not say: found in the input's beginning, which InputHead keeps. An input that
// cannot be read has none.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/ingest/byte_source.h"
#include "store/ingest/options.h"

namespace evq {

// Passes the bytes of `source`, which must outlive it, and keeps the first ones. One thread.
class InputHead final : public ByteSource {
 public:
  explicit InputHead(ByteSource& source) : source_(source) {}
  Result<std::optional<std::size_t>> read(std::span<char> buffer, std::int64_t timeout_ms) override;
  // Returns the first bytes as UTF-8 without a byte order mark; they may be cut anywhere.
  std::string text() const;

 private:
  ByteSource& source_;
  std::string head_;
};

// Returns what to tell of the times of an input whose beginning is `head`:
// - when none of its events had a time of its own, the field that tells it and, where its times are
//   in a form that is not known, the layout that reads them. By the first events of `head`: a field
//   whose value is a time, well-known names first, then names that speak of time, then other texts,
//   then other numbers as large as milliseconds since 1970 are; one inside of objects only for want
//   of another. A date without a time of day comes with the
//   field that has it, a comma between, as IngestOptions::timestamp_field takes it. Nothing when
//   some had a time, and when nobody named a field or a layout and none is found, unless one has a
//   part of a time or the name of one.
// - when lines of plain text told no time, or a layout kept them from being asked for one, and how
//   many lines of a log told none where others did.
// - when times said no zone and were taken as UTC, where the clock of this machine shows another
//   time: the option that says so.
// - when the named field's times could not be read, or those of it or of _time were numbers that
//   look like dates, the layout that reads them where that can be told.
std::vector<std::string> time_notes(std::string_view head, const IngestOptions& options,
                                    const IngestCounts& counts);

}  // namespace evq
