#include "cli/option_values.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "apl/syntax/diagnostics.h"
#include "store/base/ascii.h"
#include "store/base/control.h"
#include "store/base/number.h"
#include "store/base/time.h"
#include "store/base/time_parse.h"
#include "store/base/time_zone.h"
#include "store/base/timespan.h"

namespace evq {
namespace {

constexpr std::string_view kDays[] = {"yesterday", "today", "tomorrow"};
constexpr std::int64_t kToday = 1;  // its place

// Where the day begins that a word names; nothing for other words.
std::optional<std::string> day_begin(std::string_view word, const DisplayZone& zone) {
  const auto* const day = std::ranges::find(kDays, word);
  if (day == std::end(kDays)) {
    return std::nullopt;
  }
  const auto named = named_time_zone(zone.name());
  if (!named.ok()) {
    return std::nullopt;
  }
  const std::int64_t now = wall_clock_now_ns();
  const std::int64_t begin = floor_to(zone.local_time(now), kDayNs).value_or(now) +
                             (day - std::begin(kDays) - kToday) * kDayNs;
  // A midnight that the clocks leave out is read by the clock after the change, which was before
  // it: the day begins where they go on.
  const std::int64_t at = named.value()->utc_from_local(begin).value_or(begin);
  return instant_text(at + std::max<std::int64_t>(0, begin - zone.local_time(at)));
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_year(std::string_view text) {
  return text.size() == 4 && text >= "1970" && text <= "2262" && is_digits(text);
}

// Whether a text would be a time or a duration if its numbers were smaller.
bool is_out_of_range(const std::string& text) {
  std::string small;
  for (const char c : text) {
    if (!is_digit(c) || small.empty() || !is_digit(small.back())) {
      small.push_back(is_digit(c) ? '1' : c);
    }
  }
  std::string dated = text;
  const bool far_year =
      text.find_first_not_of("0123456789") == 4 && (text < "1678" || text > "2262");
  return parse_relative_time("now-" + small, 0).has_value() ||
         (small.starts_with("now") && parse_relative_time(small, 0).has_value()) ||
         (far_year && parse_instant(dated.replace(0, 4, "2000")).has_value());
}

// The duration that "1 hour", "2 days ago" and "1y" mean; empty for other texts.
std::string meant_span(std::string_view text) {
  constexpr std::pair<std::string_view, int> kDaysOf[] = {
      {"y", 365}, {"yr", 365}, {"yrs", 365},  {"year", 365}, {"years", 365},
      {"mo", 30}, {"mon", 30}, {"month", 30}, {"months", 30}};
  constexpr std::size_t kDigitsMax = 5;
  std::string lower = ascii_lower(trimmed(text));
  lower.resize(lower.size() - (lower.ends_with(" ago") ? 4 : 0));
  const std::size_t digits = lower.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string::npos || digits > kDigitsMax) {
    return {};
  }
  std::string number = lower.substr(0, digits);
  const std::string_view unit = trimmed(std::string_view(lower).substr(digits));
  for (const auto& [name, days] : kDaysOf) {
    if (unit == name) {
      const std::string span = std::to_string(std::stoi(number) * days) + "d";
      return parse_relative_time("now-" + span, 0).has_value() ? span : std::string();
    }
  }
  for (const std::string_view own : {"w", "d", "h", "m", "s", "ms"}) {
    if (timespan_unit_ns(unit) == timespan_unit_ns(own)) {
      return number.append(own);
    }
  }
  return {};
}

}  // namespace

std::string since_time(const std::string& text, const DisplayZone& zone) {
  const std::string ago = "now-" + text;
  return parse_relative_time(ago, 0).has_value() ? ago : day_begin(text, zone).value_or(text);
}

std::string bound_time(const std::string& text, const DisplayZone& zone) {
  return is_year(text) ? text + "-01-01" : day_begin(text, zone).value_or(text);
}

Status check_time(const std::string& text, std::string_view kind, std::string hint) {
  if (parse_relative_time(text, 0).has_value() ||
      std::ranges::find(kDays, text) != std::end(kDays)) {
    return Status::success();
  }
  if (is_out_of_range(text)) {
    return make_error(ErrorCode::kUsage, "'" + text + "' is out of range",
                      "times are from 1677-09-21 to 2262-04-11");
  }
  const std::string span = meant_span(text);
  const std::string day = diag::suggest(text, kDays).best;
  return make_error(ErrorCode::kUsage, "'" + text + "' is not " + std::string(kind),
                    !span.empty()  ? "write " + span
                    : !day.empty() ? "did you mean '" + day + "'?"
                                   : std::move(hint));
}

bool is_hardly_a_time(std::string_view text) {
  constexpr std::size_t kDateDigits = 8;  // of a date without dashes, which a note tells of
  const bool may_be_date = text.size() == kDateDigits && is_digits(text);
  return lacks_unit(text) && text != "0" && !is_year(text) && !may_be_date;
}

bool lacks_unit(std::string_view text) {
  constexpr std::size_t kUnixTimeDigitsMin = 9;
  text.remove_prefix(text.starts_with('-') ? 1 : 0);
  return is_digits(text) && text.size() < kUnixTimeDigitsMin;
}

Error unit_error(std::string_view text) {
  std::string number(text.substr(text.starts_with('-') ? 1 : 0));
  return make_error(ErrorCode::kUsage, "'" + std::string(text) + "' has no unit",
                    "write " + number + "m, " + number + "h or " + number + "d");
}

std::optional<double> parse_seconds(std::string_view text) {
  constexpr double kNanosecondsPerSecond = 1e9;
  std::optional<double> seconds = parse_real(text);
  if (const auto span = parse_combined_span(text); !seconds && span) {
    seconds = static_cast<double>(*span) / kNanosecondsPerSecond;
  }
  return seconds && *seconds >= 1e-3 && *seconds < 1e9 ? seconds : std::nullopt;
}

std::string_view meant_form(std::string_view word, std::span<const std::string_view> names) {
  constexpr std::pair<std::string_view, std::string_view> kForeign[] = {
      {"jsonl", "ndjson"},  {"jsonlines", "ndjson"}, {"json-lines", "ndjson"},
      {"ldjson", "ndjson"}, {"jsonl", "json"},       {"ndjson", "json"},
      {"json", "ndjson"},   {"tab", "tsv"},          {"tabs", "tsv"},
      {"md", "markdown"},   {"kv", "logfmt"},        {"keyvalue", "logfmt"},
      {"box", "table"},     {"grid", "table"},       {"ascii", "table"},
      {"text", "table"},    {"pretty", "table"},     {"vertical", "line"},
      {"expanded", "line"}, {"list", "line"},        {"lines", "line"},
      {"graph", "chart"},   {"plot", "chart"},       {"pq", "parquet"},
      {"plain", "text"},    {"iis", "w3c"},          {"syslog", "text"},
  };
  const std::string lower = ascii_lower(word);
  if (const auto same = std::ranges::find(names, lower); same != names.end()) {
    return *same;
  }
  for (const auto& [foreign, own] : kForeign) {
    const auto known = std::ranges::find(names, own);
    if (foreign == lower && known != names.end()) {
      return *known;
    }
  }
  const std::string best = diag::suggest(word, names).best;
  const auto known = std::ranges::find(names, best);
  return known != names.end() ? *known : std::string_view();
}

Result<std::size_t> parse_size(const std::string& text) {
  std::size_t number = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  std::string unit(at, end);
  if (error == std::errc() && (unit.empty() || unit == "B")) {
    return number;
  }
  if (unit.ends_with('B')) {
    unit.pop_back();
  }
  if (unit.ends_with('i')) {
    unit.pop_back();
  }
  const std::size_t shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 0;
  if (error != std::errc() || shift == 0 || number > (SIZE_MAX >> shift)) {
    return make_error(ErrorCode::kUsage, "'" + text + "' is not a size", "write 512M or 2G");
  }
  return number << shift;
}

}  // namespace evq
