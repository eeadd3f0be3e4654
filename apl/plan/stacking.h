#pragma once
// Small steps of the lowering files: putting one node on another, and a projection to exactly the
// listed columns, which unlike Binder::project carries no hidden column along by itself.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apl/plan/binder.h"

namespace evq::plan {

inline NodePtr stack(NodePtr input, Operation op, Schema schema) {
  std::vector<NodePtr> inputs;
  inputs.push_back(std::move(input));
  return make_node(std::move(op), std::move(inputs), std::move(schema));
}

inline Relation choose(Relation input, std::vector<NamedColumn> columns) {
  Project op;
  std::vector<Field> fields;
  for (NamedColumn& column : columns) {
    fields.push_back({std::move(column.name), column.expr->type});
    op.exprs.push_back(std::move(column.expr));
  }
  input.node = stack(std::move(input.node), std::move(op), Schema(std::move(fields)));
  return input;
}

// `name`, with a number where a field is called so already.
inline std::string free_name(const std::vector<Field>& fields, const std::string& name) {
  const auto taken = [&](const std::string& candidate) {
    return std::ranges::find(fields, candidate, &Field::name) != fields.end();
  };
  std::string candidate = name;
  for (int suffix = 1; taken(candidate); ++suffix) {
    candidate = name + std::to_string(suffix);
  }
  return candidate;
}

// Hidden columns among the first `count` of `schema`, as they are.
inline void add_hidden(const Schema& schema, std::size_t count, std::vector<NamedColumn>* columns) {
  for (std::size_t i = 0; i < count; ++i) {
    if (is_hidden(schema[i].name)) {
      columns->push_back({schema[i].name, make_column(i, schema[i].type)});
    }
  }
}

}  // namespace evq::plan
