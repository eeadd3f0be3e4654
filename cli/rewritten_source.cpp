#include "cli/rewritten_source.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "http/otlp.h"
#include "store/base/ascii.h"
#include "store/base/json_writer.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/base/utf8.h"
#include "store/ingest/json_text.h"

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

// One field of an entry of a journal.
struct JournalField {
  std::string_view name;
  std::string_view value;
  std::size_t end = 0;  // behind its line end
};

// The field at the start of `text`: NAME=value, or NAME, eight bytes that say how long the value
// is, and the value. Nothing: it is not whole, and `text` may go on.
std::optional<JournalField> read_field(std::string_view text, bool at_end) {
  const std::size_t line_end = std::min(text.find('\n'), text.size());
  if (line_end == text.size() && !at_end) {
    return std::nullopt;
  }
  const std::string_view line = text.substr(0, line_end);
  const std::size_t equals = line.find('=');
  if (equals != std::string_view::npos) {
    return JournalField{line.substr(0, equals), line.substr(equals + 1),
                        std::min(line_end + 1, text.size())};
  }
  constexpr std::size_t kSizeBytes = 8;
  const std::size_t begin = line_end + 1 + kSizeBytes;
  std::uint64_t size = 0;
  if (text.size() < begin) {
    return at_end ? std::optional(JournalField{line, {}, text.size()}) : std::nullopt;
  }
  for (std::size_t i = kSizeBytes; i-- > 0;) {
    size = size << 8U | static_cast<unsigned char>(text[line_end + 1 + i]);
  }
  if (size >= text.size() - begin && !at_end) {
    return std::nullopt;
  }
  const std::string_view value = text.substr(begin, size);
  return JournalField{line, value, std::min(begin + value.size() + 1, text.size())};
}

void write_field(JsonWriter* json, const JournalField& field) {
  std::int64_t microseconds = 0;
  const char* const end = field.value.data() + field.value.size();
  if (field.name == kJournalTime &&
      std::from_chars(field.value.data(), end, microseconds).ec == std::errc()) {
    constexpr std::int64_t kMicrosecondNs = 1000;
    json->key("_time");
    json->instant(microseconds * kMicrosecondNs);
  }
  json->key(repair_utf8(field.name));
  json->string(repair_utf8(field.value));
}

}  // namespace

Result<IngestOptions> RewrittenSource::begin(IngestOptions options, QueryControl& control) {
  constexpr std::int64_t kPollMs = 200;
  if (options.format != InputFormat::kDetect || !options.csv_fields.empty() ||
      options.csv_delimiter != 0) {
    return options;
  }
  kind_ = Kind::kUnknown;
  while (kind_ == Kind::kUnknown) {
    EVQ_TRY(control.check());
    EVQ_TRY(read_on(kPollMs));
  }
  if (kind_ == Kind::kOtlp) {
    options.map_fields.emplace_back(kOtlpCustomField);
    options.timespan_fields.emplace_back(kOtlpDurationField);
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
  detect();
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
    if (kind_ == Kind::kEvents) {
      return source_.read(buffer, timeout_ms);
    }
    EVQ_TRY_ASSIGN(const bool late, read_on(timeout_ms));
    if (late) {
      return std::optional<std::size_t>();
    }
  }
  const std::size_t size = std::min(buffer.size(), text_.size() - given_);
  std::copy_n(text_.data() + given_, size, buffer.data());
  given_ += size;
  return std::optional(size);
}

void RewrittenSource::detect() {
  const bool enough = input_.size() >= kHeadBytes || input_.find('\n') != std::string::npos;
  if (kind_ == Kind::kUnknown && (enough || ended_)) {
    kind_ = std::string_view(input_).starts_with(kCursor) ? Kind::kJournal
            : signal_of(input_)                           ? Kind::kOtlp
                                                          : Kind::kEvents;
  }
}

void RewrittenSource::rewrite() {
  std::size_t done = 0;
  if (kind_ == Kind::kEvents) {
    text_ = std::exchange(input_, {});
  } else {
    while (done < input_.size()) {
      const std::string_view rest = std::string_view(input_).substr(done);
      const std::size_t size = kind_ == Kind::kOtlp ? rewrite_request(rest) : rewrite_entry(rest);
      if (size == 0) {
        break;
      }
      done += size;
    }
    input_.erase(0, done);
  }
}

// Each returns how much of `rest` it has rewritten; nothing when more must come.

std::size_t RewrittenSource::rewrite_request(std::string_view rest) {
  const std::size_t line_end = rest.find('\n');
  if (line_end == std::string_view::npos && !ended_ && rest.size() <= kRewrittenBytesMax) {
    return 0;
  }
  const std::size_t size = std::min(line_end, rest.size() - 1) + 1;
  const std::string_view line = rest.substr(0, size);
  const auto signal = size <= kRewrittenBytesMax ? signal_of(line) : std::nullopt;
  auto events = signal ? otlp_events(std::string(line), *signal, false, nullptr)
                       : Result<std::string>(make_error(ErrorCode::kData, ""));
  text_ += events.ok() ? std::string_view(events.value()) : line;
  return size;
}

std::size_t RewrittenSource::rewrite_entry(std::string_view rest) {
  const std::size_t begin = std::min(rest.find_first_not_of('\n'), rest.size());
  std::string event;
  JsonWriter json(event);
  json.begin_object();
  std::size_t at = begin;
  while (at < rest.size() && rest[at] != '\n') {
    const auto field = read_field(rest.substr(at), ended_ || rest.size() > kRewrittenBytesMax);
    if (!field) {
      return 0;
    }
    write_field(&json, *field);
    at += field->end;
  }
  if (at == rest.size() && !ended_) {
    return 0;
  }
  json.end_object();
  if (at > begin) {
    text_ += event + "\n";
  }
  return std::min(at + 1, rest.size());
}

}  // namespace evq
