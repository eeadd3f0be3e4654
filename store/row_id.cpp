#include "store/row_id.h"

#include "store/base/ascii.h"
#include "store/base/bytes.h"
#include "store/base/checksum.h"
#include "store/base/ordered_bits.h"

namespace evq {

namespace {

constexpr std::size_t kTimeDigits = 16;
constexpr std::size_t kOrdinalDigits = 16;
constexpr std::size_t kSumDigits = 8;
constexpr std::size_t kCursorSize = kTimeDigits + 1 + kOrdinalDigits + 1 + kSumDigits;

void append_digits(std::string* out, std::uint64_t value, std::size_t digits) {
  for (std::size_t i = digits; i-- > 0;) {
    out->push_back(kHexDigits[(value >> (4 * i)) & 15]);
  }
}

// False on anything but lower-case digits.
bool parse_hex(std::string_view text, std::uint64_t* value) {
  *value = 0;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    const bool letter = c >= 'a' && c <= 'f';
    if (!digit && !letter) {
      return false;
    }
    *value = (*value << 4) | static_cast<std::uint64_t>(digit ? c - '0' : c - 'a' + 10);
  }
  return true;
}

std::uint64_t sum_of(const RowId& row, std::uint64_t dataset) {
  ByteWriter bytes;
  bytes.i64(row.time);
  bytes.u64(row.ordinal);
  if (dataset != 0) {
    bytes.u64(dataset);
  }
  return checksum64(bytes.view()) >> 32;
}

Error not_a_cursor() {
  return make_error(ErrorCode::kUsage, "the cursor is not one that evq gave out");
}

}  // namespace

std::string encode_cursor(const RowId& row, std::uint64_t dataset) {
  std::string text;
  text.reserve(kCursorSize);
  append_digits(&text, ordered_bits(row.time), kTimeDigits);
  text.push_back('-');
  append_digits(&text, row.ordinal, kOrdinalDigits);
  text.push_back('-');
  append_digits(&text, sum_of(row, dataset), kSumDigits);
  return text;
}

Result<RowId> decode_cursor(std::string_view text, std::uint64_t dataset) {
  Result<RowId> row = read_cursor(text);
  if (row.ok() && encode_cursor(row.value(), dataset) != text) {
    return not_a_cursor();
  }
  return row;
}

Result<RowId> read_cursor(std::string_view text) {
  std::uint64_t time = 0;
  std::uint64_t ordinal = 0;
  std::uint64_t sum = 0;
  const bool reads = text.size() == kCursorSize && text[kTimeDigits] == '-' &&
                     text[kTimeDigits + 1 + kOrdinalDigits] == '-' &&
                     parse_hex(text.substr(0, kTimeDigits), &time) &&
                     parse_hex(text.substr(kTimeDigits + 1, kOrdinalDigits), &ordinal) &&
                     parse_hex(text.substr(kCursorSize - kSumDigits), &sum);
  if (!reads) {
    return not_a_cursor();
  }
  return RowId{long_of_ordered_bits(time), ordinal};
}

}  // namespace evq
