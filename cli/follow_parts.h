#pragma once
// PartBatch: lines of a followed file that wait to be stored. Where the runtime of a container took
// lines apart ("TIME stdout P begins", "TIME stdout F ends"), a batch ends between two whole lines
// of each stream, so that PartJoiner finds all parts of a line in one batch. A line whose end never
// comes holds back what follows it for a bounded time, and a bounded size: it is then given up, and
// is stored as far as it came. Here too: where the lines of such a batch start. Nothing here fails.
// One thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "store/ingest/log_entry.h"

namespace evq {

class PartBatch {
 public:
  // For so long the next part of a line is waited for: it may come kLogEntryWaitMs after the one
  // before, and the cutter keeps the last line for as long again, if no other comes.
  static constexpr std::int64_t kPartWaitMs = 3 * kLogEntryWaitMs;

  // `has_parts`: the lines may be parts of others. Without it all of the text is whole.
  explicit PartBatch(bool has_parts) : has_parts_(has_parts) {}

  // Adds whole lines. `now_ns` is a clock that stands still while nobody reads the file: what comes
  // late because it was read late is not given up.
  void add(std::string_view lines, std::int64_t now_ns);
  // Gives up the lines of which no part has come for kPartWaitMs.
  void give_up(std::int64_t now_ns);

  // Returns the size of what ends between whole lines, or lines that were given up.
  std::size_t whole_bytes() const { return has_parts_ ? whole_bytes_ : text_.size(); }
  const std::string& text() const { return text_; }
  // Removes the first bytes, all of them or whole_bytes() at most, and returns them.
  std::string take(std::size_t size);

 private:
  // Of standard output and of standard error.
  struct Stream {
    bool is_open = false;          // parts of a line are there, and its end is not
    std::size_t begin = 0;         // of that line in the text
    std::size_t joined_bytes = 0;  // of what its parts make
    std::int64_t last_ns = 0;      // when its last part came
  };

  void pass_lines(std::size_t begin, std::int64_t now_ns);
  void pass_line(std::size_t begin, std::size_t end, std::int64_t now_ns);
  void give_up(Stream* stream, std::size_t end);

  const bool has_parts_;
  std::string text_;
  std::array<Stream, 2> streams_;
  std::size_t whole_bytes_ = 0;
};

// Where the lines of a text start, asked for in their order mostly: each is looked for from the one
// before.
class LineStarts {
 public:
  // Of the line of this number, from 1.
  std::size_t find(std::string_view text, std::uint64_t number);

 private:
  std::uint64_t number_ = 1;
  std::size_t start_ = 0;
};

}  // namespace evq
