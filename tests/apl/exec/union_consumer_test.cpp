// UnionConsumer: the sequences of its inputs follow one another, as far as rows' places have room.

#include "apl/exec/union_consumer.h"

#include <doctest/doctest.h>

namespace evq {
namespace {

class SequenceSink final : public Sink {
 public:
  explicit SequenceSink(std::vector<std::uint64_t>* sequences) : sequences_(sequences) {}
  Result<Flow> push(Chunk chunk) override {
    sequences_->push_back(chunk.sequence());
    return Flow::kMore;
  }

 private:
  std::vector<std::uint64_t>* sequences_;
};

class SequenceConsumer final : public Consumer {
 public:
  Result<std::unique_ptr<Sink>> make_sink() override {
    return std::unique_ptr<Sink>(std::make_unique<SequenceSink>(&sequences));
  }
  Status complete(std::vector<std::unique_ptr<Sink>> /*sinks*/) override { return {}; }

  std::vector<std::uint64_t> sequences;
};

// An input of one chunk.
Status run_input(std::uint64_t sequence, UnionConsumer& consumer) {
  auto sink = consumer.make_sink();
  REQUIRE(sink.ok());
  Chunk chunk({}, 1);
  chunk.set_sequence(sequence);
  const Result<Flow> flow = sink.value()->push(std::move(chunk));
  if (!flow.ok()) {
    return flow.error();
  }
  return complete_with(std::move(sink).value(), consumer);
}

TEST_CASE("inputs of a union are numbered one after the other, and refused beyond all numbers") {
  SequenceConsumer next;
  UnionConsumer all(next);
  REQUIRE(run_input(3, all).ok());
  REQUIRE(run_input(0, all).ok());
  REQUIRE(run_input(kSequencesMax - 6, all).ok());
  CHECK(next.sequences == std::vector<std::uint64_t>{3, 4, kSequencesMax - 1});
  const Status beyond = run_input(0, all);
  REQUIRE_FALSE(beyond.ok());
  CHECK(beyond.error().code == ErrorCode::kLimit);
  CHECK(next.sequences.size() == 3);
}

}  // namespace
}  // namespace evq
