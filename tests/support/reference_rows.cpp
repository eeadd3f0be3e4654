#include "tests/support/reference_rows.h"

#include <algorithm>
#include <map>
#include <utility>

#include "store/base/limits.h"
#include "store/column/dynamic.h"
#include "store/column/ordering.h"

namespace evq {
namespace {

Value of_type(Type type, std::int64_t number) {
  return type == Type::kDatetime   ? Value::datetime(number)
         : type == Type::kTimespan ? Value::timespan(number)
                                   : Value::integer(number);
}

bool same(const Value& a, const Value& b) {
  return a.is_null() == b.is_null() && (a.is_null() || compare_values(a, b) == 0);
}

Value element(DynamicView value) {
  return value.is_null() ? Value::null(Type::kDynamic) : Value::dynamic(std::string(value.bytes()));
}

// The rows that one cell makes: one for null and scalars, one an element of arrays and bags.
std::vector<Value> elements(const Value& cell, bool bag_as_array) {
  if (cell.is_null()) {
    return {cell};
  }
  const DynamicView value(cell.as_text());
  if (!value.is_array() && !value.is_bag()) {
    return {cell};
  }
  std::vector<Value> made;
  DynamicView::Iterator each(value);
  while (each.next()) {
    if (value.is_array()) {
      made.push_back(element(each.value()));
      continue;
    }
    DynamicBuilder pair;
    if (bag_as_array) {
      pair.begin_array();
      pair.add_string(each.key());
      pair.add_encoded(each.value());
      pair.end_array();
    } else {
      pair.begin_bag();
      pair.key(each.key());
      pair.add_encoded(each.value());
      pair.end_bag();
    }
    made.push_back(Value::dynamic(pair.take()));
  }
  return made;
}

// What one call gives for each row, knowing the rows before it.
class WindowTwin {
 public:
  WindowTwin(const plan::WindowCall& call, const std::vector<ReferenceRow>& rows)
      : call_(call), rows_(rows) {}

  Value at(std::size_t row) {
    const bool restart = call_.restart.has_value() && !rows_[row][*call_.restart].is_null() &&
                         rows_[row][*call_.restart].as_bool();
    if (restart) {
      first_ = row;
    }
    switch (call_.kind) {
      case WindowKind::kRowNumber:
        return number_of(row);
      case WindowKind::kRowCumsum:
        return sum_to(row);
      case WindowKind::kRowRankDense:
      case WindowKind::kRowRankMin:
        return rank_of(row);
      case WindowKind::kPrev:
        return shifted(row, -call_.offset);
      case WindowKind::kNext:
        return shifted(row, call_.offset);
      case WindowKind::kNear:
        return near(row);
      case WindowKind::kRowWindowSession:
        break;
    }
    return session_of(row, restart);
  }

 private:
  const Value& argument(std::size_t row) const { return rows_[row][call_.args[0]]; }

  Value number_of(std::size_t row) const {
    std::int64_t number = 0;
    const auto rows_before = static_cast<std::int64_t>(row - first_);
    const bool overflow = __builtin_add_overflow(call_.offset, rows_before, &number);
    return overflow ? Value::null(Type::kLong) : Value::integer(number);
  }

  Value sum_to(std::size_t row) const {
    double reals = 0;
    std::int64_t integers = 0;
    bool overflow = false;
    for (std::size_t i = first_; i <= row; ++i) {
      if (argument(i).is_null()) {
        continue;
      }
      if (call_.type == Type::kReal) {
        reals += argument(i).as_real();
      } else {
        overflow =
            __builtin_add_overflow(integers, argument(i).as_integer(), &integers) || overflow;
      }
    }
    if (call_.type == Type::kReal) {
      return Value::real(reals);
    }
    return overflow ? Value::null(call_.type) : of_type(call_.type, integers);
  }

  // Dense: how many different runs so far; min: the place of the run's first row.
  Value rank_of(std::size_t row) const {
    std::int64_t runs = 0;
    std::int64_t start = 0;
    for (std::size_t i = first_; i <= row; ++i) {
      if (i == first_ || !same(argument(i), argument(i - 1))) {
        ++runs;
        start = static_cast<std::int64_t>(i - first_) + 1;
      }
    }
    return Value::integer(call_.kind == WindowKind::kRowRankDense ? runs : start);
  }

  Value near(std::size_t row) const {
    bool found = false;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto distance = static_cast<std::int64_t>(i) - static_cast<std::int64_t>(row);
      found = found || (distance <= call_.offset && -distance <= call_.behind &&
                        !argument(i).is_null() && argument(i).as_bool());
    }
    return Value::boolean(found);
  }

  Value shifted(std::size_t row, std::int64_t distance) const {
    const std::int64_t from = static_cast<std::int64_t>(row) + distance;
    return from < 0 || from >= static_cast<std::int64_t>(rows_.size())
               ? call_.fallback
               : argument(static_cast<std::size_t>(from));
  }

  Value session_of(std::size_t row, bool restart) {
    in_session_ = in_session_ && !restart;
    if (argument(row).is_null()) {
      in_session_ = false;
      return Value::null(Type::kDatetime);
    }
    const std::int64_t time = argument(row).as_integer();
    if (!in_session_ || time - session_ >= call_.max_distance_first ||
        time - last_ >= call_.max_distance_between) {
      session_ = time;
    }
    in_session_ = true;
    last_ = time;
    return Value::datetime(session_);
  }

  const plan::WindowCall& call_;
  const std::vector<ReferenceRow>& rows_;
  std::size_t first_ = 0;  // row of the last restart
  bool in_session_ = false;
  std::int64_t session_ = 0;  // where it began
  std::int64_t last_ = 0;
};

}  // namespace

std::vector<ReferenceRow> reference_sequence(const plan::Sequence& sequence) {
  std::vector<ReferenceRow> rows;
  const Type type = sequence.start.type();
  for (std::uint64_t i = 0; i < sequence.count; ++i) {
    rows.push_back(
        {type == Type::kReal
             ? Value::real(sequence.start.as_real() +
                           static_cast<double>(i) * sequence.step.as_real())
             : of_type(type, sequence.start.as_integer() +
                                 static_cast<std::int64_t>(i) * sequence.step.as_integer())});
  }
  return rows;
}

Status reference_unnest(const plan::Unnest& unnest, const ReferenceRow& row,
                        const std::function<Status(ReferenceRow)>& push) {
  std::vector<std::vector<Value>> lists;
  std::size_t count = 0;
  for (const plan::UnnestColumn& column : unnest.columns) {
    lists.push_back(elements(row[column.column], column.bag_as_array));
    count = std::max(count, lists.back().size());
  }
  if (unnest.row_limit.has_value()) {
    count = static_cast<std::size_t>(std::min<std::uint64_t>(count, *unnest.row_limit));
  }
  // Without the lists, which may be long: a text that takes their place would keep their memory.
  ReferenceRow rest = row;
  for (const plan::UnnestColumn& column : unnest.columns) {
    Value list = Value::null(Type::kDynamic);
    std::swap(rest[column.column], list);
  }
  for (std::size_t i = 0; i < count; ++i) {
    ReferenceRow copy = rest;
    for (std::size_t j = 0; j < lists.size(); ++j) {
      copy[unnest.columns[j].column] =
          i < lists[j].size() ? lists[j][i] : Value::null(Type::kDynamic);
    }
    if (unnest.item_index) {
      copy.push_back(Value::integer(static_cast<std::int64_t>(i)));
    }
    EVQ_TRY(push(std::move(copy)));
  }
  return Status::success();
}

std::vector<ReferenceRow> reference_window(const plan::Window& window,
                                           std::vector<ReferenceRow> rows) {
  const std::vector<ReferenceRow> input = rows;
  for (const plan::WindowCall& call : window.calls) {
    WindowTwin twin(call, input);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      rows[row].push_back(twin.at(row));
    }
  }
  return rows;
}

Result<std::vector<ReferenceRow>> reference_series(const plan::Series& series,
                                                   const std::vector<ReferenceRow>& rows) {
  struct Group {
    ReferenceRow key;
    std::map<std::int64_t, const ReferenceRow*> bins;
  };
  std::vector<Group> groups;
  for (const ReferenceRow& row : rows) {
    if (row[series.group_count].is_null()) {
      continue;
    }
    const auto end = row.begin() + static_cast<std::ptrdiff_t>(series.group_count);
    auto at = std::ranges::find_if(groups, [&](const Group& group) {
      return std::equal(row.begin(), end, group.key.begin(), same);
    });
    if (at == groups.end()) {
      groups.push_back({ReferenceRow(row.begin(), end), {}});
      at = groups.end() - 1;
    }
    at->bins[row[series.group_count].as_integer()] = &row;
  }
  if (groups.empty() && series.nonempty && series.group_count == 0) {
    groups.emplace_back();
  }
  std::vector<ReferenceRow> output;
  for (const Group& group : groups) {
    std::vector<DynamicBuilder> arrays(series.defaults.size() + 1);
    for (DynamicBuilder& array : arrays) {
      array.begin_array();
    }
    const bool bounded = series.from.has_value() && series.to.has_value();
    std::int64_t at = series.from.value_or(group.bins.empty() ? 0 : group.bins.begin()->first);
    const auto is_within = [&](std::int64_t step) {
      return series.to.has_value() ? step < *series.to : step <= group.bins.rbegin()->first;
    };
    std::size_t steps = 0;
    for (bool more = bounded || !group.bins.empty(); more && is_within(at);
         more = !__builtin_add_overflow(at, series.step, &at)) {
      if (++steps > kListItemsMax) {
        return make_error(ErrorCode::kLimit, "make-series would have more than 1048576 steps");
      }
      const auto bin = group.bins.find(at);
      for (std::size_t i = 0; i < series.defaults.size(); ++i) {
        arrays[i].add_value(bin == group.bins.end() ? series.defaults[i]
                                                    : (*bin->second)[series.group_count + 1 + i]);
      }
      arrays.back().add_value(
          series.axis_type == Type::kReal
              ? Value::real(series.real_origin + static_cast<double>(at) * series.real_step)
              : of_type(series.axis_type, at));
    }
    arrays.resize(arrays.size() - (series.gives_axis ? 0 : 1));
    ReferenceRow row = group.key;
    for (DynamicBuilder& array : arrays) {
      array.end_array();
      row.push_back(array.size() > kStringValueBytesMax ? Value::null(Type::kDynamic)
                                                        : Value::dynamic(array.take()));
    }
    output.push_back(std::move(row));
  }
  return output;
}

}  // namespace evq
