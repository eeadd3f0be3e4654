#include "store/ingest/log_fields.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "store/base/ascii.h"
#include "store/ingest/time_shapes.h"

namespace evq {

namespace {

// A host's or a program's name; RFC 5424 allows no longer ones.
constexpr std::size_t kNameBytesMax = 255;

constexpr std::string_view kSeverities[] = {"emerg",   "alert",  "crit", "err",
                                            "warning", "notice", "info", "debug"};
constexpr std::string_view kFacilities[] = {
    "kern",   "user",   "mail",     "daemon", "auth",   "syslog", "lpr",    "news",
    "uucp",   "cron",   "authpriv", "ftp",    "ntp",    "audit",  "alert",  "clock",
    "local0", "local1", "local2",   "local3", "local4", "local5", "local6", "local7"};

// The bytes up to the first blank, which are taken from the text with that blank.
std::string_view take_word(std::string_view* text) {
  const std::size_t end = std::min(text->find(' '), text->size());
  const std::string_view word = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  return word;
}

// What stands between quotes at the start of the text, and the blank behind them; nothing when no
// quote opens or closes there. A quote behind a backslash closes nothing.
std::optional<std::string_view> take_quoted(std::string_view* text) {
  if (!text->starts_with('"')) {
    return std::nullopt;
  }
  std::size_t end = 1;
  while (end < text->size() && (*text)[end] != '"') {
    end += (*text)[end] == '\\' ? 2U : 1U;
  }
  if (end >= text->size()) {
    return std::nullopt;
  }
  const std::string_view inside = text->substr(1, end - 1);
  text->remove_prefix(end + 1);
  text->remove_prefix(text->starts_with(' ') ? 1 : 0);
  return inside;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

// ---------------------------------------------------------------- access logs

// "[10/Oct/2000:13:55:36 -0700] ", taken from the text.
bool take_access_time(std::string_view* text) {
  const std::size_t close = text->find("] ");
  constexpr std::size_t kTimeBytesMax = 40;
  if (!text->starts_with('[') || close > kTimeBytesMax ||
      text->substr(0, close).find('/') == std::string_view::npos) {
    return false;
  }
  text->remove_prefix(close + 2);
  return true;
}

// Who asked, by the start of a line of an access log.
struct AccessCaller {
  std::string_view host;  // of a virtual host
  std::string_view client;
  std::string_view user;
};

// The first address, where proxies have put theirs behind it: "10.0.0.1, 10.0.0.2 ". They are taken
// from the text.
std::string_view take_client(std::string_view* text) {
  std::string_view client = take_word(text);
  for (std::string_view word = client; word.ends_with(',') && !text->empty();) {
    word = take_word(text);
  }
  client.remove_suffix(client.ends_with(',') ? 1 : 0);
  return client;
}

// The rest of a name that has blanks, up to the time; `text` then begins with it. False where no
// time follows.
bool take_rest_of_user(std::string_view* text, std::string_view* user) {
  const std::string_view line{user->data(), user->size() + 1 + text->size()};
  const std::size_t end = line.substr(0, kNameBytesMax).find(" [");
  if (end == std::string_view::npos) {
    return false;
  }
  *user = line.substr(0, end);
  *text = line.substr(end + 1);
  return true;
}

// Takes it from the line, whose time follows. Without a client: this is no such line.
AccessCaller take_caller(std::string_view* line) {
  AccessCaller caller;
  caller.client = take_client(line);
  std::string_view asked = take_word(line);  // who the client says it is, seldom known
  caller.user = take_word(line);
  if (line->starts_with('[') || line->empty()) {
    return caller;
  }
  if (asked == "-" && caller.user != "-") {
    return take_rest_of_user(line, &caller.user) ? caller : AccessCaller();
  }
  caller.host = caller.client;
  caller.client = asked;
  asked = caller.user;
  if (caller.client.ends_with(',')) {
    caller.client.remove_suffix(1);
    while (asked.ends_with(',') && !line->empty()) {
      asked = take_word(line);
    }
    asked = take_word(line);
  }
  caller.user = take_word(line);
  if (!line->starts_with('[') && asked == "-" && !line->empty() &&
      !take_rest_of_user(line, &caller.user)) {
    return {};
  }
  return caller;
}

// The first HTTP had no protocol behind its paths, and probes have none either.
bool is_method(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
}

LogFields access_fields(std::string_view line) {
  const auto [host, client, user] = take_caller(&line);
  if (client.empty() || user.empty() || !take_access_time(&line)) {
    return {};
  }
  const auto request = take_quoted(&line);
  const std::string_view status = take_word(&line);
  constexpr std::size_t kStatusDigits = 3;
  if (!request || status.size() != kStatusDigits || !is_number(status)) {
    return {};
  }
  const std::string_view bytes = take_word(&line);
  LogFields fields;
  // An address that a proxy tells may stand there as well, in quotes.
  const bool is_host = !host.starts_with('"') && !host.starts_with('[');
  fields.add("host", is_host ? host : std::string_view());
  fields.add("client", client);
  fields.add("user", user);
  // What is no request, such as a TLS greeting to a plain port, has no parts.
  const std::size_t method_end = request->find(' ');
  const std::size_t path_end = request->rfind(' ');
  if (method_end != path_end) {
    fields.add("method", request->substr(0, method_end));
    fields.add("path", request->substr(method_end + 1, path_end - method_end - 1));
    fields.add("protocol", request->substr(path_end + 1));
  } else if (method_end != std::string_view::npos && is_method(request->substr(0, method_end))) {
    fields.add("method", request->substr(0, method_end));
    fields.add("path", request->substr(method_end + 1));
  }
  fields.add_number("status", status);
  fields.add_number("bytes", bytes);
  fields.add("referer", take_quoted(&line).value_or(""));
  fields.add("user_agent", take_quoted(&line).value_or(""));
  return fields;
}

// ---------------------------------------------------------------- syslog

// "Oct 11 22:14:15 ", or with a fraction, as journalctl -o short-precise writes it, taken from the
// text.
bool take_bsd_time(std::string_view* text) {
  constexpr std::string_view kShape = "AAA _9 99:99:99";
  if (!begins_with_shape(*text, kShape)) {
    return false;
  }
  std::string_view rest = text->substr(kShape.size());
  const std::string_view fraction = take_word(&rest);
  const bool ends = fraction.empty() || (fraction[0] == '.' && is_number(fraction.substr(1)));
  const bool begins = ends && text->size() > kShape.size();
  *text = begins ? rest : *text;
  return begins;
}

// The "-" that stands for no time behind the version of RFC 5424, taken from the text.
bool take_no_time(std::string_view* text) {
  const bool begins = text->starts_with("- ");
  text->remove_prefix(begins ? 2 : 0);
  return begins;
}

// "Wed 2024-05-01 10:20:30 UTC ", as journalctl -o short-full writes it, taken from the text.
bool take_journal_time(std::string_view* text) {
  constexpr std::string_view kShape = "AAA 9999-99-99 99:99:99";
  if (!begins_with_shape(*text, kShape)) {
    return false;
  }
  std::string_view rest = text->substr(kShape.size());
  take_word(&rest);  // its fraction
  const std::string_view zone = take_word(&rest);
  constexpr std::size_t kZoneBytesMax = 6;
  const bool is_zone = !zone.empty() && zone.size() <= kZoneBytesMax &&
                       (is_letter(zone[0]) || zone[0] == '+' || zone[0] == '-');
  *text = is_zone ? rest : *text;
  return is_zone;
}

// "2003-10-11T22:14:15.003Z ", taken from the text.
bool take_iso_time(std::string_view* text) {
  constexpr std::size_t kDateBytes = 10;
  const std::size_t end = text->find(' ');
  if (end == std::string_view::npos || end <= kDateBytes || (*text)[kDateBytes] != 'T' ||
      (*text)[end - 1] == ':' || !is_digit(text->front()) || (*text)[4] != '-' ||
      text->substr(0, end).find('\t') != std::string_view::npos) {
    return false;
  }
  text->remove_prefix(end + 1);
  return true;
}

// Where the brackets open of a word that is a program's name with its number, "sshd[42]"; 0: it is
// none.
std::size_t number_of_program(std::string_view word) {
  const std::size_t open = word.rfind('[');
  const bool numbered = open != std::string_view::npos && word.ends_with(']') &&
                        is_number(word.substr(open + 1, word.size() - open - 2));
  return numbered ? open : 0;
}

// Whether no host stands before "program[123]: ".
bool begins_with_program(std::string_view text) {
  const std::string_view word = take_word(&text);
  return word.ends_with(':') && number_of_program(word.substr(0, word.size() - 1)) > 0;
}

// Whether "program: " stands where a host is expected. What a device of Cisco's sends has its host
// there, before "%ASA-6-302013".
bool begins_with_named_program(std::string_view text) {
  std::string_view word = take_word(&text);
  if (!word.ends_with(':') || text.starts_with('%')) {
    return false;
  }
  word.remove_suffix(1);
  return !word.empty() && is_letter(word.front()) && !is_level_word(word) &&
         std::ranges::all_of(word, [](char c) {
           return is_letter_or_digit(c) ||
                  std::string_view("-_./").find(c) != std::string_view::npos;
         });
}

// "program[123]: " or "program: " before the message.
void add_program(std::string_view text, LogFields* fields) {
  std::string_view word = take_word(&text);
  const bool colon = word.ends_with(':');
  word.remove_suffix(colon ? 1 : 0);
  const std::size_t open = number_of_program(word);
  const bool numbered = open > 0;
  if (word.size() > kNameBytesMax || (!colon && !numbered)) {
    return;
  }
  fields->add("program", word.substr(0, numbered ? open : word.size()));
  if (numbered) {
    fields->add_number("pid", word.substr(open + 1, word.size() - open - 2));
  }
}

// "2024-05-01T00:00:00.1Z stdout F message": a container's log as Kubernetes keeps it.
LogFields container_fields(std::string_view line) {
  LogFields fields;
  if (take_iso_time(&line)) {
    const std::string_view stream = take_word(&line);
    const std::string_view tag = take_word(&line);
    if ((stream == "stdout" || stream == "stderr") && (tag == "F" || tag == "P")) {
      fields.add("stream", stream);
    }
  }
  return fields;
}

LogFields syslog_fields(std::string_view line) {
  const auto priority = take_priority(&line);
  const bool versioned = priority && line.starts_with("1 ");
  line.remove_prefix(versioned ? 2 : 0);
  const bool bsd = take_bsd_time(&line);
  if (!bsd && !take_iso_time(&line) && !take_journal_time(&line) &&
      !(versioned && take_no_time(&line))) {
    return {};
  }
  LogFields fields;
  // Behind a time that many programs write a name with a colon may be anything.
  const bool hostless = !versioned && (begins_with_program(line) ||
                                       ((bsd || priority) && begins_with_named_program(line)));
  const std::string_view host = hostless ? std::string_view() : take_word(&line);
  const bool names_host = bsd || priority || !host.ends_with(':');
  if (!hostless &&
      (host.empty() || host.size() > kNameBytesMax || is_level_word(host) || !names_host)) {
    return {};
  }
  fields.add("host", host);
  if (versioned) {
    fields.add("program", take_word(&line));
    fields.add_number("pid", take_word(&line));
  } else {
    add_program(line, &fields);
    // A line that only begins with such a time is anybody's.
    if (!priority && !hostless && fields.fields().size() < 2) {
      return {};
    }
  }
  if (priority) {
    fields.add("facility", kFacilities[*priority / std::size(kSeverities)]);
    fields.add("severity", kSeverities[*priority % std::size(kSeverities)]);
  }
  return fields;
}

}  // namespace

bool is_level_word(std::string_view word) {
  constexpr std::string_view kLevels[] = {"trace", "debug", "info",     "notice", "warn",
                                          "error", "fatal", "critical", "severe", "warning"};
  word.remove_prefix(std::min(word.find_first_not_of("[<("), word.size()));
  const std::string_view letters = word.substr(0, word.find_last_not_of(":])>") + 1);
  return std::ranges::any_of(kLevels, [letters](std::string_view level) {
    return equals_ignoring_ascii_case(level, letters);
  });
}

void LogFields::add(std::string_view name, std::string_view text) {
  if (!text.empty() && text != "-") {
    fields_[count_++] = {name, text, std::nullopt};
  }
}

void LogFields::add_number(std::string_view name, std::string_view digits) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc() && is_number(digits)) {
    fields_[count_++] = {name, digits, number};
  }
}

std::optional<unsigned> take_priority(std::string_view* line) {
  constexpr std::size_t kDigitsMax = 3;
  const std::size_t end = line->find('>');
  if (!line->starts_with('<') || end > kDigitsMax + 1 || !is_number(line->substr(1, end - 1))) {
    return std::nullopt;
  }
  unsigned priority = 0;
  std::from_chars(line->data() + 1, line->data() + end, priority);
  if (priority >= std::size(kFacilities) * std::size(kSeverities)) {
    return std::nullopt;
  }
  line->remove_prefix(end + 1);
  return priority;
}

LogFields log_fields(std::string_view line) {
  LogFields fields = container_fields(line);
  if (fields.fields().empty()) {
    fields = syslog_fields(line);
  }
  return fields.fields().empty() ? access_fields(line) : fields;
}

}  // namespace evq
