#include "store/parquet/compact_writer.h"

namespace evq {
namespace {

// Wire types.
constexpr std::uint8_t kTrue = 1;
constexpr std::uint8_t kFalse = 2;
constexpr std::uint8_t kI32 = 5;
constexpr std::uint8_t kI64 = 6;
constexpr std::uint8_t kBinary = 8;
constexpr std::uint8_t kList = 9;
constexpr std::uint8_t kStruct = 12;
// Lists up to this size and steps of field ids up to this fit the first byte.
constexpr std::size_t kShortListMax = 14;
constexpr int kShortStepMax = 15;

}  // namespace

void CompactWriter::field(int id, std::uint8_t type) {
  const int step = id - last_ids_.back();
  last_ids_.back() = id;
  if (step >= 1 && step <= kShortStepMax) {
    out_.u8(static_cast<std::uint8_t>((static_cast<unsigned>(step) << 4U) | type));
    return;
  }
  out_.u8(type);
  out_.zigzag(id);
}

void CompactWriter::list(int id, std::uint8_t type, std::size_t size) {
  field(id, kList);
  if (size <= kShortListMax) {
    out_.u8(static_cast<std::uint8_t>((size << 4U) | type));
    return;
  }
  out_.u8(static_cast<std::uint8_t>(0xf0U | type));
  out_.varint(size);
}

void CompactWriter::begin_struct(int id) {
  if (id != 0) {
    field(id, kStruct);
  }
  last_ids_.push_back(0);
}

void CompactWriter::end_struct() {
  out_.u8(0);
  last_ids_.pop_back();
}

void CompactWriter::i32(int id, std::int32_t value) {
  field(id, kI32);
  out_.zigzag(value);
}

void CompactWriter::i64(int id, std::int64_t value) {
  field(id, kI64);
  out_.zigzag(value);
}

void CompactWriter::boolean(int id, bool value) {
  field(id, value ? kTrue : kFalse);
}

void CompactWriter::binary(int id, std::string_view value) {
  field(id, kBinary);
  out_.string(value);
}

void CompactWriter::begin_struct_list(int id, std::size_t size) {
  list(id, kStruct, size);
}

void CompactWriter::i32_list(int id, const std::vector<std::int32_t>& values) {
  list(id, kI32, values.size());
  for (const std::int32_t value : values) {
    out_.zigzag(value);
  }
}

void CompactWriter::binary_list(int id, const std::vector<std::string_view>& values) {
  list(id, kBinary, values.size());
  for (const std::string_view value : values) {
    out_.string(value);
  }
}

}  // namespace evq
