#include "cli/row_output.h"

#include <utility>

namespace evq {

RowOutput::RowOutput(ResultFormat format, ByteSink out, LeftOut left_out)
    : format_(format),
      out_(std::move(out)),
      left_out_(std::move(left_out)),
      keeps_columns_(format == ResultFormat::kCsv || format == ResultFormat::kTsv) {}

Status RowOutput::begin(const ResultHeader& header) {
  header_ = header;
  writer_.reset();
  return Status::success();
}

void RowOutput::tell_left_out() {
  for (const Field& field : header_.schema.fields()) {
    if (!columns_->find(field.name).has_value() && told_.insert(field.name).second) {
      left_out_(field.name, *columns_);
    }
  }
}

Status RowOutput::begin_part() {
  const bool first = !columns_.has_value();
  if (first) {
    columns_ = header_.schema;
  }
  sources_.clear();
  if (keeps_columns_) {
    tell_left_out();
    std::vector<Field> fields = columns_->fields();
    for (Field& field : fields) {
      const std::optional<std::size_t> source =
          sources_.emplace_back(header_.schema.find(field.name));
      field.type = source.has_value() ? header_.schema[*source].type : field.type;
    }
    header_.schema = Schema(std::move(fields));
    header_.origins.clear();
  }
  writer_ = make_result_writer(format_, out_, first);
  return writer_->begin(header_);
}

Status RowOutput::push(const Chunk& rows, std::span<const RowOrigin> origins) {
  if (rows.empty()) {
    return Status::success();
  }
  if (writer_ == nullptr) {
    EVQ_TRY(begin_part());
  }
  if (!keeps_columns_) {
    return writer_->push(rows, origins);
  }
  std::vector<Vector> columns;
  columns.reserve(sources_.size());
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    columns.push_back(sources_[i].has_value()
                          ? rows.column(*sources_[i])
                          : Vector::constant(Value::null(header_.schema[i].type), rows.rows()));
  }
  return writer_->push(Chunk(std::move(columns), rows.rows()), {});
}

Status RowOutput::end(const QueryStatus& status) {
  return writer_ == nullptr ? Status::success() : writer_->end(status);
}

Status RowOutput::finish() {
  if (columns_.has_value()) {
    return Status::success();
  }
  EVQ_TRY(begin_part());
  return writer_->end({});
}

}  // namespace evq
