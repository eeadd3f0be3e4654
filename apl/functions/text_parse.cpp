// Functions that take texts apart by a well-known notation, and put them together again: CSV,
// paths, URLs, versions, sizes in bytes, JSON by path.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "apl/functions/json_path.h"
#include "apl/functions/lift.h"
#include "apl/functions/percent_coding.h"
#include "apl/functions/registry.h"
#include "apl/functions/text_form.h"
#include "store/base/ascii.h"
#include "store/base/limits.h"
#include "store/base/number.h"
#include "store/column/dynamic_json.h"

namespace evq {
namespace {

using MaybeText = std::optional<std::string>;
using MaybeLong = std::optional<std::int64_t>;

void add_entry(DynamicBuilder* builder, std::string_view key, std::string_view text) {
  builder->key(key);
  builder->add_string(text);
}

// ---- CSV

// One field of a record, quoted or not; `*at` moves behind it. False at the end of the record.
bool take_csv_field(std::string_view text, std::size_t* at, std::string* field) {
  field->clear();
  std::size_t i = *at;
  bool quoted = false;
  if (i < text.size() && text[i] == '"') {
    quoted = true;
    ++i;
  }
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"') {
      if (i + 1 < text.size() && text[i + 1] == '"') {
        field->push_back('"');
        ++i;
      } else {
        quoted = false;
      }
    } else if (!quoted && (c == ',' || c == '\n' || c == '\r')) {
      break;
    } else {
      field->push_back(c);
    }
  }
  const bool more = i < text.size() && text[i] == ',';
  *at = more ? i + 1 : i;
  return more;
}

DynamicBytes parse_csv(std::string_view text) {
  DynamicBuilder builder;
  builder.begin_array();
  std::size_t at = 0;
  std::string field;
  bool more = true;
  for (std::size_t count = 0; more && count < kListItemsMax; ++count) {
    more = take_csv_field(text, &at, &field);
    builder.add_string(field);
  }
  builder.end_array();
  return {builder.take()};
}

// ---- paths

DynamicBytes parse_path(std::string_view path) {
  std::string_view scheme;
  std::string_view rest = path;
  if (const std::size_t at = path.find("://"); at != std::string_view::npos) {
    scheme = path.substr(0, at);
    rest = path.substr(at + 3);
  }
  std::string_view root;
  const bool windows = rest.size() > 1 && rest[1] == ':' && (scheme.empty() || scheme == "file");
  if (windows) {
    root = rest.substr(0, 2);
  }
  std::string_view stream;
  if (const std::size_t at = rest.find(':', 2); windows && at != std::string_view::npos) {
    stream = rest.substr(at + 1);
    rest = rest.substr(0, at);
  }
  const std::size_t cut = rest.find_last_of("/\\");
  const std::string_view directory =
      cut == std::string_view::npos ? std::string_view() : rest.substr(0, cut);
  const std::string_view file = cut == std::string_view::npos ? rest : rest.substr(cut + 1);
  const std::size_t name_at = directory.find_last_of("/\\");
  const std::size_t dot = file.rfind('.');
  DynamicBuilder builder;
  builder.begin_bag();
  add_entry(&builder, "Scheme", scheme);
  add_entry(&builder, "RootPath", root);
  add_entry(&builder, "DirectoryPath", directory);
  add_entry(&builder, "DirectoryName",
            name_at == std::string_view::npos ? directory : directory.substr(name_at + 1));
  add_entry(&builder, "Filename", file);
  add_entry(&builder, "Extension",
            dot == std::string_view::npos ? std::string_view() : file.substr(dot + 1));
  add_entry(&builder, "AlternateDataStreamName", stream);
  builder.end_bag();
  return {builder.take()};
}

// ---- URLs

void add_query(DynamicBuilder* builder, std::string_view query) {
  builder->begin_bag();
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty()) {
      continue;
    }
    const std::size_t equals = std::min(pair.find('='), pair.size());
    add_entry(builder, percent_decode(pair.substr(0, equals), true),
              percent_decode(pair.substr(std::min(equals + 1, pair.size())), true));
  }
  builder->end_bag();
}

DynamicBytes parse_urlquery(std::string_view query) {
  if (query.starts_with('?')) {
    query.remove_prefix(1);
  }
  DynamicBuilder builder;
  add_query(&builder, query);
  return {builder.take()};
}

struct UrlParts {
  std::string_view scheme;
  std::string_view username;
  std::string_view password;
  std::string_view host;
  std::string_view port;
  std::string_view path;
  std::string_view query;
  std::string_view fragment;
};

// Cuts `text` at the first of `marks`; gives what follows the mark.
std::string_view cut_after(std::string_view* text, char mark) {
  const std::size_t at = text->find(mark);
  if (at == std::string_view::npos) {
    return {};
  }
  const std::string_view tail = text->substr(at + 1);
  *text = text->substr(0, at);
  return tail;
}

void split_authority(std::string_view authority, UrlParts* parts) {
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    parts->username = authority.substr(0, at);
    parts->password = cut_after(&parts->username, ':');
    authority.remove_prefix(at + 1);
  }
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  parts->host = authority.substr(0, colon);
  if (colon != std::string_view::npos) {
    parts->port = authority.substr(colon + 1);
  }
}

UrlParts split_url(std::string_view url) {
  UrlParts parts;
  parts.fragment = cut_after(&url, '#');
  parts.query = cut_after(&url, '?');
  const std::size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) {
    parts.scheme = url.substr(0, scheme);
    url.remove_prefix(scheme + 3);
    const std::size_t slash = std::min(url.find('/'), url.size());
    split_authority(url.substr(0, slash), &parts);
    url.remove_prefix(slash);
  } else if (const std::size_t colon = url.find(':');
             colon != std::string_view::npos && url.find('/') > colon) {
    parts.scheme = url.substr(0, colon);
    url.remove_prefix(colon + 1);
  }
  parts.path = url;
  return parts;
}

DynamicBytes parse_url(std::string_view url) {
  const UrlParts parts = split_url(url);
  DynamicBuilder builder;
  builder.begin_bag();
  add_entry(&builder, "scheme", parts.scheme);
  add_entry(&builder, "host", parts.host);
  add_entry(&builder, "port", parts.port);
  add_entry(&builder, "path", percent_decode(parts.path, false));
  add_entry(&builder, "username", percent_decode(parts.username, false));
  add_entry(&builder, "password", percent_decode(parts.password, false));
  builder.key("query");
  add_query(&builder, parts.query);
  add_entry(&builder, "fragment", percent_decode(parts.fragment, false));
  builder.end_bag();
  return {builder.take()};
}

std::string part_of(DynamicView bag, std::string_view key, std::string_view other_key = {}) {
  std::optional<DynamicView> found = bag.find(key);
  if (!found.has_value() && !other_key.empty()) {
    found = bag.find(other_key);
  }
  std::string text;
  append_text_form(found.value_or(DynamicView()), &text);
  return text;
}

void append_query(DynamicView query, std::string* out) {
  if (query.is_bag()) {
    char mark = '?';
    DynamicView::Iterator entries(query);
    while (entries.next()) {
      std::string value;
      append_text_form(entries.value(), &value);
      out->push_back(mark);
      out->append(percent_encode(entries.key())).append("=").append(percent_encode(value));
      mark = '&';
    }
    return;
  }
  std::string text;
  append_text_form(query, &text);
  if (!text.empty()) {
    out->append(text.starts_with('?') ? "" : "?").append(text);
  }
}

MaybeText format_url(DynamicView parts) {
  if (!parts.is_bag()) {
    return std::nullopt;
  }
  std::string out;
  const std::string scheme = part_of(parts, "scheme");
  const std::string host = part_of(parts, "host");
  if (!scheme.empty()) {
    out.append(scheme).append("://");
  }
  const std::string user = part_of(parts, "user", "username");
  const std::string password = part_of(parts, "password");
  if (!user.empty()) {
    out.append(percent_encode(user));
    out.append(password.empty() ? "" : ":" + percent_encode(password)).append("@");
  }
  out.append(host);
  const std::string port = part_of(parts, "port");
  out.append(port.empty() ? "" : ":" + port);
  const std::string path = part_of(parts, "path");
  out.append(path.empty() || path.starts_with('/') || out.empty() ? "" : "/").append(path);
  append_query(parts.find("query").value_or(DynamicView()), &out);
  const std::string fragment = part_of(parts, "fragment");
  out.append(fragment.empty() ? "" : "#" + fragment);
  return out;
}

// ---- sizes in bytes

constexpr std::array<std::string_view, 7> kDecimalUnits = {"Bytes", "kB", "MB", "GB",
                                                           "TB",    "PB", "EB"};
constexpr std::array<std::string_view, 7> kBinaryUnits = {"Bytes", "KB", "MB", "GB",
                                                          "TB",    "PB", "EB"};
constexpr std::array<std::string_view, 7> kIecUnits = {"Bytes", "KiB", "MiB", "GiB",
                                                       "TiB",   "PiB", "EiB"};

// The power of a unit written in any of the three manners, whatever the case; "" and B are 0.
std::optional<std::size_t> unit_power(std::string_view unit) {
  const std::string lowered = ascii_lower(unit);
  const std::string_view lower = lowered;
  if (lower.empty() || lower == "b" || lower == "byte" || lower == "bytes") {
    return 0;
  }
  constexpr std::string_view kLetters = "bkmgtpe";
  const std::size_t power = kLetters.find(lower[0]);
  const std::string_view rest = lower.substr(1);
  if (power == std::string_view::npos || power == 0 ||
      !(rest.empty() || rest == "b" || rest == "ib")) {
    return std::nullopt;
  }
  return power;
}

std::string fixed_text(double value, std::int64_t digits) {
  std::array<char, 400> buffer{};  // the largest double has 309 digits before the point
  const auto precision = static_cast<int>(std::clamp<std::int64_t>(digits, 0, 20));
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    std::chars_format::fixed, precision);
  return {buffer.data(), result.ptr};
}

MaybeText format_bytes(double bytes, MaybeLong digits, std::optional<std::string_view> unit,
                       MaybeLong base) {
  const bool decimal = base.value_or(2) == 10;
  const double step = decimal ? 1000 : 1024;
  std::size_t power = 0;
  if (unit.has_value() && !unit->empty()) {
    const std::optional<std::size_t> wanted = unit_power(*unit);
    if (!wanted.has_value()) {
      return std::nullopt;
    }
    power = *wanted;
  } else {
    for (double left = std::fabs(bytes); left >= step && power + 1 < kBinaryUnits.size();) {
      left /= step;
      ++power;
    }
  }
  const bool iec = unit.has_value() && unit->find('i') != std::string_view::npos;
  const auto& names = iec ? kIecUnits : decimal ? kDecimalUnits : kBinaryUnits;
  std::string out =
      fixed_text(bytes / std::pow(step, static_cast<double>(power)), digits.value_or(0));
  return out.append(" ").append(names[power]);
}

std::int64_t parse_bytes(std::string_view text, MaybeLong base) {
  const std::size_t end = std::min(text.find_first_not_of("+-.0123456789"), text.size());
  const std::optional<double> number = parse_real(text.substr(0, end));
  std::string_view unit = text.substr(end);
  while (unit.starts_with(' ')) {
    unit.remove_prefix(1);
  }
  const std::optional<std::size_t> power = unit_power(unit);
  if (!number.has_value() || !power.has_value()) {
    return 0;
  }
  const double step = base.value_or(2) == 10 ? 1000 : 1024;
  return int_from_real(*number * std::pow(step, static_cast<double>(*power))).value_or(0);
}

// ---- versions

// Up to four numbers with dots between, each below 10000, as one number that orders like them.
MaybeLong parse_version(std::string_view text) {
  constexpr std::int64_t kPartStep = 10000;
  constexpr std::size_t kParts = 4;
  std::int64_t out = 0;
  std::size_t parts = 0;
  while (parts < kParts) {
    const std::size_t end = std::min(text.find('.'), text.size());
    const std::optional<std::uint64_t> part = parse_uint(text.substr(0, end));
    if (!part.has_value() || *part >= static_cast<std::uint64_t>(kPartStep)) {
      return std::nullopt;
    }
    out = out * kPartStep + static_cast<std::int64_t>(*part);
    ++parts;
    if (end == text.size()) {
      text = {};
      break;
    }
    text.remove_prefix(end + 1);
  }
  if (!text.empty()) {
    return std::nullopt;
  }
  for (; parts < kParts; ++parts) {
    out *= kPartStep;
  }
  return out;
}

// ---- JSON by path

// Of several values that a path with * leads to the first.
MaybeText extract_json(std::string_view text, DynamicView json) {
  const std::optional<JsonPath> path = JsonPath::parse(text);
  if (!path.has_value()) {
    return std::nullopt;
  }
  MaybeText parsed;
  if (json.is_string()) {
    parsed = dynamic_from_json(json.as_string());
    if (!parsed.has_value()) {
      return std::nullopt;
    }
    json = DynamicView(*parsed);
  }
  const std::vector<DynamicView> found = path->matches(json);
  if (found.empty() || (found[0].is_null() && !path->steps().empty())) {
    return std::nullopt;
  }
  std::string out;
  append_text_form(found[0], &out);
  return out;
}

// The type arrives as a null of it.
MaybeText extract_json_text(std::string_view path, DynamicView json,
                            std::optional<std::string_view> /*type*/) {
  return extract_json(path, json);
}
MaybeLong extract_json_long(std::string_view path, DynamicView json, MaybeLong /*type*/) {
  const MaybeText text = extract_json(path, json);
  return text.has_value() ? parse_int(*text) : std::nullopt;
}
std::optional<double> extract_json_real(std::string_view path, DynamicView json,
                                        std::optional<double> /*type*/) {
  const MaybeText text = extract_json(path, json);
  return text.has_value() ? parse_real(*text) : std::nullopt;
}
std::optional<bool> extract_json_bool(std::string_view path, DynamicView json,
                                      std::optional<bool> /*type*/) {
  const MaybeText text = extract_json(path, json);
  return text == "true" || text == "false" ? std::optional(*text == "true") : std::nullopt;
}

constexpr std::array<ScalarFunction, 9> kTextParseFunctions = {{
    {.name = "extract_json",
     .aliases = {"extractjson"},
     .category = "string",
     .summary = "Takes the value at a path out of JSON text.",
     .params = {{{"path", "The path, like $.a.b[0]; of several values * gives the first."},
                 {"json", "JSON text or a dynamic value."},
                 {"[type]", "typeof(long), typeof(real) or typeof(bool) for a value of it."}}},
     .returns = "string, or the type asked for; null when there is nothing at the path.",
     .examples = {{{"print extract_json('$.a[1]', '{\"a\": [1, 2]}')", "2"},
                   {"print extract_json('$.a[1]', '{\"a\": [1, 2]}', typeof(long)) + 1", "3"}}},
     .overloads = {lift<extract_json>(), lift<extract_json_text>(), lift<extract_json_long>(),
                   lift<extract_json_real>(), lift<extract_json_bool>()}},
    {.name = "format_bytes",
     .category = "string",
     .summary = "Writes a number of bytes with a fitting unit.",
     .params = {{{"bytes", "The number of bytes."},
                 {"[digits]", "Digits after the point; 0 when left out."},
                 {"[unit]", "The unit to use, like MB or MiB; the fitting one when empty."},
                 {"[base]", "2 for units of 1024 (as when left out), 10 for units of 1000."}}},
     .returns = "string; null when the unit is unknown.",
     .examples = {{{"print format_bytes(564)", "564 Bytes"},
                   {"print format_bytes(1536, 1)", "1.5 KB"},
                   {"print format_bytes(8000000, 2, 'MB', 10)", "8.00 MB"}}},
     .overloads = {lift<format_bytes>()}},
    {.name = "format_url",
     .category = "string",
     .summary = "Writes a URL from its parts.",
     .params = {{{"parts",
                  "A bag of scheme, host, port, path, user, password, query and fragment."}}},
     .returns = "string; null when the argument is not a bag.",
     .examples = {{{"print format_url(dynamic({\"scheme\": \"https\", \"host\": \"x.io\", "
                    "\"path\": \"/a\", \"query\": {\"q\": \"1\"}}))",
                    "https://x.io/a?q=1"}}},
     .overloads = {lift<format_url>()}},
    {.name = "parse_bytes",
     .category = "string",
     .summary = "Reads a number of bytes with a unit.",
     .params = {{{"text", "A number and a unit, like 1.5 KB or 2GiB."},
                 {"[base]", "2 for units of 1024 (as when left out), 10 for units of 1000."}}},
     .returns = "long; 0 when the text is none.",
     .examples = {{{"print parse_bytes('1 KB')", "1024"},
                   {"print parse_bytes('1 KB', 10)", "1000"},
                   {"print parse_bytes('many')", "0"}}},
     .overloads = {lift<parse_bytes>()}},
    {.name = "parse_csv",
     .category = "string",
     .summary = "Cuts the first record of a CSV text into fields.",
     .params = {{{"text", "Fields separated by commas, in double quotes where needed."}}},
     .returns = "dynamic array of strings.",
     .examples = {{{"print parse_csv('a,\"b,c\",')", R"(["a","b,c",""])"}}},
     .overloads = {lift<parse_csv>()}},
    {.name = "parse_path",
     .category = "string",
     .summary = "Takes a file path apart.",
     .params = {{{"path", "A path of Unix or Windows, or a file URL."}}},
     .returns = "dynamic bag of Scheme, RootPath, DirectoryPath, DirectoryName, Filename, "
                "Extension and AlternateDataStreamName.",
     .examples = {{{"print parse_path('/var/log/app.log').Filename", "app.log"},
                   {"print parse_path('C:\\\\temp\\\\a.txt').RootPath", "C:"}}},
     .overloads = {lift<parse_path>()}},
    {.name = "parse_url",
     .category = "string",
     .summary = "Takes a URL apart.",
     .params = {{{"url", "An absolute URL."}}},
     .returns = "dynamic bag of scheme, host, port, path, username, password, query (a bag) and "
                "fragment.",
     .examples = {{{"print parse_url('https://x.io:8443/a?q=1').port", "8443"},
                   {"print parse_url('https://x.io/a?q=1').query.q", "1"}}},
     .overloads = {lift<parse_url>()}},
    {.name = "parse_urlquery",
     .category = "string",
     .summary = "Takes the query of a URL apart.",
     .params = {{{"query", "key=value pairs joined by &; a leading ? is skipped."}}},
     .returns = "dynamic bag of texts.",
     .examples = {{{"print parse_urlquery('a=1&b=x%20y')", R"({"a":"1","b":"x y"})"}}},
     .overloads = {lift<parse_urlquery>()}},
    {.name = "parse_version",
     .category = "string",
     .summary = "Turns a version into a number that orders like it.",
     .params = {{{"version", "One to four numbers below 10000 with dots between them."}}},
     .returns = "long; null when the text is no version.",
     .examples = {{{"print parse_version('1.10') > parse_version('1.9')", "true"}}},
     .overloads = {lift<parse_version>()}},
}};

}  // namespace

std::span<const ScalarFunction> text_parse_functions() {
  return kTextParseFunctions;
}

}  // namespace evq
