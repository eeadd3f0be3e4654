// An answer as one array of objects, or one object a line.

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "apl/service/cell_json.h"
#include "apl/service/result_forms.h"
#include "store/base/json_writer.h"

namespace evq {
namespace {

constexpr std::size_t kOwnTextBytesMax = 16 * kMebibyte;

enum class NullMembers : std::uint8_t { kWritten, kLeftOut };

// json and ndjson.
class ObjectWriter final : public TextResult {
 public:
  ObjectWriter(ByteSink out, bool lines, NullMembers nulls)
      : TextResult(std::move(out)), lines_(lines), nulls_(nulls) {}

  Status begin(const ResultHeader& header) override {
    for (const Field& field : header.schema.fields()) {
      std::string key;
      append_json_string(key, field.name);
      keys_.push_back(key + ":");
    }
    if (!lines_) {
      text().push_back('[');
    }
    return Status::success();
  }
  Status push(const Chunk& rows, std::span<const RowOrigin> /*origins*/) override {
    std::vector<CellRenderer> cells = cell_renderers(rows);
    std::string& out = text();
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      if (!lines_) {
        out.append(first_ ? "\n" : ",\n");
      }
      first_ = false;
      out.push_back('{');
      const char* comma = "";
      for (std::size_t column = 0; column < keys_.size(); ++column) {
        if (nulls_ == NullMembers::kLeftOut && rows.column(column).is_null(row)) {
          continue;
        }
        out.append(comma).append(keys_[column]);
        cells[column].append(&out, row);
        comma = ",";
      }
      out.append(lines_ ? "}\n" : "}");
      EVQ_TRY(end_row());
    }
    return Status::success();
  }
  Status end(const QueryStatus& status) override {
    if (!lines_) {
      text().append(first_ ? "]\n" : "\n]\n");
    }
    return TextResult::end(status);
  }

 private:
  const bool lines_;
  const NullMembers nulls_;
  bool first_ = true;
  std::vector<std::string> keys_;
};

// Where the parts of an answer wait that are written at its end. A command has no other answers:
// common ones need no file.
std::shared_ptr<SpoolSpace> temporary_space() {
  std::error_code error;
  const std::filesystem::path directory = std::filesystem::temp_directory_path(error);
  auto space = std::make_shared<SpoolSpace>();
  space->memory_bytes_max = kOwnTextBytesMax;
  space->directory = error ? "/tmp" : directory.string();
  return space;
}

// Writes an API answer out as soon as it is complete.
class AnswerPump final : public ResultSink {
 public:
  AnswerPump(std::unique_ptr<ApiAnswer> answer, ByteSink out)
      : answer_(std::move(answer)), out_(std::move(out)) {}

  Status begin(const ResultHeader& header) override { return answer_->begin(header); }
  Status push(const Chunk& rows, std::span<const RowOrigin> origins) override {
    return answer_->push(rows, origins);
  }
  Status push_totals(const Chunk& rows) override { return answer_->push_totals(rows); }
  Status end(const QueryStatus& status) override {
    EVQ_TRY(answer_->end(status));
    std::string piece;
    for (bool more = true; more;) {
      piece.clear();
      EVQ_TRY_ASSIGN(more, answer_->next(&piece));
      piece.append(more ? "" : "\n");
      EVQ_TRY(out_(piece));
    }
    return Status::success();
  }

 private:
  std::unique_ptr<ApiAnswer> answer_;
  ByteSink out_;
};

}  // namespace

std::unique_ptr<ResultSink> make_json_writer(ByteSink out, bool lines) {
  return std::make_unique<ObjectWriter>(std::move(out), lines, NullMembers::kWritten);
}
std::unique_ptr<ResultSink> make_event_writer(ByteSink out) {
  return std::make_unique<ObjectWriter>(std::move(out), true, NullMembers::kLeftOut);
}
std::unique_ptr<ResultSink> make_tabular_writer(ByteSink out) {
  return std::make_unique<AnswerPump>(make_tabular_answer(temporary_space()), std::move(out));
}
std::unique_ptr<ResultSink> make_legacy_writer(ByteSink out) {
  return std::make_unique<AnswerPump>(make_legacy_answer(temporary_space()), std::move(out));
}

}  // namespace evq
