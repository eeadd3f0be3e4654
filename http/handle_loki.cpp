// Loki's push API, as JSON and as what Promtail and Alloy send: a Protocol Buffers message in one
// block of Snappy. Both become the same dynamic value, and then events: the labels of the stream,
// the structured metadata of the entry, and its `line`. A label or metadata of a name that is taken
// is kept under another one.

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <snappy.h>

#include "http/error_form.h"
#include "http/event_members.h"
#include "http/framing.h"
#include "http/ingest_body.h"
#include "http/limits.h"
#include "http/protobuf.h"
#include "http/wire.h"
#include "store/base/ascii.h"
#include "store/base/checked_math.h"
#include "store/base/json_writer.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/base/time_parse.h"
#include "store/base/utf8.h"
#include "store/ingest/byte_source.h"
#include "store/ingest/tolerant_reader.h"

namespace evq {
namespace {

// ---- logproto.PushRequest, with the names that fit the mapping below
using enum ProtoKind;

constexpr std::array kTimestampFields = {ProtoField{1, "seconds", kInteger},
                                         ProtoField{2, "nanos", kInteger}};
constexpr ProtoMessage kTimestamp{kTimestampFields};
constexpr std::array kPairFields = {ProtoField{1, "name", kText}, ProtoField{2, "value", kText}};
constexpr ProtoMessage kPair{kPairFields};
constexpr std::array kEntryFields = {ProtoField{1, "timestamp", kMessage, false, &kTimestamp},
                                     ProtoField{2, "line", kText},
                                     ProtoField{3, "structuredMetadata", kMessage, true, &kPair}};
constexpr ProtoMessage kEntry{kEntryFields};
constexpr std::array kStreamFields = {ProtoField{1, "labels", kText},
                                      ProtoField{2, "entries", kMessage, true, &kEntry}};
constexpr ProtoMessage kStream{kStreamFields};
constexpr std::array kPushFields = {ProtoField{1, "streams", kMessage, true, &kStream}};
constexpr ProtoMessage kPush{kPushFields};

Error malformed(std::string_view what) {
  return make_error(ErrorCode::kData, "the Loki push is malformed: " + std::string(what));
}

// ---- events

// What an entry has besides the labels of its stream.
struct Entry {
  std::string time;  // as JSON; of one that evq does not hold what was sent, which ingest refuses
  std::string line;  // as JSON
  Members metadata;
};

std::string json_of(std::optional<std::int64_t> time_ns, std::string_view sent) {
  std::string text;
  JsonWriter json(text);
  time_ns.has_value() ? json.instant(*time_ns) : json.string(sent);
  return text;
}

// The labels of a stream, which makes events of its entries.
class Stream {
 public:
  explicit Stream(Members labels) : labels_(std::move(labels)) {
    Members named = own_members({});
    add_members(labels_, &named);
    std::erase_if(named, [](const auto& each) { return is_own(each.first); });
    JsonWriter json(text_);
    write_members(named, &json);
    named_ = std::move(named);
  }

  void append_event(const Entry& entry, std::string* out) const {
    JsonWriter json(*out);
    json.begin_object();
    const bool clashes = std::ranges::any_of(entry.metadata, [&](const auto& each) {
      return is_own(each.first) || named_.contains(each.first);
    });
    if (clashes) {
      Members event = own_members(entry);
      add_members(entry.metadata, &event);
      Members news = labels_;  // what the metadata does not say in the same words
      std::erase_if(news, [&](const auto& each) {
        const auto said = entry.metadata.find(each.first);
        return said != entry.metadata.end() && said->second == each.second;
      });
      add_members(news, &event);
      write_members(event, &json);
    } else {
      if (!text_.empty()) {
        json.raw(text_);
      }
      write_members(entry.metadata, &json);
      write_members(own_members(entry), &json);
    }
    json.end_object();
    out->push_back('\n');
  }

 private:
  static bool is_own(std::string_view name) { return name == "_time" || name == "line"; }
  static Members own_members(const Entry& entry) {
    return {{"line", entry.line}, {"_time", entry.time}};
  }

  const Members labels_;
  Members named_;     // as they are called in events
  std::string text_;  // the same as members of a JSON object; may be empty
};

// ---- JSON

bool is_json_entry(DynamicView entry) {
  const DynamicView metadata = entry.at(2);
  return entry.is_array() && entry.size() <= 3 && entry.at(0).is_string() &&
         entry.at(1).is_string() && (metadata.is_null() || metadata.is_bag());
}

// Whole numbers are nanoseconds, however few; some senders write other times.
std::optional<std::int64_t> read_time(std::string_view text) {
  std::int64_t time_ns = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), time_ns);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole ? std::optional(time_ns) : parse_event_time(text);
}

// [nanoseconds as text, line, metadata that may be left out], which is_json_entry() is true of.
// Whether the text is a time, ingest says of each entry.
Entry read_json_entry(DynamicView entry) {
  const std::string_view time = entry.at(0).as_string();
  return {json_of(read_time(time), time), json_of(entry.at(1)), members_of(entry.at(2))};
}

Result<std::string> json_events(std::string_view body, RewritingClaim* claim) {
  EVQ_TRY(claim->take_values(body));
  DynamicBuilder builder;
  if (const auto fault = TolerantReader().read(body, &builder); fault.has_value()) {
    return malformed("it is no JSON: " + line_and_column(body, fault->offset) + ": " +
                     fault->reason);
  }
  const auto streams = DynamicView(builder.bytes()).find("streams");
  if (!streams.has_value() || !streams->is_array()) {
    return malformed("the body has no list of streams");
  }
  std::string events;
  MemberRoom room(*claim);
  std::size_t number = 0;
  for (DynamicView::Iterator stream(*streams); stream.next(); ++number) {
    const std::string place = "streams[" + std::to_string(number) + "]";
    const DynamicView labels = stream.value().find("stream").value_or(DynamicView());
    const DynamicView values = stream.value().find("values").value_or(DynamicView());
    if (!labels.is_bag() || !values.is_array()) {
      return malformed(place + ": a stream is {\"stream\": labels, \"values\": list}");
    }
    EVQ_TRY(room.take(labels.size()));
    const Stream events_of(members_of(labels));
    std::size_t index = 0;
    for (DynamicView::Iterator value(values); value.next(); ++index) {
      const std::size_t before = events.size();
      if (!is_json_entry(value.value())) {
        return malformed(
            place + ".values[" + std::to_string(index) +
            "]: a value is [\"nanoseconds\", \"line\", metadata that may be left out]");
      }
      EVQ_TRY(room.take(labels.size() + value.value().at(2).size()));
      events_of.append_event(read_json_entry(value.value()), &events);
      EVQ_TRY(claim->take_events(events.size() - before));
    }
  }
  return events;
}

// ---- Protocol Buffers

// A label selector, {app="shop", job="a \"b\""}.
class LabelReader {
 public:
  explicit LabelReader(std::string_view text) : text_(text), rest_(text) {}

  // Its pairs. kData when the text is no selector, and nothing else; names that are no words are
  // quoted as values are.
  Result<Members> read(MemberRoom* room) {
    Members labels;
    skip_blanks();
    if (!take('{')) {
      return no_labels();
    }
    for (skip_blanks(); !take('}'); skip_blanks()) {
      std::string name;
      std::string value;
      const bool named = take('"') ? read_quoted(&name) && take_equals() : read_word(&name);
      skip_blanks();
      if (!named || name.empty() || !take('"') || !read_quoted(&value)) {
        return no_labels();
      }
      EVQ_TRY(room->take(labels.size() + 1));
      std::string quoted;
      JsonWriter(quoted).string(value);
      labels.insert_or_assign(std::move(name), std::move(quoted));
      skip_blanks();
      static_cast<void>(take(','));
    }
    skip_blanks();
    return rest_.empty() ? Result<Members>(std::move(labels)) : no_labels();
  }

 private:
  Error no_labels() const { return malformed("'" + std::string(text_) + "' are no labels"); }
  void skip_blanks() {
    while (rest_.starts_with(' ')) {
      rest_.remove_prefix(1);
    }
  }
  bool take(char wanted) {
    if (!rest_.starts_with(wanted)) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }
  bool take_equals() {
    skip_blanks();
    return take('=');
  }
  // What stands before the next equals sign.
  bool read_word(std::string* name) {
    const std::size_t equals = rest_.find('=');
    if (equals == std::string_view::npos) {
      return false;
    }
    *name = rest_.substr(0, equals);
    name->resize(name->find_last_not_of(' ') + 1);
    rest_.remove_prefix(equals + 1);
    return true;
  }
  // A text as Go quotes it; an escape that it does not write stays as it is.
  bool read_quoted(std::string* value) {
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') {
        return true;
      }
      if (c != '\\' || rest_.empty()) {
        value->push_back(c);
        continue;
      }
      const char escaped = rest_.front();
      rest_.remove_prefix(1);
      constexpr std::string_view kLetters = "abfnrtv\\\"'";
      constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\\"'";
      if (const std::size_t at = kLetters.find(escaped); at != std::string_view::npos) {
        value->push_back(kMeanings[at]);
      } else if (!take_number(escaped, value)) {
        value->append({'\\', escaped});
      }
    }
    return false;
  }
  // \xff is a byte, \u00e9 and \U0001f600 are code points.
  bool take_number(char kind, std::string* value) {
    const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      const int digit = i < rest_.size() ? hex_digit(rest_[i]) : -1;
      if (digit < 0) {
        return false;
      }
      number = number << 4U | static_cast<std::uint32_t>(digit);
    }
    const bool is_code_point = number <= 0x10FFFF && (number < 0xD800 || number > 0xDFFF);
    if (digits == 0 || !is_code_point) {
      return false;
    }
    rest_.remove_prefix(digits);
    if (kind == 'x') {
      value->push_back(static_cast<char>(number));
    } else {
      append_code_point(*value, static_cast<char32_t>(number));
    }
    return true;
  }

  const std::string_view text_;
  std::string_view rest_;
};

std::int64_t integer_member(DynamicView bag, std::string_view name) {
  const auto value = bag.find(name);
  return value.has_value() && value->tag() == DynamicTag::kLong ? value->as_integer() : 0;
}

Entry read_proto_entry(DynamicView entry) {
  Entry read;
  if (const auto metadata = entry.find("structuredMetadata"); metadata.has_value()) {
    for (DynamicView::Iterator pair(*metadata); pair.next();) {
      const auto name = pair.value().find("name");
      const auto value = pair.value().find("value");
      if (name.has_value() && name->is_string() && value.has_value()) {
        read.metadata.insert_or_assign(std::string(name->as_string()), json_of(*value));
      }
    }
  }
  read.time = "null";  // that of the receipt
  if (const auto time = entry.find("timestamp"); time.has_value()) {
    const std::int64_t seconds = integer_member(*time, "seconds");
    const std::int64_t nanos = integer_member(*time, "nanos");
    const auto whole_ns = checked_multiply(seconds, kSecondNs);
    read.time = json_of(whole_ns.has_value() ? checked_add(*whole_ns, nanos) : std::nullopt,
                        std::to_string(seconds) + " s and " + std::to_string(nanos) + " ns");
  }
  const auto line = entry.find("line");
  read.line = line.has_value() ? json_of(*line) : "\"\"";
  return read;
}

Result<std::string> proto_events(std::string_view message, RewritingClaim* claim) {
  const Result<std::string> bytes = dynamic_from_proto(message, kPush);
  if (!bytes.ok()) {
    return bytes.error().code == ErrorCode::kData ? malformed("it is no PushRequest message")
                                                  : bytes.error();
  }
  std::string events;
  MemberRoom room(*claim);
  const auto streams = DynamicView(*bytes).find("streams");
  for (DynamicView::Iterator stream(streams.value_or(DynamicView())); stream.next();) {
    const auto text = stream.value().find("labels");
    const std::string_view labels =
        text.has_value() && text->is_string() ? text->as_string() : std::string_view("{}");
    EVQ_TRY_ASSIGN(Members pairs, LabelReader(labels).read(&room));
    const std::size_t label_count = pairs.size();
    const Stream events_of(std::move(pairs));
    const DynamicView entries = stream.value().find("entries").value_or(DynamicView());
    for (DynamicView::Iterator entry(entries); entry.next();) {
      const std::size_t before = events.size();
      const DynamicView metadata = entry.value().find("structuredMetadata").value_or(DynamicView());
      EVQ_TRY(room.take(label_count + metadata.size()));
      events_of.append_event(read_proto_entry(entry.value()), &events);
      EVQ_TRY(claim->take_events(events.size() - before));
    }
  }
  return events;
}

// One block of Snappy; its size is looked at before anything is allocated.
Result<std::string> unsnap(const HttpRequest& request, RewritingClaim* claim) {
  const std::string_view encoding = request.header("content-encoding").value_or("");
  if (!encoding.empty() && !equals_ignoring_ascii_case(encoding, "snappy")) {
    return make_error(ErrorCode::kUnsupported,
                      "a Protocol Buffers push is compressed with Snappy and nothing else");
  }
  EVQ_TRY_ASSIGN(const std::string body, request.body.text());
  std::size_t size = 0;
  if (!snappy::GetUncompressedLength(body.data(), body.size(), &size)) {
    return malformed("it is no block of Snappy");
  }
  if (size > kHttpIngestBodyBytesMax) {
    return make_error(ErrorCode::kTooLarge,
                      "the decoded body is larger than this endpoint's limit of " +
                          size_text(kHttpIngestBodyBytesMax));
  }
  EVQ_TRY(claim->take_body(size));
  std::string message(size, '\0');
  if (!snappy::RawUncompress(body.data(), body.size(), message.data())) {
    return malformed("it is no block of Snappy");
  }
  return message;
}

// The type of a push; of one that has none what its first bytes look like. A block of Snappy has no
// other encoding.
Result<std::string> type_of_push(const HttpRequest& request) {
  const std::string type = media_type(request);
  if (!type.empty()) {
    return type;
  }
  EVQ_TRY_ASSIGN(const std::string head, body_head(request));
  const std::string_view encoding = request.header("content-encoding").value_or("");
  const bool is_snappy = equals_ignoring_ascii_case(encoding, "snappy");
  const bool is_packed =
      compression_of(std::string_view(head).substr(0, 4)) != InputCompression::kNone;
  const bool is_json = !is_snappy && (is_encoded(request) || is_packed || begins_json_object(head));
  return std::string(is_json ? "application/json" : kProtobufType);
}

// The answer to a push of which some entries were not kept.
HttpResponse refuse_entries(const HttpRequest& request, std::string message) {
  const Error error = make_error(ErrorCode::kData, std::move(message));
  HttpResponse refusal = response_of_error(error, {});
  put_error(ErrorForm::kLoki, request, error.message, &refusal);
  return refusal;
}

}  // namespace

// Promtail and Alloy name a tenant where they cannot add a header.
Result<HttpResponse> handle_loki_push(Api& api, HttpRequest& request) {
  std::string dataset(
      request.header("x-axiom-dataset")
          .value_or(
              request.header("x-scope-orgid").value_or(request.parameter("dataset").value_or(""))));
  if (dataset.empty()) {
    dataset = request.identity.only_dataset("ingest", "create").value_or("");
  }
  if (dataset.empty()) {
    return make_error(ErrorCode::kUsage,
                      "the X-Axiom-Dataset header (or Loki's X-Scope-OrgID) is required",
                      "or ?dataset=NAME in the address, or a token that may ingest to one dataset");
  }
  if (!request.identity.may(dataset, "ingest", "create")) {
    return permission_error("ingest", "create", dataset);
  }
  EVQ_TRY(check_dataset_name(dataset));  // a push without entries asks whether they would be kept
  EVQ_TRY_ASSIGN(const std::string type, type_of_push(request));
  std::string events;
  EVQ_TRY_ASSIGN(const std::shared_ptr<RewritingClaim> claim, begin_rewriting(api, request));
  if (type == "application/json") {
    EVQ_TRY_ASSIGN(const std::string body,
                   decoded_text(request, kHttpIngestBodyBytesMax, claim.get()));
    EVQ_TRY_ASSIGN(events, json_events(body, claim.get()));
  } else if (type == kProtobufType) {
    EVQ_TRY_ASSIGN(const std::string message, unsnap(request, claim.get()));
    EVQ_TRY_ASSIGN(events, proto_events(message, claim.get()));
  } else {
    return wrong_media_type(request, "application/json or application/x-protobuf");
  }
  HttpResponse stored = no_content();
  if (events.empty()) {
    return stored;
  }
  // Made before anything is stored: later there may be no memory for it.
  HttpResponse bare = refuse_entries(request, "some entries were not kept");
  EVQ_TRY_ASSIGN(const IngestReport report, store_ndjson(api, request, dataset, events));
  const IngestCounts& counts = report.counts;
  if (counts.failed == 0) {
    return stored;
  }
  return answer_stored(std::move(bare), [&] {
    return refuse_entries(request, std::to_string(counts.failed) + " of " +
                                       std::to_string(counts.failed + counts.ingested) +
                                       " entries were not kept: " + counts.failures[0].reason);
  });
}

}  // namespace evq
