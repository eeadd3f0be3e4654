#pragma once
// TableFunction: an operator whose output columns depend on the data, or that needs all rows at
// once: evaluate pivot / bag_unpack / narrow, reduce, scan. Immutable: any thread.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apl/functions/function.h"
#include "store/base/result.h"
#include "store/column/table.h"

namespace evq::plan {

class TableFunction {
 public:
  virtual ~TableFunction() = default;
  // Computes the output; `input` is the whole input.
  virtual Result<Table> run(const EvalContext& context, Table input) const = 0;
  virtual std::string_view name() const = 0;  // of the operator; a literal
  virtual std::string describe() const = 0;

  // A function of the same kind that has fewer columns.
  struct Narrowed {
    std::shared_ptr<const TableFunction> function;
    std::vector<bool> input;          // the columns of the input that it reads, by old position
    std::vector<std::size_t> output;  // where each old column of the output is, or kNoColumn
  };
  // Returns a function whose output has the `needed` columns and perhaps others, in their order;
  // nullopt when all of the input is needed in any case.
  virtual std::optional<Narrowed> narrowed(const std::vector<bool>& /*needed*/) const {
    return std::nullopt;
  }
};

}  // namespace evq::plan
