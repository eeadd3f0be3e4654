#include "store/encoding/packed_integers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "store/encoding/bitpack.h"
#include "store/encoding/encoding.h"
#include "store/encoding/integer_range.h"
#include "store/encoding/schemes.h"

// Patched frame of reference, with or without deltas (Zukowski et al., "Super-Scalar RAM-CPU Cache
// Compression"). Numbers (integer_range.h) are cut into groups of kGroupRows; every group has a
// base and a bit width of its own, and the few numbers that do not fit the width keep their high
// bits in a list of exceptions. In delta mode the packed numbers are differences of neighbours less
// the least difference of the group; the base is the group's first number, so groups decode alone.
//
//   range, u8 mode (0 values, 1 deltas)
//   for each group: varint base; mode 1: zigzag least difference; u8 width; varint exceptions;
//                   with exceptions: u8 width of their high bits
//   for each group: packed low bits (one fewer in mode 1), exceptions' positions packed in
//                   kPositionBits bits, their high bits packed

namespace evq {
namespace {

constexpr std::size_t kGroupRows = 1024;
constexpr unsigned kPositionBits = 10;
constexpr std::size_t kSampleGroups = 6;

struct Group {
  std::uint64_t base = 0;
  std::int64_t least_difference = 0;
  unsigned width = 0;
  unsigned high_width = 0;
  std::size_t exceptions = 0;
  std::size_t packed = 0;  // numbers packed
  std::size_t offset = 0;  // of its body
};

using GroupNumbers = std::array<std::uint64_t, kGroupRows>;

std::size_t body_bytes(const Group& group) {
  return packed_bytes(group.packed, group.width) + packed_bytes(group.exceptions, kPositionBits) +
         packed_bytes(group.exceptions, group.high_width);
}

// Chooses the width that makes the group's body smallest.
void choose_width(const std::uint64_t* packed, Group* group) {
  std::array<std::uint32_t, 65> counts{};
  for (std::size_t i = 0; i < group->packed; ++i) {
    ++counts[static_cast<std::size_t>(std::bit_width(packed[i]))];
  }
  unsigned greatest = 64;
  while (greatest > 0 && counts[greatest] == 0) {
    --greatest;
  }
  group->width = packed_width(greatest == 0 ? 0 : std::uint64_t{1} << (greatest - 1));
  group->exceptions = 0;
  group->high_width = 0;
  std::size_t best = body_bytes(*group);
  std::size_t above = 0;
  for (unsigned width = greatest; width-- > 0;) {
    above += counts[width + 1];
    Group tried = *group;
    tried.exceptions = above;
    tried.width = width;
    const unsigned high = greatest - width;
    tried.high_width = high > kPackedWidthMax ? 64 : high;
    if (width > kPackedWidthMax) {
      continue;
    }
    if (above > group->packed / 4) {
      break;
    }
    if (const std::size_t size = body_bytes(tried); size + 1 < best) {
      best = size;
      *group = tried;
    }
  }
}

// The group's base and the numbers to pack, for values or for deltas.
Group prepare(const std::uint64_t* numbers, std::size_t count, bool deltas, GroupNumbers& packed) {
  Group group;
  if (deltas) {
    group.base = numbers[0];
    group.packed = count - 1;
    std::int64_t least = 0;
    for (std::size_t i = 1; i < count; ++i) {
      packed[i - 1] = numbers[i] - numbers[i - 1];
      const auto difference = static_cast<std::int64_t>(packed[i - 1]);
      least = i == 1 ? difference : std::min(least, difference);
    }
    group.least_difference = least;
    for (std::size_t i = 0; i + 1 < count; ++i) {
      packed[i] -= static_cast<std::uint64_t>(least);
    }
  } else {
    group.base = *std::min_element(numbers, numbers + count);
    group.packed = count;
    for (std::size_t i = 0; i < count; ++i) {
      packed[i] = numbers[i] - group.base;
    }
  }
  choose_width(packed.data(), &group);
  return group;
}

std::size_t group_count(std::size_t size) {
  return (size + kGroupRows - 1) / kGroupRows;
}

std::size_t rows_of_group(std::size_t size, std::size_t group) {
  return std::min(kGroupRows, size - group * kGroupRows);
}

// Bytes of a few groups spread over the column, and how many numbers they hold; `numbers_of` gives
// those of a group.
template <class NumbersOf>
std::size_t sample_bytes(const NumbersOf& numbers_of, std::size_t size, bool deltas,
                         std::size_t* rows) {
  const std::size_t groups = group_count(size);
  const std::size_t step = std::max<std::size_t>(1, groups / kSampleGroups);
  GroupNumbers packed;
  std::size_t bytes = 0;
  *rows = 0;
  for (std::size_t g = 0; g < groups; g += step) {
    const std::size_t count = rows_of_group(size, g);
    // What the header holds for the group: about a base, a difference, two small numbers.
    bytes += body_bytes(prepare(numbers_of(g), count, deltas, packed)) + 6;
    *rows += count;
  }
  return bytes;
}

// Without deltas, divisor and exceptions: one look at the numbers tells all.
Group prepare_plainly(const std::int64_t* integers, std::size_t count, GroupNumbers& packed) {
  const auto [least, greatest] = std::minmax_element(integers, integers + count);
  Group group;
  group.base = static_cast<std::uint64_t>(*least);
  group.packed = count;
  group.width = packed_width(static_cast<std::uint64_t>(*greatest) - group.base);
  for (std::size_t i = 0; i < count; ++i) {
    packed[i] = static_cast<std::uint64_t>(integers[i]) - group.base;
  }
  return group;
}

void write_body(const GroupNumbers& packed, const Group& group, ByteWriter& out) {
  if (group.exceptions == 0) {
    pack_bits(packed.data(), group.packed, group.width, out);
    return;
  }
  const std::uint64_t mask = (std::uint64_t{1} << group.width) - 1;
  GroupNumbers low;
  GroupNumbers positions;
  GroupNumbers high;
  std::size_t exceptions = 0;
  for (std::size_t i = 0; i < group.packed; ++i) {
    low[i] = packed[i] & mask;
    if (low[i] != packed[i]) {
      positions[exceptions] = i;
      high[exceptions] = packed[i] >> group.width;
      ++exceptions;
    }
  }
  pack_bits(low.data(), group.packed, group.width, out);
  pack_bits(positions.data(), exceptions, kPositionBits, out);
  pack_bits(high.data(), exceptions, group.high_width, out);
}

void write_group_header(const Group& group, bool deltas, ByteWriter& out) {
  out.varint(group.base);
  if (deltas) {
    out.zigzag(group.least_difference);
  }
  out.u8(static_cast<std::uint8_t>(group.width));
  out.varint(group.exceptions);
  if (group.exceptions > 0) {
    out.u8(static_cast<std::uint8_t>(group.high_width));
  }
}

// The mode and all groups; `prepare_group` gives each group with its numbers.
template <class PrepareGroup>
void write_groups(std::size_t size, bool deltas, ByteWriter& out, PrepareGroup prepare_group) {
  out.u8(deltas ? 1 : 0);
  ByteWriter bodies;
  GroupNumbers packed;
  for (std::size_t g = 0; g < group_count(size); ++g) {
    const Group group = prepare_group(g, packed);
    write_group_header(group, deltas, out);
    write_body(packed, group, bodies);
  }
  out.raw(bodies.view());
}

// Reads the headers of all groups; false when they are not what write_group_header wrote.
bool read_group_headers(ByteReader& in, std::size_t size, bool deltas, std::vector<Group>& groups) {
  std::size_t offset = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    Group& group = groups[g];
    group.base = in.varint();
    group.packed = rows_of_group(size, g) - (deltas ? 1 : 0);
    group.least_difference = deltas ? in.zigzag() : 0;
    group.width = in.u8();
    group.exceptions = in.varint();
    group.high_width = group.exceptions > 0 ? in.u8() : 0;
    if (!in.ok() || !is_packed_width(group.width) || !is_packed_width(group.high_width) ||
        group.exceptions > group.packed || (group.exceptions > 0 && group.width == 64)) {
      return false;
    }
    group.offset = offset;
    offset += body_bytes(group);
  }
  return true;
}

// The numbers of one group. `body` holds body_bytes(group) bytes.
void unpack_group(const char* body, const Group& group, bool deltas, std::uint64_t* out) {
  std::uint64_t* packed = deltas ? out + 1 : out;
  unpack_bits(body, group.packed, group.width, packed);
  if (group.exceptions > 0) {
    GroupNumbers positions;
    GroupNumbers high;
    const char* at = body + packed_bytes(group.packed, group.width);
    unpack_bits(at, group.exceptions, kPositionBits, positions.data());
    at += packed_bytes(group.exceptions, kPositionBits);
    unpack_bits(at, group.exceptions, group.high_width, high.data());
    for (std::size_t i = 0; i < group.exceptions; ++i) {
      if (positions[i] < group.packed) {
        packed[positions[i]] |= high[i] << group.width;
      }
    }
  }
  if (!deltas) {
    for (std::size_t i = 0; i < group.packed; ++i) {
      packed[i] += group.base;
    }
    return;
  }
  const auto step = static_cast<std::uint64_t>(group.least_difference);
  std::uint64_t number = group.base;
  out[0] = number;
  for (std::size_t i = 0; i < group.packed; ++i) {
    number += packed[i] + step;
    packed[i] = number;
  }
}

class PackedIntegers final : public ColumnEncoding {
 public:
  EncodingId id() const override { return EncodingId::kPackedIntegers; }
  std::string_view name() const override { return "packed integers"; }
  bool accepts(Type type) const override { return physical_of(type) == Physical::kInt64; }

  bool encode(const DenseValues& values, const EncodeOptions& options,
              ByteWriter& out) const override {
    const auto* integers = values.data<std::int64_t>();
    if (!options.analyse) {
      write_range(IntegerRange{}, out);
      write_groups(values.size, false, out, [&](std::size_t g, GroupNumbers& packed) {
        return prepare_plainly(integers + g * kGroupRows, rows_of_group(values.size, g), packed);
      });
      return true;
    }
    const IntegerRange range = measure_range(integers, values.size);
    GroupNumbers numbers;
    const auto numbers_of = [&](std::size_t g) {
      to_numbers(range, integers + g * kGroupRows, rows_of_group(values.size, g), numbers.data());
      return static_cast<const std::uint64_t*>(numbers.data());
    };
    std::size_t rows = 0;
    const bool deltas = sample_bytes(numbers_of, values.size, true, &rows) <
                        sample_bytes(numbers_of, values.size, false, &rows);
    write_range(range, out);
    write_groups(values.size, deltas, out, [&](std::size_t g, GroupNumbers& packed) {
      return prepare(numbers_of(g), rows_of_group(values.size, g), deltas, packed);
    });
    return true;
  }

  Result<Vector> decode(ByteReader& in, const DecodeRequest& request) const override {
    const IntegerRange range = read_range(in);
    const std::uint8_t mode = in.u8();
    std::vector<Group> groups(group_count(request.size));
    if (mode > 1 || !read_group_headers(in, request.size, mode == 1, groups)) {
      return corrupt_segment("packed integers have a bad header");
    }
    const std::size_t total = groups.empty() ? 0 : groups.back().offset + body_bytes(groups.back());
    const std::string_view bodies = in.take(total);
    if (!in.ok()) {
      return corrupt_segment("packed integers end early");
    }
    auto out = Values::make(request.type, request.rows.count);
    auto* integers = out->mutable_data<std::int64_t>();
    GroupNumbers numbers;
    for (std::size_t i = 0; i < request.rows.count;) {
      const std::size_t g = request.rows[i] / kGroupRows;
      const std::size_t first = g * kGroupRows;
      const std::size_t end = first + rows_of_group(request.size, g);
      unpack_group(bodies.data() + groups[g].offset, groups[g], mode == 1, numbers.data());
      i = take_rows(request.rows, i, first, end,
                    [&](std::size_t from, std::size_t count, std::size_t to) {
                      to_values(range, numbers.data() + from, count, integers + to);
                    });
    }
    return Vector::flat(std::move(out));
  }
};

}  // namespace

double estimate_packed_bits(const std::uint64_t* numbers, std::size_t size) {
  const auto numbers_of = [numbers](std::size_t g) { return numbers + g * kGroupRows; };
  std::size_t rows = 0;
  const std::size_t values = sample_bytes(numbers_of, size, false, &rows);
  const std::size_t deltas = sample_bytes(numbers_of, size, true, &rows);
  return 8.0 * static_cast<double>(std::min(values, deltas)) / static_cast<double>(rows);
}

const ColumnEncoding& packed_integers() {
  static const PackedIntegers kEncoding;
  return kEncoding;
}

}  // namespace evq
