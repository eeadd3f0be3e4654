#pragma once
// The writers behind make_result_writer, one a form of answer, each in the file named after it.
// Contract as result_writer.h says.

#include <memory>

#include "apl/service/result_writer.h"

namespace evq {

// Text writers hand on what they hold when it has grown to this.
inline constexpr std::size_t kFlushBytes = std::size_t{1} << 18U;

std::unique_ptr<ResultSink> make_json_writer(ByteSink out, bool lines);
std::unique_ptr<ResultSink> make_csv_writer(ByteSink out, char delimiter, bool header_line);
std::unique_ptr<ResultSink> make_logfmt_writer(ByteSink out);
std::unique_ptr<ResultSink> make_parquet_writer(ByteSink out);
std::unique_ptr<ResultSink> make_tabular_writer(ByteSink out);
std::unique_ptr<ResultSink> make_legacy_writer(ByteSink out);

}  // namespace evq
