#include "apl/service/completion_place.h"

#include <algorithm>
#include <span>

#include "apl/syntax/lexer.h"
#include "store/base/ascii.h"

namespace evq {

using syntax::Expectations;
using syntax::Expected;

bool is_name_byte(char c) {
  return is_letter_or_digit(c) || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

namespace {

// The field that a text ends with, as geo['a b'].c, with dots between its keys: "geo.a b.c". Empty
// where it ends with none, and behind an index of an array, whose elements are no fields.
std::string path_at_end(std::string_view text) {
  const std::vector<syntax::Token> tokens = syntax::lex_unfinished(text);
  std::string path;
  std::size_t left = tokens.size() - (tokens.empty() ? 0 : 1);  // without the end
  while (left > 0) {
    const bool key = left > 2 && tokens[left - 1].is_symbol("]") &&
                     tokens[left - 2].kind == syntax::TokenKind::kString &&
                     tokens[left - 3].is_symbol("[");
    if (!key && tokens[left - 1].kind != syntax::TokenKind::kName) {
      return {};
    }
    const std::size_t name = left - (key ? 2 : 1);
    path = tokens[name].text + (path.empty() ? "" : "." + path);
    left = name - (key ? 1 : 0);
    const bool dotted = left > 0 && tokens[left - 1].is_symbol(".");
    // ['a'] is a name of its own where nothing stands right before it.
    const bool member =
        key && !dotted && left > 0 && tokens[left - 1].span.end == tokens[left].span.begin &&
        (tokens[left - 1].is_symbol("]") || tokens[left - 1].kind == syntax::TokenKind::kName);
    if (!dotted && !member) {
      return path;
    }
    left -= dotted ? 1 : 0;
  }
  return {};
}

}  // namespace

Partial partial_at(std::string_view text) {
  Partial partial;
  const std::vector<syntax::HighlightToken> tokens = syntax::tokenize(text);
  if (!tokens.empty() && tokens.back().kind == syntax::HighlightKind::kComment) {
    partial.begin = text.size();
    partial.in_comment = true;
    return partial;
  }
  const bool open = !tokens.empty() && tokens.back().kind == syntax::HighlightKind::kInvalid &&
                    tokens.back().span.end == text.size();
  const std::size_t at = open ? tokens.back().span.begin : 0;
  if (open && (text[at] == '\'' || text[at] == '"')) {
    partial.quote = text[at];
    partial.typed = text.substr(at + 1);
    partial.bracketed =
        at > 0 && text[at - 1] == '[' &&
        (at == 1 || (!is_name_byte(text[at - 2]) && text[at - 2] != ']' && text[at - 2] != ')'));
    const bool member = at > 0 && text[at - 1] == '[' && !partial.bracketed;
    partial.object = member ? path_at_end(text.substr(0, at - 1)) : std::string();
    partial.begin = partial.bracketed ? at - 1 : at;
    return partial;
  }
  std::size_t begin = text.size();
  while (begin > 0 && (is_name_byte(text[begin - 1]) ||
                       (text[begin - 1] == '.' && begin > 1 && is_name_byte(text[begin - 2])))) {
    --begin;
  }
  // mv-expand, web-logs: a dash belongs to the names of operators and datasets.
  std::size_t dashed = begin;
  while (dashed > 0 && (is_name_byte(text[dashed - 1]) || text[dashed - 1] == '-')) {
    --dashed;
  }
  if (dashed < begin) {
    const Expectations found = syntax::expectations_at_end(text.substr(0, dashed));
    const bool whole = found.expects(Expected::kOperator) || found.expects(Expected::kSource) ||
                       found.expects(Expected::kTable);
    begin = whole ? dashed : begin;
  }
  // message !has: the sign belongs to the operator.
  if (begin > 0 && text[begin - 1] == '!' &&
      !syntax::expectations_at_end(text.substr(0, begin - 1)).infix.empty()) {
    --begin;
  }
  partial.begin = begin;
  partial.typed = text.substr(begin);
  if (begin > 1 && text[begin - 1] == '.' && text[begin - 2] == ']') {
    partial.object = path_at_end(text.substr(0, begin - 1));
  }
  return partial;
}

PipelinesBeforeEnd::PipelinesBeforeEnd(std::string_view text, const Expectations& found)
    : statements_(text.substr(0, found.statement_begin)) {
  const auto scopes = std::span(found.scopes);
  std::size_t first = scopes.size();
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    first = scopes[i].is_block ? first : i;
  }
  if (first == scopes.size()) {
    return;
  }
  for (const syntax::PipelineScope& scope : scopes.subspan(first)) {
    add_operators(text, scope, &scope != &scopes[first]);
  }
  const std::vector<std::size_t>& operators = scopes[first].operators;
  add_prefixes(text, scopes[first].begin,
               operators.empty() ? scopes[first].begin : operators.back());
}

std::string PipelinesBeforeEnd::text(std::size_t index) const {
  std::string text(statements_);
  if (index >= pieces_.size()) {
    return text.append(prefixes_[index - pieces_.size()]);
  }
  for (const Piece& piece : std::span(pieces_).first(pieces_.size() - index)) {
    text.append(piece.piped ? "|" : "").append(piece.text);
  }
  return text;
}

void PipelinesBeforeEnd::add_operators(std::string_view text, const syntax::PipelineScope& scope,
                                       bool inner) {
  std::size_t begin = scope.begin;
  for (const std::size_t op : scope.operators) {
    const std::size_t pipe = text.substr(0, op).find_last_not_of(" \t\r\n");
    if (op > begin && pipe != std::string_view::npos && text[pipe] == '|') {
      pieces_.push_back({inner && begin == scope.begin, text.substr(begin, pipe - begin)});
      begin = pipe;
    }
  }
}

// An operator with a mistake is in none of the lists above: what stands before it still counts.
void PipelinesBeforeEnd::add_prefixes(std::string_view text, std::size_t begin, std::size_t end) {
  for (const syntax::HighlightToken& token : syntax::tokenize(text.substr(0, end))) {
    const Span at = token.span;
    if (at.begin > begin && text.substr(at.begin, at.end - at.begin) == "|") {
      prefixes_.push_back(text.substr(begin, at.begin - begin));
    }
  }
  std::ranges::reverse(prefixes_);
}

}  // namespace evq
