#include "cli/option_values.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "apl/syntax/diagnostics.h"
#include "store/base/ascii.h"
#include "store/base/number.h"
#include "store/base/time_parse.h"
#include "store/base/timespan.h"

namespace evq {

std::string since_time(const std::string& text) {
  const std::string ago = "now-" + text;
  return parse_relative_time(ago, 0).has_value() ? ago : text;
}

std::string bound_time(const std::string& text) {
  const bool year = text.size() == 4 && text >= "1970" && text <= "2262" &&
                    text.find_first_not_of("0123456789") == std::string::npos;
  return year ? text + "-01-01" : text;
}

bool lacks_unit(std::string_view text) {
  constexpr std::size_t kUnixTimeDigitsMin = 9;
  return !text.empty() && text.size() < kUnixTimeDigitsMin &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
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
