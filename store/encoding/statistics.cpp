#include "store/encoding/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "store/base/bytes.h"

namespace evq {
namespace {

template <class T>
std::pair<T, T> extremes(const T* values, std::size_t size) {
  T least = values[0];
  T greatest = values[0];
  for (std::size_t i = 1; i < size; ++i) {
    least = std::min(least, values[i]);
    greatest = std::max(greatest, values[i]);
  }
  return {least, greatest};
}

Value integer_value(Type type, std::int64_t value) {
  switch (type) {
    case Type::kDatetime:
      return Value::datetime(value);
    case Type::kTimespan:
      return Value::timespan(value);
    case Type::kNull:
    case Type::kBool:
    case Type::kLong:
    case Type::kReal:
    case Type::kString:
    case Type::kDynamic:
      break;
  }
  return Value::integer(value);
}

void measure_reals(const double* values, std::size_t size, ColumnStatistics* statistics) {
  bool any = false;
  double least = 0;
  double greatest = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double value = values[i];
    if (std::isnan(value)) {
      statistics->has_nan = true;
      continue;
    }
    least = any ? std::min(least, value) : value;
    greatest = any ? std::max(greatest, value) : value;
    any = true;
  }
  if (any) {
    statistics->least = Value::real(least);
    statistics->greatest = Value::real(greatest);
  }
}

__extension__ using OrderPrefix = unsigned __int128;

// The first 16 bytes, so that ids of one kind differ there, as a number that orders as the bytes
// do; shorter texts are filled with zeros.
OrderPrefix order_prefix(std::string_view text) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  const auto prefix_of = [](std::uint64_t first, std::uint64_t second) {
    return OrderPrefix{__builtin_bswap64(first)} << 64 | __builtin_bswap64(second);
  };
  if (text.size() >= 2 * kWord) {
    return prefix_of(load64(text.data()), load64(text.data() + kWord));
  }
  if (text.size() > kWord) {
    // The last eight bytes, without those that the first ones had.
    const std::size_t again = 2 * kWord - text.size();
    return prefix_of(load64(text.data()), load64(text.data() + kWord - again) >> (8 * again));
  }
  std::uint64_t word = 0;
  if (!text.empty()) {
    std::memcpy(&word, text.data(), text.size());
  }
  return prefix_of(word, 0);
}

void measure_texts(const std::string_view* texts, std::size_t size, std::size_t bytes_max,
                   ColumnStatistics* statistics) {
  std::string_view least = texts[0];
  std::string_view greatest = texts[0];
  OrderPrefix least_prefix = order_prefix(least);
  OrderPrefix greatest_prefix = least_prefix;
  for (std::size_t i = 1; i < size; ++i) {
    const OrderPrefix prefix = order_prefix(texts[i]);
    if (prefix < least_prefix || (prefix == least_prefix && texts[i] < least)) {
      least = texts[i];
      least_prefix = prefix;
    }
    if (prefix > greatest_prefix || (prefix == greatest_prefix && texts[i] > greatest)) {
      greatest = texts[i];
      greatest_prefix = prefix;
    }
  }
  statistics->least_exact = least.size() <= bytes_max;
  statistics->least = Value::string(std::string(least.substr(0, bytes_max)));
  statistics->greatest_exact = greatest.size() <= bytes_max;
  std::string upper(greatest.substr(0, bytes_max));
  if (!statistics->greatest_exact && !raise_prefix(&upper)) {
    // No text of this size is a bound: keep none at all.
    statistics->least = Value::null(Type::kString);
    statistics->greatest = Value::null(Type::kString);
    statistics->least_exact = false;
    return;
  }
  statistics->greatest = Value::string(std::move(upper));
}

}  // namespace

bool raise_prefix(std::string* text) {
  while (!text->empty()) {
    if (const auto last = static_cast<unsigned char>(text->back()); last != 0xFF) {
      text->back() = static_cast<char>(last + 1);
      return true;
    }
    text->pop_back();
  }
  return false;
}

void measure_bounds(const DenseValues& values, std::size_t bound_bytes_max,
                    ColumnStatistics* statistics) {
  if (values.size == 0) {
    return;
  }
  statistics->least_exact = true;
  statistics->greatest_exact = true;
  switch (values.type) {
    case Type::kNull:
    case Type::kDynamic:
      statistics->least_exact = false;
      statistics->greatest_exact = false;
      return;
    case Type::kBool: {
      const auto [least, greatest] = extremes(values.data<std::uint8_t>(), values.size);
      statistics->least = Value::boolean(least != 0);
      statistics->greatest = Value::boolean(greatest != 0);
      return;
    }
    case Type::kLong:
    case Type::kDatetime:
    case Type::kTimespan: {
      const auto [least, greatest] = extremes(values.data<std::int64_t>(), values.size);
      statistics->least = integer_value(values.type, least);
      statistics->greatest = integer_value(values.type, greatest);
      return;
    }
    case Type::kReal:
      return measure_reals(values.data<double>(), values.size, statistics);
    case Type::kString:
      return measure_texts(values.data<std::string_view>(), values.size, bound_bytes_max,
                           statistics);
  }
}

std::uint64_t raw_bytes_of(const DenseValues& values) {
  switch (physical_of(values.type)) {
    case Physical::kNone:
      return 0;
    case Physical::kByte:
      return values.size;
    case Physical::kInt64:
    case Physical::kDouble:
      return values.size * sizeof(std::int64_t);
    case Physical::kView: {
      std::uint64_t bytes = 0;
      const auto* texts = values.data<std::string_view>();
      for (std::size_t i = 0; i < values.size; ++i) {
        bytes += texts[i].size();
      }
      return bytes;
    }
  }
  return 0;
}

}  // namespace evq
