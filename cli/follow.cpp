#include "cli/follow.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "cli/follow_form.h"
#include "cli/follow_target.h"
#include "cli/followed_file.h"
#include "cli/ingest_options.h"
#include "cli/input_files.h"
#include "cli/interrupt.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "http/wire.h"
#include "store/base/checksum.h"
#include "store/base/control.h"
#include "store/base/file.h"
#include "store/base/process.h"
#include "store/base/time.h"
#include "store/base/told_number.h"
#include "store/ingest/log_entry.h"

namespace evq {
namespace {

constexpr std::int64_t kPollMs = PathWatch::kPollMs;
constexpr std::int64_t kServerWaitMs = 1000;
constexpr std::size_t kBatchBytesMax = std::size_t{1} << 20U;
// The last line of a renamed file is over without its end when nothing has come for so long.
constexpr std::int64_t kLineEndWaitMs = 5000;

class Follower {
 public:
  Follower(const GlobalOptions& global, const IngestCommand& command, FollowTarget& target)
      : global_(global),
        command_(command),
        target_(target),
        path_(command.files[0], interrupt_control()) {}

  Status run() {
    EVQ_TRY_ASSIGN(IngestOptions options, make_ingest_options(command_));
    EVQ_TRY_ASSIGN(form_, FollowForm::make(std::move(options), path_.path()));
    request_.atomic = true;
    request_.clock = [this] { return stamp_; };
    request_.reject = [this](std::string_view /*text*/, const IngestFailure& failure) {
      const std::uint64_t line = form_->line_of(failure.line);
      note_failure(*batch_file_, batch_begin_ + line_starts_.find(batch_, line), failure.reason);
    };
    raise_descriptor_limit();
    // Half of the descriptors are left to the target.
    files_max_ = std::clamp<std::size_t>(descriptor_limit() / 2, 2, kFollowedFilesWaitingMax);
    EVQ_TRY(open_first());
    while (true) {
      EVQ_TRY(interrupt_control().check());
      EVQ_TRY_ASSIGN(const bool progressed, read_files());
      EVQ_TRY(progressed ? Status::success() : make_dataset());
      if (monotonic_now_ns() - looked_ns_ >= kPollMs * kMillisecondNs) {
        EVQ_TRY(look_for_files());
        EVQ_TRY(give_up_renamed());
      }
      if (!progressed) {
        pause_ms(kPollMs);
      }
    }
  }

  const IngestReport& report() const { return total_; }

 private:
  // A dataset that nothing has come for is there, as where an empty file is loaded: others can look
  // at it meanwhile. On a server its first events make it.
  Status make_dataset() {
    if (std::exchange(made_, true) || total_.counts.ingested > 0) {
      return Status::success();
    }
    const auto report = target_.ingest({}, request_);
    return report.ok() || passes(report.error()) ? Status::success() : Status(report.error());
  }

  // ------------------------------------------------------------ which files

  // Goes on where the last run stopped, in the files that it read, as far as they are to be found.
  Status open_first() {
    EVQ_TRY_ASSIGN(const auto stored, target_.progress());
    for (FollowProgress& known : read_progress(stored.value_or(""))) {
      stamp_ = std::max(stamp_, known.stamp);
      EVQ_TRY_ASSIGN(const bool further, stored_further(known));
      if (further) {
        known.offset = known.next;
        known.trace = known.next_trace;
      }
      EVQ_TRY_ASSIGN(auto found, find_followed(path_, known));
      if (found == nullptr) {
        tell_of_lost(known);
      } else {
        files_.push_back(std::move(found));
      }
    }
    EVQ_TRY(files_.empty() ? open_file() : Status::success());
    return save_if_there_is_room();
  }

  // Whether the batch that was about to be stored is.
  Result<bool> stored_further(const FollowProgress& known) {
    return known.next == known.offset ? Result<bool>(false) : target_.holds(known.stamp);
  }

  void tell_of_lost(const FollowProgress& known) {
    if (regular_file_at(path_.path()) == known.file) {
      tell_of_cut(path_.path());
    } else {
      print_note(global_, "note: the file that was followed as " + path_.path() +
                              " before is not found any more; what came to it after byte " +
                              std::to_string(known.offset) + " is not stored");
    }
  }

  void tell_of_cut(const std::string& name) {
    print_note(global_, name + " was cut short: reading it from its start");
  }

  // The file that is at the path. One that is yet to be written is looked for like those that come
  // after it.
  Status open_file() {
    struct stat info {};
    if (::stat(path_.path().c_str(), &info) != 0 && errno == ENOENT) {
      print_note(global_, "note: there is no " + path_.path() + " yet; waiting for it");
      return Status::success();
    }
    EVQ_TRY_ASSIGN(File file, File::open_input(path_.path(), interrupt_control()));
    const std::optional<FileIdentity> identity = regular_file_of(file);
    if (!identity.has_value()) {
      return make_error(ErrorCode::kUsage, path_.path() + " is no regular file",
                        "without --follow, evq ingest reads pipes to their end");
    }
    files_.push_back(std::make_unique<FollowedFile>(std::move(file), *identity));
    return Status::success();
  }

  // Takes the files that have come to the path; those before them are kept, for what still comes to
  // them. The progress has them from now on: before anything of them is stored, they may be renamed
  // as well.
  Status look_for_files() {
    looked_ns_ = monotonic_now_ns();
    const std::size_t files_before = files_.size();
    for (FollowedPath::Sight& sight : std::exchange(seen_, {})) {
      EVQ_TRY(take_file(std::move(sight)));
    }
    EVQ_TRY(take_file(path_.look(identities(), looked_ns_)));
    for (std::size_t i = 0; i + 1 < files_.size(); ++i) {
      files_[i]->renamed_ns = files_[i]->renamed_ns.value_or(looked_ns_);
    }
    return files_.size() > files_before ? save_if_there_is_room() : Status::success();
  }

  // Of all that are open.
  std::vector<FileIdentity> identities() const {
    std::vector<FileIdentity> known;
    for (const auto& file : files_) {
      known.push_back(file->progress.file);
    }
    for (const FollowedPath::Sight& sight : seen_) {
      const auto identity = sight.opened ? regular_file_of(*sight.opened) : std::nullopt;
      known.insert(known.end(), identity.has_value() ? 1 : 0, identity.value_or(FileIdentity{}));
    }
    return known;
  }

  Status take_file(FollowedPath::Sight sight) {
    if (sight.trouble.has_value()) {
      print_note(global_, "note: " + *sight.trouble + "; trying again");
    }
    const auto identity = sight.opened ? regular_file_of(*sight.opened) : std::nullopt;
    if (identity.has_value() && files_.size() >= files_max_) {
      tell_of_too_many(*identity);
    } else if (identity.has_value()) {
      const FollowProgress start = reading_start(*sight.opened, given_up_);
      std::erase_if(given_up_, [&](const auto& known) { return known.file == *identity; });
      files_.push_back(std::make_unique<FollowedFile>(*std::move(sight.opened), *identity));
      const auto begun = files_.back()->go_on(start);
      return begun.ok() ? Status::success() : Status(begun.error());
    } else if (sight.known.has_value()) {  // the last, or one that came back
      const auto back = files_.begin() + static_cast<std::ptrdiff_t>(*sight.known);
      std::rotate(back, back + 1, files_.end());
      files_.back()->renamed_ns.reset();
    }
    return Status::success();
  }

  void tell_of_too_many(const FileIdentity& file) {
    if (std::exchange(refused_, file) != file) {
      print_note(global_, "note: " + path_.path() + " is a new file again, and " +
                              std::to_string(files_.size()) +
                              " that had its name wait to be stored, as many as may be open "
                              "(ulimit -n): what comes to it is lost if it is renamed before they "
                              "are stored");
    }
  }

  // Lets renamed files go that have been read and that nothing comes to any more.
  Status give_up_renamed() {
    for (std::size_t i = 0; i + 1 < files_.size(); ++i) {
      FollowedFile& file = *files_[i];
      const auto over = end_if_quiet(file);
      if (!over.ok()) {
        return let_go_if_unreadable(file, over.error());
      }
      if (over.value()) {  // the others at the next look
        return is_renamed(file) ? let_go(file) : Status::success();
      }
    }
    return Status::success();
  }

  // Whether a renamed file is over: a last line that has no end is stored then. It is sooner when
  // nothing has come since the file was renamed. Where something has, a program writes to it still,
  // some of them in blocks that end anywhere.
  Result<bool> end_if_quiet(FollowedFile& file) {
    const std::int64_t renamed_ns = file.renamed_ns.value_or(looked_ns_);
    const std::int64_t quiet_ms =
        (looked_ns_ - std::max(file.grown_ns, renamed_ns)) / kMillisecondNs;
    EVQ_TRY_ASSIGN(const std::uint64_t size, file.file.size());
    if (!file.at_end || size != file.seen_bytes) {
      return false;  // or nobody has looked at it since it grew
    }
    const bool over = quiet_ms >= kRenamedFileQuietMs ||
                      files_.size() > std::min(kFollowedFilesMax, files_max_ - 1);
    const std::uint64_t place = file.lines ? file.lines->source.place() : size;
    const bool ends = quiet_ms >= kLineEndWaitMs && file.grown_ns <= renamed_ns;
    if (over || (ends && place > file.progress.offset)) {
      EVQ_TRY(end_lines(file));
    }
    return over;
  }

  Status end_lines(FollowedFile& file) {
    EVQ_TRY_ASSIGN(const bool begun, begin_reading(file, true));
    if (begun) {
      file.lines->source.end();
      EVQ_TRY(read_out(file));
      file.pass_read();
    }
    file.lines.reset();
    return Status::success();
  }

  bool is_renamed(const FollowedFile& file) const { return &file != files_.back().get(); }

  Status let_go(const FollowedFile& file) {
    given_up_.push_back(file.progress);
    if (given_up_.size() > kFollowedFilesMax) {
      given_up_.erase(given_up_.begin());
    }
    std::erase_if(files_, [&](const auto& other) { return other.get() == &file; });
    return save_if_there_is_room();
  }

  // A renamed file may be out of reach for good, as one that a file server has removed: the others
  // go on. `error` where it is another's.
  Status let_go_if_unreadable(const FollowedFile& file, Error error) {
    if (!is_renamed(file) || file.is_readable()) {
      return error;
    }
    print_note(global_, "note: " + error.message + "; what came to " + name_of(file) +
                            " after byte " + std::to_string(file.progress.offset) +
                            " is not stored");
    return let_go(file);
  }

  // For the user.
  std::string name_of(const FollowedFile& file) const {
    return (is_renamed(file) ? "a renamed file of " : "") + path_.path();
  }

  // ------------------------------------------------------------ their lines

  // Takes what has come since the last time; false when that is nothing. Where much has, it is read
  // before that of later files.
  Result<bool> read_files() {
    const std::int64_t now_ns = monotonic_now_ns();
    reading_ns_ += std::min(now_ns - std::exchange(read_ns_, now_ns), 2 * kPollMs * kMillisecondNs);
    bool progressed = false;
    // By index: files come to the path while one waits for room (wait_for_room).
    for (std::size_t i = 0; i < files_.size(); ++i) {
      FollowedFile& file = *files_[i];
      const auto more = read_on(file);
      if (!more.ok()) {
        EVQ_TRY(let_go_if_unreadable(file, more.error()));
        return true;
      }
      file.at_end = !more.value();
      progressed = progressed || more.value();
      if (more.value() && file.lines &&
          file.seen_bytes > file.lines->source.place() + kBatchBytesMax) {
        break;
      }
    }
    return progressed;
  }

  // False while it is not known what its lines are.
  Result<bool> begin_reading(FollowedFile& file, bool over) {
    if (file.lines.has_value()) {
      return true;
    }
    const std::uint64_t offset = file.progress.offset;
    EVQ_TRY_ASSIGN(const bool told, form_->tell(file.file, offset, over));
    if (!told) {
      return false;
    }
    EVQ_TRY_ASSIGN(const InputBefore before,
                   form_->before(file.file, offset, clock_, interrupt_control()));
    file.lines.emplace(file.file, offset, file.before, form_->options(), clock_,
                       offset > 0 ? &before : nullptr, form_->has_parts());
    request_.options = form_->options();
    return true;
  }

  Result<bool> read_on(FollowedFile& file) {
    EVQ_TRY_ASSIGN(file.seen_bytes, file.file.size());
    EVQ_TRY_ASSIGN(const bool begun, begin_reading(file, false));
    if (!begun) {
      return false;
    }
    FollowedLines& lines = *file.lines;
    const std::uint64_t place = lines.source.place();
    EVQ_TRY_ASSIGN(const PieceCutter::Outcome outcome, take_piece(file));
    if (lines.source.was_emptied()) {
      lines.cutter.stop();
      EVQ_TRY(read_out(file));
      tell_of_cut(name_of(file));
      file.read_anew();
      return true;
    }
    const std::int64_t now_ns = monotonic_now_ns();
    if (lines.source.place() != place) {
      file.grown_ns = now_ns;
    } else if (outcome != PieceCutter::Outcome::kPiece) {
      const bool quiet = now_ns - file.grown_ns >= kLogEntryWaitMs * kMillisecondNs;
      lines.batch.give_up(reading_ns_);
      EVQ_TRY(store(file, quiet ? lines.batch.text().size() : lines.batch.whole_bytes()));
      return false;
    }
    return true;
  }

  // Stores what is left of a file that nothing is appended to any more.
  Status read_out(FollowedFile& file) {
    for (auto outcome = PieceCutter::Outcome::kWaiting; outcome != PieceCutter::Outcome::kEnd;) {
      EVQ_TRY(interrupt_control().check());
      EVQ_TRY_ASSIGN(outcome, take_piece(file));
    }
    return store(file, file.lines->batch.text().size());
  }

  Result<PieceCutter::Outcome> take_piece(FollowedFile& file) {
    FollowedLines& lines = *file.lines;
    Piece piece;
    auto outcome = lines.cutter.next(kBatchBytesMax, 0, piece);
    if (!outcome.ok()) {
      Error error = std::move(outcome).take_error();
      error.message.insert(0, name_of(file) + ": ");
      return error;
    }
    for (const LostEvent& event : piece.lost) {
      note_failure(file, lines.begin + event.offset, event.reason);
      total_.counts.fail({event.line, event.column, event.offset, event.reason, piece.receipt_ns});
    }
    if (*outcome == PieceCutter::Outcome::kPiece) {
      EVQ_TRY(take_events(file, piece));
      lines.cutter.recycle(std::move(piece));
    }
    return outcome;
  }

  // Stores the events of a piece, but those parts of containers' lines that others are to follow.
  Status take_events(FollowedFile& file, const Piece& piece) {
    FollowedLines& lines = *file.lines;
    const std::uint64_t begin = lines.begin + piece.offset;
    if (begin != lines.batch_begin + lines.batch.text().size()) {
      EVQ_TRY(store(file, lines.batch.text().size()));  // between them is what was no event
    }
    if (lines.batch.text().empty()) {
      lines.batch_begin = begin;
      lines.batch_before = {begin,
                            !piece.is_first,
                            lines.cutter.csv().columns,
                            piece.time_before,
                            piece.date_order,
                            piece.w3c_header};
    }
    lines.batch.add(piece.text(), reading_ns_);
    return store(file, lines.batch.whole_bytes());
  }

  // ------------------------------------------------------------ to the store

  // So many bytes of the batch; the others begin the next one.
  Status store(FollowedFile& file, std::size_t size) {
    if (size == 0) {
      return Status::success();
    }
    FollowedLines& lines = *file.lines;
    batch_ = lines.batch.take(size);
    batch_begin_ = lines.batch_begin;
    batch_file_ = &file;
    line_starts_ = {};
    EVQ_TRY(store_batch(file));
    lines.batch_begin += size;
    lines.batch_before.has_events = true;
    return Status::success();
  }

  Status store_batch(FollowedFile& file) {
    FollowProgress& progress = file.progress;
    const bool adjoins = batch_begin_ == progress.offset;
    progress.next = batch_begin_ + batch_.size();
    stamp_ = std::max(stamp_ + 1, wall_clock_now_ns());
    std::string before = GrowingFile::trace_behind(file.before, batch_);
    if (!adjoins) {
      EVQ_TRY_ASSIGN(before, file.read_before(progress.next));
    }
    progress.trace = checksum64(file.before);
    progress.next_trace = checksum64(before);
    if (target_.exactly_once()) {
      EVQ_TRY(until_it_passes([&] { return save(); }));
    }
    EVQ_TRY(ingest_batch(*file.lines));
    progress.offset = progress.next;
    progress.trace = progress.next_trace;
    file.before = std::move(before);
    return target_.exactly_once() ? Status::success() : until_it_passes([&] { return save(); });
  }

  Status ingest_batch(const FollowedLines& lines) {
    request_.before = &lines.batch_before;
    if (form_->options().format == InputFormat::kCsv) {
      request_.options.csv_delimiter = lines.cutter.csv().delimiter;
    }
    const std::string rewritten = form_->rewrites() ? form_->rewritten(batch_) : std::string();
    const std::string& events = form_->rewrites() ? rewritten : batch_;
    auto report = until_it_passes([&] {
      watch_.begin(identities(), files_max_, [this, text = progress()](const File& file) mutable {
        append_progress(reading_start(file, given_up_), &text);
        static_cast<void>(target_.save(text).ok());  // or it is when the call is over
      });
      auto sent = target_.ingest(events, request_);
      std::ranges::move(watch_.end(), std::back_inserter(seen_));
      return sent;
    });
    request_.before = nullptr;  // does not live as long as the request
    if (!report.ok()) {
      Error error = std::move(report).take_error();
      if (total_.counts.ingested > 0) {
        error.hint.clear();  // what it says is stored is so of this batch alone
      }
      return error;
    }
    total_.blocks_created += report.value().blocks_created;
    total_.fresh_chunks = report.value().fresh_chunks;
    total_.counts.add(std::move(report.value().counts));
    return Status::success();
  }

  // A server that went away may come back, a full disk be given room; another's file stays so.
  bool passes(const Error& error) const {
    return error.code == ErrorCode::kServer || error.code == ErrorCode::kUnavailable ||
           error.code == ErrorCode::kDiskFull ||
           (error.code == ErrorCode::kReadOnly &&
            (global_.remote() || is_on_read_only_disk(global_.store)));
  }

  // Does it again for as long as what it fails with passes.
  template <class Act>
  auto until_it_passes(const Act& act) -> decltype(act()) {
    auto done = act();
    while (!done.ok() && passes(done.error())) {
      EVQ_TRY(wait_for_room(done.error()));
      done = act();
    }
    waits_ = waits_ && !done.ok();
    return done;
  }

  // Files that come to the path meanwhile are taken: rotation may go on for days.
  Status wait_for_room(const Error& error) {
    if (!std::exchange(waits_, true)) {
      print_note(global_, "note: " + error.message + "; trying again");
    }
    for (std::int64_t waited = 0; waited < kServerWaitMs; waited += kPollMs) {
      EVQ_TRY(interrupt_control().check());
      EVQ_TRY(look_for_files());
      pause_ms(kPollMs);
    }
    return Status::success();
  }

  void note_failure(const FollowedFile& file, std::uint64_t byte, const std::string& reason) const {
    print_note(global_, name_of(file) + ": byte " + std::to_string(byte) + ": " + reason +
                            " (line skipped)");
  }

  // Of all files that are open, in the order in which they had the name.
  std::string progress() {
    std::string text;
    for (const auto& file : files_) {
      file->progress.stamp = stamp_;
      append_progress(file->progress, &text);
    }
    for (const FollowedPath::Sight& sight : seen_) {
      if (sight.opened.has_value()) {
        append_progress(reading_start(*sight.opened, given_up_), &text);
      }
    }
    return text;
  }

  Status save() { return target_.save(progress()); }

  // Which files there are is of use at once, and where it is not saved the next batch does it.
  Status save_if_there_is_room() {
    Status saved = save();
    return saved.ok() || passes(saved.error()) ? Status::success() : std::move(saved);
  }

  const GlobalOptions& global_;
  const IngestCommand& command_;
  FollowTarget& target_;
  FollowedPath path_;
  PathWatch watch_{path_};
  const std::function<std::int64_t()> clock_ = wall_clock_now_ns;
  std::optional<FollowForm> form_;
  std::vector<std::unique_ptr<FollowedFile>> files_;  // in the order in which they had the name
  std::vector<FollowedPath::Sight> seen_;             // while a batch was being stored
  std::size_t files_max_ = 0;
  std::optional<FileIdentity> refused_;   // for want of descriptors, which the user was told
  std::vector<FollowProgress> given_up_;  // of the last files that were let go
  std::int64_t looked_ns_ = 0;            // when it was looked for more of them
  std::int64_t read_ns_ = 0;              // when they were read last
  std::int64_t reading_ns_ = 0;           // a clock that stands still while they are not
  // The batch that is being stored.
  IngestRequest request_;
  std::string batch_;
  std::uint64_t batch_begin_ = 0;
  const FollowedFile* batch_file_ = nullptr;
  LineStarts line_starts_;
  std::int64_t stamp_ = 0;
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
