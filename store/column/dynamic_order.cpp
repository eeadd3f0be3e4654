#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>
#include <vector>

#include "store/base/checksum.h"
#include "store/column/dynamic.h"

// Order and hash of dynamic values. Both see through the bytes: bags as sets of entries, the two
// zeros and all NaNs as one value each.

namespace evq {
namespace {

int sign(bool less, bool greater) {
  return less ? -1 : greater ? 1 : 0;
}

template <class T>
int order_of(const T& a, const T& b) {
  return sign(a < b, b < a);
}

int rank_of(DynamicTag tag) {
  switch (tag) {
    case DynamicTag::kNull:
      return 0;
    case DynamicTag::kFalse:
    case DynamicTag::kTrue:
      return 1;
    case DynamicTag::kLong:
    case DynamicTag::kReal:
      return 2;
    case DynamicTag::kDatetime:
      return 3;
    case DynamicTag::kTimespan:
      return 4;
    case DynamicTag::kString:
      return 5;
    case DynamicTag::kArray:
      return 6;
    case DynamicTag::kBag:
      return 7;
  }
  return 0;
}

int compare_numbers(DynamicView a, DynamicView b) {
  const bool a_long = a.tag() == DynamicTag::kLong;
  const bool b_long = b.tag() == DynamicTag::kLong;
  if (a_long && b_long) {
    return order_of(a.as_integer(), b.as_integer());
  }
  if (!a_long && !b_long) {
    return compare_reals(a.as_real(), b.as_real());
  }
  const int order = a_long ? compare_long_with_real(a.as_integer(), b.as_real())
                           : -compare_long_with_real(b.as_integer(), a.as_real());
  if (order != 0) {
    return order;
  }
  return a_long ? -1 : 1;
}

int compare_arrays(DynamicView a, DynamicView b) {
  DynamicView::Iterator left(a);
  DynamicView::Iterator right(b);
  while (true) {
    const bool more_left = left.next();
    const bool more_right = right.next();
    if (!more_left || !more_right) {
      return order_of(more_left, more_right);
    }
    if (const int order = compare_dynamic(left.value(), right.value()); order != 0) {
      return order;
    }
  }
}

struct OrderedEntry {
  std::string_view key;
  DynamicView value;
};

std::vector<OrderedEntry> sorted_entries(DynamicView bag) {
  std::vector<OrderedEntry> entries;
  entries.reserve(bag.size());
  DynamicView::Iterator iterator(bag);
  while (iterator.next()) {
    entries.push_back({iterator.key(), iterator.value()});
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const OrderedEntry& a, const OrderedEntry& b) { return a.key < b.key; });
  return entries;
}

int compare_bags(DynamicView a, DynamicView b) {
  const std::vector<OrderedEntry> left = sorted_entries(a);
  const std::vector<OrderedEntry> right = sorted_entries(b);
  const std::size_t count = std::min(left.size(), right.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (const int order = left[i].key.compare(right[i].key); order != 0) {
      return order;
    }
    if (const int order = compare_dynamic(left[i].value, right[i].value); order != 0) {
      return order;
    }
  }
  return order_of(left.size(), right.size());
}

std::uint64_t hash_real(double value, std::uint64_t seed) {
  // All NaNs, and both zeros, are one value each.
  if (std::isnan(value)) {
    return hash64(std::uint64_t{1}, seed);
  }
  return hash64(std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value), seed);
}

}  // namespace

int compare_reals(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    return order_of(std::isnan(a), std::isnan(b));
  }
  return order_of(a, b);
}

int compare_long_with_real(std::int64_t a, double b) {
  constexpr double kLongLimit = 9223372036854775808.0;
  if (std::isnan(b) || b >= kLongLimit) {
    return -1;
  }
  if (b < -kLongLimit) {
    return 1;
  }
  const auto whole = static_cast<std::int64_t>(b);
  if (a != whole) {
    return a < whole ? -1 : 1;
  }
  // Only reals below 2^53 have a fraction, and there the subtraction is exact.
  return order_of(0.0, b - static_cast<double>(whole));
}

int compare_dynamic(DynamicView a, DynamicView b) {
  const int rank = rank_of(a.tag());
  if (rank != rank_of(b.tag())) {
    return rank < rank_of(b.tag()) ? -1 : 1;
  }
  switch (a.tag()) {
    case DynamicTag::kNull:
      return 0;
    case DynamicTag::kFalse:
    case DynamicTag::kTrue:
      return order_of(a.as_bool(), b.as_bool());
    case DynamicTag::kLong:
    case DynamicTag::kReal:
      return compare_numbers(a, b);
    case DynamicTag::kDatetime:
    case DynamicTag::kTimespan:
      return order_of(a.as_integer(), b.as_integer());
    case DynamicTag::kString:
      return a.as_string().compare(b.as_string());
    case DynamicTag::kArray:
      return compare_arrays(a, b);
    case DynamicTag::kBag:
      return compare_bags(a, b);
  }
  return 0;
}

std::uint64_t hash_dynamic(DynamicView value, std::uint64_t seed) {
  const std::uint64_t tagged = hash64(static_cast<std::uint64_t>(value.tag()) + 1, seed);
  switch (value.tag()) {
    case DynamicTag::kNull:
    case DynamicTag::kFalse:
    case DynamicTag::kTrue:
      return tagged;
    case DynamicTag::kLong:
    case DynamicTag::kDatetime:
    case DynamicTag::kTimespan:
      return hash64(static_cast<std::uint64_t>(value.as_integer()), tagged);
    case DynamicTag::kReal:
      return hash_real(value.as_real(), tagged);
    case DynamicTag::kString:
      return hash64(value.as_string(), tagged);
    case DynamicTag::kArray:
    case DynamicTag::kBag:
      break;
  }
  // Elements count in their order; entries of bags in none, hence the sum.
  std::uint64_t hash = tagged;
  DynamicView::Iterator inner(value);
  while (inner.next()) {
    if (value.is_bag()) {
      hash += hash_dynamic(inner.value(), hash64(inner.key(), tagged));
    } else {
      hash = hash_dynamic(inner.value(), hash);
    }
  }
  return hash64(hash, seed);
}

}  // namespace evq
