#pragma once
// Text as a terminal shows it: what a user sees as one character (a grapheme cluster), how many
// cells it takes, and how text from data is made safe to print. East Asian characters and emoji
// take two cells, combining marks none, a joined emoji or a flag two in all.
// Every function is pure and total: any bytes go in, a malformed part counts and prints as U+FFFD.

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace evq {

inline constexpr std::size_t kWidthUnlimited = std::numeric_limits<std::size_t>::max();

// Returns where the cluster that starts at `position` (below text.size()) ends.
std::size_t next_grapheme(std::string_view text, std::size_t position);
// Returns where the cluster that ends at `position` (above 0) starts.
std::size_t previous_grapheme(std::string_view text, std::size_t position);
// Returns the cells of one cluster: 0, 1 or 2.
std::size_t grapheme_width(std::string_view cluster);
// Returns the cells of a text without control characters, as visible_text() makes it.
std::size_t text_width(std::string_view text);

enum class LineBreaks : bool { kEscape, kKeep };

// Makes text of unknown origin safe to print: control characters, and with them escape sequences,
// show as \n, \t, \x1b; invisible characters that reorder or hide text show as \u202e; malformed
// UTF-8 shows as U+FFFD. A backslash stays as it is: this is for reading, not for parsing. Stops
// once the result is wider than `width_max`, so that a long cell costs no more than it shows.
std::string visible_text(std::string_view text, LineBreaks breaks = LineBreaks::kEscape,
                         std::size_t width_max = kWidthUnlimited);

// Makes text in a form for programs safe to show on a terminal and still of that form: line breaks
// and tabs stay, every other control character and what visible_text() escapes becomes \u001b or
// the like.
std::string harmless_text(std::string_view text);

enum class Ellipsis : bool { kAscii, kUnicode };

// Cuts the text at a cluster's edge and closes it with an ellipsis when it is wider than `width`.
std::string truncate_to_width(std::string_view text, std::size_t width,
                              Ellipsis ellipsis = Ellipsis::kUnicode);
// Breaks the text into lines of at most `width` cells (a cluster wider than that gets its own),
// after blanks where possible; at least one line. The views point into `text`.
std::vector<std::string_view> wrap_to_width(std::string_view text, std::size_t width);

}  // namespace evq
