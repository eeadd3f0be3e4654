#include "cli/table_output.h"

#include <unistd.h>

#include <utility>

#include "cli/terminal/table_format.h"
#include "store/base/json_writer.h"

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
    }
    return Status::success();
  }
  Status push(const Chunk& rows, std::span<const RowId> /*ids*/) override {
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      std::vector<TableCell> cells;
      cells.reserve(rows.column_count());
      for (std::size_t column = 0; column < rows.column_count(); ++column) {
        TableCell cell;
        cell.kind = TableCellKind::kNull;
        if (!rows.column(column).is_null(row)) {
          cell.kind = columns_[column].kind;
          append_cell_text(&cell.text, rows.column(column), row);
        }
        cells.push_back(std::move(cell));
      }
      rows_.push_back(std::move(cells));
    }
    return Status::success();
  }
  Status end(const QueryStatus& /*status*/) override {
    if (options_.form == "logfmt") {
      return out_(logfmt());
    }
    const Environment environment = process_environment();
    const bool terminal = ::isatty(STDOUT_FILENO) != 0;
    TableOptions table;
    table.width = terminal ? terminal_size(STDOUT_FILENO, environment).columns : 0;
    table.unicode = use_unicode(environment);
    table.color = use_color(options_.color, environment, terminal);
    table.header = options_.header;
    table.null_text = options_.null_text;
    table.layout = options_.form == "line" ? TableLayout::kLine
                   : terminal              ? TableLayout::kAuto
                                           : TableLayout::kTable;
    return out_(options_.form == "markdown" ? format_markdown(columns_, rows_, table)
                                            : format_table(columns_, rows_, table));
  }

 private:
  // key=value pairs, values quoted where they hold a blank, a quote or an equals sign.
  std::string logfmt() const {
    std::string text;
    for (const std::vector<TableCell>& row : rows_) {
      bool first = true;
      for (std::size_t column = 0; column < row.size(); ++column) {
        if (row[column].kind == TableCellKind::kNull) {
          continue;
        }
        text.append(first ? "" : " ").append(columns_[column].name).push_back('=');
        const std::string& value = row[column].text;
        if (value.empty() || value.find_first_of(" \"=\n\r\t\\") != std::string::npos) {
          append_json_string(text, value);
        } else {
          text.append(value);
        }
        first = false;
      }
      text.push_back('\n');
    }
    return text;
  }

  TableOutputOptions options_;
  ByteSink out_;
  std::vector<TableColumn> columns_;
  TableRows rows_;
};

}  // namespace

std::unique_ptr<ResultSink> make_table_output(const TableOutputOptions& options, ByteSink out) {
  return std::make_unique<TableOutput>(options, std::move(out));
}

}  // namespace evq
