#include "cli/row_output.h"

#include <utility>

namespace evq {

Status RowOutput::begin(const ResultHeader& header) {
  const bool changed = !any_ || !(columns_ == header.schema);
  any_ = true;
  columns_ = header.schema;
  writer_ = make_result_writer(format_, out_, changed);
  return writer_->begin(header);
}

Status RowOutput::push(const Chunk& rows, std::span<const RowOrigin> origins) {
  rows_ += rows.rows();
  return writer_->push(rows, origins);
}

Status RowOutput::end(const QueryStatus& status) {
  status_ = status;
  return writer_->end(status);
}

}  // namespace evq
