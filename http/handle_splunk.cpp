// Ingest as Splunk's HTTP event collector speaks it: each body is rewritten as NDJSON and stored
// like any other.

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "http/error_form.h"
#include "http/event_members.h"
#include "http/ingest_body.h"
#include "http/limits.h"
#include "http/parameters.h"
#include "http/router.h"
#include "store/base/ascii.h"
#include "store/base/json_writer.h"
#include "store/base/time.h"
#include "store/ingest/leading_time.h"
#include "store/ingest/line_times.h"
#include "store/ingest/nested_value.h"
#include "store/ingest/tolerant_reader.h"

namespace evq {
namespace {

// Takes the next JSON object off a text that holds one after the other, or a list of them; an empty
// one at its end. False when something else comes first.
bool take_object(std::string_view* text, std::string_view* object) {
  text->remove_prefix(std::min(text->find_first_not_of(" \t\r\n,[]"), text->size()));
  if (!text->empty() && text->front() != '{') {
    return false;
  }
  NestedValue nested{.depth = 1};
  const std::size_t end = text->empty() ? 0 : pass_nested(*text, 1, &nested);
  *object = text->substr(0, end);
  text->remove_prefix(end);
  return true;
}

// The refusal of an envelope that is not what it should be, nothing for a good one: it has an event
// that says something, and what is beside it is not passed over.
std::optional<HttpResponse> refuse_envelope(DynamicView envelope, std::size_t number) {
  const DynamicView event = envelope.find("event").value_or(DynamicView());
  if (event.is_null()) {
    return splunk_answer(400, 12, "Event field is required", number);
  }
  if (event.is_string() && event.as_string().empty()) {
    return splunk_answer(400, 13, "Event field cannot be blank", number);
  }
  const DynamicView fields = envelope.find("fields").value_or(DynamicView());
  if (!fields.is_null() && !fields.is_bag()) {
    return splunk_answer(400, 15, "Error in handling indexed fields: fields is no object", number);
  }
  const DynamicView index = envelope.find("index").value_or(DynamicView());
  if (!index.is_null() && !index.is_string()) {
    return splunk_answer(400, 7, "Incorrect index: it is no text", number);
  }
  return std::nullopt;
}

// The number that is a member of a JSON object as it is written; empty when there is none. Of
// several the last counts.
std::string_view number_text(std::string_view object, std::string_view name) {
  std::string_view key;
  std::string_view found;
  bool in_key = true;
  for (std::size_t at = 1; at < object.size();) {
    std::size_t end = at + 1;
    const char c = object[at];
    if (c == '"') {
      while (end < object.size() && object[end] != '"') {
        end += object[end] == '\\' ? std::size_t{2} : std::size_t{1};
      }
      key = in_key ? object.substr(at + 1, end - at - 1) : key;
      ++end;
    } else if (c == '{' || c == '[') {
      NestedValue nested{.depth = 1};
      end = pass_nested(object, end, &nested);
    } else if (c == ':' || c == ',') {
      in_key = c == ',';
    } else if (c == '-' || is_digit(c)) {
      end = std::min(object.find_first_not_of("0123456789+-.eE", at), object.size());
      found = key == name ? object.substr(at, end - at) : found;
    }
    at = end;
  }
  return found;
}

// Where events come from, as parameters of the address may say it for all of them.
constexpr std::array<std::string_view, 3> kOriginNames = {"host", "source", "sourcetype"};

// What an envelope gives an event besides the event's own members and `fields`.
constexpr std::array<std::string_view, 6> kEnvelopeNames = {"_time",  "index",      "host",
                                                            "source", "sourcetype", "_raw"};

// What the parameters of a request say of all of its events.
struct EventsOf {
  const HttpRequest& request;
  bool finds_times = false;  // in the text of one whose envelope has none
};

DynamicView member_of(DynamicView bag, std::string_view name) {
  return bag.is_bag() ? bag.find(name).value_or(DynamicView()) : DynamicView();
}

// The time that a text says it is from, as JSON; empty when it says none.
std::string time_in(DynamicView event) {
  std::string text;
  if (event.is_string()) {
    if (const auto time = leading_time(event.as_string(), wall_clock_now_ns())) {
      JsonWriter(text).instant(*time);
    }
  }
  return text;
}

// Gives `take` the name and the value, as JSON, of each of those that there are. `text`: the
// envelope as it was sent, which of the time has all digits. What neither the envelope nor the
// event says of the origin, the request may.
template <class Take>
void take_envelope_members(const EventsOf& all, DynamicView envelope, std::string_view text,
                           const Take& take) {
  const auto own = [&](std::string_view name) { return member_of(envelope, name); };
  const DynamicView event = own("event");
  if (const DynamicView time = own("time"); !time.is_null()) {
    const bool is_real = time.tag() == DynamicTag::kReal;
    const std::string_view digits = is_real ? number_text(text, "time") : std::string_view();
    take("_time", digits.empty() ? json_of(time) : std::string(digits));
  } else if (all.finds_times && member_of(own("fields"), "_time").is_null()) {
    if (std::string found = time_in(event); !found.empty()) {
      take("_time", std::move(found));
    }
  }
  if (const DynamicView index = own("index"); !index.is_null()) {
    take("index", json_of(index));
  }
  for (const std::string_view name : kOriginNames) {
    if (const DynamicView value = own(name); !value.is_null()) {
      take(name, json_of(value));
    } else if (const auto asked = all.request.parameter(name);
               asked.has_value() && member_of(event, name).is_null() &&
               member_of(own("fields"), name).is_null()) {
      std::string value_text;
      JsonWriter(value_text).string(*asked);
      take(name, std::move(value_text));
    }
  }
  if (!event.is_bag()) {
    take("_raw", json_of(event));
  }
}

bool has_envelope_name(DynamicView bag) {
  if (bag.is_bag()) {
    for (DynamicView::Iterator each(bag); each.next();) {
      if (std::ranges::find(kEnvelopeNames, each.key()) != kEnvelopeNames.end()) {
        return true;
      }
    }
  }
  return false;
}

// Whether two objects have members of one name. Each may have very many.
bool share_names(DynamicView bag, DynamicView other) {
  if (!bag.is_bag() || !other.is_bag() || bag.size() == 0 || other.size() == 0) {
    return false;
  }
  std::vector<std::string_view> names;
  names.reserve(bag.size());
  for (DynamicView::Iterator each(bag); each.next();) {
    names.push_back(each.key());
  }
  std::ranges::sort(names);
  for (DynamicView::Iterator each(other); each.next();) {
    if (std::ranges::binary_search(names, each.key())) {
      return true;
    }
  }
  return false;
}

// Whether two members of the event that an envelope becomes may have one name.
bool may_clash(DynamicView event, DynamicView fields) {
  return has_envelope_name(event) || has_envelope_name(fields) || share_names(event, fields);
}

// Adds what an event does not say already in the same words.
void add_news(DynamicView bag, Members* event) {
  if (bag.is_bag()) {
    Members news = members_of(bag);
    std::erase_if(news, [&](const auto& each) {
      const auto said = event->find(each.first);
      return said != event->end() && (each.second == "null" || each.second == said->second);
    });
    add_members(news, event);
  }
}

// One envelope, which has an event, as this event. Of two members of one name that of the envelope
// comes first, then the event's own, then that of `fields`; the later are kept under another name.
Status append_envelope(const EventsOf& all, DynamicView envelope, std::string_view text,
                       MemberRoom* room, std::string* out) {
  const DynamicView event = member_of(envelope, "event");
  const DynamicView fields = member_of(envelope, "fields");
  EVQ_TRY(room->take((event.is_bag() ? event.size() : 0) + fields.size()));
  JsonWriter json(*out);
  json.begin_object();
  if (may_clash(event, fields)) {
    Members members;
    take_envelope_members(all, envelope, text, [&](std::string_view name, std::string value) {
      members.insert_or_assign(std::string(name), std::move(value));
    });
    add_news(event, &members);
    add_news(fields, &members);
    write_members(members, &json);
  } else {
    take_envelope_members(all, envelope, text,
                          [&](std::string_view name, const std::string& value) {
                            json.key(name);
                            json.raw(value);
                          });
    for (const DynamicView bag : {event, fields}) {
      if (bag.is_bag()) {
        append_members(&json, bag);
      }
    }
  }
  json.end_object();
  out->push_back('\n');
  return Status::success();
}

// Whether a raw body is said to be JSON. Some senders say so of every text.
bool may_hold_json(const HttpRequest& request) {
  return media_type(request) == "application/json";
}

// Adds an event of a raw body: the members that `write` writes, and those of the request's origin
// that `own` does not have.
template <class Write>
Status append_raw_event(const Write& write, const Members& origin, DynamicView own,
                        RewritingClaim* claim, std::string* events) {
  const std::size_t before = events->size();
  JsonWriter json(*events);
  json.begin_object();
  write(&json);
  for (const auto& [name, value] : origin) {
    if (member_of(own, name).is_null()) {
      json.key(name);
      json.raw(value);
    }
  }
  json.end_object();
  events->push_back('\n');
  return claim->take_events(events->size() - before);
}

// Whether a raw body is JSON objects throughout, and has one.
bool holds_objects(std::string_view body) {
  TolerantReader reader;
  DynamicBuilder builder;
  for (bool any = false;; any = true) {
    std::string_view text;
    if (!take_object(&body, &text)) {
      return false;
    }
    if (text.empty()) {
      return any;
    }
    builder.clear();
    if (reader.read(text, &builder).has_value()) {
      return false;
    }
  }
}

// Each object of a raw body, for which holds_objects() is true, as an event.
Result<std::string> raw_objects(std::string_view body, const Members& origin,
                                RewritingClaim* claim) {
  std::string events;
  TolerantReader reader;
  DynamicBuilder builder;
  std::string_view text;
  while (take_object(&body, &text) && !text.empty()) {
    builder.clear();
    static_cast<void>(reader.read(text, &builder));
    const DynamicView object(builder.bytes());
    const auto write = [&](JsonWriter* json) { append_members(json, object); };
    EVQ_TRY(append_raw_event(write, origin, object, claim, &events));
  }
  return events;
}

// Each line of a raw body as an event, from when it says, or else from when the line before it is.
Result<std::string> raw_lines(std::string_view body, const Members& origin, RewritingClaim* claim) {
  std::string events;
  const std::int64_t now_ns = wall_clock_now_ns();
  const DateOrder order =
      date_order_in(body.substr(0, kHttpSplunkDatesBytesMax), PieceKind::kText, now_ns)
          .value_or(DateOrder::kMonthFirst);
  std::optional<std::int64_t> time;
  while (!body.empty()) {
    const std::string_view line = take_line(&body);
    if (is_blank(line)) {
      continue;
    }
    const auto own_time = leading_time(line, now_ns, order);
    time = own_time.has_value() ? own_time : time;
    const auto write = [&](JsonWriter* json) {
      if (time.has_value()) {
        json->key("_time");
        json->instant(*time);
      }
      json->key("_raw");
      json->string(line);
    };
    EVQ_TRY(append_raw_event(write, origin, DynamicView(), claim, &events));
  }
  return events;
}

// Where the events of a request go: by ?index=, else by the envelope's index, else by that of the
// first envelope, else to the only dataset that the token may ingest to. Must not outlive the
// request.
class SplunkIndex {
 public:
  explicit SplunkIndex(const HttpRequest& request)
      : asked_(request.parameter("index").value_or("")),
        only_(request.identity.only_dataset("ingest", "create").value_or("")) {}
  // Of an envelope, asked for in the order of the request; empty when nothing tells.
  std::string dataset_of(DynamicView envelope) {
    const auto index = envelope.find("index");
    const bool named = index.has_value() && index->is_string();
    const std::string_view own = named ? index->as_string() : std::string_view();
    if (!first_.has_value()) {
      first_ = own;
    }
    for (const std::string_view name : {asked_, own, std::string_view(*first_)}) {
      if (!name.empty()) {
        return std::string(name);
      }
    }
    return only_;
  }

 private:
  std::string_view asked_;
  std::optional<std::string> first_;
  const std::string only_;
};

// The events of a request that go to one dataset.
struct SplunkEvents {
  std::string text;                    // NDJSON
  std::vector<std::uint32_t> numbers;  // of each in the request, from 0; empty: there are no others
};

// What of a request was kept, and the first of its events that was not.
struct SplunkOutcome {
  std::uint64_t ingested = 0;
  std::uint64_t failed = 0;
  bool all_stored = false;  // the good events of every dataset
  std::size_t wrong_event = SIZE_MAX;
  std::string reason;

  // Takes no memory: these events are stored.
  void add(const SplunkEvents& events, IngestCounts counts) {
    if (!counts.failures.empty()) {
      IngestFailure& first = counts.failures[0];
      const std::size_t place = first.line - 1;
      const std::size_t number = place < events.numbers.size() ? events.numbers[place] : place;
      if (number < wrong_event) {
        wrong_event = number;
        reason = std::move(first.reason);
      }
    }
    ingested += counts.ingested;
    failed += counts.failed;
  }
};

// Opens each of several datasets before anything is stored, those that are there before others are
// made: where a later one could not be written to, the sender would repeat the events that the ones
// before it have kept, again and again. An error that senders do not repeat is left to
// store_each().
Status open_each(Api& api, const HttpRequest& request,
                 const std::map<std::string, SplunkEvents>& events_by_dataset) {
  if (events_by_dataset.size() < 2) {
    return Status::success();
  }
  const auto open = [&](const std::string& dataset) -> Status {
    Result<IngestReport> opened = store_ndjson(api, request, dataset, {});
    const bool repeated = !opened.ok() && error_code_info(opened.error().code).http_status >= 500;
    return repeated ? Status(std::move(opened).take_error()) : Status::success();
  };
  std::vector<std::string> missing;
  for (const auto& [dataset, events] : events_by_dataset) {
    EVQ_TRY_ASSIGN(const auto known, api.definitions().find_dataset(dataset));
    if (known.has_value()) {
      EVQ_TRY(open(dataset));
    } else {
      missing.push_back(dataset);
    }
  }
  for (const std::string& dataset : missing) {
    EVQ_TRY(open(dataset));
  }
  return Status::success();
}

// Stores the events of each dataset, and returns the answer to what was not kept. With all kept,
// whose answer is there already, what is returned is not to be sent.
Result<HttpResponse> store_each(Api& api, HttpRequest& request,
                                const std::map<std::string, SplunkEvents>& events_by_dataset,
                                SplunkOutcome* outcome) {
  for (const auto& [dataset, events] : events_by_dataset) {
    Result<IngestReport> report = store_ndjson(api, request, dataset, events.text);
    if (!report.ok() && outcome->ingested == 0) {
      return std::move(report).take_error();
    }
    if (!report.ok()) {
      Error error = std::move(report).take_error();
      error.message = std::to_string(outcome->ingested) + " events were kept, but not those of " +
                      dataset + ": " + error.message;
      const bool repeated = error_code_info(error.code).http_status >= 500;
      return repeated ? Result<HttpResponse>(std::move(error))
                      : splunk_answer(400, 6, error.message);
    }
    outcome->add(events, std::move(report->counts));
  }
  outcome->all_stored = true;
  if (outcome->failed == 0) {
    return HttpResponse();
  }
  return splunk_answer(400, 6,
                       "Invalid data format: " + std::to_string(outcome->failed) + " of " +
                           std::to_string(outcome->failed + outcome->ingested) +
                           " events were not kept: " + outcome->reason,
                       outcome->wrong_event);
}

// Stores nothing unless every dataset has a good name, the token may write to it, and it can be
// opened or made. Like Splunk it keeps the good events of a request of which others are not, and
// then says nothing that would make the sender repeat all of them, unless a dataset could not be
// written to for now: events that come twice are better than none.
Result<HttpResponse> store_splunk(Api& api, HttpRequest& request,
                                  const std::map<std::string, SplunkEvents>& events_by_dataset) {
  for (const auto& [dataset, events] : events_by_dataset) {
    if (const Status name = check_dataset_name(dataset); !name.ok()) {
      return splunk_answer(
          400, 7,
          "Incorrect index: " + (dataset.empty() ? "name the dataset with index beside the event, "
                                                   "or with ?index= in the address"
                                                 : name.error().message));
    }
    if (!request.identity.may(dataset, "ingest", "create")) {
      return splunk_answer(
          403, 7, "Incorrect index: " + permission_error("ingest", "create", dataset).message);
    }
  }
  EVQ_TRY(open_each(api, request, events_by_dataset));
  HttpResponse success = splunk_answer(200, 0, "Success");
  HttpResponse bare = splunk_answer(400, 6, "Invalid data format: some events were not kept");
  SplunkOutcome outcome;
  try {
    Result<HttpResponse> refusal = store_each(api, request, events_by_dataset, &outcome);
    return outcome.all_stored && outcome.failed == 0 ? std::move(success) : std::move(refusal);
  } catch (const std::bad_alloc&) {
    if (!outcome.all_stored) {
      return make_error(ErrorCode::kUnavailable,
                        "there is no memory left for the request, try again");
    }
    return outcome.failed == 0 ? std::move(success) : std::move(bare);
  }
}

// Takes the next envelope off the body, whose rest is `rest`; why not where it is none.
std::optional<JsonFault> take_envelope(std::string_view body, std::string_view* rest,
                                       TolerantReader* reader, std::string_view* text,
                                       DynamicBuilder* envelope) {
  envelope->clear();
  const bool is_object = take_object(rest, text);
  if (is_object && text->empty()) {
    return std::nullopt;
  }
  std::optional<JsonFault> fault =
      is_object ? reader->read(*text, envelope) : JsonFault{0, "expected an object"};
  if (fault.has_value()) {
    const char* const begin = is_object ? text->data() : rest->data();
    fault->offset += static_cast<std::size_t>(begin - body.data());
  }
  return fault;
}

}  // namespace

Result<HttpResponse> handle_splunk_events(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::shared_ptr<RewritingClaim> claim, begin_rewriting(api, request));
  EVQ_TRY_ASSIGN(const std::string body,
                 decoded_text(request, kHttpIngestBodyBytesMax, claim.get()));
  EVQ_TRY(claim->take_values(body));
  EventsOf all{request};
  EVQ_TRY_ASSIGN(all.finds_times, switch_parameter(request, "auto_extract_timestamp"));
  SplunkIndex index(request);
  MemberRoom room(*claim);
  std::map<std::string, SplunkEvents> by_dataset;
  TolerantReader reader;
  DynamicBuilder builder;
  std::string_view rest = body;
  for (std::uint32_t number = 0;; ++number) {
    std::string_view text;
    const auto fault = take_envelope(body, &rest, &reader, &text, &builder);
    if (fault.has_value()) {
      return splunk_answer(400, 6, "Invalid data format", number,
                           line_and_column(body, fault->offset) + ": " + fault->reason);
    }
    if (text.empty()) {
      break;
    }
    const DynamicView envelope(builder.bytes());
    if (auto refusal = refuse_envelope(envelope, number); refusal.has_value()) {
      return *std::move(refusal);
    }
    SplunkEvents& events = by_dataset[index.dataset_of(envelope)];
    const std::size_t before = events.text.size();
    EVQ_TRY(append_envelope(all, envelope, text, &room, &events.text));
    events.numbers.push_back(number);
    EVQ_TRY(claim->take_events(events.text.size() - before + sizeof(number)));
    if (by_dataset.size() > kHttpSplunkIndexesMax) {
      return splunk_answer(400, 7, "Incorrect index: too many of them in one request");
    }
  }
  if (by_dataset.empty()) {
    return is_blank(body) ? splunk_answer(400, 5, "No data")
                          : splunk_answer(400, 6, "Invalid data format", std::nullopt,
                                          "the body has no events");
  }
  return store_splunk(api, request, by_dataset);
}

Result<HttpResponse> handle_splunk_raw(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::shared_ptr<RewritingClaim> claim, begin_rewriting(api, request));
  EVQ_TRY_ASSIGN(const std::string body,
                 decoded_text(request, kHttpIngestBodyBytesMax, claim.get()));
  EVQ_TRY(claim->take_values(body));
  Members origin;
  for (const std::string_view name : kOriginNames) {
    if (const auto value = request.parameter(name); value.has_value()) {
      JsonWriter(origin[std::string(name)]).string(*value);
    }
  }
  EVQ_TRY_ASSIGN(std::string events, may_hold_json(request) && holds_objects(body)
                                         ? raw_objects(body, origin, claim.get())
                                         : raw_lines(body, origin, claim.get()));
  if (events.empty()) {
    return splunk_answer(400, 5, "No data");
  }
  const std::string dataset = SplunkIndex(request).dataset_of(DynamicView());
  return store_splunk(api, request, {{dataset, {std::move(events), {}}}});
}

// Evq answers when events are on the disk, so that there is nothing to ask for later.
Result<HttpResponse> handle_splunk_ack(Api& /*api*/, HttpRequest& /*request*/) {
  return splunk_answer(400, 14, "ACK is disabled");
}

Result<HttpResponse> handle_splunk_health(Api& /*api*/, HttpRequest& /*request*/) {
  return splunk_answer(200, 17, "HEC is healthy");
}

}  // namespace evq
