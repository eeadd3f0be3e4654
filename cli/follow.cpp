#include "cli/follow.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "cli/container_lines.h"
#include "cli/follow_progress.h"
#include "cli/follow_target.h"
#include "cli/growing_file.h"
#include "cli/ingest_options.h"
#include "cli/input_files.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/terminal/number_text.h"
#include "http/wire.h"
#include "store/base/ascii.h"
#include "store/base/checksum.h"
#include "store/base/control.h"
#include "store/base/file.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/base/told_number.h"
#include "store/ingest/byte_source.h"
#include "store/ingest/format.h"
#include "store/ingest/log_entry.h"
#include "store/ingest/piece_cutter.h"

namespace evq {
namespace {

constexpr std::int64_t kPollMs = 100;
constexpr std::int64_t kServerWaitMs = 1000;
constexpr std::size_t kBatchBytesMax = std::size_t{1} << 20U;
// Enough to tell whether lines come out of containers.
constexpr std::size_t kContainerHeadBytes = 256 * kKibibyte;

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    return std::nullopt;
  }
  return FileIdentity{info.st_dev, info.st_ino};
}

// Where the lines of a text start, asked for in their order mostly: each is looked for from the one
// before.
class LineStarts {
 public:
  // Of the line of this number, from 1.
  std::size_t find(std::string_view text, std::uint64_t number) {
    if (number < number_) {
      *this = {};
    }
    for (; number_ < number && start_ < text.size(); ++number_) {
      start_ = std::min(text.find('\n', start_), text.size() - 1) + 1;
    }
    return start_;
  }

 private:
  std::uint64_t number_ = 1;
  std::size_t start_ = 0;
};

Error header_error() {
  return make_error(ErrorCode::kUsage,
                    "--follow reads NDJSON, lines of a log, or CSV with --csv-fields");
}

// A file that is read for as long as it grows: one cutter for all of it, so that its events are the
// same as where it is read at once.
struct FollowedFile {
  FollowedFile(const File& file, std::uint64_t begins_at, std::string trace,
               const IngestOptions& options, const std::function<std::int64_t()>& clock,
               const InputBefore* before)
      : begin(begins_at),
        source(file, begins_at, std::move(trace)),
        cutter(source, options, clock, before) {}

  const std::uint64_t begin;  // in the file, of the source
  GrowingFile source;
  PieceCutter cutter;
};

class Follower {
 public:
  Follower(const GlobalOptions& global, const IngestCommand& command, FollowTarget& target)
      : global_(global), command_(command), target_(target), path_(command.files[0]) {}

  Status run() {
    EVQ_TRY_ASSIGN(options_, make_ingest_options(command_));
    const InputFormat format = options_.format;
    const bool csv = format == InputFormat::kCsv || !options_.csv_fields.empty();
    if (format == InputFormat::kJson || (csv && options_.csv_fields.empty())) {
      return header_error();
    }
    options_.format = csv ? InputFormat::kCsv : format;
    request_.atomic = true;
    request_.before = &batch_before_;
    request_.clock = [this] { return progress_.stamp; };
    request_.reject = [this](std::string_view /*text*/, const IngestFailure& failure) {
      note_failure(batch_begin_ + line_starts_.find(batch_, failure.line), failure.reason);
    };
    EVQ_TRY(open_first());
    while (true) {
      EVQ_TRY(interrupt_control().check());
      EVQ_TRY_ASSIGN(const bool progressed, read_on());
      EVQ_TRY(progressed ? Status::success() : rest());
    }
  }

  const IngestReport& report() const { return total_; }

 private:
  Status rest() {
    EVQ_TRY(make_dataset());
    EVQ_TRY(look_for_change());
    pause_ms(kPollMs);
    return Status::success();
  }

  // A dataset that nothing has come for is there, as where an empty file is loaded: others can look
  // at it meanwhile. On a server its first events make it.
  Status make_dataset() {
    if (std::exchange(made_, true) || total_.counts.ingested > 0) {
      return Status::success();
    }
    const auto report = target_.ingest({}, request_);
    return report.ok() || passes(report.error().code) ? Status::success() : Status(report.error());
  }

  // ------------------------------------------------------------ which file

  // Goes on where the last run stopped, in the file it stopped in, if that is still to be found.
  Status open_first() {
    EVQ_TRY_ASSIGN(const auto stored, target_.progress());
    const std::optional<FollowProgress> known = read_progress(stored.value_or(""));
    std::string path = path_;
    if (known.has_value()) {
      path = path_of(known->file).value_or(path_);
    }
    EVQ_TRY(wait_for_file(path));
    EVQ_TRY_ASSIGN(File file, File::open_input(path, interrupt_control()));
    EVQ_TRY(take_file(std::move(file), path));
    if (!known.has_value() || !(known->file == progress_.file)) {
      return Status::success();
    }
    EVQ_TRY_ASSIGN(const bool further, stored_further(*known));
    progress_.offset = further ? known->next : known->offset;
    EVQ_TRY_ASSIGN(before_, read_before(progress_.offset));
    const auto trace = further ? known->next_trace : known->trace;
    const bool whole =
        before_.size() == std::min<std::uint64_t>(progress_.offset, GrowingFile::kTraceBytes);
    if (!whole || (trace.has_value() && *trace != checksum64(before_))) {
      start_anew();
    }
    return Status::success();
  }

  // A log that is yet to be written is waited for.
  Status wait_for_file(const std::string& path) {
    const auto absent = [&] { return !identity_of(path).has_value() && errno == ENOENT; };
    if (!absent()) {
      return Status::success();
    }
    print_note(global_, "note: there is no " + path + " yet; waiting for it");
    EVQ_TRY(make_dataset());
    while (absent()) {
      EVQ_TRY(interrupt_control().check());
      pause_ms(kPollMs);
    }
    return Status::success();
  }

  // The file's name now: as given, or as rotation renamed it in its folder.
  std::optional<std::string> path_of(const FileIdentity& file) const {
    if (identity_of(path_) == file) {
      return path_;
    }
    std::string folder = std::filesystem::path(path_).parent_path().string();
    folder = folder.empty() ? "." : folder;
    const auto names = list_directory(folder);
    for (const std::string& name : names.ok() ? names.value() : std::vector<std::string>()) {
      std::string path = std::filesystem::path(folder) / name;
      if (identity_of(path) == file) {
        return path;
      }
    }
    return std::nullopt;
  }

  // Whether the batch that was about to be stored is.
  Result<bool> stored_further(const FollowProgress& known) {
    return known.next == known.offset ? Result<bool>(false) : target_.holds(known.stamp);
  }

  // From its start.
  Status take_file(File file, const std::string& path) {
    struct stat info {};
    if (::fstat(file.descriptor(), &info) != 0 || !S_ISREG(info.st_mode)) {
      return make_error(ErrorCode::kUsage, path + " is no regular file",
                        "without --follow, evq ingest reads pipes to their end");
    }
    read_anew();
    file_ = std::move(file);
    progress_ = {.file = {info.st_dev, info.st_ino}, .stamp = progress_.stamp};
    return Status::success();
  }

  void start_anew() {
    print_note(global_, path_ + " was cut short: reading it from its start");
    read_anew();
  }

  void read_anew() {
    reader_.reset();
    batch_.clear();
    before_.clear();
    progress_.offset = 0;
  }

  // At the end of the file: is there a new file of its name?
  Status look_for_change() {
    const std::optional<FileIdentity> now = identity_of(path_);
    if (!now.has_value() || *now == progress_.file) {
      return Status::success();
    }
    auto opened = File::open_input(path_, interrupt_control());
    if (!opened.ok() && opened.error().code == ErrorCode::kNotFound) {
      return Status::success();  // renamed meanwhile: the next one of its name is waited for
    }
    EVQ_TRY_ASSIGN(const bool begun, begin_reading(true));
    if (begun) {
      reader_->source.end();
      EVQ_TRY(read_out());
    }
    EVQ_TRY_ASSIGN(File file, std::move(opened));
    return take_file(std::move(file), path_);
  }

  // ------------------------------------------------------------ what it is

  // False while too little is there to tell what the lines of the file are, of which more may come
  // unless it is `over`.
  Result<bool> begin_reading(bool over) {
    if (reader_.has_value()) {
      return true;
    }
    std::string head(kBatchBytesMax, '\0');
    EVQ_TRY_ASSIGN(const std::size_t size, file_.read_at(0, head));
    head.resize(size);
    if (progress_.offset == 0) {
      EVQ_TRY(check_followed_head(path_, head, options_.format != InputFormat::kDetect));
    }
    const std::size_t lines = head.rfind('\n') + 1;  // 0: there is none
    if (size == 0 || (lines == 0 && !over && size < kBatchBytesMax)) {
      return false;
    }
    look_for_containers(std::string_view(head).substr(0, kContainerHeadBytes));
    EVQ_TRY(choose_format(std::string_view(head).substr(0, lines == 0 ? size : lines)));
    EVQ_TRY_ASSIGN(const InputBefore before, before_offset());
    reader_.emplace(file_, progress_.offset, before_, options_, clock_,
                    progress_.offset > 0 ? &before : nullptr);
    request_.options = options_;
    return true;
  }

  // Whether its lines come out of containers: told once, by the beginning of the file, as where a
  // file is loaded whole.
  void look_for_containers(std::string_view head) {
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

  // Told once, by the first lines: every file is read the same way.
  Status choose_format(std::string_view head) {
    InputFormat& format = options_.format;
    if (format != InputFormat::kDetect) {
      return Status::success();
    }
    const std::size_t first = head.find_first_not_of(" \t\r\n");
    const bool object = first != std::string_view::npos && head[first] == '{';
    const auto kind = detect_kind(head, InputFormat::kDetect, true);
    // Where a run goes on, the last one has read it as lines.
    if (progress_.offset == 0 && !options_.multiline &&
        kind == std::optional(PieceKind::kRecords)) {
      Error error = header_error();
      error.hint =
          path_ + " seems to be CSV with a header line; --format text makes an event of each line";
      return error;
    }
    format = object                                      ? InputFormat::kNdjson
             : kind == std::optional(PieceKind::kLogfmt) ? InputFormat::kLogfmt
             : kind == std::optional(PieceKind::kW3c)    ? InputFormat::kW3c
                                                         : InputFormat::kText;
    return Status::success();
  }

  // What one would know who has read the file up to the offset: the first megabyte tells it and, of
  // the last line, what is right before the offset; the header of a W3C log may change anywhere.
  Result<InputBefore> before_offset() const {
    const std::uint64_t end = options_.format == InputFormat::kNdjson ? 0 : progress_.offset;
    InputBefore before;
    std::string text;
    for (std::uint64_t at = 0; at < end;) {
      text.resize(std::min<std::uint64_t>(end - at, kBatchBytesMax));
      EVQ_TRY_ASSIGN(const std::size_t size, file_.read_at(at, text));
      const std::size_t lines = std::string_view(text).substr(0, size).rfind('\n') + 1;
      text.resize(lines == 0 ? size : lines);
      if (text.empty()) {
        break;
      }
      const std::unique_ptr<ByteSource> source = memory_source(text);
      PieceCutter cutter(*source, options_, clock_, at == 0 ? nullptr : &before);
      for (auto outcome = PieceCutter::Outcome::kWaiting; outcome != PieceCutter::Outcome::kEnd;) {
        Piece piece;
        EVQ_TRY_ASSIGN(outcome, cutter.next(kBatchBytesMax, -1, piece));
      }
      before = cutter.behind();
      at += text.size();
      if (options_.format == InputFormat::kCsv) {
        break;
      }
      const bool skips = options_.format != InputFormat::kW3c && end - at > kBatchBytesMax;
      at = skips ? end - kBatchBytesMax : at;
      before.bytes = at;
    }
    before.bytes = progress_.offset;
    before.has_events = true;
    return before;
  }

  // ------------------------------------------------------------ its lines

  // Takes what has come since the last time; false when that is nothing.
  Result<bool> read_on() {
    EVQ_TRY_ASSIGN(const bool begun, begin_reading(false));
    if (!begun) {
      return false;
    }
    const std::uint64_t place = reader_->source.place();
    EVQ_TRY_ASSIGN(const PieceCutter::Outcome outcome, take_piece());
    if (reader_->source.was_emptied()) {
      reader_->cutter.stop();
      EVQ_TRY(read_out());
      start_anew();
      return true;
    }
    const std::int64_t now_ns = monotonic_now_ns();
    if (reader_->source.place() != place) {
      read_last_ns_ = now_ns;
    } else if (now_ns - read_last_ns_ >= kLogEntryWaitMs * kMillisecondNs &&
               outcome != PieceCutter::Outcome::kPiece) {
      EVQ_TRY(store_batch(batch_.size()));
    }
    return outcome == PieceCutter::Outcome::kPiece || reader_->source.place() != place;
  }

  // Stores what is left of a file that nothing is appended to any more.
  Status read_out() {
    for (auto outcome = PieceCutter::Outcome::kWaiting; outcome != PieceCutter::Outcome::kEnd;) {
      EVQ_TRY(interrupt_control().check());
      EVQ_TRY_ASSIGN(outcome, take_piece());
    }
    return store_batch(batch_.size());
  }

  Result<PieceCutter::Outcome> take_piece() {
    Piece piece;
    auto outcome = reader_->cutter.next(kBatchBytesMax, 0, piece);
    if (!outcome.ok()) {
      Error error = std::move(outcome).take_error();
      error.message.insert(0, path_ + ": ");
      return error;
    }
    for (const LostEvent& event : piece.lost) {
      note_failure(reader_->begin + event.offset, event.reason);
      total_.counts.fail({event.line, event.column, event.offset, event.reason, piece.receipt_ns});
    }
    if (*outcome == PieceCutter::Outcome::kPiece) {
      EVQ_TRY(take_events(piece));
      reader_->cutter.recycle(std::move(piece));
    }
    return outcome;
  }

  // Stores the events of a piece, but those parts of containers' lines that others are to follow.
  Status take_events(const Piece& piece) {
    const std::uint64_t begin = reader_->begin + piece.offset;
    if (begin != batch_begin_ + batch_.size()) {
      EVQ_TRY(store_batch(batch_.size()));  // between them is what was no event
    }
    if (batch_.empty()) {
      batch_begin_ = begin;
      batch_before_ = {begin,
                       !piece.is_first,
                       reader_->cutter.csv().columns,
                       piece.time_before,
                       piece.date_order,
                       piece.w3c_header};
    }
    batch_ += piece.text();
    if (piece.kind == PieceKind::kRecords) {
      request_.options.csv_delimiter = reader_->cutter.csv().delimiter;
    }
    return store_batch(containers_ == Containers::kParts ? whole_parts_end(batch_) : batch_.size());
  }

  // ------------------------------------------------------------ to the store

  // So many bytes of the batch; the others begin the next one.
  Status store_batch(std::size_t size) {
    if (size == 0) {
      return Status::success();
    }
    std::string rest = batch_.substr(size);
    batch_.resize(size);
    line_starts_ = {};
    EVQ_TRY(store_whole_batch());
    batch_ = std::move(rest);
    batch_begin_ += size;
    batch_before_.has_events = true;
    return Status::success();
  }

  Status store_whole_batch() {
    const bool adjoins = batch_begin_ == progress_.offset;
    progress_.next = batch_begin_ + batch_.size();
    progress_.stamp = std::max(progress_.stamp + 1, wall_clock_now_ns());
    std::string before = GrowingFile::trace_behind(before_, batch_);
    if (!adjoins) {
      EVQ_TRY_ASSIGN(before, read_before(progress_.next));
    }
    progress_.trace = checksum64(before_);
    progress_.next_trace = checksum64(before);
    if (target_.exactly_once()) {
      EVQ_TRY(save());
    }
    const std::string rewritten = rewritten_batch();
    const std::string& events = containers_ == Containers::kNone ? batch_ : rewritten;
    auto report = target_.ingest(events, request_);
    while (!report.ok() && passes(report.error().code)) {
      EVQ_TRY(wait_for_room(report.error()));
      report = target_.ingest(events, request_);
    }
    if (!report.ok()) {
      Error error = std::move(report).take_error();
      if (total_.counts.ingested > 0) {
        error.hint.clear();  // what it says is stored is so of this batch alone
      }
      return error;
    }
    waits_ = false;
    progress_.offset = progress_.next;
    progress_.trace = progress_.next_trace;
    before_ = std::move(before);
    total_.blocks_created += report.value().blocks_created;
    total_.fresh_chunks = report.value().fresh_chunks;
    total_.counts.add(std::move(report.value().counts));
    return target_.exactly_once() ? Status::success() : save();
  }

  // A server that went away may come back, and a full disk may be given room.
  static bool passes(ErrorCode code) {
    return code == ErrorCode::kServer || code == ErrorCode::kUnavailable ||
           code == ErrorCode::kDiskFull || code == ErrorCode::kReadOnly;
  }
  Status wait_for_room(const Error& error) {
    if (!std::exchange(waits_, true)) {
      print_note(global_, "note: " + error.message + "; trying again");
    }
    for (std::int64_t waited = 0; waited < kServerWaitMs; waited += kPollMs) {
      EVQ_TRY(interrupt_control().check());
      pause_ms(kPollMs);
    }
    return Status::success();
  }

  // The batch as events, where its lines come out of containers.
  std::string rewritten_batch() const {
    std::string text;
    std::string_view rest = containers_ == Containers::kNone ? std::string_view() : batch_;
    PartJoiner parts;
    while (!rest.empty()) {
      const std::size_t size = std::min(rest.find('\n'), rest.size() - 1) + 1;
      std::string_view line = rest.substr(0, size);
      if (containers_ == Containers::kNamed) {
        append_named_line(take_line(&line), options_, &text);
      } else {
        parts.add(line, &text);
      }
      rest.remove_prefix(size);
    }
    parts.end(&text);
    return text;
  }

  void note_failure(std::uint64_t byte, const std::string& reason) const {
    print_note(global_,
               path_ + ": byte " + std::to_string(byte) + ": " + reason + " (line skipped)");
  }

  Status save() { return target_.save(progress_text(progress_)); }

  // What stands before a place of the file; less than wanted where the file ends before it.
  Result<std::string> read_before(std::uint64_t offset) const {
    std::string text(std::min<std::uint64_t>(offset, GrowingFile::kTraceBytes), '\0');
    EVQ_TRY_ASSIGN(const std::size_t size, file_.read_at(offset - text.size(), text));
    text.resize(size);
    return text;
  }

  const GlobalOptions& global_;
  const IngestCommand& command_;
  FollowTarget& target_;
  const std::string path_;
  const std::function<std::int64_t()> clock_ = wall_clock_now_ns;
  IngestOptions options_;  // of the file's lines
  IngestRequest request_;  // of a batch
  File file_;
  FollowProgress progress_;
  std::string before_;  // the offset, as far as a trace goes
  enum class Containers : std::uint8_t { kNone, kNamed, kParts };
  std::optional<Containers> containers_;
  std::optional<FollowedFile> reader_;  // none until the file's first line is there
  std::int64_t read_last_ns_ = 0;
  std::string batch_;  // that is being stored, or waits for more
  std::uint64_t batch_begin_ = 0;
  InputBefore batch_before_;
  LineStarts line_starts_;
  bool made_ = false;   // the dataset
  bool waits_ = false;  // for a server or room, which the user was told
  IngestReport total_;
};

}  // namespace

int run_follow(const GlobalOptions& global, const IngestCommand& command) {
  if (command.files.size() != 1 || command.files[0] == "-") {
    return report_error(make_error(ErrorCode::kUsage, "--follow takes one file",
                                   "follow several files by several commands"));
  }
  if (!command.reject_file.empty()) {
    return report_error(make_error(ErrorCode::kUsage, "--follow keeps no rejected lines",
                                   "leave out --reject-file: lines that fail are told on standard "
                                   "error"));
  }
  if (const Status named = check_input_path(command.files[0]); !named.ok()) {
    return report_error(named.error());
  }
  std::error_code failed;
  const auto absolute = std::filesystem::absolute(command.files[0], failed);
  auto target =
      open_follow_target(global, command.dataset, failed ? command.files[0] : absolute.string());
  if (!target.ok()) {
    return report_error(target.error());
  }
  Follower follower(global, command, *target.value());
  const Status done = follower.run();
  const IngestReport& report = follower.report();
  const std::string text = "ingested " + grouped_text(report.counts.ingested) + ", failed " +
                           grouped_text(report.counts.failed);
  if (command.output.empty()) {
    print_note(global, text);
  } else if (const int status =
                 print_data((command.output == "json" ? write_ingest_report(report) : text) + "\n");
             status != 0) {
    return status;
  }
  return report_end(done);
}

}  // namespace evq
