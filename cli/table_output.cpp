#include "cli/table_output.h"

#include <utility>

#include <unistd.h>

#include "cli/severity.h"
#include "cli/terminal/table_format.h"
#include "store/base/told_number.h"

namespace evq {
namespace {

TableCellKind kind_of(Type type) {
  switch (type) {
    case Type::kLong:
    case Type::kReal:
    case Type::kTimespan:
      return TableCellKind::kNumber;
    case Type::kBool:
    case Type::kDatetime:
      return TableCellKind::kFixed;
    case Type::kNull:
    case Type::kString:
    case Type::kDynamic:
      break;
  }
  return TableCellKind::kText;
}

class TableOutput final : public ResultSink {
 public:
  TableOutput(TableOutputOptions options, ByteSink out)
      : options_(std::move(options)), out_(std::move(out)) {}

  Status begin(const ResultHeader& header) override {
    for (const Field& field : header.schema.fields()) {
      columns_.push_back({field.name, std::string(type_name(field.type)), kind_of(field.type)});
      severities_.push_back(tells_severity(field.name));
    }
    return Status::success();
  }
  Status push(const Chunk& rows, std::span<const RowOrigin> /*origins*/) override {
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      EVQ_TRY(check_wanted());
      std::vector<TableCell> cells;
      cells.reserve(rows.column_count());
      for (std::size_t column = 0; column < rows.column_count(); ++column) {
        TableCell cell;
        cell.kind = TableCellKind::kNull;
        if (!rows.column(column).is_null(row)) {
          cell.kind = columns_[column].kind;
          append_shown_cell(&cell.text, rows.column(column), row, options_.zone);
          if (severities_[column]) {
            cell.style = severity_style(cell.text);
          }
        }
        rows_bytes_ += sizeof(cell) + cell.text.capacity();
        cells.push_back(std::move(cell));
      }
      rows_.push_back(std::move(cells));
      if (rows_bytes_ > options_.rows_bytes_max) {
        return too_many_rows();
      }
    }
    return Status::success();
  }
  Status end(const QueryStatus& /*status*/) override {
    TableOptions table;
    table.width = options_.width;
    table.unicode = options_.unicode;
    table.color = options_.color;
    table.header = options_.header;
    table.null_text = options_.null_text;
    // Whoever chose how null is shown wants to see it.
    table.lines_of_nulls =
        !options_.whole_events || options_.null_text != TableOutputOptions().null_text;
    table.layout = options_.form == "line" ? TableLayout::kLine
                   : options_.width != 0   ? TableLayout::kAuto
                                           : TableLayout::kTable;
    table.control = options_.control;
    const std::string text = options_.form == "markdown" ? format_markdown(columns_, rows_, table)
                                                         : format_table(columns_, rows_, table);
    EVQ_TRY(check_wanted());
    return out_(text);
  }

 private:
  // Not check(): the time limit is the query's, which has ended.
  Status check_wanted() const {
    const bool wanted = options_.control == nullptr || !options_.control->cancelled();
    return wanted ? Status::success() : options_.control->check();
  }
  Error too_many_rows() const {
    return make_error(ErrorCode::kLimit,
                      "memory limit of " + memory_limit_text(options_.rows_bytes_max) +
                          " exceeded in the rows of the table",
                      "csv and ndjson hold no rows; or ask for fewer, or raise the memory limit");
  }

  TableOutputOptions options_;
  ByteSink out_;
  std::vector<TableColumn> columns_;
  std::vector<bool> severities_;  // of the columns
  TableRows rows_;
  std::size_t rows_bytes_ = 0;
};

}  // namespace

void fit_to_standard_output(TableOutputOptions* options, ColorChoice color) {
  const Environment environment = process_environment();
  const bool terminal = ::isatty(STDOUT_FILENO) != 0;
  const TerminalSize size = terminal_size(STDOUT_FILENO, environment);
  options->width = terminal ? size.columns : 0;
  options->rows = terminal ? size.rows : 0;
  options->picture_width = size.columns;
  options->unicode = use_unicode(environment);
  options->color = use_color(color, environment, terminal);
}

void append_shown_cell(std::string* out, const Vector& column, std::size_t row,
                       const DisplayZone& zone) {
  if (column.type() == Type::kDatetime && !zone.is_utc()) {
    zone.append_instant(out, column.at<std::int64_t>(row));
  } else {
    append_cell_text(out, column, row);
  }
}

std::unique_ptr<ResultSink> make_table_output(const TableOutputOptions& options, ByteSink out) {
  return std::make_unique<TableOutput>(options, std::move(out));
}

}  // namespace evq
