#include "store/base/time_scan.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "store/base/ascii.h"

namespace evq {

namespace {

// The first three letters, in lower case, by which names differ.
constexpr std::uint32_t head_of(std::string_view word) {
  std::uint32_t head = 0;
  for (const char c : word.substr(0, 3)) {
    head = head << 8U | static_cast<unsigned char>(to_lower(c));
  }
  return head;
}

template <std::size_t kCount>
struct NameTable {
  std::array<std::string_view, kCount> names;
  std::array<std::uint32_t, kCount> heads{};

  constexpr explicit NameTable(const std::array<std::string_view, kCount>& all) : names(all) {
    for (std::size_t i = 0; i < kCount; ++i) {
      heads[i] = head_of(names[i]);
    }
  }
};

constexpr NameTable<12> kMonths({"January", "February", "March", "April", "May", "June", "July",
                                 "August", "September", "October", "November", "December"});
constexpr NameTable<7> kWeekdays({"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday",
                                  "Saturday"});

// Up to four letters as a number that sorts as they do.
constexpr std::uint32_t packed(std::string_view name) {
  std::uint32_t letters = 0;
  for (const char c : name) {
    letters = letters << 8U | static_cast<unsigned char>(c);
  }
  return letters << 8U * (4 - name.size());
}

struct Zone {
  constexpr Zone(std::string_view name, int minutes) : letters(packed(name)), east(minutes) {}
  friend constexpr bool operator<(const Zone& a, const Zone& b) { return a.letters < b.letters; }

  std::uint32_t letters;
  int east;  // of UTC, in minutes
};

// Names with several meanings stand for the zone that programs read them as: CST is that of North
// America, IST that of India, BST that of British summers.
constexpr auto kZones = [] {
  std::array<Zone, 36> zones = {{
      {"UTC", 0},     {"GMT", 0},     {"Z", 0},      {"UT", 0},     {"EST", -300}, {"EDT", -240},
      {"CST", -360},  {"CDT", -300},  {"MST", -420}, {"MDT", -360}, {"PST", -480}, {"PDT", -420},
      {"AKST", -540}, {"AKDT", -480}, {"HST", -600}, {"WET", 0},    {"WEST", 60},  {"CET", 60},
      {"CEST", 120},  {"EET", 120},   {"EEST", 180}, {"BST", 60},   {"MSK", 180},  {"SAST", 120},
      {"IST", 330},   {"SGT", 480},   {"HKT", 480},  {"JST", 540},  {"KST", 540},  {"AWST", 480},
      {"ACST", 570},  {"ACDT", 630},  {"AEST", 600}, {"AEDT", 660}, {"NZST", 720}, {"NZDT", 780},
  }};
  std::sort(zones.begin(), zones.end());
  return zones;
}();

// Short forms of more than three letters that people write.
bool is_odd_short(std::string_view word, std::string_view name) {
  return (name == "September" && equals_ignoring_ascii_case(word, "sept")) ||
         (name == "Tuesday" && equals_ignoring_ascii_case(word, "tues")) ||
         (name == "Thursday" &&
          (equals_ignoring_ascii_case(word, "thur") || equals_ignoring_ascii_case(word, "thurs")));
}

template <std::size_t kCount>
int index_of_name(std::string_view word, const NameTable<kCount>& table) {
  const auto* const head = std::find(table.heads.begin(), table.heads.end(), head_of(word));
  if (head == table.heads.end()) {
    return -1;
  }
  const auto i = static_cast<std::size_t>(head - table.heads.begin());
  const bool ours = word.size() == 3 || equals_ignoring_ascii_case(word, table.names[i]) ||
                    is_odd_short(word, table.names[i]);
  return ours ? static_cast<int>(i) : -1;
}

}  // namespace

void TimeScanner::skip_blanks() {
  while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t')) {
    rest_.remove_prefix(1);
  }
}

bool TimeScanner::take(char wanted) {
  if (rest_.empty() || rest_[0] != wanted) {
    return false;
  }
  rest_.remove_prefix(1);
  return true;
}

std::size_t TimeScanner::digit_count() const {
  std::size_t count = 0;
  while (digit_at(count)) {
    ++count;
  }
  return count;
}

std::optional<int> TimeScanner::take_number(std::size_t digits_min, std::size_t digits_max) {
  int value = 0;
  std::size_t count = 0;
  while (count < digits_max && digit_at(count)) {
    value = value * 10 + (rest_[count] - '0');
    ++count;
  }
  if (count < digits_min) {
    return std::nullopt;
  }
  rest_.remove_prefix(count);
  return value;
}

std::optional<int> TimeScanner::take_fraction() {
  if (!digit_at(0)) {
    return std::nullopt;
  }
  int ns = 0;
  for (std::size_t i = 0; i < 9; ++i) {
    ns *= 10;
    if (digit_at(0)) {
      ns += rest_[0] - '0';
      rest_.remove_prefix(1);
    }
  }
  while (digit_at(0)) {
    rest_.remove_prefix(1);
  }
  return ns;
}

std::string_view TimeScanner::take_word() {
  std::size_t count = 0;
  while (count < rest_.size() && is_letter(rest_[count])) {
    ++count;
  }
  const std::string_view word = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return word;
}

std::optional<int> TimeScanner::take_offset() {
  const std::string_view before = rest_;
  const bool east = take('+');
  if (!east && !take('-')) {
    return std::nullopt;
  }
  const auto hours = take_number(2, 2);
  int minutes = 0;
  if (hours && (digit_at(0) || (peek() == ':' && digit_at(1)))) {
    static_cast<void>(take(':'));
    minutes = take_number(2, 2).value_or(60);
  }
  if (!hours || *hours > 23 || minutes > 59) {
    rest_ = before;
    return std::nullopt;
  }
  const int seconds = (*hours * 60 + minutes) * 60;
  return east ? seconds : -seconds;
}

int month_from_name(std::string_view word) {
  return index_of_name(word, kMonths) + 1;
}

int weekday_from_name(std::string_view word) {
  return index_of_name(word, kWeekdays);
}

std::optional<int> zone_from_name(std::string_view word) {
  if (word.empty() || word.size() > 4) {
    return std::nullopt;
  }
  const auto* const zone = std::lower_bound(kZones.begin(), kZones.end(), Zone(word, 0));
  const bool known = zone != kZones.end() && zone->letters == packed(word);
  return known ? std::optional(zone->east * 60) : std::nullopt;
}

std::string_view month_name(int month) {
  return kMonths.names[static_cast<std::size_t>(month - 1)];
}

std::string_view weekday_name(int weekday) {
  return kWeekdays.names[static_cast<std::size_t>(weekday)];
}

}  // namespace evq
