#include "store/column/chunk.h"

#include <vector>

#include <doctest/doctest.h>

#include "tests/support/column_samples.h"

namespace evq::test {
namespace {

Chunk sample_chunk() {
  Chunk chunk({sample_vectors(Type::kLong, 30)[2], sample_vectors(Type::kString, 30)[1]}, 30);
  chunk.set_sequence(9);
  return chunk;
}

}  // namespace

TEST_CASE("select keeps the rows of every column") {
  Chunk chunk = sample_chunk();
  const std::vector<Value> longs = values_of(chunk.column(0));
  const std::vector<Value> texts = values_of(chunk.column(1));
  const std::vector<std::uint32_t> rows = {29, 0, 7};
  chunk.select(rows);
  CHECK(chunk.rows() == 3);
  CHECK(chunk.sequence() == 9);
  check_rows(chunk.column(0), {longs[29], longs[0], longs[7]});
  check_rows(chunk.column(1), {texts[29], texts[0], texts[7]});
  chunk.select({});
  CHECK(chunk.empty());
  CHECK(chunk.column(0).size() == 0);
}

TEST_CASE("slice takes a run of rows") {
  const Chunk chunk = sample_chunk();
  const Chunk part = chunk.slice(10, 2);
  CHECK(part.rows() == 2);
  CHECK(part.sequence() == 9);
  CHECK(part.column_count() == 2);
  check_rows(part.column(1), {chunk.column(1).value(10), chunk.column(1).value(11)});
  CHECK(chunk.size_bytes() > part.column(0).size_bytes());
}

}  // namespace evq::test
