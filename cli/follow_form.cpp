#include "cli/follow_form.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/container_lines.h"
#include "cli/input_files.h"
#include "store/base/ascii.h"
#include "store/base/limits.h"
#include "store/ingest/byte_source.h"
#include "store/ingest/format.h"
#include "store/ingest/piece_cutter.h"

namespace evq {
namespace {

constexpr std::size_t kHeadBytesMax = 1 * kMebibyte;
// Enough to tell whether lines come out of containers.
constexpr std::size_t kContainerHeadBytes = 256 * kKibibyte;

Error header_error() {
  return make_error(ErrorCode::kUsage,
                    "--follow reads NDJSON, lines of a log, or CSV with --csv-fields");
}

}  // namespace

Result<FollowForm> FollowForm::make(IngestOptions options, std::string path) {
  const bool csv = options.format == InputFormat::kCsv || !options.csv_fields.empty();
  if (options.format == InputFormat::kJson || (csv && options.csv_fields.empty())) {
    return header_error();
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
  if (size == 0 || (lines == 0 && !over && size < kHeadBytesMax)) {
    return false;
  }
  look_for_containers(std::string_view(head).substr(0, kContainerHeadBytes));
  EVQ_TRY(choose_format(std::string_view(head).substr(0, lines == 0 ? size : lines), offset));
  return true;
}

// Told by the beginning of the file, as where a file is loaded whole.
void FollowForm::look_for_containers(std::string_view head) {
  if (containers_.has_value()) {
    return;
  }
  containers_ = Containers::kNone;
  if (options_.multiline && is_container_part(head)) {
    containers_ = Containers::kParts;
  } else if (options_.format == InputFormat::kDetect && names_containers(head)) {
    containers_ = Containers::kNamed;
    options_.format = InputFormat::kNdjson;
  }
}

Status FollowForm::choose_format(std::string_view head, std::uint64_t offset) {
  InputFormat& format = options_.format;
  if (format != InputFormat::kDetect) {
    return Status::success();
  }
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  const bool object = first != std::string_view::npos && head[first] == '{';
  const PieceKind kind = kind_by_head(head, InputFormat::kDetect);
  // Where a run goes on, the last one has read it as lines.
  if (offset == 0 && !options_.multiline && kind == PieceKind::kRecords) {
    Error error = header_error();
    error.hint =
        path_ + " seems to be CSV with a header line; --format text makes an event of each line";
    return error;
  }
  format = object                       ? InputFormat::kNdjson
           : kind == PieceKind::kLogfmt ? InputFormat::kLogfmt
           : kind == PieceKind::kW3c    ? InputFormat::kW3c
                                        : InputFormat::kText;
  return Status::success();
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

std::string FollowForm::rewritten(std::string_view batch) const {
  std::string text;
  PartJoiner parts;
  while (!batch.empty()) {
    const std::size_t size = std::min(batch.find('\n'), batch.size() - 1) + 1;
    std::string_view line = batch.substr(0, size);
    if (containers_ == Containers::kNamed) {
      append_named_line(take_line(&line), options_, &text);
    } else {
      parts.add(line, &text);
    }
    batch.remove_prefix(size);
  }
  parts.end(&text);
  return text;
}

}  // namespace evq
