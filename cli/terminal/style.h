#pragma once
// What a piece of text is, and how a terminal shows it. Callers name the meaning; the palette of
// sixteen colours, which every terminal has and every user has adapted to a light or dark ground,
// is one table in style.cpp. All functions are pure.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace evq {

enum class TextStyle : std::uint8_t {
  kPlain,
  kDim,
  kBold,
  kKeyword,
  kFunction,
  kName,
  kString,
  kNumber,
  kOperator,
  kComment,
  kError,
  kMistake,  // in what is being typed
  kWarning,
  kGood,
  kPrompt,
  kSelected,
};

// A styled half-open byte range of some text.
struct StyledSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  TextStyle style = TextStyle::kPlain;
  friend bool operator==(const StyledSpan&, const StyledSpan&) = default;
};

inline constexpr std::string_view kStyleReset = "\x1b[0m";
// Colours that tell the series of a picture apart.
inline constexpr std::size_t kSeriesColors = 6;

// Returns the escape sequence that starts the style; empty for kPlain.
std::string_view style_code(TextStyle style);
// Returns the escape sequence of series number `series`; they repeat after kSeriesColors.
std::string_view series_code(std::size_t series);
// Appends the text between the style's escape sequence and a reset; just the text without colour.
void append_styled(std::string& out, std::string_view text, TextStyle style, bool color);

}  // namespace evq
