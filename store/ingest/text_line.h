#pragma once
// Plain text logs: a line or an entry (log_entry.h) an event, the whole of it as `message`, the
// time that it begins with, in whatever of the usual notations, as `_time`, and what log_fields.h
// finds in it as fields of their own. Pure functions; nothing here fails.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/ingest/event_assembler.h"

namespace evq {

// The field that holds the line.
inline constexpr std::string_view kTextLineField = "message";

// Puts the line or entry, without its last line end, into `event`, which has begun and whose time
// the caller sets. `text` must outlive the event.
void read_text_line(std::string_view text, EventAssembler& event);

// Appends the same event as a JSON object with this time, for programs that forward it.
void append_text_as_json(std::string* out, std::string_view text, std::optional<std::int64_t> time);

}  // namespace evq
