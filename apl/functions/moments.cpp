#include "apl/functions/moments.h"

#include <algorithm>
#include <bit>

#include "apl/functions/aggregate_rows.h"

namespace evq {
namespace {

// Other binades are chosen when more than every second row lies beside them, and not before as many
// do as pay for moving each group's sums to its rest.
constexpr std::uint64_t kRowsBesidePerGroup = 8;

template <bool kIsWhole>
const auto* data_of(const Values& values) {
  if constexpr (kIsWhole) {
    return values.data<std::int64_t>();
  } else {
    return values.data<double>();
  }
}

// As one of MomentStates' values.
std::uint64_t bits_of(std::int64_t whole) {
  return static_cast<std::uint64_t>(whole);
}
std::uint64_t bits_of(double real) {
  return std::bit_cast<std::uint64_t>(real);
}

// visit(group, values, times) for the rows without nulls.
template <unsigned kWhole, class Visit>
void visit_values(const std::array<Vector, 1>& inputs, const std::uint32_t* groups,
                  std::size_t rows, const Visit& visit) {
  const auto* data = data_of<kWhole == 1>(inputs[0].values());
  visit_counted(inputs[0], groups, rows,
                [&](std::size_t group, std::size_t slot, std::size_t times) {
                  visit(group, std::array{bits_of(data[slot])}, times);
                });
}

template <unsigned kWhole, class Visit>
void visit_values(const std::array<Vector, 2>& inputs, const std::uint32_t* groups,
                  std::size_t rows, const Visit& visit) {
  const Vector x = inputs[0].flatten();
  const Vector y = inputs[1].flatten();
  const bool nulls = y.values().has_nulls();
  const auto* x_data = data_of<(kWhole & 1) != 0>(x.values());
  const auto* y_data = data_of<(kWhole & 2) != 0>(y.values());
  visiting::visit_shapes(x, rows, [&](std::size_t row, std::size_t) {
    if (!nulls || !y.values().is_null(row)) {
      const std::size_t group = groups == nullptr ? 0 : groups[row];
      visit(group, std::array{bits_of(x_data[row]), bits_of(y_data[row])}, std::size_t{1});
    }
  });
}

// A whole number of 64 bits as the double that is nearest, and what that leaves of it.
DoublePair pair_of_whole(std::uint64_t bits) {
  const auto whole = static_cast<std::int64_t>(bits);
  const auto high = static_cast<double>(whole);
  return {high, static_cast<double>(static_cast<Int128>(whole) - static_cast<Int128>(high))};
}

}  // namespace

template <std::size_t kInputs, unsigned kWhole>
auto MomentStates<kInputs, kWhole>::Group::rest_of_it() -> Rest& {
  if (rest == nullptr) {
    rest = std::make_unique<Rest>();
  }
  return *rest;
}

template <std::size_t kInputs, unsigned kWhole>
std::size_t MomentStates<kInputs, kWhole>::Group::size_bytes() const {
  if (rest == nullptr) {
    return 0;
  }
  std::size_t bytes = sizeof(Rest) + rest->products.size_bytes();
  for (const RealSum& sum : rest->sums) {
    bytes += sum.size_bytes();
  }
  return bytes;
}

template <std::size_t kInputs, unsigned kWhole>
void MomentStates<kInputs, kWhole>::resize(std::size_t groups) {
  groups_.resize(std::max(groups, groups_.size()));
}

template <std::size_t kInputs, unsigned kWhole>
bool MomentStates<kInputs, kWhole>::add_whole_values(const Values& values, std::uint64_t times,
                                                     Group* group) const {
  std::array<std::uint64_t, kInputs> magnitudes;
  std::array<bool, kInputs> negative;
  for (std::size_t i = 0; i < kInputs; ++i) {
    negative[i] = static_cast<std::int64_t>(values[i]) < 0;  // the sign of a real, too
    if (is_whole(i)) {
      magnitudes[i] = negative[i] ? 0 - values[i] : values[i];
    } else if (const auto value = std::bit_cast<double>(values[i]); binades_[i].holds(value)) {
      magnitudes[i] = binades_[i].magnitude(value);
    } else {
      return false;
    }
  }
  for (std::size_t i = 0; i < kInputs; ++i) {
    const auto sum = static_cast<Int128>(static_cast<Uint128>(magnitudes[i]) * times);
    group->sums[i] += negative[i] ? -sum : sum;
  }
  const Uint128 product = static_cast<Uint128>(magnitudes.front()) * magnitudes.back();
  const bool below = negative.front() != negative.back();
  if (times == 1) {
    group->products.add(product, below);
  } else {
    group->products.add(product, below, times);
  }
  return true;
}

template <std::size_t kInputs, unsigned kWhole>
void MomentStates<kInputs, kWhole>::add_rest(const Values& values, std::uint64_t times,
                                             Rest* rest) {
  std::array<DoublePair, kInputs> pairs;
  for (std::size_t i = 0; i < kInputs; ++i) {
    pairs[i] =
        is_whole(i) ? pair_of_whole(values[i]) : DoublePair{std::bit_cast<double>(values[i]), 0};
    rest->sums[i].add_times(pairs[i].high, times);
    if (pairs[i].low != 0) {
      rest->sums[i].add_times(pairs[i].low, times);
    }
  }
  const DoublePair& x = pairs.front();
  const DoublePair& y = pairs.back();
  rest->products.add_times(exact_product(x.high, y.high), times);
  if (x.low != 0) {
    rest->products.add_times(exact_product(x.low, y.high), times);
  }
  if (y.low != 0) {
    rest->products.add_times(exact_product(x.high, y.low), times);
    rest->products.add_times(exact_product(x.low, y.low), times);
  }
}

template <std::size_t kInputs, unsigned kWhole>
void MomentStates<kInputs, kWhole>::Rest::add(const Rest& other) {
  for (std::size_t i = 0; i < kInputs; ++i) {
    sums[i].add(other.sums[i]);
  }
  products.add(other.products);
}

// Adds the group's sums in units of the binades to `rest`.
template <std::size_t kInputs, unsigned kWhole>
void MomentStates<kInputs, kWhole>::settle(const Group& group, Rest* rest) const {
  for (std::size_t i = 0; i < kInputs; ++i) {
    add_whole(&rest->sums[i], group.sums[i], unit_of(i));
  }
  group.products.add_to(&rest->products, unit_of(0) + unit_of(kInputs - 1));
}

template <std::size_t kInputs, unsigned kWhole>
void MomentStates<kInputs, kWhole>::choose_binades(const Inputs& inputs, std::size_t rows) {
  const bool first = rows_ == 0;
  const bool miss = rows_beside_ > rows_ / 2 && rows_beside_ > groups_.size() * kRowsBesidePerGroup;
  if (!first && !miss) {
    return;
  }
  std::array<Binades, kInputs> chosen;
  for (std::size_t i = 0; i < kInputs; ++i) {
    if (!is_whole(i)) {
      chosen[i] = Binades::of_most(inputs[i], rows);
    }
  }
  if (!first && chosen != binades_) {
    for (Group& group : groups_) {
      if (group.count > 0) {
        settle(group, &group.rest_of_it());
        group.sums = {};
        group.products = {};
      }
    }
    meter_.measure(groups_);
  }
  binades_ = chosen;
  rows_ = 0;
  rows_beside_ = 0;
}

template <std::size_t kInputs, unsigned kWhole>
void MomentStates<kInputs, kWhole>::add(const Inputs& inputs, const std::uint32_t* groups,
                                        std::size_t rows) {
  choose_binades(inputs, rows);
  std::size_t beside = 0;
  visit_values<kWhole>(inputs, groups, rows,
                       [&](std::size_t to, const Values& values, std::size_t times) {
                         Group& group = groups_[to];
                         group.count += times;
                         if (!add_whole_values(values, times, &group)) [[unlikely]] {
                           add_rest(values, times, &group.rest_of_it());
                           beside += times;
                         }
                       });
  rows_ += rows;
  rows_beside_ += beside;
  meter_.note_rows(beside, groups_);
}

template <std::size_t kInputs, unsigned kWhole>
void MomentStates<kInputs, kWhole>::merge(const MomentStates& other,
                                          std::span<const GroupPair> pairs) {
  if (rows_ == 0) {
    binades_ = other.binades_;
    rows_ = other.rows_;
  }
  const bool alike = binades_ == other.binades_;
  for (const GroupPair pair : pairs) {
    Group& to = groups_[pair.to];
    const Group& from = other.groups_[pair.from];
    to.count += from.count;
    if (alike) {
      for (std::size_t i = 0; i < kInputs; ++i) {
        to.sums[i] += from.sums[i];
      }
      to.products.add(from.products);
    } else if (from.count > 0) {
      other.settle(from, &to.rest_of_it());
    }
    if (from.rest != nullptr) {
      to.rest_of_it().add(*from.rest);
    }
  }
  meter_.measure(groups_);
}

template <std::size_t kInputs, unsigned kWhole>
double MomentStates<kInputs, kWhole>::co_moment(std::size_t group) const {
  const Group& it = groups_[group];
  Rest total;
  settle(it, &total);
  if (it.rest != nullptr) {
    total.add(*it.rest);
  }
  return evq::co_moment(total.products, total.sums.front(), total.sums.back(),
                        static_cast<double>(it.count));
}

template class MomentStates<1, 0>;
template class MomentStates<1, 1>;
template class MomentStates<2, 0>;
template class MomentStates<2, 1>;
template class MomentStates<2, 3>;

}  // namespace evq
