// Functions that take texts apart by a well-known notation, and put them together again: CSV,
// parts between separators, paths, versions, sizes in bytes, JSON by path.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "apl/functions/json_path.h"
#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "apl/functions/text_form.h"
#include "apl/functions/text_search.h"
#include "store/base/ascii.h"
#include "store/base/limits.h"
#include "store/base/number.h"
#include "store/base/utf8.h"
#include "store/column/dynamic_json.h"

namespace evq {
namespace {

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

// ---- parts between separators

// Calls take(part) for each part between separators while that says to go on; an empty separator
// parts all characters.
template <class Take>
void for_each_part(std::string_view text, std::string_view separator, const Take& take) {
  std::size_t begin = 0;
  if (separator.empty()) {
    while (begin < text.size()) {
      const std::size_t from = begin;
      next_code_point(text, begin);
      if (!take(text.substr(from, begin - from))) {
        return;
      }
    }
    return;
  }
  const bool one_byte = separator.size() == 1;
  while (true) {
    const std::size_t end =
        one_byte ? text.find(separator[0], begin) : find_text(text, separator, begin);
    if (end == std::string_view::npos) {
      take(text.substr(begin));
      return;
    }
    if (!take(text.substr(begin, end - begin))) {
      return;
    }
    begin = end + separator.size();
  }
}

// Nothing where there is no part of the index.
std::optional<DynamicView> split(DynamicBuilder& builder, std::string_view text,
                                 std::string_view separator, MaybeLong index) {
  bool any = false;
  builder.begin_array();
  const auto walk = [&](const auto& take) {
    std::int64_t count = 0;
    for_each_part(text, separator, [&](std::string_view part) {
      if (index.has_value() || count < static_cast<std::int64_t>(kListItemsMax)) {
        take(part, count++);
      }
      return true;
    });
    return count;
  };
  const auto nothing = [](std::string_view, std::int64_t) {};
  const std::int64_t wanted = index.value_or(0) < 0 ? walk(nothing) + *index : index.value_or(0);
  walk([&](std::string_view part, std::int64_t at) {
    if (!index.has_value() || at == wanted) {
      builder.add_string(part);
      any = true;
    }
  });
  builder.end_array();
  return any || !index.has_value() ? std::optional(DynamicView(builder.bytes())) : std::nullopt;
}

// Of longer texts the whole array may be too large to be, and then has no elements.
constexpr std::size_t kElementTextMax = kStringValueBytesMax / 16;

// split(text, separator)[index]
std::optional<DynamicView> split_element(DynamicBuilder& builder, std::string_view text,
                                         std::string_view separator, std::int64_t index) {
  if (index >= static_cast<std::int64_t>(kListItemsMax)) {
    return std::nullopt;
  }
  if (text.size() > kElementTextMax) {
    const DynamicView all = *split(builder, text, separator, std::nullopt);
    const bool small = all.bytes().size() <= kStringValueBytesMax;
    return small && index < static_cast<std::int64_t>(all.size()) ? std::optional(all.at(index))
                                                                  : std::nullopt;
  }
  std::int64_t left = index;
  for_each_part(text, separator, [&](std::string_view part) {
    if (left == 0) {
      builder.add_string(part);
    }
    return left-- > 0;
  });
  return left < 0 ? std::optional(DynamicView(builder.bytes())) : std::nullopt;
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
  // Without a drive, a colon is a stream's where no slash tells that the path is one of Unix.
  const bool streams = windows || (scheme.empty() && path.find('/') == std::string_view::npos);
  std::string_view stream;
  if (const std::size_t at = rest.find(':', 2); streams && at != std::string_view::npos) {
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

// ---- sizes in bytes

constexpr std::array<std::string_view, 9> kDecimalUnits = {"Bytes", "kB", "MB", "GB", "TB",
                                                           "PB",    "EB", "ZB", "YB"};
constexpr std::array<std::string_view, 9> kBinaryUnits = {"Bytes", "KB", "MB", "GB", "TB",
                                                          "PB",    "EB", "ZB", "YB"};
constexpr std::array<std::string_view, 9> kIecUnits = {"Bytes", "KiB", "MiB", "GiB", "TiB",
                                                       "PiB",   "EiB", "ZiB", "YiB"};

// The power of a unit written in any of the three manners, whatever the case; "" and B are 0.
std::optional<std::size_t> unit_power(std::string_view unit) {
  const std::string lowered = ascii_lower(unit);
  const std::string_view lower = lowered;
  if (lower.empty() || lower == "b" || lower == "byte" || lower == "bytes") {
    return 0;
  }
  constexpr std::string_view kLetters = "bkmgtpezy";
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

// Up to four numbers with dots between, as one number that orders like them. Of the parts below
// 10^8 that Kusto's decimal has room for, a long has it for those of builds, as in 10.0.19045.3693.
MaybeLong parse_version(std::string_view text) {
  constexpr std::int64_t kPartStep = 100'000;
  constexpr std::uint64_t kFirstMax = 9'222;  // times the third power of that: still a long
  constexpr std::size_t kParts = 4;
  std::int64_t out = 0;
  std::size_t parts = 0;
  for (bool more = true; more; ++parts) {
    if (parts == kParts) {
      return std::nullopt;
    }
    const std::size_t end = std::min(text.find('.'), text.size());
    const std::optional<std::uint64_t> part = parse_uint(text.substr(0, end));
    if (!part.has_value() || *part >= static_cast<std::uint64_t>(kPartStep) ||
        (parts == 0 && *part > kFirstMax)) {
      return std::nullopt;
    }
    out = out * kPartStep + static_cast<std::int64_t>(*part);
    more = end < text.size();
    text.remove_prefix(more ? end + 1 : end);
  }
  for (; parts < kParts; ++parts) {
    out *= kPartStep;
  }
  return out;
}

// ---- JSON by path

// Reads only what the keys lead to with which the path begins, as many as there is room for;
// `followed` is how many these are. False where there is nothing, or no JSON.
bool read_for_path(JsonReader& reader, std::string_view text, const JsonPath& path,
                   DynamicBuilder* out, std::size_t* followed) {
  std::array<std::string_view, 8> keys;
  std::size_t count = 0;
  for (const JsonPathStep& step : path.steps()) {
    if (count == keys.size() || step.kind != JsonPathStep::Kind::kKey) {
      break;
    }
    keys[count++] = step.key;
  }
  *followed = count;
  return reader.read_path(text, std::span(keys).first(count), out);
}

// Of several values that a path with * leads to the first.
MaybeText extract_json(JsonReader& reader, std::string_view text, DynamicView json) {
  const JsonPath* path = JsonPath::of_row(text);
  if (path == nullptr) {
    return std::nullopt;
  }
  DynamicBuilder parsed;
  std::size_t followed = 0;
  if (json.is_string()) {
    if (!read_for_path(reader, json.as_string(), *path, &parsed, &followed)) {
      return std::nullopt;
    }
    json = DynamicView(parsed.bytes());
  }
  const std::vector<DynamicView> found = path->matches(json, followed);
  if (found.empty() || (found[0].is_null() && !path->steps().empty())) {
    return std::nullopt;
  }
  std::string out;
  append_text_form(found[0], &out);
  return out;
}

// The type arrives as a null of it.
MaybeText extract_json_text(JsonReader& reader, std::string_view path, DynamicView json,
                            std::optional<std::string_view> /*type*/) {
  return extract_json(reader, path, json);
}
MaybeLong extract_json_long(JsonReader& reader, std::string_view path, DynamicView json,
                            MaybeLong /*type*/) {
  const MaybeText text = extract_json(reader, path, json);
  return text.has_value() ? long_of_text(*text) : std::nullopt;
}
std::optional<double> extract_json_real(JsonReader& reader, std::string_view path, DynamicView json,
                                        std::optional<double> /*type*/) {
  const MaybeText text = extract_json(reader, path, json);
  return text.has_value() ? real_of_text(*text) : std::nullopt;
}
std::optional<bool> extract_json_bool(JsonReader& reader, std::string_view path, DynamicView json,
                                      std::optional<bool> /*type*/) {
  const MaybeText text = extract_json(reader, path, json);
  return text == "true" || text == "false" ? std::optional(*text == "true") : std::nullopt;
}
std::optional<Datetime> extract_json_time(JsonReader& reader, std::string_view path,
                                          DynamicView json, std::optional<Datetime> /*type*/) {
  const MaybeText text = extract_json(reader, path, json);
  return text.has_value() ? time_of(datetime_of_text(*text)) : std::nullopt;
}
std::optional<Timespan> extract_json_span(JsonReader& reader, std::string_view path,
                                          DynamicView json, std::optional<Timespan> /*type*/) {
  const MaybeText text = extract_json(reader, path, json);
  const MaybeLong ns = text.has_value() ? timespan_of_text(*text) : std::nullopt;
  return ns.has_value() ? std::optional(Timespan{*ns}) : std::nullopt;
}

constexpr std::array<ScalarFunction, 8> kTextParseFunctions = {{
    {.name = "extract_json",
     .aliases = {"extractjson"},
     .category = "string",
     .summary = "Takes the value at a path out of JSON text.",
     .params = {{{"path", "The path, like $.a.b[0]; of several values * gives the first."},
                 {"json", "JSON text or a dynamic value."},
                 {"[type]", "typeof(long), typeof(datetime), … for a value of that type.", true}}},
     .returns = "string, or the type asked for; null when there is nothing at the path.",
     .examples = {{{"print extract_json('$.a[1]', '{\"a\": [1, 2]}')", "2"},
                   {"print extract_json('$.a[1]', '{\"a\": [1, 2]}', typeof(long)) + 1", "3"}}},
     .overloads = {lift<extract_json>(), lift<extract_json_text>(), lift<extract_json_long>(),
                   lift<extract_json_real>(), lift<extract_json_bool>(), lift<extract_json_time>(),
                   lift<extract_json_span>()},
     .cost = CallCost::kPattern},
    {.name = "format_bytes",
     .category = "string",
     .summary = "Writes a number of bytes with a fitting unit.",
     .params = {{{"bytes", "The number of bytes."},
                 {"[digits]", "Digits after the point; 0 when left out."},
                 {"[unit]",
                  "The unit to use, like MB or MiB, up to YB; the fitting one when empty."},
                 {"[base]", "2 for units of 1024 (as when left out), 10 for units of 1000."}}},
     .returns = "string; null when the unit is unknown.",
     .examples = {{{"print format_bytes(564)", "564 Bytes"},
                   {"print format_bytes(1536, 1)", "1.5 KB"},
                   {"print format_bytes(8000000, 2, 'MB', 10)", "8.00 MB"}}},
     .overloads = {lift<format_bytes>()},
     .result_name = ResultName::kArgument},
    {.name = "parse_bytes",
     .category = "string",
     .summary = "Reads a number of bytes with a unit.",
     .params = {{{"text", "A number and a unit, like 1.5 KB or 2GiB."},
                 {"[base]", "2 for units of 1024 (as when left out), 10 for units of 1000."}}},
     .returns = "long; 0 when the text is none, and when a long has no room for the number, as "
                "from 8 EB on.",
     .examples = {{{"print parse_bytes('1 KB')", "1024"},
                   {"print parse_bytes('1 KB', 10)", "1000"},
                   {"print parse_bytes('many')", "0"}}},
     .overloads = {lift<parse_bytes>()},
     .cost = CallCost::kPattern},
    {.name = "parse_csv",
     .category = "string",
     .summary = "Cuts the first record of a CSV text into fields.",
     .params = {{{"text", "Fields separated by commas, in double quotes where needed."}}},
     .returns = "dynamic array of strings.",
     .examples = {{{"print parse_csv('a,\"b,c\",')", R"(["a","b,c",""])"}}},
     .overloads = {lift<parse_csv>()},
     .cost = CallCost::kPattern,
     .result_name = ResultName::kArgument},
    {.name = "parse_path",
     .category = "string",
     .summary = "Takes a file path apart.",
     .params = {{{"path", "A path of Unix or Windows, or a file URL."}}},
     .returns = "dynamic bag of Scheme, RootPath, DirectoryPath, DirectoryName, Filename, "
                "Extension and AlternateDataStreamName.",
     .examples = {{{"print parse_path('/var/log/app.log').Filename", "app.log"},
                   {"print parse_path('C:\\\\temp\\\\a.txt').RootPath", "C:"}}},
     .overloads = {lift<parse_path>()},
     .cost = CallCost::kPattern},
    {.name = "parse_version",
     .category = "string",
     .summary = "Turns a version into a number that orders like it.",
     .params = {{{"version",
                  "One to four numbers with dots between them: the first below 9223, "
                  "the others below 100000."}}},
     .returns = "long; null when the text is no version.",
     .examples = {{{"print parse_version('1.10') > parse_version('1.9')", "true"}}},
     .overloads = {lift<parse_version>()},
     .cost = CallCost::kPattern},
    {.name = "split",
     .category = "string",
     .summary = "Cuts a text into an array at every separator.",
     .params = {{{"text", "The text."},
                 {"separator", "The text between parts; empty cuts everywhere."},
                 {"[index]", "Gives this part alone; negative counts from the end."}}},
     .returns = "dynamic array of strings, of the first 1,048,576 parts; null without a part of "
                "the index.",
     .examples = {{{"print split('a,b,c', ',')", R"(["a","b","c"])"},
                   {"print split('a,b,c', ',', 1)", R"(["b"])"}}},
     .overloads = {lift<split>()},
     .element = "split_element",
     .result_name = ResultName::kArgument},
    {.name = "split_element",
     .category = "string",
     .summary = "split(text, separator)[index]",
     .overloads = {lift<split_element>()},
     .flags = FunctionFlags::kInternal},
}};

}  // namespace

std::span<const ScalarFunction> text_parse_functions() {
  return kTextParseFunctions;
}

}  // namespace evq
