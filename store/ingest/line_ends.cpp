#include "store/ingest/line_ends.h"

#include <cstddef>

#include "store/base/ascii.h"

namespace evq {

RecordEnd end_of_first_record(std::string_view text) {
  bool quoted = false;
  bool seen_cr = false;
  for (const char c : text) {
    if (!quoted && c == '\n') {
      return RecordEnd::kLineFeed;
    }
    if (!quoted && seen_cr && c != '\r' && c != ' ' && c != '\t') {
      return RecordEnd::kLoneCr;
    }
    seen_cr = seen_cr || (!quoted && c == '\r');
    quoted = quoted != (c == '"');
  }
  return RecordEnd::kNotYet;
}

bool ends_lines_with_cr(std::string_view text) {
  const std::size_t first = text.find('\r');
  return text.find('\n') == std::string_view::npos && first != std::string_view::npos &&
         text.find('\r', first + 1) != std::string_view::npos;
}

bool has_second_line(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end != std::string_view::npos && !is_blank(text.substr(end + 1));
}

}  // namespace evq
