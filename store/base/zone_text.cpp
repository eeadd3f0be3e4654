#include "store/base/zone_text.h"

#include <algorithm>
#include <optional>

#include "store/base/ascii.h"
#include "store/base/time_scan.h"
#include "store/base/time_zone.h"

namespace evq {

namespace {

// "+2", "-03", "+5:30", "+0530" behind GMT or UTC: seconds, and the scanner stands behind it.
std::optional<int> take_hours_east(TimeScanner* scanner) {
  const bool east = scanner->take('+');
  if (!east && !scanner->take('-')) {
    return std::nullopt;
  }
  const auto hours = scanner->take_number(1, 2);
  int minutes = 0;
  if (hours && scanner->peek() == ':' && scanner->digit_at(1)) {
    scanner->skip(1);
    minutes = scanner->take_number(2, 2).value_or(60);
  } else if (hours && scanner->digit_at(0)) {
    minutes = scanner->take_number(2, 2).value_or(60);
  }
  if (!hours || *hours > 23 || minutes > 59 || scanner->digit_at(0)) {
    return std::nullopt;
  }
  const int seconds = (*hours * 60 + minutes) * 60;
  return east ? seconds : -seconds;
}

// The name of a zone with its area: "America/Argentina/Buenos_Aires", "Etc/GMT+2".
std::string_view name_with_area(std::string_view text) {
  const auto* const end = std::find_if_not(text.begin(), text.end(), [](char c) {
    return is_letter_or_digit(c) || c == '/' || c == '_' || c == '-' || c == '+';
  });
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

}  // namespace

NamedZone read_named_zone(std::string_view text) {
  TimeScanner scanner(text);
  const std::string_view word = scanner.take_word();
  NamedZone zone;
  if (scanner.peek() == '/') {
    const std::string_view name = name_with_area(text);
    zone.rules = find_time_zone(name);
    zone.size = zone.rules != nullptr ? name.size() : 0;
    return zone;
  }
  const auto offset = zone_from_name(word);
  if (!offset) {
    return zone;
  }
  zone.size = word.size();
  zone.offset = *offset;
  if (word == "GMT" || word == "UTC") {
    if (const auto east = take_hours_east(&scanner)) {
      zone.offset = *east;
      zone.size = text.size() - scanner.rest().size();
    }
  }
  return zone;
}

}  // namespace evq
