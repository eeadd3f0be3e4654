#pragma once
// StepMachine: the state machine of the `scan` operator, over its whole ordered input. Each step
// holds at most one sequence of matching rows that has come as far as this step; a row is tried
// against the steps from the last to the first and may
//   advance: the sequence of the step before moves on to this step and the row joins it, or
//   stay:    the row replaces the last one of the sequence at this step; the first step begins a
//            sequence when it holds none.
// Expressions of a step see the row, and what each step's last row of the sequence held.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "apl/plan/expr.h"
#include "apl/plan/table_function.h"

namespace evq::plan {

enum class StepOutput : std::uint8_t {
  kAll,   // every row that matches
  kLast,  // the last of the rows that stayed at the step
  kNone,
};

// Positions of columns that the expressions use: the input's first, then for each step in order
// the values of the machine's columns as the step's last row held them.
struct Step {
  StepOutput output = StepOutput::kAll;
  bool optional = false;  // a sequence may come here from before the step before, too
  ExprPtr condition;
  std::vector<std::pair<std::size_t, ExprPtr>> assignments;  // machine column, value
};

struct StepProgram {
  // Number of columns of a row in the machine: those the scan gives out, the declared ones last.
  std::size_t columns = 0;
  std::vector<Value> declared;  // the defaults of the declared ones
  // Declared columns that begin with what the row holds in a column of the input: number among the
  // declared ones, input column. Their defaults are of a step without rows only.
  std::vector<std::pair<std::size_t, std::size_t>> copied;
  std::size_t input_columns = 0;       // at least columns - declared.size()
  std::vector<std::size_t> partition;  // input columns; each combination has its own sequences
  bool match_id = false;               // a further output column numbers the sequences
  std::vector<Type> state_types;       // one a machine column
  std::vector<Step> steps;
};

std::shared_ptr<const TableFunction> make_step_machine(StepProgram program, Schema output);

}  // namespace evq::plan
