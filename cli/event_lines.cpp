#include "cli/event_lines.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/severity.h"
#include "cli/terminal/text_width.h"

namespace evq {
namespace {

class EventLines final : public ResultSink {
 public:
  EventLines(TableOutputOptions options, ByteSink out)
      : options_(std::move(options)), out_(std::move(out)) {}

  Status begin(const ResultHeader& header) override {
    control_ = header.control;
    columns_.clear();
    for (const Field& field : header.schema.fields()) {
      columns_.push_back({columns_.size(), visible_text(logfmt_key(field.name)) + "=",
                          tells_severity(field.name), reading_rank(field.name)});
    }
    if (options_.whole_events) {
      std::ranges::stable_sort(columns_, {}, &Column::rank);
    }
    return Status::success();
  }
  Status push(const Chunk& rows, std::span<const RowOrigin> /*origins*/) override {
    std::string text;
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      append_line(text, rows, row);
      if (text.size() >= kPieceBytes) {
        EVQ_TRY(control_ != nullptr ? control_->check() : Status::success());
        EVQ_TRY(out_(text));
        text.clear();
      }
    }
    return out_(text);
  }
  Status end(const QueryStatus& /*status*/) override { return Status::success(); }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 18U;

  struct Column {
    std::size_t index;  // in the rows
    std::string key;
    bool severity = false;
    int rank = 0;
  };

  void append_line(std::string& text, const Chunk& rows, std::size_t row) {
    bool first = true;
    for (const Column& column : columns_) {
      const Vector& values = rows.column(column.index);
      if (values.is_null(row)) {
        continue;
      }
      std::string cell;
      append_shown_cell(&cell, values, row, options_.zone);
      std::string value;
      append_logfmt_value(&value, cell);
      text.append(first ? "" : " ");
      append_styled(text, column.key, TextStyle::kDim, options_.color);
      append_styled(text, visible_text(value),
                    column.severity ? severity_style(cell) : TextStyle::kPlain, options_.color);
      first = false;
    }
    text.push_back('\n');
  }

  const TableOutputOptions options_;
  const ByteSink out_;
  const QueryControl* control_ = nullptr;  // of the query whose events come
  std::vector<Column> columns_;
};

}  // namespace

std::unique_ptr<ResultSink> make_event_lines(const TableOutputOptions& options, ByteSink out) {
  return std::make_unique<EventLines>(options, std::move(out));
}

}  // namespace evq
