#include "cli/answer_output.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <unistd.h>

#include "cli/chart_output.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/terminal/number_text.h"
#include "store/base/ascii.h"
#include "store/base/told_number.h"
#include "store/block/format.h"

namespace evq {
namespace {

struct FormRow {
  AnswerForm form;
  std::optional<ResultFormat> written;  // by result_writer.h; else by a table or a picture
  bool streamed = false;
};

constexpr FormRow kForms[] = {
    {{"auto", "a picture for render, else a table", ""}, std::nullopt},
    {{"table", "a box, as wide as the terminal", ".txt"}, std::nullopt},
    {{"line", "one field a line", ""}, std::nullopt},
    {{"chart", "lines over time, bars for groups", ""}, std::nullopt},
    {{"json", "one array of objects", ".json"}, ResultFormat::kJson, true},
    {{"ndjson", "one object a line", ".ndjson"}, ResultFormat::kNdjson, true},
    {{"csv", "comma-separated, header first", ".csv"}, ResultFormat::kCsv, true},
    {{"tsv", "tab-separated, header first", ".tsv"}, ResultFormat::kTsv, true},
    {{"markdown", "a table for documents", ".md"}, std::nullopt},
    {{"logfmt", "key=value pairs", ".log"}, ResultFormat::kLogfmt, true},
    {{"parquet", "a file for DuckDB, ClickHouse, pandas", ".parquet"}, ResultFormat::kParquet},
    {{"tabular", "the API's tabular answer", ""}, ResultFormat::kTabular},
    {{"legacy", "the API's legacy answer", ""}, ResultFormat::kLegacy},
};

constexpr auto kFormsAlone = [] {
  std::array<AnswerForm, std::size(kForms)> forms;
  std::ranges::transform(kForms, forms.begin(), &FormRow::form);
  return forms;
}();

const FormRow* find_form(std::string_view name) {
  const auto* const row =
      std::ranges::find(kForms, name, [](const FormRow& each) { return each.form.name; });
  return row == std::end(kForms) ? nullptr : row;
}

class WithoutArrivalTime final : public ResultSink {
 public:
  explicit WithoutArrivalTime(ResultSink& next) : next_(next) {}
  Status begin(const ResultHeader& header) override {
    dropped_ = header.schema.size() > 1 ? header.schema.find(kSysTimeField) : std::nullopt;
    if (!dropped_.has_value()) {
      return next_.begin(header);
    }
    ResultHeader shown = header;
    std::vector<Field> fields = header.schema.fields();
    fields.erase(fields.begin() + place());
    shown.schema = Schema(std::move(fields));
    if (!shown.origins.empty()) {
      shown.origins.erase(shown.origins.begin() + place());
    }
    return next_.begin(shown);
  }
  Status push(const Chunk& rows, std::span<const RowOrigin> origins) override {
    if (!dropped_.has_value()) {
      return next_.push(rows, origins);
    }
    std::vector<Vector> columns(rows.columns().begin(), rows.columns().end());
    columns.erase(columns.begin() + place());
    return next_.push(Chunk(std::move(columns), rows.rows()), origins);
  }
  Status end(const QueryStatus& status) override { return next_.end(status); }

 private:
  std::ptrdiff_t place() const { return static_cast<std::ptrdiff_t>(*dropped_); }

  ResultSink& next_;
  std::optional<std::size_t> dropped_;  // the column
};

// Decides when it knows whether the query asked for a picture.
class AutoOutput final : public ResultSink {
 public:
  AutoOutput(TableOutputOptions options, ByteSink out)
      : options_(std::move(options)), out_(std::move(out)) {}
  Status begin(const ResultHeader& header) override {
    const bool picture = !header.render_kind.empty() && header.render_kind != "table";
    options_.form = picture ? "chart" : "table";
    chosen_ = make_answer_output(options_, out_);
    if (!options_.arrival_time) {
      narrowed_ = without_arrival_time(*chosen_);
    }
    return sink().begin(header);
  }
  Status push(const Chunk& rows, std::span<const RowOrigin> origins) override {
    return sink().push(rows, origins);
  }
  Status end(const QueryStatus& status) override { return sink().end(status); }

 private:
  ResultSink& sink() { return narrowed_ != nullptr ? *narrowed_ : *chosen_; }

  TableOutputOptions options_;
  ByteSink out_;
  std::unique_ptr<ResultSink> chosen_;
  std::unique_ptr<ResultSink> narrowed_;  // in front of it
};

std::string elapsed_of(std::int64_t microseconds) {
  return microseconds < 1000 ? std::to_string(microseconds) + " us"
                             : elapsed_text(microseconds / 1000);
}

}  // namespace

std::span<const AnswerForm> answer_forms() {
  return kFormsAlone;
}

std::vector<std::string> answer_form_names() {
  std::vector<std::string> names;
  for (const AnswerForm& form : answer_forms()) {
    names.emplace_back(form.name);
  }
  return names;
}

Status check_answer_form(const std::string& form) {
  const auto* const row = find_form(form);
  if (row == nullptr) {
    const std::vector<std::string> names = answer_form_names();
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::string_view near = meant_form(form, views);
    return make_error(
        ErrorCode::kUsage, "there is no form '" + form + "'",
        near.empty() ? "evq help query lists them" : "did you mean '" + std::string(near) + "'?");
  }
  if (row->written == ResultFormat::kParquet && ::isatty(STDOUT_FILENO) != 0) {
    return make_error(ErrorCode::kUsage, "a terminal cannot show Parquet",
                      "send it to a file: > answer.parquet");
  }
  return Status::success();
}

Result<std::string> choose_answer_form(const GlobalOptions& global, const std::string& asked) {
  std::string form = asked.empty() ? global.settings.value("output") : asked;
  if (form.empty()) {
    return std::string(::isatty(STDOUT_FILENO) != 0 ? "auto" : "ndjson");
  }
  if (Status known = check_answer_form(form); !known.ok()) {
    Error error = std::move(known).take_error();
    if (asked.empty()) {
      error.message = global.settings.setting("output").source + ": " + error.message;
    }
    return error;
  }
  return form;
}

std::optional<std::string_view> answer_form_of_file(std::string_view path) {
  const std::string name = ascii_lower(path);
  for (const AnswerForm& form : answer_forms()) {
    if (!form.suffix.empty() && name.ends_with(form.suffix)) {
      return form.name;
    }
  }
  constexpr std::pair<std::string_view, std::string_view> kOtherSuffixes[] = {
      {".jsonl", "ndjson"},
      {".logfmt", "logfmt"},
  };
  for (const auto& [suffix, form] : kOtherSuffixes) {
    if (name.ends_with(suffix)) {
      return form;
    }
  }
  return std::nullopt;
}

bool is_streamed_form(std::string_view form) {
  const auto* const row = find_form(form);
  return row != nullptr && row->streamed;
}

bool is_api_form(std::string_view form) {
  const auto* const row = find_form(form);
  return row != nullptr &&
         (row->written == ResultFormat::kTabular || row->written == ResultFormat::kLegacy);
}

void fit_request(std::string_view form, QueryRequest* request) {
  request->api_form = is_api_form(form);
  request->system_times = form == "legacy";
  request->keeps_rows = !is_streamed_form(form) && !request->api_form;
  request->exact_matches = request->api_form;
}

std::unique_ptr<ResultSink> make_answer_output(const TableOutputOptions& options, ByteSink out) {
  if (options.form == "auto") {
    return std::make_unique<AutoOutput>(options, std::move(out));
  }
  if (options.form == "chart") {
    return make_chart_output(options, std::move(out));
  }
  const auto* const row = find_form(options.form);
  if (row != nullptr && row->written.has_value()) {
    if (options.is_for_terminal()) {
      out = harmless_sink(std::move(out));
    }
    return make_result_writer(*row->written, std::move(out), options.header);
  }
  return make_table_output(options, std::move(out));
}

bool names_arrival_time(std::string_view apl) {
  return apl.find(kSysTimeField) != std::string_view::npos;
}

std::unique_ptr<ResultSink> without_arrival_time(ResultSink& next) {
  return std::make_unique<WithoutArrivalTime>(next);
}

std::string answer_footer(const QueryStatus& status, bool unicode) {
  const std::string between = unicode ? " · " : ", ";
  std::string text = counted_text(status.rows, "row") + between;
  if (status.blocks_total != 0 || status.rows_examined != 0) {
    text += grouped_text(status.rows_examined) + " scanned" + between +
            std::to_string(status.blocks_examined) + "/" + std::to_string(status.blocks_total) +
            " blocks" + between;
  }
  return text + elapsed_of(status.elapsed_us);
}

std::vector<std::string> answer_remarks(const ResultHeader& header, const QueryStatus& status,
                                        std::string_view all_hint) {
  std::vector<std::string> remarks;
  for (const std::string& warning : header.warnings) {
    remarks.push_back("note: " + warning);
  }
  if (ended_by_default_limit(header, status)) {
    // How many there would be is not known: reading has ended, and operators change the number.
    const bool newest =
        header.order.empty() || (header.order[0].field == kTimeField && header.order[0].descending);
    const std::string remark =
        counted_text(status.rows, "row") + " shown, the " + (newest ? "newest" : "first");
    remarks.push_back(remark + "; add \"| limit N\" or " + std::string(all_hint) + " for more");
  }
  return remarks;
}

}  // namespace evq
