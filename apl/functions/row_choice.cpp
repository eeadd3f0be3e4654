#include "apl/functions/row_choice.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "apl/functions/aggregate_binding.h"
#include "apl/functions/aggregate_rows.h"
#include "store/base/ordered_bits.h"
#include "store/column/physical.h"

namespace evq {
namespace {

// Fewer are not looked at again.
constexpr std::size_t kEqualRowsMin = 4096;

}  // namespace

void RowChoice::resize(std::size_t groups) {
  if (groups > best_.size()) {
    best_.resize(groups);
  }
}

template <class T>
std::uint64_t RowChoice::number_of(T value) const {
  using Number = std::conditional_t<std::is_same_v<T, double>, double, std::int64_t>;
  const std::uint64_t number = ordered_bits(static_cast<Number>(value));
  return sign_ > 0 ? number : ~number;
}

std::int64_t RowChoice::value_of(const Row& row) const {
  const std::uint64_t number = sign_ > 0 ? row.number : ~row.number;
  return type_ == Type::kReal ? std::bit_cast<std::int64_t>(real_of_ordered_bits(number))
                              : long_of_ordered_bits(number);
}

void RowChoice::add(const EvalContext& /*context*/, std::span<const Vector> args,
                    const std::uint32_t* groups, std::size_t rows) {
  if (rows == 0) {
    return;
  }
  with_physical(type_, [&](auto zero) {
    if constexpr (!std::is_same_v<decltype(zero), std::string_view>) {
      add_values<decltype(zero)>(args[0], args[1], groups, rows);
    }
  });
  if (equal_.size() > equal_max_) {
    drop_beaten();
    equal_max_ = std::max(2 * equal_.size(), kEqualRowsMin);
  }
}

template <class T>
void RowChoice::add_values(const Vector& values, const Vector& places, const std::uint32_t* groups,
                           std::size_t rows) {
  const T* const data = values.values().data<T>();
  const auto offer_row = [&](std::size_t row, std::uint64_t number, std::int64_t tag) {
    offer(groups == nullptr ? 0 : groups[row], {number, places.at<std::int64_t>(row) | tag});
  };
  visiting::visit_shapes(values, rows, [&](std::size_t row, std::size_t slot) {
    if constexpr (std::is_same_v<T, double>) {
      if (std::isnan(data[slot])) {
        offer_row(row, 0, kMissing);
        return;
      }
    }
    offer_row(row, number_of(data[slot]), 0);
  });
  for (std::size_t row = 0; values.may_have_nulls() && row < rows; ++row) {
    if (values.is_null(row)) {
      offer_row(row, 0, kMissing);
    }
  }
}

void RowChoice::offer_equal(std::size_t group, const Row& row) {
  Row& best = best_[group];
  if (best.tagged == kNone || (!is_tie(row, best) && (best.tagged & kMissing) != 0)) {
    best = row;
  } else if (is_tie(row, best)) {
    equal_.push_back({static_cast<std::uint32_t>(group), row});
  }
}

void RowChoice::drop_beaten() {
  std::erase_if(equal_, [&](const Equal& equal) { return !is_tie(equal.row, best_[equal.group]); });
}

void RowChoice::settle() {
  drop_beaten();
  std::ranges::stable_sort(equal_, {}, &Equal::group);
}

void RowChoice::merge(const AggregateState& other, std::span<const GroupPair> pairs) {
  const auto& from = static_cast<const RowChoice&>(other);
  for (const GroupPair pair : pairs) {
    if (from.best_[pair.from].tagged == kNone) {
      continue;
    }
    offer(pair.to, from.best_[pair.from]);
    if (from.equal_.empty()) {
      continue;
    }
    const auto [begin, end] =
        std::equal_range(from.equal_.begin(), from.equal_.end(), Equal{pair.from, {}},
                         [](const Equal& a, const Equal& b) { return a.group < b.group; });
    std::for_each(begin, end, [&](const Equal& equal) { offer(pair.to, equal.row); });
  }
}

std::vector<RowChoice::Tied> RowChoice::ties() {
  settle();
  std::vector<Tied> tied;
  tied.reserve(2 * equal_.size());
  for (const Equal& equal : equal_) {
    if (tied.empty() || tied.back().group != equal.group) {
      tied.push_back({equal.group, best_[equal.group].tagged & ~kMissing});
    }
    tied.push_back({equal.group, equal.row.tagged & ~kMissing});
  }
  return tied;
}

void RowChoice::choose(const Tied& row) {
  std::int64_t& tagged = best_[row.group].tagged;
  tagged = row.row | (tagged & kMissing);
}

std::vector<Vector> RowChoice::finish(const EvalContext& /*context*/, std::size_t begin,
                                      std::size_t count) const {
  const std::shared_ptr<Values> values = Values::make(type_, count);
  const std::shared_ptr<Values> places = Values::make(Type::kLong, count);
  for (std::size_t i = 0; i < count; ++i) {
    const Row& row = best_[begin + i];
    places->mutable_data<std::int64_t>()[i] = row.tagged & ~kMissing;
    if (type_ == Type::kBool) {
      values->mutable_data<std::uint8_t>()[i] = value_of(row) != 0 ? 1 : 0;
    } else {
      values->mutable_data<std::int64_t>()[i] = value_of(row);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if ((best_[begin + i].tagged & kMissing) != 0) {  // as it is of none
      values->set_null(i);
    }
    if (best_[begin + i].tagged == kNone) {
      places->set_null(i);
    }
  }
  return {Vector::flat(values), Vector::flat(places)};
}

std::size_t RowChoice::size_bytes() const {
  return best_.capacity() * sizeof(Row) + equal_.capacity() * sizeof(Equal);
}

bool has_row_choice(Type value) {
  const Physical physical = physical_of(value);
  return physical == Physical::kByte || physical == Physical::kInt64 ||
         physical == Physical::kDouble;
}

BoundAggregateCall row_choice_call(Type value, int sign) {
  BoundAggregateCall call;
  call.arguments = {value, Type::kLong};
  call.results = call.arguments;
  call.result_suffixes.resize(call.results.size());
  call.aggregate = make_aggregate<RowChoice>(value, sign);
  return call;
}

}  // namespace evq
