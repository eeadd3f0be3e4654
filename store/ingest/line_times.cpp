#include "store/ingest/line_times.h"

#include <algorithm>

#include "store/base/ascii.h"
#include "store/base/time.h"
#include "store/base/time_scan.h"
#include "store/ingest/leading_time.h"
#include "store/ingest/log_entry.h"
#include "store/ingest/logfmt_line.h"
#include "store/ingest/time_behind_words.h"
#include "store/ingest/time_shapes.h"

namespace evq {

namespace {

constexpr std::size_t kLinesBackMax = 1000;
constexpr std::size_t kLinesAheadMax = 1000;

std::optional<std::int64_t> own_time(const Piece& piece, std::string_view line) {
  return piece.kind == PieceKind::kLogfmt && is_logfmt_line(line, 1)
             ? logfmt_time(line, piece.date_order)
             : leading_time(line, piece.times_from_ns(), piece.date_order);
}

// What of a line begins with its date, if it has one.
std::string_view date_in_line(std::string_view line, PieceKind kind) {
  if (kind == PieceKind::kLogfmt) {
    return logfmt_date(line);
  }
  TimeScanner scanner(line);
  const std::string_view behind =
      take_date_numbers(&scanner) ? std::string_view() : numeric_date_behind_words(line);
  return behind.empty() ? line : behind;
}

// Of the first of the lines a log begins with that tells one.
std::optional<std::int64_t> first_line_time(const Piece& piece) {
  std::string_view text = piece.text();
  for (std::size_t lines = 0; lines < kLinesAheadMax && !text.empty(); ++lines) {
    const std::string_view line = take_line(&text);
    if (const auto time = is_blank(line) ? std::nullopt : own_time(piece, line)) {
      return time;
    }
  }
  return std::nullopt;
}

// Of the last entry whose first line tells one.
std::optional<std::int64_t> last_entry_time(const Piece& piece) {
  const std::size_t entries = std::min(piece.spans.size(), kLinesBackMax);
  for (std::size_t i = 1; i <= entries; ++i) {
    const ValueSpan& span = piece.spans[piece.spans.size() - i];
    std::string_view entry = entry_text(piece.text().substr(span.begin, span.size));
    if (const auto time = own_time(piece, take_line(&entry))) {
      return time;
    }
  }
  return entries == piece.spans.size() ? piece.time_before : std::nullopt;
}

// What dates of three numbers with two digits for the year tell together, "17/06/09 20:10:40".
class ShortDates {
 public:
  explicit ShortDates(std::int64_t from_ns) : latest_ns_(from_ns + kDayNs) {}

  // Of a line that may begin with one, in brackets or not.
  void add(std::string_view line) {
    constexpr std::size_t kYearDigits = 2;
    TimeScanner scanner(line);
    const auto date = take_date_numbers(&scanner);
    if (!date || date->third_digits != kYearDigits) {
      return;
    }
    const int third = *scanner.take_number(kYearDigits, kYearDigits);
    scanner.skip(scanner.at_end() ? 0 : 1);
    scanner.skip_blanks();
    if (!scanner.take_number(1, 2) || !scanner.take(':')) {
      return;
    }
    any_ = true;
    firsts_.add(date->first);
    thirds_.add(third);
    year_first_ = year_first_ && date->first_digits == kYearDigits &&
                  is_past(date->first, date->second, third);
    day_first_ = day_first_ && is_past(third, date->second, date->first);
    month_first_ = month_first_ && is_past(third, date->first, date->second);
  }

  std::optional<DateOrder> told() const {
    if (!any_) {
      return std::nullopt;
    }
    const bool year_last = day_first_ || month_first_;
    if (year_first_ && (!year_last || thirds_.width() > firsts_.width())) {
      return DateOrder::kYearFirst;
    }
    const bool either = year_first_ && firsts_.width() <= thirds_.width();
    if (either || day_first_ == month_first_) {
      return std::nullopt;
    }
    return day_first_ ? DateOrder::kDayFirst : DateOrder::kMonthFirst;
  }

 private:
  struct Range {
    void add(int number) {
      least = std::min(least, number);
      most = std::max(most, number);
    }
    int width() const { return most - least; }

    int least = 99;
    int most = 0;
  };

  bool is_past(int short_year, int month, int day) const {
    const int year = year_from_two_digits(short_year);
    if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) {
      return false;
    }
    const auto begin = ns_from_civil({year, month, day, 0, 0, 0, 0}, 0);
    return begin && *begin <= latest_ns_;
  }

  const std::int64_t latest_ns_;
  Range firsts_;
  Range thirds_;
  bool any_ = false;
  // What may come first, as far as was seen.
  bool year_first_ = true;
  bool day_first_ = true;
  bool month_first_ = true;
};

}  // namespace

std::optional<std::int64_t> LineTimes::next(std::string_view line) {
  if (const auto time = find_ ? own_time(piece_, line) : std::nullopt) {
    last_ = time;
  } else if (find_ && !last_ && !looked_ahead_ && piece_.is_first) {
    looked_ahead_ = true;
    last_ = first_line_time(piece_);
  }
  return last_;
}

std::optional<std::int64_t> last_line_time(const Piece& piece) {
  if (piece.kind == PieceKind::kEntries) {
    return last_entry_time(piece);
  }
  std::string_view text = piece.text();
  for (std::size_t lines = 0; lines < kLinesBackMax && !text.empty(); ++lines) {
    text.remove_suffix(text.ends_with('\n') ? 1 : 0);
    const std::size_t begin = text.rfind('\n') + 1;  // 0: it is the first
    if (const auto time = own_time(piece, text.substr(begin))) {
      return time;
    }
    text.remove_suffix(text.size() - begin);
  }
  return text.empty() ? piece.time_before : std::nullopt;
}

bool has_date_in_question(std::string_view text, PieceKind kind) {
  while (!text.empty()) {
    TimeScanner scanner(date_in_line(take_line(&text), kind));
    if (take_date_numbers(&scanner)) {
      return true;
    }
  }
  return false;
}

std::optional<DateOrder> date_order_in(std::string_view text, PieceKind kind,
                                       std::int64_t from_ns) {
  std::optional<DateOrder> order;
  ShortDates short_dates(from_ns);
  while (!text.empty()) {
    const std::string_view date = date_in_line(take_line(&text), kind);
    const auto told = told_date_order(date);
    if (told == DateOrder::kMonthFirst) {
      return told;
    }
    order = told ? told : order;
    if (kind != PieceKind::kLogfmt && !told) {
      short_dates.add(date);
    }
  }
  return order ? order : short_dates.told();
}

}  // namespace evq
