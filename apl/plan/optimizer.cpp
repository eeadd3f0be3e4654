#include "apl/plan/optimizer.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "apl/plan/node_traits.h"
#include "store/base/allocation_meter.h"

namespace evq::plan {
namespace {

constexpr std::array<OptimizerPass, 17> kPasses = {{
    {"inline_shared", inline_shared},
    {"partitions", merge_partitions},
    {"derive_keys", derive_keys},
    {"linear_sums", linearize_sums},
    {"share_aggregates", share_aggregates},
    {"push_filters", push_filters},
    {"time_range", tighten_time_range},
    {"take_elements", take_elements},
    {"order_filters", order_filters},
    {"top_n", fuse_top_n},
    {"limit_groups", limit_groups},
    {"prune_columns", prune_columns},
    {"take_members", take_members},
    {"drop_sorts", drop_unseen_sorts},
    {"locate_rows", locate_rows},
    {"split_extremes", split_extremes},
    {"late_materialize", materialize_late},
}};

class Optimizer {
 public:
  Optimizer(const EvalContext& context, const OptimizerOptions& options)
      : context_(context), options_(options) {}

  NodePtr run(NodePtr root) {
    root = run_passes(std::move(root), true);
    note_needs(*root, true);
    optimize_subplans(root.get());
    return root;
  }

 private:
  // What is shared has been settled over the whole plan; a part of it does not show all readers.
  NodePtr run_passes(NodePtr root, bool whole) {
    for (const OptimizerPass& pass : kPasses) {
      const bool fits = whole || pass.apply != inline_shared;
      if (fits && std::ranges::find(options_.disabled, pass.name) == options_.disabled.end()) {
        root = pass.apply(std::move(root), context_);
      }
    }
    return root;
  }

  // Which columns of each shared subplan its readers use, all of them taken together; those within
  // other subplans have not been asked yet.
  void note_needs(const Node& node, bool asked) {
    for (const NodePtr& input : node.inputs) {
      note_needs(*input, asked);
    }
    if (const auto* shared = std::get_if<Shared>(&node.op)) {
      const bool all = !asked || shared->needed.empty();
      const auto [at, fresh] = needs_.try_emplace(shared->plan, shared->plan->schema.size(), false);
      for (std::size_t i = 0; i < at->second.size(); ++i) {
        at->second[i] = at->second[i] || all || shared->needed[i];
      }
      if (fresh) {
        note_needs(*shared->plan, false);
      }
    } else if (const auto* apply = std::get_if<Apply>(&node.op)) {
      note_needs(*apply->subplan, false);
    }
  }

  // Without the columns that nobody needs, in whose place there are nulls: the others are referred
  // to by position.
  static NodePtr narrow(NodePtr plan, const std::vector<bool>& needed) {
    const Schema schema = plan->schema;
    const std::vector<std::size_t> kept = keep_columns(plan.get(), needed);
    Project places;
    for (std::size_t i = 0; i < schema.size(); ++i) {
      places.exprs.push_back(needed[i] ? make_column(kept[i], schema[i].type)
                                       : make_constant(Value::null(schema[i].type)));
    }
    std::vector<NodePtr> inputs;
    inputs.push_back(std::move(plan));
    return make_node(std::move(places), std::move(inputs), schema);
  }

  std::shared_ptr<const Node> run_shared(const std::shared_ptr<const Node>& subplan) {
    auto [at, fresh] = done_.try_emplace(subplan);
    if (fresh) {
      NodePtr plan = clone(*subplan);
      if (const auto needs = needs_.find(subplan);
          needs != needs_.end() && std::ranges::find(needs->second, false) != needs->second.end()) {
        plan = narrow(std::move(plan), needs->second);
      }
      plan = run_passes(std::move(plan), false);
      optimize_subplans(plan.get());
      std::shared_ptr<const Node> optimized = std::move(plan);
      at->second = optimized->schema == subplan->schema ? optimized : subplan;
    }
    return done_.at(subplan);
  }

  void optimize_subplans(Node* node) {
    for (const NodePtr& input : node->inputs) {
      optimize_subplans(input.get());
    }
    if (auto* shared = std::get_if<Shared>(&node->op)) {
      shared->plan = run_shared(shared->plan);
    }
    // Else a plan shared with what is outside would be another there, and run twice.
    if (auto* apply = std::get_if<Apply>(&node->op)) {
      NodePtr subplan = clone(*apply->subplan);
      optimize_subplans(subplan.get());
      apply->subplan = std::move(subplan);
    }
  }

  const EvalContext& context_;
  const OptimizerOptions& options_;
  // By subplan; they are kept, so that no other one takes the place of one that is gone.
  std::map<std::shared_ptr<const Node>, std::vector<bool>> needs_;
  std::map<std::shared_ptr<const Node>, std::shared_ptr<const Node>> done_;
};

}  // namespace

std::span<const OptimizerPass> optimizer_passes() {
  return kPasses;
}

Status optimize(Plan* plan, const EvalContext& context, const OptimizerOptions& options) {
  if (!options.enabled) {
    return {};
  }
  AllocationMeter meter(nullptr, context.control, "plan");
  return meter.guard([&] { plan->root = Optimizer(context, options).run(std::move(plan->root)); });
}

bool is_one_when_equal(Type type) {
  return type == Type::kString || type == Type::kBool || type == Type::kLong ||
         type == Type::kDatetime || type == Type::kTimespan;
}

const Scan* scan_of_rows(const Node& node) {
  if (const auto* scan = std::get_if<Scan>(&node.op)) {
    return scan;
  }
  return traits_of(node.op).maps_rows() ? scan_of_rows(*node.inputs[0]) : nullptr;
}

const ScanColumn* scanned_column(const Node& node, std::size_t column) {
  if (const auto* scan = std::get_if<Scan>(&node.op)) {
    return &scan->columns[column];
  }
  const std::optional<std::size_t> below = column_below(node, column);
  return below.has_value() ? scanned_column(*node.inputs[0], *below) : nullptr;
}

std::size_t add_row_column(Node* node) {
  const Field row{std::string(kRowColumn), Type::kLong};
  const auto append_field = [&] {
    std::vector<Field> fields = node->schema.fields();
    fields.push_back(row);
    node->schema = Schema(std::move(fields));
    return node->schema.size() - 1;
  };
  if (auto* scan = std::get_if<Scan>(&node->op)) {
    for (std::size_t i = 0; i < scan->columns.size(); ++i) {
      if (scan->columns[i].field == kRowColumn) {
        return i;
      }
    }
    scan->columns.push_back({row.name, row.type});
    return append_field();
  }
  const std::size_t below = add_row_column(node->inputs[0].get());
  auto* project = std::get_if<Project>(&node->op);
  if (project == nullptr) {
    node->schema = node->inputs[0]->schema;
    return below;
  }
  for (std::size_t i = 0; i < project->exprs.size(); ++i) {
    if (project->exprs[i]->is_column() && project->exprs[i]->column == below) {
      return i;
    }
  }
  project->exprs.push_back(make_column(below, row.type));
  return append_field();
}

ExprPtr substitute(ExprPtr expr, const std::vector<ExprPtr>& columns) {
  if (expr->is_column()) {
    return clone(*columns[expr->column]);
  }
  for (ExprPtr& arg : expr->args) {
    arg = substitute(std::move(arg), columns);
  }
  return expr;
}

NodePtr rewrite_bottom_up(NodePtr node, const std::function<NodePtr(NodePtr)>& rewrite) {
  for (NodePtr& input : node->inputs) {
    input = rewrite_bottom_up(std::move(input), rewrite);
  }
  AllocationMeter::poll();
  return rewrite(std::move(node));
}

}  // namespace evq::plan
