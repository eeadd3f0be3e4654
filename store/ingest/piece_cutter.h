#pragma once
// PieceCutter: the reading end of a load. It finds out what the input is, then cuts it into pieces
// that hold whole events, whatever the sizes of the reads. An event that is longer than allowed is
// passed over in constant memory and reported. One thread.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/result.h"
#include "store/ingest/boundary.h"
#include "store/ingest/byte_source.h"
#include "store/ingest/csv_record.h"
#include "store/ingest/input_before.h"
#include "store/ingest/options.h"
#include "store/ingest/piece.h"

namespace evq {

class PieceCutter {
 public:
  // All but `before` must outlive the cutter. `before` is the state at the source's first byte
  // (null at the start of an input); what it says is not decided anew.
  PieceCutter(ByteSource& source, const IngestOptions& options,
              const std::function<std::int64_t()>& clock, const InputBefore* before = nullptr);

  enum class Outcome : std::uint8_t {
    kPiece,
    kWaiting,  // no whole event is there: the time is over, or a buffer full was passed over or
               // kept
    kEnd,
  };
  // The next piece, of at most `events_max` events (at least 1). After an error only kEnd follows;
  // one of the source comes when the whole events before it have been handed over, with its place.
  // However much there is without an event, it comes back after each buffer full.
  Result<Outcome> next(std::size_t events_max, std::int64_t timeout_ms, Piece& piece);

  // Stops reading: next() gives the whole events of what was read, then kEnd. When nothing was read
  // yet, it first reads what the source has by now, which others may have read to tell its form.
  void stop();

  // Takes back the memory of a piece for later ones.
  void recycle(Piece piece);
  std::size_t spare_bytes() const;  // of what was taken back and is not used yet

  // Known with the first piece.
  PieceKind kind() const { return kind_; }
  // The layout of CSV; for rows (kRows) it holds their names.
  const CsvLayout& csv() const { return csv_; }
  // Bytes before the first piece that belong to no piece: a byte order mark, a header.
  std::uint64_t bytes_taken() const { return offset_; }
  // The state behind the last piece, to begin another cutter there.
  InputBefore behind() const;

 private:
  Result<bool> fill(std::int64_t deadline_ns);
  Result<bool> detect(bool no_more);
  Result<bool> settle_kind(bool no_more);
  void make_scanner();
  bool pass_byte_order_mark();
  std::optional<PieceKind> kind_of_head(bool no_more) const;
  Status refuse_binary();
  Error refuse(std::string why);
  bool drop_blank_lines();
  Result<bool> take_header();
  Result<std::vector<std::string>> read_header(std::string_view record) const;
  bool waits_for_first_look(bool no_more);
  void look_at_columns();
  void look_at_date_order(std::int64_t from_ns);
  void adopt_all();
  void make_room(std::size_t capacity);
  void cut(Piece& piece);
  void skip(std::size_t bytes);
  void count_place(std::string_view passed);
  void discard_overlong();
  void lose_event(std::string reason);
  bool cut_whole_rest(Piece& piece);
  Result<Outcome> break_off(bool known, Piece& piece);
  Status scan(std::size_t events_max);
  Error at_place(Error error) const;
  std::string_view text() const {
    return size_ == 0 ? std::string_view("") : std::string_view(memory_.get(), size_);
  }

  ByteSource* source_;
  const IngestOptions& options_;
  const std::function<std::int64_t()>& clock_;

  std::unique_ptr<ByteSource> utf16_;            // what source_ is then
  std::optional<std::int64_t> time_before_;      // of the last line cut off (line_times.h)
  std::optional<DateOrder> date_order_;          // of a log, once a date has told it
  std::shared_ptr<const W3cHeader> w3c_header_;  // behind that line (w3c_log.h)
  std::unique_ptr<BoundaryScanner> scanner_;     // empty until the kind is known
  PieceKind kind_ = PieceKind::kLines;
  CsvLayout csv_;
  bool header_due_ = false;
  bool looked_ = false;             // at what the first events tell of all
  bool has_events_ = false;         // before the buffer
  std::uint64_t bytes_before_ = 0;  // the source's first
  std::uint64_t dates_seen_ = 0;    // bytes of a log that were asked for the order of dates
  bool mark_checked_ = false;

  std::unique_ptr<char[]> memory_;  // none at the end
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  std::size_t wanted_ = 0;  // bytes to have before cutting
  std::int64_t first_read_ns_ = 0;
  std::int64_t last_read_ns_ = 0;
  std::uint64_t offset_ = 0;  // of memory_'s first byte
  std::uint64_t line_ = 1;
  std::uint64_t column_ = 1;
  std::optional<Error> failure_;  // of the source, not told yet
  bool stopped_ = false;          // nobody reads it any more
  bool ended_ = false;            // the source is at its end
  bool discarding_ = false;       // inside an event that is too long
  std::vector<LostEvent> lost_;
  std::vector<std::unique_ptr<char[]>> spare_;  // each of kPieceBytes and padding
};

}  // namespace evq
