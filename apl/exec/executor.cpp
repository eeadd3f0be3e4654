#include "apl/exec/executor.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>
#include <variant>

#include "apl/exec/collect_sink.h"
#include "apl/exec/overflow_mark.h"
#include "apl/exec/union_consumer.h"
#include "apl/exec/whole_input.h"
#include "store/base/allocation_meter.h"
#include "store/base/check.h"

namespace evq {
namespace {

class CollectConsumer final : public Consumer {
 public:
  CollectConsumer(MemoryBudget* budget, std::string_view operator_name, OverflowMark* overflow)
      : budget_(budget), operator_name_(operator_name), overflow_(overflow) {}

  Result<std::unique_ptr<Sink>> make_sink() override {
    return std::unique_ptr<Sink>(
        std::make_unique<CollectSink>(MemoryLease(budget_, operator_name_), overflow_));
  }
  Status complete(std::vector<std::unique_ptr<Sink>> sinks) override {
    made_.lease = MemoryLease(budget_, operator_name_);
    made_.chunks = gather_in_order<CollectSink>(sinks, &made_.lease);
    return Status::success();
  }
  Collected take() { return std::move(made_); }

 private:
  MemoryBudget* budget_;
  std::string_view operator_name_;
  OverflowMark* overflow_;
  Collected made_;
};

// What is needed of the input of a Filter, Project, Extract, Sample or Union.
Demand demand_below(const plan::Node& node, const Demand& demand) {
  Demand below;
  if (std::holds_alternative<plan::Sample>(node.op)) {
    return below;  // which rows it takes is told by all rows' sequences
  }
  // Each row is made of one row, which comes where that one came.
  below.rows = {demand.rows.time_bound, keys_below(demand.rows.kept_keys, node)};
  below.order = demand.order;
  if (std::holds_alternative<plan::Union>(node.op)) {
    // In order, or first, among the rows of all inputs are not those of each.
    below.order.time_order = TimeOrder::kNone;
    below.order.one_sink = false;
    return below;
  }
  if (const auto* filter = std::get_if<plan::Filter>(&node.op)) {
    below.groups.filters = demand.groups.filters;
    below.groups.filters.push_back(filter);
  }
  // Each row of the input makes one: they are as many, and in the same order.
  if (const auto* project = std::get_if<plan::Project>(&node.op)) {
    below.groups = demand.groups;
    below.groups.filters.clear();  // they read columns of this node
    below.groups.only_counted = demand.groups.only_counted && project->exprs.empty();
    below.extremes_only =
        demand.extremes_only && std::ranges::all_of(project->exprs, &plan::Expr::is_column);
  }
  return below;
}

}  // namespace

Status push_all(std::vector<Chunk> chunks, Consumer& consumer) {
  EVQ_TRY_ASSIGN(std::unique_ptr<Sink> sink, consumer.make_sink());
  std::uint64_t sequence = 0;
  for (Chunk& chunk : chunks) {
    chunk.set_sequence(sequence++);
    EVQ_TRY_ASSIGN(const Flow flow, sink->push(std::move(chunk)));
    if (flow == Flow::kDone) {
      break;
    }
  }
  return complete_with(std::move(sink), consumer);
}

Status complete_with(std::unique_ptr<Sink> sink, Consumer& consumer) {
  EVQ_TRY(sink->finish());
  std::vector<std::unique_ptr<Sink>> sinks;
  sinks.push_back(std::move(sink));
  return consumer.complete(std::move(sinks));
}

Executor::Executor(const EvalContext& context, const ExecOptions& options, SnapshotProvider* tables,
                   QueryStats* stats)
    : context_(context), options_(options), tables_(tables), stats_(stats) {}

Executor::~Executor() = default;

Status Executor::check() const {
  return options_.control != nullptr ? options_.control->check() : Status::success();
}

Result<Collected> Executor::collect(const plan::Node& node, std::string_view operator_name,
                                    const ChunkMap& keep, Demand demand, OverflowMark* overflow) {
  CollectConsumer consumer(options_.budget, operator_name, overflow);
  demand.order.takes_stretches = true;
  const auto run_into = [&](Consumer& to) -> Status {
    Status done = run(node, to, demand);
    return overflow != nullptr ? overflow->note_below(std::move(done), options_.budget)
                               : std::move(done);
  };
  if (keep) {
    MapConsumer kept(keep, {options_.budget, options_.control, operator_name}, consumer);
    EVQ_TRY(run_into(kept));
  } else {
    EVQ_TRY(run_into(consumer));
  }
  return consumer.take();
}

Status Executor::push_each(const std::function<Chunk()>& make, std::string_view operator_name,
                           Consumer& consumer) const {
  EVQ_TRY_ASSIGN(std::unique_ptr<Sink> sink, consumer.make_sink());
  std::uint64_t sequence = 0;
  EVQ_TRY(push_into(*sink, make, operator_name, &sequence));
  return complete_with(std::move(sink), consumer);
}

AllocationMeter Executor::meter(std::string_view operator_name) const {
  return AllocationMeter(options_.budget, options_.control, operator_name);
}

Result<Flow> Executor::push_one(Sink& sink, const std::function<Chunk()>& make,
                                std::string_view operator_name) const {
  EVQ_TRY(check());
  AllocationMeter charged = meter(operator_name);
  Chunk chunk;
  EVQ_TRY(charged.guard([&] { chunk = make(); }));
  return chunk.empty() ? Flow::kMore : sink.push(std::move(chunk));
}

Result<Flow> Executor::push_into(Sink& sink, const std::function<Chunk()>& make,
                                 std::string_view operator_name, std::uint64_t* sequence) const {
  Flow flow = Flow::kMore;
  while (flow == Flow::kMore) {
    bool more = true;
    const auto make_next = [&] {
      Chunk chunk = make();
      more = !chunk.empty();
      chunk.set_sequence(*sequence);
      return chunk;
    };
    EVQ_TRY_ASSIGN(flow, push_one(sink, make_next, operator_name));
    if (!more) {
      break;
    }
    ++*sequence;
  }
  return flow;
}

Status Executor::push_chunks(std::size_t count, const std::function<Chunk(std::size_t)>& make,
                             std::string_view operator_name, Consumer& consumer) const {
  std::vector<std::unique_ptr<Sink>> sinks(std::clamp<std::size_t>(count, 1, options_.workers));
  for (std::unique_ptr<Sink>& sink : sinks) {
    EVQ_TRY_ASSIGN(sink, consumer.make_sink());
  }
  std::atomic<bool> failed{false};
  const auto push = [&](std::size_t worker) -> Status {
    Sink& sink = *sinks[worker];
    const std::size_t end = (worker + 1) * count / sinks.size();
    Flow flow = Flow::kMore;
    for (std::size_t i = worker * count / sinks.size();
         i < end && flow == Flow::kMore && !failed.load(); ++i) {
      const auto make_next = [&] {
        Chunk chunk = make(i);
        chunk.set_sequence(i);
        return chunk;
      };
      EVQ_TRY_ASSIGN(flow, push_one(sink, make_next, operator_name));
    }
    return sink.finish();
  };
  std::vector<Status> outcomes(sinks.size());
  run_workers(sinks.size(), [&](std::size_t worker) {
    outcomes[worker] = push(worker);
    if (!outcomes[worker].ok()) {
      failed.store(true);
    }
  });
  for (Status& outcome : outcomes) {
    EVQ_TRY(std::move(outcome));
  }
  return consumer.complete(std::move(sinks));
}

void Executor::run_workers(std::size_t workers,
                           const std::function<void(std::size_t)>& work) const {
  if (workers <= 1 || options_.pool == nullptr) {
    for (std::size_t worker = 0; worker < workers; ++worker) {
      work(worker);
    }
    return;
  }
  NodeCost* const cost = TimeGoesTo::now();
  const TimeGoesTo nobody(nullptr);  // while this thread waits for the others
  options_.pool->run_parallel(workers, [&](std::size_t worker) {
    const TimeGoesTo this_node(cost);
    work(worker);
  });
}

Status Executor::run_each(std::size_t count, const std::function<Status(std::size_t)>& work) const {
  std::vector<Status> outcomes(count);
  std::atomic<std::size_t> next{0};
  run_workers(std::min(options_.workers, count), [&](std::size_t) {
    for (std::size_t i = next++; i < count; i = next++) {
      outcomes[i] = work(i);
      if (!outcomes[i].ok()) {
        next = count;  // what was begun before it is ended: the first failure stays the first
      }
    }
  });
  for (Status& outcome : outcomes) {
    EVQ_TRY(std::move(outcome));
  }
  return Status::success();
}

void Executor::set_placeholder(std::uint64_t apply, const std::vector<Chunk>* rows) {
  std::erase_if(shared_results_, [apply](const auto& entry) {
    return std::ranges::find(entry.second.applies, apply) != entry.second.applies.end();
  });
  placeholders_[apply] = rows;
}

Status Executor::run_shared(const plan::Shared& shared, Consumer& consumer) {
  auto at = shared_results_.find(shared.plan);
  if (at == shared_results_.end()) {
    SharedResult result;
    const CountsOfOneRun counts(*stats_);
    EVQ_TRY_ASSIGN(result.made, collect(*shared.plan, "a shared table"));
    counts.keep();
    for (const auto& [apply, rows] : placeholders_) {
      if (rows != nullptr && plan::reads_placeholder(*shared.plan, apply)) {
        result.applies.push_back(apply);
      }
    }
    at = shared_results_.emplace(shared.plan, std::move(result)).first;
  }
  return push_all(at->second.made.chunks, consumer);
}

Status Executor::run_union(const plan::Node& node, Consumer& consumer, const Demand& demand) {
  UnionConsumer shared(consumer);
  const Demand below = demand_below(node, demand);
  for (const plan::NodePtr& input : node.inputs) {
    if (shared.is_done() && !options_.exact_matches) {
      break;
    }
    EVQ_TRY(run(*input, shared, below));
  }
  return shared.complete_all();
}

Status Executor::run(const plan::Node& node, Consumer& consumer, const Demand& demand) {
  EVQ_TRY(check());
  return profile_ != nullptr ? run_profiled(node, consumer, demand)
                             : run_flat(node, consumer, demand);
}

Status Executor::run_profiled(const plan::Node& node, Consumer& consumer, const Demand& demand) {
  NodeCost& cost = profile_->of(node);
  ProfiledConsumer profiled(cost, TimeGoesTo::now(), consumer);
  const TimeGoesTo this_node(&cost);
  return run_flat(node, profiled, demand);
}

Status Executor::run_flat(const plan::Node& node, Consumer& consumer, const Demand& demand) {
  if (!options_.force_flat) {
    return run_input(node, consumer, demand);
  }
  MapConsumer flat([](Chunk chunk) -> Result<Chunk> { return flatten_chunk(std::move(chunk)); }, {},
                   consumer);
  return run_input(node, flat, demand);
}

Status Executor::run_input(const plan::Node& node, Consumer& consumer, const Demand& demand) {
  const auto map = [&](ChunkMap chunk_map, std::string_view name) {
    MapConsumer mapped(std::move(chunk_map), {options_.budget, options_.control, name}, consumer);
    return run(*node.inputs[0], mapped, demand_below(node, demand));
  };
  struct Dispatch {
    Executor& executor;
    const plan::Node& node;
    Consumer& consumer;
    const Demand& demand;
    const std::function<Status(ChunkMap, std::string_view)>& map;

    Status operator()(const plan::Scan& scan) { return run_scan(executor, scan, demand, consumer); }
    Status operator()(const plan::Sequence& sequence) {
      return run_sequence(executor, sequence, consumer);
    }
    Status operator()(const plan::ValuesNode& values) {
      return push_whole(executor, Chunk(values.table->columns, values.table->rows), "a table",
                        consumer);
    }
    Status operator()(const plan::Filter& filter) {
      return map(filter_map(filter, executor.context()), "where");
    }
    Status operator()(const plan::Project& project) {
      return map(project_map(project, executor.context()), "extend");
    }
    Status operator()(const plan::Extract& extract) {
      return map(extract_map(extract, executor.context()), "parse");
    }
    Status operator()(const plan::Sample& sample) {
      return map(sample_map(sample.probability, executor.context()), "sample");
    }
    Status operator()(const plan::Aggregate& /*op*/) {
      return run_aggregate(executor, node, demand, consumer);
    }
    Status operator()(const plan::Sort& /*op*/) {
      return run_sort(executor, node, demand, consumer);
    }
    Status operator()(const plan::Limit& /*op*/) { return run_top_n(executor, node, consumer); }
    Status operator()(const plan::TopN& /*op*/) { return run_top_n(executor, node, consumer); }
    Status operator()(const plan::Fetch& /*op*/) {
      return run_fetch(executor, node, demand, consumer);
    }
    Status operator()(const plan::Join& /*op*/) {
      return run_join(executor, node, demand, consumer);
    }
    Status operator()(const plan::Union& /*op*/) {
      return executor.run_union(node, consumer, demand);
    }
    Status operator()(const plan::Unnest& /*op*/) {
      return run_unnest(executor, node, demand, consumer);
    }
    Status operator()(const plan::Series& /*op*/) { return run_series(executor, node, consumer); }
    Status operator()(const plan::Window& /*op*/) {
      return run_window(executor, node, demand, consumer);
    }
    Status operator()(const plan::Apply& /*op*/) { return run_apply(executor, node, consumer); }
    Status operator()(const plan::Placeholder& placeholder) {
      const std::vector<Chunk>* rows = executor.placeholders_[placeholder.apply];
      EVQ_CHECK(rows != nullptr);
      return push_all(*rows, consumer);
    }
    Status operator()(const plan::Transform& /*op*/) {
      return run_transform(executor, node, consumer);
    }
    Status operator()(const plan::Shared& shared) { return executor.run_shared(shared, consumer); }
  };
  const std::function<Status(ChunkMap, std::string_view)> map_function = map;
  return std::visit(Dispatch{*this, node, consumer, demand, map_function}, node.op);
}

}  // namespace evq
