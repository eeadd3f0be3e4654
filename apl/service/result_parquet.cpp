// An answer as a Parquet file.

#include <optional>
#include <utility>

#include "apl/service/result_forms.h"
#include "store/parquet/parquet_writer.h"

namespace evq {
namespace {

class ParquetResult final : public ResultSink {
 public:
  explicit ParquetResult(ByteSink out) : out_(std::move(out)) {}

  Status begin(const ResultHeader& header) override {
    // Readers take such a file for a broken one.
    if (header.schema.size() == 0) {
      return make_error(ErrorCode::kUnsupported, "a Parquet file needs a column",
                        "the answer has none: ndjson and csv can say so");
    }
    const auto wanted = [this, control = header.control](std::string_view bytes) -> Status {
      EVQ_TRY(control != nullptr ? control->check() : Status::success());
      return out_(bytes);
    };
    writer_.emplace(header.schema, wanted);
    return Status::success();
  }
  Status push(const Chunk& rows, std::span<const RowOrigin> /*origins*/) override {
    return writer_->push(rows);
  }
  Status end(const QueryStatus& /*status*/) override { return writer_->finish(); }

 private:
  ByteSink out_;
  std::optional<ParquetWriter> writer_;
};

}  // namespace

std::unique_ptr<ResultSink> make_parquet_writer(ByteSink out) {
  return std::make_unique<ParquetResult>(std::move(out));
}

}  // namespace evq
