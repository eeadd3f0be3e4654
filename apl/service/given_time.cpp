#include "apl/service/given_time.h"

#include <algorithm>
#include <string>

#include "store/base/time.h"
#include "store/base/time_parse.h"

namespace evq {

bool is_no_time(std::string_view text) {
  return text.empty() || text.starts_with("0001-01-01");
}

std::optional<std::int64_t> parse_given_time(std::string_view text) {
  constexpr std::size_t kYearDigits = 4;
  constexpr std::string_view kLeapYear = "2000";  // has every day that a year can have
  const std::optional<std::int64_t> time = parse_instant(text);
  const std::string_view year = text.substr(0, kYearDigits);
  if (time.has_value() || year.size() < kYearDigits ||
      !std::ranges::all_of(year, [](char c) { return c >= '0' && c <= '9'; })) {
    return time;
  }
  const std::string same_day = std::string(kLeapYear).append(text.substr(kYearDigits));
  if (!parse_instant(same_day).has_value() || (year > "1677" && year < "2262")) {
    return std::nullopt;
  }
  return year <= "1677" ? kInstantMin : kInstantMax;
}

}  // namespace evq
