#pragma once
// RepeatedItems: what a call makes of its items (a list of needles, a set of networks), made anew
// only where the items of a row are not those of the row before. A list that is no constant is the
// same in very many rows all the same: a column of one event expanded into rows, a sum that was
// joined to all of them.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "store/column/vector.h"

namespace evq {

template <class Made>
class RepeatedItems {
 public:
  // `items`, the call's arguments but the first, must outlive this object.
  explicit RepeatedItems(std::span<const Vector> items) : items_(items) {}

  // Returns what `make(row)` made of the items of `row`, or of an earlier row's equal ones.
  template <class Make>
  const Made& of(std::size_t row, const Make& make) {
    if (made_ == nullptr || !same_as(row)) {
      made_ = std::make_unique<const Made>(make(row));
    }
    row_ = row;
    return *made_;
  }

 private:
  bool same_as(std::size_t row) const {
    return std::ranges::all_of(items_, [&](const Vector& item) {
      return item.slot(row) == item.slot(row_) || has_equal_texts(item, row);
    });
  }
  bool has_equal_texts(const Vector& item, std::size_t row) const {
    const bool texts = item.type() == Type::kString || item.type() == Type::kDynamic;
    return texts && item.is_null(row) == item.is_null(row_) &&
           (item.is_null(row) || item.at<std::string_view>(row) == item.at<std::string_view>(row_));
  }

  std::span<const Vector> items_;
  std::size_t row_ = 0;  // whose items made_ is of, or equal ones
  std::unique_ptr<const Made> made_;
};

}  // namespace evq
