#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "store/encoding/schemes.h"

// Reals that were written as decimals (12.5, 0.003) are integers over a power of ten, which pack
// far better than their bits (Afroozeh et al., "ALP: Adaptive Lossless floating-Point
// Compression"). v = i / 10^e is exact for such a value: the division of two integers below 2^53
// rounds to the real nearest to the decimal, as reading its text did. Values for which it is not
// are exceptions.
//
//   decimal reals  u8 e, varint exceptions, stream of their rows (longs), stream of their bits
//                  (longs), both absent without exceptions; stream of the integers (longs)
//   plain reals    stream of the bits (longs)

namespace evq {
namespace {

constexpr std::array<double, 16> kPowers = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                            1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
constexpr std::size_t kSampleRows = 512;
// More exceptions than one in this many, and the scheme is not for these values.
constexpr std::size_t kRealExceptionShare = 16;
constexpr double kIntegerMax = 9007199254740992.0;  // 2^53

// The integer for `value`, or nothing when dividing it does not give the value back, bit for bit.
bool to_decimal(double value, double power, std::int64_t* integer) {
  const double scaled = std::nearbyint(value * power);
  if (!(std::fabs(scaled) < kIntegerMax)) {
    return false;
  }
  *integer = static_cast<std::int64_t>(scaled);
  return std::bit_cast<std::uint64_t>(static_cast<double>(*integer) / power) ==
         std::bit_cast<std::uint64_t>(value);
}

// The least exponent that fits nearly all of a sample; nothing when none does.
bool find_exponent(const double* reals, std::size_t size, std::size_t* exponent) {
  const std::size_t step = std::max<std::size_t>(1, size / kSampleRows);
  for (std::size_t e = 0; e < kPowers.size(); ++e) {
    std::size_t rows = 0;
    std::size_t misses = 0;
    for (std::size_t i = 0; i < size; i += step) {
      std::int64_t integer = 0;
      ++rows;
      misses += to_decimal(reals[i], kPowers[e], &integer) ? 0U : 1U;
      if (misses * kRealExceptionShare > std::max(rows, kSampleRows / 4)) {
        break;
      }
    }
    if (misses * kRealExceptionShare <= rows) {
      *exponent = e;
      return true;
    }
  }
  return false;
}

class DecimalReals final : public ColumnEncoding {
 public:
  EncodingId id() const override { return EncodingId::kDecimalReals; }
  std::string_view name() const override { return "decimal reals"; }
  bool accepts(Type type) const override { return type == Type::kReal; }

  bool encode(const DenseValues& values, const EncodeOptions& options,
              ByteWriter& out) const override {
    const auto* reals = values.data<double>();
    std::size_t exponent = 0;
    if (!find_exponent(reals, values.size, &exponent)) {
      return false;
    }
    std::vector<std::int64_t> integers(values.size);
    std::vector<std::int64_t> exception_rows;
    std::vector<std::int64_t> exception_bits;
    std::int64_t last = 0;
    for (std::size_t i = 0; i < values.size; ++i) {
      if (to_decimal(reals[i], kPowers[exponent], &integers[i])) {
        last = integers[i];
        continue;
      }
      // A neighbour's integer costs least where the exception overwrites it.
      integers[i] = last;
      exception_rows.push_back(static_cast<std::int64_t>(i));
      exception_bits.push_back(std::bit_cast<std::int64_t>(reals[i]));
    }
    if (exception_rows.size() * kRealExceptionShare > values.size) {
      return false;
    }
    out.u8(static_cast<std::uint8_t>(exponent));
    out.varint(exception_rows.size());
    if (!exception_rows.empty()) {
      encode_stream({Type::kLong, exception_rows.size(), exception_rows.data()}, options, out);
      encode_stream({Type::kLong, exception_bits.size(), exception_bits.data()}, options, out);
    }
    encode_stream({Type::kLong, integers.size(), integers.data()}, options, out);
    return true;
  }

  Result<Vector> decode(ByteReader& in, const DecodeRequest& request) const override {
    const std::size_t exponent = in.u8();
    const std::uint64_t exceptions = in.varint();
    if (!in.ok() || exponent >= kPowers.size() || exceptions > request.size) {
      return corrupt_segment("decimal reals have a bad header");
    }
    Vector rows;
    Vector bits;
    if (exceptions > 0) {
      EVQ_TRY_ASSIGN(rows, decode_stream(in, request.inner(Type::kLong, exceptions)));
      EVQ_TRY_ASSIGN(bits, decode_stream(in, request.inner(Type::kLong, exceptions)));
    }
    DecodeRequest inner = request;
    inner.type = Type::kLong;
    ++inner.nesting;
    EVQ_TRY_ASSIGN(const Vector coded, decode_stream(in, inner));
    const Vector integers = coded.flatten();
    auto out = Values::make(Type::kReal, request.rows.count);
    auto* reals = out->mutable_data<double>();
    const auto* scaled = integers.values().data<std::int64_t>();
    const double power = kPowers[exponent];
    for (std::size_t i = 0; i < request.rows.count; ++i) {
      reals[i] = static_cast<double>(scaled[i]) / power;
    }
    for (std::size_t i = 0; i < exceptions; ++i) {
      const auto row = static_cast<std::uint64_t>(rows.at<std::int64_t>(i));
      if (const std::size_t at = find_row(request.rows, row); at < request.rows.count) {
        reals[at] = std::bit_cast<double>(bits.at<std::int64_t>(i));
      }
    }
    return Vector::flat(std::move(out));
  }
};

class PlainReals final : public ColumnEncoding {
 public:
  EncodingId id() const override { return EncodingId::kPlainReals; }
  std::string_view name() const override { return "plain reals"; }
  bool accepts(Type type) const override { return type == Type::kReal; }

  bool encode(const DenseValues& values, const EncodeOptions& options,
              ByteWriter& out) const override {
    std::vector<std::int64_t> bits(values.size);
    const auto* reals = values.data<double>();
    std::transform(reals, reals + values.size, bits.begin(),
                   [](double value) { return std::bit_cast<std::int64_t>(value); });
    encode_stream({Type::kLong, bits.size(), bits.data()}, options, out);
    return true;
  }

  Result<Vector> decode(ByteReader& in, const DecodeRequest& request) const override {
    DecodeRequest inner = request;
    inner.type = Type::kLong;
    ++inner.nesting;
    EVQ_TRY_ASSIGN(const Vector coded, decode_stream(in, inner));
    const Vector bits = coded.flatten();
    auto out = Values::make(Type::kReal, request.rows.count);
    auto* reals = out->mutable_data<double>();
    for (std::size_t i = 0; i < request.rows.count; ++i) {
      reals[i] = std::bit_cast<double>(bits.at<std::int64_t>(i));
    }
    return Vector::flat(std::move(out));
  }
};

}  // namespace

const ColumnEncoding& decimal_reals() {
  static const DecimalReals kEncoding;
  return kEncoding;
}

const ColumnEncoding& plain_reals() {
  static const PlainReals kEncoding;
  return kEncoding;
}

}  // namespace evq
