// Columns of texts at the edges of the schemes for them.
#include <cstdint>
#include <functional>
#include <string>

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "store/column/vector_builder.h"
#include "store/encoding/segment.h"
#include "tests/support/random_text.h"

namespace evq {
namespace {

constexpr std::size_t kTextBoundBytes = 32;

Vector column_of_texts(std::size_t rows, const std::function<std::string(std::size_t)>& value) {
  VectorBuilder builder(Type::kString);
  for (std::size_t i = 0; i < rows; ++i) {
    builder.append_text(value(i));
  }
  return builder.finish();
}

void check_texts_come_back(const Vector& column, const EncodeOptions& options) {
  const std::size_t rows = column.size();
  const Result<EncodedSegment> encoded = encode_segment(column, options, kTextBoundBytes);
  REQUIRE(encoded.ok());
  const auto decoded = decode_segment(encoded->bytes, column.type(), rows, {0, rows, nullptr});
  REQUIRE(decoded.ok());
  REQUIRE(decoded->size() == rows);
  std::size_t different = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    different += decoded->at<std::string_view>(i) == column.at<std::string_view>(i) ? 0U : 1U;
  }
  CHECK(different == 0);
}

TEST_CASE("texts with all of a time but its date come back") {
  for (const std::string& date :
       {std::string(10, '\0'), std::string(10, '0'), std::string(10, '?')}) {
    const Vector column = column_of_texts(200, [&](std::size_t i) {
      return date + "T00:" + std::to_string(10 + i / 50) + ":" + std::to_string(10 + i % 50) + "Z";
    });
    check_texts_come_back(column, {});
  }
}

TEST_CASE("a long text that repeats is not too much for a column") {
  Random random(6);
  const std::string text = random_bytes(random, std::size_t{20} * 1024);
  const Vector constant = Vector::constant(Value::string(text), kBlockRowsMax);
  check_texts_come_back(constant, {});
  check_texts_come_back(constant, {.zstd_level = kUncompressed, .analyse = false});
  const Vector two = column_of_texts(2, [&](std::size_t i) { return text + std::to_string(i); });
  auto codes = make_codes(kBlockRowsMax);
  for (std::size_t i = 0; i < kBlockRowsMax; ++i) {
    codes.get()[i] = static_cast<Code>(i % 2);
  }
  check_texts_come_back(Vector::dictionary(two.shared_values(), codes, kBlockRowsMax), {});
  const Vector flat = constant.flatten();
  CHECK(encode_segment(flat, {}, kTextBoundBytes).error().code == ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace evq
