#pragma once
// Which lines of a log belong together: the message of one event and what it wrote below it, such
// as a stack trace, a query or a dump. Pure; nothing here fails.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "store/ingest/boundary.h"

namespace evq {

// An entry that may go on in a later line counts as whole when no line has come for so long.
inline constexpr std::int64_t kLogEntryWaitMs = 1000;

// Tells where entries begin:
// - a line that tells its time (leading_time.h) begins one, unless it begins with a blank under an
//   entry that has its time and does not; what blanks align, a level or a day, begins with none;
// - in a log with times every other line belongs to the entry above it;
// - in one without, a line does that begins with a blank or a closing bracket or, as runtimes go
//   on, with "Caused by:", "Traceback (most recent call last)" and the like. The line that ends a
//   Python traceback, its exception, belongs to it as well, and so do the calls in the stack of a
//   goroutine.
class LogEntryRule {
 public:
  // Whether the next line begins an entry. It is not blank, and given without its end.
  bool begins(std::string_view line);

 private:
  enum class Traceback : std::uint8_t { kNone, kOpen, kEnded };

  bool continues_untimed(std::string_view line);

  bool goes_on_in_stack(std::string_view line) const;

  bool timed_ = false;      // the entry at hand begins with a time
  bool at_margin_ = false;  // and without a blank
  Traceback traceback_ = Traceback::kNone;
  bool goroutine_ = false;  // the entry holds the stack of one
};

// The text of an entry in what its span covers, which may have blank lines above it and blanks
// behind it.
std::string_view entry_text(std::string_view spanned);

// The offset at which the last entry of a text begins; 0: there is one at most.
std::size_t last_entry_begin(std::string_view text);
// Whether a line belongs to the one above it.
bool has_longer_entries(std::string_view text);

// Entries as spans. One ends when the next begins, when the text does, or when nothing came for a
// while; longer than one field's value may be it is several.
std::unique_ptr<BoundaryScanner> make_entry_scanner();

}  // namespace evq
