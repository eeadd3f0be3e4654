#pragma once
// Text to tokens, in one pass, by the lexical rules of APL: names, strings in all their forms (an
// unknown escape keeps both characters, so that '\d+' works), numbers, timespans, typed literals,
// comments. lex() is for the parser and stops at the first error; tokenize() is for colouring while
// somebody types, and never fails. Both are pure and take any bytes.

#include <cstdint>
#include <string_view>
#include <vector>

#include "apl/syntax/token.h"
#include "store/base/result.h"

namespace evq::syntax {

// Returns the tokens of `text`, ending in one of kind kEnd, brackets matched. `now_ns` gives the
// day of a datetime literal that is a time of day only.
Result<std::vector<Token>> lex(std::string_view text, std::int64_t now_ns);

// Returns the tokens of a text that may break off: brackets may be open at its end, and count as
// closed by it. Empty when the text is no sequence of tokens.
std::vector<Token> lex_unfinished(std::string_view text);

enum class HighlightKind : std::uint8_t {
  kKeyword,   // by, on, let, and, true, …
  kOperator,  // a tabular operator after a pipe, or a source such as print
  kFunction,  // a name before an opening parenthesis
  kName,
  kString,
  kNumber,  // numbers, timespans, typed literals
  kSymbol,
  kComment,
  kInvalid,  // text that is no token
};

struct HighlightToken {
  HighlightKind kind = HighlightKind::kInvalid;
  Span span;
  friend bool operator==(const HighlightToken&, const HighlightToken&) = default;
};

// Tokens in order of their place, white space left out.
std::vector<HighlightToken> tokenize(std::string_view text);

}  // namespace evq::syntax
