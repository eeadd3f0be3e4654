#pragma once
// ResultWriter: an answer as bytes, in the forms that programs read. Each is a ResultSink that
// hands finished text to a ByteSink as it goes; the API's response objects need the status first
// and are therefore written at the end, from files where they are long.
//
//   json     one array of objects         ndjson   one object a line
//   csv,tsv  RFC 4180, header first       tabular, legacy   the API's response objects
//   logfmt   key=value pairs a line       parquet  store/parquet/parquet_writer.h
//
// Nulls: JSON null, an empty cell in csv ("" where it is the row's only one), no pair in logfmt.
// Datetimes RFC 3339 with nanoseconds, timespans as Go prints a duration, dynamics as JSON (compact
// text in csv and logfmt). NaN and infinities are null in JSON, and NaN, +Inf and -Inf elsewhere.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "apl/service/request.h"
#include "apl/service/spooled_text.h"
#include "store/store.h"

namespace evq {

using ByteSink = std::function<Status(std::string_view bytes)>;

enum class ResultFormat : std::uint8_t {
  kJson,
  kNdjson,
  kCsv,
  kTsv,
  kLogfmt,
  kParquet,
  kTabular,
  kLegacy
};

// Finds a form by its name above; nullopt for other names.
std::optional<ResultFormat> find_result_format(std::string_view name);

// Whole reals in json, ndjson, csv, tsv and logfmt, in lists and objects as well: 5, as answers
// show them, or 5.0, which whoever takes the text in reads as a real again.
enum class WholeReals : std::uint8_t { kShort, kPointed };

// Makes the writer of a form; `header_line` false leaves out csv's first line.
std::unique_ptr<ResultSink> make_result_writer(ResultFormat format, ByteSink out,
                                               bool header_line = true,
                                               WholeReals reals = WholeReals::kShort);
// Makes a writer of ndjson as events are taken in: whole reals have a point, and a member that is
// null is left out, as in the events of a dataset whose fields are many and mostly absent.
std::unique_ptr<ResultSink> make_event_writer(ByteSink out);

// A response object of the API, kept as SpooledText until it is taken: nothing of
// the store is pinned then. One thread at a time.
class ApiAnswer : public ResultSink {
 public:
  // Appends the next piece, of about 64 KiB; false when it was the last. Only after end(). kIo.
  virtual Result<bool> next(std::string* out) = 0;
};
std::unique_ptr<ApiAnswer> make_tabular_answer(std::shared_ptr<SpoolSpace> space);
// What a legacy answer has otherwise for the older query endpoint.
struct LegacyForm {
  // Format, status, matches and buckets only: clients of that endpoint refuse other members.
  bool bare = false;
  // What an aggregation is called instead of its column, by the column's name.
  std::map<std::string, std::string, std::less<>> operations;
  // The most groups, the first of the totals; a series has none but these.
  std::optional<std::uint64_t> groups_max;
};
std::unique_ptr<ApiAnswer> make_legacy_answer(std::shared_ptr<SpoolSpace> space,
                                              LegacyForm form = {});

// Appends one cell as JSON text.
void append_cell_json(std::string* out, const Vector& column, std::size_t row);
// Appends one cell as a person reads it: what tostring() gives, and "null" left to the caller.
void append_cell_text(std::string* out, const Vector& column, std::size_t row,
                      WholeReals reals = WholeReals::kShort);
// Writes a field's name and a cell's text as logfmt has them: what would end a key becomes '_', and
// a value that holds anything but plain text is a JSON string.
std::string logfmt_key(std::string_view field);
void append_logfmt_value(std::string* out, std::string_view value);

// Names the type of a field as answers do; "integer|float" for a field with values of both.
std::string field_type_text(const FieldInfo& field);

}  // namespace evq
