#pragma once
// The times of log lines: a line says its own, and one that does not, such as those of a stack
// trace, is from when the line before it is; those that a log begins with, such as a banner, are
// from when the first line is that says so. Pure; nothing here fails.

#include <cstdint>
#include <optional>
#include <string_view>

#include "store/ingest/piece.h"

namespace evq {

class LineTimes {
 public:
  // Reads the times of a piece's lines; the piece must outlive it. Without `find` it finds none.
  LineTimes(const Piece& piece, bool find)
      : piece_(piece), find_(find), last_(find ? piece.time_before : std::nullopt) {}

  // The time of the next line, or the next entry's first line, given without its line end. Nothing
  // when no line up to it had one, nor, at the beginning of the log, any of the lines behind it.
  std::optional<std::int64_t> next(std::string_view line);

 private:
  const Piece& piece_;
  const bool find_;
  std::optional<std::int64_t> last_;
  bool looked_ahead_ = false;
};

// The time of the piece's last line or entry, for the piece that comes next. Looks back over a few
// of them only: lines without a time for longer are not from then.
std::optional<std::int64_t> last_line_time(const Piece& piece);

// Whether a line of such a log has a date of which others may tell in which order its numbers come.
bool has_date_in_question(std::string_view text, PieceKind kind);

// The order of dates such as 05/04/2024 in a log that begins with `text`: the day comes first when
// a line's date reads in that way only and none only in the other one. Where the year has two
// digits, as in 24/04/05, its dates tell together which number is the year: none of them is to
// come, and the day is what differs most among them. Nothing: no date tells.
std::optional<DateOrder> date_order_in(std::string_view text, PieceKind kind, std::int64_t from_ns);

}  // namespace evq
