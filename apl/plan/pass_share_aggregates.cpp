// Calls of one summarize that are the same are computed once, and those whose states can answer
// together, such as percentile(x, 50) and percentile(x, 99), become one call.

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "apl/plan/optimizer.h"
#include "store/base/allocation_meter.h"
#include "store/base/checksum.h"

namespace evq::plan {
namespace {

// Equal for expressions that are equal.
std::size_t hash_expr(const Expr& expr) {
  std::size_t hash = static_cast<std::size_t>(expr.kind) * 31 + static_cast<std::size_t>(expr.type);
  const auto mix = [&hash](std::size_t part) { hash = split_mix(hash ^ part); };
  switch (expr.kind) {
    case ExprKind::kColumn:
      mix(expr.column);
      break;
    case ExprKind::kConstant:
      mix(std::hash<std::string>()(expr.constant.to_text()));
      break;
    case ExprKind::kCall:
      mix(std::hash<const ScalarFunction*>()(expr.function));
      for (const ExprPtr& arg : expr.args) {
        mix(hash_expr(*arg));
      }
      break;
  }
  return hash;
}

// Columns of an aggregate's input that have equal expressions count as the first of them.
std::vector<std::size_t> first_equals(const Node& input) {
  std::vector<std::size_t> firsts(input.schema.size());
  std::iota(firsts.begin(), firsts.end(), std::size_t{0});
  const auto* project = std::get_if<Project>(&input.op);
  std::unordered_map<std::size_t, std::vector<std::size_t>> seen;  // by hash
  for (std::size_t i = 0; project != nullptr && i < firsts.size(); ++i) {
    const Expr& expr = *project->exprs[i];
    if (!is_deterministic(expr)) {
      continue;
    }
    std::vector<std::size_t>& alike = seen[hash_expr(expr)];
    const auto equal = std::ranges::find_if(
        alike, [&](std::size_t other) { return expr_equal(expr, *project->exprs[other]); });
    if (equal != alike.end()) {
      firsts[i] = *equal;
    } else {
      alike.push_back(i);
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
    AllocationMeter::poll();
    const auto [same, is_new] = written_.try_emplace(
        {call.function, call.args, call.form.scale, call.form.shift}, added_.size());
    if (!is_new) {
      const Added before = added_[same->second];  // of the list that grows
      added_.push_back(before);
      return;
    }
    const std::size_t results = call.call.results.size();
    std::vector<std::size_t>& readers = readers_[read_columns(call)];
    for (const std::size_t i : readers) {
      const std::size_t first = calls_[i].call.results.size();
      if (join(&calls_[i], call)) {
        added_.push_back({i, first, results});
        return;
      }
    }
    added_.push_back({calls_.size(), 0, results});
    readers.push_back(calls_.size());
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
    std::size_t call;   // that gives its results,
    std::size_t first;  // from this one on
    std::size_t results;
  };

  // Of calls whose states read the same.
  static bool join(AggregateCall* call, const AggregateCall& other) {
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
  // Which of added_ is that call; which of calls_ read those columns.
  std::map<
      std::tuple<const AggregateFunction*, std::vector<std::size_t>, std::int64_t, std::int64_t>,
      std::size_t>
      written_;
  std::map<std::vector<std::size_t>, std::vector<std::size_t>> readers_;
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
