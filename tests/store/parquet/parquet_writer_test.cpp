// ParquetWriter: what it holds of the rows that it has written. What files hold is tested where
// they are exported.
#include "store/parquet/parquet_writer.h"

#include <cstdint>
#include <utility>

#include <doctest/doctest.h>
#include <malloc.h>

#include "store/base/limits.h"

namespace evq {
namespace {

// Of the C library, which a sanitizer's allocator is not.
std::size_t heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Numbers that no page can make smaller.
Chunk odd_numbers(std::size_t rows) {
  auto values = Values::make(Type::kLong, rows);
  auto* numbers = values->mutable_data<std::int64_t>();
  std::uint64_t state = 1;
  for (std::size_t row = 0; row < rows; ++row) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    numbers[row] = static_cast<std::int64_t>(state ^ (state >> 29U));
  }
  return Chunk({Vector::flat(std::move(values))}, rows);
}

TEST_CASE("row groups that are written take no memory") {
  constexpr std::size_t kChunks = 32;
  const Chunk chunk = odd_numbers(kChunkRowsMax);
  std::uint64_t written = 0;
  ParquetWriter writer(Schema({{"n", Type::kLong}}), [&written](std::string_view bytes) {
    written += bytes.size();
    return Status();
  });
  const std::size_t heap_before = heap_bytes();
  for (std::size_t i = 0; i < kChunks; ++i) {
    REQUIRE(writer.push(chunk).ok());
  }
  CHECK(written > 12 * kMebibyte);
  CHECK(heap_bytes() < heap_before + 2 * kMebibyte);
  REQUIRE(writer.finish().ok());
}

}  // namespace
}  // namespace evq
