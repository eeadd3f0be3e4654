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
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  constexpr char kRecordSeparator = '\x1E';
  return line.starts_with(kMark) ? kMark.size() : line.starts_with(kRecordSeparator) ? 1 : 0;
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
  EVQ_CHECK(scanner->scan(text, 1, true).ok());
  return scanner->whole_bytes();
}

}  // namespace

struct PieceParser::Target {
  const Piece& piece;
  BatchBuilder& builder;
  ParseReport& report;
  const Flush& flush;
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

  // `event` is the failed text, `position` the fault in the piece.
  void fail(std::string_view event, std::size_t position, std::string reason, bool keep) {
    const Place place = place_of(position);
    IngestFailure failure{place.line, place.column, piece.offset + position, std::move(reason),
                          piece.receipt_ns};
    if (keep) {
      report.rejects.push_back({std::string(event), failure});
    }
    report.counts.fail(std::move(failure));
  }
};

Status PieceParser::parse(const Piece& piece, BatchBuilder& builder, ParseReport& report,
                          const Flush& flush) const {
  Target target{.piece = piece, .builder = builder, .report = report, .flush = flush};
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

// Counts the event [begin, end) as failed when it is longer than allowed; then true. The cutter
// passes over those that it has not whole by then, but not over those that came at once.
bool PieceParser::refuse_overlong(Target& target, std::size_t begin, std::size_t end) const {
  if (end - begin <= settings_.line_bytes_max) {
    return false;
  }
  target.fail(target.piece.text().substr(begin, end - begin), begin,
              long_event_reason(settings_.line_bytes_max), settings_.keep_rejects);
  return true;
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
  const std::string_view text = target.piece.text().substr(begin, end - begin);
  if (!target.builder.commit(target.piece.receipt_ns)) {
    std::string reason = event.failure();
    if (target.piece.kind == PieceKind::kRecords) {
      reason = lines_reason(std::move(reason), text);
    }
    target.fail(text, begin, std::move(reason), settings_.keep_rejects);
    return target.flush_if_full(end);
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
    EventAssembler& event = target.builder.assembler();
    event.begin();
    if (opened && end - begin <= settings_.line_bytes_max &&
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
  if (refuse_overlong(target, begin, end)) {
    return {};
  }
  const std::string_view line = target.piece.text().substr(begin, end - begin);
  std::size_t position = mark_bytes(line);
  target.base = begin;
  while (true) {
    EventAssembler& event = target.builder.assembler();
    event.begin();
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
      event.note_repair(parser.position(), "a comma behind the event was passed over");
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
    target.report.syntax_failures += parser.fault_is_limit() ? 0U : 1U;
    target.fail(line.substr(position, next - position), begin + parser.fault_offset(),
                parser.fault(), settings_.keep_rejects);
    EVQ_TRY(target.flush_if_full(next == line.size() ? end : begin + next));
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
  bool any_object = false;
  if (parser.skip_value() && parser.at_end()) {
    EVQ_TRY(for_each_element(parser, passed, [&](std::size_t from, std::size_t /*to*/) -> Status {
      any_object = any_object || line[from] == '{';
      return {};
    }));
  }
  if (!any_object) {
    const bool syntax = !parser.fault().empty() && !parser.fault_is_limit();
    target.report.syntax_failures += syntax ? 1U : 0U;
    target.fail(line, begin + parser.fault_offset(),
                parser.fault().empty() ? "expected an object, found an array without objects"
                                       : parser.fault(),
                settings_.keep_rejects);
    return {};
  }
  target.base = begin;
  return for_each_element(parser, passed, [&](std::size_t from, std::size_t to) -> Status {
    EventAssembler& event = target.builder.assembler();
    event.begin();
    TolerantJson reader(line.substr(0, to), event);
    reader.set_position(from);
    if (reader.parse_event()) {
      return take_event(target, begin + from, begin + to);
    }
    target.fail(line.substr(from, to - from), begin + reader.fault_offset(), reader.fault(),
                settings_.keep_rejects);
    return target.flush_if_full(begin + to);
  });
}

Status PieceParser::parse_values(Target& target) const {
  const std::string_view text = target.piece.text();
  FastJson& fast_json = target.builder.fast_json();
  const bool fast = !settings_.tolerant_only && fast_json.open(text);
  for (const ValueSpan& span : target.piece.spans) {
    if (refuse_overlong(target, span.begin, span.begin + span.size)) {
      continue;
    }
    const std::string_view value = text.substr(span.begin, span.size);
    target.base = span.begin;
    EventAssembler& event = target.builder.assembler();
    event.begin();
    if (fast && fast_json.parse_event(span.begin, span.begin + span.size, event)) {
      EVQ_TRY(take_event(target, span.begin, span.begin + span.size));
      continue;
    }
    event.begin();
    TolerantJson parser(value, event);
    const bool object = value.front() == '{';
    if (object ? parser.parse_event() && parser.at_end() : parser.skip_value() && parser.at_end()) {
      if (object) {
        EVQ_TRY(take_event(target, span.begin, span.begin + span.size));
      } else {
        target.fail(value, span.begin, "expected an object", settings_.keep_rejects);
      }
      continue;
    }
    const std::size_t fault = span.begin + parser.fault_offset();
    if (span.in_array && !parser.fault_is_limit()) {
      const Target::Place place = target.place_of(fault);
      return make_error(ErrorCode::kData, "line " + std::to_string(place.line) + ", column " +
                                              std::to_string(place.column) + ": " + parser.fault());
    }
    target.report.syntax_failures += parser.fault_is_limit() ? 0U : 1U;
    target.fail(value, fault, parser.fault(), settings_.keep_rejects);
    EVQ_TRY(target.flush_if_full(span.begin + span.size));
  }
  return {};
}

Status PieceParser::parse_rows(Target& target) const {
  const std::string_view text = target.piece.text();
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    EventAssembler& event = target.builder.assembler();
    event.begin();
    TolerantJson parser(line, event);
    target.base = begin;
    if (refuse_overlong(target, begin, end) || is_blank(line)) {
      // Nothing to read.
    } else if (parser.parse_row(settings_.csv.fields) && parser.at_end()) {
      EVQ_TRY(take_event(target, begin, end));
    } else {
      target.report.syntax_failures += parser.fault_is_limit() ? 0U : 1U;
      target.fail(line, begin + parser.fault_offset(), parser.fault(), settings_.keep_rejects);
      EVQ_TRY(target.flush_if_full(end));
    }
    begin = end + 1;
  }
  return {};
}

// ---------------------------------------------------------------- plain text

Status PieceParser::parse_text(Target& target) const {
  const std::string_view text = target.piece.text();
  LineTimes times(target.piece, settings_.find_times);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (!is_blank(line) && !refuse_overlong(target, begin, begin + line.size())) {
      EventAssembler& event = target.builder.assembler();
      event.begin();
      target.base = begin;
      if (target.piece.kind == PieceKind::kLogfmt) {
        read_logfmt_line(line, event);
      } else {
        read_text_line(line, event);
      }
      if (const auto time = times.next(line)) {
        event.set_time(*time);
      }
      EVQ_TRY(take_event(target, begin, begin + line.size()));
    }
    begin = end + 1;
  }
  return {};
}

Status PieceParser::parse_entries(Target& target) const {
  const std::string_view text = target.piece.text();
  LineTimes times(target.piece, settings_.find_times);
  for (const ValueSpan& span : target.piece.spans) {
    const std::string_view entry = entry_text(text.substr(span.begin, span.size));
    target.base = static_cast<std::size_t>(entry.data() - text.data());
    if (entry.empty() || refuse_overlong(target, target.base, target.base + entry.size())) {
      continue;
    }
    EventAssembler& event = target.builder.assembler();
    event.begin();
    read_text_line(entry, event);
    if (const auto time = times.next(entry.substr(0, entry.find('\n')))) {
      event.set_time(*time);
    }
    EVQ_TRY(take_event(target, target.base, target.base + entry.size()));
  }
  return {};
}

Status PieceParser::parse_w3c(Target& target) const {
  const std::string_view text = target.piece.text();
  W3cReader reader(target.piece.w3c_header.get());
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    target.base = begin;
    EventAssembler& event = target.builder.assembler();
    event.begin();
    if (!is_valid_utf8(line)) {
      line = event.repair_text(line, 0);
    }
    if (reader.next(line) && !refuse_overlong(target, begin, end)) {
      reader.read(event);
      if (const auto time =
              settings_.find_times ? reader.time(target.piece.receipt_ns) : std::nullopt) {
        event.set_time(*time);
      }
      EVQ_TRY(take_event(target, begin, end));
    }
    begin = end + 1;
  }
  return {};
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
    target.base = begin;
    EventAssembler& event = target.builder.assembler();
    event.begin();
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
      target.fail(record, begin + fault.offset, lines_reason(std::move(fault.reason), record),
                  settings_.keep_rejects);
      EVQ_TRY(target.flush_if_full(begin + record.size()));
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
    target.base = span.begin;
    if (is_blank_record(record) || refuse_overlong(target, span.begin, end)) {
      continue;
    }
    EventAssembler& event = target.builder.assembler();
    event.begin();
    target.odd.clear();
    const CsvFault fault = read_csv_record(record, settings_.csv, event, &target.odd);
    if (fault.quote != CsvFault::kNone) {
      EVQ_TRY(parse_swallowed(target, span.begin, end));
      continue;
    }
    if (!fault.reason.empty()) {
      target.fail(record, span.begin + fault.offset, lines_reason(fault.reason, record),
                  settings_.keep_rejects);
      EVQ_TRY(target.flush_if_full(end));
      continue;
    }
    EVQ_TRY(take_event(target, span.begin, end));
  }
  return {};
}

}  // namespace evq
