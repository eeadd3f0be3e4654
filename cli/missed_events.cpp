#include "cli/missed_events.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "apl/syntax/words.h"
#include "cli/held_answer.h"
#include "store/base/checked_math.h"
#include "store/base/control.h"
#include "store/base/guessed_layout.h"
#include "store/base/time.h"
#include "store/base/time_parse.h"

namespace evq {
namespace {

struct TimeExtent {
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
};

// Of all events of a dataset; nothing when there are none.
std::optional<TimeExtent> extent_of(QueryTarget& target, const QueryRequest& asked,
                                    const std::string& dataset) {
  QueryRequest request;
  request.apl = syntax::bracket_name(dataset) + " | summarize min(_time), max(_time)";
  request.control = asked.control;
  HeldAnswer answer;
  if (!target.query(request, answer).ok() || answer.chunks().size() != 1 ||
      answer.chunks()[0].rows() != 1 || answer.chunks()[0].column_count() != 2) {
    return std::nullopt;
  }
  const Value first = answer.chunks()[0].column(0).value(0);
  const Value last = answer.chunks()[0].column(1).value(0);
  if (first.is_null() || last.is_null()) {
    return std::nullopt;
  }
  return TimeExtent{first.as_integer(), last.as_integer()};
}

// "2024-05-01" of that day's first instant, with or without its time; empty for others.
std::string day_of(std::string_view time) {
  constexpr std::size_t kDateBytes = 10;
  const std::string_view rest = time.substr(std::min(kDateBytes, time.size()));
  const bool is_date = time.substr(0, kDateBytes).find_last_of('-') == 7;
  return is_date && (rest.empty() || rest == "T00:00:00Z") ? std::string(time.substr(0, kDateBytes))
                                                           : std::string();
}

}  // namespace

std::string wrong_range_note(const QueryRequest& request) {
  const std::int64_t now = wall_clock_now_ns();
  const auto start = parse_relative_time(request.start_time.value_or(""), now);
  const auto end = parse_relative_time(request.end_time.value_or(""), now);
  if (!start.has_value() || !end.has_value() || *start < *end) {
    return {};
  }
  const std::string day = day_of(request.end_time.value_or(""));
  const std::int64_t next = checked_add(*end, kDayNs).value_or(*end);
  if (!day.empty() && *start < next) {
    return "note: the time range ends where " + day + " begins; " + day_of(instant_text(next)) +
           " as its end takes all of that day";
  }
  return *start > *end ? "note: the time range ends before it begins" : "";
}

std::string misread_bound_note(const QueryRequest& request) {
  for (const auto& [option, bound] : {std::pair("--start-time", &request.start_time),
                                      std::pair("--end-time", &request.end_time)}) {
    const std::string text = bound->value_or("");
    const GuessedLayout guess = guess_layout({&text, 1});
    if (guess.is_number && guess.layout == "20060102") {
      return std::string("note: ") + option + " " + text + " is read as a Unix time; the date is " +
             text.substr(0, 4) + "-" + text.substr(4, 2) + "-" + text.substr(6);
    }
  }
  return {};
}

std::string missed_events_note(QueryTarget& target, const QueryRequest& request,
                               const ResultHeader& header, const QueryStatus& status) {
  const bool bounded = request.start_time.has_value() || request.end_time.has_value();
  if (!bounded || status.rows_matched != 0 || header.datasets.size() != 1 ||
      !wrong_range_note(request).empty()) {
    return {};
  }
  const std::int64_t now = wall_clock_now_ns();
  const std::int64_t start = parse_relative_time(request.start_time.value_or(""), now)
                                 .value_or(std::numeric_limits<std::int64_t>::min());
  const std::int64_t end = parse_relative_time(request.end_time.value_or(""), now)
                               .value_or(std::numeric_limits<std::int64_t>::max());
  const auto extent = extent_of(target, request, header.datasets[0]);
  if (!extent || (extent->last_ns >= start && extent->first_ns <= end)) {
    return {};
  }
  return "note: " + header.datasets[0] + " has no events in this time; its events are from " +
         instant_text(extent->first_ns) + " to " + instant_text(extent->last_ns);
}

}  // namespace evq
