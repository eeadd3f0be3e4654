// An answer as one array of objects, or one object a line.

#include <cstdint>
#include <filesystem>
#include <numeric>
#include <optional>
#include <system_error>
#include <utility>

#include "apl/service/cell_json.h"
#include "apl/service/present_cells.h"
#include "apl/service/result_forms.h"
#include "store/base/json_writer.h"

namespace evq {
namespace {

constexpr std::size_t kOwnTextBytesMax = 16 * kMebibyte;

enum class NullMembers : std::uint8_t { kWritten, kLeftOut };
// What separates rows: those between commas are one array.
enum class Between : std::uint8_t { kCommas, kLineEnds };

// json and ndjson.
class ObjectWriter final : public TextResult {
 public:
  ObjectWriter(ByteSink out, Between between, NullMembers nulls, WholeReals reals)
      : TextResult(std::move(out)),
        lines_(between == Between::kLineEnds),
        nulls_(nulls),
        reals_(reals) {}

  Status begin(const ResultHeader& header) override {
    watch(header);
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
    std::vector<CellRenderer> cells = cell_renderers(rows, reals_);
    std::optional<PresentCells> present;
    std::vector<std::uint32_t> all;
    if (nulls_ == NullMembers::kLeftOut) {
      present.emplace(rows);
    } else {
      all.resize(rows.column_count());
      std::iota(all.begin(), all.end(), 0U);
    }
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      EVQ_TRY(append_row(&cells, present.has_value() ? present->columns(row) : all, row));
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
  Status append_row(std::vector<CellRenderer>* cells, std::span<const std::uint32_t> columns,
                    std::size_t row) {
    std::string& out = text();
    if (!lines_) {
      out.append(first_ ? "\n" : ",\n");
    }
    first_ = false;
    out.push_back('{');
    const char* comma = "";
    for (const std::uint32_t column : columns) {
      out.append(comma).append(keys_[column]);
      (*cells)[column].append(&out, row);
      EVQ_TRY(end_cell());
      comma = ",";
    }
    out.append(lines_ ? "}\n" : "}");
    return Status::success();
  }

  const bool lines_;
  const NullMembers nulls_;
  const WholeReals reals_;
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

  Status begin(const ResultHeader& header) override {
    control_ = header.control;
    return answer_->begin(header);
  }
  Status push(const Chunk& rows, std::span<const RowOrigin> origins) override {
    return answer_->push(rows, origins);
  }
  Status push_totals(const Chunk& rows) override { return answer_->push_totals(rows); }
  Status end(const QueryStatus& status) override {
    EVQ_TRY(answer_->end(status));
    std::string piece;
    for (bool more = true; more;) {
      EVQ_TRY(control_ != nullptr ? control_->check() : Status::success());
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
  const QueryControl* control_ = nullptr;
};

}  // namespace

std::unique_ptr<ResultSink> make_json_writer(ByteSink out, WholeReals reals) {
  return std::make_unique<ObjectWriter>(std::move(out), Between::kCommas, NullMembers::kWritten,
                                        reals);
}
std::unique_ptr<ResultSink> make_ndjson_writer(ByteSink out, WholeReals reals) {
  return std::make_unique<ObjectWriter>(std::move(out), Between::kLineEnds, NullMembers::kWritten,
                                        reals);
}
std::unique_ptr<ResultSink> make_event_writer(ByteSink out) {
  return std::make_unique<ObjectWriter>(std::move(out), Between::kLineEnds, NullMembers::kLeftOut,
                                        WholeReals::kPointed);
}
std::unique_ptr<ResultSink> make_tabular_writer(ByteSink out) {
  return std::make_unique<AnswerPump>(make_tabular_answer(temporary_space()), std::move(out));
}
std::unique_ptr<ResultSink> make_legacy_writer(ByteSink out) {
  return std::make_unique<AnswerPump>(make_legacy_answer(temporary_space()), std::move(out));
}

}  // namespace evq
