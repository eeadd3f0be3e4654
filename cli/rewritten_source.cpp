#include "cli/rewritten_source.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "http/otlp.h"
#include "store/base/ascii.h"
#include "store/base/checked_math.h"
#include "store/base/json_writer.h"
#include "store/base/limits.h"
#include "store/base/number.h"
#include "store/base/time.h"
#include "store/base/utf8.h"
#include "store/ingest/json_text.h"
#include "store/ingest/text_line.h"

namespace evq {
namespace {

constexpr std::size_t kReadBytes = 256 * kKibibyte;
// Enough to tell by.
constexpr std::size_t kHeadBytes = 64;
constexpr std::string_view kCursor = "__CURSOR=";
constexpr std::string_view kJournalTime = "__REALTIME_TIMESTAMP";

// The first key of the object that a line is, or may go on to be.
std::string_view first_key(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('{')) {
    return {};
  }
  line = trimmed(line.substr(1));
  return line.starts_with('"') ? line.substr(1, line.find('"', 1) - 1) : std::string_view();
}

std::optional<OtlpSignal> signal_of(std::string_view line) {
  const std::string_view key = first_key(line);
  return key == "resourceLogs"    ? std::optional(OtlpSignal::kLogs)
         : key == "resourceSpans" ? std::optional(OtlpSignal::kTraces)
                                  : std::nullopt;
}

// A field of an entry of a journal: NAME=value, or NAME, eight bytes that say how long the value
// is, and the value; then a line feed.
struct JournalField {
  std::string_view name;
  std::size_t begin = 0;   // of its value
  std::uint64_t size = 0;  // of it, as far as is known
  bool open = false;       // where it ends is not
};

// The field at the start of `text`; what of it there is at the end of the input, or of a name that
// is too long. Nothing: too little of it is there.
std::optional<JournalField> find_field(std::string_view text, bool at_end) {
  constexpr std::size_t kSizeBytes = 8;
  const std::size_t name_end = std::min(text.find_first_of("=\n"), text.size());
  const std::string_view rest = text.substr(std::min(name_end + 1, text.size()));
  JournalField field{text.substr(0, name_end), text.size() - rest.size()};
  if (name_end < text.size() && text[name_end] == '=') {
    const std::size_t line_end = rest.find('\n');
    field.open = line_end == std::string_view::npos && !at_end;
    field.size = std::min(line_end, rest.size());
    return field;
  }
  if (rest.size() < kSizeBytes) {
    return at_end || name_end > kFieldValueBytesMax ? std::optional(field) : std::nullopt;
  }
  field.begin += kSizeBytes;
  for (std::size_t i = kSizeBytes; i-- > 0;) {
    field.size = field.size << 8U | static_cast<unsigned char>(rest[i]);
  }
  return field;
}

// The entry's time is written as _time too, unless it is no number, or later than a datetime can
// be: such an entry has the time at which it was read.
void write_field(JsonWriter* json, std::string_view name, std::string_view value) {
  if (name == kJournalTime) {
    const std::optional<std::int64_t> microseconds = parse_int(value);
    const std::optional<std::int64_t> instant =
        microseconds ? checked_multiply(*microseconds, kMicrosecondNs) : std::nullopt;
    if (instant.has_value()) {
      json->key("_time");
      json->instant(*instant);
    }
  }
  json->key(repair_utf8(name));
  json->string(repair_utf8(value));
}

// Whether nobody has said what an input is.
bool detects(const IngestOptions& options) {
  const bool csv = !options.csv_fields.empty() || options.csv_delimiter != 0;
  return options.format == InputFormat::kDetect && !csv;
}

}  // namespace

RewrittenKind rewritten_kind(std::string_view head, const IngestOptions& options) {
  head = without_byte_order_mark(head);
  return options.multiline && is_container_part(head)            ? RewrittenKind::kParts
         : !detects(options)                                     ? RewrittenKind::kEvents
         : head.starts_with(kCursor)                             ? RewrittenKind::kJournal
         : signal_of(head)                                       ? RewrittenKind::kOtlp
         : begins_with_container(head) && names_containers(head) ? RewrittenKind::kNamed
                                                                 : RewrittenKind::kEvents;
}

void append_request_line(std::string_view line, std::string* text) {
  const auto signal = line.size() <= kRewrittenBytesMax ? signal_of(line) : std::nullopt;
  auto events = signal ? otlp_events(std::string(line), *signal, OtlpEncoding::kJson, nullptr)
                       : Result<OtlpEvents>(make_error(ErrorCode::kData, ""));
  *text += events.ok() ? std::string_view(events.value().text) : line;
}

void tell_collector_fields(IngestOptions* options) {
  options->map_fields.emplace_back(kOtlpCustomField);
  options->timespan_fields.emplace_back(kOtlpDurationField);
}

Result<IngestOptions> RewrittenSource::begin(IngestOptions options, QueryControl& control) {
  constexpr std::int64_t kPollMs = 200;
  if (!detects(options) && !options.multiline) {
    return options;
  }
  options_ = options;
  kind_.reset();
  while (!kind_) {
    EVQ_TRY(control.check());
    auto late = read_on(kPollMs);
    if (!late.ok() && input_.empty()) {
      return std::move(late).take_error();
    }
    detect(!late.ok());
  }
  if (kind_ == RewrittenKind::kOtlp) {
    tell_collector_fields(&options);
  }
  return options;
}

// True when the time is over.
Result<bool> RewrittenSource::read_on(std::int64_t timeout_ms) {
  const std::size_t before = input_.size();
  input_.resize(before + kReadBytes);
  auto read = source_.read({input_.data() + before, kReadBytes}, timeout_ms);
  input_.resize(before + (read.ok() ? read.value().value_or(0) : 0));
  EVQ_TRY_ASSIGN(const std::optional<std::size_t> size, std::move(read));
  ended_ = size == std::optional<std::size_t>(0);
  return !size.has_value();
}

Result<std::optional<std::size_t>> RewrittenSource::read(std::span<char> buffer,
                                                         std::int64_t timeout_ms) {
  while (given_ == text_.size()) {
    text_.clear();
    given_ = 0;
    rewrite();
    if (!text_.empty() || ended_) {
      break;
    }
    if (kind_ == RewrittenKind::kEvents) {
      return source_.read(buffer, timeout_ms);
    }
    auto late = read_on(timeout_ms);
    if (!late.ok() && !take_torn()) {
      return std::move(late).take_error();
    }
    if (late.ok() && *late) {
      return std::optional<std::size_t>();
    }
  }
  const std::size_t size = std::min(buffer.size(), text_.size() - given_);
  std::copy_n(text_.data() + given_, size, buffer.data());
  given_ += size;
  return std::optional(size);
}

// The source has failed: what it tore goes as it is, before the error, so that it is told where the
// input is cut into events. False when there is none.
bool RewrittenSource::take_torn() {
  writer_.reset();
  parts_.end(&text_);
  text_ += std::exchange(entry_.empty() ? input_ : entry_, {});
  input_.clear();
  return !text_.empty();
}

void RewrittenSource::detect(bool no_more) {
  const std::string_view text = without_byte_order_mark(input_);
  const bool whole_line = text.find('\n') != std::string_view::npos;
  const bool named = detects(options_) && begins_with_container(text);
  const std::size_t wanted = named ? kReadBytes : kHeadBytes;
  if (kind_ || !(input_.size() >= wanted || whole_line || ended_ || no_more)) {
    return;
  }
  kind_ = rewritten_kind(text, options_);
  if (kind_ != RewrittenKind::kEvents) {
    input_.erase(0, input_.size() - text.size());  // what events begin with is left to their reader
  }
}

void RewrittenSource::rewrite() {
  std::size_t done = 0;
  if (kind_ == RewrittenKind::kEvents) {
    text_ = std::exchange(input_, {});
  } else {
    while (done < input_.size()) {
      const std::string_view rest = std::string_view(input_).substr(done);
      const std::size_t size =
          kind_ == RewrittenKind::kJournal ? rewrite_field(rest) : rewrite_line(rest);
      if (size == 0) {
        break;
      }
      done += size;
    }
    input_.erase(0, done);
    if (ended_) {
      end_entry();  // the last one need not have an empty line behind it
      parts_.end(&text_);
    }
  }
}

// Each returns how much of `rest` it has rewritten; nothing when more must come.

std::size_t RewrittenSource::rewrite_line(std::string_view rest) {
  const std::size_t line_end = rest.find('\n');
  if (line_end == std::string_view::npos && !ended_ && rest.size() <= kRewrittenBytesMax) {
    return 0;
  }
  const std::size_t size = std::min(line_end, rest.size() - 1) + 1;
  std::string_view line = rest.substr(0, size);
  if (kind_ == RewrittenKind::kOtlp) {
    append_request_line(line, &text_);
  } else if (kind_ == RewrittenKind::kNamed) {
    append_named_line(take_line(&line), options_, &text_);
  } else {
    parts_.add(line, &text_);
  }
  return size;
}

std::size_t RewrittenSource::rewrite_field(std::string_view rest) {
  if (skipped_bytes_ > 0) {
    const std::size_t size = std::min<std::uint64_t>(skipped_bytes_, rest.size());
    skipped_bytes_ -= size;
    return size;
  }
  if (skips_line_) {
    const std::size_t line_end = rest.find('\n');
    skips_line_ = line_end == std::string_view::npos;
    return skips_line_ ? rest.size() : line_end + 1;
  }
  if (rest[0] == '\n') {
    end_entry();
    return 1;
  }
  const auto field = find_field(rest, ended_);
  if (!field) {
    return 0;
  }
  // Of what is too long to be loaded enough to be refused.
  if (field->name.size() > kFieldValueBytesMax) {
    add_field(field->name.substr(0, kFieldNameBytesMax + 1), "");
    skips_line_ = true;
    return field->name.size();
  }
  const std::uint64_t taken = std::min<std::uint64_t>(field->size, kFieldValueBytesMax + 1);
  const bool cut = taken < field->size;
  const std::size_t value_end = std::min<std::uint64_t>(field->begin + taken, rest.size());
  if (!ended_ && (value_end < field->begin + taken || (!cut && value_end == rest.size()))) {
    return 0;
  }
  add_field(field->name, rest.substr(field->begin, taken));
  const std::uint64_t left = field->size - taken + 1;  // with the line feed
  const std::size_t there = std::min<std::uint64_t>(left, rest.size() - value_end);
  skips_line_ = field->open;
  skipped_bytes_ = field->open ? 0 : left - there;
  return value_end + there;
}

// Of an entry beyond the longest line not all is written: its line is refused whatever it holds.
void RewrittenSource::add_field(std::string_view name, std::string_view value) {
  if (!writer_) {
    writer_.emplace(entry_);
    writer_->begin_object();
  }
  if (entry_.size() <= kCliLineBytesMax) {
    write_field(&*writer_, name, value);
  }
}

void RewrittenSource::end_entry() {
  if (writer_) {
    writer_->end_object();
    writer_.reset();
    text_ += std::exchange(entry_, {}) + "\n";
  }
}

}  // namespace evq
