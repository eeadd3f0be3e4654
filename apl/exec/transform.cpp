// Operators that are functions from one whole table to another.

#include <utility>

#include "apl/exec/executor.h"
#include "apl/exec/whole_input.h"

namespace evq {

Status run_transform(Executor& executor, const plan::Node& node, Consumer& consumer) {
  const auto& transform = std::get<plan::Transform>(node.op);
  Table input;
  {
    EVQ_TRY_ASSIGN(const std::vector<Chunk> chunks, executor.collect(*node.inputs[0]));
    Chunk rows = join_chunks(chunks, node.inputs[0]->schema);
    input = {node.inputs[0]->schema, std::move(rows.columns()), rows.rows()};
  }
  EVQ_TRY_ASSIGN(Table output, transform.function->run(executor.context(), std::move(input)));
  return push_all(cut_chunks(Chunk(std::move(output.columns), output.rows)), consumer);
}

}  // namespace evq
