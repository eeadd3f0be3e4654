// Every usual way to write a date, with every usual way to write a time of day behind it, is tried
// on the first text, and what reads that on the others. So a few hundred layouts meet one text, and
// seldom more than two of them the rest.

#include "store/base/guessed_layout.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "store/base/ascii.h"
#include "store/base/go_layout.h"
#include "store/base/limits.h"
#include "store/base/time.h"

namespace evq {
namespace {

enum class Order : std::uint8_t { kPlain, kMonthFirst, kYearFirst, kDayFirst, kNoDay, kNoYear };

struct DateForm {
  std::string_view layout;
  Order order = Order::kPlain;
};

// Of forms that read as many texts the first one counts. One with the month first, or with two
// digits of the year, stands right before the same with the day first, but dots are written where
// the day comes first.
constexpr std::array<DateForm, 43> kDates = {{
    {"1/2/2006", Order::kMonthFirst},
    {"2/1/2006", Order::kDayFirst},
    {"1-2-2006", Order::kMonthFirst},
    {"2-1-2006", Order::kDayFirst},
    {"1/2/06", Order::kMonthFirst},
    {"06/1/2", Order::kYearFirst},
    {"2/1/06", Order::kDayFirst},
    {"1-2-06", Order::kMonthFirst},
    {"06-1-2", Order::kYearFirst},
    {"2-1-06", Order::kDayFirst},
    {"2.1.2006"},
    {"2.1.06"},
    {"2006/1/2"},
    {"2006-1-2"},
    {"2006.1.2"},
    {"Jan 2 2006"},
    {"Jan 2, 2006"},
    {"2 Jan 2006"},
    {"2-Jan-2006"},
    {"2/Jan/2006"},
    {"2Jan2006"},
    {"2-Jan-06"},
    {"2 Jan 06"},
    {"January 2, 2006"},
    {"January 2 2006"},
    {"2 January 2006"},
    {"Mon, 2 Jan 2006"},
    {"Mon Jan 2 2006"},
    {"Monday, January 2, 2006"},
    {"Monday, 2 January 2006"},
    {"20060102"},
    {"01022006", Order::kMonthFirst},
    {"02012006", Order::kDayFirst},
    {"20060102150405"},
    {"200601021504"},
    {"2006-01", Order::kNoDay},
    {"200601", Order::kNoDay},
    {"1/2006", Order::kNoDay},
    {"Jan 2006", Order::kNoDay},
    {"January 2006", Order::kNoDay},
    {"2006", Order::kNoDay},
    {"Jan 2", Order::kNoYear},
    {"2 Jan", Order::kNoYear},
}};

// A fraction behind the seconds is read without being named.
constexpr std::array<std::string_view, 17> kClocks = {"",
                                                      " 15:04",
                                                      " 15:04:05",
                                                      " 3:04 PM",
                                                      " 3:04:05 PM",
                                                      " 3:04PM",
                                                      " 3:04:05PM",
                                                      " 3:04 pm",
                                                      " 3:04:05 pm",
                                                      ", 15:04",
                                                      ", 15:04:05",
                                                      ", 3:04 PM",
                                                      ", 3:04:05 PM",
                                                      "T15:04:05",
                                                      " 15:04:05 -07:00",
                                                      " 15:04:05 -0700",
                                                      " 15:04:05 MST"};

struct Candidate {
  const DateForm* date;
  GoLayout layout;
  std::size_t read = 0;  // of the texts
};

bool is_number(std::string_view text) {
  return std::ranges::all_of(text, is_digit);
}

// Nearly every number of eight digits is the second of some day in 1970, and many are dates of the
// years 1000 to 2261.
bool reads(const GoLayout& layout, std::string_view text) {
  const auto ns = layout.parse(text, 0);
  if (!ns || !is_number(text)) {
    return ns.has_value();
  }
  const std::int64_t year = civil_from_ns(*ns).year;
  return year >= 1800 && year < 2100;
}

std::vector<Candidate> candidates_for(std::string_view text) {
  std::vector<Candidate> candidates;
  for (const DateForm& date : kDates) {
    for (const std::string_view clock : kClocks) {
      // A month has no time of day, and a day without a year is no time of its own.
      if ((date.order == Order::kNoDay && !clock.empty()) ||
          (date.order == Order::kNoYear && clock.empty())) {
        continue;
      }
      auto layout = GoLayout::compile(std::string(date.layout) + std::string(clock));
      if (layout.ok() && reads(layout.value(), text)) {
        candidates.push_back({&date, std::move(layout).value()});
      }
    }
  }
  return candidates;
}

// The same date with the day first.
bool is_day_first_of(const DateForm* date, const DateForm* other) {
  const bool month_of_short_year =
      date->order == Order::kMonthFirst && date[1].order == Order::kYearFirst;
  const DateForm* const behind = date + (month_of_short_year ? 2 : 1);
  return (date->order == Order::kMonthFirst || date->order == Order::kYearFirst) && other == behind;
}

// From the first of the times to the last, which of a log or a table are rather days apart than
// years.
double extent_of(const GoLayout& layout, std::span<const std::string_view> texts) {
  std::optional<std::int64_t> first;
  std::optional<std::int64_t> last;
  for (const std::string_view text : texts) {
    if (const auto ns = layout.parse(text, 0)) {
      first = std::min(first.value_or(*ns), *ns);
      last = std::max(last.value_or(*ns), *ns);
    }
  }
  return static_cast<double>(last.value_or(0)) - static_cast<double>(first.value_or(0));
}

}  // namespace

GuessedLayout guess_layout(std::span<const std::string> texts) {
  std::vector<std::string_view> written;
  for (const std::string_view text : texts) {
    if (!trimmed(text).empty()) {
      written.push_back(trimmed(text));
    }
  }
  GuessedLayout guess;
  if (written.empty() || written[0].size() > kTimeTextBytesMax) {
    return guess;
  }
  std::vector<Candidate> candidates = candidates_for(written[0]);
  const Candidate* best = nullptr;
  for (Candidate& candidate : candidates) {
    candidate.read = static_cast<std::size_t>(std::ranges::count_if(
        written, [&](std::string_view text) { return reads(candidate.layout, text); }));
    best = best == nullptr || candidate.read > best->read ? &candidate : best;
  }
  if (best == nullptr || best->read * 10 < written.size() * 9) {
    return guess;
  }
  const Candidate* day_first = nullptr;
  for (const Candidate& candidate : candidates) {
    if (candidate.read == best->read && is_day_first_of(best->date, candidate.date)) {
      day_first = &candidate;
    }
  }
  if (day_first != nullptr && best->date->order == Order::kYearFirst &&
      extent_of(best->layout, written) > extent_of(day_first->layout, written)) {
    best = std::exchange(day_first, nullptr);
  }
  guess.layout = best->layout.text();
  guess.day_first = day_first == nullptr ? "" : day_first->layout.text();
  guess.example = written[0];
  guess.is_number = is_number(written[0]);
  guess.has_day = best->date->order != Order::kNoDay;
  return guess;
}

}  // namespace evq
