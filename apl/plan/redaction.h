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

  // Sets an option; errors carry `span`.
  Status set(std::string_view option, const Value& value, Span span);
  // Adds the pattern of a text, or those of an array or bag of texts.
  Status add_pattern(const Value& value, Span span);
  // Fails unless the options go together.
  Status check(Span span) const;
};

// Makes a call that redacts `text`, a string or dynamic. It has all of `syntax` as constant
// arguments, so that one projection redacts columns, however many there are.
ExprPtr redacted(ExprPtr text, const std::shared_ptr<const RedactionSyntax>& syntax);

}  // namespace evq::plan
