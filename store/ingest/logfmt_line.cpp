#include "store/ingest/logfmt_line.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "store/base/ascii.h"
#include "store/base/byte_set.h"
#include "store/base/json_writer.h"
#include "store/base/time_scan.h"
#include "store/base/utf8.h"
#include "store/ingest/json_text.h"
#include "store/ingest/leading_time.h"
#include "store/ingest/log_fields.h"
#include "store/ingest/text_line.h"
#include "store/ingest/time_shapes.h"

namespace evq {

namespace {

struct LogfmtPair {
  std::string_view key;
  std::string_view value;  // without its quotes, with its escapes
  bool quoted = false;
};

// The group separator stands before what an audit daemon adds to a line.
constexpr ByteSet kBlanks(" \t\x1d");
constexpr ByteSet kKeyEnds("= \t\x1d\"");
constexpr ByteSet kValueEnds(" \t\x1d\"");
constexpr ByteSet kQuotedEnds("\"\\");

bool begins_key(char c) {
  return is_letter(c) || c == '_' || c == '@';
}

// The pairs of a line, one after the other. In one of an audit daemon msg='op=login res=failed' is
// no value but the pairs in it.
class LogfmtReader {
 public:
  explicit LogfmtReader(std::string_view line)
      : line_(line), is_audit_(!audit_time_text(line).empty()) {
    take_priority(&line_);
    skip_blanks();
  }

  bool at_end() const { return at_ == line_.size(); }

  // Nothing at the end, and where the line is no logfmt; then at_end() is false.
  std::optional<LogfmtPair> next() {
    constexpr std::string_view kNested = "msg='";
    if (is_audit_ && line_.substr(at_).starts_with(kNested)) {
      at_ += kNested.size();
      skip_blanks();
      nested_ = true;
    }
    LogfmtPair pair;
    const std::size_t equals = kKeyEnds.find(line_, at_);
    if (at_end() || equals == line_.size() || line_[equals] != '=' || !begins_key(line_[at_])) {
      return std::nullopt;
    }
    pair.key = line_.substr(at_, equals - at_);
    std::size_t end = equals + 1;
    if (end < line_.size() && line_[end] == '"') {
      const std::size_t close = closing_quote(end);
      if (close == std::string_view::npos) {
        return std::nullopt;
      }
      pair.quoted = true;
      pair.value = line_.substr(end + 1, close - end - 1);
      end = close + 1;
      end += is_separator(end) || ends_nested(end) ? 1U : 0U;
    } else {
      const std::size_t begin = end;
      end = kValueEnds.find(line_, begin);
      const bool separated = end > begin && is_separator(end - 1);
      const bool closed = end > begin && ends_nested(end - 1);
      pair.value = line_.substr(begin, end - begin - (separated || closed ? 1U : 0U));
    }
    if (kBlanks.find(line_, end) != end) {
      return std::nullopt;
    }
    at_ = end;
    skip_blanks();
    return pair;
  }

 private:
  void skip_blanks() { at_ = kBlanks.find_other(line_, at_); }

  // A comma with a blank behind it stands between two pairs: "user=ann, id=7".
  bool is_separator(std::size_t at) const {
    return at + 1 < line_.size() && line_[at] == ',' &&
           (line_[at + 1] == ' ' || line_[at + 1] == '\t');
  }

  // The quote behind the last of the pairs in a msg.
  bool ends_nested(std::size_t at) {
    return at < line_.size() && line_[at] == '\'' && std::exchange(nested_, false);
  }

  std::size_t closing_quote(std::size_t open) const {
    std::size_t i = kQuotedEnds.find(line_, open + 1);
    while (i < line_.size() && line_[i] == '\\') {
      i = kQuotedEnds.find(line_, i + 2);
    }
    return i < line_.size() ? i : std::string_view::npos;
  }

  std::string_view line_;
  std::size_t at_ = 0;
  bool is_audit_ = false;
  bool nested_ = false;  // in the pairs of a msg
};

bool is_true_or_false(const LogfmtPair& pair) {
  return !pair.quoted && (pair.value == "true" || pair.value == "false");
}

// The number that the whole of a value without quotes is.
JsonNumber number_of(const LogfmtPair& pair) {
  const char* end = pair.value.data() + pair.value.size();
  const JsonNumber number = read_json_number(pair.value.data(), end);
  return pair.quoted || number.end != end ? JsonNumber{} : number;
}

// What a quoted value means; where its escapes are not JSON's, what stands there. `out` has room
// for the value.
std::string_view plain_text(const LogfmtPair& pair, char* out) {
  const JsonUnescaped plain = unescape_json(pair.value, out);
  return plain.valid && !plain.hex ? std::string_view(out, plain.size) : pair.value;
}

bool tells_time(std::string_view key) {
  constexpr std::string_view kKeys[] = {"time", "ts", "timestamp", "t", "@timestamp", "datetime"};
  return std::ranges::find(kKeys, key) != std::end(kKeys);
}

bool is_offset(std::string_view text) {
  TimeScanner scanner(text);
  return scanner.take_offset() && scanner.at_end();
}

bool has_escapes(const LogfmtPair& pair) {
  return pair.quoted && pair.value.find('\\') != std::string_view::npos;
}

}  // namespace

bool is_logfmt_line(std::string_view line, std::size_t pairs_min) {
  LogfmtReader reader(line);
  std::size_t pairs = 0;
  while (reader.next()) {
    ++pairs;
  }
  return reader.at_end() && pairs >= pairs_min;
}

std::optional<std::int64_t> logfmt_time(std::string_view line, DateOrder order) {
  LogfmtReader reader(line);
  constexpr std::string_view kAudit = "audit(";
  std::string_view date;
  std::string_view clock;
  std::string_view offset;
  while (const auto pair = reader.next()) {
    std::string_view text;
    if (tells_time(pair->key)) {
      text = pair->value;
    } else if (pair->key == "msg" && pair->value.starts_with(kAudit)) {
      text = pair->value.substr(kAudit.size(), pair->value.find(':') - kAudit.size());
    }
    if (const auto time = whole_time(text, order)) {
      return time;
    }
    date = pair->key == "date" ? pair->value : date;
    clock = pair->key == "time" ? pair->value : clock;
    offset = pair->key == "tz" && is_offset(pair->value) ? pair->value : offset;
  }
  if (date.empty() || clock.empty()) {
    return std::nullopt;
  }
  std::string text = std::string(date) + ' ' + std::string(clock);
  return whole_time(offset.empty() ? text : text + ' ' + std::string(offset), order);
}

std::string_view logfmt_date(std::string_view line) {
  LogfmtReader reader(line);
  while (const auto pair = reader.next()) {
    TimeScanner scanner(pair->value);
    if ((tells_time(pair->key) || pair->key == "date") && take_date_numbers(&scanner)) {
      return pair->value;
    }
  }
  return {};
}

void read_logfmt_line(std::string_view line, EventAssembler& event) {
  if (!is_logfmt_line(line, 1)) {
    read_text_line(line, event);
    return;
  }
  if (!is_valid_utf8(line)) {
    line = event.repair_text(line, 0);
  }
  LogfmtReader reader(line);
  while (const auto pair = reader.next()) {
    const NodeId node = event.visit(EventAssembler::kRoot, pair->key);
    const JsonNumber number = number_of(*pair);
    if (is_true_or_false(*pair)) {
      event.add_bool(node, pair->value == "true");
    } else if (number.kind == JsonNumberKind::kLong) {
      event.add_long(node, number.integer);
    } else if (number.kind == JsonNumberKind::kReal) {
      event.add_real(node, number.real, pair->value);
    } else if (has_escapes(*pair)) {
      event.add_text(node, plain_text(*pair, event.scratch(pair->value.size())));
    } else if (pair->quoted || !pair->value.empty()) {
      event.add_text(node, pair->value);
    }
  }
}

void append_logfmt_as_json(std::string* out, std::string_view line,
                           std::optional<std::int64_t> time) {
  if (!is_logfmt_line(line, 1)) {
    append_text_as_json(out, line, time);
    return;
  }
  JsonWriter json(*out);
  json.begin_object();
  if (time) {
    json.key("_time");  // a key of that name in the line comes later and wins
    json.instant(*time);
  }
  LogfmtReader reader(line);
  while (const auto pair = reader.next()) {
    const bool absent = !pair->quoted && pair->value.empty();
    if (absent && pair->key == "_time") {
      continue;  // the line's own time stays
    }
    json.key(pair->key);
    const JsonNumberKind number = number_of(*pair).kind;
    if (absent) {
      json.null();  // it takes back what the key brought before
    } else if (is_true_or_false(*pair) || number == JsonNumberKind::kLong ||
               number == JsonNumberKind::kReal) {
      json.raw(pair->value);
    } else if (has_escapes(*pair)) {
      std::string plain(pair->value.size(), '\0');
      json.string(plain_text(*pair, plain.data()));
    } else {
      json.string(pair->value);
    }
  }
  json.end_object();
}

}  // namespace evq
