#pragma once
// Truths: what several conditions, joined by `and` or by `or`, say of each row. Three-valued: null
// and false = false, null or true = true, otherwise a null operand gives null. A row that an
// operand decides alone is settled, and the operands to come need not be asked about it. One
// thread's.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "store/column/vector.h"

namespace evq {

enum class Junction : std::uint8_t { kAnd, kOr };

class Truths {
 public:
  Truths(Junction junction, std::size_t rows);

  // Takes in an operand, a bool vector with a value for each row.
  void fold_in(const Vector& operand);
  // The same with values for `rows` alone.
  void fold_in(const Vector& operand, std::span<const std::uint32_t> rows);
  // Returns how many rows are not settled.
  std::size_t count_open() const;
  // Returns those that are not settled, of all rows.
  std::vector<std::uint32_t> open_rows() const;
  // Leaves those of `rows` that are not settled.
  void keep_open(std::vector<std::uint32_t>* rows) const;
  // Returns the junction's value for each row.
  Vector values() const;

 private:
  // By row. In this order `and` is the least and `or` the greatest of the operands.
  enum : std::uint8_t { kFalse = 0, kUnknown = 1, kTrue = 2 };

  static std::vector<std::uint8_t> truths_of(const Values& values);
  std::uint8_t settled() const { return junction_ == Junction::kOr ? kTrue : kFalse; }
  // Joins truth_at(i) to row_at(i) for i below `count`.
  template <class RowAt, class TruthAt>
  void fold(std::size_t count, const RowAt& row_at, const TruthAt& truth_at);
  template <class RowAt>
  void fold_vector(const Vector& operand, const RowAt& row_at);

  const Junction junction_;
  std::vector<std::uint8_t> truths_;
};

}  // namespace evq
