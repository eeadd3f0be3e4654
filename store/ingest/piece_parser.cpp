#include "store/ingest/piece_parser.h"

#include <algorithm>
#include <utility>

#include "store/base/ascii.h"
#include "store/base/check.h"
#include "store/base/utf8.h"
#include "store/base/zoneless.h"
#include "store/ingest/boundary.h"
#include "store/ingest/event_assembler.h"
#include "store/ingest/failure_reason.h"
#include "store/ingest/fast_json.h"
#include "store/ingest/json_text.h"
#include "store/ingest/line_times.h"
#include "store/ingest/log_entry.h"
#include "store/ingest/logfmt_line.h"
#include "store/ingest/nested_value.h"
#include "store/ingest/text_line.h"
#include "store/ingest/tolerant_json.h"
#include "store/ingest/w3c_log.h"

namespace evq {

namespace {

// Text indexed at a time: it, its positions, the text behind it and the columns' hot ends share the
// level 2 cache.
constexpr std::size_t kWindowBytes = 64 * kKibibyte;

// Brings text nearer that is parsed a window later: the thread that read it left it in memory,
// which the index would wait for at each line.
void fetch_ahead(std::string_view text, std::size_t begin, std::size_t end) {
  constexpr std::size_t kCacheLineBytes = 64;
  const std::size_t stop = std::min(end + kWindowBytes, text.size());
  for (std::size_t i = begin + kWindowBytes; i < stop; i += kCacheLineBytes) {
    __builtin_prefetch(text.data() + i, 0, 2);
  }
}

// Calls `visit` with the place of every element of the valid array that is the parser's text.
// Nothing is kept of them, for there may be millions.
template <class Visit>
Status for_each_element(TolerantJson& parser, EventAssembler& event, const Visit& visit) {
  parser.set_position(1);
  parser.skip_blanks();
  while (parser.peek() != ']') {
    const std::size_t from = parser.position();
    event.begin();
    if (!parser.skip_value()) {
      return {};
    }
    EVQ_TRY(visit(from, parser.position()));
    parser.skip_blanks();
    if (parser.peek() == ',') {
      parser.set_position(parser.position() + 1);
      parser.skip_blanks();
    }
  }
  return {};
}

// Bytes that lines may begin with and that say nothing: the byte order mark of a file that was put
// behind another one, and the separator of JSON text sequences (RFC 7464).
std::size_t mark_bytes(std::string_view line) {
  constexpr char kRecordSeparator = '\x1E';
  return line.starts_with(kByteOrderMark)     ? kByteOrderMark.size()
         : line.starts_with(kRecordSeparator) ? 1
                                              : 0;
}

// Where the object begins that stands right behind the one at `begin`, which need not be valid; the
// line's end when none does.
std::size_t next_object(std::string_view line, std::size_t begin) {
  if (line[begin] != '{') {
    return line.size();
  }
  NestedValue object{.depth = 1};
  const std::size_t end = pass_nested(line, begin + 1, &object);
  const std::size_t next = line.find_first_not_of(" \t\r", end);
  return next < line.size() && line[next] == '{' ? next : line.size();
}

// The reason of a record of CSV that failed and has no line end behind it.
std::string lines_reason(std::string reason, std::string_view record) {
  return lost_lines_reason(std::move(reason), count_line_feeds(record) + 1);
}

std::size_t first_record_bytes(std::string_view text, char delimiter) {
  const std::unique_ptr<BoundaryScanner> scanner = make_record_scanner(delimiter);
  EVQ_CHECK(scanner->scan_to_end(text, 1).ok());
  return scanner->whole_bytes();
}

}  // namespace

struct PieceParser::Target {
  const Piece& piece;
  BatchBuilder& builder;
  ParseReport& report;
  const Flush& flush;
  const bool keeps_rejects;
  // Where the text begins that the event's parser was given; its offsets count from there.
  std::size_t base = 0;
  std::vector<std::uint32_t> odd = {};  // columns of the event at hand whose values are odd
  // Line ends up to `counted`, so that places cost one pass however many there are.
  std::size_t counted = 0;
  std::uint64_t lines = 0;
  std::size_t line_begin = 0;

  struct Place {
    std::uint64_t line;
    std::uint64_t column;
  };
  Place place_of(std::size_t position) {
    const char* text = piece.memory.get();
    if (position < counted) {
      counted = 0;
      lines = 0;
      line_begin = 0;
    }
    for (; counted < position; ++counted) {
      if (text[counted] == '\n') {
        ++lines;
        line_begin = counted + 1;
      }
    }
    const std::uint64_t column = lines == 0 ? piece.column : 1;
    return {piece.line + lines, position - line_begin + column};
  }

  // Begins an event, whose parser is given the text from `begin` on.
  EventAssembler& begin_event(std::size_t begin) {
    base = begin;
    EventAssembler& event = builder.assembler();
    event.begin();
    return event;
  }

  // After every event, good or not: failed ones leave their keys behind as well. The event ends at
  // `end`, and the line ends behind it are its own.
  Status flush_if_full(std::size_t end) const {
    if (!builder.full()) {
      return {};
    }
    const std::string_view text = piece.text();
    while (end < text.size() && (text[end] == '\n' || text[end] == '\r')) {
      ++end;
    }
    return flush(end);
  }

  // Ends the event [begin, end), which has failed; `position` is the fault in the piece.
  Status fail(std::size_t begin, std::size_t end, std::size_t position, std::string reason) {
    const Place place = place_of(position);
    IngestFailure failure{place.line, place.column, piece.offset + position, std::move(reason),
                          piece.receipt_ns};
    if (keeps_rejects) {
      report.rejects.push_back({std::string(piece.text().substr(begin, end - begin)), failure});
    }
    report.counts.fail(std::move(failure));
    return flush_if_full(end);
  }

  // The same where the parser, given the text from `base` on, has found the fault.
  Status fail(std::size_t begin, std::size_t end, const TolerantJson& parser) {
    report.syntax_failures += parser.fault_is_limit() ? 0U : 1U;
    return fail(begin, end, base + parser.fault_offset(), parser.fault());
  }

  // Calls `read` with where each line begins and ends, without its line feed.
  template <class Read>
  Status for_each_line(const Read& read) const {
    const std::string_view text = piece.text();
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      EVQ_TRY(read(begin, end));
      begin = end + 1;
    }
    return {};
  }
};

Status PieceParser::parse(const Piece& piece, BatchBuilder& builder, ParseReport& report,
                          const Flush& flush) const {
  Target target{.piece = piece,
                .builder = builder,
                .report = report,
                .flush = flush,
                .keeps_rejects = settings_.keep_rejects};
  const ZonelessTimes times(settings_.rules->zone.get());
  for (const LostEvent& event : piece.lost) {
    IngestFailure failure{event.line, event.column, event.offset, event.reason, piece.receipt_ns};
    if (settings_.keep_rejects) {
      report.rejects.push_back({event.head, failure});
    }
    report.counts.fail(std::move(failure));
  }
  switch (piece.kind) {
    case PieceKind::kLines:
      EVQ_TRY(parse_lines(target));
      break;
    case PieceKind::kValues:
      EVQ_TRY(parse_values(target));
      break;
    case PieceKind::kRecords:
      EVQ_TRY(parse_records(target));
      break;
    case PieceKind::kRows:
      EVQ_TRY(parse_rows(target));
      break;
    case PieceKind::kText:
    case PieceKind::kLogfmt:
      EVQ_TRY(parse_text(target));
      break;
    case PieceKind::kEntries:
      EVQ_TRY(parse_entries(target));
      break;
    case PieceKind::kW3c:
      EVQ_TRY(parse_w3c(target));
      break;
  }
  // The times of W3C logs are UTC, unless whoever knows better says so.
  report.counts.zoneless = report.counts.zoneless || (times.any() && piece.kind != PieceKind::kW3c);
  builder.settle();  // the piece's memory will be used again
  return {};
}

// The cutter passes over those events that it has not whole by then, but not over those that came
// at once.
bool PieceParser::is_overlong(std::size_t begin, std::size_t end) const {
  return end - begin > settings_.line_bytes_max;
}

Status PieceParser::refuse_overlong(Target& target, std::size_t begin, std::size_t end) const {
  return target.fail(begin, end, begin, long_event_reason(settings_.line_bytes_max));
}

// Counts what is text in columns of numbers of the record that begins there.
void PieceParser::note_odd_values(Target& target, std::size_t begin) const {
  for (const std::uint32_t column : target.odd) {
    OddCsvValues& values = target.report.counts.odd_csv_values[column];
    if (values.count++ == 0) {
      values.field = settings_.csv.fields[column];
      values.number = settings_.csv.columns[column] != CsvColumn::kBool;
      values.line = target.place_of(begin).line;
    }
  }
}

// Takes the assembled event [begin, end) or counts it as failed.
Status PieceParser::take_event(Target& target, std::size_t begin, std::size_t end) const {
  EventAssembler& event = target.builder.assembler();
  if (!target.builder.commit(target.piece.receipt_ns, target.piece.times_from_ns())) {
    std::string reason = event.failure();
    if (target.piece.kind == PieceKind::kRecords) {
      reason = lines_reason(std::move(reason), target.piece.text().substr(begin, end - begin));
    }
    return target.fail(begin, end, begin, std::move(reason));
  }
  IngestCounts& counts = target.report.counts;
  ++counts.ingested;
  counts.untimed += event.timed() ? 0U : 1U;
  counts.relabelled += event.relabelled() ? 1U : 0U;
  if (!target.odd.empty()) [[unlikely]] {
    note_odd_values(target, begin);
  }
  if (event.repaired()) [[unlikely]] {
    ++counts.repaired;
    if (!counts.first_repaired) {
      const Target::Place place = target.place_of(target.base + event.repair_offset());
      counts.first_repaired = IngestPlace{place.line, place.column, event.repair()};
    }
  }
  return target.flush_if_full(end);
}

// ---------------------------------------------------------------- JSON

Status PieceParser::parse_lines(Target& target) const {
  const std::string_view text = target.piece.text();
  std::size_t window = 0;
  std::size_t window_end = 0;
  bool fast = false;
  FastJson& fast_json = target.builder.fast_json();
  for (std::size_t begin = 0; begin < text.size();) {
    if (begin >= window_end) {
      // Windows end with a line, so that no string crosses from one to the next.
      window = begin;
      const std::size_t line_end = text.find('\n', std::min(begin + kWindowBytes, text.size()));
      window_end = std::min(line_end, text.size() - 1) + 1;
      fast = !settings_.tolerant_only && fast_json.open(text.substr(window, window_end - window));
    }
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (!fast && !settings_.tolerant_only) {
      // Some line of the window is broken; the others need not suffer for it.
      window = begin;
    }
    const bool opened = fast || (!settings_.tolerant_only && end - begin <= kWindowBytes &&
                                 fast_json.open(text.substr(begin, end - begin)));
    fetch_ahead(text, begin, end);
    EventAssembler& event = target.begin_event(begin);
    if (opened && !is_overlong(begin, end) &&
        fast_json.parse_event(begin - window, end - window, event)) {
      EVQ_TRY(take_event(target, begin, end));
    } else if (!is_blank(text.substr(begin, end - begin))) {
      EVQ_TRY(parse_tolerantly(target, begin, end));
    }
    begin = end + 1;
  }
  return {};
}

// One line: an object, an array of objects, or several of them.
Status PieceParser::parse_tolerantly(Target& target, std::size_t begin, std::size_t end) const {
  if (is_overlong(begin, end)) {
    return refuse_overlong(target, begin, end);
  }
  const std::string_view line = target.piece.text().substr(begin, end - begin);
  std::size_t position = mark_bytes(line);
  while (true) {
    EventAssembler& event = target.begin_event(begin);
    TolerantJson parser(line, event);
    parser.set_position(position);
    parser.skip_blanks();
    position = parser.position();
    if (position == line.size()) {
      return {};
    }
    if (parser.peek() == '[') {
      return parse_array_line(target, begin + position, end);
    }
    bool good = parser.parse_event();
    parser.skip_blanks();
    bool more = parser.position() < line.size();
    if (good && more && !settings_.one_value_a_line && parser.peek() == ',' &&
        is_blank(line.substr(parser.position() + 1))) {
      event.note_repair(parser.position(), kRepairComma);
      parser.set_position(line.size());
      more = false;
    }
    if (good && more && (settings_.one_value_a_line || parser.peek() != '{')) {
      good = parser.at_end();
    }
    if (good) {
      EVQ_TRY(take_event(target, begin + position, begin + parser.position()));
      position = parser.position();
      continue;
    }
    const std::size_t next = settings_.one_value_a_line ? line.size() : next_object(line, position);
    EVQ_TRY(target.fail(begin + position, begin + next, parser));
    position = next;
  }
}

// A line that holds an array: its objects are events. The whole line is read before the first
// event is taken, so that a line with broken syntax is one failure and nothing else.
Status PieceParser::parse_array_line(Target& target, std::size_t begin, std::size_t end) const {
  const std::string_view line = target.piece.text().substr(begin, end - begin);
  EventAssembler passed(settings_.rules);  // the builder's goes when its batch is full
  TolerantJson parser(line, passed);
  passed.begin();
  target.base = begin;  // behind the blanks that its line may begin with
  bool any_object = false;
  if (parser.skip_value() && parser.at_end()) {
    EVQ_TRY(for_each_element(parser, passed, [&](std::size_t from, std::size_t /*to*/) -> Status {
      any_object = any_object || line[from] == '{';
      return {};
    }));
  }
  if (!any_object && !parser.fault().empty()) {
    return target.fail(begin, end, parser);
  }
  if (!any_object) {
    return target.fail(begin, end, begin + parser.fault_offset(),
                       "expected an object, found an array without objects");
  }
  return for_each_element(parser, passed, [&](std::size_t from, std::size_t to) -> Status {
    TolerantJson reader(line.substr(0, to), target.begin_event(begin));
    reader.set_position(from);
    return reader.parse_event() ? take_event(target, begin + from, begin + to)
                                : target.fail(begin + from, begin + to,
                                              begin + reader.fault_offset(), reader.fault());
  });
}

Status PieceParser::parse_values(Target& target) const {
  const std::string_view text = target.piece.text();
  FastJson& fast_json = target.builder.fast_json();
  const bool fast = !settings_.tolerant_only && fast_json.open(text);
  for (const ValueSpan& span : target.piece.spans) {
    const std::size_t end = span.begin + span.size;
    if (is_overlong(span.begin, end)) {
      EVQ_TRY(refuse_overlong(target, span.begin, end));
      continue;
    }
    EventAssembler& event = target.begin_event(span.begin);
    if (fast && fast_json.parse_event(span.begin, end, event)) {
      EVQ_TRY(take_event(target, span.begin, end));
      continue;
    }
    event.begin();
    TolerantJson parser(text.substr(span.begin, span.size), event);
    const bool object = text[span.begin] == '{';
    if (object ? parser.parse_event() && parser.at_end() : parser.skip_value() && parser.at_end()) {
      EVQ_TRY(object ? take_event(target, span.begin, end)
                     : target.fail(span.begin, end, span.begin, "expected an object"));
      continue;
    }
    if (span.in_array && !parser.fault_is_limit()) {
      const Target::Place place = target.place_of(span.begin + parser.fault_offset());
      return make_error(ErrorCode::kData, "line " + std::to_string(place.line) + ", column " +
                                              std::to_string(place.column) + ": " + parser.fault());
    }
    EVQ_TRY(target.fail(span.begin, end, parser));
  }
  return {};
}

Status PieceParser::parse_rows(Target& target) const {
  return target.for_each_line([&](std::size_t begin, std::size_t end) -> Status {
    const std::string_view line = target.piece.text().substr(begin, end - begin);
    if (is_overlong(begin, end)) {
      return refuse_overlong(target, begin, end);
    }
    if (is_blank(line)) {
      return {};
    }
    TolerantJson parser(line, target.begin_event(begin));
    return parser.parse_row(settings_.csv.fields) && parser.at_end()
               ? take_event(target, begin, end)
               : target.fail(begin, end, parser);
  });
}

// ---------------------------------------------------------------- plain text

Status PieceParser::parse_text(Target& target) const {
  LineTimes times(target.piece, settings_.find_times);
  return target.for_each_line([&](std::size_t begin, std::size_t end) -> Status {
    std::string_view line = target.piece.text().substr(begin, end - begin);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
      --end;
    }
    if (is_blank(line)) {
      return {};
    }
    if (is_overlong(begin, end)) {
      return refuse_overlong(target, begin, end);
    }
    EventAssembler& event = target.begin_event(begin);
    if (target.piece.kind == PieceKind::kLogfmt) {
      read_logfmt_line(line, event);
    } else {
      read_text_line(line, event);
    }
    if (const auto time = times.next(line)) {
      event.set_time(*time);
    }
    return take_event(target, begin, end);
  });
}

Status PieceParser::parse_entries(Target& target) const {
  const std::string_view text = target.piece.text();
  LineTimes times(target.piece, settings_.find_times);
  for (const ValueSpan& span : target.piece.spans) {
    const std::string_view entry = entry_text(text.substr(span.begin, span.size));
    if (entry.empty()) {
      continue;
    }
    const auto begin = static_cast<std::size_t>(entry.data() - text.data());
    const std::size_t end = begin + entry.size();
    if (is_overlong(begin, end)) {
      EVQ_TRY(refuse_overlong(target, begin, end));
      continue;
    }
    EventAssembler& event = target.begin_event(begin);
    read_text_line(entry, event);
    if (const auto time = times.next(entry.substr(0, entry.find('\n')))) {
      event.set_time(*time);
    }
    EVQ_TRY(take_event(target, begin, end));
  }
  return {};
}

Status PieceParser::parse_w3c(Target& target) const {
  W3cReader reader(target.piece.w3c_header.get());
  return target.for_each_line([&](std::size_t begin, std::size_t end) -> Status {
    std::string_view line = target.piece.text().substr(begin, end - begin);
    EventAssembler& event = target.begin_event(begin);
    if (!is_valid_utf8(line)) {
      line = event.repair_text(line, 0);
    }
    if (!reader.next(line)) {
      return {};
    }
    if (is_overlong(begin, end)) {
      return refuse_overlong(target, begin, end);
    }
    reader.read(event);
    if (const auto time =
            settings_.find_times ? reader.time(target.piece.times_from_ns()) : std::nullopt) {
      event.set_time(*time);
    }
    return take_event(target, begin, end);
  });
}

// ---------------------------------------------------------------- CSV

// Reads once more what a quote that is not closed has made one record, [begin, end): the lines with
// it fail, and reading goes on behind them. Where each line has such a quote again, that ends when
// the text was read some times over, and the rest is one failure.
Status PieceParser::parse_swallowed(Target& target, std::size_t begin, std::size_t end) const {
  constexpr std::size_t kReadsMax = 8;
  const std::string_view text = target.piece.text().substr(0, end);
  std::size_t bytes_left = kReadsMax * (end - begin);
  while (begin < end) {
    const std::size_t size = first_record_bytes(text.substr(begin), settings_.csv.delimiter);
    std::string_view record = text.substr(begin, size);
    record.remove_suffix(record.ends_with('\n') ? 1 : 0);
    EventAssembler& event = target.begin_event(begin);
    target.odd.clear();
    CsvFault fault = is_blank_record(record)
                         ? CsvFault{}
                         : read_csv_record(record, settings_.csv, event, &target.odd);
    std::size_t next = begin + size;
    if (fault.quote != CsvFault::kNone && size <= bytes_left) {
      bytes_left -= size;
      const std::size_t whole_line = next_whole_line(record, fault.quote, settings_.csv);
      if (whole_line < record.size()) {
        record = record.substr(0, whole_line - 1);
        next = begin + whole_line;
        fault.offset = fault.quote;
        fault.reason = kOpenCellFault;
      }
    }
    if (!fault.reason.empty()) {
      EVQ_TRY(target.fail(begin, begin + record.size(), begin + fault.offset,
                          lines_reason(std::move(fault.reason), record)));
    } else if (!is_blank_record(record)) {
      EVQ_TRY(take_event(target, begin, begin + record.size()));
    }
    begin = next;
  }
  return {};
}

Status PieceParser::parse_records(Target& target) const {
  const std::string_view text = target.piece.text();
  for (const ValueSpan& span : target.piece.spans) {
    std::string_view record = text.substr(span.begin, span.size);
    if (record.ends_with('\n')) {
      record.remove_suffix(1);
    }
    const std::size_t end = span.begin + record.size();
    if (is_blank_record(record)) {
      continue;
    }
    if (is_overlong(span.begin, end)) {
      EVQ_TRY(refuse_overlong(target, span.begin, end));
      continue;
    }
    EventAssembler& event = target.begin_event(span.begin);
    target.odd.clear();
    const CsvFault fault = read_csv_record(record, settings_.csv, event, &target.odd);
    if (fault.quote != CsvFault::kNone) {
      EVQ_TRY(parse_swallowed(target, span.begin, end));
      continue;
    }
    EVQ_TRY(fault.reason.empty() ? take_event(target, span.begin, end)
                                 : target.fail(span.begin, end, span.begin + fault.offset,
                                               lines_reason(fault.reason, record)));
  }
  return {};
}

}  // namespace evq
