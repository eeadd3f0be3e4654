#pragma once
// THE table of tabular operators. Parser, help, completion, the manual and "did you mean" read
// these rows; there is no second list. To add an operator: a struct in ast_operator.h, a parse
// function, and a row here.

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "apl/syntax/ast.h"
#include "store/base/result.h"

namespace evq::syntax {

class TokenCursor;

// A query anybody can run, and its answer: header name:type, then one line per row, cells separated
// by two blanks. An empty answer means that the result varies (sample) or draws (render).
struct OperatorExample {
  std::string_view query;
  std::string_view answer;
};

struct OperatorInfo {
  std::string_view name;
  std::string_view aliases[2];   // empty ones do not count
  std::string_view summary;      // one sentence, without a full stop
  std::string_view syntax;       // one line
  std::string_view description;  // one paragraph
  OperatorExample examples[2];   // the second may be empty
  // Parses what follows the name. Null for words that only start a pipeline (print, datatable, …).
  Result<ast::OperatorNode> (*parse)(TokenCursor& cursor);
};

// Returns all rows, by name.
std::span<const OperatorInfo> all_operators();
// Finds an operator by name or alias; null when there is none.
const OperatorInfo* find_operator(std::string_view name);
// Lists names and aliases of the operators that may follow a pipe.
std::vector<std::string_view> operator_names();

}  // namespace evq::syntax
