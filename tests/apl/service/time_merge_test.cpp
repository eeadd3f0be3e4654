// Rows that are merged by time on their way from the blocks to a sink that takes stretches.

#include <string>

#include <doctest/doctest.h>

#include "apl/exec/forwarding_sink.h"
#include "apl/exec/time_order.h"
#include "apl/service/snapshot_tables.h"
#include "tests/support/temp_service.h"

namespace evq {
namespace {

// Needs no more after some chunks, and counts all it gets.
class FewChunksSink final : public Sink {
 public:
  FewChunksSink(std::size_t wanted, std::size_t* chunks) : wanted_(wanted), chunks_(chunks) {}
  Result<Flow> push(Chunk /*chunk*/) override {
    ++*chunks_;
    return *chunks_ >= wanted_ ? Flow::kDone : Flow::kMore;
  }

 private:
  std::size_t wanted_;
  std::size_t* chunks_;
};

class FewChunksConsumer final : public Consumer {
 public:
  explicit FewChunksConsumer(std::size_t wanted) : wanted_(wanted) {}
  Result<std::unique_ptr<Sink>> make_sink() override {
    return std::unique_ptr<Sink>(std::make_unique<FewChunksSink>(wanted_, &chunks));
  }
  Status complete(std::vector<std::unique_ptr<Sink>> /*sinks*/) override { return {}; }

  std::size_t chunks = 0;

 private:
  std::size_t wanted_;
};

std::string event_at(std::int64_t second) {
  constexpr std::int64_t kBegin = 1'714'521'600;
  return "{\"_time\":" + std::to_string(kBegin + second) + "}\n";
}

plan::NodePtr sorted_by_time(const plan::TableRef& table) {
  const Schema schema(std::vector<Field>{{std::string(plan::kTimeColumn), Type::kDatetime},
                                         {std::string(plan::kRowColumn), Type::kLong}});
  plan::Scan scan;
  scan.table = table;
  for (const Field& field : schema.fields()) {
    scan.columns.push_back({field.name, field.type});
  }
  std::vector<plan::NodePtr> inputs;
  inputs.push_back(plan::make_node(std::move(scan), {}, schema));
  return plan::make_node(plan::Sort{{{0, {}}, {1, {}}}}, std::move(inputs), schema);
}

TEST_CASE("a sink that is done gets no further rows of blocks that are merged") {
  const TempService service;
  // A row of the first block comes before all others, then rows of both by turns, and then so many
  // of the first block that they need not be copied.
  std::string first = event_at(0) + event_at(2);
  for (std::int64_t second = 10; second < 2000; ++second) {
    first += event_at(second);
  }
  service.ingest("d", first);
  service.ingest("d", event_at(1) + event_at(3) + event_at(5000));
  const auto chunks_for = [&](std::size_t wanted) {
    SnapshotTables tables(service.store(), nullptr);
    const auto table = tables.table("d");
    REQUIRE(table.ok());
    QueryStats stats;
    Executor executor({}, {}, &tables, &stats);
    FewChunksConsumer consumer(wanted);
    Demand demand;
    demand.order.takes_stretches = true;
    REQUIRE(executor.run(*sorted_by_time(table->ref), consumer, demand).ok());
    return consumer.chunks;
  };
  REQUIRE(chunks_for(100) == 4);
  for (std::size_t wanted = 1; wanted < 4; ++wanted) {
    CHECK(chunks_for(wanted) == wanted);
  }
}

}  // namespace
}  // namespace evq
