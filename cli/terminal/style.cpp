#include "cli/terminal/style.h"

#include <array>

namespace evq {

std::string_view style_code(TextStyle style) {
  switch (style) {
    case TextStyle::kPlain:
      return "";
    case TextStyle::kDim:
    case TextStyle::kComment:
      return "\x1b[2m";
    case TextStyle::kBold:
      return "\x1b[1m";
    case TextStyle::kKeyword:
      return "\x1b[1;34m";
    case TextStyle::kFunction:
      return "\x1b[36m";
    case TextStyle::kName:
      return "\x1b[1m";
    case TextStyle::kString:
    case TextStyle::kGood:
      return "\x1b[32m";
    case TextStyle::kNumber:
      return "\x1b[35m";
    case TextStyle::kOperator:
    case TextStyle::kWarning:
      return "\x1b[33m";
    case TextStyle::kError:
      return "\x1b[31m";
    case TextStyle::kMistake:
      return "\x1b[4;31m";
    case TextStyle::kPrompt:
      return "\x1b[1;32m";
    case TextStyle::kSelected:
      return "\x1b[7m";
  }
  return "";
}

std::string_view series_code(std::size_t series) {
  static constexpr std::array<std::string_view, kSeriesColors> kCodes = {
      "\x1b[34m", "\x1b[33m", "\x1b[32m", "\x1b[35m", "\x1b[36m", "\x1b[31m"};
  return kCodes[series % kCodes.size()];
}

void append_styled(std::string& out, std::string_view text, TextStyle style, bool color) {
  const std::string_view code = color ? style_code(style) : std::string_view();
  if (code.empty() || text.empty()) {
    out.append(text);
    return;
  }
  out.append(code);
  out.append(text);
  out.append(kStyleReset);
}

}  // namespace evq
