// Comma- and tab-separated forms of an answer, after RFC 4180.

#include <algorithm>
#include <utility>

#include "apl/functions/text_form.h"
#include "apl/service/present_cells.h"
#include "apl/service/result_forms.h"
#include "store/column/typed_json.h"
#include "store/ingest/csv_record.h"

namespace evq {
namespace {

class CsvWriter final : public TextResult {
 public:
  CsvWriter(ByteSink out, char delimiter, bool header_line, WholeReals reals)
      : TextResult(std::move(out)),
        delimiter_(delimiter),
        header_line_(header_line),
        reals_(reals) {}

  Status begin(const ResultHeader& header) override {
    watch(header);
    if (header_line_) {
      for (std::size_t i = 0; i < header.schema.size(); ++i) {
        if (i > 0) {
          text().push_back(delimiter_);
        }
        append_cell(header.schema[i].name);
      }
      text().push_back('\n');
    }
    return Status::success();
  }
  Status push(const Chunk& rows, std::span<const RowOrigin> /*origins*/) override {
    const PresentCells present(rows);
    std::string cell;
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      cell.clear();
      std::size_t at = 0;
      for (const std::uint32_t column : present.columns(row)) {
        text().append(column - at, delimiter_);
        at = column;
        cell.clear();
        append_cell_text(&cell, rows.column(column), row, reals_);
        append_cell(cell);
        EVQ_TRY(end_cell());
      }
      text().append(std::max<std::size_t>(rows.column_count(), 1) - 1 - at, delimiter_);
      if (rows.column_count() == 1 && cell.empty()) {
        text().append("\"\"");  // readers pass over a blank line
      }
      text().push_back('\n');
      EVQ_TRY(end_row());
    }
    return Status::success();
  }

 private:
  // Readers may trim blanks at the ends of a cell that is not quoted.
  void append_cell(std::string_view cell) {
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    const bool quote = cell.find_first_of("\"\r\n") != std::string_view::npos ||
                       cell.find(delimiter_) != std::string_view::npos ||
                       (!cell.empty() && (blank(cell.front()) || blank(cell.back())));
    if (quote) {
      append_quoted_cell(&text(), cell);
    } else {
      text().append(cell);
    }
  }

  const char delimiter_;
  const bool header_line_;
  const WholeReals reals_;
};

}  // namespace

std::unique_ptr<ResultSink> make_csv_writer(ByteSink out, char delimiter, bool header_line,
                                            WholeReals reals) {
  return std::make_unique<CsvWriter>(std::move(out), delimiter, header_line, reals);
}

void append_cell_text(std::string* out, const Vector& column, std::size_t row, WholeReals reals) {
  const Values& values = column.values();
  const std::size_t slot = column.slot(row);
  Type type = values.is_null(slot) ? Type::kNull : values.type();
  if (type == Type::kDynamic && reals == WholeReals::kPointed) {
    const DynamicView value(values.data<std::string_view>()[slot]);
    type = value.type();
    if (value.is_array() || value.is_bag()) {
      append_typed_json(value, out);
      return;
    }
  }
  const std::size_t begin = out->size();
  append_text_form(values, slot, out);
  // A point, an exponent, or NaN and infinity, tell a real from an integer.
  if (type == Type::kReal && reals == WholeReals::kPointed &&
      std::string_view(*out).find_first_of(".eNI", begin) == std::string_view::npos) {
    out->append(".0");
  }
}

}  // namespace evq
