#include "apl/syntax/unfinished.h"

#include <cstdint>

#include "apl/syntax/diagnostics.h"
#include "apl/syntax/lexer.h"
#include "apl/syntax/parser.h"

namespace evq::syntax {

namespace {

enum class Ending : std::uint8_t {
  kWhole,       // or with a mistake that no further line mends
  kStatements,  // whole, but no query yet
  kUnfinished,
};

// Where the last token ends that is neither a comment nor the end of a statement.
std::size_t end_of_tokens(std::string_view text) {
  std::size_t end = 0;
  for (const HighlightToken& token : tokenize(text)) {
    const bool counts = token.kind != HighlightKind::kComment && text[token.span.begin] != ';';
    end = counts ? token.span.end : end;
  }
  return end;
}

Ending ending_of(std::string_view text) {
  const auto parsed = parse(text, 0);
  if (parsed.ok()) {
    return Ending::kWhole;
  }
  const Error& error = parsed.error();
  const std::string_view slug = diag::slug_of(error);
  if (slug == "empty-query") {
    return Ending::kStatements;
  }
  bool unfinished = slug == "unclosed-bracket";
  if (slug == "unterminated-string") {
    // Only a verbatim block may go on in the next line; its error points at the three marks.
    unfinished =
        error.span && text.substr(error.span->begin, error.span->end - error.span->begin) == "```";
  } else if (slug == "unexpected-end" || slug == "missing-clause" || slug == "unterminated-name") {
    unfinished = error.span && error.span->end >= end_of_tokens(text);
  }
  return unfinished ? Ending::kUnfinished : Ending::kWhole;
}

constexpr std::string_view kOpening = "([{";
constexpr std::string_view kClosing = ")]}";

// Whether something must follow the token. Other operators must have an operand as well, but so
// many of them are too deep for a query.
bool goes_on_after(std::string_view token) {
  return token == "," || token == "and" || token == "or";
}

}  // namespace

bool is_unfinished(std::string_view text) {
  return ending_of(text) != Ending::kWhole;
}

bool GrowingText::is_unfinished(std::string_view text, std::size_t known) {
  if (known == 0) {
    *this = GrowingText();
  }
  scan(text.substr(known));
  const bool doubled = text.size() - settled_ >= 2 * (parsed_ - settled_);
  const bool goes_on = !open_brackets_.empty() || (goes_on_after(last_token_) && !doubled);
  if (goes_on && !is_doubtful_) {
    return true;
  }
  parsed_ = text.size();
  const Ending ending = ending_of(text.substr(settled_));
  if (ending == Ending::kStatements && last_token_ == ";") {
    settled_ = text.size();
    is_doubtful_ = false;  // no bracket is open, either
  }
  return ending != Ending::kWhole;
}

void GrowingText::scan(std::string_view lines) {
  for (const HighlightToken& token : tokenize(lines)) {
    if (token.kind == HighlightKind::kComment) {
      continue;
    }
    const std::string_view text = lines.substr(token.span.begin, token.span.end - token.span.begin);
    const bool breaks_name = may_be_name_ && text != "]" && text != ",";
    is_doubtful_ = is_doubtful_ || breaks_name || token.kind == HighlightKind::kInvalid;
    may_be_name_ = last_token_ == "[" && token.kind == HighlightKind::kString;
    last_token_ = text;
    if (token.kind == HighlightKind::kSymbol) {
      match(text);
    }
  }
}

void GrowingText::match(std::string_view symbol) {
  if (symbol.size() != 1) {
    return;
  }
  if (kOpening.find(symbol) != std::string_view::npos) {
    open_brackets_ += symbol;
  } else if (const std::size_t kind = kClosing.find(symbol); kind != std::string_view::npos) {
    const bool closes = !open_brackets_.empty() && open_brackets_.back() == kOpening[kind];
    is_doubtful_ = is_doubtful_ || !closes;
    open_brackets_.resize(open_brackets_.size() - (closes ? 1 : 0));
  }
}

}  // namespace evq::syntax
