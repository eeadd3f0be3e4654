#pragma once
// TokenCursor: a place in a token list, with the questions and steps the grammar needs, the limits
// on nesting and operators, and the one function that turns "this does not fit here" into the most
// helpful message. One thread; lives for one parse.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apl/syntax/expectations.h"
#include "apl/syntax/token.h"
#include "store/base/result.h"

namespace evq::syntax {

class TokenCursor {
 public:
  // `text` must outlive the cursor, and so must the recorder, which is null for a plain parse.
  TokenCursor(std::string_view text, std::vector<Token> tokens,
              ExpectationRecorder* recorder = nullptr)
      : text_(text), tokens_(std::move(tokens)), recorder_(recorder) {}

  // Returns the token `ahead` places from here; the last one for ever at the end.
  const Token& peek(std::size_t ahead = 0) const;
  // Returns the token at an index; the last one for every index behind it, such as the one after
  // the partner of a bracket that is not closed.
  const Token& token(std::size_t index) const {
    return tokens_[std::min(index, tokens_.size() - 1)];
  }
  std::size_t index() const { return at_; }
  // Goes back to a token passed before.
  void move_to(std::size_t index) { at_ = index; }
  // Passes the current token.
  const Token& take();

  bool at(std::string_view symbol) const { return peek().is_symbol(symbol); }
  bool at_word(std::string_view word) const { return peek().is_word(word); }
  bool at_end() const { return peek().kind == TokenKind::kEnd; }
  // Whether ['name'] stands at `ahead`.
  bool at_quoted_name(std::size_t ahead = 0) const;
  // Whether no blank stands between the tokens at `ahead` and before it.
  bool joined(std::size_t ahead = 0) const;
  // Whether a blank line stands before the current token: in many editors that ends a query.
  bool after_blank_line() const;
  // Whether another query seems to begin here: a dataset's name, first in its line, and a pipe.
  bool at_next_query() const;

  bool accept(std::string_view symbol);
  bool accept_word(std::string_view word);
  // Passes the symbol or fails; `what` completes "expected …", the symbol itself when empty.
  Status expect(std::string_view symbol, std::string_view what = {});
  Status expect_word(std::string_view word, std::string_view what = {});

  // Returns the recorder; null unless expectations are collected.
  ExpectationRecorder* recorder() const { return recorder_; }
  // The recorder when the cursor is at the end of the text as well.
  ExpectationRecorder* recorder_at_end() const { return at_end() ? recorder_ : nullptr; }
  // Tells the recorder, if there is one, that this may stand at the end.
  void may_end_with(Expected kind) const;
  void may_end_with(std::span<const std::string_view> words) const;
  // Tells the recorder that this operator may stand behind the expression that ends here.
  void may_go_on_with(std::string_view infix) const;
  bool accept_infix(std::string_view word);

  // Returns the span from the token at `first` to the last one taken.
  Span span_from(std::size_t first) const;
  std::string_view slice(Span span) const {
    return text_.substr(span.begin, span.end - span.begin);
  }

  // Makes the error for the current token where `expected` should stand.
  Error unexpected(std::string_view expected) const;

  // Goes one level deeper until leave(); fails past kQueryDepthMax.
  Status enter();
  void leave() { --depth_; }
  // Counts a tabular operator against kQueryOperatorsMax.
  Status count_operator();

  // Returns the height of the tallest expression since it was last set: what a subquery holds.
  int tallest() const { return tallest_; }
  void set_tallest(int height) { tallest_ = height; }

  // Whether a search predicate is read, which may have `field:term`, and `not` before any term.
  bool in_search() const { return in_search_; }
  void set_in_search(bool on) { in_search_ = on; }

 private:
  std::string_view text_;
  std::vector<Token> tokens_;
  ExpectationRecorder* recorder_ = nullptr;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t operators_ = 0;
  int tallest_ = 0;
  bool in_search_ = false;
};

// Leaves the level it entered at the end of a scope.
class DepthGuard {
 public:
  explicit DepthGuard(TokenCursor& cursor) : cursor_(cursor), status_(cursor.enter()) {}
  ~DepthGuard() { cursor_.leave(); }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;
  Status take_status() { return std::move(status_); }

 private:
  TokenCursor& cursor_;
  Status status_;
};

}  // namespace evq::syntax
