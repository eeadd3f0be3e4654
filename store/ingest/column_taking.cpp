#include <algorithm>
#include <utility>

#include "store/base/check.h"
#include "store/ingest/column_builder.h"
#include "store/ingest/csv_value.h"

// What a column's builder gives away: its values as a vector, its memory.

namespace evq {

namespace {

// A column that was not worth a dictionary is tried again after this many batches.
constexpr std::uint8_t kPlainBatchesMax = 16;

}  // namespace

std::size_t ColumnBuilder::memory_bytes() const {
  const auto bytes = [](const auto&... parts) {
    return (... + (parts.capacity() * sizeof(*parts.data())));
  };
  return sizeof(*this) + text_.capacity() +
         bytes(queue_, validity_, was_long_, bools_, longs_, reals_, ends_, codes_, hashes_,
               entries_, slots_);
}

std::optional<Type> ColumnBuilder::type() const {
  switch (state_) {
    case State::kEmpty:
      break;
    case State::kBool:
      return Type::kBool;
    case State::kLong:
      return integers_;
    case State::kReal:
      return Type::kReal;
    case State::kDictionary:
    case State::kPlain:
      if (raw_classes_ == 0 || (raw_classes_ & kRawIsText) != 0) {
        return Type::kString;
      }
      break;
    case State::kTagged:
      return Type::kDynamic;
  }
  return std::nullopt;
}

Vector ColumnBuilder::take(std::size_t rows, Texts texts) {
  settle();
  EVQ_CHECK(state_ != State::kEmpty && rows_ <= rows);
  if (rows_ != rows) {
    pad_to(rows);
  }
  const std::optional<Type> known = type();
  Vector result = state_ == State::kDictionary ? take_dictionary(texts)
                  : state_ == State::kPlain    ? take_flat_text(Type::kString, texts)
                  : state_ == State::kTagged   ? take_flat_text(Type::kDynamic, texts)
                                               : take_numbers();
  if (!known) {
    result = retype_csv_values(result, raw_classes_);
  }
  if (!tries_dictionary_ && ++batches_plain_ >= kPlainBatchesMax) {
    tries_dictionary_ = true;
  }
  words_known_ = rows / 64 + 1;
  return result;
}

Vector ColumnBuilder::take_numbers() {
  auto values = Values::make(*type(), rows_);
  if (state_ == State::kBool) {
    std::copy(bools_.begin(), bools_.end(), values->mutable_data<std::uint8_t>());
  } else if (state_ == State::kLong) {
    std::copy(longs_.begin(), longs_.end(), values->mutable_data<std::int64_t>());
  } else {
    std::copy(reals_.begin(), reals_.end(), values->mutable_data<double>());
  }
  if (!validity_.empty()) {
    validity_.resize((rows_ + 63) / 64);
    values->set_validity(std::move(validity_));
  }
  return Vector::flat(std::move(values));
}

// Before there are views: giving the memory away may move it.
const char* ColumnBuilder::take_text(Texts texts, Values* values) {
  if (texts == Texts::kLent) {
    return text_.data();
  }
  values->add_owner(text_.release());
  return static_cast<const char*>(values->owners().back().get());
}

Vector ColumnBuilder::take_flat_text(Type type, Texts texts) {
  auto values = Values::make(type, rows_);
  const std::size_t text_size = text_.size();
  const char* base = take_text(texts, values.get());
  auto* views = values->mutable_data<std::string_view>();
  std::uint32_t begin = 0;
  for (std::size_t row = 0; row < rows_; ++row) {
    views[row] = {base + begin, ends_[row] - begin};
    begin = ends_[row];
  }
  const bool nulls = !validity_.empty();
  if (nulls) {
    validity_.resize((rows_ + 63) / 64);
    values->set_validity(std::move(validity_));
  }
  // A null dynamic slot holds no bytes; readers look at validity first.
  if (type == Type::kString) {
    values->set_contiguous_text({base, text_size});
  }
  return Vector::flat(std::move(values));
}

Vector ColumnBuilder::take_dictionary(Texts texts) {
  slots_known_ = entries_.size() * 4 > slots_.size() ? slots_.size() : slots_.size() / 2;
  auto entries = Values::make(Type::kString, entries_.size());
  const char* base = take_text(texts, entries.get());
  auto* views = entries->mutable_data<std::string_view>();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    views[i] = {base + entries_[i].offset, entries_[i].size};
  }
  if (null_code_ != 0) {
    entries->set_null(null_code_ - 1);
  }
  if (entries_.size() == 1) {
    return Vector::constant(std::move(entries), rows_);
  }
  std::shared_ptr<Code[]> codes = make_codes(rows_);
  std::copy(codes_.begin(), codes_.end(), codes.get());
  return Vector::dictionary(std::move(entries), std::move(codes), rows_);
}

void ColumnBuilder::clear() {
  state_ = State::kEmpty;
  raw_classes_ = 0;
  rows_ = 0;
  repeats_ = 0;
  null_code_ = 0;
  validity_.clear();
  was_long_.clear();
  bools_.clear();
  longs_.clear();
  reals_.clear();
  text_.clear();
  ends_.clear();
  codes_.clear();
  entries_.clear();
}

}  // namespace evq
