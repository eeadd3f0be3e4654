#pragma once
// UnionConsumer: lets several inputs run one after the other into one consumer: completes it after
// the last. The sequences of an input begin where those of the one before ended, so that unions
// nest. A sink that needs no further chunks would need none of a later input either, whoever's they
// are: once there is one, the inputs that are left need not run. kLimit when there are more
// sequences than the places of rows have room for.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "apl/exec/forwarding_sink.h"
#include "apl/exec/numbered_rows.h"
#include "apl/exec/operator.h"
#include "apl/exec/sequence_rows.h"

namespace evq {

class UnionSink final : public ForwardingSink {
 public:
  UnionSink(std::unique_ptr<Sink> next, std::uint64_t begin)
      : ForwardingSink(std::move(next)), begin_(begin), end_(begin) {}
  Result<Flow> push(Chunk chunk) override {
    chunk.set_sequence(begin_ + chunk.sequence());
    if (chunk.sequence() >= kSequencesMax) {
      return too_many_chunks();
    }
    end_ = std::max(end_, chunk.sequence() + 1);
    EVQ_TRY_ASSIGN(const Flow flow, next().push(std::move(chunk)));
    is_done_ = flow == Flow::kDone;
    return flow;
  }
  // A sequence above all of those so far.
  std::uint64_t end() const { return end_; }
  bool is_done() const { return is_done_; }

 private:
  const std::uint64_t begin_;
  std::uint64_t end_;
  bool is_done_ = false;
};

class UnionConsumer final : public Consumer {
 public:
  explicit UnionConsumer(Consumer& next) : next_(next) {}
  Result<std::unique_ptr<Sink>> make_sink() override {
    EVQ_TRY_ASSIGN(std::unique_ptr<Sink> next, next_.make_sink());
    return std::unique_ptr<Sink>(std::make_unique<UnionSink>(std::move(next), begin_));
  }
  Status complete(std::vector<std::unique_ptr<Sink>> sinks) override {
    for (const std::unique_ptr<Sink>& sink : sinks) {
      const auto& filled = static_cast<const UnionSink&>(*sink);
      begin_ = std::max(begin_, filled.end());
      is_done_ = is_done_ || filled.is_done();
    }
    std::ranges::move(forwarded_sinks(std::move(sinks)), std::back_inserter(finished_));
    return Status::success();
  }
  // Whether the inputs that have run are enough. At least one must run before complete_all().
  bool is_done() const { return is_done_; }
  Status complete_all() { return next_.complete(std::move(finished_)); }

 private:
  Consumer& next_;
  std::uint64_t begin_ = 0;  // first sequence of the next input
  bool is_done_ = false;
  std::vector<std::unique_ptr<Sink>> finished_;
};

}  // namespace evq
