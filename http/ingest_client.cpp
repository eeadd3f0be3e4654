#include "http/ingest_client.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include <zstd.h>

#include "http/wire.h"
#include "http/wire_answer.h"
#include "store/base/ascii.h"
#include "store/base/json_writer.h"
#include "store/base/limits.h"
#include "store/base/number.h"
#include "store/base/percent_coding.h"
#include "store/ingest/boundary.h"
#include "store/ingest/csv_record.h"
#include "store/ingest/event_assembler.h"
#include "store/ingest/json_rows.h"
#include "store/ingest/line_times.h"
#include "store/ingest/log_entry.h"
#include "store/ingest/logfmt_line.h"
#include "store/ingest/nested_value.h"
#include "store/ingest/piece_cutter.h"
#include "store/ingest/text_line.h"
#include "store/ingest/w3c_log.h"

namespace evq {
namespace {

constexpr std::size_t kBatchEventsMax = 10'000;
// An event of a slow stream waits so long for others.
constexpr std::int64_t kBatchWaitMs = 500;
constexpr int kZstdLevel = 3;

// A batch as it is sent, one event or record a line or more, and how its lines are numbered in the
// input.
struct Batch {
  std::string body;
  std::string content_type;
  std::vector<std::uint64_t> lines;   // of the input, by line of the body; empty: consecutive
  std::uint64_t first_line = 1;       // of the input, for the first line of the body
  std::vector<std::uint64_t> commas;  // lines of the body whose event had one behind it
};

void append_value(std::string* body, std::string_view value) {
  const std::size_t begin = body->size();
  body->append(value);
  // Line breaks inside a value are blanks to JSON.
  std::replace(body->begin() + static_cast<std::ptrdiff_t>(begin), body->end(), '\n', ' ');
}

// Splits the first event off a line where another follows it; a comma behind the last one goes
// where it may. Anything else stays together: the server says what is wrong with it.
std::string_view take_event(std::string_view* line, bool drop_comma) {
  const std::size_t begin = std::min(line->find_first_not_of(kBlanks), line->size());
  std::string_view event = std::exchange(*line, {}).substr(begin);
  if (!event.starts_with('{')) {
    return event;
  }
  NestedValue object{.depth = 1};
  const std::size_t end = pass_nested(event, 1, &object);
  const std::string_view behind = trimmed(event.substr(end));
  if (drop_comma && behind == ",") {
    return event.substr(0, end);
  }
  if (behind.starts_with('{')) {
    *line = behind;
    event = event.substr(0, end);
  }
  return event;
}

// A line for each event, for a server takes no more; mostly that is what the lines are.
void append_lines(const Piece& piece, bool strict, Batch& batch) {
  std::vector<std::string_view> lines;
  for (std::string_view text = piece.text(); !text.empty();) {
    lines.push_back(take_line(&text));
  }
  const auto is_one_event = [strict](std::string_view line) {
    const std::string_view whole = trimmed(line);
    return take_event(&line, !strict).size() >= whole.size();
  };
  if (std::ranges::all_of(lines, is_one_event)) {
    batch.body = piece.text();
    return;
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    do {
      const std::string_view line = trimmed(lines[i]);
      const std::string_view event = take_event(&lines[i], !strict);
      batch.body.append(event).push_back('\n');
      batch.lines.push_back(piece.line + i);
      if (lines[i].empty() && line.ends_with(',') && !trimmed(event).ends_with(',')) {
        batch.commas.push_back(batch.lines.size());
      }
    } while (!lines[i].empty());
  }
}

// A line for each value or entry, blank for a blank one, and where in the input each is from.
void append_spans(const Piece& piece, bool find_times, Batch& batch) {
  LineTimes times(piece, find_times);
  std::uint64_t line = piece.line;
  std::size_t counted = 0;
  for (const ValueSpan& span : piece.spans) {
    line += count_line_feeds(piece.text().substr(counted, span.begin - counted));
    counted = span.begin;
    batch.lines.push_back(line);
    const std::string_view text = piece.text().substr(span.begin, span.size);
    if (piece.kind == PieceKind::kValues) {
      append_value(&batch.body, text);
    } else if (const std::string_view entry = entry_text(text); !entry.empty()) {
      append_text_as_json(&batch.body, entry, times.next(entry.substr(0, entry.find('\n'))));
    }
    batch.body.push_back('\n');
  }
}

// A line for each line of the piece, blank for a blank one. A row that is none goes as it is: the
// server says what is wrong with it.
std::string lines_as_json(const Piece& piece, bool find_times, std::span<const std::string> names) {
  std::string body;
  LineTimes times(piece, find_times);
  for (std::string_view text = piece.text(); !text.empty(); body.push_back('\n')) {
    const std::string_view line = take_line(&text);
    if (is_blank(line)) {
      continue;
    }
    if (piece.kind == PieceKind::kRows) {
      body.append(row_as_object(line, names).value_or(std::string(line)));
    } else if (piece.kind == PieceKind::kLogfmt) {
      append_logfmt_as_json(&body, line, times.next(line));
    } else {
      append_text_as_json(&body, line, times.next(line));
    }
  }
  return body;
}

Batch make_batch(const Piece& piece, const IngestOptions& options, const CsvLayout& csv) {
  const bool find_times = options.finds_line_times();
  Batch batch;
  batch.first_line = piece.line;
  batch.content_type = "application/x-ndjson";
  if (piece.kind == PieceKind::kLines && options.has_one_value_a_line()) {
    batch.body = piece.text();
  } else if (piece.kind == PieceKind::kLines) {
    append_lines(piece, options.strict, batch);
  } else if (piece.kind == PieceKind::kW3c) {
    append_w3c_as_json(&batch.body, piece, find_times);
  } else if (piece.kind == PieceKind::kRows || piece.kind == PieceKind::kText ||
             piece.kind == PieceKind::kLogfmt) {
    batch.body = lines_as_json(piece, find_times, csv.fields);
  } else if (piece.kind == PieceKind::kRecords) {
    batch.content_type = "text/csv";
    for (std::size_t i = 0; i < csv.fields.size(); ++i) {
      batch.body.append(i == 0 ? "" : std::string(1, csv.delimiter));
      append_quoted_cell(&batch.body, csv.fields[i]);
    }
    batch.body.append("\n").append(piece.text());
    batch.first_line = piece.line - 1;
  } else {
    append_spans(piece, find_times, batch);
  }
  return batch;
}

Result<std::string> compressed(std::string_view text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), kZstdLevel);
  if (ZSTD_isError(size) != 0) {
    return make_error(ErrorCode::kInternal, std::string("zstd: ") + ZSTD_getErrorName(size));
  }
  packed.resize(size);
  return packed;
}

// "line 3, column 7: why" with the line of the body.
void read_place(IngestFailure* failure) {
  const auto number_after = [&](std::string_view word, std::size_t* at) -> std::uint64_t {
    std::uint64_t number = 0;
    const std::size_t begin = failure->reason.find(word, *at);
    if (begin != *at) {
      return 0;
    }
    const char* first = failure->reason.data() + begin + word.size();
    const auto [end, error] =
        std::from_chars(first, failure->reason.data() + failure->reason.size(), number);
    *at = static_cast<std::size_t>(end - failure->reason.data());
    return error == std::errc() ? number : 0;
  };
  std::size_t at = 0;
  const std::uint64_t line = number_after("line ", &at);
  const std::uint64_t column = line == 0 ? 0 : number_after(", column ", &at);
  if (column != 0 && std::string_view(failure->reason).substr(at).starts_with(": ")) {
    failure->line = line;
    failure->column = column;
    failure->reason.erase(0, at + 2);
  }
}

// A number of a header; 0 where the server does not send it.
std::uint64_t number_of(std::string_view text) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(parse_int(text).value_or(0), 0));
}

// What the headers of an answer tell of the batch, with the line of the body: "2; line 1: why".
void read_counts(const ClientResponse& answer, IngestCounts* counts) {
  constexpr std::string_view kLine = "; line ";
  constexpr std::string_view kReason = ": ";
  const auto header = [&](const char* name) {
    return answer.header(ascii_lower(name)).value_or("");
  };
  counts->untimed = number_of(header(kUntimedHeader));
  counts->relabelled = number_of(header(kRelabelledHeader));
  const std::string_view repaired = header(kRepairedHeader);
  const std::size_t line = std::min(repaired.find(kLine), repaired.size());
  const std::size_t reason = repaired.find(kReason, line);
  if (reason == std::string_view::npos) {
    return;
  }
  const std::size_t number = line + kLine.size();
  counts->repaired = number_of(repaired.substr(0, line));
  counts->first_repaired = IngestPlace{number_of(repaired.substr(number, reason - number)), 0,
                                       std::string(repaired.substr(reason + kReason.size()))};
}

std::string_view line_of(std::string_view text, std::uint64_t number) {
  for (; number > 1 && !text.empty(); --number) {
    text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  }
  return text.substr(0, text.find('\n'));
}

class RemoteLoad {
 public:
  RemoteLoad(HttpClient& client, std::string_view dataset, const IngestRequest& request,
             QueryControl& control, Failures failures)
      : client_(client),
        request_(request),
        control_(control),
        events_max_(failures == Failures::kAll ? kIngestFailuresListedMax : kBatchEventsMax) {
    wire_.method = "POST";
    wire_.only_reads = false;
    wire_.target = "/v1/datasets/" + percent_encode(dataset) + "/ingest";
    const char* separator = "?";
    const auto parameter = [&](std::string_view name, std::string_view value) {
      if (!value.empty()) {
        wire_.target.append(separator).append(name).append("=").append(percent_encode(value));
        separator = "&";
      }
    };
    parameter("timestamp-field", request.options.timestamp_field);
    parameter("timestamp-format", request.options.timestamp_layout);
    parameter("strict", request.options.strict ? "true" : "");
    // Of all inputs only a collector's have timespans; the server knows which fields they are.
    parameter("otlp", request.options.timespan_fields.empty() ? "" : "true");
    target_ = wire_.target;
    separator_ = separator;
    if (!request.options.labels_json.empty()) {
      wire_.headers.emplace_back("X-Axiom-Event-Labels", request.options.labels_json);
    }
  }

  Result<IngestReport> run(ByteSource& source) {
    const std::function<std::int64_t()> clock = wall_clock_now_ns;
    PieceCutter cutter(source, request_.options, clock, request_.before);
    while (true) {
      EVQ_TRY(control_.check());
      Piece piece;
      EVQ_TRY_ASSIGN(const PieceCutter::Outcome outcome,
                     cutter.next(events_max_, kBatchWaitMs, piece));
      if (outcome == PieceCutter::Outcome::kEnd) {
        return std::move(report_);
      }
      if (outcome == PieceCutter::Outcome::kPiece) {
        note_lost(piece);
        EVQ_TRY(send(piece, cutter.csv()));
        cutter.recycle(std::move(piece));
      }
    }
  }

 private:
  Status send(const Piece& piece, const CsvLayout& csv) {
    const Batch batch = make_batch(piece, request_.options, csv);
    if (batch.body.empty()) {
      return Status::success();
    }
    wire_.content_type = batch.content_type;
    wire_.target = target_;
    if (piece.kind == PieceKind::kRecords) {
      wire_.target += separator_ + "csv-delimiter=" + percent_encode({&csv.delimiter, 1});
    }
    EVQ_TRY_ASSIGN(wire_.body, compressed(batch.body));
    wire_.content_encoding = "zstd";
    if (wire_.body.size() * kDecompressionRatioMax < batch.body.size()) {
      wire_.body = batch.body;  // packed so well it would be taken for a bomb
      wire_.content_encoding.clear();
    }
    auto sent = client_.send(wire_, &control_);
    if (!sent.ok()) {
      Error error = std::move(sent).take_error();
      if (!error.hint.empty()) {
        error.hint = "whether the events from line " + std::to_string(piece.line) + " to line " +
                     std::to_string(last_line(piece)) +
                     " were stored is unknown; earlier ones are, later ones are not";
      }
      return error;
    }
    if (sent->status < 200 || sent->status > 299) {
      Error error = read_error_answer(sent->status, sent->body, {},
                                      sent->header(ascii_lower(kErrorKindHeader)).value_or(""));
      error.message = "line " + std::to_string(piece.line) + ": " + error.message;
      return error;
    }
    EVQ_TRY_ASSIGN(IngestReport report, read_ingest_answer(sent->body));
    read_counts(*sent, &report.counts);
    wire_.awaits_server = true;
    return add(std::move(report), piece, batch);
  }

  static std::uint64_t last_line(const Piece& piece) {
    const auto breaks = static_cast<std::uint64_t>(std::ranges::count(piece.text(), '\n'));
    return piece.line + breaks - (piece.text().ends_with('\n') && breaks > 0 ? 1 : 0);
  }

  static std::uint64_t input_line(const Batch& batch, std::uint64_t body_line) {
    return body_line > 0 && body_line <= batch.lines.size() ? batch.lines[body_line - 1]
                                                            : body_line + batch.first_line - 1;
  }

  // Those that the server told, at their place in the input, and the commas that it did not see.
  static void count_repairs(const Batch& batch, const std::set<std::uint64_t>& failed,
                            IngestCounts* counts) {
    if (counts->first_repaired) {
      counts->first_repaired->line = input_line(batch, counts->first_repaired->line);
    }
    for (const std::uint64_t body_line : batch.commas) {
      if (failed.contains(body_line)) {
        continue;
      }
      const std::uint64_t line = input_line(batch, body_line);
      ++counts->repaired;
      if (!counts->first_repaired || line < counts->first_repaired->line) {
        counts->first_repaired = IngestPlace{line, 0, kRepairComma};
      }
    }
  }

  Status add(IngestReport report, const Piece& piece, const Batch& batch) {
    std::set<std::uint64_t> failed;  // lines of the body
    for (IngestFailure& failure : report.counts.failures) {
      read_place(&failure);
      const std::uint64_t body_line = failure.line;
      failure.line = body_line == 0 ? piece.line : input_line(batch, body_line);
      failed.insert(body_line);
      if (request_.reject) {
        request_.reject(body_line == 0 ? "" : line_of(batch.body, body_line), failure);
      }
    }
    count_repairs(batch, failed, &report.counts);
    report_.blocks_created += report.blocks_created;
    report_.fresh_chunks = report.fresh_chunks;
    report_.counts.add(std::move(report.counts));
    if (request_.committed) {
      request_.committed(report_.counts);
    }
    return check_failures();
  }

  void note_lost(const Piece& piece) {
    for (const LostEvent& event : piece.lost) {
      IngestFailure failure{event.line, event.column, event.offset, event.reason, piece.receipt_ns};
      if (request_.reject) {
        request_.reject(event.head, failure);
      }
      report_.counts.fail(std::move(failure));
    }
  }

  Status check_failures() const {
    const IngestCounts& counts = report_.counts;
    const std::optional<std::uint64_t>& failures_max = request_.options.failures_max;
    return failures_max.has_value() && counts.failed > *failures_max
               ? Status(too_many_failures(counts, counts.ingested))
               : Status::success();
  }

  HttpClient& client_;
  const IngestRequest& request_;
  QueryControl& control_;
  const std::size_t events_max_;  // of a batch
  ClientRequest wire_;
  std::string target_;
  std::string separator_;
  IngestReport report_;
};

}  // namespace

Result<IngestReport> ingest_remotely(HttpClient& client, std::string_view dataset,
                                     ByteSource& source, const IngestRequest& request,
                                     QueryControl& control, Failures failures) {
  return RemoteLoad(client, dataset, request, control, failures).run(source);
}

}  // namespace evq
