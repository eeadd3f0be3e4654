#include "apl/exec/row_estimate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "store/snapshot.h"

namespace evq {
namespace {

// Rows that each condition lets through.
constexpr double kFilterShare = 1.0 / 8;
// Groups of so many rows, and elements of an array.
constexpr double kGroupShare = 1.0 / 4;
constexpr double kElements = 4;

double scanned_rows(Executor& executor, const plan::Scan& scan) {
  const auto snapshot = executor.tables().snapshot(scan.table);
  if (!snapshot.ok()) {
    return 0;
  }
  double rows = 0;
  for (const SnapshotBlock& block : (*snapshot)->blocks()) {
    if (block.max_time >= scan.time_min && block.min_time <= scan.time_max &&
        block.ordinal_end > scan.arrived_from && block.first_ordinal < scan.arrived_before) {
      rows += block.rows;
    }
  }
  return rows * std::pow(kFilterShare, static_cast<double>(scan.filters.size()));
}

// Of plans that several places read: there may be more ways to them than can be gone.
using SharedRows = std::map<const plan::Node*, double>;

double estimate(Executor& executor, const plan::Node& node, SharedRows* shared_rows);

struct Estimate {
  Executor& executor;
  const plan::Node& node;
  SharedRows* shared_rows;

  double rows(const plan::Node& other) const { return estimate(executor, other, shared_rows); }
  double input(std::size_t i = 0) const { return rows(*node.inputs[i]); }
  double at_most(std::uint64_t count) const {
    return std::min(static_cast<double>(count), input());
  }

  double operator()(const plan::Scan& scan) const { return scanned_rows(executor, scan); }
  double operator()(const plan::Sequence& op) const { return static_cast<double>(op.count); }
  double operator()(const plan::ValuesNode& op) const {
    return static_cast<double>(op.table->rows);
  }
  double operator()(const plan::Filter& /*op*/) const { return input() * kFilterShare; }
  double operator()(const plan::Extract& op) const {
    return op.drop_unmatched ? input() * kFilterShare : input();
  }
  double operator()(const plan::Aggregate& op) const {
    return op.groups.empty() ? 1 : input() * kGroupShare;
  }
  double operator()(const plan::Limit& op) const { return at_most(op.count); }
  double operator()(const plan::TopN& op) const {
    return op.groups == 0 ? at_most(op.count) : input() * kGroupShare;
  }
  double operator()(const plan::Sample& op) const { return input() * op.probability; }
  double operator()(const plan::Join& /*op*/) const { return std::max(input(0), input(1)); }
  double operator()(const plan::Union& /*op*/) const {
    return std::accumulate(
        node.inputs.begin(), node.inputs.end(), 0.0,
        [this](double sum, const plan::NodePtr& one) { return sum + rows(*one); });
  }
  double operator()(const plan::Unnest& /*op*/) const { return input() * kElements; }
  double operator()(const plan::Shared& op) const {
    const auto known = shared_rows->find(op.plan.get());
    return known != shared_rows->end()
               ? known->second
               : shared_rows->emplace(op.plan.get(), rows(*op.plan)).first->second;
  }
  // Of each group's or row's own; few.
  double operator()(const plan::Placeholder& /*op*/) const { return 1; }
  // All others give about as many rows as they get.
  template <class Op>
  double operator()(const Op& /*op*/) const {
    return node.inputs.empty() ? 1 : input();
  }
};

double estimate(Executor& executor, const plan::Node& node, SharedRows* shared_rows) {
  return std::visit(Estimate{executor, node, shared_rows}, node.op);
}

}  // namespace

double estimated_rows(Executor& executor, const plan::Node& node) {
  SharedRows shared_rows;
  return estimate(executor, node, &shared_rows);
}

}  // namespace evq
