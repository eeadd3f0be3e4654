// Operators that are functions from one whole table to another.

#include <utility>

#include "apl/exec/executor.h"
#include "apl/exec/whole_input.h"
#include "apl/plan/table_function.h"
#include "store/base/allocation_meter.h"

namespace evq {

Status run_transform(Executor& executor, const plan::Node& node, Consumer& consumer) {
  const auto& transform = std::get<plan::Transform>(node.op);
  EVQ_TRY_ASSIGN(WholeInput whole,
                 collect_whole(executor, *node.inputs[0], transform.function->name()));
  Table input{node.inputs[0]->schema, std::move(whole.rows.columns()), whole.rows.rows()};
  Result<Table> output = Table();
  {
    AllocationMeter meter = executor.meter(transform.function->name());
    EVQ_TRY(meter.guard(
        [&] { output = transform.function->run(executor.context(), std::move(input)); }));
  }
  if (!output.ok()) {
    return std::move(output).take_error();
  }
  const Chunk rows(std::move(output->columns), output->rows);
  EVQ_TRY(whole.lease.resize(rows.size_bytes()));
  return push_whole(executor, rows, transform.function->name(), consumer);
}

}  // namespace evq
