#include "apl/exec/sort_ranges.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "apl/exec/eval.h"
#include "apl/exec/row_sorter.h"
#include "apl/exec/sort_numbers.h"
#include "store/column/ordering.h"

namespace evq {
namespace {

constexpr std::string_view kSortName = "sort";
// Of a sink; it takes every so many rows that between half of these and all come together, or fewer
// where memory is short.
constexpr std::size_t kSampleRowsMax = 4096;
constexpr std::size_t kSampleRowsMin = 256;
constexpr std::size_t kRangesMax = 64;

class SampleSink final : public Sink {
 public:
  SampleSink(const Executor& executor, const std::vector<plan::SortKey>& keys)
      : executor_(executor), keys_(keys), lease_(executor.options().budget, kSortName) {}

  Result<Flow> push(Chunk chunk) override {
    EVQ_TRY(executor_.check());
    bytes_ += chunk.size_bytes();
    std::vector<Vector> columns;
    for (const plan::SortKey& key : keys_) {
      columns.push_back(chunk.column(key.column));
    }
    keep_one_in(stride_, Chunk(std::move(columns), chunk.rows()), &rows_);
    while (sampled_ > kSampleRowsMax) {
      thin_to(stride_ * 2);
    }
    Status held = lease_.resize(held_bytes());
    while (!held.ok() && sampled_ > kSampleRowsMin) {
      thin_to(stride_ * 2);
      held = lease_.resize(held_bytes());
    }
    EVQ_TRY(std::move(held));
    return Flow::kMore;
  }
  // Keeps of the sample what is one in `stride` of all rows, a multiple of what it was.
  void thin_to(std::size_t stride) {
    std::vector<Chunk> parts = std::exchange(parts_, {});
    sampled_ = 0;
    std::size_t row = 0;
    for (Chunk& part : parts) {
      keep_one_in(stride / stride_, std::move(part), &row);
    }
    stride_ = stride;
  }

  std::size_t stride() const { return stride_; }
  std::size_t rows() const { return rows_; }
  std::size_t bytes() const { return bytes_; }
  std::vector<Chunk>& parts() { return parts_; }

 private:
  std::size_t held_bytes() const {
    return std::transform_reduce(parts_.begin(), parts_.end(), std::size_t{0}, std::plus(),
                                 [](const Chunk& part) { return part.size_bytes(); });
  }
  // Counts the chunk's rows on from `*number`, and adds those that `step` divides to the sample.
  void keep_one_in(std::size_t step, Chunk chunk, std::size_t* number) {
    RowList kept;
    for (std::size_t row = 0; row < chunk.rows(); ++row) {
      if ((*number)++ % step == 0) {
        kept.push_back(static_cast<std::uint32_t>(row));
      }
    }
    if (kept.empty()) {
      return;
    }
    chunk.select(kept);
    chunk.detach();
    sampled_ += chunk.rows();
    parts_.push_back(std::move(chunk));
  }

  const Executor& executor_;
  const std::vector<plan::SortKey>& keys_;
  MemoryLease lease_;
  std::size_t stride_ = 1;
  std::size_t rows_ = 0;   // of the stream
  std::size_t bytes_ = 0;  // of those
  std::vector<Chunk> parts_;
  std::size_t sampled_ = 0;  // rows of the parts
};

class SampleConsumer final : public Consumer {
 public:
  SampleConsumer(const Executor& executor, const std::vector<plan::SortKey>& keys)
      : executor_(executor), keys_(keys) {}

  Result<std::unique_ptr<Sink>> make_sink() override {
    return std::unique_ptr<Sink>(std::make_unique<SampleSink>(executor_, keys_));
  }
  Status complete(std::vector<std::unique_ptr<Sink>> sinks) override {
    std::size_t stride = 1;
    for (const auto& sink : sinks) {
      stride = std::max(stride, static_cast<SampleSink&>(*sink).stride());
    }
    const ExecOptions& options = executor_.options();
    RowSorter sorter(sample_keys(), RowSorter::kNoLimit, options.budget, options.control,
                     kSortName);
    for (const auto& one : sinks) {
      auto& sink = static_cast<SampleSink&>(*one);
      sink.thin_to(stride);
      made_.rows += sink.rows();
      made_.bytes += sink.bytes();
      for (Chunk& part : sink.parts()) {
        EVQ_TRY(sorter.add(std::move(part)));
      }
    }
    EVQ_TRY(sorter.finish());
    std::vector<Chunk> sorted;
    for (Chunk chunk = sorter.next(); !chunk.empty(); chunk = sorter.next()) {
      sorted.push_back(std::move(chunk));
    }
    if (!sorted.empty()) {
      made_.keys = concatenate(sorted);
    }
    return Status::success();
  }
  KeySample take() { return std::move(made_); }

 private:
  // Of the sample's columns.
  std::vector<plan::SortKey> sample_keys() const {
    std::vector<plan::SortKey> keys = keys_;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i].column = i;
    }
    return keys;
  }

  const Executor& executor_;
  const std::vector<plan::SortKey>& keys_;
  KeySample made_;
};

}  // namespace

Result<KeySample> sample_keys(Executor& executor, const plan::Node& node,
                              const std::vector<plan::SortKey>& keys) {
  SampleConsumer sample(executor, keys);
  EVQ_TRY(executor.run(node, sample));
  return sample.take();
}

SortRange::SortRange(const std::vector<plan::SortKey>& keys, const KeySample& sample,
                     std::optional<std::size_t> begin, std::optional<std::size_t> end)
    : keys_(&keys), sample_(&sample) {
  begin_ = bound_at(begin);
  end_ = bound_at(end);
}

std::optional<SortRange::Bound> SortRange::bound_at(std::optional<std::size_t> row) const {
  if (!row.has_value()) {
    return std::nullopt;
  }
  std::vector<std::uint64_t> number;
  sort_numbers(sample_->keys.column(0).slice(*row, 1), keys_->front().order, &number);
  return Bound{*row, number[0]};
}

bool SortRange::is_before(const Chunk& chunk, std::size_t row, std::uint64_t number,
                          const Bound& bound) const {
  if (number != bound.number) {
    return number < bound.number;
  }
  for (std::size_t i = 0; i < keys_->size(); ++i) {
    const plan::SortKey& key = (*keys_)[i];
    const int order =
        compare_rows(chunk.column(key.column), row, sample_->keys.column(i), bound.row, key.order);
    if (order != 0) {
      return order < 0;
    }
  }
  return false;
}

Chunk SortRange::keep(Chunk chunk) const {
  std::vector<std::uint64_t> numbers;
  sort_numbers(chunk.column(keys_->front().column), keys_->front().order, &numbers);
  RowList rows;
  select_rows(chunk.rows(), &rows, [&](std::size_t row) {
    return !(begin_.has_value() && is_before(chunk, row, numbers[row], *begin_)) &&
           !(end_.has_value() && !is_before(chunk, row, numbers[row], *end_));
  });
  if (rows.size() != chunk.rows()) {
    chunk.select(rows);
  }
  return chunk;
}

bool SortRange::equal_in_sample(std::size_t a, std::size_t b) const {
  return std::ranges::all_of(sample_->keys.columns(), [a, b](const Vector& column) {
    return rows_equal(column, a, column, b);
  });
}

std::optional<std::pair<SortRange, SortRange>> SortRange::halves() const {
  const std::size_t begin = begin_.has_value() ? begin_->row : 0;
  const std::size_t end = end_.has_value() ? end_->row : sample_->keys.rows();
  // The first of equal keys parts them from those before.
  const auto first_of = [&](std::size_t row) {
    while (row > begin && equal_in_sample(row - 1, row)) {
      --row;
    }
    return row;
  };
  std::size_t middle = begin < end ? first_of(begin + (end - begin) / 2) : begin;
  if (middle == begin) {
    while (middle < end && equal_in_sample(begin, middle)) {
      ++middle;
    }
  }
  if (middle <= begin || middle >= end) {
    return std::nullopt;
  }
  SortRange low = *this;
  SortRange high = *this;
  low.end_ = bound_at(middle);
  high.begin_ = low.end_;
  return std::pair(low, high);
}

std::vector<SortRange> sort_ranges(const std::vector<plan::SortKey>& keys, const KeySample& sample,
                                   std::size_t bytes_max) {
  const std::size_t wanted = std::clamp<std::size_t>(
      sample.bytes / std::max<std::size_t>(bytes_max, 1) + 1, 2, kRangesMax);
  std::vector<SortRange> ranges{SortRange(keys, sample, std::nullopt, std::nullopt)};
  while (ranges.size() < wanted) {
    std::vector<SortRange> smaller;
    for (const SortRange& range : ranges) {
      if (const auto halves = range.halves()) {
        smaller.push_back(halves->first);
        smaller.push_back(halves->second);
      } else {
        smaller.push_back(range);
      }
    }
    if (smaller.size() == ranges.size()) {
      break;
    }
    ranges = std::move(smaller);
  }
  return ranges;
}

}  // namespace evq
