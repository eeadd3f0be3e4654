#pragma once
// RowOutput: answers that come in parts, written one after the other as if they were one: the rows
// of every part at once, a header line of CSV again only when the columns change. For followers and
// exports; forms that need to see all rows (tables) are not for it. One thread.

#include <memory>
#include <string>

#include "apl/service/result_writer.h"

namespace evq {

class RowOutput final : public ResultSink {
 public:
  // `format` is ndjson, csv, tsv or logfmt.
  RowOutput(ResultFormat format, ByteSink out) : format_(format), out_(std::move(out)) {}

  // begin … end once a part.
  Status begin(const ResultHeader& header) override;
  Status push(const Chunk& rows, std::span<const RowOrigin> origins) override;
  Status end(const QueryStatus& status) override;

  // Of the last part.
  const QueryStatus& status() const { return status_; }
  std::uint64_t rows() const { return rows_; }  // of all parts

 private:
  ResultFormat format_;
  ByteSink out_;
  Schema columns_;
  bool any_ = false;
  std::unique_ptr<ResultSink> writer_;  // of the current part
  QueryStatus status_;
  std::uint64_t rows_ = 0;
};

}  // namespace evq
