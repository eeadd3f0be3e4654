#pragma once
// redact: replaces what regular expressions match in a text, by a token or by a short hash that is
// the same for equal texts. Patterns apply one after the other; empty matches change nothing. A
// dynamic value is treated text by text, in arrays and bags too; its other values and its keys
// stay. Pure; any thread.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apl/functions/regex.h"
#include "apl/plan/expr.h"
#include "store/base/result.h"

namespace evq::plan {

struct RedactionSyntax {
  std::optional<std::string> token;
  bool hash = false;
  bool groups_only = false;  // only the text of capture groups
  std::vector<std::shared_ptr<const Regex>> patterns;
  std::vector<std::string> pattern_texts;

  // Errors carry `span`.
  Status set(std::string_view option, const Value& value, Span span);
  // A text, or an array or bag of texts.
  Status add_pattern(const Value& value, Span span);
  // That the options go together.
  Status check(Span span) const;
};

// `text`, a string or dynamic, with its matches replaced, as a call that tells all of `syntax` by
// constant arguments: columns are redacted by one projection, however many there are.
ExprPtr redacted(ExprPtr text, const std::shared_ptr<const RedactionSyntax>& syntax);

}  // namespace evq::plan
