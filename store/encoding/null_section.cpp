#include "store/encoding/null_section.h"

#include <algorithm>
#include <bit>
#include <string>

#include "store/column/physical.h"
#include "store/encoding/byte_string.h"

namespace evq {
namespace {

enum NullKind : std::uint8_t {
  kNoNulls = 0,
  kBitmapOfValid = 1,
  kNullRows = 2,
  kValidRows = 3,
  kAllNull = 4,
};

// Lists of gaps win over an entropy-coded bitmap when the listed rows are rarer than this.
constexpr std::size_t kListShare = 40;

std::size_t word_count(std::size_t rows) {
  return (rows + 63) / 64;
}

// Clears the bits behind the last row.
void trim(std::vector<std::uint64_t>& bits, std::size_t rows) {
  if (rows % 64 != 0) {
    bits.back() &= (std::uint64_t{1} << (rows % 64)) - 1;
  }
}

// Gaps between the rows whose bit is `wanted`.
std::vector<std::int64_t> list_gaps(const NullSection& section, bool wanted) {
  std::vector<std::int64_t> gaps;
  std::int64_t next = 0;
  gaps.reserve(wanted ? section.rows - section.nulls : section.nulls);
  for (std::size_t begin = 0; begin < section.rows; begin += 64) {
    const std::uint64_t word = section.valid[begin / 64];
    const std::size_t rows = std::min<std::size_t>(64, section.rows - begin);
    std::uint64_t bits = (wanted ? word : ~word) & (~std::uint64_t{0} >> (64 - rows));
    for (; bits != 0; bits &= bits - 1) {
      const auto row = static_cast<std::int64_t>(begin) + std::countr_zero(bits);
      gaps.push_back(row - next);
      next = row + 1;
    }
  }
  return gaps;
}

Status read_list(ByteReader& in, NullKind kind, NullSection* section) {
  const bool valid = kind == kValidRows;
  const std::size_t listed = valid ? section->rows - section->nulls : section->nulls;
  EVQ_TRY_ASSIGN(const Vector coded, decode_stream(in, DecodeRequest{}.inner(Type::kLong, listed)));
  section->valid.assign(word_count(section->rows), valid ? 0 : ~std::uint64_t{0});
  trim(section->valid, section->rows);
  std::size_t row = 0;
  for (std::size_t i = 0; i < listed; ++i) {
    const auto gap = static_cast<std::uint64_t>(coded.at<std::int64_t>(i));
    if (row >= section->rows || gap >= section->rows - row) {
      return corrupt_segment("a list of rows leaves the column");
    }
    row += gap;
    section->valid[row / 64] ^= std::uint64_t{1} << (row % 64);
    ++row;
  }
  return {};
}

Status read_bitmap(ByteReader& in, NullSection* section) {
  const std::size_t bytes = (section->rows + 7) / 8;
  EVQ_TRY_ASSIGN(const ByteString stored, read_byte_string(in, bytes));
  if (stored.raw_size != bytes) {
    return corrupt_segment("a bitmap of nulls has the wrong size");
  }
  section->valid.assign(word_count(section->rows), 0);
  EVQ_TRY(unpack_byte_string(stored, reinterpret_cast<char*>(section->valid.data())));
  trim(section->valid, section->rows);
  return {};
}

}  // namespace

NullSection make_null_section(const std::uint64_t* validity, std::size_t rows) {
  NullSection section;
  section.rows = rows;
  if (validity == nullptr || rows == 0) {
    return section;
  }
  section.valid.assign(validity, validity + word_count(rows));
  trim(section.valid, rows);
  section.nulls = rows - count_bits(section.valid);
  if (section.nulls == 0 || section.nulls == rows) {
    section.valid.clear();
  }
  return section;
}

void write_null_section(const NullSection& section, const EncodeOptions& options, ByteWriter& out) {
  if (section.nulls == 0 || section.nulls == section.rows) {
    out.u8(section.nulls == 0 ? kNoNulls : kAllNull);
    return;
  }
  const std::size_t values = section.rows - section.nulls;
  NullKind kind = kBitmapOfValid;
  if (section.nulls * kListShare < section.rows) {
    kind = kNullRows;
  } else if (values * kListShare < section.rows) {
    kind = kValidRows;
  }
  out.u8(kind);
  out.varint(section.nulls);
  if (kind == kBitmapOfValid) {
    const std::string_view bytes(reinterpret_cast<const char*>(section.valid.data()),
                                 (section.rows + 7) / 8);
    return write_byte_string(bytes, options.zstd_level, out);
  }
  const std::vector<std::int64_t> gaps = list_gaps(section, kind == kValidRows);
  encode_stream({Type::kLong, gaps.size(), gaps.data()}, options, out);
}

Result<NullSection> read_null_section(ByteReader& in, std::size_t rows) {
  NullSection section;
  section.rows = rows;
  const std::uint8_t kind = in.u8();
  if (kind == kNoNulls || kind == kAllNull) {
    section.nulls = kind == kAllNull ? rows : 0;
    return section;
  }
  section.nulls = in.varint();
  if (!in.ok() || kind > kAllNull || section.nulls == 0 || section.nulls >= rows) {
    return corrupt_segment("a null section has a bad header");
  }
  if (kind == kBitmapOfValid) {
    EVQ_TRY(read_bitmap(in, &section));
  } else {
    EVQ_TRY(read_list(in, static_cast<NullKind>(kind), &section));
  }
  if (rows - count_bits(section.valid) != section.nulls) {
    return corrupt_segment("a null section miscounts");
  }
  return section;
}

}  // namespace evq
