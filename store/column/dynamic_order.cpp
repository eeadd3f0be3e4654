#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "store/base/checksum.h"
#include "store/column/dynamic.h"

// Order, hash and canonical form of dynamic values. All see through the bytes: bags as sets of
// entries, a number as one value whether it is a long or a real, all NaNs as one value.

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
    case DynamicTag::kTimespan:
      return 2;
    case DynamicTag::kDatetime:
      return 3;
    case DynamicTag::kString:
      return 4;
    case DynamicTag::kArray:
      return 5;
    case DynamicTag::kBag:
      return 6;
  }
  return 0;
}

int compare_amounts(DynamicView a, DynamicView b) {
  const bool a_real = a.tag() == DynamicTag::kReal;
  const bool b_real = b.tag() == DynamicTag::kReal;
  if (a_real) {
    return b_real ? compare_reals(a.as_real(), b.as_real())
                  : -compare_long_with_real(b.as_integer(), a.as_real());
  }
  return b_real ? compare_long_with_real(a.as_integer(), b.as_real())
                : order_of(a.as_integer(), b.as_integer());
}

// Numbers and timespans by what they amount to, in nanoseconds where one has a unit. Of the same
// amount the number is less: the two are not one value, as hashes and canonical forms have it.
int compare_quantities(DynamicView a, DynamicView b) {
  const int order = compare_amounts(a, b);
  return order != 0 ? order
                    : order_of(a.tag() == DynamicTag::kTimespan, b.tag() == DynamicTag::kTimespan);
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

// The long that a real is equal to.
std::optional<std::int64_t> long_of(double value) {
  if (!(value >= -0x1.0p63 && value < 0x1.0p63) || std::trunc(value) != value) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(value);
}

double with_one_nan(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

void add_canonical(DynamicView value, DynamicBuilder* out) {
  if (value.is_bag()) {
    out->begin_bag();
    for (const OrderedEntry& entry : sorted_entries(value)) {
      out->key(entry.key);
      add_canonical(entry.value, out);
    }
    out->end_bag();
  } else if (value.is_array()) {
    out->begin_array();
    DynamicView::Iterator elements(value);
    while (elements.next()) {
      add_canonical(elements.value(), out);
    }
    out->end_array();
  } else if (value.tag() != DynamicTag::kReal) {
    out->add_encoded(value);
  } else if (const auto whole = long_of(value.as_real()); whole.has_value()) {
    out->add_long(*whole);
  } else {
    out->add_real(with_one_nan(value.as_real()));
  }
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
    case DynamicTag::kTimespan:
      return compare_quantities(a, b);
    case DynamicTag::kDatetime:
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

bool is_canonical_dynamic(DynamicView value) {
  if (value.tag() == DynamicTag::kReal) {
    const double real = value.as_real();
    return !long_of(real).has_value() && same_bits(real, with_one_nan(real));
  }
  std::string_view key;
  bool first = true;
  DynamicView::Iterator inner(value);
  while (inner.next()) {
    if ((value.is_bag() && !first && inner.key() < key) || !is_canonical_dynamic(inner.value())) {
      return false;
    }
    key = inner.key();
    first = false;
  }
  return true;
}

std::string canonical_dynamic(DynamicView value) {
  DynamicBuilder out;
  add_canonical(value, &out);
  return out.take();
}

std::uint64_t hash_dynamic(DynamicView value, std::uint64_t seed) {
  if (value.tag() == DynamicTag::kReal) {
    const std::optional<std::int64_t> whole = long_of(value.as_real());
    const auto tag = whole.has_value() ? DynamicTag::kLong : DynamicTag::kReal;
    const std::uint64_t bits = whole.has_value()
                                   ? static_cast<std::uint64_t>(*whole)
                                   : std::bit_cast<std::uint64_t>(with_one_nan(value.as_real()));
    return hash64(bits, hash64(static_cast<std::uint64_t>(tag) + 1, seed));
  }
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
    case DynamicTag::kString:
      return hash64(value.as_string(), tagged);
    case DynamicTag::kReal:
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
