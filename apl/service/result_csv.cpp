// Comma- and tab-separated forms of an answer, after RFC 4180.

#include <utility>

#include "apl/service/result_writer.h"
#include "store/base/number.h"
#include "store/base/time.h"
#include "store/base/timespan.h"
#include "store/column/dynamic_json.h"

namespace evq {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 18U;

void append_slot_text(std::string* out, const Values& values, std::size_t slot) {
  if (values.is_null(slot)) {
    return;
  }
  switch (values.type()) {
    case Type::kNull:
      return;
    case Type::kBool:
      out->append(values.data<std::uint8_t>()[slot] != 0 ? "true" : "false");
      return;
    case Type::kLong:
      append_int(*out, values.data<std::int64_t>()[slot]);
      return;
    case Type::kReal:
      append_real(*out, values.data<double>()[slot]);
      return;
    case Type::kString:
      out->append(values.data<std::string_view>()[slot]);
      return;
    case Type::kDatetime:
      append_instant(*out, values.data<std::int64_t>()[slot]);
      return;
    case Type::kTimespan:
      append_duration(*out, values.data<std::int64_t>()[slot]);
      return;
    case Type::kDynamic: {
      const DynamicView value(values.data<std::string_view>()[slot]);
      if (value.is_string()) {
        out->append(value.as_string());
      } else {
        append_json(value, out);
      }
      return;
    }
  }
}

class CsvWriter final : public ResultSink {
 public:
  CsvWriter(ByteSink out, char delimiter, bool header_line)
      : out_(std::move(out)), delimiter_(delimiter), header_line_(header_line) {}

  Status begin(const ResultHeader& header) override {
    if (header_line_) {
      for (std::size_t i = 0; i < header.schema.size(); ++i) {
        if (i > 0) {
          text_.push_back(delimiter_);
        }
        append_quoted(header.schema[i].name);
      }
      text_.push_back('\n');
    }
    return Status::success();
  }
  Status push(const Chunk& rows, std::span<const RowId> /*ids*/) override {
    std::string cell;
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      for (std::size_t column = 0; column < rows.column_count(); ++column) {
        if (column > 0) {
          text_.push_back(delimiter_);
        }
        cell.clear();
        append_cell_text(&cell, rows.column(column), row);
        append_quoted(cell);
      }
      text_.push_back('\n');
      if (text_.size() >= kFlushBytes) {
        EVQ_TRY(flush());
      }
    }
    return Status::success();
  }
  Status end(const QueryStatus& /*status*/) override { return flush(); }

 private:
  void append_quoted(std::string_view cell) {
    const bool quote = cell.find_first_of("\"\r\n") != std::string_view::npos ||
                       cell.find(delimiter_) != std::string_view::npos;
    if (!quote) {
      text_.append(cell);
      return;
    }
    text_.push_back('"');
    for (const char c : cell) {
      if (c == '"') {
        text_.push_back('"');
      }
      text_.push_back(c);
    }
    text_.push_back('"');
  }
  Status flush() {
    EVQ_TRY(out_(text_));
    text_.clear();
    return Status::success();
  }

  ByteSink out_;
  char delimiter_;
  bool header_line_;
  std::string text_;
};

}  // namespace

std::unique_ptr<ResultSink> make_csv_writer(ByteSink out, char delimiter, bool header_line);

std::unique_ptr<ResultSink> make_csv_writer(ByteSink out, char delimiter, bool header_line) {
  return std::make_unique<CsvWriter>(std::move(out), delimiter, header_line);
}

void append_cell_text(std::string* out, const Vector& column, std::size_t row) {
  append_slot_text(out, column.values(), column.slot(row));
}

}  // namespace evq
