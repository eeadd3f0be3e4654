#include "cli/follow_form.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/container_lines.h"
#include "cli/input_files.h"
#include "cli/text_tables.h"
#include "store/base/ascii.h"
#include "store/base/limits.h"
#include "store/base/utf8.h"
#include "store/ingest/boundary.h"
#include "store/ingest/byte_source.h"
#include "store/ingest/csv_header.h"
#include "store/ingest/format.h"
#include "store/ingest/piece_cutter.h"

namespace evq {
namespace {

constexpr std::size_t kHeadBytesMax = 1 * kMebibyte;
// Enough to tell whether lines come out of containers.
constexpr std::size_t kContainerHeadBytes = 256 * kKibibyte;

Error form_error(std::string hint) {
  return make_error(ErrorCode::kUsage,
                    "--follow reads NDJSON, lines of a log, or CSV with --csv-fields",
                    std::move(hint));
}

}  // namespace

Result<FollowForm> FollowForm::make(IngestOptions options, std::string path) {
  const bool csv = options.format == InputFormat::kCsv || !options.csv_fields.empty();
  if (options.format == InputFormat::kJson || (csv && options.csv_fields.empty())) {
    return form_error("");
  }
  options.format = csv ? InputFormat::kCsv : options.format;
  return FollowForm(std::move(options), std::move(path));
}

Result<bool> FollowForm::tell(const File& file, std::uint64_t offset, bool over) {
  std::string head(kHeadBytesMax, '\0');
  EVQ_TRY_ASSIGN(const std::size_t size, file.read_at(0, head));
  head.resize(size);
  if (offset == 0) {
    EVQ_TRY(check_followed_head(path_, head, options_.format != InputFormat::kDetect));
  }
  const std::size_t lines = head.rfind('\n') + 1;  // 0: there is none
  const bool full = size == kHeadBytesMax;
  if (size == 0 || (lines == 0 && !over && !full)) {
    return false;
  }
  const std::string_view text =
      without_byte_order_mark(std::string_view(head).substr(0, lines == 0 ? size : lines));
  if (!over && !full && is_blank(text)) {
    return false;
  }
  EVQ_TRY(look_for_rewriting(text.substr(0, kContainerHeadBytes)));
  return choose_format(text, offset, over || full);
}

// Told by the beginning of the file, as where a file is loaded whole.
Status FollowForm::look_for_rewriting(std::string_view head) {
  if (kind_.has_value()) {
    return Status::success();
  }
  const RewrittenKind kind = rewritten_kind(head, options_);
  if (kind == RewrittenKind::kJournal) {
    return refuse(
        " seems to be a journal's export, whose entries are several lines; journalctl -f -o json, "
        "piped into evq ingest, goes on with a journal");
  }
  kind_ = kind;
  if (kind == RewrittenKind::kOtlp) {
    tell_collector_fields(&options_);
  }
  if (kind == RewrittenKind::kOtlp || kind == RewrittenKind::kNamed) {
    options_.format = InputFormat::kNdjson;
    options_.lenient_lines = true;
  }
  return Status::success();
}

// False while more is to be seen, as the line behind an object that does not end in the first one.
Result<bool> FollowForm::choose_format(std::string_view head, std::uint64_t offset, bool over) {
  InputFormat& format = options_.format;
  if (format != InputFormat::kDetect) {
    return true;
  }
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  const char begin = first == std::string_view::npos ? ' ' : head[first];
  const InputFormat named = options_.csv_delimiter != 0 ? InputFormat::kAuto : InputFormat::kDetect;
  const auto kind = detect_kind(head, named, over || (begin != '{' && begin != '['));
  if (!kind) {
    return false;
  }
  // One line may be all of an object, or a part of one that is longer than what is looked at.
  const bool one_line = begin == '{' && head.find('\n') == std::string_view::npos &&
                        records_prefix(head.substr(first)) == std::size_t{0};
  const bool lines = *kind == PieceKind::kLines || (*kind == PieceKind::kValues && one_line);
  const bool values = *kind == PieceKind::kValues || *kind == PieceKind::kRows;
  const auto unnamed = names_without_header(head, options_, true);
  const bool text = (!unnamed || unnamed->empty()) &&
                    read_as_named(path_, head, options_).format == InputFormat::kText;
  const bool records = *kind == PieceKind::kRecords && !options_.multiline && !text;
  // Where a run goes on, the last one has read it as lines.
  if (offset == 0 && (values || records) && !lines && begin != ' ') {
    return refuse_values(head, *kind);
  }
  format = lines || (values && begin != ' ') ? InputFormat::kNdjson
           : *kind == PieceKind::kLogfmt     ? InputFormat::kLogfmt
           : *kind == PieceKind::kW3c        ? InputFormat::kW3c
                                             : InputFormat::kText;
  options_.lenient_lines = true;
  return true;
}

Error FollowForm::refuse(const std::string& hint) const {
  return form_error(path_ + hint);
}

Error FollowForm::refuse_values(std::string_view head, PieceKind kind) const {
  constexpr const char* kWhole = "; without --follow, evq ingest reads it to its end";
  if (kind == PieceKind::kRows) {
    return refuse(std::string(" seems to be JSON arrays under a line of names") + kWhole);
  }
  if (kind == PieceKind::kValues) {
    return refuse(std::string(" seems to be JSON whose values are not a line each") + kWhole);
  }
  const auto names = names_without_header(head, options_, true);
  return refuse(names && !names->empty()
                    ? " seems to be CSV without a header line; --csv-fields names its columns"
                    : " seems to be CSV with a header line; --format text makes an event of each "
                      "line");
}

// The first megabyte tells it and, of the last line, what is right before the offset; the header of
// a W3C log may change anywhere.
Result<InputBefore> FollowForm::before(const File& file, std::uint64_t offset,
                                       const std::function<std::int64_t()>& clock,
                                       const QueryControl& control) const {
  const std::uint64_t end = options_.format == InputFormat::kNdjson ? 0 : offset;
  InputBefore before;
  std::string text;
  for (std::uint64_t at = 0; at < end;) {
    EVQ_TRY(control.check());
    text.resize(std::min<std::uint64_t>(end - at, kHeadBytesMax));
    EVQ_TRY_ASSIGN(const std::size_t size, file.read_at(at, text));
    const std::size_t lines = std::string_view(text).substr(0, size).rfind('\n') + 1;
    text.resize(lines == 0 ? size : lines);
    if (text.empty()) {
      break;
    }
    const std::unique_ptr<ByteSource> source = memory_source(text);
    PieceCutter cutter(*source, options_, clock, at == 0 ? nullptr : &before);
    for (auto outcome = PieceCutter::Outcome::kWaiting; outcome != PieceCutter::Outcome::kEnd;) {
      Piece piece;
      EVQ_TRY_ASSIGN(outcome, cutter.next(kHeadBytesMax, -1, piece));
    }
    before = cutter.behind();
    at += text.size();
    if (options_.format == InputFormat::kCsv) {
      break;
    }
    const bool skips = options_.format != InputFormat::kW3c && end - at > kHeadBytesMax;
    at = skips ? end - kHeadBytesMax : at;
    before.bytes = at;
  }
  before.bytes = offset;
  before.has_events = true;
  return before;
}

std::string FollowForm::rewritten(std::string_view batch) {
  std::string text;
  PartJoiner parts;
  std::uint64_t lines = 0;
  line_ends_.clear();
  while (!batch.empty()) {
    const std::size_t size = std::min(batch.find('\n'), batch.size() - 1) + 1;
    std::string_view line = batch.substr(0, size);
    const std::size_t begin = text.size();
    if (kind_ == RewrittenKind::kOtlp) {
      append_request_line(line, &text);
    } else if (kind_ == RewrittenKind::kNamed) {
      append_named_line(take_line(&line), options_, &text);
    } else {
      parts.add(line, &text);
    }
    lines += static_cast<std::uint64_t>(
        std::count(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), '\n'));
    line_ends_.push_back(lines);
    batch.remove_prefix(size);
  }
  parts.end(&text);
  return text;
}

std::uint64_t FollowForm::line_of(std::uint64_t number) const {
  const auto line = std::ranges::lower_bound(line_ends_, number);
  return line_ends_.empty() ? number : static_cast<std::uint64_t>(line - line_ends_.begin()) + 1;
}

}  // namespace evq
