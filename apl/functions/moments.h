#pragma once
// Moments: what stdev, variance and covariance keep of a group, the exact sums of its values and of
// their products. Neither the order in which values come nor how they are shared out among states
// that are merged shows in a result.

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "apl/functions/aggregate_function.h"
#include "apl/functions/binades.h"
#include "apl/functions/exact_sum.h"
#include "apl/functions/size_meter.h"
#include "store/base/large_pages.h"
#include "store/column/vector.h"

namespace evq {

// The moments of one input with itself (variance) or of two (covariance), by group. One worker's.
// Bit i of `kWhole` says that input i is of 64-bit whole numbers, not of reals.
template <std::size_t kInputs, unsigned kWhole = 0>
class MomentStates {
 public:
  using Inputs = std::array<Vector, kInputs>;

  void resize(std::size_t groups);
  // Adds the rows without nulls to their groups; row i belongs to groups[i], or all to the first
  // when `groups` is null. At most kChunkRowsMax rows, at least one.
  void add(const Inputs& inputs, const std::uint32_t* groups, std::size_t rows);
  void merge(const MomentStates& other, std::span<const GroupPair> pairs);

  std::uint64_t count(std::size_t group) const { return groups_[group].count; }
  // The sum of (x - mean of x) * (y - mean of y), as co_moment() says.
  double co_moment(std::size_t group) const;
  std::size_t size_bytes() const { return meter_.bytes(groups_); }

 private:
  // Exact sums of the values that the binades do not hold; most groups have none.
  struct Rest {
    std::array<RealSum, kInputs> sums;
    ProductSum products;

    void add(const Rest& other);
  };
  struct Group {
    std::uint64_t count = 0;
    std::unique_ptr<Rest> rest;
    std::array<Int128, kInputs> sums{};  // in units of the binades
    WholeSum products;

    Rest& rest_of_it();
    std::size_t size_bytes() const;
  };
  // The inputs of a row: whole numbers, or the bits of reals.
  using Values = std::array<std::uint64_t, kInputs>;

  static constexpr bool is_whole(std::size_t input) { return (kWhole >> input & 1) != 0; }

  // Adds a row `times` times; false, with nothing added, when the binades do not hold a value.
  bool add_whole_values(const Values& values, std::uint64_t times, Group* group) const;
  // Kept out of the loop over rows, which hardly ever calls it.
  [[gnu::noinline]] static void add_rest(const Values& values, std::uint64_t times, Rest* rest);
  void settle(const Group& group, Rest* rest) const;
  void choose_binades(const Inputs& inputs, std::size_t rows);
  int unit_of(std::size_t input) const { return is_whole(input) ? 0 : binades_[input].unit(); }

  std::array<Binades, kInputs> binades_;  // of reals
  LargeVector<Group> groups_;
  // Rows added since the binades were chosen.
  std::uint64_t rows_ = 0;
  std::uint64_t rows_beside_ = 0;  // rows that they did not hold
  SizeMeter meter_{sizeof(Rest)};
};

}  // namespace evq
