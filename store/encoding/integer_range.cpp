#include "store/encoding/integer_range.h"

#include <algorithm>
#include <numeric>

namespace evq {
namespace {

// Division by a constant the compiler knows costs a multiplication.
template <std::uint64_t kDivisor>
void divide(const IntegerRange& range, const std::int64_t* values, std::size_t size,
            std::uint64_t* numbers) {
  const auto least = static_cast<std::uint64_t>(range.least);
  for (std::size_t i = 0; i < size; ++i) {
    numbers[i] = (static_cast<std::uint64_t>(values[i]) - least) / kDivisor;
  }
}

// Whether all differences from `least` are multiples of a divisor the compiler knows.
template <std::uint64_t kDivisor>
bool all_multiples(const std::int64_t* values, std::size_t size, std::uint64_t least) {
  std::uint64_t rest = 0;
  for (std::size_t i = 0; i < size; ++i) {
    rest |= (static_cast<std::uint64_t>(values[i]) - least) % kDivisor;
  }
  return rest == 0;
}

// Powers of a thousand, which times have, are checked by multiplication; a division a value is
// paid only when the first values promise another divisor.
std::uint64_t common_divisor(const std::int64_t* values, std::size_t size, std::int64_t least) {
  constexpr std::size_t kProbe = 64;
  const auto base = static_cast<std::uint64_t>(least);
  std::uint64_t divisor = 0;
  for (std::size_t i = 0; i < std::min(size, kProbe) && divisor != 1; ++i) {
    divisor = std::gcd(divisor, static_cast<std::uint64_t>(values[i]) - base);
  }
  if (divisor == 1) {
    return 1;
  }
  for (std::uint64_t power = 1000000000; size > kProbe && power >= 1000; power /= 1000) {
    if (divisor % power == 0) {
      const bool all = power == 1000      ? all_multiples<1000>(values, size, base)
                       : power == 1000000 ? all_multiples<1000000>(values, size, base)
                                          : all_multiples<1000000000>(values, size, base);
      if (all) {
        return power;
      }
    }
  }
  for (std::size_t i = kProbe; i < size && divisor != 1; ++i) {
    const std::uint64_t difference = static_cast<std::uint64_t>(values[i]) - base;
    if (divisor == 0 || difference % divisor != 0) {
      divisor = std::gcd(divisor, difference);
    }
  }
  return divisor == 0 ? 1 : divisor;
}

}  // namespace

IntegerRange measure_range(const std::int64_t* values, std::size_t size) {
  std::int64_t least = values[0];
  std::int64_t greatest = values[0];
  for (std::size_t i = 1; i < size; ++i) {
    least = std::min(least, values[i]);
    greatest = std::max(greatest, values[i]);
  }
  IntegerRange range;
  range.least = least;
  range.divisor = common_divisor(values, size, least);
  range.greatest_number = range.number(greatest);
  return range;
}

void to_numbers(const IntegerRange& range, const std::int64_t* values, std::size_t size,
                std::uint64_t* numbers) {
  switch (range.divisor) {
    case 1:
      return divide<1>(range, values, size, numbers);
    case 1000:
      return divide<1000>(range, values, size, numbers);
    case 1000000:
      return divide<1000000>(range, values, size, numbers);
    case 1000000000:
      return divide<1000000000>(range, values, size, numbers);
    default:
      break;
  }
  for (std::size_t i = 0; i < size; ++i) {
    numbers[i] = range.number(values[i]);
  }
}

void to_values(const IntegerRange& range, const std::uint64_t* numbers, std::size_t size,
               std::int64_t* values) {
  const auto least = static_cast<std::uint64_t>(range.least);
  if (range.divisor == 1) {
    for (std::size_t i = 0; i < size; ++i) {
      values[i] = static_cast<std::int64_t>(numbers[i] + least);
    }
    return;
  }
  const std::uint64_t divisor = range.divisor;
  for (std::size_t i = 0; i < size; ++i) {
    values[i] = static_cast<std::int64_t>(numbers[i] * divisor + least);
  }
}

void write_range(const IntegerRange& range, ByteWriter& out) {
  out.zigzag(range.least);
  out.varint(range.divisor);
}

IntegerRange read_range(ByteReader& in) {
  IntegerRange range;
  range.least = in.zigzag();
  range.divisor = in.varint();
  return range;
}

}  // namespace evq
