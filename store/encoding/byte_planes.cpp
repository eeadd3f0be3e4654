#include "store/encoding/byte_planes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "store/encoding/byte_string.h"
#include "store/encoding/integer_range.h"
#include "store/encoding/schemes.h"

// The column scheme is: range (integer_range.h), u8 width, planes of the numbers.

namespace evq {
namespace {

constexpr std::size_t kPlaneSampleRows = 4096;
// What zstd's tables and rounding cost over the entropy, per plane and frame.
constexpr double kPlaneBytesFixed = 40;

template <class T>
double plane_bits(const T* numbers, std::size_t size, std::size_t width, std::size_t rows_in_all) {
  // Runs of neighbours, spread over the column.
  constexpr std::size_t kRun = 64;
  const std::size_t runs = std::max<std::size_t>(1, std::min(size, kPlaneSampleRows) / kRun);
  const std::size_t step = std::max<std::size_t>(kRun, size / runs);
  double bits = 0;
  for (std::size_t plane = 0; plane < width; ++plane) {
    std::array<std::uint32_t, 256> counts{};
    std::size_t rows = 0;
    for (std::size_t begin = 0; begin < size; begin += step) {
      const std::size_t end = std::min(size, begin + kRun);
      rows += end - begin;
      for (std::size_t i = begin; i < end; ++i) {
        ++counts[(numbers[i] >> (8 * plane)) & 0xFF];
      }
    }
    double entropy = 0;
    for (const std::uint32_t count : counts) {
      if (count > 0) {
        const double share = static_cast<double>(count) / static_cast<double>(rows);
        entropy -= share * std::log2(share);
      }
    }
    // Huffman codes spend at least a bit a value unless long repeats help.
    bits += entropy < 0.3 ? entropy + 0.1 : std::max(entropy, 1.0);
  }
  const auto rows = static_cast<double>(rows_in_all);
  const double frames = std::ceil(rows / static_cast<double>(kPlaneRows));
  return bits + 8 * kPlaneBytesFixed * frames * static_cast<double>(width) / rows;
}

template <class T>
void write_all(const T* numbers, std::size_t size, std::size_t width, int level, ByteWriter& out) {
  std::array<char, kPlaneRows> plane;
  for (std::size_t begin = 0; begin < size; begin += kPlaneRows) {
    const std::size_t rows = std::min(kPlaneRows, size - begin);
    for (std::size_t p = 0; p < width; ++p) {
      for (std::size_t i = 0; i < rows; ++i) {
        plane[i] = static_cast<char>(numbers[begin + i] >> (8 * p));
      }
      write_byte_string(std::string_view(plane.data(), rows), level, out);
    }
  }
}

// Puts the planes of one frame together.
template <class T>
void merge_plane(const char* plane, std::size_t rows, std::size_t p, T* numbers) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(plane);
  if (p == 0) {
    std::copy_n(bytes, rows, numbers);
    return;
  }
  const auto shift = static_cast<unsigned>(8 * p);
  for (std::size_t i = 0; i < rows; ++i) {
    numbers[i] = static_cast<T>(numbers[i] | (static_cast<T>(bytes[i]) << shift));
  }
}

template <class T>
Status read_all(ByteReader& in, std::size_t size, std::size_t width, const RowSet& rows, T* out) {
  std::array<char, kPlaneRows> plane;
  std::vector<T> numbers(std::min(kPlaneRows, size));
  std::size_t taken = 0;
  for (std::size_t begin = 0; begin < size; begin += kPlaneRows) {
    const std::size_t count = std::min(kPlaneRows, size - begin);
    const bool wanted = taken < rows.count && rows[taken] < begin + count;
    for (std::size_t p = 0; p < width; ++p) {
      EVQ_TRY_ASSIGN(const ByteString bytes, read_byte_string(in, count));
      if (bytes.raw_size != count) {
        return corrupt_segment("a byte plane has the wrong size");
      }
      if (!wanted) {
        continue;
      }
      if (!bytes.compressed) {
        merge_plane(bytes.stored.data(), count, p, numbers.data());
        continue;
      }
      EVQ_TRY(unpack_byte_string(bytes, plane.data()));
      merge_plane(plane.data(), count, p, numbers.data());
    }
    if (wanted) {
      taken = take_rows(rows, taken, begin, begin + count,
                        [&](std::size_t from, std::size_t n, std::size_t to) {
                          std::copy_n(numbers.data() + from, n, out + to);
                        });
    }
  }
  return {};
}

class BytePlanes final : public ColumnEncoding {
 public:
  EncodingId id() const override { return EncodingId::kBytePlanes; }
  std::string_view name() const override { return "byte planes"; }
  bool accepts(Type type) const override { return physical_of(type) == Physical::kInt64; }

  bool encode(const DenseValues& values, const EncodeOptions& options,
              ByteWriter& out) const override {
    const auto* integers = values.data<std::int64_t>();
    const IntegerRange range = measure_range(integers, values.size);
    std::vector<std::uint64_t> numbers(values.size);
    to_numbers(range, integers, values.size, numbers.data());
    const std::size_t width = plane_width(range.greatest_number);
    write_range(range, out);
    out.u8(static_cast<std::uint8_t>(width));
    write_planes(numbers.data(), values.size, width, options.zstd_level, out);
    return true;
  }

  Result<Vector> decode(ByteReader& in, const DecodeRequest& request) const override {
    const IntegerRange range = read_range(in);
    const std::size_t width = in.u8();
    if (!in.ok() || width == 0 || width > 8) {
      return corrupt_segment("byte planes have a bad header");
    }
    auto out = Values::make(request.type, request.rows.count);
    auto* integers = out->mutable_data<std::int64_t>();
    std::vector<std::uint64_t> numbers(request.rows.count);
    EVQ_TRY(read_planes(in, request.size, width, request.rows, numbers.data()));
    to_values(range, numbers.data(), numbers.size(), integers);
    return Vector::flat(std::move(out));
  }
};

}  // namespace

std::size_t plane_width(std::uint64_t greatest) {
  return std::max<std::size_t>(1, (static_cast<std::size_t>(std::bit_width(greatest)) + 7) / 8);
}

double estimate_plane_bits(const std::uint64_t* numbers, std::size_t size, std::size_t width,
                           std::size_t rows_in_all) {
  return plane_bits(numbers, size, width, rows_in_all);
}

double estimate_plane_bits(const std::uint16_t* numbers, std::size_t size, std::size_t width) {
  return plane_bits(numbers, size, width, size);
}

void write_planes(const std::uint64_t* numbers, std::size_t size, std::size_t width, int level,
                  ByteWriter& out) {
  write_all(numbers, size, width, level, out);
}

void write_planes(const std::uint16_t* numbers, std::size_t size, std::size_t width, int level,
                  ByteWriter& out) {
  write_all(numbers, size, width, level, out);
}

Status read_planes(ByteReader& in, std::size_t size, std::size_t width, const RowSet& rows,
                   std::uint64_t* out) {
  return read_all(in, size, width, rows, out);
}

Status read_planes(ByteReader& in, std::size_t size, std::size_t width, const RowSet& rows,
                   std::uint16_t* out) {
  return read_all(in, size, width, rows, out);
}

const ColumnEncoding& byte_planes() {
  static const BytePlanes kEncoding;
  return kEncoding;
}

}  // namespace evq
