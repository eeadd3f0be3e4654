// Hash join. The right side is collected and grouped by key; left chunks are probed by all workers
// as they come. A null key, as NaN, matches nothing (unless the plan says so). Rows of the right
// side that no left row matched are remembered in one flag a row for the kinds that emit them at
// the end. When no key comes twice on the right, each left row has one partner at most and whole
// chunks are paired at once. Columns of a short right side come out as dictionaries over it.
//
// A left side that seems to be much the shorter one is held first, unless it turns out long, and
// its keys are those that are numbered: of the right side only rows with one of them are kept.
// Either way the keys of the side that is run first are told to the other (see kept_keys.h), unless
// rows without them come out.
//
// A right side that does not fit into memory is joined for some keys at a time: see key_passes.h.

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "apl/exec/eval.h"
#include "apl/exec/executor.h"
#include "apl/exec/forwarding_sink.h"
#include "apl/exec/held_rows.h"
#include "apl/exec/join_build.h"
#include "apl/exec/key_passes.h"
#include "apl/exec/overflow_mark.h"
#include "apl/exec/repeatable.h"
#include "apl/exec/repeated_rows.h"
#include "apl/exec/row_estimate.h"
#include "apl/plan/join_kinds.h"
#include "store/base/allocation_meter.h"
#include "store/base/limits.h"

namespace evq {
namespace {

// A left side is held first when the right one has so many times its rows, and so many.
constexpr double kLeftFirstRatio = 2;
constexpr double kLeftFirstRowsMin = 8192;

struct JoinSpec {
  Executor& executor;
  const plan::Join& op;
  const Schema& left_schema;
  BuildSide& side;
  plan::JoinTraits traits = plan::join_traits(op.kind);
};

class ProbeSink final : public ForwardingSink {
 public:
  ProbeSink(const JoinSpec& spec, std::unique_ptr<Sink> next)
      : ForwardingSink(std::move(next)), spec_(spec) {}

  Result<Flow> push(Chunk chunk) override {
    EVQ_TRY(spec_.executor.check());
    end_ = std::max(end_, chunk.sequence() + 1);
    AllocationMeter meter = spec_.executor.meter("join");
    std::vector<Vector> keys;
    EVQ_TRY(meter.guard([&] { keys = key_columns(chunk.columns(), spec_.op.left_keys); }));
    groups_.resize(chunk.rows());
    spec_.side.table->find(keys, chunk.rows(), groups_.data());
    forget_null_keys(spec_.op, keys, chunk.rows(), groups_.data());
    if (!spec_.traits.emits_right) {
      return push_kept(std::move(chunk));
    }
    if (spec_.side.unique_keys) {
      pair_rows(chunk.rows());
      return flush(chunk);
    }
    return push_pairs(chunk);
  }
  // Above the sequences of all chunks so far.
  std::uint64_t end() const { return end_; }

 private:
  // The rows that a row of the chunk is joined to.
  BuildSide::Places partners(std::size_t row) const {
    const std::uint32_t group = groups_[row];
    return group == GroupTable::kNoGroup ? BuildSide::Places{} : spec_.side.places_of(group);
  }

  // The partner of every row of a chunk, for unique keys.
  void pair_rows(std::size_t rows) {
    BuildSide& side = spec_.side;
    left_rows_.resize(rows);
    right_rows_.resize(rows);
    std::size_t count = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const BuildSide::Places places = partners(row);
      left_rows_[count] = static_cast<std::uint32_t>(row);
      right_rows_[count] = places.empty() ? side.null_row() : side.row_at(places.begin);
      count += places.empty() && !spec_.traits.keeps_unmatched_left ? 0U : 1U;
      if (spec_.traits.marks_right && !places.empty()) {
        side.mark(places.begin);
      }
    }
    left_rows_.resize(count);
    right_rows_.resize(count);
  }

  // The rows of a chunk that have a partner, or of an anti join those that have none.
  Result<Flow> push_kept(Chunk chunk) {
    const bool matched = !spec_.traits.keeps_unmatched_left;
    RowList kept;
    select_rows(chunk.rows(), &kept,
                [&](std::size_t row) { return matched != partners(row).empty(); });
    if (kept.empty()) {
      return Flow::kMore;
    }
    if (kept.size() != chunk.rows()) {
      AllocationMeter meter = spec_.executor.meter("join");
      EVQ_TRY(meter.guard([&] { chunk.select(kept); }));
    }
    return next().push(std::move(chunk));
  }

  // Every row of a chunk with each of its partners, or with the first; or, without one, alone.
  Result<Flow> push_pairs(const Chunk& chunk) {
    BuildSide& side = spec_.side;
    for (std::uint32_t row = 0; row < chunk.rows(); ++row) {
      const BuildSide::Places places = partners(row);
      if (places.empty() && !spec_.traits.keeps_unmatched_left) {
        continue;
      }
      const bool once = places.empty() || spec_.traits.first_partner_only;
      const std::uint32_t end = once ? places.begin + 1 : places.end;
      for (std::uint32_t at = places.begin; at < end; ++at) {
        if (spec_.traits.marks_right && !places.empty()) {
          side.mark(at);
        }
        left_rows_.push_back(row);
        right_rows_.push_back(places.empty() ? side.null_row() : side.row_at(at));
        if (left_rows_.size() == kChunkRowsMax) {
          EVQ_TRY_ASSIGN(const Flow flow, flush(chunk));
          if (flow == Flow::kDone) {
            return flow;
          }
        }
      }
    }
    return flush(chunk);
  }

  Result<Flow> flush(const Chunk& chunk) {
    if (left_rows_.empty()) {
      return Flow::kMore;
    }
    AllocationMeter meter = spec_.executor.meter("join");
    Chunk joined;
    EVQ_TRY(meter.guard([&] { joined = joined_rows(chunk); }));
    left_rows_.clear();
    right_rows_.clear();
    return next().push(std::move(joined));
  }

  Chunk joined_rows(const Chunk& chunk) const {
    // Rows rise, and each comes once when there are as many as the chunk has.
    const bool all_left = left_rows_.size() == chunk.rows() && spec_.side.unique_keys;
    std::vector<Vector> columns =
        all_left ? chunk.columns() : repeat_rows(chunk.columns(), left_rows_);
    add_right_columns(&columns);
    Chunk joined(std::move(columns), left_rows_.size());
    joined.set_sequence(chunk.sequence());
    return joined;
  }

  void add_right_columns(std::vector<Vector>* columns) const {
    const std::size_t entries = spec_.side.rows + 1;
    if (entries > kBlockRowsMax || entries > right_rows_.size()) {
      for (const Vector& column : spec_.side.columns()) {
        columns->push_back(column.gather(right_rows_));
      }
      return;
    }
    const std::shared_ptr<Code[]> codes = make_codes(right_rows_.size());
    std::ranges::transform(right_rows_, codes.get(),
                           [](std::uint32_t row) { return static_cast<Code>(row); });
    for (const Vector& column : spec_.side.columns()) {
      columns->push_back(Vector::dictionary(column.shared_values(), codes, right_rows_.size()));
    }
  }

  const JoinSpec& spec_;
  std::uint64_t end_ = 0;
  std::vector<std::uint32_t> groups_;
  std::vector<std::uint32_t> left_rows_;
  std::vector<std::uint32_t> right_rows_;
};

class ProbeConsumer final : public Consumer {
 public:
  ProbeConsumer(const JoinSpec& spec, Consumer& next) : spec_(spec), next_(next) {}

  Result<std::unique_ptr<Sink>> make_sink() override {
    EVQ_TRY_ASSIGN(std::unique_ptr<Sink> next, next_.make_sink());
    return std::unique_ptr<Sink>(std::make_unique<ProbeSink>(spec_, std::move(next)));
  }
  Status complete(std::vector<std::unique_ptr<Sink>> sinks) override {
    std::uint64_t sequence = 0;  // of the rows that follow all others
    for (const std::unique_ptr<Sink>& sink : sinks) {
      sequence = std::max(sequence, static_cast<ProbeSink&>(*sink).end());
    }
    std::vector<std::unique_ptr<Sink>> inner = forwarded_sinks(std::move(sinks));
    std::vector<std::uint32_t> rest;
    // For the deadline alone: what was charged for each row's group has room for its number.
    AllocationMeter meter(nullptr, spec_.executor.options().control, "join");
    EVQ_TRY(meter.guard([&] { rest = right_rows(); }));
    if (!rest.empty()) {
      EVQ_TRY_ASSIGN(std::unique_ptr<Sink> last, next_.make_sink());
      EVQ_TRY(push_right(rest, sequence, *last));
      EVQ_TRY(last->finish());
      inner.push_back(std::move(last));
    }
    return next_.complete(std::move(inner));
  }

 private:
  // Rows of the right side that come out at the end.
  std::vector<std::uint32_t> right_rows() const {
    if (!spec_.traits.marks_right) {
      return {};
    }
    return spec_.side.unmarked_rows();
  }

  std::vector<Vector> right_columns(std::span<const std::uint32_t> rows) const {
    std::vector<Vector> columns;
    for (const Field& field : spec_.left_schema.fields()) {
      columns.push_back(Vector::constant(Value::null(field.type), rows.size()));
    }
    for (const Vector& column : spec_.side.columns()) {
      columns.push_back(column.gather(rows));
    }
    return columns;
  }

  Status push_right(std::span<const std::uint32_t> rows, std::uint64_t sequence, Sink& sink) {
    for (std::size_t begin = 0; begin < rows.size(); begin += kChunkRowsMax) {
      const std::span<const std::uint32_t> part =
          rows.subspan(begin, std::min(kChunkRowsMax, rows.size() - begin));
      AllocationMeter meter = spec_.executor.meter("join");
      std::vector<Vector> columns;
      EVQ_TRY(meter.guard([&] { columns = right_columns(part); }));
      Chunk chunk(std::move(columns), part.size());
      chunk.set_sequence(sequence++);
      EVQ_TRY_ASSIGN(const Flow flow, sink.push(std::move(chunk)));
      if (flow == Flow::kDone) {
        break;
      }
    }
    return Status::success();
  }

  const JoinSpec& spec_;
  Consumer& next_;
};

// How many rows of the left side to hold before the right one is looked at; 0 for none, as when
// rows of the right side come out that nothing matches.
std::size_t left_rows_held(Executor& executor, const plan::Node& node) {
  if (plan::join_traits(std::get<plan::Join>(node.op).kind).keeps_unmatched_right) {
    return 0;
  }
  if (executor.options().join_left_rows.has_value()) {
    return *executor.options().join_left_rows;
  }
  const double right = estimated_rows(executor, *node.inputs[1]);
  if (right < kLeftFirstRowsMin ||
      right < kLeftFirstRatio * estimated_rows(executor, *node.inputs[0])) {
    return 0;
  }
  // More than seemed does no harm: rather than to run the left side again, its keys are numbered as
  // the right one's would be.
  return static_cast<std::size_t>(right);
}

// Whether no two rows have the same values in all `columns`, for all that the plan tells.
bool are_unique(const plan::Node& node, std::vector<std::size_t> columns) {
  const plan::Node* at = &node;
  while (!std::holds_alternative<plan::Aggregate>(at->op)) {
    if (const auto* project = std::get_if<plan::Project>(&at->op)) {
      std::erase_if(columns, [&](std::size_t i) { return !project->exprs[i]->is_column(); });
      std::ranges::transform(columns, columns.begin(),
                             [&](std::size_t i) { return project->exprs[i]->column; });
    } else if (!std::holds_alternative<plan::Filter>(at->op)) {
      return false;
    }
    at = at->inputs[0].get();
  }
  const std::size_t keys = std::get<plan::Aggregate>(at->op).groups.size();
  std::erase_if(columns, [keys](std::size_t column) { return column >= keys; });
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns.size() == keys;
}

// What a join needs of the rows of its left side. Only the order of what comes out tells theirs.
Demand demand_of_left(const Demand& demand, const plan::Node& node) {
  Demand of_left;
  of_left.rows = {demand.rows.time_bound, keys_of_left(demand.rows.kept_keys, node)};
  of_left.order.any = demand.order.any;
  return of_left;
}

// Where each left row has one partner at most, and no right row comes out without one, the order of
// the right side is not seen; where the first is taken of several, it is.
Demand demand_of_right(const Demand& demand, const plan::Node& node) {
  const auto& join = std::get<plan::Join>(node.op);
  const plan::JoinTraits traits = plan::join_traits(join.kind);
  Demand of_right;
  of_right.rows.kept_keys = keys_of_right(demand.rows.kept_keys, node);
  of_right.order.any = !traits.emits_right || (demand.order.any && !traits.first_partner_only) ||
                       (!traits.marks_right && are_unique(*node.inputs[1], join.right_keys));
  return of_right;
}

class JoinRun {
 public:
  JoinRun(Executor& executor, const plan::Node& node, const Demand& demand)
      : executor_(executor),
        of_left_(demand_of_left(demand, node)),
        of_right_(demand_of_right(demand, node)),
        op_(std::get<plan::Join>(node.op)),
        left_(*node.inputs[0]),
        right_(*node.inputs[1]),
        estimates_(executor.estimates()),
        left_rows_held_(left_rows_held(executor, node)) {}

  Status run(Consumer& consumer) {
    const auto repeats = [this] { return is_repeatable(left_) && is_repeatable(right_); };
    const auto shares = [this](const KeyShares& some, Consumer& to, OverflowMark& overflow) {
      return run_shares(some, to, overflow);
    };
    return run_by_keys(executor_, repeats, shares, consumer);
  }

 private:
  Status run_shares(const KeyShares& shares, Consumer& consumer, OverflowMark& overflow) {
    std::optional<Collected> left;
    if (left_rows_held_ > 0 && shares.all()) {
      const CountsOfOneRun counts(executor_.stats());
      Demand held_left = of_left_;
      held_left.rows.time_bound = nullptr;  // nothing draws it in before rows come out
      EVQ_TRY_ASSIGN(left, collect_short(executor_, left_, left_rows_held_, "join", held_left));
      if (!left.has_value()) {
        counts.forget();
      } else {
        overflow.add_held(left->lease.bytes());
      }
    }
    BuildSide side;
    const BuildSpec build{executor_, op_, right_, shares, of_right_, overflow};
    EVQ_TRY(make_build_side(build, left, &side));
    const JoinSpec spec{executor_, op_, left_.schema, side};
    ProbeConsumer probe(spec, consumer);
    if (left.has_value()) {
      std::vector<Chunk>& chunks = left->chunks;
      return executor_.push_chunks(
          chunks.size(), [&](std::size_t i) { return std::move(chunks[i]); }, "join", probe);
    }
    const KeyTest test(*side.table);
    Demand demand = of_left_;
    if (!spec.traits.keeps_unmatched_left) {
      demand.rows.kept_keys.push_back({&test, op_.left_keys});
    }
    if (shares.all()) {
      return executor_.run(left_, probe, demand);
    }
    const auto keep = [&](Chunk chunk) -> Result<Chunk> {
      return rows_of_shares(*side.table, shares, op_.left_keys, std::move(chunk));
    };
    const ExecOptions& options = executor_.options();
    MapConsumer kept(keep, {options.budget, options.control, "join"}, probe);
    return executor_.run(left_, kept, demand);
  }

  Executor& executor_;
  const Demand of_left_;
  const Demand of_right_;
  const plan::Join& op_;
  const plan::Node& left_;
  const plan::Node& right_;
  const RowEstimates::Kept estimates_;  // for the joins below this one
  const std::size_t left_rows_held_;
};

}  // namespace

Status run_join(Executor& executor, const plan::Node& node, const Demand& demand,
                Consumer& consumer) {
  return JoinRun(executor, node, demand).run(consumer);
}

}  // namespace evq
