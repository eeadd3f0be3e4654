#pragma once
// A batch of the input on its way through the pipeline of stream.cpp, which says whose each field
// is when, or some batches where their columns take far more memory than their text. No thread of
// its own.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <string>

#include "store/base/limits.h"
#include "store/base/result.h"
#include "store/ingest/batch_builder.h"
#include "store/ingest/piece.h"
#include "store/ingest/piece_parser.h"
#include "store/ingest/stream.h"

namespace evq {

// The result of parsing and sealing a job, or a part of one.
struct SealedPart {
  std::unique_ptr<SealedBatch> batch;  // null: nothing but failures
  ParseReport report;
};

struct Job {
  std::deque<Piece> waiting;
  bool closed = false;   // no piece will come
  bool running = false;  // a thread is on it
  bool done = false;
  std::size_t events = 0;
  std::size_t text_bytes = 0;
  std::int64_t opened_ns = 0;
  Status status;
  std::exception_ptr failure;  // instead of a status: the memory ran out
  std::deque<SealedPart> parts;
  // The members below are for the thread that runs the job alone.
  std::unique_ptr<BatchBuilder> builder;
  ParseReport report;
  std::uint64_t sealed_bytes = 0;  // of text whose events are sealed
  std::uint64_t parsed_bytes = 0;  // of whole pieces
};

// Fails with kData when a JSON body is one broken value: no input at all, not an event that failed.
inline Status judge_whole_input(const IngestOptions& options, PieceKind kind,
                                const IngestCounts& counts, std::uint64_t syntax_failures) {
  if (options.format == InputFormat::kJson && counts.ingested == 0 && counts.failed != 0 &&
      syntax_failures == counts.failed && kind == PieceKind::kValues && !counts.failures.empty()) {
    const IngestFailure& first = counts.failures.front();
    return make_error(ErrorCode::kData, "line " + std::to_string(first.line) + ", column " +
                                            std::to_string(first.column) + ": " + first.reason);
  }
  return {};
}

// Decides how much text a job takes: a whole number of batches of the recent size, since all behind
// the first batch waits for it in memory, and since a rest of a batch would be a block of few rows.
// Any thread.
class JobTextSize {
 public:
  std::size_t bytes_max() const {
    constexpr std::size_t kBytesMin = 4 * kMebibyte;
    return std::clamp(batches() * batch_bytes_, kBytesMin, kIngestBatchTextBytesMax);
  }
  // Whether a job ends with its last piece, which had `piece_bytes` of its `text_bytes`.
  bool fills(std::size_t text_bytes, std::size_t piece_bytes) const {
    const std::size_t most = bytes_max();
    // Where batches end sooner than jobs may, another piece would leave a rest.
    return text_bytes >= most ||
           (most < kIngestBatchTextBytesMax && text_bytes + piece_bytes > most);
  }
  // The text that lets the workers go on.
  std::size_t bytes_needed() const { return std::min(2 * bytes_max(), kIngestBatchTextBytesMax); }
  // Note the text of a batch that ended before its job did, and of a job that was one batch, whose
  // builder was full to that part of 1.
  void note_batch(std::size_t bytes) { batch_bytes_ = bytes; }
  void note_whole_job(std::size_t bytes, double fullness) {
    const std::size_t room_for = fullness <= 0.5 ? 2 * bytes : bytes;
    batch_bytes_ = std::min(std::max(batch_bytes_.load(), room_for), kIngestBatchTextBytesMax);
  }

 private:
  std::size_t batches() const {
    constexpr std::size_t kBatchesMax = 4;
    const std::size_t fit = kIngestBatchTextBytesMax / std::max<std::size_t>(batch_bytes_, 1);
    return std::clamp<std::size_t>(fit, 1, kBatchesMax);
  }

  std::atomic<std::size_t> batch_bytes_{kIngestBatchTextBytesMax};
};

}  // namespace evq
