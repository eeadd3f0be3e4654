#include "store/ingest/stream.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "store/base/limits.h"
#include "store/base/mutex.h"
#include "store/base/wait_scope.h"
#include "store/ingest/event_rules.h"
#include "store/ingest/load_memory.h"
#include "store/ingest/piece_cutter.h"
#include "store/ingest/piece_parser.h"
#include "store/ingest/stream_job.h"

// The pipeline. A job is one batch of the input. Its pieces are handed to it as they are read; at
// any time at most one thread works on a job, and it leaves when there is no piece for it, so no
// pool thread ever waits for input. The calling thread reads; it stops while too much text is not
// parsed or too many jobs are not committed, which bounds memory. What is sealed is committed in
// order by whoever has the turn: the committer from the second job on, before and at the end the
// calling thread.

namespace evq {
namespace {

// Batches read but not committed: two in work, one being read, one waiting for its commit. Each
// may need the memory of its text and of its columns, and all of them share the process's limit.
constexpr std::size_t kJobsMax = 4;
// How long the reader may wait for input while something else may become due.
constexpr std::int64_t kPollMs = 20;
constexpr std::int64_t kIdlePollMs = 200;
constexpr std::int64_t kNsPerMs = 1000000;

class Pipeline {
 public:
  Pipeline(ByteSource& source, const IngestOptions& options, BatchSink& sink,
           const StreamContext& context)
      : options_(options),
        sink_(sink),
        context_(context),
        rules_(context.builders->rules()),
        clock_(context.clock) {
    if (!clock_) {
      clock_ = wall_clock_now_ns;
    }
    cutter_.emplace(source, options_, clock_, context.before);
    settings_.rules = rules_;
    settings_.line_bytes_max = options.line_bytes_max;
    settings_.one_value_a_line = options.has_one_value_a_line();
    settings_.find_times = options.finds_line_times();
    settings_.keep_rejects = static_cast<bool>(context.reject);
    counts_.processed_bytes = rules_->labels_bytes;
  }

  ~Pipeline() { stop_workers(); }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  Status run(IngestCounts* counts_so_far);
  const IngestCounts& counts() const { return counts_; }

 private:
  Status read_all();
  Status take_what_is_read();
  Status read_some(bool& ended);
  void add_piece(Piece piece);
  void close_job();
  void take_back_parsed();
  void schedule(Job& job);
  void work(Job& job);
  bool parse_waiting(Job& job);
  void finish_job(Job& job);
  Status parse_piece(Job& job, const Piece& piece);
  Status seal(Job& job, std::uint64_t read_bytes);
  bool is_sealed() const EVQ_REQUIRES(mutex_);
  bool take_commit_turn() EVQ_REQUIRES(mutex_);
  bool next_part(std::optional<SealedPart>& part, Status& failed);
  Status commit_ready();
  void commit_in_turn();
  void commit_apart();
  Status commit_what_is_sealed(bool apart);
  Status commit_part(SealedPart part);
  Status check() const {
    return context_.control != nullptr && !unhurried_ ? context_.control->check() : Status();
  }
  bool is_busy();
  bool only_open_job_left();
  bool wait_for_commits(bool all);
  std::unique_ptr<BatchBuilder> take_builder();
  void stop_workers();

  const IngestOptions& options_;
  BatchSink& sink_;
  const StreamContext& context_;
  const std::shared_ptr<const EventRules> rules_;
  std::function<std::int64_t()> clock_;
  std::optional<PieceCutter> cutter_;
  ParseSettings settings_;
  const PieceParser parser_{settings_};
  bool settings_known_ = false;
  bool input_failed_ = false;  // the source or its format, not the sink
  IngestCounts counts_;
  std::atomic<bool> unhurried_ = false;  // cancelled, and keeps what was read
  std::uint64_t syntax_failures_ = 0;
  IngestCounts* counts_so_far_ = nullptr;
  LoadMemory memory_;
  JobTextSize text_size_;
  std::shared_ptr<Job> open_;  // takes pieces

  Mutex mutex_;
  CondVar changed_;
  std::deque<std::shared_ptr<Job>> jobs_ EVQ_GUARDED_BY(mutex_);  // in input order
  std::vector<Piece> parsed_ EVQ_GUARDED_BY(mutex_);              // memory to be used again
  std::vector<std::unique_ptr<BatchBuilder>> builders_ EVQ_GUARDED_BY(mutex_);  // the same
  std::size_t working_ EVQ_GUARDED_BY(mutex_) = 0;
  bool stopped_ EVQ_GUARDED_BY(mutex_) = false;
  std::size_t jobs_opened_ EVQ_GUARDED_BY(mutex_) = 0;
  bool committing_ EVQ_GUARDED_BY(mutex_) = false;     // somebody has the turn
  bool commits_ended_ EVQ_GUARDED_BY(mutex_) = false;  // one failed, and how:
  Status commit_status_ EVQ_GUARDED_BY(mutex_);
  std::exception_ptr commit_failure_ EVQ_GUARDED_BY(mutex_);
};

// ---------------------------------------------------------------- the calling thread

Status Pipeline::run(IngestCounts* counts_so_far) {
  counts_so_far_ = counts_so_far;
  Status status = read_all();
  std::optional<WaitScope> commits;
  if (context_.keeps_read && !status.ok() && status.error().code == ErrorCode::kCancelled) {
    unhurried_ = true;
    commits.emplace([] { return Status(); });
    static_cast<void>(take_what_is_read().ok());
  }
  if (!settings_known_) {
    counts_.processed_bytes += cutter_->bytes_taken();
  }
  // Whatever was whole before an error of the input is worth keeping; an error of ours, or the
  // user's wish to stop, is not waited for.
  if (status.ok() || input_failed_ || unhurried_) {
    close_job();
    while (wait_for_commits(true)) {
      Status committed = check();
      if (committed.ok()) {
        committed = commit_what_is_sealed(false);
      }
      if (!committed.ok()) {
        // It comes first in the input.
        status = std::move(committed);
        break;
      }
    }
  }
  stop_workers();
  EVQ_TRY(std::move(status));
  return judge_whole_input(options_, cutter_->kind(), counts_, syntax_failures_);
}

Status Pipeline::read_all() {
  bool ended = false;
  while (!ended) {
    EVQ_TRY(check());
    EVQ_TRY(commit_what_is_sealed(true));
    take_back_parsed();
    if (is_busy()) {
      if (only_open_job_left()) {
        close_job();  // by itself it would wait for input, and the input for its commit
      }
      wait_for_commits(false);
      continue;
    }
    EVQ_TRY(read_some(ended));
  }
  return {};
}

Status Pipeline::take_what_is_read() {
  cutter_->stop();
  for (bool ended = false; !ended;) {
    EVQ_TRY(read_some(ended));
  }
  return {};
}

void Pipeline::take_back_parsed() {
  std::vector<Piece> parsed;
  {
    const MutexLock lock(mutex_);
    parsed.swap(parsed_);
  }
  for (Piece& piece : parsed) {
    memory_.drop_text(piece.capacity);
    if (!memory_.is_over()) {
      cutter_->recycle(std::move(piece));
    }
  }
  memory_.set_spare(cutter_->spare_bytes());
}

Status Pipeline::read_some(bool& ended) {
  bool others_wait = false;  // for their commit
  {
    const MutexLock lock(mutex_);
    others_wait = jobs_.size() > (open_ != nullptr ? 1U : 0U);
  }
  std::int64_t timeout_ms = others_wait ? kPollMs : kIdlePollMs;
  if (open_ != nullptr && !others_wait) {
    const std::int64_t age_ms = (monotonic_now_ns() - open_->opened_ns) / kNsPerMs;
    if (age_ms >= kIngestBatchAgeMsMax) {
      close_job();
    } else {
      timeout_ms = std::min(timeout_ms, kIngestBatchAgeMsMax - age_ms);
    }
  }
  const std::size_t events_open = open_ != nullptr ? open_->events : 0;
  Piece piece;
  auto outcome = cutter_->next(rules_->batch_rows_max - events_open, timeout_ms, piece);
  if (!outcome.ok()) {
    input_failed_ = true;
    return std::move(outcome).take_error();
  }
  if (*outcome == PieceCutter::Outcome::kPiece) {
    add_piece(std::move(piece));
  }
  ended = *outcome == PieceCutter::Outcome::kEnd;
  return {};
}

void Pipeline::add_piece(Piece piece) {
  if (!settings_known_) {
    // No worker reads the settings before the first piece.
    settings_.csv = cutter_->csv();
    counts_.processed_bytes += piece.offset;
    settings_known_ = true;
  }
  if (open_ == nullptr) {
    open_ = std::make_shared<Job>();
    open_->opened_ns = monotonic_now_ns();
    const MutexLock lock(mutex_);
    jobs_.push_back(open_);
    ++jobs_opened_;
  }
  open_->events += piece.events;
  open_->text_bytes += piece.size;
  memory_.add_text(piece.capacity);
  const bool full =
      open_->events >= rules_->batch_rows_max || text_size_.fills(open_->text_bytes, piece.size);
  {
    const MutexLock lock(mutex_);
    open_->waiting.push_back(std::move(piece));
    open_->closed = full;
  }
  schedule(*open_);
  if (full) {
    open_.reset();
  }
}

void Pipeline::close_job() {
  if (open_ == nullptr) {
    return;
  }
  {
    const MutexLock lock(mutex_);
    open_->closed = true;
  }
  schedule(*open_);
  open_.reset();
}

bool Pipeline::is_busy() {
  const MutexLock lock(mutex_);
  return memory_.text_bytes() >= kIngestTextBytesMax ||
         memory_.has_text_enough(text_size_.bytes_needed()) ||
         jobs_.size() >= kJobsMax + (open_ != nullptr ? 1U : 0U);
}

// Little at a time in many pieces of memory: the limit can be reached before the batch is full.
bool Pipeline::only_open_job_left() {
  const MutexLock lock(mutex_);
  return open_ != nullptr && jobs_.size() == 1;
}

// Waits until something changed. With `all`, false when nothing is left to commit.
bool Pipeline::wait_for_commits(bool all) {
  const MutexLock lock(mutex_);
  if (all && jobs_.empty() && !committing_) {
    return false;
  }
  if (!commits_ended_ && (committing_ || !is_sealed())) {
    changed_.wait_for_ms(mutex_, kPollMs);
  }
  return true;
}

// ---------------------------------------------------------------- whose turn it is to commit

// Whether the first job that is not committed has something for whoever commits.
bool Pipeline::is_sealed() const {
  return !jobs_.empty() && (jobs_.front()->done || !jobs_.front()->parts.empty());
}

// True when there is something to commit and nobody on it: the caller has to, or lets another.
bool Pipeline::take_commit_turn() {
  const bool taken = !committing_ && !commits_ended_ && !stopped_ && is_sealed();
  committing_ = committing_ || taken;
  return taken;
}

// What comes next, jobs that are through left behind. False when there is nothing, or `failed`.
bool Pipeline::next_part(std::optional<SealedPart>& part, Status& failed) {
  const MutexLock lock(mutex_);
  while (!stopped_ && !jobs_.empty()) {
    Job& job = *jobs_.front();
    if (!job.parts.empty()) {
      part = std::move(job.parts.front());
      job.parts.pop_front();
      return true;
    }
    if (!job.done) {
      return false;
    }
    if (job.failure != nullptr) {
      std::rethrow_exception(job.failure);
    }
    failed = std::move(job.status);
    if (!failed.ok()) {
      return false;
    }
    jobs_.pop_front();
    changed_.notify_all();
  }
  return false;
}

Status Pipeline::commit_ready() {
  while (true) {
    std::optional<SealedPart> part;
    Status failed;
    if (!next_part(part, failed)) {
      return failed;
    }
    EVQ_TRY(context_.keeps_read ? Status() : check());
    EVQ_TRY(commit_part(std::move(*part)));
  }
}

// Of whoever has the turn, which is given up before the last look: nothing sealed is overlooked.
void Pipeline::commit_in_turn() {
  for (bool mine = true; mine;) {
    Status status;
    std::exception_ptr failure;
    try {
      status = commit_ready();
    } catch (const std::bad_alloc&) {
      failure = std::current_exception();
    }
    const MutexLock lock(mutex_);
    commits_ended_ = !status.ok() || failure != nullptr;
    commit_status_ = std::move(status);
    commit_failure_ = std::move(failure);
    committing_ = false;
    mine = take_commit_turn();
    changed_.notify_all();
  }
}

// With the turn taken. Its waits end as those of the calling thread do.
void Pipeline::commit_apart() {
  context_.committer->submit([this] {
    std::optional<WaitScope> scope;
    if (context_.control != nullptr && !unhurried_) {
      scope.emplace(*context_.control);
    }
    commit_in_turn();
  });
}

// On the calling thread. An input of one batch needs no other.
Status Pipeline::commit_what_is_sealed(bool apart) {
  bool mine = false;
  {
    const MutexLock lock(mutex_);
    mine = take_commit_turn();
    apart = apart && context_.committer != nullptr && jobs_opened_ > 1;
  }
  if (mine && apart) {
    commit_apart();
  } else if (mine) {
    commit_in_turn();
  }
  const MutexLock lock(mutex_);
  if (!commits_ended_) {
    return {};
  }
  if (commit_failure_ != nullptr) {
    std::rethrow_exception(commit_failure_);
  }
  return Error(commit_status_.error());  // as often as it is asked for: nothing follows any more
}

Status Pipeline::commit_part(SealedPart part) {
  const std::uint64_t stored = counts_.ingested;
  syntax_failures_ += part.report.syntax_failures;
  counts_.add(std::move(part.report.counts));
  for (const Reject& reject : part.report.rejects) {
    context_.reject(reject.text, reject.failure);
  }
  if (options_.failures_max && counts_.failed > *options_.failures_max) {
    return too_many_failures(counts_, stored);
  }
  if (part.batch != nullptr) {
    const std::size_t bytes = part.batch->memory_bytes;
    EVQ_TRY(sink_.commit(std::move(part.batch), counts_));
    memory_.drop_sealed(bytes);
  }
  if (counts_so_far_ != nullptr) {
    *counts_so_far_ = counts_;
  }
  return {};
}

void Pipeline::stop_workers() {
  const MutexLock lock(mutex_);
  stopped_ = true;
  while (working_ != 0 || committing_) {
    changed_.wait(mutex_);
  }
  for (auto& builder : builders_) {
    builder->share_memory(nullptr);
    context_.builders->put(std::move(builder));
  }
  builders_.clear();
}

// ---------------------------------------------------------------- workers

void Pipeline::schedule(Job& job) {
  {
    const MutexLock lock(mutex_);
    if (job.running || job.done || stopped_) {  // done before its end: it failed
      return;
    }
    job.running = true;
    ++working_;
  }
  if (context_.pool == nullptr) {
    work(job);
  } else {
    // The job outlives its work: it leaves the list only when done, and the pipeline waits.
    context_.pool->submit([this, &job] { work(job); });
  }
}

// On a pool's thread nobody catches what is thrown: it is kept for the thread that commits.
void Pipeline::work(Job& job) {
  std::exception_ptr failure;
  try {
    if (!parse_waiting(job)) {
      return;
    }
    finish_job(job);
  } catch (const std::bad_alloc&) {
    failure = std::current_exception();
  }
  bool commits = false;
  {
    const MutexLock lock(mutex_);
    job.failure = std::move(failure);
    job.running = false;
    job.done = true;
    commits = context_.committer != nullptr && jobs_opened_ > 1 && take_commit_turn();
  }
  if (commits) {
    commit_apart();
  }
  const MutexLock lock(mutex_);
  --working_;  // the last touch: then the pipeline may go
  changed_.notify_all();
}

// False when there is no piece for the job now, which may then be another thread's.
bool Pipeline::parse_waiting(Job& job) {
  while (true) {
    Piece piece;
    {
      const MutexLock lock(mutex_);
      if (stopped_ || !job.status.ok()) {
        return true;
      }
      if (job.waiting.empty()) {
        if (job.closed) {
          return true;
        }
        // Whoever brings the next piece, or closes the job, starts work again.
        job.running = false;
        --working_;
        changed_.notify_all();
        return false;
      }
      piece = std::move(job.waiting.front());
      job.waiting.pop_front();
    }
    if (job.builder == nullptr) {
      job.builder = take_builder();
    }
    Status status = parse_piece(job, piece);
    const MutexLock lock(mutex_);
    parsed_.push_back(std::move(piece));
    job.status = std::move(status);
    changed_.notify_all();
  }
}

// One that this load used already has the memory it needs.
std::unique_ptr<BatchBuilder> Pipeline::take_builder() {
  {
    const MutexLock lock(mutex_);
    if (!builders_.empty()) {
      std::unique_ptr<BatchBuilder> builder = std::move(builders_.back());
      builders_.pop_back();
      return builder;
    }
  }
  std::unique_ptr<BatchBuilder> builder = context_.builders->take();
  builder->share_memory(&memory_);
  return builder;
}

// The last work on a job: seals what is left, unless it failed or nobody wants it any more.
void Pipeline::finish_job(Job& job) {
  bool wanted = false;
  {
    const MutexLock lock(mutex_);
    wanted = !stopped_ && job.status.ok();
  }
  if (wanted) {
    if (job.sealed_bytes == 0) {
      text_size_.note_whole_job(job.parsed_bytes, job.builder->fullness());
    }
    Status status = seal(job, job.parsed_bytes);
    const MutexLock lock(mutex_);
    job.status = std::move(status);
    builders_.push_back(std::move(job.builder));
  }
}

Status Pipeline::parse_piece(Job& job, const Piece& piece) {
  EVQ_TRY(parser_.parse(piece, *job.builder, job.report, [this, &job](std::size_t bytes) {
    text_size_.note_batch(job.parsed_bytes + bytes - job.sealed_bytes);
    return seal(job, job.parsed_bytes + bytes);
  }));
  job.report.counts.processed_bytes += piece.size;
  job.parsed_bytes += piece.size;
  return {};
}

// What the builder holds becomes a part to commit: the events of the job's first `read_bytes`.
Status Pipeline::seal(Job& job, std::uint64_t read_bytes) {
  SealedPart part;
  const std::uint64_t raw_bytes = read_bytes - job.sealed_bytes;
  job.sealed_bytes = read_bytes;
  {
    BatchColumns columns(*job.builder);
    if (columns.rows() != 0) {
      EVQ_TRY_ASSIGN(part.batch, sink_.seal(columns, raw_bytes));
      memory_.add_sealed(part.batch->memory_bytes);
    }
  }
  part.report = std::exchange(job.report, {});
  const MutexLock lock(mutex_);
  job.parts.push_back(std::move(part));
  changed_.notify_all();
  return {};
}

}  // namespace

Result<IngestCounts> parse_stream(ByteSource& source, const IngestOptions& options, BatchSink& sink,
                                  const StreamContext& context, IngestCounts* counts_so_far) {
  StreamContext prepared = context;
  if (prepared.builders == nullptr) {
    EVQ_TRY_ASSIGN(const auto rules, make_event_rules(options, nullptr));
    prepared.builders = std::make_shared<BuilderPool>(rules);
  }
  Pipeline pipeline(source, options, sink, prepared);
  EVQ_TRY(pipeline.run(counts_so_far));
  return pipeline.counts();
}

}  // namespace evq
