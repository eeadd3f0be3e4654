#include "store/ingest/line_times.h"

#include <algorithm>

#include "store/base/ascii.h"
#include "store/ingest/leading_time.h"
#include "store/ingest/logfmt_line.h"

namespace evq {

namespace {

constexpr std::size_t kLinesBackMax = 1000;

std::optional<std::int64_t> own_time(const Piece& piece, std::string_view line) {
  return piece.kind == PieceKind::kLogfmt && is_logfmt_line(line, 1)
             ? logfmt_time(line, piece.date_order)
             : leading_time(line, piece.receipt_ns, piece.date_order);
}

// Of the last entry whose first line tells one.
std::optional<std::int64_t> last_entry_time(const Piece& piece) {
  const std::size_t entries = std::min(piece.spans.size(), kLinesBackMax);
  for (std::size_t i = 1; i <= entries; ++i) {
    const ValueSpan& span = piece.spans[piece.spans.size() - i];
    std::string_view entry = trimmed(piece.text().substr(span.begin, span.size));
    if (const auto time = own_time(piece, take_line(&entry))) {
      return time;
    }
  }
  return entries == piece.spans.size() ? piece.time_before : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> LineTimes::next(std::string_view line) {
  if (const auto time = find_ ? own_time(piece_, line) : std::nullopt) {
    last_ = time;
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

std::optional<DateOrder> date_order_in(const Piece& piece) {
  std::optional<DateOrder> order;
  for (std::string_view text = piece.text(); !text.empty();) {
    const std::string_view line = take_line(&text);
    const auto told =
        piece.kind == PieceKind::kLogfmt ? logfmt_date_order(line) : told_date_order(line);
    if (told == DateOrder::kMonthFirst) {
      return told;
    }
    order = told ? told : order;
  }
  return order;
}

}  // namespace evq
