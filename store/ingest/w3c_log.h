#pragma once
// Logs whose lines that begin with `#` name the columns of the lines below them: the W3C extended
// log format, as IIS, CloudFront, Exchange and the Windows firewall write it, and Zeek's logs. A
// line an event, a column a field of its name. Pure; nothing here fails.
//
// - `#Fields: date time c-ip sc-status`: cells are apart by commas where these names are, else by
//   tabs in a line that has one, else by blanks; around cells apart by commas or blanks may stand
//   quotes. What a cell is besides text, its whole column decides, as in CSV.
// - `#fields`, as Zeek writes it: names and cells are apart by tabs, or what `#separator` says, and
//   `#types` says what cells are; those of a set or a vector are lists.
// - A cell that is `-`, or what `#unset_field` says, is an absent field.
// - The time is that of the columns date and time together, of a time of day alone on the day of
//   the last `#Date:`, or of the first column called ts, date-time, datetime, timestamp or time.
// - A line with more cells than there are columns becomes what a line of plain text does.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/ingest/event_assembler.h"
#include "store/ingest/piece.h"

namespace evq {

// Whether the lines that begin with `#` at the start of `head`, blank ones between them or not,
// name columns. Nothing: more bytes are needed.
std::optional<bool> begins_with_w3c_header(std::string_view head, bool at_end);

struct W3cColumn {
  enum class Type : std::uint8_t { kUntyped, kText, kNumber, kReal, kBool };

  std::string name;
  Type type = Type::kUntyped;
  bool list = false;
};

// The header: what the lines that begin with `#` have said so far.
struct W3cHeader {
  static constexpr char kTabsOrBlanks = '\0';  // by the line

  std::vector<W3cColumn> columns;
  char separator = kTabsOrBlanks;
  bool zeek = false;  // cells have escapes instead of quotes
  char list_separator = ',';
  std::string unset = "-";
  std::string empty = "(empty)";  // of Zeek: a text or list without anything
  std::string date;               // of the last #Date:, as it stands there

  // Takes in a line that begins with `#`, without its line end.
  void take(std::string_view line);

 private:
  void take_w3c_names(std::string_view names);
  void add_column(std::string_view name);
};

// The header in force behind a text, where `before` is in force at its first line; `before` itself
// if no line changes it.
std::shared_ptr<const W3cHeader> w3c_header_behind(std::string_view text,
                                                   std::shared_ptr<const W3cHeader> before);

// Reads the lines of such a log, all of them UTF-8, one after the other.
class W3cReader {
 public:
  // `before`: the header of the first line, or null.
  explicit W3cReader(const W3cHeader* before) : header_(before ? *before : W3cHeader{}) {}

  // Reads the next line, given without its line end. False when it is no event: it is blank or part
  // of the header. Otherwise it is the line at hand, and must live as long.
  bool next(std::string_view line);

  // The time that the line at hand tells.
  std::optional<std::int64_t> time(std::int64_t from_ns) const;
  // Puts its fields into `event`, which has begun.
  void read(EventAssembler& event) const;

  struct Cell {
    const W3cColumn* column = nullptr;
    std::string_view text;
    bool decoded = false;  // the text stands otherwise in the line
  };
  // The cells of the line at hand that are not unset; none for a line of plain text.
  const std::vector<Cell>& cells() const { return cells_; }
  const W3cHeader& header() const { return header_; }
  std::string_view line() const { return line_; }

 private:
  bool split();
  std::size_t take_quoted(std::size_t begin, char separator, Cell* cell);
  std::string_view text_of(std::string_view column) const;

  W3cHeader header_;
  std::string_view line_;
  std::vector<Cell> cells_;
  std::string decoded_;  // texts of cells
};

// Appends the lines of a piece of such a log as JSON objects, with their times if `find_times`, and
// blank lines for those that are no event: for programs that forward them.
void append_w3c_as_json(std::string* out, const Piece& piece, bool find_times);

}  // namespace evq
