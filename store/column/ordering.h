#pragma once
// The one definition of order, equality and hash over values, shared by sort, group, distinct and
// join. Order: null first, then false < true, numbers by value with NaN after all others, strings
// by code point (byte order of UTF-8), datetimes and timespans by time, dynamics as in dynamic.h.
// Equality here is identity for grouping: null equals null, NaN equals NaN, -0.0 equals 0.0.

#include <cstddef>
#include <cstdint>

#include "store/column/vector.h"

namespace evq {

template <class T>
int three_way(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

// Negative, zero, positive. Both values of one type (a long and a real compare as numbers).
int compare_values(const Value& a, const Value& b);
// Row `i` of `a` against row `j` of `b`; both vectors of one type.
int compare_rows(const Vector& a, std::size_t i, const Vector& b, std::size_t j);
bool rows_equal(const Vector& a, std::size_t i, const Vector& b, std::size_t j);

// Hashes with the given seed; equal values hash equally, null has a hash of its own.
std::uint64_t hash_row(const Vector& vector, std::size_t i, std::uint64_t seed);

// Nulls have a chosen side and the rest may be reversed: ORDER BY … desc nulls last. NaN, which
// answers show as null, goes next to the nulls.
struct SortOrder {
  bool descending = false;
  bool nulls_first = true;
};
int compare_rows(const Vector& a, std::size_t i, const Vector& b, std::size_t j, SortOrder order);

}  // namespace evq
