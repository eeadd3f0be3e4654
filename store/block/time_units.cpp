#include "store/block/time_units.h"

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "store/base/bytes.h"
#include "store/base/time.h"
#include "store/encoding/null_section.h"

namespace evq {
namespace {

constexpr std::array<std::int64_t, 4> kUnits = {1, kMicrosecondNs, kMillisecondNs, kSecondNs};

const std::int64_t* integers_of(const Vector& flat) {
  return flat.values().data<std::int64_t>();
}

bool has_nulls(const Vector& values) {
  for (std::size_t i = 0; values.may_have_nulls() && i < values.size(); ++i) {
    if (values.is_null(i)) {
      return true;
    }
  }
  return false;
}

bool counts(std::int64_t value, std::int64_t unit, std::int64_t time) {
  std::int64_t product = 0;
  return !__builtin_mul_overflow(value, unit, &product) && product == time;
}

std::optional<std::int64_t> find_unit(const Vector& values, const Vector& times) {
  const Vector flat = values.flatten();
  const Vector flat_times = times.flatten();
  const std::int64_t* value = integers_of(flat);
  const std::int64_t* time = integers_of(flat_times);
  for (const std::int64_t unit : kUnits) {
    std::size_t row = 0;
    while (row < flat.size() && counts(value[row], unit, time[row])) {
      ++row;
    }
    if (row == flat.size()) {
      return unit;
    }
  }
  return std::nullopt;
}

// The number whose product with an odd one is 1 modulo 2^64: each step doubles the bits that fit.
constexpr std::uint64_t inverse_of(std::uint64_t odd) {
  std::uint64_t inverse = odd;
  for (int bits = 3; bits < 64; bits *= 2) {
    inverse *= 2 - odd * inverse;
  }
  return inverse;
}

// A shift and a multiplication each, since every time was a multiple of the unit when it was
// encoded.
template <std::int64_t kUnit>
void divide(const std::int64_t* times, std::size_t size, std::int64_t* out) {
  constexpr int kTwos = std::countr_zero(static_cast<std::uint64_t>(kUnit));
  constexpr std::uint64_t kInverse = inverse_of(static_cast<std::uint64_t>(kUnit >> kTwos));
  for (std::size_t i = 0; i < size; ++i) {
    out[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(times[i] >> kTwos) * kInverse);
  }
}

bool divide_by(std::uint64_t unit, const std::int64_t* times, std::size_t size, std::int64_t* out) {
  switch (unit) {
    case kUnits[0]:
      divide<kUnits[0]>(times, size, out);
      return true;
    case kUnits[1]:
      divide<kUnits[1]>(times, size, out);
      return true;
    case kUnits[2]:
      divide<kUnits[2]>(times, size, out);
      return true;
    case kUnits[3]:
      divide<kUnits[3]>(times, size, out);
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<std::string> encode_time_units(const Vector& values, const Vector& times) {
  if (physical_of(values.type()) != Physical::kInt64 || values.size() != times.size() ||
      values.size() < 2 || has_nulls(values)) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> unit = find_unit(values, times);
  if (!unit) {
    return std::nullopt;
  }
  ByteWriter out;
  out.u8(static_cast<std::uint8_t>(EncodingId::kTimeUnits));
  write_null_section({values.size(), 0, {}}, {}, out);
  out.varint(static_cast<std::uint64_t>(*unit));
  return out.release();
}

bool is_time_units(std::string_view segment) {
  return !segment.empty() &&
         static_cast<EncodingId>(static_cast<unsigned char>(segment[0])) == EncodingId::kTimeUnits;
}

Result<Vector> decode_time_units(std::string_view segment, Type type, std::size_t rows,
                                 const Vector& times) {
  ByteReader in(segment);
  in.u8();
  EVQ_TRY_ASSIGN(const NullSection nulls, read_null_section(in, rows));
  const std::uint64_t unit = in.varint();
  if (!in.ok() || nulls.nulls != 0 || physical_of(type) != Physical::kInt64 ||
      times.type() != Type::kDatetime || has_nulls(times)) {
    return corrupt_segment("it is no count of units of _time");
  }
  const Vector flat = times.flatten();
  auto values = Values::make(type, flat.size());
  if (!divide_by(unit, integers_of(flat), flat.size(), values->mutable_data<std::int64_t>())) {
    return corrupt_segment("it counts an unknown unit of _time");
  }
  return Vector::flat(std::move(values));
}

}  // namespace evq
