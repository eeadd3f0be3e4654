#include "apl/functions/truths.h"

#include <algorithm>

#include "store/column/validity.h"

namespace evq {

Truths::Truths(Junction junction, std::size_t rows)
    : junction_(junction), truths_(rows, junction == Junction::kOr ? kFalse : kTrue) {}

std::vector<std::uint8_t> Truths::truths_of(const Values& values) {
  std::vector<std::uint8_t> truths(values.size(), kUnknown);
  if (values.type() != Type::kBool) {
    return truths;
  }
  const std::uint8_t* data = values.data<std::uint8_t>();
  for (std::size_t i = 0; i < truths.size(); ++i) {
    truths[i] = static_cast<std::uint8_t>(data[i] != 0 ? kTrue : kFalse);
  }
  if (values.has_nulls()) {
    set_null_bytes(values.validity(), values.size(), kUnknown, truths.data());
  }
  return truths;
}

template <class RowAt, class TruthAt>
void Truths::fold(std::size_t count, const RowAt& row_at, const TruthAt& truth_at) {
  std::uint8_t* __restrict truths = truths_.data();
  if (junction_ == Junction::kOr) {
    for (std::size_t i = 0; i < count; ++i) {
      truths[row_at(i)] = std::max(truths[row_at(i)], truth_at(i));
    }
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      truths[row_at(i)] = std::min(truths[row_at(i)], truth_at(i));
    }
  }
}

template <class RowAt>
void Truths::fold_vector(const Vector& operand, const RowAt& row_at) {
  if (operand.size() == 0) {
    return;
  }
  const std::vector<std::uint8_t> table = truths_of(operand.values());
  const std::uint8_t* of_slot = table.data();
  if (operand.is_flat()) {
    fold(operand.size(), row_at, [=](std::size_t i) { return of_slot[i]; });
  } else if (operand.is_dictionary()) {
    const Code* codes = operand.codes();
    fold(operand.size(), row_at, [=](std::size_t i) { return of_slot[codes[i]]; });
  } else {
    fold(operand.size(), row_at, [same = table[0]](std::size_t) { return same; });
  }
}

void Truths::fold_in(const Vector& operand) {
  fold_vector(operand, [](std::size_t i) { return i; });
}

void Truths::fold_in(const Vector& operand, std::span<const std::uint32_t> rows) {
  fold_vector(operand, [at = rows.data()](std::size_t i) { return at[i]; });
}

std::size_t Truths::count_open() const {
  return truths_.size() -
         static_cast<std::size_t>(std::count(truths_.begin(), truths_.end(), settled()));
}

std::vector<std::uint32_t> Truths::open_rows() const {
  std::vector<std::uint32_t> rows(truths_.size() + 1);
  std::size_t count = 0;
  for (std::size_t row = 0; row < truths_.size(); ++row) {
    rows[count] = static_cast<std::uint32_t>(row);
    count += truths_[row] != settled() ? 1U : 0U;
  }
  rows.resize(count);
  return rows;
}

void Truths::keep_open(std::vector<std::uint32_t>* rows) const {
  std::erase_if(*rows, [&](std::uint32_t row) { return truths_[row] == settled(); });
}

Vector Truths::values() const {
  auto out = Values::make(Type::kBool, truths_.size());
  auto* data = out->mutable_data<std::uint8_t>();
  for (std::size_t i = 0; i < truths_.size(); ++i) {
    data[i] = static_cast<std::uint8_t>(truths_[i] == kTrue ? 1 : 0);
  }
  auto at = std::ranges::find(truths_, kUnknown);
  for (; at != truths_.end(); at = std::find(at + 1, truths_.end(), kUnknown)) {
    out->set_null(static_cast<std::size_t>(at - truths_.begin()));
  }
  return Vector::flat(std::move(out));
}

}  // namespace evq
