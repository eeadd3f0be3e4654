#pragma once
// Token: a piece of a query's text. The lexer knows no grammar: words are names whatever they mean,
// symbols are their own text, literals carry their value. `['name']` stays three tokens, because
// only the grammar can tell a quoted name from an index.

#include <cstdint>
#include <string>

#include "store/base/error.h"
#include "store/column/value.h"

namespace evq::syntax {

enum class TokenKind : std::uint8_t {
  kEnd,
  kName,     // text: the word; "!in" and "in~" for such operators
  kString,   // text: the decoded string
  kLiteral,  // value: a number, timespan, or typed literal such as datetime(2024-05-01)
  kSymbol,   // text: "(", "==", "..", …
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Span span;
  std::string text;
  Value value;
  // The next `,` `|` `;` or closing bracket at the same nesting, and for an opening bracket its
  // partner; indexes of tokens.
  std::size_t next_delimiter = 0;
  std::size_t partner = 0;

  bool is_symbol(std::string_view symbol) const {
    return kind == TokenKind::kSymbol && text == symbol;
  }
  bool is_word(std::string_view word) const { return kind == TokenKind::kName && text == word; }
};

}  // namespace evq::syntax
