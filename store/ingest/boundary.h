#pragma once
// Boundary scanners: where events end in text that arrives bit by bit, without parsing them. A
// scanner sees each byte once, keeps its state in between, and never recurses, so text of any depth
// and length passes in constant memory.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/result.h"
#include "store/ingest/piece.h"

namespace evq {

// Line feeds in a text, many bytes at a time.
std::size_t count_line_feeds(std::string_view text);

// The bytes before the first record in an object of records, {"Records": [{ or {"records": [{, as
// services of Amazon (CloudTrail, S3, SNS, Kinesis) and Azure write them; the last brace is not
// counted. 0: the text is no such object; nothing: it is too short to tell.
std::optional<std::size_t> records_prefix(std::string_view text);

class BoundaryScanner {
 public:
  virtual ~BoundaryScanner() = default;

  // Looks at the bytes of `text` it has not seen yet (all before were shown to it already) and
  // stops after `events_max` events. `at_end`: no byte comes after these. kData where no event can
  // follow: broken syntax between the elements of an array.
  virtual Status scan(std::string_view text, std::size_t events_max, bool at_end) = 0;
  Status scan_to_end(std::string_view text, std::size_t events_max) {
    return scan(text, events_max, true);
  }

  // Called when no bytes came for a while: ends what may be a whole event already.
  virtual void pause() {}

  // Bytes from the start of the text that hold whole events, and how many (blanks may make it
  // less).
  std::size_t whole_bytes() const { return whole_bytes_; }
  std::size_t events() const { return events_; }
  // The bytes that were scanned, which is the place of an error.
  std::size_t seen_bytes() const { return seen_; }
  // The spans of the events, for scanners whose events are no lines.
  std::vector<ValueSpan>& spans() { return spans_; }

  // The first `bytes` of the text are gone; at most whole_bytes(), or everything while an event
  // that is too long is thrown away. Forgets events and spans.
  virtual void drop(std::size_t bytes) = 0;

 protected:
  void forget(std::size_t bytes) {
    seen_ -= bytes;
    whole_bytes_ = 0;
    events_ = 0;
    spans_.clear();
  }

  std::size_t seen_ = 0;
  std::size_t whole_bytes_ = 0;
  std::size_t events_ = 0;
  std::vector<ValueSpan> spans_;
};

// Makes a scanner for which every line is an event.
std::unique_ptr<BoundaryScanner> make_line_scanner();
// JSON values one after the other; those of top-level arrays are their elements, and so are, with
// `unwraps_records`, those of the arrays that records_prefix() finds; other members of their
// objects are passed over.
std::unique_ptr<BoundaryScanner> make_value_scanner(bool unwraps_records = false);
// CSV records: line ends inside quotes belong to the cell. One that a quote opens and none closes
// for longer than a value may be does not hold all that follows: its record ends at a line end
// after some MiB.
std::unique_ptr<BoundaryScanner> make_record_scanner(char delimiter);

}  // namespace evq
