#pragma once
// The parts of the string operators' table, which several files define, and how such parts are
// joined into one table. The parts are static; a joined table lives as long as the program.

#include <initializer_list>
#include <span>
#include <vector>

#include "apl/functions/function.h"

namespace evq {

// Returns the rows of in, !in, in~, !in~.
std::span<const ScalarFunction> membership_operators();
// Returns the rows of has_any, has_all, search, and the validity rule of extend-valid.
std::span<const ScalarFunction> search_operators();

inline std::vector<ScalarFunction> joined_tables(
    std::initializer_list<std::span<const ScalarFunction>> parts) {
  std::vector<ScalarFunction> rows;
  for (const std::span<const ScalarFunction> part : parts) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

}  // namespace evq
