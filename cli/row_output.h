#pragma once
// RowOutput: answers that come in parts, written one after the other as if they were one: the rows
// of every part at once. CSV and TSV have one header, whose columns are those of the first part
// that has rows: nothing could tell which header a line belongs to. For followers; forms that need
// to see all rows (tables) are not for it. One thread.

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apl/service/result_writer.h"

namespace evq {

class RowOutput final : public ResultSink {
 public:
  // `left_out` hears once of each field that a later part has besides; its rows go out without it.
  using LeftOut = std::function<void(const std::string& field, const Schema& columns)>;

  // `format` is ndjson, csv, tsv or logfmt.
  RowOutput(ResultFormat format, ByteSink out, LeftOut left_out);

  // Each part calls begin … end once.
  Status begin(const ResultHeader& header) override;
  Status push(const Chunk& rows, std::span<const RowOrigin> origins) override;
  Status end(const QueryStatus& status) override;
  // Ends the output after the last part: writes the header where there were no rows.
  Status finish();

 private:
  Status begin_part();
  void tell_left_out();

  const ResultFormat format_;
  const ByteSink out_;
  const LeftOut left_out_;
  const bool keeps_columns_;
  std::optional<Schema> columns_;  // of the header that was written
  std::set<std::string> told_;
  ResultHeader header_;                              // of the current part
  std::unique_ptr<ResultSink> writer_;               // of the current part, once it has rows
  std::vector<std::optional<std::size_t>> sources_;  // of the columns, in the current part
};

}  // namespace evq
