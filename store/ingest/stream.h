#pragma once
// parse_stream: the whole way from a stream of bytes to batches of columns, in parallel and in
// bounded memory. The calling thread reads and cuts the input into pieces that end at line ends;
// workers parse each batch's pieces into columns and call sink.seal, where encoding happens; the
// results reach sink.commit one at a time, in input order, on a thread of their own from the second
// batch on where there is one, so that nobody waits for text while a commit is on its way to the
// disk. After any end (error, cancellation, kill) what was committed is a prefix of the input in
// whole batches.
//
// A batch ends at batch_rows_max events, at kIngestBatchTextBytesMax of text, or when its first
// byte has waited kIngestBatchAgeMsMax, so events of an endless slow stream become visible; not
// while others wait for their commit, as when a busy machine is behind with a large file.

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "store/base/control.h"
#include "store/base/result.h"
#include "store/base/thread_pool.h"
#include "store/ingest/builder_pool.h"
#include "store/ingest/byte_source.h"
#include "store/ingest/input_before.h"
#include "store/ingest/options.h"

namespace evq {

// The result of sealing a batch; sinks derive their own.
struct SealedBatch {
  virtual ~SealedBatch() = default;

  std::size_t memory_bytes = 0;  // about so much, until it is committed
};

class BatchSink {
 public:
  virtual ~BatchSink() = default;
  // Called from workers, for several batches at once. `raw_bytes` of input made the batch. Never
  // called without rows.
  virtual Result<std::unique_ptr<SealedBatch>> seal(BatchColumns& batch,
                                                    std::uint64_t raw_bytes) = 0;
  // Called by one thread at a time, not always the same, in input order. `counts` are of the input
  // up to the end of this batch. An error ends the load and is what parse_stream returns.
  virtual Status commit(std::unique_ptr<SealedBatch> batch, const IngestCounts& counts) = 0;
};

// One event that failed: its text as read (of one that is too long, its beginning) and the failure.
using RejectSink = std::function<void(std::string_view text, const IngestFailure& failure)>;

struct StreamContext {
  QueryControl* control = nullptr;  // stops the load with kCancelled or kTimeout
  // Whether a cancelled load first commits what it has read whole.
  bool keeps_read = false;
  ThreadPool* pool = nullptr;       // null, or no threads in it: everything on the caller
  ThreadPool* committer = nullptr;  // of one thread, which commits; null: the caller does
  // Builders for these options, shared between loads that have the same; null: the load's own.
  std::shared_ptr<BuilderPool> builders;
  const InputBefore* before = nullptr;  // what is before the source's first byte, if anything is
  RejectSink reject;                    // may be empty; called as BatchSink::commit is
  std::function<std::int64_t()> clock;  // wall time, ns; empty: the system's
};

// Reads `source` to its end; returns the counts once all good events are committed. Errors: those
// of source, sink and control; kData for input that cannot be read on: a syntax error inside a JSON
// array, a CSV header that repeats a name, more failures than allowed. `counts_so_far`, when given,
// is kept up to date on the way (it holds what was committed after an error, too).
Result<IngestCounts> parse_stream(ByteSource& source, const IngestOptions& options, BatchSink& sink,
                                  const StreamContext& context,
                                  IngestCounts* counts_so_far = nullptr);

}  // namespace evq
