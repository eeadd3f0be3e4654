#pragma once
// Answers that come in parts, as one: for answers too long to be held. The columns are those of the
// first part; what a later part has besides belongs to events that arrived since. One thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "apl/service/result_writer.h"
#include "cli/query_target.h"

namespace evq {

class JoinedParts final : public ResultSink {
 public:
  // With `typed`, a column whose type changes on the way is kUnavailable; text forms do not care.
  JoinedParts(ResultSink& next, bool typed) : next_(next), typed_(typed) {}

  // Each part calls begin … end once.
  Status begin(const ResultHeader& header) override;
  Status push(const Chunk& rows, std::span<const RowOrigin> origins) override;
  Status end(const QueryStatus& status) override;
  // Ends the answer after the last part; its counts are the sums of theirs.
  Status finish() { return next_.end(status_); }

  std::uint64_t rows() const { return status_.rows; }
  // The header of the first part, and the sums.
  const ResultHeader& header() const { return header_; }
  const QueryStatus& status() const { return status_; }
  const QueryStatus& last() const { return last_; }

 private:
  ResultSink& next_;
  const bool typed_;
  bool begun_ = false;
  ResultHeader header_;
  std::vector<std::optional<std::size_t>> sources_;  // of the columns, in the current part
  QueryStatus status_;
  QueryStatus last_;
};

// Runs a query whose rows stand for an event each, newest first, a page at a time: no more than one
// page is held, and events that arrive meanwhile do not disturb. `request.limit` bounds all pages.
// `between` is called after each page, when nothing of the store is held.
Status query_in_pages(QueryTarget& target, const std::string& dataset, const QueryRequest& request,
                      ResultSink& sink, const std::function<Status()>& between);

}  // namespace evq
