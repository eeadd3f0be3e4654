#include "apl/syntax/token_cursor.h"

#include <algorithm>
#include <optional>

#include "apl/syntax/diagnostics.h"
#include "apl/syntax/habits.h"
#include "store/base/limits.h"
#include "store/base/utf8.h"

namespace evq::syntax {

namespace {

constexpr std::size_t kQuotedInMessageMax = 40;

std::string quoted_shortened(std::string_view text) {
  if (text.size() <= kQuotedInMessageMax) {
    return "'" + std::string(text) + "'";
  }
  return "'" + std::string(utf8_prefix(text, kQuotedInMessageMax)) + "…'";
}

}  // namespace

const Token& TokenCursor::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

const Token& TokenCursor::take() {
  const Token& token = peek();
  at_ = std::min(at_ + 1, tokens_.size() - 1);
  return token;
}

bool TokenCursor::at_quoted_name(std::size_t ahead) const {
  return peek(ahead).is_symbol("[") && peek(ahead + 1).kind == TokenKind::kString &&
         peek(ahead + 2).is_symbol("]");
}

bool TokenCursor::joined(std::size_t ahead) const {
  const std::size_t index = at_ + ahead;
  return index > 0 && index < tokens_.size() &&
         tokens_[index - 1].span.end == tokens_[index].span.begin;
}

bool TokenCursor::after_blank_line() const {
  if (at_ == 0) {
    return false;
  }
  const std::size_t begin = tokens_[at_ - 1].span.end;
  bool line_is_blank = false;
  for (const char c : slice({begin, peek().span.begin})) {
    if (c == '\n' && line_is_blank) {
      return true;
    }
    line_is_blank = c == '\n' || (line_is_blank && (c == ' ' || c == '\t' || c == '\r'));
  }
  return false;
}

bool TokenCursor::at_next_query() const {
  const bool named = peek().kind == TokenKind::kName && peek(1).is_symbol("|");
  if (at_ == 0 || !(named || (at_quoted_name() && peek(3).is_symbol("|")))) {
    return false;
  }
  const std::string_view between = slice({tokens_[at_ - 1].span.end, peek().span.begin});
  return between.find('\n') != std::string_view::npos;
}

bool TokenCursor::accept(std::string_view symbol) {
  if (!at(symbol)) {
    return false;
  }
  take();
  return true;
}

bool TokenCursor::accept_word(std::string_view word) {
  if (ExpectationRecorder* recorder = recorder_at_end()) {
    recorder->note_word(word);
  }
  if (!at_word(word)) {
    return false;
  }
  take();
  return true;
}

bool TokenCursor::accept_infix(std::string_view word) {
  may_go_on_with(word);
  if (!at_word(word)) {
    return false;
  }
  take();
  return true;
}

Status TokenCursor::expect(std::string_view symbol, std::string_view what) {
  if (accept(symbol)) {
    return Status::success();
  }
  return unexpected(what.empty() ? "'" + std::string(symbol) + "'" : std::string(what));
}

Status TokenCursor::expect_word(std::string_view word, std::string_view what) {
  if (accept_word(word)) {
    return Status::success();
  }
  return unexpected(what.empty() ? "'" + std::string(word) + "'" : std::string(what));
}

void TokenCursor::may_go_on_with(std::string_view infix) const {
  if (ExpectationRecorder* recorder = recorder_at_end()) {
    recorder->note_infix(infix);
  }
}

void TokenCursor::may_end_with(Expected kind) const {
  if (ExpectationRecorder* recorder = recorder_at_end()) {
    recorder->note(kind);
  }
}

void TokenCursor::may_end_with(std::span<const std::string_view> words) const {
  if (ExpectationRecorder* recorder = recorder_at_end()) {
    for (const std::string_view word : words) {
      recorder->note_word(word);
    }
  }
}

Span TokenCursor::span_from(std::size_t first) const {
  const std::size_t begin = tokens_[first].span.begin;
  const std::size_t end = at_ > first ? tokens_[at_ - 1].span.end : tokens_[first].span.end;
  return {begin, std::max(begin, end)};
}

Error TokenCursor::unexpected(std::string_view expected) const {
  if (std::optional<Error> habit = expression_habit(*this)) {
    return *std::move(habit);
  }
  if (at_end()) {
    // Point after the last thing written, not at blank lines below it.
    const std::size_t end = at_ > 0 ? tokens_[at_ - 1].span.end : 0;
    Error error = diag::unexpected_end({end, end}, expected);
    error.hint = unexpected_hint(*this, expected);
    return error;
  }
  Error error = diag::unexpected_token(peek().span, expected, quoted_shortened(slice(peek().span)));
  error.hint = unexpected_hint(*this, expected);
  return error;
}

Status TokenCursor::enter() {
  if (++depth_ > kQueryDepthMax) {
    return diag::nested_too_deep(peek().span, kQueryDepthMax);
  }
  return Status::success();
}

Status TokenCursor::count_operator() {
  if (++operators_ > kQueryOperatorsMax) {
    return diag::too_many_operators(peek().span, kQueryOperatorsMax);
  }
  return Status::success();
}

}  // namespace evq::syntax
