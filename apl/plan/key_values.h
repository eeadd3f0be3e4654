#pragma once
// parse-kv: pairs of a key and a value in a text, by delimiters, by a regular expression with two
// groups, or, without either, as words that follow each other. Of a repeated key the first wins.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apl/functions/regex.h"
#include "apl/plan/text_pattern.h"

namespace evq::plan {

struct KeyValueSyntax {
  std::string pair_delimiter;  // both empty: every sign that is not part of a word delimits
  std::string kv_delimiter;
  std::vector<std::pair<std::string, std::string>> quotes;  // opening and closing
  std::string escape;
  bool greedy = false;  // values may contain the pair delimiter
  std::shared_ptr<const Regex> regex;

  // Sets one option of the operator; an error carries `span`.
  Status set(std::string_view option, const Value& value, Span span);
};

std::shared_ptr<const Extractor> make_key_values(KeyValueSyntax syntax,
                                                 std::vector<PatternCapture> captures);

}  // namespace evq::plan
