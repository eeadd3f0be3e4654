#include "store/ingest/event_rules.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "store/base/ascii.h"
#include "store/base/limits.h"
#include "store/base/mutex.h"
#include "store/base/number.h"
#include "store/base/seeded_text_hash.h"
#include "store/base/time_parse.h"

namespace evq {

namespace {

constexpr std::array<std::string_view, 6> kReservedNames = {"_blockInfo", "_cursor", "_rowID",
                                                            "_rowId",     "_source", "_sysTime"};

class NameAdmission : public FieldAdmission {
 public:
  NameAdmission(const std::vector<std::string>& known, std::size_t names_max)
      : names_max_(names_max), names_(known.begin(), known.end()) {}

  bool admit(std::string_view name) override {
    const MutexLock lock(mutex_);
    std::string key(name);
    if (names_.size() >= names_max_ && names_.count(key) == 0) {
      refused_ = true;
      return false;
    }
    names_.insert(std::move(key));
    return true;
  }

  bool refused() const override {
    const MutexLock lock(mutex_);
    return refused_;
  }

 private:
  const std::size_t names_max_;
  mutable Mutex mutex_;
  std::unordered_set<std::string, SeededTextHash> names_ EVQ_GUARDED_BY(mutex_);
  bool refused_ EVQ_GUARDED_BY(mutex_) = false;
};

// The labels as fields, by the rules of events.
Result<std::vector<EventRules::Label>> read_labels(const std::string& text) {
  auto rules = std::make_shared<EventRules>();
  rules->grouped_events = false;
  rules->strict = true;
  BatchBuilder builder(std::move(rules));
  if (const Status status = builder.add_json(text, 0); !status.ok()) {
    return make_error(ErrorCode::kUsage,
                      "the labels are no JSON object: " + status.error().message);
  }
  const Table table = builder.take();
  std::vector<EventRules::Label> labels;
  // The first two columns are _time and _sysTime.
  for (std::size_t i = 2; i < table.columns.size(); ++i) {
    labels.push_back({table.schema[i].name, table.columns[i].value(0)});
  }
  return labels;
}

// The fields of a list of them; empty when it is one field.
Result<std::vector<std::string>> split_time_parts(const std::string& names) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t comma = std::min(names.find(',', begin), names.size());
    parts.push_back(stored_field_name(trimmed(names.substr(begin, comma - begin))));
    begin = comma + 1;
  }
  if (parts.size() > kTimePartsMax) {
    return make_error(ErrorCode::kUsage, "a time is told by at most " +
                                             std::to_string(kTimePartsMax) + " fields, not by " +
                                             std::to_string(parts.size()));
  }
  return parts.size() > 1 ? parts : std::vector<std::string>();
}

}  // namespace

std::shared_ptr<FieldAdmission> make_field_admission(const std::vector<std::string>& known,
                                                     std::size_t names_max) {
  return std::make_shared<NameAdmission>(known, names_max);
}

std::string stored_field_name(std::string_view name) {
  const bool reserved =
      std::find(kReservedNames.begin(), kReservedNames.end(), name) != kReservedNames.end();
  return (reserved ? "_user" : "") + std::string(name);
}

Result<std::shared_ptr<const EventRules>> make_event_rules(
    const IngestOptions& options, std::shared_ptr<FieldAdmission> admission) {
  auto rules = std::make_shared<EventRules>();
  rules->timestamp_field = options.timestamp_field == "_time" ? "" : options.timestamp_field;
  EVQ_TRY_ASSIGN(rules->time_parts, split_time_parts(rules->timestamp_field));
  rules->grouped_events = options.grouped_events;
  rules->strict = options.strict;
  rules->zone = options.zone;
  rules->map_fields.insert(options.map_fields.begin(), options.map_fields.end());
  rules->timespan_fields = options.timespan_fields;
  rules->batch_rows_max = std::clamp<std::size_t>(options.batch_rows_max, 1, kBlockRowsMax);
  rules->dynamic_bytes_max = options.line_bytes_max;
  rules->admission = std::move(admission);
  if (!options.timestamp_layout.empty()) {
    EVQ_TRY_ASSIGN(rules->layout, GoLayout::compile(options.timestamp_layout));
  }
  if (!options.labels_json.empty()) {
    EVQ_TRY_ASSIGN(rules->labels, read_labels(options.labels_json));
    rules->labels_bytes = options.labels_json.size();
  }
  return std::shared_ptr<const EventRules>(std::move(rules));
}

std::optional<std::int64_t> EventRules::read_time(const Cell& cell, bool named,
                                                  std::int64_t from_ns) const {
  const bool by_layout = named && layout.has_value();
  switch (cell.kind) {
    case CellKind::kText:
    case CellKind::kRawText:
      return by_layout ? layout->parse(cell.view(), from_ns) : parse_event_time(cell.view());
    case CellKind::kLong:
      if (by_layout) {
        std::string digits;
        append_int(digits, cell.integer);
        return layout->parse(digits, from_ns);
      }
      return event_time_from_integer(cell.integer);
    case CellKind::kReal:
      return by_layout ? std::nullopt : event_time_from_real(cell.real);
    case CellKind::kBool:
    case CellKind::kDynamic:
      break;
  }
  return std::nullopt;
}

bool is_distant_time(const Cell& cell) {
  constexpr std::size_t kYearDigits = 4;
  if (cell.kind == CellKind::kLong) {
    return !event_time_from_integer(cell.integer);
  }
  if (cell.kind == CellKind::kReal) {
    return !event_time_from_real(cell.real);
  }
  if (cell.kind != CellKind::kText && cell.kind != CellKind::kRawText) {
    return false;
  }
  const std::string text(trimmed(cell.view()));
  if (text.size() > kTimeTextBytesMax || parse_event_time(text) || parse_real(text)) {
    return false;
  }
  const auto in_year = [&](std::size_t at, const char* year) {
    return parse_event_time(std::string(text).replace(at, kYearDigits, year)).has_value();
  };
  for (std::size_t i = 0; i + kYearDigits <= text.size(); ++i) {
    const bool year = std::all_of(text.begin() + static_cast<std::ptrdiff_t>(i),
                                  text.begin() + static_cast<std::ptrdiff_t>(i + kYearDigits),
                                  [](char c) { return is_digit(c); });
    if (year) {
      // A day that only leap years have is none of this year where one of them is within range.
      constexpr std::string_view kFirstFull = "1678";
      constexpr std::string_view kLastFull = "2261";
      const std::string_view given = std::string_view(text).substr(i, kYearDigits);
      const bool within = kFirstFull <= given && given <= kLastFull;
      return in_year(i, "2001") || (!within && in_year(i, "2000"));
    }
  }
  return false;
}

}  // namespace evq
