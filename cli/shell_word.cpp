#include "cli/shell_word.h"

#include <algorithm>

#include "store/base/ascii.h"

namespace evq {

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlainMarks = "_@.:/+-,";
  const bool plain = std::ranges::all_of(text, [&](char c) {
    return is_letter_or_digit(c) || kPlainMarks.find(c) != std::string_view::npos;
  });
  if (plain && !text.empty()) {
    return std::string(text);
  }
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

}  // namespace evq
