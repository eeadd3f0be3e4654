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

TEST_CASE("interleave takes rows of several chunks") {
  const Chunk a = sample_chunk();
  const Chunk b = a.slice(3, 9);
  const Chunk unused;
  const std::vector<const Chunk*> parts = {&a, &unused, &b};
  const Chunk made = interleave(parts, std::vector<RowPlace>{{2, 8}, {0, 29}, {2, 0}, {0, 29}});
  CHECK(made.rows() == 4);
  for (std::size_t column = 0; column < 2; ++column) {
    const std::vector<Value> values = values_of(a.column(column));
    check_rows(made.column(column), {values[11], values[29], values[3], values[29]});
  }
  const Chunk one = interleave(parts, std::vector<RowPlace>{{2, 1}, {2, 0}});
  check_rows(one.column(1), {a.column(1).value(4), a.column(1).value(3)});
  CHECK(interleave(parts, {}).empty());
}

}  // namespace evq::test
