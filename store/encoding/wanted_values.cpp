#include "store/encoding/wanted_values.h"

#include <algorithm>
#include <bit>

namespace evq {
namespace {

// How many of the rows before `row` have values.
std::size_t rank(const std::vector<std::uint64_t>& valid, std::size_t row) {
  std::size_t count = 0;
  for (std::size_t word = 0; word < row / 64; ++word) {
    count += static_cast<std::size_t>(std::popcount(valid[word]));
  }
  if (row % 64 != 0) {
    const std::uint64_t below = (std::uint64_t{1} << (row % 64)) - 1;
    count += static_cast<std::size_t>(std::popcount(valid[row / 64] & below));
  }
  return count;
}

void find_in_range(const NullSection& nulls, const RowSet& wanted, WantedValues* found) {
  const std::size_t begin = rank(nulls.valid, wanted.begin);
  found->dense = {begin, rank(nulls.valid, wanted.begin + wanted.count) - begin, nullptr};
  if (wanted.is_all(nulls.rows)) {
    found->valid = nulls.valid;
    return;
  }
  found->valid.resize((wanted.count + 63) / 64);
  const std::size_t first = wanted.begin / 64;
  const std::size_t shift = wanted.begin % 64;
  for (std::size_t word = 0; word < found->valid.size(); ++word) {
    std::uint64_t bits = nulls.valid[first + word] >> shift;
    if (shift != 0 && first + word + 1 < nulls.valid.size()) {
      bits |= nulls.valid[first + word + 1] << (64 - shift);
    }
    found->valid[word] = bits;
  }
  if (wanted.count % 64 != 0) {
    found->valid.back() &= (std::uint64_t{1} << (wanted.count % 64)) - 1;
  }
}

// Looks for each of the values among the wanted rows.
void find_few_values(const NullSection& nulls, const RowSet& wanted, WantedValues* found) {
  const std::uint32_t* const end = wanted.list + wanted.count;
  const std::uint32_t* at = wanted.list;
  std::uint32_t number = 0;
  for (std::size_t word = 0; word < nulls.valid.size(); ++word) {
    for (std::uint64_t bits = nulls.valid[word]; bits != 0; bits &= bits - 1, ++number) {
      const auto row = static_cast<std::uint32_t>(word * 64) +
                       static_cast<std::uint32_t>(std::countr_zero(bits));
      at = std::lower_bound(at, end, row);
      if (at == end) {
        return;
      }
      if (*at == row) {
        const auto i = static_cast<std::size_t>(at - wanted.list);
        found->list.push_back(number);
        found->valid[i / 64] |= std::uint64_t{1} << (i % 64);
      }
    }
  }
}

// Asks of each of the wanted rows whether it has a value.
void find_in_list(const NullSection& nulls, const RowSet& wanted, WantedValues* found) {
  std::vector<std::uint32_t> ranks(nulls.valid.size());
  std::uint32_t before = 0;
  for (std::size_t word = 0; word < ranks.size(); ++word) {
    ranks[word] = before;
    before += static_cast<std::uint32_t>(std::popcount(nulls.valid[word]));
  }
  for (std::size_t i = 0; i < wanted.count; ++i) {
    const std::uint32_t row = wanted.list[i];
    const std::uint64_t word = nulls.valid[row / 64];
    if (((word >> (row % 64)) & 1) != 0) {
      const std::uint64_t below = (std::uint64_t{1} << (row % 64)) - 1;
      found->list.push_back(ranks[row / 64] +
                            static_cast<std::uint32_t>(std::popcount(word & below)));
      found->valid[i / 64] |= std::uint64_t{1} << (i % 64);
    }
  }
}

}  // namespace

bool is_sparse(std::size_t values, std::size_t rows) {
  constexpr std::size_t kSparseShare = 16;
  return values * kSparseShare <= rows;
}

WantedValues find_wanted_values(const NullSection& nulls, const RowSet& wanted) {
  WantedValues found;
  if (wanted.list == nullptr) {
    find_in_range(nulls, wanted, &found);
    return found;
  }
  found.valid.resize((wanted.count + 63) / 64);
  if (is_sparse(nulls.rows - nulls.nulls, wanted.count)) {
    find_few_values(nulls, wanted, &found);
  } else {
    find_in_list(nulls, wanted, &found);
  }
  found.dense = {0, found.list.size(), found.list.data()};
  return found;
}

}  // namespace evq
