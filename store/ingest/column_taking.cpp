#include <algorithm>
#include <bit>
#include <span>
#include <type_traits>
#include <utility>

#include "store/base/check.h"
#include "store/base/limits.h"
#include "store/column/physical.h"
#include "store/ingest/column_builder.h"
#include "store/ingest/csv_value.h"

// What a column's builder gives away: its values as a vector, its memory.

namespace evq {

namespace {

// A column that was not worth a dictionary is tried again after this many batches.
constexpr std::uint8_t kPlainBatchesMax = 16;
// Values of fewer rows than one in so many are put to their places one by one.
constexpr std::size_t kFewShare = 4;

bool has_few(const Bits& validity, std::size_t rows) {
  return !validity.empty() && count_bits(validity) * kFewShare < rows;
}

// Calls `visit` with every row whose bit is set.
template <class Visit>
void for_each_row(const Bits& validity, const Visit& visit) {
  for (std::size_t word = 0; word < validity.size(); ++word) {
    for (std::uint64_t bits = validity[word]; bits != 0; bits &= bits - 1) {
      visit(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    }
  }
}

// The rows' values to their places; without a validity all rows have one.
template <class T, class ValueOf>
void fill_in_order(const Bits& validity, const RowOrder& order, const ValueOf& value_of,
                   std::span<T> places) {
  if (has_few(validity, places.size())) {
    std::ranges::fill(places, T{});
    for_each_row(validity, [&](std::size_t row) {
      places[order.empty() ? row : order.place_of(row)] = value_of(row);
    });
  } else if (order.empty()) {
    for (std::size_t row = 0; row < places.size(); ++row) {
      places[row] = value_of(row);
    }
  } else {
    for (std::size_t place = 0; place < places.size(); ++place) {
      places[place] = value_of(order.row_at(place));
    }
  }
}

Bits put_in_order(Bits validity, std::size_t rows, const RowOrder& order) {
  if (order.empty() || validity.empty()) {
    return validity;
  }
  if (!has_few(validity, rows)) {
    return gather_bits(validity.data(), rows, [&](std::size_t i) { return order.row_at(i); });
  }
  Bits ordered(validity.size(), 0);
  for_each_row(validity, [&](std::size_t row) {
    const std::size_t place = order.place_of(row);
    ordered[place / 64] |= std::uint64_t{1} << (place % 64);
  });
  return ordered;
}

constexpr auto held_bytes = [](const auto& part) { return part.capacity() * sizeof(*part.data()); };

}  // namespace

// Of all that holds memory but the slots, whose room is in use however few the entries are.
template <class BytesOf>
std::size_t ColumnBuilder::sum_parts(const BytesOf& bytes_of) const {
  const auto sum = [&bytes_of](const auto&... parts) { return (... + bytes_of(parts)); };
  return sizeof(*this) + sum(text_, queue_, validity_, was_long_, bools_, longs_, reals_, ends_,
                             codes_, keys_, entries_);
}

std::size_t ColumnBuilder::memory_bytes() const {
  return sum_parts(held_bytes) + held_bytes(slots_);
}

// Where memory is large, what it is about to grow by is not written to for a while.
std::size_t ColumnBuilder::soon_bytes() const {
  constexpr std::size_t kSmallBytes = 128 * kKibibyte;
  const auto soon = [](const auto& part) {
    const std::size_t bytes = held_bytes(part);
    const bool grows = part.size() * 8 >= part.capacity() * 7 && bytes < kSmallBytes;
    return grows ? 2 * bytes : bytes;
  };
  const bool slots_grow = entries_.size() * 8 >= slots_.size() / 2 * 7;  // at half
  return sum_parts(soon) + held_bytes(slots_) * (slots_grow ? 2 : 1);
}

Type ColumnBuilder::type() const {
  switch (state_) {
    case State::kEmpty:
      break;
    case State::kBool:
      return Type::kBool;
    case State::kLong:
      return integers_;
    case State::kRawLong:
      return Type::kLong;
    case State::kReal:
      return Type::kReal;
    case State::kDictionary:
    case State::kPlain:
      return type_of_csv_classes(raw_classes_);
    case State::kTagged:
      return Type::kDynamic;
  }
  return Type::kNull;
}

Vector ColumnBuilder::take(std::size_t rows, Texts texts, const RowOrder& order) {
  settle();
  EVQ_CHECK(state_ != State::kEmpty && rows_ <= rows);
  if (rows_ != rows) {
    pad_to(rows);
  }
  Vector result = state_ == State::kDictionary ? take_dictionary(texts, order)
                  : state_ == State::kPlain    ? take_flat_text(Type::kString, texts, order)
                  : state_ == State::kTagged   ? take_flat_text(Type::kDynamic, texts, order)
                                               : take_numbers(order);
  if (state_ == State::kDictionary || state_ == State::kPlain) {
    result = retype_csv_values(result, type());
    tries_raw_longs_ = result.type() == Type::kLong;
  }
  if (!tries_dictionary_ && ++batches_plain_ >= kPlainBatchesMax) {
    tries_dictionary_ = true;
  }
  words_known_ = rows / 64 + 1;
  return result;
}

Vector ColumnBuilder::take_numbers(const RowOrder& order) {
  validity_.resize(validity_.empty() ? 0 : bitmap_words(rows_));
  auto values = Values::make(type(), rows_);
  const auto fill = [&](const auto& slots) {
    using T = std::decay_t<decltype(slots[0])>;
    fill_in_order(
        validity_, order, [&](std::size_t row) { return slots[row]; },
        std::span(values->mutable_data<T>(), rows_));
  };
  if (state_ == State::kBool) {
    fill(bools_);
  } else if (state_ == State::kLong || state_ == State::kRawLong) {
    fill(longs_);
  } else {
    fill(reals_);
  }
  values->set_validity(put_in_order(std::move(validity_), rows_, order));
  return Vector::flat(std::move(values));
}

// Before there are views: giving the memory away may move it.
const char* ColumnBuilder::take_text(Texts texts, Values* values) {
  if (texts == Texts::kLent) {
    return text_.data();
  }
  values->add_owner(text_.release());
  return static_cast<const char*>(values->owners().back().memory.get());
}

Vector ColumnBuilder::take_flat_text(Type type, Texts texts, const RowOrder& order) {
  validity_.resize(validity_.empty() ? 0 : bitmap_words(rows_));
  auto values = Values::make(type, rows_);
  const std::size_t text_size = text_.size();
  const char* base = take_text(texts, values.get());
  const auto text_of = [&](std::size_t row) {
    const std::uint32_t begin = row == 0 ? 0 : ends_[row - 1];
    return std::string_view(base + begin, ends_[row] - begin);
  };
  fill_in_order(validity_, order, text_of,
                std::span(values->mutable_data<std::string_view>(), rows_));
  values->set_validity(put_in_order(std::move(validity_), rows_, order));
  // A null dynamic slot holds no bytes; readers look at validity first.
  if (type == Type::kString && order.empty()) {
    values->set_contiguous_text({base, text_size});
  }
  return Vector::flat(std::move(values));
}

Vector ColumnBuilder::take_dictionary(Texts texts, const RowOrder& order) {
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
  entries->set_distinct();
  if (entries_.size() == 1) {
    return Vector::constant(std::move(entries), rows_);
  }
  std::shared_ptr<Code[]> codes = make_codes(rows_);
  if (order.empty()) {
    std::copy(codes_.begin(), codes_.end(), codes.get());
  } else {
    const Code* const of_rows = codes_.data();
    std::transform(order.rows().begin(), order.rows().end(), codes.get(),
                   [of_rows](std::uint32_t row) { return of_rows[row]; });
  }
  return Vector::dictionary(std::move(entries), std::move(codes), rows_);
}

void ColumnBuilder::release() {
  ColumnBuilder emptied(seed_, integers_);
  emptied.tries_dictionary_ = tries_dictionary_;
  emptied.batches_plain_ = batches_plain_;
  emptied.tries_raw_longs_ = tries_raw_longs_;
  *this = std::move(emptied);
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
