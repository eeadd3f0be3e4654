#include "apl/exec/sort_numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

#include "store/base/allocation_meter.h"
#include "store/base/limits.h"
#include "store/base/ordered_bits.h"
#include "store/column/physical.h"
#include "store/column/text_order.h"

namespace evq {
namespace {

// Of bools: in either order away from the extremes, where values are squeezed together.
std::uint64_t number_of(std::uint8_t value) {
  return value + 2U;
}

std::uint64_t number_of(std::int64_t value) {
  return ordered_bits(value);
}

// Not of NaN.
std::uint64_t number_of(double value) {
  return ordered_bits(value);
}

// The first eight bytes; a text that ends before has zeros.
std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  if (text.size() >= sizeof(number)) {  // most are: a call of memcpy() would take longer
    std::memcpy(&number, text.data(), sizeof(number));
    return __builtin_bswap64(number);
  }
  for (std::size_t i = 0; i < sizeof(number); ++i) {
    number = (number << 8U) | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0U);
  }
  return number;
}

// Room for the nulls at both ends; values squeezed together are told apart by full comparison.
constexpr std::uint64_t kNumberMin = 1;
constexpr std::uint64_t kNumberMax = ~std::uint64_t{0} - 1;

std::uint64_t null_number(SortOrder order) {
  return order.nulls_first ? 0 : ~std::uint64_t{0};
}

}  // namespace

void number_slots(const Values& values, std::size_t begin, std::size_t end, SortOrder order,
                  std::uint64_t* out) {
  const std::uint64_t flip = order.descending ? ~std::uint64_t{0} : 0;
  if (values.type() == Type::kDynamic) {  // told apart by the full comparison only
    std::fill_n(out, end - begin, std::clamp(flip, kNumberMin, kNumberMax));
  } else {
    with_physical(values.type(), [&](auto zero) {
      const auto* data = values.data<decltype(zero)>();
      for (std::size_t i = begin; i < end; ++i) {
        out[i - begin] = std::clamp(number_of(data[i]) ^ flip, kNumberMin, kNumberMax);
      }
    });
  }
  // NaN goes next to the nulls.
  for (std::size_t i = begin; values.type() == Type::kReal && i < end; ++i) {
    const bool aside = std::isnan(values.data<double>()[i]);
    out[i - begin] = !aside ? out[i - begin] : order.nulls_first ? kNumberMin : kNumberMax;
  }
  for (std::size_t i = begin; values.has_nulls() && i < end; ++i) {
    out[i - begin] = values.is_null(i) ? null_number(order) : out[i - begin];
  }
}

namespace {

constexpr std::size_t kHeadBytes = sizeof(std::uint64_t);
constexpr std::size_t kTailBytes = kHeadBytes - 1;
constexpr std::uint64_t kLengthMask = 0xff;
// The lowest byte of a tail: 1 for a text that ends at the offset, this for one that may go on.
constexpr std::uint64_t kLengthMax = kHeadBytes + kTailBytes + 2;

// A null's number may be that of a head as well: its tail is no text's, whose lowest byte is from 1
// to kLengthMax.
template <class NumberOf>
void number_texts(const Values& texts, std::size_t begin, std::size_t end, SortOrder order,
                  std::uint64_t* out, NumberOf number_of_text) {
  const std::uint64_t flip = order.descending ? ~std::uint64_t{0} : 0;
  const auto* data = texts.data<std::string_view>();
  for (std::size_t i = begin; i < end; ++i) {
    out[i - begin] = texts.is_null(i) ? null_number(order) : number_of_text(data[i]) ^ flip;
  }
}

}  // namespace

void number_text_heads(const Values& texts, std::size_t begin, std::size_t end, SortOrder order,
                       std::size_t offset, std::uint64_t* out) {
  number_texts(texts, begin, end, order, out,
               [offset](std::string_view text) { return number_of(text.substr(offset)); });
}

void number_text_tails(const Values& texts, std::size_t begin, std::size_t end, SortOrder order,
                       std::size_t offset, std::uint64_t* out) {
  number_texts(texts, begin, end, order, out, [offset](std::string_view text) {
    const std::string_view rest = text.substr(offset);
    const std::string_view tail = rest.substr(std::min(rest.size(), kHeadBytes));
    return (number_of(tail) & ~kLengthMask) | std::min<std::uint64_t>(rest.size() + 1, kLengthMax);
  });
}

bool is_exact_text_tail(SortOrder order, std::uint64_t tail) {
  const std::uint64_t length = (order.descending ? ~tail : tail) & kLengthMask;
  return tail == null_number(order) || length < kLengthMax;
}

std::vector<std::vector<std::uint64_t>> rank_texts(std::span<const Values* const> dictionaries,
                                                   SortOrder order) {
  std::vector<std::vector<std::uint64_t>> numbers(dictionaries.size());
  std::vector<OrderedText> texts;
  PollCounter poll;
  for (std::size_t i = 0; i < dictionaries.size(); ++i) {
    const Values& values = *dictionaries[i];
    poll.add(values.size());
    numbers[i].resize(values.size(), null_number(order));
    for (std::size_t slot = 0; slot < values.size(); ++slot) {
      if (!values.is_null(slot)) {
        texts.push_back({0, values.data<std::string_view>()[slot], (i << 32U) | slot});
      }
    }
  }
  sort_texts(texts);
  std::uint64_t rank = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    poll.add();
    rank += i == 0 || texts[i].text != texts[i - 1].text ? 1U : 0U;
    numbers[texts[i].number >> 32U][texts[i].number & 0xffffffff] =
        order.descending ? kNumberMax - rank : kNumberMin + rank;
  }
  return numbers;
}

std::vector<std::uint64_t> numbers_by_row(const Vector& column,
                                          std::vector<std::uint64_t> by_slot) {
  if (column.is_flat()) {
    return by_slot;
  }
  std::vector<std::uint64_t> numbers(column.size());
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    numbers[row] = by_slot[column.slot(row)];
  }
  return numbers;
}

void sort_numbers(const Vector& column, SortOrder order, std::vector<std::uint64_t>* out) {
  out->clear();
  if (column.size() == 0) {
    return;
  }
  out->resize(column.values().size());
  for (std::size_t begin = 0; begin < out->size(); begin += kChunkRowsMax) {
    AllocationMeter::poll();
    const std::size_t end = std::min(begin + kChunkRowsMax, out->size());
    number_slots(column.values(), begin, end, order, out->data() + begin);
  }
  *out = numbers_by_row(column, std::move(*out));
}

bool is_exact_sort_number(Type type, std::uint64_t number) {
  const bool extreme = number == kNumberMin || number == kNumberMax;
  return physical_of(type) != Physical::kView && !extreme;
}

}  // namespace evq
