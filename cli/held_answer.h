#pragma once
// HeldAnswer: an answer kept after its query has ended, to be shown again in another form. Chunks
// share their columns with whoever else holds them. One thread at a time.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "apl/service/request.h"

namespace evq {

class HeldAnswer final : public ResultSink {
 public:
  Status begin(const ResultHeader& header) override {
    header_ = header;
    header_.control = nullptr;  // it may end before this does
    return Status::success();
  }
  Status push(const Chunk& rows, std::span<const RowOrigin> /*origins*/) override {
    chunks_.push_back(rows);
    return Status::success();
  }
  Status end(const QueryStatus& status) override {
    status_ = status;
    return Status::success();
  }

  // Gives everything to `sink`, as the query did.
  Status replay(ResultSink& sink) const {
    EVQ_TRY(sink.begin(header_));
    for (const Chunk& chunk : chunks_) {
      EVQ_TRY(sink.push(chunk, {}));
    }
    return sink.end(status_);
  }
  // Gives everything to `sink` with the last row first; the rows are given away.
  Status hand_on_reversed(ResultSink& sink) {
    EVQ_TRY(sink.begin(header_));
    std::ranges::reverse(chunks_);
    for (Chunk& chunk : chunks_) {
      std::vector<std::uint32_t> rows(chunk.rows());
      std::iota(rows.rbegin(), rows.rend(), 0U);
      chunk.select(rows);
      EVQ_TRY(sink.push(chunk, {}));
    }
    return sink.end(status_);
  }
  ResultHeader& header() { return header_; }
  const ResultHeader& header() const { return header_; }
  const std::vector<Chunk>& chunks() const { return chunks_; }
  const QueryStatus& status() const { return status_; }

 private:
  ResultHeader header_;
  std::vector<Chunk> chunks_;
  QueryStatus status_;
};

}  // namespace evq
