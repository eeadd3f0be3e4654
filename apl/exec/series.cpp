// make-series: the bins of each group, one input row each, become arrays over the whole axis.

#include <algorithm>
#include <numeric>
#include <utility>

#include "apl/exec/executor.h"
#include "apl/exec/row_groups.h"
#include "apl/exec/whole_input.h"
#include "store/base/allocation_meter.h"
#include "store/base/limits.h"
#include "store/column/dynamic.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

struct Group {
  using Bin = std::pair<std::int64_t, std::size_t>;  // axis value, input row
  std::vector<Bin> bins;
};

class SeriesMaker {
 public:
  SeriesMaker(const plan::Series& series, const Chunk& input, std::uint64_t seed,
              MemoryLease* lease)
      : series_(series), input_(input), seed_(seed), lease_(lease) {
    for (std::size_t i = 0; i <= series.defaults.size(); ++i) {
      arrays_.emplace_back(Type::kDynamic);
    }
  }

  Result<Chunk> make() {
    EVQ_TRY(lease_->grow(input_.rows() * sizeof(Group::Bin)));
    const std::vector<std::uint32_t> first_rows = collect_groups();
    EVQ_TRY(lease_->grow(groups_.size() * RowGroups::kGroupBytes));
    for (Group& group : groups_) {
      AllocationMeter::poll();
      std::ranges::sort(group.bins);
      EVQ_TRY(add_group(group));
    }
    std::size_t rows = groups_.size();
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
  const Vector& axis() const { return input_.column(series_.group_count); }

  // Of rows with an axis value; where each group's first row is.
  std::vector<std::uint32_t> collect_groups() {
    std::vector<std::size_t> keys(series_.group_count);
    std::iota(keys.begin(), keys.end(), std::size_t{0});
    RowGroups numbers(input_, std::move(keys), seed_);
    for (std::size_t row = 0; row < input_.rows(); ++row) {
      if (axis().is_null(row)) {
        continue;
      }
      const std::size_t group = numbers.group_of(row);
      groups_.resize(numbers.size());
      groups_[group].bins.emplace_back(axis().at<std::int64_t>(row), row);
    }
    return numbers.first_rows();
  }

  // Steps from the axis' start, or the group's first bin, to its end or the group's last bin.
  Result<std::size_t> steps(const Group& group, std::int64_t* start) const {
    const bool some = !group.bins.empty();
    if (!some && (!series_.from.has_value() || !series_.to.has_value())) {
      return std::size_t{0};
    }
    *start = series_.from.has_value() ? *series_.from : group.bins.front().first;
    std::int64_t length = 0;
    const std::int64_t last = series_.to.has_value() ? *series_.to : group.bins.back().first;
    const bool overflow = __builtin_sub_overflow(last, *start, &length);
    if (!overflow && length < 0) {
      return std::size_t{0};
    }
    std::int64_t count = length / series_.step;
    // An exclusive end counts the step that holds it only when it lies inside; a last bin counts.
    count += series_.to.has_value() && length % series_.step == 0 ? 0 : 1;
    if (overflow || static_cast<std::uint64_t>(count) > kListItemsMax) {
      return make_error(
          ErrorCode::kLimit,
          "make-series would have more than " + std::to_string(kListItemsMax) + " steps",
          "give a larger step, or from and to");
    }
    return static_cast<std::size_t>(count);
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

  Status add_group(const Group& group) {
    std::int64_t start = 0;
    EVQ_TRY_ASSIGN(const std::size_t count, steps(group, &start));
    const auto at = [&](std::size_t step) {
      return start + static_cast<std::int64_t>(step) * series_.step;
    };
    for (std::size_t i = 0; i < series_.defaults.size(); ++i) {
      const Vector& values = input_.column(series_.group_count + 1 + i);
      auto bin = group.bins.begin();
      EVQ_TRY(append_array(count, &arrays_[i], [&](std::size_t step, DynamicBuilder* array) {
        if (bin != group.bins.end() && bin->first == at(step)) {
          array->add_value(values.value(bin->second));
          ++bin;
        } else {
          array->add_value(series_.defaults[i]);
        }
      }));
    }
    return append_array(count, &arrays_.back(), [&](std::size_t step, DynamicBuilder* array) {
      array->add_value(axis_value(at(step)));
    });
  }

  // An array of what add(step, array) adds for each step; null when it is too large for a value.
  template <class Add>
  Status append_array(std::size_t steps, VectorBuilder* to, const Add& add) {
    DynamicBuilder array;
    PollCounter poll;
    array.begin_array();
    for (std::size_t step = 0; step < steps && array.size() <= kStringValueBytesMax; ++step) {
      poll.add();
      add(step, &array);
    }
    array.end_array();
    if (array.size() > kStringValueBytesMax) {
      to->append_null();
      return Status::success();
    }
    EVQ_TRY(lease_->grow(array.size()));
    to->append_text(array.bytes());
    return Status::success();
  }

  const plan::Series& series_;
  const Chunk& input_;
  const std::uint64_t seed_;
  MemoryLease* lease_;
  std::vector<Group> groups_;
  std::vector<VectorBuilder> arrays_;
};

}  // namespace

Status run_series(Executor& executor, const plan::Node& node, Consumer& consumer) {
  const auto& series = std::get<plan::Series>(node.op);
  EVQ_TRY_ASSIGN(WholeInput input, collect_whole(executor, *node.inputs[0], "make-series"));
  Result<Chunk> made = Chunk();
  // For the deadline alone: the series are charged to the input's lease.
  AllocationMeter meter(nullptr, executor.options().control, "make-series");
  EVQ_TRY(meter.guard([&] {
    made = SeriesMaker(series, input.rows, executor.context().random_seed, &input.lease).make();
  }));
  if (!made.ok()) {
    return std::move(made).take_error();
  }
  return push_whole(executor, made.value(), "make-series", consumer);
}

}  // namespace evq
