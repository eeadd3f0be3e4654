#pragma once
// SourceText: the text of one query with its positions, for messages that point into it. Spans are
// byte ranges; lines and columns count from 1, columns in code points. Immutable; any thread.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/error.h"

namespace evq {

struct SourcePosition {
  std::size_t line = 1;
  std::size_t column = 1;
  friend bool operator==(const SourcePosition&, const SourcePosition&) = default;
};

// The display on which text is shown.
struct SourceDisplay {
  std::string (*shown)(std::string_view text);     // what is printed for it, in one line
  std::size_t (*width)(std::string_view printed);  // columns that it takes
  // The width of the place: an excerpt is cut to it around the mark. 0: not known, it is only kept
  // from growing without end.
  std::size_t columns = 0;
};

class SourceText {
 public:
  // `name` is what messages call the text: "query", or a file's name.
  explicit SourceText(std::string text, std::string name = "query");

  std::string_view text() const { return text_; }
  std::string_view name() const { return name_; }
  std::string_view slice(Span span) const;

  // Returns line and column of the byte at `offset`; offsets past the end count as the end.
  SourcePosition position(std::size_t offset) const;
  // Returns the line with the given number, without its line end.
  std::string_view line(std::size_t number) const;

  // The block for people, ending in a line end:
  //   error[unknown-field]: unknown field 'stat' in 'web'
  //     --> query:1:13
  //      |
  //    1 | web | where stat > 1
  //      |             ^^^^
  //      = did you mean 'status'?
  std::string render(const Error& error) const;
  std::string render(const Error& error, const SourceDisplay& display) const;
  // The form for tests: APL2003 1:13 unknown field 'stat' in 'web'; did you mean 'status'?
  std::string render_line(const Error& error) const;

 private:
  std::string text_;
  std::string name_;
  std::vector<std::size_t> line_starts_;
};

}  // namespace evq
