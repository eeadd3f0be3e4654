// make-series: the bins of each group, one input row each, become arrays over the whole axis.

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "apl/exec/executor.h"
#include "apl/exec/whole_input.h"
#include "store/base/limits.h"
#include "store/column/dynamic.h"
#include "store/column/ordering.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

constexpr std::uint64_t kSeriesSeed = 0x736572696573ULL;
// What a number takes in an array, about.
constexpr std::size_t kStepBytes = 9;

struct Group {
  std::size_t first_row = 0;
  std::vector<std::pair<std::int64_t, std::size_t>> bins;  // axis value, input row
};

class SeriesMaker {
 public:
  SeriesMaker(const plan::Series& series, const Chunk& input, MemoryLease* lease)
      : series_(series), input_(input), lease_(lease) {
    for (std::size_t i = 0; i <= series.defaults.size(); ++i) {
      arrays_.emplace_back(Type::kDynamic);
    }
  }

  Result<Chunk> make() {
    collect_groups();
    std::vector<std::uint32_t> first_rows;
    for (Group& group : groups_) {
      std::ranges::sort(group.bins);
      EVQ_TRY(add_group(group));
      first_rows.push_back(static_cast<std::uint32_t>(group.first_row));
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

  bool same_group(std::size_t a, std::size_t b) const {
    for (std::size_t i = 0; i < series_.group_count; ++i) {
      if (!rows_equal(input_.column(i), a, input_.column(i), b)) {
        return false;
      }
    }
    return true;
  }

  void collect_groups() {
    std::unordered_multimap<std::uint64_t, std::size_t> known;
    for (std::size_t row = 0; row < input_.rows(); ++row) {
      if (axis().is_null(row)) {
        continue;
      }
      std::uint64_t hash = kSeriesSeed;
      for (std::size_t i = 0; i < series_.group_count; ++i) {
        hash = hash_row(input_.column(i), row, hash);
      }
      std::size_t found = groups_.size();
      for (auto [at, end] = known.equal_range(hash); at != end; ++at) {
        if (same_group(groups_[at->second].first_row, row)) {
          found = at->second;
          break;
        }
      }
      if (found == groups_.size()) {
        known.emplace(hash, found);
        groups_.push_back({row, {}});
      }
      groups_[found].bins.emplace_back(axis().at<std::int64_t>(row), row);
    }
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
    EVQ_TRY(lease_->grow(count * kStepBytes * (series_.defaults.size() + 1)));
    const auto at = [&](std::size_t step) {
      return start + static_cast<std::int64_t>(step) * series_.step;
    };
    for (std::size_t i = 0; i < series_.defaults.size(); ++i) {
      const Vector& values = input_.column(series_.group_count + 1 + i);
      DynamicBuilder array;
      array.begin_array();
      auto bin = group.bins.begin();
      for (std::size_t step = 0; step < count; ++step) {
        if (bin != group.bins.end() && bin->first == at(step)) {
          array.add_value(values.value(bin->second));
          ++bin;
        } else {
          array.add_value(series_.defaults[i]);
        }
      }
      array.end_array();
      arrays_[i].append_text(array.bytes());
    }
    DynamicBuilder points;
    points.begin_array();
    for (std::size_t step = 0; step < count; ++step) {
      points.add_value(axis_value(at(step)));
    }
    points.end_array();
    arrays_.back().append_text(points.bytes());
    return Status::success();
  }

  const plan::Series& series_;
  const Chunk& input_;
  MemoryLease* lease_;
  std::vector<Group> groups_;
  std::vector<VectorBuilder> arrays_;
};

}  // namespace

Status run_series(Executor& executor, const plan::Node& node, Consumer& consumer) {
  const auto& series = std::get<plan::Series>(node.op);
  EVQ_TRY_ASSIGN(WholeInput input, collect_whole(executor, *node.inputs[0], "make-series"));
  EVQ_TRY_ASSIGN(const Chunk made, SeriesMaker(series, input.rows, &input.lease).make());
  return push_all(cut_chunks(made), consumer);
}

}  // namespace evq
