#include "store/ingest/piece_cutter.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "store/base/ascii.h"
#include "store/base/check.h"
#include "store/base/control.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/base/utf8.h"
#include "store/base/zoneless.h"
#include "store/ingest/binary_head.h"
#include "store/ingest/csv_header.h"
#include "store/ingest/failure_reason.h"
#include "store/ingest/format.h"
#include "store/ingest/json_index.h"
#include "store/ingest/json_rows.h"
#include "store/ingest/line_ends.h"
#include "store/ingest/line_times.h"
#include "store/ingest/log_entry.h"
#include "store/ingest/nested_value.h"
#include "store/ingest/utf16_source.h"
#include "store/ingest/w3c_log.h"

namespace evq {

namespace {

// Large enough to make hand-overs rare, small enough to stay in a level 3 cache with its columns.
constexpr std::size_t kPieceBytes = 1 * kMebibyte;
// Of the first piece: most inputs that come over a network are no longer, and memory is not free.
constexpr std::size_t kFirstPieceBytes = 64 * kKibibyte;
// Read on for the format's sake up to here, then decide with what there is.
constexpr std::size_t kDetectBytesMax = 1 * kMebibyte;
// As long the first records of CSV wait for more that tells what its columns are.
constexpr std::int64_t kFirstLookMsMax = kIngestBatchAgeMsMax / 2;
// Lines that begin in this many bytes at the start tell the order of dates.
constexpr std::uint64_t kDateOrderBytesMax = 1 * kMebibyte;
// A zero byte in this many at the start means that it is no text.
constexpr std::size_t kBinaryCheckBytes = 64 * kKibibyte;
// A batch's text is read while the batch before is parsed.
constexpr std::size_t kSpareMax = kIngestBatchTextBytesMax / kPieceBytes;
constexpr std::size_t kLostHeadBytes = 1 * kKibibyte;
constexpr std::int64_t kInstantNever = std::numeric_limits<std::int64_t>::max();

// How many bytes of a line without its line feed are JSON objects that have come to their end. With
// `one_a_line` there is but one, and nothing behind it.
std::size_t whole_objects(std::string_view line, bool one_a_line) {
  std::size_t whole = 0;
  while (whole == 0 || !one_a_line) {
    const std::size_t begin = std::min(line.find_first_not_of(" \t\r\n", whole), line.size());
    NestedValue object{.depth = 1};
    if (!line.substr(begin).starts_with('{')) {
      break;
    }
    const std::size_t end = pass_nested(line, begin + 1, &object);
    if (object.depth != 0) {
      break;
    }
    whole = end;
  }
  return one_a_line && !is_blank(line.substr(whole)) ? 0 : whole;
}

}  // namespace

PieceCutter::PieceCutter(ByteSource& source, const IngestOptions& options,
                         const std::function<std::int64_t()>& clock, const InputBefore* before)
    : source_(&source), options_(options), clock_(clock), wanted_(kFirstPieceBytes) {
  if (before == nullptr) {
    return;
  }
  time_before_ = before->time;
  date_order_ = before->date_order;
  w3c_header_ = before->w3c_header;
  csv_.columns = before->csv_columns;
  looked_ = true;
  has_events_ = before->has_events;
  bytes_before_ = before->bytes;
  mark_checked_ = bytes_before_ > 0;
}

InputBefore PieceCutter::behind() const {
  return {
      bytes_before_ + offset_, has_events_, csv_.columns, time_before_, date_order_, w3c_header_};
}

Result<PieceCutter::Outcome> PieceCutter::next(std::size_t events_max, std::int64_t timeout_ms,
                                               Piece& piece) {
  const std::int64_t deadline_ns =
      timeout_ms < 0 ? kInstantNever : monotonic_now_ns() + timeout_ms * kMillisecondNs;
  EVQ_TRY_ASSIGN(const bool waiting, fill(deadline_ns));
  const bool no_more = ended_ || failure_.has_value() || size_ >= kDetectBytesMax;
  EVQ_TRY_ASSIGN(const bool known, detect(no_more));
  if (known && waits_for_first_look(no_more)) {
    wanted_ = kDetectBytesMax;
    return Outcome::kWaiting;
  }
  if (known) {
    EVQ_TRY(scan(discarding_ ? 1 : events_max));
    const bool quiet = monotonic_now_ns() - last_read_ns_ >= kLogEntryWaitMs * kMillisecondNs;
    if (waiting && quiet && scanner_->whole_bytes() == 0) {
      scanner_->pause();
    }
    const std::size_t whole = scanner_->whole_bytes();
    if (whole != 0 && discarding_) {
      discarding_ = false;
      skip(whole);
      return Outcome::kWaiting;
    }
    if (whole != 0 || (ended_ && !lost_.empty())) {
      cut(piece);
      return Outcome::kPiece;
    }
  }
  if (ended_) {
    return Outcome::kEnd;
  }
  if (failure_.has_value()) {
    return break_off(known, piece);
  }
  if (!waiting && known && (discarding_ || size_ > options_.line_bytes_max)) {
    discard_overlong();
  } else if (size_ >= wanted_) {
    // Not one whole event in a full buffer.
    wanted_ = size_ * 2;
  }
  return Outcome::kWaiting;
}

// Whether more is to be seen before the first events go: what the columns of CSV are, and in which
// order the numbers of a log's dates come, is decided by as much as there is soon.
bool PieceCutter::waits_for_first_look(bool no_more) {
  if (looked_ || no_more || discarding_ ||
      monotonic_now_ns() - first_read_ns_ >= kFirstLookMsMax * kMillisecondNs) {
    return false;
  }
  return kind_ == PieceKind::kRecords || (is_log(kind_) && has_date_in_question(text(), kind_));
}

void PieceCutter::look_at_columns() {
  const std::string_view head = text().substr(0, kDetectBytesMax);
  csv_.columns = sniff_csv_columns(head, csv_, ended_ && head.size() == size_);
}

// As far as the dates that the log begins with tell it; those of a line that is seen now and comes
// in a later piece do as well.
void PieceCutter::look_at_date_order(std::int64_t from_ns) {
  const std::uint64_t begin = bytes_before_ + offset_;
  const std::uint64_t seen = std::min(begin + size_, kDateOrderBytesMax);
  if (!date_order_ && seen > std::max(dates_seen_, begin)) {
    date_order_ = date_order_in(text().substr(0, seen - begin), kind_, from_ns);
    dates_seen_ = seen;
  }
}

void PieceCutter::stop() {
  if (offset_ == 0 && size_ == 0) {
    static_cast<void>(fill(monotonic_now_ns()).ok());
  }
  if (!ended_ && !failure_.has_value()) {
    stopped_ = true;
    failure_ = make_error(ErrorCode::kCancelled, "nothing more is read");
  }
}

// Reads until there is a buffer full, the end, or no time left (true).
Result<bool> PieceCutter::fill(std::int64_t deadline_ns) {
  if (!ended_ && offset_ == 0 && size_ == 0 && memory_ == nullptr) {
    adopt_all();
  }
  if (ended_ || failure_.has_value()) {
    return false;
  }
  make_room(wanted_);
  while (size_ < wanted_ && !ended_) {
    std::int64_t timeout_ms = -1;
    if (deadline_ns != kInstantNever) {
      timeout_ms = std::max<std::int64_t>(0, (deadline_ns - monotonic_now_ns()) / kMillisecondNs);
    }
    auto read = source_->read({memory_.get() + size_, wanted_ - size_}, timeout_ms);
    if (!read.ok()) {
      failure_ = std::move(read).take_error();
      return false;
    }
    if (!*read) {
      return true;
    }
    ended_ = **read == 0;
    size_ += **read;
    last_read_ns_ = monotonic_now_ns();
    first_read_ns_ = first_read_ns_ == 0 ? last_read_ns_ : first_read_ns_;
  }
  return false;
}

// What is in memory already is cut where it is.
void PieceCutter::adopt_all() {
  if (std::optional<TextMemory> all = source_->release()) {
    memory_ = std::move(all->bytes);
    capacity_ = all->capacity;
    size_ = all->size;
    ended_ = true;
  }
}

void PieceCutter::make_room(std::size_t capacity) {
  if (memory_ != nullptr && capacity_ >= capacity) {
    return;
  }
  std::unique_ptr<char[]> larger;
  if (capacity == kPieceBytes && !spare_.empty()) {
    larger = std::move(spare_.back());
    spare_.pop_back();
  } else {
    larger.reset(new char[capacity + JsonIndex::kPaddingBytes]);
  }
  if (size_ != 0) {
    std::memcpy(larger.get(), memory_.get(), size_);
  }
  memory_ = std::move(larger);
  capacity_ = capacity;
}

// True when the kind of events is known, and the header of CSV or rows read.
Result<bool> PieceCutter::detect(bool no_more) {
  if (!mark_checked_) {
    // In a short line, which may be all for long, there is none.
    const bool has_line = text().find('\n') != std::string_view::npos;
    if (size_ < kByteOrderMark.size() && !has_line && !no_more) {
      return false;
    }
    mark_checked_ = true;
    if (!pass_byte_order_mark()) {
      return false;
    }
  }
  if (scanner_ == nullptr) {
    EVQ_TRY_ASSIGN(const bool settled, settle_kind(no_more));
    if (!settled) {
      return false;
    }
    make_scanner();
  }
  return header_due_ ? take_header() : Result<bool>(true);
}

// False while the text is too short to tell.
Result<bool> PieceCutter::settle_kind(bool no_more) {
  if (!no_more && may_be_unmarked_utf16(text())) {
    return false;
  }
  const auto kind = kind_of_head(no_more);
  if (!kind) {
    return false;
  }
  const bool records = *kind == PieceKind::kRecords;
  if ((records || *kind == PieceKind::kRows) && !drop_blank_lines()) {
    return false;
  }
  const RecordEnd first_end = records ? end_of_first_record(text()) : RecordEnd::kNotYet;
  if (records && !no_more && first_end == RecordEnd::kNotYet) {
    return false;
  }
  if (records && first_end != RecordEnd::kLoneCr) {
    const bool goes_on = bytes_before_ > 0 && !options_.csv_fields.empty();
    auto names = goes_on ? std::optional(options_.csv_fields)
                         : names_without_header(text(), options_, no_more);
    if (!names) {
      return false;
    }
    csv_.fields = *std::move(names);
    if (csv_.fields.size() > kHeaderColumnsMax) {
      return refuse(many_columns_reason());
    }
  }
  kind_ = *kind == PieceKind::kText && options_.multiline ? PieceKind::kEntries : *kind;
  const bool json =
      kind_ == PieceKind::kLines || kind_ == PieceKind::kRows || kind_ == PieceKind::kValues;
  if (!json || is_unmarked_utf16(text())) {
    EVQ_TRY(refuse_binary());
  }
  const bool one_line = options_.format == InputFormat::kDetect && !json && !records &&
                        (ended_ || size_ >= kDetectBytesMax);
  if (first_end == RecordEnd::kLoneCr || (one_line && ends_lines_with_cr(text()))) {
    return refuse("the line ends are CR alone; convert them first: tr '\\r' '\\n'");
  }
  return true;
}

void PieceCutter::make_scanner() {
  if (kind_ == PieceKind::kRecords) {
    std::string_view records = text();
    const char named = take_named_delimiter(&records);
    skip(size_ - records.size());
    csv_.delimiter = options_.csv_delimiter != 0 ? options_.csv_delimiter
                     : named != 0                ? named
                                                 : detect_delimiter(text());
    header_due_ = csv_.fields.empty();
    scanner_ = make_record_scanner(csv_.delimiter);
  } else if (kind_ == PieceKind::kValues) {
    scanner_ = make_value_scanner(options_.format == InputFormat::kDetect);
  } else if (kind_ == PieceKind::kEntries) {
    scanner_ = make_entry_scanner();
  } else {
    scanner_ = make_line_scanner();
    header_due_ = kind_ == PieceKind::kRows;
  }
}

// False when the text is to be read again, as UTF-8.
bool PieceCutter::pass_byte_order_mark() {
  if (begins_with_utf16_mark(text())) {
    utf16_ = utf16_source(text(), *source_);
    source_ = utf16_.get();
    memory_.reset();
    capacity_ = 0;
    size_ = 0;
    ended_ = false;
    failure_.reset();  // it comes again
    return false;
  }
  if (text().starts_with(kByteOrderMark)) {
    offset_ += kByteOrderMark.size();
    size_ -= kByteOrderMark.size();
    std::memmove(memory_.get(), memory_.get() + kByteOrderMark.size(), size_);
  }
  return true;
}

std::optional<PieceKind> PieceCutter::kind_of_head(bool no_more) const {
  const bool csv_named = options_.csv_delimiter != 0 || !options_.csv_fields.empty();
  if (options_.format == InputFormat::kDetect && csv_named) {
    return detect_kind(text(), InputFormat::kAuto, no_more);
  }
  return detect_kind(text(), options_.format, no_more);
}

// Bytes that are no text would become events that nobody can read; what is said to be text may have
// a zero byte, as values have that are stored as given, and files that were cut short while they
// were written. In the header of CSV it tells a file of another kind, whatever it is called.
Status PieceCutter::refuse_binary() {
  const std::string_view head = text().substr(0, kBinaryCheckBytes);
  if (const std::string_view kind = known_binary(head); !kind.empty()) {
    return refuse("this is " + std::string(kind));
  }
  const std::size_t zero = head.find('\0');
  const bool named =
      (options_.format != InputFormat::kAuto && options_.format != InputFormat::kDetect) ||
      options_.multiline;
  const bool in_header =
      kind_ == PieceKind::kRecords && csv_.fields.empty() && zero < head.find('\n');
  if (zero == std::string_view::npos || (named && !in_header && !is_unmarked_utf16(head))) {
    return {};
  }
  if (is_unmarked_utf16(head)) {
    return refuse("this is UTF-16 text without its byte order mark; convert it first: iconv -f " +
                  std::string(head[0] == '\0' ? "UTF-16BE" : "UTF-16LE") + " -t UTF-8");
  }
  const std::string byte = std::to_string(offset_ + zero + 1);
  if (named) {
    return refuse("this is no CSV: byte " + byte + ", in its header, is zero");
  }
  return refuse(std::string(kNoTextError) + byte +
                " is zero (compressed input may be gzip or zstd)");
}

// Nothing of the input becomes events any more.
Error PieceCutter::refuse(std::string why) {
  ended_ = true;
  size_ = 0;
  return make_error(ErrorCode::kData, std::move(why));
}

Result<std::vector<std::string>> PieceCutter::read_header(std::string_view record) const {
  if (kind_ == PieceKind::kRecords) {
    return read_csv_header(record, csv_.delimiter);
  }
  auto names = read_row_names(record);  // the format was told by them
  EVQ_CHECK(names.has_value());
  return *std::move(names);
}

// Forgets the blank lines that the text begins with, all at once. False when more must be read to
// know what follows them.
bool PieceCutter::drop_blank_lines() {
  const std::size_t first = text().find_first_not_of(" \t\r\n");
  const bool blank = first == std::string_view::npos;
  const std::size_t line_begin = text().substr(0, first).rfind('\n') + 1;  // 0: it is the first
  skip(blank && ended_ ? size_ : line_begin);
  return ended_ || (line_begin == 0 && (!blank || size_ > options_.line_bytes_max));
}

// A lone line that nobody calls CSV is as likely anything else, and would be lost without a word.
Result<bool> PieceCutter::take_header() {
  const bool guessed = options_.format == InputFormat::kAuto && options_.csv_delimiter == 0 &&
                       kind_ == PieceKind::kRecords;
  if (guessed && size_ <= options_.line_bytes_max && !has_second_line(text())) {
    if (!ended_) {
      return false;
    }
    return refuse("this is neither JSON nor CSV with rows under its header");
  }
  EVQ_TRY(scan(1));
  const std::size_t whole = scanner_->whole_bytes();
  if ((whole == 0 ? size_ : whole) > options_.line_bytes_max) {
    return refuse("the header is longer than the limit of " +
                  std::to_string(options_.line_bytes_max) + " bytes");
  }
  if (whole == 0) {
    return ended_;
  }
  auto names = read_header(text().substr(0, whole));
  if (!names.ok()) {
    ended_ = true;
    size_ = 0;
    return std::move(names).take_error();
  }
  csv_.fields = std::move(names).value();
  header_due_ = false;
  skip(whole);
  return true;
}

// An error of the text waits until the whole events before it are handed over.
Status PieceCutter::scan(std::size_t events_max) {
  Status status = scanner_->scan(text(), events_max, ended_);
  if (status.ok() || (scanner_->whole_bytes() != 0 && !discarding_)) {
    return {};
  }
  count_place(text().substr(0, scanner_->seen_bytes()));
  ended_ = true;
  return at_place(std::move(status).take_error());
}

Error PieceCutter::at_place(Error error) const {
  error.message = "line " + std::to_string(line_) + ", column " + std::to_string(column_) + ": " +
                  error.message;
  return error;
}

// When the source has failed and all events that the scanner knows to be whole are gone: what may
// be whole as well, then what the break tore, then the error.
Result<PieceCutter::Outcome> PieceCutter::break_off(bool known, Piece& piece) {
  if (known && !discarding_) {
    if (cut_whole_rest(piece)) {
      return Outcome::kPiece;
    }
    if (!stopped_ && !is_blank(text())) {
      lose_event("the event is cut off: " + failure_->message);
    }
  }
  skip(size_);
  if (!lost_.empty()) {
    cut(piece);
    return Outcome::kPiece;
  }
  ended_ = true;
  Error error = *std::exchange(failure_, std::nullopt);
  if (stopped_) {
    return Outcome::kEnd;
  }
  return offset_ == 0 ? std::move(error) : at_place(std::move(error));
}

// An entry of a log ends with its last whole line, a JSON object without a line feed.
bool PieceCutter::cut_whole_rest(Piece& piece) {
  scanner_->pause();
  const bool one_a_line = options_.has_one_value_a_line();
  if (const std::size_t whole =
          kind_ == PieceKind::kLines ? whole_objects(text(), one_a_line) : 0) {
    scanner_ = make_line_scanner();
    EVQ_CHECK(scanner_->scan_to_end(text().substr(0, whole), 1).ok());
  }
  if (scanner_->whole_bytes() == 0) {
    return false;
  }
  cut(piece);
  return true;
}

// Hands over the whole events; what follows them moves to a buffer of its own.
void PieceCutter::cut(Piece& piece) {
  const std::size_t whole = scanner_->whole_bytes();
  const std::int64_t receipt_ns = clock_();
  if (kind_ == PieceKind::kRecords && !looked_ && whole != 0) {
    look_at_columns();
  } else if (is_log(kind_)) {
    look_at_date_order(times_from(options_.written_ns, receipt_ns));
  }
  piece.is_first = !has_events_;
  has_events_ = has_events_ || whole != 0;
  looked_ = looked_ || whole != 0;
  piece.kind = kind_;
  piece.memory = std::move(memory_);
  piece.capacity = capacity_;
  piece.size = whole;
  piece.offset = offset_;
  piece.line = line_;
  piece.column = column_;
  piece.receipt_ns = receipt_ns;
  piece.written_ns = options_.written_ns;
  piece.time_before = time_before_;
  piece.events = scanner_->events();
  piece.spans = std::move(scanner_->spans());
  if (is_log(kind_)) {
    piece.date_order = date_order_.value_or(DateOrder::kMonthFirst);
    const ZonelessTimes times(options_.zone.get());
    time_before_ = last_line_time(piece);
  }
  if (piece.kind == PieceKind::kW3c) {
    piece.w3c_header = w3c_header_;
    w3c_header_ = w3c_header_behind(piece.text(), w3c_header_);
  }
  piece.lost = std::move(lost_);
  lost_.clear();
  const std::size_t rest = size_ - whole;
  const char* from = piece.memory.get() + whole;
  size_ = 0;
  capacity_ = 0;
  wanted_ = kPieceBytes;
  if (rest != 0) {
    make_room(std::max(wanted_, rest));
    std::memcpy(memory_.get(), from, rest);
    size_ = rest;
  }
  if (!piece.has_spans() && whole != 0 && piece.text().back() == '\n') {
    // The scanner counted them already.
    offset_ += whole;
    line_ += piece.events;
    column_ = 1;
  } else {
    count_place(piece.text());
  }
  scanner_->drop(whole);
}

// Moves the place of the buffer's first byte past what goes.
void PieceCutter::count_place(std::string_view passed) {
  offset_ += passed.size();
  line_ += count_line_feeds(passed);
  const std::size_t line_end = passed.rfind('\n');
  column_ = line_end == std::string_view::npos ? column_ + passed.size() : passed.size() - line_end;
}

// Forgets the first bytes of the buffer.
void PieceCutter::skip(std::size_t bytes) {
  if (bytes == 0) {
    return;
  }
  count_place(text().substr(0, bytes));
  size_ -= bytes;
  std::memmove(memory_.get(), memory_.get() + bytes, size_);
  if (scanner_ != nullptr) {
    scanner_->drop(bytes);
  }
}

void PieceCutter::discard_overlong() {
  if (!discarding_) {
    lose_event(long_event_reason(options_.line_bytes_max));
    discarding_ = true;
  }
  skip(size_);
  memory_.reset();
  capacity_ = 0;
  wanted_ = kPieceBytes;
}

// The buffer begins with it.
void PieceCutter::lose_event(std::string reason) {
  lost_.push_back(
      {line_, column_, offset_, std::string(text().substr(0, kLostHeadBytes)), std::move(reason)});
}

std::size_t PieceCutter::spare_bytes() const {
  return spare_.size() * kPieceBytes;
}

void PieceCutter::recycle(Piece piece) {
  if (piece.capacity == kPieceBytes && spare_.size() < kSpareMax) {
    spare_.push_back(std::move(piece.memory));
  }
}

}  // namespace evq
