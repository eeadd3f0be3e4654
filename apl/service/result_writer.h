#pragma once
// ResultWriter: an answer as bytes, in the forms that programs read. Each is a ResultSink that
// hands finished text to a ByteSink as it goes; the API's response objects need the status first
// and are therefore written at the end.
//
//   json     one array of objects         ndjson   one object a line
//   csv,tsv  RFC 4180, header first       tabular, legacy   the API's response objects
//
// Nulls: JSON null, empty cell in csv. Datetimes RFC 3339 with nanoseconds, timespans as Go prints
// a duration, NaN and infinities as null, dynamics as JSON (compact text inside a csv cell).

#include <functional>
#include <memory>
#include <string_view>

#include "apl/service/request.h"

namespace evq {

using ByteSink = std::function<Status(std::string_view bytes)>;

enum class ResultFormat : std::uint8_t { kJson, kNdjson, kCsv, kTsv, kTabular, kLegacy };

// `header_line` false leaves out csv's first line.
std::unique_ptr<ResultSink> make_result_writer(ResultFormat format, ByteSink out,
                                               bool header_line = true);

// One cell as JSON text, appended.
void append_cell_json(std::string* out, const Vector& column, std::size_t row);
// One cell as the text a person reads: what tostring() gives, and "null" left to the caller.
void append_cell_text(std::string* out, const Vector& column, std::size_t row);

// The status object of API answers.
void append_status_json(std::string* out, const QueryStatus& status,
                        const std::vector<std::string>& warnings);

}  // namespace evq
