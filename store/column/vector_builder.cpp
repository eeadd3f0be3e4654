#include "store/column/vector_builder.h"

#include <algorithm>
#include <utility>

#include "store/base/check.h"

namespace evq {

void VectorBuilder::reserve(std::size_t rows) {
  switch (physical_of(type_)) {
    case Physical::kNone:
      return;
    case Physical::kByte:
      return bytes_.reserve(rows);
    case Physical::kInt64:
      return integers_.reserve(rows);
    case Physical::kDouble:
      return reals_.reserve(rows);
    case Physical::kView:
      return views_.reserve(rows);
  }
}

void VectorBuilder::note_valid() {
  if (!validity_.empty()) {
    if ((size_ & 63) == 0) {
      validity_.push_back(0);
    }
    validity_.back() |= std::uint64_t{1} << (size_ & 63);
  }
  ++size_;
}

void VectorBuilder::append_null() {
  switch (physical_of(type_)) {
    case Physical::kNone:
      ++size_;
      return;
    case Physical::kByte:
      bytes_.push_back(0);
      break;
    case Physical::kInt64:
      integers_.push_back(0);
      break;
    case Physical::kDouble:
      reals_.push_back(0);
      break;
    case Physical::kView:
      views_.emplace_back();
      break;
  }
  if (validity_.empty()) {
    validity_.assign(size_ / 64 + 1, ~std::uint64_t{0});
    validity_.back() = (std::uint64_t{1} << (size_ & 63)) - 1;
  } else if ((size_ & 63) == 0) {
    validity_.push_back(0);
  }
  ++size_;
}

void VectorBuilder::append_bool(bool value) {
  EVQ_DCHECK(type_ == Type::kBool);
  bytes_.push_back(value ? 1 : 0);
  note_valid();
}

void VectorBuilder::append_integer(std::int64_t value) {
  EVQ_DCHECK(physical_of(type_) == Physical::kInt64);
  integers_.push_back(value);
  note_valid();
}

void VectorBuilder::append_real(double value) {
  EVQ_DCHECK(type_ == Type::kReal);
  reals_.push_back(value);
  note_valid();
}

void VectorBuilder::append_text(std::string_view text) {
  if (arena_ == nullptr) {
    arena_ = std::make_shared<StringArena>();
  }
  append_view(arena_->copy(text));
}

void VectorBuilder::append_view(std::string_view text) {
  EVQ_DCHECK(physical_of(type_) == Physical::kView);
  if (type_ == Type::kDynamic && DynamicView(text).is_null()) {
    return append_null();
  }
  views_.push_back(text);
  note_valid();
}

void VectorBuilder::append(const Value& value) {
  if (value.is_null()) {
    return append_null();
  }
  if (value.type() != type_ && type_ == Type::kDynamic) {
    return append_text(dynamic_from_value(value));
  }
  if (value.type() == Type::kLong && type_ == Type::kReal) {
    return append_real(static_cast<double>(value.as_integer()));
  }
  EVQ_CHECK(value.type() == type_);
  switch (physical_of(type_)) {
    case Physical::kNone:
      return append_null();
    case Physical::kByte:
      return append_bool(value.as_bool());
    case Physical::kInt64:
      return append_integer(value.as_integer());
    case Physical::kDouble:
      return append_real(value.as_real());
    case Physical::kView:
      return append_text(value.as_text());
  }
}

void VectorBuilder::append_row(const Vector& from, std::size_t row) {
  if (from.is_null(row)) {
    return append_null();
  }
  if (from.type() != type_) {
    return append(from.value(row));
  }
  switch (physical_of(type_)) {
    case Physical::kNone:
      return append_null();
    case Physical::kByte:
      return append_bool(from.at<std::uint8_t>(row) != 0);
    case Physical::kInt64:
      return append_integer(from.at<std::int64_t>(row));
    case Physical::kDouble:
      return append_real(from.at<double>(row));
    case Physical::kView:
      return append_text(from.at<std::string_view>(row));
  }
}

std::size_t VectorBuilder::size_bytes() const {
  return bytes_.size() + integers_.size() * sizeof(std::int64_t) + reals_.size() * sizeof(double) +
         views_.size() * sizeof(std::string_view) + validity_.size() * sizeof(std::uint64_t) +
         (arena_ == nullptr ? 0 : arena_->size_bytes());
}

Vector VectorBuilder::finish() {
  auto values = Values::make(type_, size_);
  switch (physical_of(type_)) {
    case Physical::kNone:
      break;
    case Physical::kByte:
      std::copy(bytes_.begin(), bytes_.end(), values->mutable_data<std::uint8_t>());
      break;
    case Physical::kInt64:
      std::copy(integers_.begin(), integers_.end(), values->mutable_data<std::int64_t>());
      break;
    case Physical::kDouble:
      std::copy(reals_.begin(), reals_.end(), values->mutable_data<double>());
      break;
    case Physical::kView:
      std::copy(views_.begin(), views_.end(), values->mutable_data<std::string_view>());
      break;
  }
  values->set_validity(std::exchange(validity_, {}));
  if (arena_ != nullptr) {
    values->add_owner(std::exchange(arena_, nullptr));
  }
  for (TextOwner& owner : owners_) {
    values->add_owner(std::move(owner));
  }
  *this = VectorBuilder(type_);
  return Vector::flat(std::move(values));
}

}  // namespace evq
