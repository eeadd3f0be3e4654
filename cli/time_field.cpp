#include "cli/time_field.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "store/base/ascii.h"
#include "store/base/time.h"
#include "store/base/time_parse.h"
#include "store/base/utf8.h"
#include "store/ingest/byte_source.h"
#include "store/ingest/stream.h"
#include "store/ingest/utf16_source.h"

namespace evq {
namespace {

struct FirstEvent : SealedBatch {
  Table fields;
};

// Takes the first event and stops the load.
class FirstEventSink final : public BatchSink {
 public:
  Result<std::unique_ptr<SealedBatch>> seal(BatchColumns& batch,
                                            std::uint64_t /*raw_bytes*/) override {
    auto sealed = std::make_unique<FirstEvent>();
    sealed->fields = batch.take_all();
    return std::unique_ptr<SealedBatch>(std::move(sealed));
  }
  Status commit(std::unique_ptr<SealedBatch> batch, const IngestCounts& /*counts*/) override {
    fields = std::move(static_cast<FirstEvent&>(*batch).fields);
    return make_error(ErrorCode::kCancelled, "one event is enough");
  }

  std::optional<Table> fields;
};

// A word as the shell takes it for one.
std::string shell_word(const std::string& text) {
  const bool plain = std::ranges::all_of(text, [](char c) {
    return is_letter_or_digit(c) || std::string_view("_@.:/+-,").find(c) != std::string_view::npos;
  });
  return plain ? text : "'" + text + "'";
}

// A number that counts or measures something else is seldom as large as a time since 1990.
bool is_recent(std::optional<std::int64_t> time) {
  constexpr std::int64_t kYearNs = 365 * kDayNs;
  return time.has_value() && *time > 20 * kYearNs && *time < 130 * kYearNs;
}

bool is_time(const Value& value) {
  if (value.type() == Type::kString) {
    return is_recent(parse_event_time(value.as_text()));
  }
  if (value.type() == Type::kLong) {
    return is_recent(event_time_from_integer(value.as_integer()));
  }
  return value.type() == Type::kReal && is_recent(event_time_from_real(value.as_real()));
}

// The less, the likelier; nothing: it tells no time.
std::optional<int> rank_of(std::string_view name, const Value& value) {
  constexpr std::array<std::string_view, 9> kNames = {"timestamp",  "@timestamp", "time",
                                                      "ts",         "datetime",   "date",
                                                      "created_at", "eventtime",  "createdat"};
  constexpr int kInside = 100;
  if (!is_time(value)) {
    return std::nullopt;
  }
  const std::string folded = to_lower(name);
  const auto known = static_cast<int>(std::ranges::find(kNames, folded) - kNames.begin());
  const bool inside = name.find('.') != std::string_view::npos;
  const bool speaks = known < static_cast<int>(kNames.size()) ||
                      folded.find("time") != std::string::npos ||
                      folded.find("date") != std::string::npos;
  // Digits under any other name are a number, and few other texts look like a time.
  const bool text = value.type() == Type::kString &&
                    !std::ranges::all_of(value.as_text(), [](char c) { return is_digit(c); });
  if (!speaks && !text) {
    return std::nullopt;
  }
  return known + (speaks ? 0 : 1) + (inside ? kInside : 0);
}

// The field with the time of day for a date that has none; empty: there is no such pair.
std::string clock_beside(const Table& fields, std::size_t date) {
  const Value day = fields.columns[date].value(0);
  const auto lacks = [](std::string_view text, char c) { return text.find(c) == text.npos; };
  if (day.type() != Type::kString || !lacks(day.as_text(), ':') ||
      !lacks(fields.schema[date].name, ',')) {
    return {};
  }
  for (std::size_t i = 0; i < fields.columns.size(); ++i) {
    const Value value = fields.columns[i].value(0);
    if (value.type() != Type::kString || !lacks(fields.schema[i].name, ',')) {
      continue;
    }
    const std::string clock(value.as_text());
    const bool is_clock = !clock.empty() && is_digit(clock.front()) && !lacks(clock, ':');
    if (is_clock && !is_time(value) &&
        is_recent(parse_event_time(std::string(day.as_text()) + " " + clock))) {
      return fields.schema[i].name;
    }
  }
  return {};
}

}  // namespace

Result<std::optional<std::size_t>> InputHead::read(std::span<char> buffer,
                                                   std::int64_t timeout_ms) {
  constexpr std::size_t kHeadBytes = std::size_t{64} << 10U;
  auto size = source_.read(buffer, timeout_ms);
  if (size.ok() && size.value().has_value() && head_.size() < kHeadBytes) {
    head_.append(buffer.data(), std::min(*size.value(), kHeadBytes - head_.size()));
  }
  return size;
}

std::string InputHead::text() const {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  return begins_with_utf16_mark(head_)       ? utf8_of_utf16(head_)
         : head_.starts_with(kByteOrderMark) ? head_.substr(kByteOrderMark.size())
                                             : head_;
}

std::string find_time_field(std::string_view head, const IngestOptions& options) {
  IngestOptions first = options;
  first.timestamp_field.clear();
  first.timestamp_layout.clear();
  first.strict = false;
  first.failures_max.reset();
  first.batch_rows_max = 1;
  FirstEventSink sink;
  const std::unique_ptr<ByteSource> source = memory_source(head);
  // That it stops, or that the head is cut, is no news.
  static_cast<void>(parse_stream(*source, first, sink, {}).ok());
  std::optional<std::size_t> found;
  std::optional<int> best;
  for (std::size_t i = 0; sink.fields && i < sink.fields->columns.size(); ++i) {
    const std::string& name = sink.fields->schema[i].name;
    if (name == "_time" || name == "_sysTime") {
      continue;
    }
    const auto rank = rank_of(name, sink.fields->columns[i].value(0));
    if (rank && (!best || *rank < *best)) {
      best = rank;
      found = i;
    }
  }
  if (!found) {
    return {};
  }
  const std::string clock = clock_beside(*sink.fields, *found);
  return sink.fields->schema[*found].name + (clock.empty() ? "" : "," + clock);
}

std::string untimed_note(const std::string& name, std::string_view head,
                         const IngestOptions& options, const IngestCounts& counts) {
  if (counts.untimed == 0 || counts.untimed < counts.ingested) {
    return {};
  }
  const std::string& named = options.timestamp_field;
  const std::string wanted = named.empty() ? "_time" : named;
  const std::string found = find_time_field(head, options);
  if (named.empty() && found.empty()) {
    return {};
  }
  std::string note =
      "note: " + name + ": no event has the field " + wanted + ", so _time is when it was read";
  if (!found.empty() && found != wanted) {
    note += "; --timestamp-field " + shell_word(found) + " takes it from there";
  }
  return note;
}

}  // namespace evq
