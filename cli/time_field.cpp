#include "cli/time_field.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "cli/shell_word.h"
#include "cli/terminal/number_text.h"
#include "cli/text_tables.h"
#include "store/base/ascii.h"
#include "store/base/control.h"
#include "store/base/guessed_layout.h"
#include "store/base/number.h"
#include "store/base/time.h"
#include "store/base/time_parse.h"
#include "store/base/time_zone.h"
#include "store/base/utf8.h"
#include "store/ingest/byte_source.h"
#include "store/ingest/csv_header.h"
#include "store/ingest/failure_reason.h"
#include "store/ingest/format.h"
#include "store/ingest/stream.h"
#include "store/ingest/utf16_source.h"

namespace evq {
namespace {

// Enough of them to tell 03/04 from 04/03.
constexpr std::size_t kEventsRead = 100;

struct FirstEvent : SealedBatch {
  Table fields;
};

// Takes the first events and stops the load.
class FirstEventsSink final : public BatchSink {
 public:
  Result<std::unique_ptr<SealedBatch>> seal(BatchColumns& batch,
                                            std::uint64_t /*raw_bytes*/) override {
    auto sealed = std::make_unique<FirstEvent>();
    sealed->fields = batch.take_all();
    return std::unique_ptr<SealedBatch>(std::move(sealed));
  }
  Status commit(std::unique_ptr<SealedBatch> batch, const IngestCounts& /*counts*/) override {
    events.push_back(std::move(static_cast<FirstEvent&>(*batch).fields));
    return events.size() < kEventsRead
               ? Status::success()
               : Status(make_error(ErrorCode::kCancelled, "these are enough"));
  }

  std::vector<Table> events;  // of one row each
};

// Their times are fields like any other.
std::vector<Table> first_events(std::string_view head, const IngestOptions& options) {
  IngestOptions first = options;
  first.timestamp_field.clear();
  first.timestamp_layout.clear();
  first.strict = false;
  first.failures_max.reset();
  first.batch_rows_max = 1;
  FirstEventsSink sink;
  const std::unique_ptr<ByteSource> source = memory_source(head);
  // That it stops, or that the head is cut, is no news.
  static_cast<void>(parse_stream(*source, first, sink, {}).ok());
  return std::move(sink.events);
}

// A number that counts or measures something else is seldom as large as a time since 1990.
bool is_recent(std::optional<std::int64_t> time) {
  constexpr std::int64_t kYearNs = 365 * kDayNs;
  return time.has_value() && *time > 20 * kYearNs && *time < 130 * kYearNs;
}

// A text that reads as a time, and is no number, tells one, of whatever year.
bool is_time(const Value& value) {
  if (value.type() == Type::kString) {
    const auto time = parse_event_time(value.as_text());
    return parse_real(trimmed(value.as_text())) ? is_recent(time) : time.has_value();
  }
  if (value.type() == Type::kLong) {
    return is_recent(event_time_from_integer(value.as_integer()));
  }
  return value.type() == Type::kReal && is_recent(event_time_from_real(value.as_real()));
}

// How likely a field of this name is the one that tells the time: the less, the likelier.
struct NameRank {
  int known = 0;        // where it stands among the names that are usual
  bool speaks = false;  // of time
  bool later = false;   // of the time of something that follows from the event
  bool inside = false;  // of an object

  int rank() const { return known + (speaks ? 0 : 1) + (later ? 2 : 0) + (inside ? 100 : 0); }
};

// The usual names in lower case, the likeliest first.
constexpr std::array<std::string_view, 9> kTimeNames = {"timestamp",  "@timestamp", "time",
                                                        "ts",         "datetime",   "date",
                                                        "created_at", "eventtime",  "createdat"};

NameRank rank_name(std::string_view name) {
  constexpr std::array<std::string_view, 3> kTimeWords = {"time", "date", "epoch"};
  constexpr std::array<std::string_view, 7> kLater = {"expir", "until",  "update", "modif",
                                                      "_end",  "finish", "birth"};
  constexpr std::array<std::string_view, 4> kEnds = {"_at", "At", "_ts", "Ts"};
  const std::string folded = to_lower(name);
  const auto known = static_cast<int>(std::ranges::find(kTimeNames, folded) - kTimeNames.begin());
  const auto holds = [&](std::string_view word) { return folded.find(word) != std::string::npos; };
  const auto ends = [&](std::string_view end) { return name.ends_with(end); };
  return {.known = known,
          .speaks = known < static_cast<int>(kTimeNames.size()) ||
                    std::ranges::any_of(kTimeWords, holds) || std::ranges::any_of(kEnds, ends),
          .later = folded.starts_with("end") || name.find("End") != std::string_view::npos ||
                   std::ranges::any_of(kLater, holds),
          .inside = name.find('.') != std::string_view::npos};
}

// A number of milliseconds of this age is seldom anything else; smaller and larger ones are counts
// and keys as well.
bool is_epoch_size(const Value& value) {
  constexpr std::int64_t kMillisecondsMin = 1'000'000'000'000;
  constexpr std::int64_t kMillisecondsMax = 10'000'000'000'000;
  return value.type() == Type::kLong && value.as_integer() >= kMillisecondsMin &&
         value.as_integer() < kMillisecondsMax;
}

// Worse than any field that is likely to tell a time.
constexpr int kMereNumber = 1000;

// Nothing: it tells no time that is read without a layout.
std::optional<int> rank_of(std::string_view name, const Value& value) {
  if (!is_time(value)) {
    return std::nullopt;
  }
  const NameRank ranked = rank_name(name);
  // A number under any other name is one, and few other texts look like a time.
  const bool text = value.type() == Type::kString && !parse_real(trimmed(value.as_text()));
  if (!ranked.speaks && !text) {
    return is_epoch_size(value) ? std::optional(ranked.rank() + kMereNumber) : std::nullopt;
  }
  return ranked.rank();
}

// The same of times that only a layout reads.
std::optional<int> rank_of(std::string_view name, const GuessedLayout& guess) {
  constexpr int kNoDay = 50;
  if (guess.layout.empty()) {
    return std::nullopt;
  }
  const NameRank ranked = rank_name(name);
  const std::string folded = to_lower(name);
  const bool of_months = folded == "year" || folded.find("month") != std::string::npos;
  const bool likely =
      guess.has_day ? ranked.speaks || !guess.is_number : ranked.speaks || of_months;
  return likely ? std::optional(ranked.rank() + (guess.has_day ? 0 : kNoDay)) : std::nullopt;
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
    const bool has_clock = !clock.empty() && is_digit(clock.front()) && !lacks(clock, ':');
    if (has_clock && !is_time(value) &&
        is_recent(parse_event_time(std::string(day.as_text()) + " " + clock))) {
      return fields.schema[i].name;
    }
  }
  return {};
}

// The field with the nanoseconds behind a field of Unix seconds, both of one object; empty: there
// is none.
std::string nanoseconds_beside(const Table& fields, std::size_t seconds) {
  constexpr std::int64_t kSecondsMin = 1'000'000'000;
  constexpr std::int64_t kSecondsMax = 9'999'999'999;
  const std::string& name = fields.schema[seconds].name;
  const std::string object = name.substr(0, name.rfind('.') + 1);
  const Value value = fields.columns[seconds].value(0);
  const bool counts_seconds = value.type() == Type::kLong && value.as_integer() >= kSecondsMin &&
                              value.as_integer() <= kSecondsMax;
  for (std::size_t i = 0; counts_seconds && !object.empty() && i < fields.schema.size(); ++i) {
    const std::string& other = fields.schema[i].name;
    if (other.starts_with(object) &&
        to_lower(other).find("nano", object.size()) != std::string::npos &&
        fields.columns[i].value(0).type() == Type::kLong) {
      return other;
    }
  }
  return {};
}

// A field, or several with commas between, and the layout that reads it where one has to.
struct FoundTime {
  std::string field;  // empty: none
  GuessedLayout layout;
  bool mere_number = false;  // nothing but its size speaks for it
};

// Fields that evq adds, and those whose name is a value of an event that was taken for a header.
bool is_no_field_of_times(std::string_view name) {
  return name == "_time" || name == "_sysTime" || reads_as_value(name);
}

// A field whose first value is a time that is read as it is.
FoundTime find_readable(const std::vector<Table>& events) {
  const Table* found = nullptr;
  std::size_t column = 0;
  std::optional<int> best;
  std::set<std::string_view> seen;
  for (const Table& event : events) {
    for (std::size_t i = 0; i < event.columns.size(); ++i) {
      const std::string& name = event.schema[i].name;
      const Value value = event.columns[i].value(0);
      if (is_no_field_of_times(name) || value.is_null() || !seen.insert(name).second) {
        continue;
      }
      const auto rank = rank_of(name, value);
      if (rank && (!best || *rank < *best)) {
        best = rank;
        found = &event;
        column = i;
      }
    }
  }
  if (found == nullptr) {
    return {};
  }
  std::string clock = clock_beside(*found, column);
  if (clock.empty()) {
    clock = nanoseconds_beside(*found, column);
  }
  return {.field = found->schema[column].name + (clock.empty() ? "" : "," + clock),
          .layout = {},
          .mere_number = *best >= kMereNumber};
}

// What the events have in this field, where that is a text or a whole number.
std::vector<std::string> texts_of(const std::vector<Table>& events, std::string_view field) {
  std::vector<std::string> texts;
  for (const Table& event : events) {
    const auto column = event.schema.find(field);
    const Value value = column ? event.columns[*column].value(0) : Value();
    if (value.type() == Type::kString) {
      texts.emplace_back(value.as_text());
    } else if (value.type() == Type::kLong) {
      append_int(texts.emplace_back(), value.as_integer());
    }
  }
  return texts;
}

// The values of fields that tell a time together stand one behind the other.
std::vector<std::string> texts_of_all(const std::vector<Table>& events, std::string_view fields) {
  std::vector<std::string> joined;
  for (std::size_t begin = 0; begin <= fields.size();) {
    const std::size_t comma = std::min(fields.find(',', begin), fields.size());
    std::vector<std::string> texts = texts_of(events, trimmed(fields.substr(begin, comma - begin)));
    if (begin == 0) {
      joined = std::move(texts);
    } else {
      for (std::size_t i = 0; i < std::min(texts.size(), joined.size()); ++i) {
        joined[i] += " " + texts[i];
      }
    }
    begin = comma + 1;
  }
  return joined;
}

// The same with a field that tells the time of day, and how both are read together, for a field
// whose layout has none.
FoundTime with_clock(const std::vector<Table>& events, FoundTime date) {
  const bool has_clock = date.layout.layout.find(':') != std::string::npos;
  for (std::size_t i = 0; !has_clock && date.layout.has_day && i < events[0].schema.size(); ++i) {
    const std::string& name = events[0].schema[i].name;
    const Value value = events[0].columns[i].value(0);
    if (value.type() != Type::kString || value.as_text().empty() || !is_digit(value.as_text()[0]) ||
        value.as_text().find(':') == std::string_view::npos ||
        name.find(',') != std::string::npos || date.field.find(',') != std::string::npos) {
      continue;
    }
    std::string both = date.field + "," + name;
    GuessedLayout guess = guess_layout(texts_of_all(events, both));
    if (guess.layout.find(':') != std::string::npos) {
      return {.field = std::move(both), .layout = std::move(guess)};
    }
  }
  return date;
}

FoundTime find_time(const std::vector<Table>& events) {
  FoundTime found = find_readable(events);
  if (!found.field.empty() && !found.mere_number) {
    return found;
  }
  std::set<std::string_view> seen;
  std::optional<int> best;
  for (const Table& event : events) {
    for (std::size_t i = 0; i < event.schema.size(); ++i) {
      const std::string& name = event.schema[i].name;
      if (is_no_field_of_times(name) || !seen.insert(name).second) {
        continue;
      }
      GuessedLayout guess = guess_layout(texts_of(events, name));
      const auto rank = rank_of(name, guess);
      if (rank && (!best || *rank < *best)) {
        best = rank;
        found = {.field = name, .layout = std::move(guess)};
      }
    }
  }
  return best ? with_clock(events, std::move(found)) : found;
}

std::string layout_option(const GuessedLayout& guess) {
  return "--timestamp-format " + shell_word(guess.layout) +
         (guess.day_first.empty()
              ? ""
              : ", or " + shell_word(guess.day_first) + " where the day comes first,");
}

// The input's first events, read for whoever asks first.
class FirstEvents {
 public:
  FirstEvents(std::string_view head, const IngestOptions& options)
      : head_(head), options_(options) {}

  const std::vector<Table>& get() {
    if (!events_.has_value()) {
      events_ = first_events(head_, options_);
    }
    return *events_;
  }

 private:
  const std::string_view head_;
  const IngestOptions& options_;
  std::optional<std::vector<Table>> events_;
};

// That some lines of a log told no time, nor did one above them.
std::string some_untimed_note(std::uint64_t untimed) {
  const bool one = untimed == 1;
  return counted_text(untimed, "event") + (one ? " tells" : " tell") +
         " no time that is known, nor does a line above, so _time is when " +
         (one ? "it was read" : "they were read");
}

// What the lines of a log are, kText or kLogfmt; nothing where the input is none.
std::optional<PieceKind> kind_of_log(std::string_view head, const IngestOptions& options) {
  const bool csv = options.csv_delimiter != 0 || !options.csv_fields.empty();
  const auto kind = csv ? std::nullopt : std::optional(kind_by_head(head, options.format));
  const bool log = kind == PieceKind::kText || kind == PieceKind::kLogfmt;
  return log ? kind : std::nullopt;
}

// That the lines of a log told no time, or were not asked for one. Empty where all did.
std::string untimed_lines_note(std::string_view head, const IngestOptions& options,
                               const IngestCounts& counts) {
  const std::optional<PieceKind> kind = kind_of_log(head, options);
  if (counts.ingested == 0 || !options.timestamp_field.empty() || !kind) {
    return {};
  }
  if (counts.untimed > 0 && counts.untimed < counts.ingested) {
    return some_untimed_note(counts.untimed);
  }
  if (kind != PieceKind::kText) {
    return {};
  }
  if (!options.timestamp_layout.empty()) {
    return "--timestamp-format reads the field that --timestamp-field names, in JSON, CSV and the "
           "like; the times of lines are not looked for then, so _time is when it was read";
  }
  return counts.untimed < counts.ingested ? ""
                                          : "no line begins with a time that is known, so _time is "
                                            "when it was read";
}

// Whether a field is there to tell the time by its name, or holds a time of day.
bool has_part_of_time(const std::vector<Table>& events) {
  for (const Table& event : events) {
    for (std::size_t i = 0; i < event.columns.size(); ++i) {
      const Value value = event.columns[i].value(0);
      const std::string name = to_lower(event.schema[i].name);
      if (!value.is_null() && (std::ranges::find(kTimeNames, name) != kTimeNames.end() ||
                               (value.type() == Type::kString && is_clock(value.as_text())))) {
        return true;
      }
    }
  }
  return false;
}

// That no event had a time of its own, with the field that tells it and the layout where one has to
// read it. Empty when some had a time, and when nobody named a field or a layout and none is found,
// unless they are lines of logfmt, which are logged at some time, or have a part of a time.
std::string untimed_note(std::string_view head, FirstEvents& events, const IngestOptions& options,
                         const IngestCounts& counts) {
  if (counts.untimed == 0 || counts.untimed < counts.ingested) {
    return {};
  }
  const std::string& named = options.timestamp_field;
  const std::string wanted = named.empty() ? "_time" : named;
  const FoundTime found = find_time(events.get());
  if (named.empty() && options.timestamp_layout.empty() && found.field.empty()) {
    return kind_of_log(head, options) == PieceKind::kLogfmt
               ? "no line has a time that is known, so _time is when it was read"
           : has_part_of_time(events.get())
               ? "no field tells a date and a time that are known, so _time is when it was read"
               : "";
  }
  std::string note = "no event has the field " + wanted + ", so _time is when it was read";
  if (!found.field.empty() && found.field != wanted) {
    note += "; --timestamp-field " + shell_word(found.field) + " " +
            (found.layout.layout.empty() ? "" : layout_option(found.layout) + " ") +
            "takes it from there" + (found.mere_number ? ", if that is a time" : "");
  }
  return note;
}

constexpr std::size_t kDateDigits = 8;

// Whether it has a number that may be a date.
bool has_date_digits(std::string_view head) {
  std::size_t digits = 0;
  for (const char c : head) {
    if (!is_digit(c) && digits == kDateDigits) {
      return true;
    }
    digits = is_digit(c) ? digits + 1 : 0;
  }
  return digits == kDateDigits;
}

// The seconds since 1970 that the times of events are, where the input has these digits and they
// may be a date: of what _time was nothing else is left.
std::vector<std::string> dates_read_as_seconds(std::string_view head, FirstEvents& events) {
  std::vector<std::string> texts;
  if (!has_date_digits(head)) {
    return texts;
  }
  for (const Table& event : events.get()) {
    const auto column = event.schema.find("_time");
    std::string seconds;
    append_int(seconds, column ? event.columns[*column].value(0).as_integer() / kSecondNs : 0);
    if (seconds.size() == kDateDigits && head.find(seconds) != std::string_view::npos) {
      texts.push_back(std::move(seconds));
    }
  }
  return texts;
}

// That the times of the named field, or of _time, could not be read, or were numbers that look like
// dates, with the layout that reads them where that can be told.
std::string misread_note(std::string_view head, FirstEvents& events, const IngestOptions& options,
                         const IngestCounts& counts) {
  const std::string& field = options.timestamp_field;
  const bool by_default = field.empty() || field == "_time";
  const FailureKind failure = counts.failed > counts.ingested && !counts.failures.empty()
                                  ? kind_of_failure(counts.failures[0].reason)
                                  : FailureKind::kOther;
  const bool distant = failure == FailureKind::kDistantTime;
  const bool unread = !field.empty() && (failure == FailureKind::kUnreadTime || distant);
  const bool read =
      counts.ingested > (by_default ? counts.untimed : 0) && options.timestamp_layout.empty();
  if (!unread && !read) {
    return {};
  }
  std::vector<std::string> texts =
      by_default ? dates_read_as_seconds(head, events) : texts_of_all(events.get(), field);
  GuessedLayout guess = guess_layout(texts);
  if (guess.layout.empty() && texts.size() > 1 && !options.csv_fields.empty()) {
    texts.erase(texts.begin());  // the header, which was left in
    guess = guess_layout(texts);
  }
  if (!unread) {
    // A date without marks is a small number as well.
    return guess.layout.empty() || !guess.is_number
               ? ""
               : guess.example + " is read as a Unix time; " + layout_option(guess) +
                     " reads it as a date";
  }
  if (!guess.layout.empty() && guess.layout != options.timestamp_layout) {
    return layout_option(guess) + " reads '" + guess.example + "'";
  }
  return counts.ingested == 0 && options.timestamp_layout.empty() && !distant
             ? "--timestamp-format says how times are written, "
               "with 2006-01-02 15:04:05 as the example: '02.01.2006 15:04'"
             : "";
}

// Whether the clocks of this machine show another time than UTC, now or in half a year.
bool has_local_time() {
  constexpr std::int64_t kHalfYearSeconds = 183 * kDayNs / kSecondNs;
  const auto zone = TimeZone::local();
  const std::int64_t now = wall_clock_now_ns() / kSecondNs;
  return zone.ok() && (zone->offset_at(now) != 0 || zone->offset_at(now + kHalfYearSeconds) != 0);
}

std::string zoneless_note(const IngestOptions& options, const IngestCounts& counts) {
  return counts.zoneless && options.zone == nullptr && has_local_time()
             ? "its times say no zone and are taken as UTC; --timestamp-zone local takes them as "
               "this machine's"
             : "";
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
  return begins_with_utf16_mark(head_) ? utf8_of_utf16(head_)
                                       : std::string(without_byte_order_mark(head_));
}

std::vector<std::string> time_notes(std::string_view head, const IngestOptions& options,
                                    const IngestCounts& counts) {
  FirstEvents events(head, options);
  const std::string lines = untimed_lines_note(head, options, counts);
  std::vector<std::string> notes;
  for (std::string note :
       {lines.empty() ? untimed_note(head, events, options, counts) : lines,
        misread_note(head, events, options, counts), zoneless_note(options, counts)}) {
    if (!note.empty()) {
      notes.push_back(std::move(note));
    }
  }
  return notes;
}

}  // namespace evq
