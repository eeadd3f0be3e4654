#pragma once
// EventRules: IngestOptions as the parsers need them, checked once; immutable, shared by workers.
// Also where an event's time comes from.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "store/base/go_layout.h"
#include "store/column/value.h"
#include "store/ingest/batch_builder.h"
#include "store/ingest/cell.h"

namespace evq {

struct EventRules {
  struct Label {
    std::string name;
    Value value;
  };

  std::string timestamp_field;
  // The fields it names, where these are several.
  std::vector<std::string> time_parts;
  std::optional<GoLayout> layout;
  std::shared_ptr<const TimeZone> zone;        // of times that say none; null: UTC
  std::unordered_set<std::string> map_fields;  // asked for every new key
  std::vector<std::string> timespan_fields;
  std::vector<Label> labels;
  std::uint64_t labels_bytes = 0;  // of the text they came as
  bool strict = false;
  bool grouped_events = true;  // off for the labels themselves too
  std::size_t batch_rows_max = kBlockRowsMax;
  std::size_t dynamic_bytes_max = kCliLineBytesMax;  // of all lists and objects of an event
  std::shared_ptr<FieldAdmission> admission;         // null: every field is admitted

  // The instant that a value of the time field stands for. With `named`, by the layout when there
  // is one, which may say no year (times_from); otherwise detected.
  std::optional<std::int64_t> read_time(const Cell& cell, bool named, std::int64_t from_ns) const;
};

// Whether a value that read_time() does not read is a time outside of int64 nanoseconds: a number,
// or a text that tells one with another year.
bool is_distant_time(const Cell& cell);

// The name that a top-level field is stored by: with `_user` before it when its own is reserved.
std::string stored_field_name(std::string_view name);

}  // namespace evq
