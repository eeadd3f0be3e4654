#include "cli/skipped_lines.h"

#include "cli/output.h"
#include "cli/terminal/number_text.h"
#include "store/ingest/failure_reason.h"

namespace evq {

constexpr std::uint64_t kShownMax = 10;

void SkippedLines::note(const std::string& file, const IngestFailure& failure) {
  const std::string place =
      file + ":" + std::to_string(failure.line) + ":" + std::to_string(failure.column);
  if (count_ == 0) {
    first_place_ = place;
  }
  if (count_++ < kShownMax) {
    print_note(global_, place + ": " + failure.reason +
                            (tells_lost_lines(failure.reason) ? "" : " (line skipped)"));
  }
}

void SkippedLines::note_rest() const {
  if (count_ > kShownMax) {
    print_note(global_, counted_text(count_ - kShownMax, "more line") + " skipped");
  }
}

}  // namespace evq
