#include "apl/exec/row_groups.h"

#include <algorithm>

#include "store/column/ordering.h"

namespace evq {

std::size_t RowGroups::group_of(std::size_t row) {
  poll_.add();
  std::uint64_t hash = seed_;
  for (const std::size_t key : keys_) {
    hash = hash_row(input_.column(key), row, hash);
  }
  for (auto [at, end] = known_.equal_range(hash); at != end; ++at) {
    if (equal(first_rows_[at->second], row)) {
      return at->second;
    }
  }
  known_.emplace(hash, first_rows_.size());
  first_rows_.push_back(static_cast<std::uint32_t>(row));
  return first_rows_.size() - 1;
}

bool RowGroups::equal(std::size_t a, std::size_t b) const {
  return std::ranges::all_of(keys_, [&](std::size_t key) {
    return rows_equal(input_.column(key), a, input_.column(key), b);
  });
}

}  // namespace evq
