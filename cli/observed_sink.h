#pragma once
// ObservedSink: passes an answer on and remembers its header and status, which the end of a command
// speaks of. One thread at a time.

#include <memory>
#include <utility>

#include "apl/service/request.h"

namespace evq {

class ObservedSink final : public ResultSink {
 public:
  explicit ObservedSink(std::unique_ptr<ResultSink> next) : next_(std::move(next)) {}
  Status begin(const ResultHeader& header) override {
    header_ = header;
    return next_->begin(header);
  }
  Status push(const Chunk& rows, std::span<const RowOrigin> origins) override {
    return next_->push(rows, origins);
  }
  Status push_totals(const Chunk& rows) override { return next_->push_totals(rows); }
  Status end(const QueryStatus& status) override {
    status_ = status;
    has_ended_ = true;
    return next_->end(status);
  }
  // Takes the status of an answer that did not pass through here.
  void observe(const QueryStatus& status) { status_ = status; }
  // The query has given all of it, whatever became of the output.
  bool has_ended() const { return has_ended_; }
  const ResultHeader& header() const { return header_; }
  const QueryStatus& status() const { return status_; }

 private:
  std::unique_ptr<ResultSink> next_;
  ResultHeader header_;
  QueryStatus status_;
  bool has_ended_ = false;
};

}  // namespace evq
