// Columns of a partition or mv-apply, whose subplan reads the rows of its input from afar.

#include <algorithm>
#include <utility>

#include "apl/plan/column_pruning.h"
#include "apl/plan/optimizer.h"
#include "store/base/allocation_meter.h"

namespace evq::plan {
namespace {

// Whether what `subplan` shares, or the subplan of an Apply in it, reads the rows of Apply number
// `apply`: out of reach from here.
bool reads_rows_elsewhere(const Node& subplan, std::uint64_t apply) {
  AllocationMeter::poll();
  const auto* shared = std::get_if<Shared>(&subplan.op);
  const auto* inner = std::get_if<Apply>(&subplan.op);
  return (shared != nullptr && reads_placeholder(*shared->plan, apply)) ||
         (inner != nullptr && reads_placeholder(*inner->subplan, apply)) ||
         std::ranges::any_of(subplan.inputs, [apply](const NodePtr& input) {
           return reads_rows_elsewhere(*input, apply);
         });
}

// The columns of the input that the placeholders in `subplan` give and something needs.
void add_needed_rows(const Node& subplan, std::uint64_t apply, Needed* below) {
  const auto* rows = std::get_if<Placeholder>(&subplan.op);
  for (std::size_t i = 0; rows != nullptr && rows->apply == apply && i < below->size(); ++i) {
    (*below)[i] = (*below)[i] || rows->needed.empty() || rows->needed[i];
  }
  for (const NodePtr& input : subplan.inputs) {
    add_needed_rows(*input, apply, below);
  }
}

// A placeholder of rows that have lost columns, with nulls in their places. What follows the
// columns of the input, the index of mv-apply, stays.
NodePtr widen_rows(NodePtr rows, const Mapping& mapping, const Schema& input) {
  const Schema before = rows->schema;
  std::vector<Field> fields = input.fields();
  Project places;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Type type = before[i].type;
    if (i >= mapping.size()) {
      places.exprs.push_back(make_column(fields.size(), type));
      fields.push_back(before[i]);
    } else {
      places.exprs.push_back(mapping[i] == kNoColumn ? make_constant(Value::null(type))
                                                     : make_column(mapping[i], type));
    }
  }
  std::get<Placeholder>(rows->op).needed.clear();
  rows->schema = Schema(std::move(fields));
  std::vector<NodePtr> inputs;
  inputs.push_back(std::move(rows));
  return make_node(std::move(places), std::move(inputs), before);
}

// Of the columns that an Apply repeats beside its subplan's, those that are needed.
Mapping prune_passed(Apply* apply, const Needed& needed, const Mapping& input) {
  Mapping mapping;
  std::vector<std::size_t> passed;
  for (std::size_t i = 0; i < apply->passed.size(); ++i) {
    mapping.push_back(needed[i] ? passed.size() : kNoColumn);
    if (needed[i]) {
      passed.push_back(input[apply->passed[i]]);
    }
  }
  apply->passed = std::move(passed);
  return mapping;
}

}  // namespace

Mapping prune_apply(Node* node, Apply* apply, const Needed& needed) {
  if (reads_rows_elsewhere(*apply->subplan, apply->id)) {
    return prune_nothing(node);
  }
  NodePtr subplan = clone(*apply->subplan);
  const auto split = needed.begin() + static_cast<std::ptrdiff_t>(apply->passed.size());
  const Mapping made = prune(subplan.get(), Needed(split, needed.end()));
  NodePtr& input = node->inputs[0];
  Needed below(input->schema.size());
  add_needed_rows(*subplan, apply->id, &below);
  for (const std::size_t key : apply->keys) {
    below[key] = true;
  }
  for (std::size_t i = 0; i < apply->passed.size(); ++i) {
    below[apply->passed[i]] = below[apply->passed[i]] || needed[i];
  }
  if (apply->unnest.has_value()) {
    for (const UnnestColumn& column : apply->unnest->columns) {
      below[column.column] = true;
    }
  }
  const Mapping mapping = prune(input.get(), std::move(below));
  for (std::size_t& key : apply->keys) {
    key = mapping[key];
  }
  if (apply->unnest.has_value()) {
    for (UnnestColumn& column : apply->unnest->columns) {
      column.column = mapping[column.column];
    }
  }
  if (input->schema.size() < mapping.size()) {
    subplan = rewrite_bottom_up(std::move(subplan), [&](NodePtr at) {
      const auto* rows = std::get_if<Placeholder>(&at->op);
      return rows != nullptr && rows->apply == apply->id
                 ? widen_rows(std::move(at), mapping, input->schema)
                 : std::move(at);
    });
    prune(subplan.get(), Needed(subplan->schema.size(), true));  // without the nulls
  }

  Mapping output = prune_passed(apply, needed, mapping);
  const std::size_t passed = apply->passed.size();
  for (const std::size_t column : made) {
    output.push_back(column == kNoColumn ? kNoColumn : passed + column);
  }
  std::vector<Field> fields;
  for (std::size_t i = 0; i + made.size() < output.size(); ++i) {
    if (output[i] != kNoColumn) {
      fields.push_back(node->schema[i]);
    }
  }
  std::ranges::copy(subplan->schema.fields(), std::back_inserter(fields));
  node->schema = Schema(std::move(fields));
  apply->subplan = std::move(subplan);
  return output;
}

}  // namespace evq::plan
