#pragma once
// How a plan runs. Chunks are pushed: a source (scan, values) drives one Sink per worker, each
// sink belongs to one worker and passes what it makes to the sink after it. A Consumer is the
// place after a node as the node sees it: it makes one sink a worker and gets them back, filled,
// when the input has ended. Row-wise operators wrap the consumer after them; operators that need
// their whole input (aggregate, sort, join's build side) keep per-worker state in their sinks and
// produce their output in `complete`.
//
//   run(node, consumer):   source → workers × sink.push(chunk)… sink.finish() → consumer.complete
//
// Chunks carry a sequence number; a worker pushes them in ascending sequence. That makes every
// result independent of the number of workers and of their timing.

#include <memory>
#include <span>
#include <vector>

#include "store/base/result.h"
#include "store/column/chunk.h"

namespace evq {

enum class Flow : std::uint8_t {
  kMore,
  kDone,  // this worker needs no further chunks
};

class Sink {
 public:
  virtual ~Sink() = default;
  virtual Result<Flow> push(Chunk chunk) = 0;
  // Called exactly once, after the last push, unless an error ended the query.
  virtual Status finish() { return Status::success(); }
};

class Consumer {
 public:
  virtual ~Consumer() = default;
  // Makes a sink, from any thread; the sink is used by one thread at a time.
  virtual Result<std::unique_ptr<Sink>> make_sink() = 0;
  // Called once, on one thread, after all sinks finished.
  virtual Status complete(std::vector<std::unique_ptr<Sink>> sinks) = 0;
};

// Pushes whole chunks into one sink of `consumer` and completes it: how an operator that held its
// whole input hands on its output.
Status push_all(std::vector<Chunk> chunks, Consumer& consumer);
// Ends a source with a single sink: finishes the sink and completes `consumer`.
Status complete_with(std::unique_ptr<Sink> sink, Consumer& consumer);

}  // namespace evq
