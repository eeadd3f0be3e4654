#pragma once
// redact: replaces what regular expressions match in a text, by a token or by a short hash that is
// the same for equal texts. Patterns apply one after the other; empty matches change nothing.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apl/functions/regex.h"
#include "apl/plan/plan.h"
#include "store/base/result.h"

namespace evq::plan {

struct RedactionSyntax {
  std::optional<std::string> token;
  bool hash = false;
  bool groups_only = false;  // only the text of capture groups
  std::vector<std::shared_ptr<const Regex>> patterns;

  // Errors carry `span`.
  Status set(std::string_view option, const Value& value, Span span);
  // A text, or an array or bag of texts.
  Status add_pattern(const Value& value, Span span);
};

Result<std::shared_ptr<const Extractor>> make_redaction(RedactionSyntax syntax, Span span);

}  // namespace evq::plan
