// Calls of one summarize that are the same are computed once, and those whose states can answer
// together, such as percentile(x, 50) and percentile(x, 99), become one call.

#include <algorithm>
#include <numeric>
#include <utility>

#include "apl/plan/optimizer.h"

namespace evq::plan {
namespace {

// Columns of an aggregate's input that have equal expressions count as the first of them.
std::vector<std::size_t> first_equals(const Node& input) {
  std::vector<std::size_t> firsts(input.schema.size());
  std::iota(firsts.begin(), firsts.end(), std::size_t{0});
  const auto* project = std::get_if<Project>(&input.op);
  for (std::size_t i = 0; project != nullptr && i < firsts.size(); ++i) {
    const Expr& expr = *project->exprs[i];
    for (std::size_t j = 0; j < i && is_deterministic(expr); ++j) {
      if (firsts[j] == j && expr_equal(expr, *project->exprs[j])) {
        firsts[i] = j;
        break;
      }
    }
  }
  return firsts;
}

// What the states of a call read.
std::vector<std::size_t> read_columns(const AggregateCall& call) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    if (i < call.call.settled_begin || i >= call.call.settled_end) {
      columns.push_back(call.args[i]);
    }
  }
  return columns;
}

// The calls of an aggregate with as few states as its results need.
class SharedCalls {
 public:
  void add(AggregateCall call) {
    for (const Added& before : added_) {
      if (before.function == call.function && before.args == call.args) {
        added_.push_back(Added(before));
        return;
      }
    }
    const std::size_t results = call.call.results.size();
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const std::size_t first = calls_[i].call.results.size();
      if (join(&calls_[i], call)) {
        added_.push_back({call.function, std::move(call.args), i, first, results});
        return;
      }
    }
    added_.push_back({call.function, call.args, calls_.size(), 0, results});
    calls_.push_back(std::move(call));
  }

  std::size_t size() const { return calls_.size(); }
  std::vector<AggregateCall> take() { return std::move(calls_); }

  // Where each result column is among those of the calls now, in the order in which they were.
  std::vector<std::size_t> places() const {
    std::vector<std::size_t> begins{0};
    for (const AggregateCall& call : calls_) {
      begins.push_back(begins.back() + call.call.results.size());
    }
    std::vector<std::size_t> places;
    for (const Added& added : added_) {
      for (std::size_t i = 0; i < added.results; ++i) {
        places.push_back(begins[added.call] + added.first + i);
      }
    }
    return places;
  }

 private:
  struct Added {
    const AggregateFunction* function;
    std::vector<std::size_t> args;
    std::size_t call;   // that gives its results,
    std::size_t first;  // from this one on
    std::size_t results;
  };

  static bool join(AggregateCall* call, const AggregateCall& other) {
    if (read_columns(*call) != read_columns(other)) {
      return false;
    }
    auto joined = call->call.aggregate->joined(*other.call.aggregate);
    if (joined == nullptr) {
      return false;
    }
    BoundAggregateCall& bound = call->call;
    bound.aggregate = std::move(joined);
    bound.results.insert(bound.results.end(), other.call.results.begin(), other.call.results.end());
    bound.result_suffixes.insert(bound.result_suffixes.end(), other.call.result_suffixes.begin(),
                                 other.call.result_suffixes.end());
    call->text += ", " + other.text;
    return true;
  }

  std::vector<AggregateCall> calls_;
  std::vector<Added> added_;
};

// An aggregate below the projection that names its results.
NodePtr share(NodePtr node) {
  auto* project = std::get_if<Project>(&node->op);
  auto* aggregate = project == nullptr ? nullptr : std::get_if<Aggregate>(&node->inputs[0]->op);
  if (aggregate == nullptr || aggregate->aggregates.size() < 2) {
    return node;
  }
  Node& below = *node->inputs[0];
  const std::vector<std::size_t> firsts = first_equals(*below.inputs[0]);
  SharedCalls shared;
  for (const AggregateCall& written : aggregate->aggregates) {
    AggregateCall call = written;
    std::ranges::transform(call.args, call.args.begin(),
                           [&](std::size_t arg) { return firsts[arg]; });
    shared.add(std::move(call));
  }
  if (shared.size() == aggregate->aggregates.size()) {
    return node;
  }
  const std::size_t groups = aggregate->groups.size();
  std::vector<std::size_t> mapping(groups);
  std::iota(mapping.begin(), mapping.end(), std::size_t{0});
  for (const std::size_t place : shared.places()) {
    mapping.push_back(groups + place);
  }
  std::vector<Field> fields;
  for (std::size_t i = 0; i < mapping.size(); ++i) {
    fields.resize(std::max(fields.size(), mapping[i] + 1));
    fields[mapping[i]] = below.schema[i];
  }
  below.schema = Schema(std::move(fields));
  aggregate->aggregates = shared.take();
  for (const ExprPtr& expr : project->exprs) {
    remap_columns(expr.get(), mapping);
  }
  return node;
}

}  // namespace

NodePtr share_aggregates(NodePtr root, const EvalContext& /*context*/) {
  return rewrite_bottom_up(std::move(root), share);
}

}  // namespace evq::plan
