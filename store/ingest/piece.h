#pragma once
// Piece: a run of the input that holds whole events, about a mebibyte, on its way from the thread
// that reads to a worker that parses. Its bytes are followed by readable padding.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/time_parse.h"
#include "store/ingest/options.h"

namespace evq {

struct W3cHeader;

// The kind of events in a piece's text.
enum class PieceKind : std::uint8_t {
  kLines,    // JSON, a line each
  kValues,   // JSON values at `spans`
  kRecords,  // CSV, at `spans`
  kRows,     // JSON arrays of values, a line each (json_rows.h)
  kText,     // a line each, whatever it says
  kEntries,  // such lines, those that belong together at `spans` (log_entry.h)
  kLogfmt,   // a line each, key=value pairs
  kW3c,      // a line each, under a header of lines that begin with # (w3c_log.h)
};

// Whether a piece is of a log whose lines tell their times themselves.
inline bool is_log(PieceKind kind) {
  return kind == PieceKind::kText || kind == PieceKind::kEntries || kind == PieceKind::kLogfmt;
}

// One JSON value, CSV record or entry of a log of a piece.
struct ValueSpan {
  std::uint32_t begin = 0;
  std::uint32_t size = 0;
  bool in_array = false;  // an element of a top-level array
  bool whole = true;      // false: the input ended inside it
};

// An event that was too long to be kept, or was cut off with its input: its place, its first bytes
// and the reason.
struct LostEvent {
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  std::uint64_t offset = 0;
  std::string head;
  std::string reason;
};

struct Piece {
  PieceKind kind = PieceKind::kLines;
  std::unique_ptr<char[]> memory;
  std::size_t capacity = 0;  // of memory, padding not counted
  std::size_t size = 0;
  bool is_first = true;      // none with events is before it
  std::uint64_t offset = 0;  // of its first byte in the decoded input
  std::uint64_t line = 1;    // number of its first line
  std::uint64_t column = 1;  // of its first byte in that line
  std::int64_t receipt_ns = 0;
  std::optional<std::int64_t> written_ns;         // of the input, if known
  std::optional<std::int64_t> time_before;        // of logs: of the line before
  DateOrder date_order = DateOrder::kMonthFirst;  // of logs: told by their first lines
  std::shared_ptr<const W3cHeader> w3c_header;    // in force before its first line, or null
  std::size_t events = 0;                         // at most so many are in it
  std::vector<ValueSpan> spans;
  // Lost events, which stand before the events of this piece.
  std::vector<LostEvent> lost;

  // See times_from.
  std::int64_t times_from_ns() const { return times_from(written_ns, receipt_ns); }
  bool has_spans() const {
    return kind == PieceKind::kValues || kind == PieceKind::kRecords || kind == PieceKind::kEntries;
  }
  std::string_view text() const { return {memory.get(), size}; }
};

}  // namespace evq
