#include "store/column/ordering.h"

#define XXH_INLINE_ALL
#include <bit>
#include <cmath>
#include <string_view>
#include <vector>

#include <xxhash.h>

#include "store/column/dynamic.h"

// Hashes mix with one widening multiplication each: fast enough to be bound by memory, and with a
// secret seed nobody can choose keys that collide.

namespace evq {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kOddA = 0x9E3779B97F4A7C15ULL;
constexpr std::uint64_t kOddB = 0xD6E8FEB86659FD93ULL;
constexpr std::uint64_t kOddC = 0xA0761D6478BD642FULL;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t hash_null(std::uint64_t seed) {
  return mix(seed ^ kOddC, kOddA);
}

std::uint64_t hash_of(std::uint64_t value, std::uint64_t seed) {
  return mix(mix(value ^ seed, kOddA) ^ kOddC, std::rotl(seed, 32) ^ kOddB);
}
std::uint64_t hash_of(std::int64_t value, std::uint64_t seed) {
  return hash_of(static_cast<std::uint64_t>(value), seed);
}
std::uint64_t hash_of(std::uint8_t value, std::uint64_t seed) {
  return hash_of(std::uint64_t{value}, seed);
}
std::uint64_t hash_of(double value, std::uint64_t seed) {
  constexpr std::uint64_t kAnyNan = 0x7FF8000000000000ULL;
  // Adding zero turns -0.0 into 0.0 and leaves every other number as it is.
  return hash_of(std::isnan(value) ? kAnyNan : std::bit_cast<std::uint64_t>(value + 0.0), seed);
}
std::uint64_t hash_of(std::string_view value, std::uint64_t seed) {
  return XXH3_64bits_withSeed(value.data(), value.size(), seed);
}

std::uint64_t hash_slot(const Values& values, std::size_t i, std::uint64_t seed) {
  switch (physical_of(values.type())) {
    case Physical::kNone:
      return hash_null(seed);
    case Physical::kByte:
      return hash_of(values.data<std::uint8_t>()[i], seed);
    case Physical::kInt64:
      return hash_of(values.data<std::int64_t>()[i], seed);
    case Physical::kDouble:
      return hash_of(values.data<double>()[i], seed);
    case Physical::kView: {
      const std::string_view bytes = values.data<std::string_view>()[i];
      return values.type() == Type::kDynamic ? hash_dynamic(DynamicView(bytes), seed)
                                             : hash_of(bytes, seed);
    }
  }
  return 0;
}

int compare_slots(const Values& a, std::size_t i, const Values& b, std::size_t j) {
  switch (physical_of(a.type())) {
    case Physical::kNone:
      return 0;
    case Physical::kByte:
      return three_way(a.data<std::uint8_t>()[i], b.data<std::uint8_t>()[j]);
    case Physical::kInt64:
      return three_way(a.data<std::int64_t>()[i], b.data<std::int64_t>()[j]);
    case Physical::kDouble:
      return compare_reals(a.data<double>()[i], b.data<double>()[j]);
    case Physical::kView: {
      const std::string_view left = a.data<std::string_view>()[i];
      const std::string_view right = b.data<std::string_view>()[j];
      return a.type() == Type::kDynamic ? compare_dynamic(DynamicView(left), DynamicView(right))
                                        : left.compare(right);
    }
  }
  return 0;
}

}  // namespace

int compare_values(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) {
    return three_way(!a.is_null(), !b.is_null());
  }
  if (a.type() == Type::kLong && b.type() == Type::kReal) {
    return compare_long_with_real(a.as_integer(), b.as_real());
  }
  if (a.type() == Type::kReal && b.type() == Type::kLong) {
    return -compare_long_with_real(b.as_integer(), a.as_real());
  }
  EVQ_CHECK(a.type() == b.type());
  switch (physical_of(a.type())) {
    case Physical::kNone:
      return 0;
    case Physical::kByte:
      return three_way(a.as_bool(), b.as_bool());
    case Physical::kInt64:
      return three_way(a.as_integer(), b.as_integer());
    case Physical::kDouble:
      return compare_reals(a.as_real(), b.as_real());
    case Physical::kView:
      return a.type() == Type::kDynamic
                 ? compare_dynamic(DynamicView(a.as_text()), DynamicView(b.as_text()))
                 : a.as_text().compare(b.as_text());
  }
  return 0;
}

int compare_rows(const Vector& a, std::size_t i, const Vector& b, std::size_t j, SortOrder order) {
  EVQ_DCHECK(a.type() == b.type());
  const std::size_t left = a.slot(i);
  const std::size_t right = b.slot(j);
  const bool left_null = a.values().is_null(left);
  const bool right_null = b.values().is_null(right);
  const auto put_aside = [order](bool left_aside, bool right_aside) {
    const int low = three_way(!left_aside, !right_aside);
    return order.nulls_first ? low : -low;
  };
  if (left_null || right_null) {
    return put_aside(left_null, right_null);
  }
  if (a.type() == Type::kReal) {
    const bool left_nan = std::isnan(a.values().data<double>()[left]);
    const bool right_nan = std::isnan(b.values().data<double>()[right]);
    if (left_nan || right_nan) {
      return put_aside(left_nan, right_nan);
    }
  }
  const int ascending = compare_slots(a.values(), left, b.values(), right);
  return order.descending ? three_way(0, ascending) : ascending;
}

int compare_rows(const Vector& a, std::size_t i, const Vector& b, std::size_t j) {
  const std::size_t left = a.slot(i);
  const std::size_t right = b.slot(j);
  if (a.values().is_null(left) || b.values().is_null(right)) {
    return three_way(!a.values().is_null(left), !b.values().is_null(right));
  }
  return compare_slots(a.values(), left, b.values(), right);
}

bool rows_equal(const Vector& a, std::size_t i, const Vector& b, std::size_t j) {
  EVQ_DCHECK(a.type() == b.type());
  const std::size_t left = a.slot(i);
  const std::size_t right = b.slot(j);
  const bool left_null = a.values().is_null(left);
  if (left_null || b.values().is_null(right)) {
    return left_null == b.values().is_null(right);
  }
  if (a.type() == Type::kString) {
    return a.values().data<std::string_view>()[left] == b.values().data<std::string_view>()[right];
  }
  return compare_slots(a.values(), left, b.values(), right) == 0;
}

std::uint64_t hash_row(const Vector& vector, std::size_t i, std::uint64_t seed) {
  const Values& values = vector.values();
  const std::size_t slot = vector.slot(i);
  return values.is_null(slot) ? hash_null(seed) : hash_slot(values, slot, seed);
}

}  // namespace evq
