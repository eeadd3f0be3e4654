#include "apl/service/completion_values.h"

#include "apl/service/result_writer.h"
#include "apl/syntax/words.h"
#include "store/base/control.h"

namespace evq {
namespace {

constexpr std::int64_t kValuesKnownForNs = 30'000'000'000;
// Somebody waits with a finger on a key: the sample is small and its time is short.
constexpr std::uint64_t kSampleRows = 20'000;
constexpr std::uint64_t kValuesMax = 50;
constexpr std::int64_t kSampleTimeoutMs = 400;

// Takes rows of (value, count).
class CountedValues final : public ResultSink {
 public:
  Status begin(const ResultHeader& /*header*/) override { return Status::success(); }
  Status push(const Chunk& rows, std::span<const RowOrigin> /*origins*/) override {
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const std::uint64_t count = static_cast<std::uint64_t>(rows.column(1).at<std::int64_t>(row));
      repeats_ = repeats_ || count > 1;
      if (!rows.column(0).is_null(row)) {
        FieldValue value;
        append_cell_text(&value.text, rows.column(0), row);
        counts_.push_back(count);
        values_.push_back(std::move(value));
      }
    }
    return Status::success();
  }
  Status end(const QueryStatus& status) override {
    const std::uint64_t sampled = std::min(kSampleRows, status.rows_examined);
    for (std::size_t i = 0; i < values_.size() && sampled > 0; ++i) {
      const std::uint64_t percent = counts_[i] * 100 / sampled;
      values_[i].share = percent == 0 ? "<1%" : std::to_string(percent) + "%";
    }
    return Status::success();
  }
  std::vector<FieldValue> take() {
    return repeats_ || values_.size() < kValuesMax ? std::move(values_) : std::vector<FieldValue>{};
  }

 private:
  std::vector<FieldValue> values_;
  std::vector<std::uint64_t> counts_;
  bool repeats_ = false;
};

}  // namespace

const std::vector<FieldValue>& FieldValues::find(const std::string& dataset,
                                                 const std::string& field, Type type) {
  Known& known = known_[{dataset, field}];
  const std::int64_t now = monotonic_now_ns();
  const bool comparable = type == Type::kString || type == Type::kLong || type == Type::kBool;
  if (comparable && (known.found_ns == 0 || now - known.found_ns > kValuesKnownForNs)) {
    // What took too long is tried again: then more of it is in the system's cache.
    if (auto values = sample(dataset, field); values.ok()) {
      known = {now, std::move(values).value()};
    }
  }
  return known.values;
}

Result<std::vector<FieldValue>> FieldValues::sample(const std::string& dataset,
                                                    const std::string& field) {
  QueryRequest request;
  request.apl = syntax::bracket_name(dataset) + " | limit " + std::to_string(kSampleRows) +
                " | summarize count() by " + syntax::bracket_name(field) + " | top " +
                std::to_string(kValuesMax) + " by count_";
  request.timeout_ms = kSampleTimeoutMs;
  CountedValues values;
  EVQ_TRY(source_.query(request, values));
  return values.take();
}

}  // namespace evq
