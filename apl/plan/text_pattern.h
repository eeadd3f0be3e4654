#pragma once
// TextPattern: the pattern of parse and parse-where over one text: literals that must be found in
// order, captures between them, stars that skip. Simple and relaxed patterns are matched directly,
// regex patterns through one compiled expression; either way time is linear in the text.

#include <memory>
#include <string>
#include <vector>

#include "apl/plan/plan.h"
#include "apl/syntax/ast.h"
#include "store/base/result.h"

namespace evq::plan {

struct PatternCapture {
  std::string name;
  Type type = Type::kString;
};

struct TextPattern {
  std::vector<PatternCapture> captures;  // one a produced column
  std::shared_ptr<const Extractor> extractor;
};

// Compiles the pattern; kCompile errors carry the span of what is wrong.
Result<TextPattern> make_text_pattern(const ast::Parse& parse, Span span);

// Reads `text` as a value of `type` by the strict rules of parse; null when it is none.
Value convert_capture(std::string_view text, Type type);

}  // namespace evq::plan
