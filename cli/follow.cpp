#include "cli/follow.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/stat.h>

#include "cli/container_lines.h"
#include "cli/follow_target.h"
#include "cli/ingest_options.h"
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
#include "store/ingest/format.h"
#include "store/ingest/log_entry.h"
#include "store/ingest/w3c_log.h"

namespace evq {
namespace {

constexpr std::int64_t kPollMs = 100;
constexpr std::int64_t kServerWaitMs = 1000;
constexpr std::size_t kBatchBytesMax = std::size_t{1} << 20U;
// Enough to tell whether lines come out of containers.
constexpr std::size_t kContainerHeadBytes = 256 * kKibibyte;

struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    return std::nullopt;
  }
  return FileIdentity{info.st_dev, info.st_ino};
}

// Bytes before the place a file was read to, by which one that was emptied and written anew is told
// from one that grew.
constexpr std::size_t kTraceBytes = 256;

// How far a file was read.
struct ReadSoFar {
  FileIdentity file;
  std::uint64_t offset = 0;  // all before it is stored
  std::uint64_t next = 0;    // the end of the batch that may be stored as well
  std::int64_t stamp = 0;    // the receipt time of that batch
  // Checksums of what stood before these two places; nothing: not known.
  std::optional<std::uint64_t> trace = std::nullopt;
  std::optional<std::uint64_t> next_trace = std::nullopt;
};

std::string progress_text(const ReadSoFar& progress) {
  std::string text;
  for (const std::uint64_t number : {progress.file.device, progress.file.inode, progress.offset,
                                     progress.next, static_cast<std::uint64_t>(progress.stamp),
                                     progress.trace.value_or(0), progress.next_trace.value_or(0)}) {
    text += (text.empty() ? "" : " ") + std::to_string(number);
  }
  return text;
}

// The last two numbers may be missing.
std::optional<ReadSoFar> read_progress(std::string_view text) {
  constexpr std::size_t kNumbersMin = 5;
  constexpr std::size_t kNumbersMax = 7;
  std::vector<std::uint64_t> numbers;
  while (!text.empty() && numbers.size() < kNumbersMax) {
    const auto [at, error] =
        std::from_chars(text.data(), text.data() + text.size(), numbers.emplace_back());
    if (error != std::errc()) {
      return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(at - text.data()));
    text.remove_prefix(text.starts_with(' ') ? 1 : 0);
  }
  if (numbers.size() < kNumbersMin) {
    return std::nullopt;
  }
  ReadSoFar progress{.file = {numbers[0], numbers[1]},
                     .offset = numbers[2],
                     .next = numbers[3],
                     .stamp = static_cast<std::int64_t>(numbers[4])};
  if (numbers.size() == kNumbersMax) {
    progress.trace = numbers[5];
    progress.next_trace = numbers[6];
  }
  return progress;
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

class Follower {
 public:
  Follower(const GlobalOptions& global, const IngestCommand& command, FollowTarget& target)
      : global_(global), command_(command), target_(target), path_(command.files[0]) {}

  Status run() {
    EVQ_TRY_ASSIGN(request_.options, make_ingest_options(command_));
    const InputFormat format = request_.options.format;
    const bool csv = format == InputFormat::kCsv || !request_.options.csv_fields.empty();
    if (format == InputFormat::kJson || (csv && request_.options.csv_fields.empty())) {
      return header_error();
    }
    request_.options.format = csv ? InputFormat::kCsv : format;
    request_.atomic = true;
    request_.clock = [this] { return progress_.stamp; };
    request_.reject = [this](std::string_view /*text*/, const IngestFailure& failure) {
      const std::uint64_t byte = progress_.offset + line_starts_.find(batch_, failure.line);
      print_note(global_, path_ + ": byte " + std::to_string(byte) + ": " + failure.reason +
                              " (line skipped)");
    };
    EVQ_TRY(open_first());
    while (true) {
      EVQ_TRY_ASSIGN(const bool progressed, read_batch(false));
      EVQ_TRY(progressed ? Status::success() : rest());
    }
  }

  const IngestReport& report() const { return total_; }

 private:
  Status rest() {
    EVQ_TRY(look_for_change());
    EVQ_TRY(interrupt_control().check());
    static_cast<void>(::poll(nullptr, 0, kPollMs));
    return Status::success();
  }

  // Goes on where the last run stopped, in the file it stopped in, if that is still to be found.
  Status open_first() {
    EVQ_TRY_ASSIGN(const auto stored, target_.progress());
    const std::optional<ReadSoFar> known = read_progress(stored.value_or(""));
    std::string path = path_;
    if (known.has_value()) {
      path = path_of(known->file).value_or(path_);
    }
    EVQ_TRY(wait_for_file(path));
    EVQ_TRY(open(path));
    if (!known.has_value() || !(known->file == progress_.file)) {
      return Status::success();
    }
    EVQ_TRY_ASSIGN(const bool further, stored_further(*known));
    progress_.offset = further ? known->next : known->offset;
    EVQ_TRY_ASSIGN(before_, read_before(progress_.offset));
    const auto trace = further ? known->next_trace : known->trace;
    const bool whole = before_.size() == std::min<std::uint64_t>(progress_.offset, kTraceBytes);
    if (!whole || (trace.has_value() && *trace != checksum64(before_))) {
      start_anew();
    }
    return Status::success();
  }

  // A log that is yet to be written is waited for.
  Status wait_for_file(const std::string& path) const {
    const auto absent = [&] { return !identity_of(path).has_value() && errno == ENOENT; };
    if (!absent()) {
      return Status::success();
    }
    print_note(global_, "note: there is no " + path + " yet; waiting for it");
    while (absent()) {
      EVQ_TRY(interrupt_control().check());
      static_cast<void>(::poll(nullptr, 0, kPollMs));
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
  Result<bool> stored_further(const ReadSoFar& known) {
    return known.next == known.offset ? Result<bool>(false) : target_.holds(known.stamp);
  }

  Status open(const std::string& path) {
    EVQ_TRY_ASSIGN(file_, File::open_input(path, interrupt_control()));
    struct stat info {};
    if (::fstat(file_.descriptor(), &info) != 0 || !S_ISREG(info.st_mode)) {
      return make_error(ErrorCode::kUsage, path + " is no regular file",
                        "without --follow, evq ingest reads pipes to their end");
    }
    progress_ = {.file = {info.st_dev, info.st_ino}, .stamp = progress_.stamp};
    before_.clear();
    request_.options.w3c_header.reset();
    return Status::success();
  }

  // Stores the whole lines after the offset; at the end of a file that is `over`, also a last line
  // without its end. False when there are none.
  Result<bool> read_batch(bool over) {
    EVQ_TRY_ASSIGN(std::string text, read_on());
    if (is_within_line() && !text.empty()) {
      EVQ_TRY(pass_line_rest(text));
      return true;
    }
    const std::size_t size = text.size();
    const std::size_t end = text.rfind('\n');
    if (end == std::string::npos && size == batch_bytes_ &&
        batch_bytes_ <= request_.options.line_bytes_max) {
      batch_bytes_ *= 2;  // a line longer than a batch
      return true;
    }
    if (size == 0 || (end == std::string::npos && !over && size < batch_bytes_)) {
      return false;
    }
    text.resize(end == std::string::npos ? size : end + 1);
    EVQ_TRY(look_for_containers());
    if (request_.options.multiline && !over && may_go_on(text)) {
      text.resize(last_entry_begin(text));
      if (containers_ == Containers::kParts) {
        text.resize(whole_parts_end(text));
      }
      if (text.empty()) {
        return false;
      }
    }
    EVQ_TRY(choose_format(text));
    batch_bytes_ = kBatchBytesMax;
    batch_ = std::move(text);
    line_starts_ = {};
    EVQ_TRY(store_batch());
    return true;
  }

  // Whether the offset is behind the beginning of a line that was too long.
  bool is_within_line() const { return !before_.empty() && before_.back() != '\n'; }

  // Its rest is no line of its own.
  Status pass_line_rest(std::string_view text) {
    const std::string_view rest = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    progress_.offset += rest.size();
    progress_.next = progress_.offset;
    before_ = trace_behind(rest);
    progress_.trace = checksum64(before_);
    progress_.next_trace = progress_.trace;
    return save();
  }

  // What stands before the offset once `text` is behind it.
  std::string trace_behind(std::string_view text) const {
    std::string trace = before_;
    trace.append(text.substr(text.size() - std::min(text.size(), kTraceBytes)));
    trace.erase(0, trace.size() - std::min(trace.size(), kTraceBytes));
    return trace;
  }

  // Whether the last entry of the lines may have more yet to come.
  bool may_go_on(std::string_view lines) {
    const std::uint64_t end = progress_.offset + lines.size();
    const std::int64_t now_ns = monotonic_now_ns();
    if (std::exchange(lines_end_, end) != end) {
      lines_end_since_ns_ = now_ns;
    }
    return now_ns - lines_end_since_ns_ < kLogEntryWaitMs * kMillisecondNs;
  }

  Status store_batch() {
    progress_.next = progress_.offset + batch_.size();
    progress_.stamp = std::max(progress_.stamp + 1, wall_clock_now_ns());
    std::string before = trace_behind(batch_);
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
    if (request_.options.format == InputFormat::kW3c) {
      request_.options.w3c_header = w3c_header_behind(batch_, request_.options.w3c_header);
    }
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
      static_cast<void>(::poll(nullptr, 0, kPollMs));
    }
    return Status::success();
  }

  // Whether its lines come out of containers: told once, by the beginning of the file, as where a
  // file is loaded whole.
  Status look_for_containers() {
    if (containers_.has_value()) {
      return {};
    }
    std::string head(kContainerHeadBytes, '\0');
    EVQ_TRY_ASSIGN(const std::size_t size, file_.read_at(0, head));
    head.resize(size);
    IngestOptions& options = request_.options;
    containers_ = Containers::kNone;
    if (options.multiline && is_container_part(head)) {
      containers_ = Containers::kParts;
    } else if (!options.multiline && options.format == InputFormat::kDetect &&
               names_containers(head)) {
      containers_ = Containers::kNamed;
      options.format = InputFormat::kNdjson;
    }
    return {};
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
        append_named_line(take_line(&line), request_.options, &text);
      } else {
        parts.add(line, &text);
      }
      rest.remove_prefix(size);
    }
    parts.end(&text);
    return text;
  }

  // Told once, by the first line: every batch is read the same way.
  Status choose_format(std::string_view text) {
    InputFormat& format = request_.options.format;
    if (progress_.offset > 0 && request_.options.w3c_header == nullptr) {
      EVQ_TRY(read_w3c_header());
    }
    if (format == InputFormat::kDetect) {
      const std::size_t first = text.find_first_not_of(" \t\r\n");
      const bool object = first != std::string_view::npos && text[first] == '{';
      const auto kind = detect_kind(text, InputFormat::kDetect, true);
      // Further down, where a run may begin, a line of a log can look like one.
      if (progress_.offset == 0 && kind == std::optional(PieceKind::kRecords)) {
        Error error = header_error();
        error.hint =
            path_ +
            " seems to be CSV with a header line; --format text makes an event of each line";
        return error;
      }
      format = object                                      ? InputFormat::kNdjson
               : kind == std::optional(PieceKind::kLogfmt) ? InputFormat::kLogfmt
               : kind == std::optional(PieceKind::kW3c)    ? InputFormat::kW3c
                                                           : InputFormat::kText;
    }
    return {};
  }

  // Where the file is such a log: the header that the lines behind the offset have.
  Status read_w3c_header() {
    InputFormat& format = request_.options.format;
    if (format != InputFormat::kDetect && format != InputFormat::kW3c) {
      return {};
    }
    std::shared_ptr<const W3cHeader> header;
    std::string text;
    for (std::uint64_t at = 0; at < progress_.offset;) {
      text.resize(std::min<std::uint64_t>(progress_.offset - at, kBatchBytesMax));
      EVQ_TRY_ASSIGN(const std::size_t size, file_.read_at(at, text));
      text.resize(size);
      if (text.empty() || (at == 0 && begins_with_w3c_header(text, true) != std::optional(true))) {
        return {};
      }
      // Of lines that are longer than a batch nothing is asked.
      const std::size_t line_end = text.rfind('\n');
      const std::size_t whole = line_end == std::string::npos ? text.size() : line_end + 1;
      header = w3c_header_behind(std::string_view(text).substr(0, whole), std::move(header));
      at += whole;
    }
    format = InputFormat::kW3c;
    request_.options.w3c_header = std::move(header);
    return {};
  }

  Status save() { return target_.save(progress_text(progress_)); }

  // What stands before a place of the file; less than wanted where the file ends before it.
  Result<std::string> read_before(std::uint64_t offset) const {
    std::string text(std::min<std::uint64_t>(offset, kTraceBytes), '\0');
    EVQ_TRY_ASSIGN(const std::size_t size, file_.read_at(offset - text.size(), text));
    text.resize(size);
    return text;
  }

  // What stands behind the offset, at most a batch. A file that was emptied may have been written
  // anew to any length since: what stands before the offset is read at the same time, and tells.
  Result<std::string> read_on() {
    std::string text(before_.size() + batch_bytes_, '\0');
    EVQ_TRY_ASSIGN(const std::size_t size, file_.read_at(progress_.offset - before_.size(), text));
    text.resize(size);
    if (!text.starts_with(before_)) {
      start_anew();
      return read_on();
    }
    text.erase(0, before_.size());
    return text;
  }

  void start_anew() {
    print_note(global_, path_ + " was cut short: reading it from its start");
    progress_.offset = 0;
    before_.clear();
    request_.options.w3c_header.reset();
  }

  // At the end of the file: is there a new file of its name?
  Status look_for_change() {
    const std::optional<FileIdentity> now = identity_of(path_);
    if (!now.has_value() || *now == progress_.file) {
      return Status::success();
    }
    bool more = true;
    while (more) {
      EVQ_TRY_ASSIGN(more, read_batch(true));
    }
    Status opened = open(path_);
    // It may have been renamed meanwhile: the next one of its name is waited for.
    const bool gone = !opened.ok() && opened.error().code == ErrorCode::kNotFound;
    return gone ? Status::success() : std::move(opened);
  }

  const GlobalOptions& global_;
  const IngestCommand& command_;
  FollowTarget& target_;
  const std::string path_;
  IngestRequest request_;
  File file_;
  ReadSoFar progress_;
  std::string before_;  // the offset, at most kTraceBytes
  enum class Containers : std::uint8_t { kNone, kNamed, kParts };
  std::optional<Containers> containers_;
  std::string batch_;  // that is being stored
  LineStarts line_starts_;
  std::size_t batch_bytes_ = kBatchBytesMax;
  std::uint64_t lines_end_ = 0;  // of those that were there at the last look
  std::int64_t lines_end_since_ns_ = 0;
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
