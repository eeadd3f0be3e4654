#include "store/ingest/text_line.h"

#include <string>

#include "store/base/json_writer.h"
#include "store/base/utf8.h"
#include "store/ingest/log_fields.h"

namespace evq {

namespace {

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

void read_text_line(std::string_view text, EventAssembler& event) {
  if (!is_valid_utf8(text)) {
    text = event.repair_text(text, 0);
  }
  event.add_text(event.visit(EventAssembler::kRoot, kTextLineField), text);
  const LogFields parts = log_fields(first_line(text));
  for (const LogField& field : parts.fields()) {
    const NodeId node = event.visit(EventAssembler::kRoot, field.name);
    if (field.number) {
      event.add_long(node, *field.number);
    } else {
      event.add_text(node, field.text);
    }
  }
}

void append_text_as_json(std::string* out, std::string_view text,
                         std::optional<std::int64_t> time) {
  JsonWriter json(*out);
  json.begin_object();
  if (time) {
    json.key("_time");
    json.instant(*time);
  }
  json.key(kTextLineField);
  json.string(text);
  const LogFields parts = log_fields(first_line(text));
  for (const LogField& field : parts.fields()) {
    json.key(field.name);
    if (field.number) {
      json.integer(*field.number);
    } else {
      json.string(field.text);
    }
  }
  json.end_object();
}

}  // namespace evq
