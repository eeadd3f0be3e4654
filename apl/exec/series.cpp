// make-series: the bins of each group, one input row each, become arrays over the whole axis.

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "apl/exec/executor.h"
#include "apl/exec/group_table.h"
#include "apl/exec/whole_input.h"
#include "apl/functions/canonical.h"
#include "store/base/allocation_meter.h"
#include "store/base/limits.h"
#include "store/column/dynamic.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

using Bin = std::pair<std::int64_t, std::uint32_t>;  // axis value, input row
using Group = std::span<const Bin>;                  // its bins, ascending

class SeriesMaker {
 public:
  SeriesMaker(const Executor& executor, const plan::Series& series, const Chunk& input,
              MemoryLease* lease)
      : executor_(executor), series_(series), input_(input), lease_(lease) {
    for (std::size_t i = 0; i < series.defaults.size() + (series.gives_axis ? 1 : 0); ++i) {
      arrays_.emplace_back(Type::kDynamic);
    }
  }

  Result<Chunk> make() {
    EVQ_TRY(lease_->grow(input_.rows() * (sizeof(Bin) + sizeof(std::uint32_t))));
    AllocationMeter listed = executor_.meter("make-series");
    std::vector<std::uint32_t> first_rows;
    EVQ_TRY(listed.guard([&] { first_rows = collect_groups(); }));
    std::size_t rows = first_rows.size();
    PollCounter poll;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::span<Bin> bins = std::span(bins_).subspan(begins_[i], begins_[i + 1] - begins_[i]);
      poll.add(bins.size());
      std::ranges::sort(bins, [&poll](const Bin& a, const Bin& b) {
        poll.add();
        return a < b;
      });
      EVQ_TRY(add_group(bins));
    }
    std::vector<Vector> columns;
    for (std::size_t i = 0; i < series_.group_count; ++i) {
      columns.push_back(input_.column(i).gather(first_rows));
    }
    if (rows == 0 && series_.nonempty && series_.group_count == 0) {
      EVQ_TRY(add_group(Group{}));
      rows = 1;
    }
    for (VectorBuilder& array : arrays_) {
      columns.push_back(array.finish());
    }
    return Chunk(std::move(columns), rows);
  }

 private:
  // The steps of a group.
  struct Axis {
    std::int64_t start = 0;
    std::size_t count = 0;
    bool operator==(const Axis&) const = default;
  };

  const Vector& axis() const { return input_.column(series_.group_count); }

  // Fills bins_ from the rows with an axis value; where each group's first row is.
  std::vector<std::uint32_t> collect_groups() {
    std::vector<std::uint32_t> group_of = group_rows();
    std::vector<std::uint32_t> first_rows;
    std::vector<std::uint32_t> numbers;  // by group of all rows, from 1 on
    begins_.assign(1, 0);
    for (std::uint32_t row = 0; row < input_.rows(); ++row) {
      if (axis().is_null(row)) {
        continue;
      }
      if (group_of[row] >= numbers.size()) {
        numbers.resize(std::size_t{group_of[row]} + 1);
      }
      std::uint32_t& number = numbers[group_of[row]];
      if (number == 0) {
        first_rows.push_back(row);
        number = static_cast<std::uint32_t>(first_rows.size());
        begins_.push_back(0);
      }
      group_of[row] = number - 1;
      ++begins_[number];
    }
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    bins_.resize(begins_.back());
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    for (std::uint32_t row = 0; row < input_.rows(); ++row) {
      if (!axis().is_null(row)) {
        bins_[next[group_of[row]]++] = {axis().at<std::int64_t>(row), row};
      }
    }
    return first_rows;
  }

  // Numbers all rows by their keys.
  std::vector<std::uint32_t> group_rows() const {
    std::vector<std::uint32_t> group_of(input_.rows());
    if (series_.group_count == 0) {
      return group_of;
    }
    std::vector<Type> types;
    std::vector<Vector> keys;
    for (std::size_t i = 0; i < series_.group_count; ++i) {
      types.push_back(input_.column(i).type());
      keys.push_back(canonical_dynamics(input_.column(i)));
    }
    GroupTable table(types, executor_.context().random_seed);
    std::size_t charged = 0;
    for (std::size_t begin = 0; begin < input_.rows(); begin += kChunkRowsMax) {
      const std::size_t count = std::min(kChunkRowsMax, input_.rows() - begin);
      std::vector<Vector> some(keys.size());
      std::ranges::transform(keys, some.begin(),
                             [&](const Vector& key) { return key.slice(begin, count); });
      table.assign(some, count, begin, group_of.data() + begin);
      AllocationMeter::charge(table.size_bytes() - charged);
      charged = table.size_bytes();
      AllocationMeter::poll();
    }
    return group_of;
  }

  // Steps from the axis' start, or the group's first bin, to its end or the group's last bin.
  Result<std::size_t> steps(Group group, std::int64_t* start) const {
    const bool some = !group.empty();
    if (!some && (!series_.from.has_value() || !series_.to.has_value())) {
      return std::size_t{0};
    }
    *start = series_.from.has_value() ? *series_.from : group.front().first;
    const std::int64_t last = series_.to.has_value() ? *series_.to : group.back().first;
    if (last < *start) {
      return std::size_t{0};
    }
    // Unsigned, since the two may lie further apart than the largest long.
    const std::uint64_t length =
        static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(*start);
    const auto step = static_cast<std::uint64_t>(series_.step);
    // An exclusive end counts the step that holds it only when it lies inside; a last bin counts.
    const std::uint64_t last_step = series_.to.has_value() && length % step == 0 ? 0 : 1;
    const std::uint64_t before_last = length / step;
    if (before_last > kListItemsMax - last_step) {
      return make_error(
          ErrorCode::kLimit,
          "make-series would have more than " + std::to_string(kListItemsMax) + " steps",
          "give a larger step, or from and to");
    }
    return std::size_t{before_last + last_step};
  }

  std::int64_t at(std::int64_t start, std::size_t step) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(start) +
                                     step * static_cast<std::uint64_t>(series_.step));
  }

  Value axis_value(std::int64_t at) const {
    switch (series_.axis_type) {
      case Type::kDatetime:
        return Value::datetime(at);
      case Type::kTimespan:
        return Value::timespan(at);
      case Type::kReal:
        return Value::real(series_.real_origin + static_cast<double>(at) * series_.real_step);
      case Type::kNull:
      case Type::kBool:
      case Type::kLong:
      case Type::kString:
      case Type::kDynamic:
        break;
    }
    return Value::integer(at);
  }

  Status add_group(Group group) {
    std::int64_t start = 0;
    EVQ_TRY_ASSIGN(const std::size_t count, steps(group, &start));
    for (std::size_t i = 0; i < series_.defaults.size(); ++i) {
      const Vector& values = input_.column(series_.group_count + 1 + i);
      auto bin = group.begin();
      const auto add = [&](std::size_t step, DynamicBuilder* array) {
        if (bin != group.end() && bin->first == at(start, step)) {
          array->add_value(values.value(bin->second));
          ++bin;
        } else {
          array->add_value(series_.defaults[i]);
        }
      };
      EVQ_TRY(append_array(count, &array_, &arrays_[i], add));
    }
    return series_.gives_axis ? append_axis(start, count) : Status::success();
  }

  // Most groups have the steps of the one before, all of them where both ends are given.
  Status append_axis(std::int64_t start, std::size_t count) {
    const Axis axis{start, count};
    if (axis_ == axis) {
      return append_made(axis_array_.bytes(), &arrays_.back());
    }
    axis_ = axis;
    return append_array(count, &axis_array_, &arrays_.back(),
                        [&](std::size_t step, DynamicBuilder* array) {
                          array->add_value(axis_value(at(start, step)));
                        });
  }

  // An array of what add(step, array) adds for each step.
  template <class Add>
  Status append_array(std::size_t steps, DynamicBuilder* array, VectorBuilder* to, const Add& add) {
    PollCounter poll;
    array->clear();
    array->begin_array();
    for (std::size_t step = 0; step < steps && array->size() <= kStringValueBytesMax; ++step) {
      poll.add();
      add(step, array);
    }
    array->end_array();
    return append_made(array->bytes(), to);
  }

  // Null in the place of an array that is too large for a value.
  Status append_made(std::string_view array, VectorBuilder* to) {
    if (array.size() > kStringValueBytesMax) {
      to->append_null();
      return Status::success();
    }
    EVQ_TRY(lease_->grow(array.size()));
    to->append_text(array);
    return Status::success();
  }

  const Executor& executor_;
  const plan::Series& series_;
  const Chunk& input_;
  MemoryLease* lease_;
  std::vector<Bin> bins_;            // of the first group, then of the next
  std::vector<std::size_t> begins_;  // by group, and the end
  std::vector<VectorBuilder> arrays_;
  DynamicBuilder array_;       // the one that is being made
  std::optional<Axis> axis_;   // of the group before
  DynamicBuilder axis_array_;  // its array
};

}  // namespace

Status run_series(Executor& executor, const plan::Node& node, Consumer& consumer) {
  const auto& series = std::get<plan::Series>(node.op);
  EVQ_TRY_ASSIGN(WholeInput input, collect_whole(executor, *node.inputs[0], "make-series"));
  Result<Chunk> made = Chunk();
  // For the deadline alone: the series are charged to the input's lease.
  AllocationMeter meter(nullptr, executor.options().control, "make-series");
  EVQ_TRY(
      meter.guard([&] { made = SeriesMaker(executor, series, input.rows, &input.lease).make(); }));
  if (!made.ok()) {
    return std::move(made).take_error();
  }
  return push_whole(executor, made.value(), "make-series", consumer);
}

}  // namespace evq
