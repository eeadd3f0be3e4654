#pragma once
// PieceParser: the working end of a load: events of a piece into a batch builder, and what failed
// and was repaired into a report. Workers may share a parser, each with a builder of its own.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/result.h"
#include "store/ingest/batch_builder.h"
#include "store/ingest/csv_record.h"
#include "store/ingest/event_rules.h"
#include "store/ingest/options.h"
#include "store/ingest/piece.h"

namespace evq {

// Settings that all parsers of a load share; they outlive the parsers.
struct ParseSettings {
  std::shared_ptr<const EventRules> rules;
  CsvLayout csv;
  std::size_t line_bytes_max = 0;
  // Whether a line holds exactly one value; otherwise several may share one.
  bool one_value_a_line = false;
  // Whether to look for the time that a line of plain text begins with.
  bool find_times = false;
  // Whether to keep the texts of failed events for a RejectSink.
  bool keep_rejects = false;
  // Whether to use the tolerant parser only: for tests, which compare the two.
  bool tolerant_only = false;
};

struct Reject {
  std::string text;
  IngestFailure failure;
};

struct ParseReport {
  IngestCounts counts;
  std::vector<Reject> rejects;
  // Failed events that were no JSON at all, as opposed to those over a limit.
  std::uint64_t syntax_failures = 0;
};

class PieceParser {
 public:
  explicit PieceParser(const ParseSettings& settings) : settings_(settings) {}

  // Takes the rows out of a full builder; the argument is where in the piece they end, in bytes.
  using Flush = std::function<Status(std::size_t)>;

  // Parses a piece. Errors: those of `flush`; kData for a syntax error in an element of an array.
  Status parse(const Piece& piece, BatchBuilder& builder, ParseReport& report,
               const Flush& flush) const;

 private:
  struct Target;  // the arguments of parse(), for the functions below

  Status parse_lines(Target& target) const;
  Status parse_values(Target& target) const;
  Status parse_rows(Target& target) const;
  Status parse_records(Target& target) const;
  Status parse_swallowed(Target& target, std::size_t begin, std::size_t end) const;
  Status parse_text(Target& target) const;
  Status parse_entries(Target& target) const;
  Status parse_w3c(Target& target) const;
  Status parse_tolerantly(Target& target, std::size_t begin, std::size_t end) const;
  Status parse_array_line(Target& target, std::size_t begin, std::size_t end) const;
  bool is_overlong(std::size_t begin, std::size_t end) const;
  Status refuse_overlong(Target& target, std::size_t begin, std::size_t end) const;
  void note_odd_values(Target& target, std::size_t begin) const;
  Status take_event(Target& target, std::size_t begin, std::size_t end) const;

  const ParseSettings& settings_;
};

}  // namespace evq
