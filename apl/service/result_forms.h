#pragma once
// The writers behind make_result_writer, one a form of answer, each in the file named after it.
// Contract as result_writer.h says.

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "apl/service/result_writer.h"

namespace evq {

// The base of the text writers: text is handed on when it has grown to kFlushBytes, and at the end.
// A row need not be short: end_cell() lets no more than one long cell wait.
class TextResult : public ResultSink {
 public:
  Status end(const QueryStatus& /*status*/) override { return flush(); }

 protected:
  explicit TextResult(ByteSink out) : out_(std::move(out)) {}

  // The text that is not handed on yet; rows are appended here.
  std::string& text() { return text_; }
  // Must be called before the first row. The text ends where the query's control says so.
  void watch(const ResultHeader& header) { control_ = header.control; }
  // Must be called after every row, and after every cell that may be long.
  Status end_row() { return end_cell(); }
  Status end_cell() {
    if (text_.size() < kFlushBytes) {
      return Status::success();
    }
    EVQ_TRY(control_ != nullptr ? control_->check() : Status::success());
    return flush();
  }

 private:
  static constexpr std::size_t kFlushBytes = std::size_t{1} << 18U;

  Status flush() {
    EVQ_TRY(out_(text_));
    text_.clear();
    return Status::success();
  }

  const ByteSink out_;
  const QueryControl* control_ = nullptr;
  std::string text_;
};

std::unique_ptr<ResultSink> make_json_writer(ByteSink out, WholeReals reals);  // an array
std::unique_ptr<ResultSink> make_ndjson_writer(ByteSink out, WholeReals reals);
std::unique_ptr<ResultSink> make_csv_writer(ByteSink out, char delimiter, bool header_line,
                                            WholeReals reals);
std::unique_ptr<ResultSink> make_logfmt_writer(ByteSink out, WholeReals reals);
std::unique_ptr<ResultSink> make_parquet_writer(ByteSink out);
std::unique_ptr<ResultSink> make_tabular_writer(ByteSink out);
std::unique_ptr<ResultSink> make_legacy_writer(ByteSink out);

}  // namespace evq
