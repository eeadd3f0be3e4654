#pragma once
// Where in a text completion is asked for: the unfinished word at its end, and the pipelines that
// stand before the operator the end lies in. Pure; any thread.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "apl/syntax/expectations.h"

namespace evq {

// Whether a byte may stand in a name without quotes.
bool is_name_byte(char c);

// The unfinished word before the cursor.
struct Partial {
  std::size_t begin = 0;
  std::string typed;       // without quotes
  char quote = '\0';       // of the string that is open, or of the name in brackets
  bool bracketed = false;  // ['na…
  std::string object;      // geo['ci…: "geo"; geo['a']['ci… and geo['a'].ci…: "geo.a"
  bool in_comment = false;
};
Partial partial_at(std::string_view text);

// The pipeline before the operator that the end of the text lies in, one text for each number of
// its last operators left out: longest first. Not all of them need to parse. A text is made when it
// is asked for, since together they would be the square of the whole. `text` must outlive it.
class PipelinesBeforeEnd {
 public:
  PipelinesBeforeEnd(std::string_view text, const syntax::Expectations& found);

  std::size_t size() const { return pieces_.size() + prefixes_.size(); }
  std::string text(std::size_t index) const;

 private:
  // A part of the pipeline: what stands before one operator and behind the one before it.
  struct Piece {
    bool piped = false;  // a block begins here, which has no pipe before its first operator
    std::string_view text;
  };

  void add_operators(std::string_view text, const syntax::PipelineScope& scope, bool inner);
  void add_prefixes(std::string_view text, std::size_t begin, std::size_t end);

  std::string_view statements_;
  std::vector<Piece> pieces_;
  std::vector<std::string_view> prefixes_;
};
// Limit of these pipelines that are tried: each is parsed and bound.
inline constexpr std::size_t kPipelinesTriedMax = 24;

}  // namespace evq
