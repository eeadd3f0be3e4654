#include "apl/exec/row_estimate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "apl/exec/block_rows.h"
#include "apl/exec/executor.h"
#include "store/snapshot.h"

namespace evq {
namespace {

// Rows that each condition lets through, where it is not tried.
constexpr double kFilterShare = 1.0 / 8;
// A scan's conditions are tried on one of so many blocks, and on so many blocks at most.
constexpr std::size_t kBlocksASample = 12;
constexpr std::size_t kSamplesMax = 4;
// Groups of so many rows, and elements of an array.
constexpr double kGroupShare = 1.0 / 4;
constexpr double kElements = 4;

// The rows of one block that a scan lets through.
Result<std::size_t> rows_of_block(const PreparedScan& scan, const BlockTest& test,
                                  const Snapshot& snapshot, std::uint32_t index) {
  EVQ_TRY_ASSIGN(StoredBlock block, snapshot.open(snapshot.blocks()[index]));
  EVQ_TRY_ASSIGN(const bool may_match, block.may_match(test));
  if (!may_match) {
    return std::size_t{0};
  }
  BlockRows rows(scan, block, index);
  EVQ_TRY(rows.keep_times(scan.node.time_min, scan.node.time_max));
  EVQ_TRY(rows.keep_arrivals(scan.node.arrived_from, scan.node.arrived_before));
  for (std::size_t i = 0; i < scan.node.filters.size() && rows.size() > 0; ++i) {
    EVQ_TRY(rows.apply(i));
  }
  return rows.size();
}

// How many of the rows of `blocks` a scan's conditions let through. A sample that fails tells
// nothing of that: what ended it may end the query, which hears of it where it runs.
double filter_share(Executor& executor, const plan::Scan& scan, const Snapshot& snapshot,
                    const std::vector<std::uint32_t>& blocks) {
  const std::size_t samples = std::min(blocks.size() / kBlocksASample, kSamplesMax);
  const double untried = std::pow(kFilterShare, static_cast<double>(scan.filters.size()));
  if (samples == 0) {
    return untried;
  }
  const PreparedScan prepared = prepare_scan(executor, scan);
  const BlockTest test = block_test(scan);
  double asked = 0;
  double kept = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    const std::uint32_t index = blocks[(2 * i + 1) * blocks.size() / (2 * samples)];
    asked += snapshot.blocks()[index].rows;
    const auto rows = rows_of_block(prepared, test, snapshot, index);
    if (!rows.ok() || !executor.check().ok()) {
      return untried;
    }
    kept += static_cast<double>(*rows);
  }
  return kept / asked;
}

double scanned_rows(Executor& executor, const plan::Scan& scan) {
  const auto snapshot = executor.tables().snapshot(scan.table);
  if (!snapshot.ok()) {
    return 0;
  }
  double rows = 0;
  std::vector<std::uint32_t> read;
  for (std::uint32_t i = 0; i < (*snapshot)->blocks().size(); ++i) {
    const SnapshotBlock& block = (*snapshot)->blocks()[i];
    if (block.max_time >= scan.time_min && block.min_time <= scan.time_max &&
        block.ordinal_end > scan.arrived_from && block.first_ordinal < scan.arrived_before) {
      rows += block.rows;
      read.push_back(i);
    }
  }
  return scan.filters.empty() ? rows : rows * filter_share(executor, scan, **snapshot, read);
}

// By node. Of plans that several places read there may be more ways to them than can be gone.
using KnownRows = std::map<const plan::Node*, double>;

double estimate(Executor& executor, const plan::Node& node, KnownRows* known_rows);

struct Estimate {
  Executor& executor;
  const plan::Node& node;
  KnownRows* known_rows;

  double rows(const plan::Node& other) const { return estimate(executor, other, known_rows); }
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
  double operator()(const plan::Shared& op) const { return rows(*op.plan); }
  // Of each group's or row's own; few.
  double operator()(const plan::Placeholder& /*op*/) const { return 1; }
  // All others give about as many rows as they get.
  template <class Op>
  double operator()(const Op& /*op*/) const {
    return node.inputs.empty() ? 1 : input();
  }
};

double estimate(Executor& executor, const plan::Node& node, KnownRows* known_rows) {
  const auto known = known_rows->find(&node);
  return known != known_rows->end()
             ? known->second
             : known_rows->emplace(&node, std::visit(Estimate{executor, node, known_rows}, node.op))
                   .first->second;
}

}  // namespace

double estimated_rows(Executor& executor, const plan::Node& node) {
  RowEstimates& estimates = executor.estimates();
  const RowEstimates::Kept kept(estimates);
  return estimate(executor, node, &estimates.rows_);
}

}  // namespace evq
