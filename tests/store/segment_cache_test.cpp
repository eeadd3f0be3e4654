#include "store/segment_cache.h"

#include <doctest/doctest.h>

#include "tests/support/store_support.h"

namespace evq {
namespace {

Vector numbers(std::size_t count) {
  auto values = Values::make(Type::kLong, count);
  for (std::size_t i = 0; i < count; ++i) {
    values->mutable_data<std::int64_t>()[i] = static_cast<std::int64_t>(i);
  }
  return Vector::flat(std::move(values));
}

SegmentKey key(std::uint64_t column) {
  return {1, 1, column};
}

}  // namespace

TEST_CASE("the least recently used columns go first") {
  SegmentCache cache(3 * 8 * 1000 + 2000);
  for (std::uint64_t column = 0; column < 3; ++column) {
    cache.put_column(key(column), numbers(1000));
  }
  CHECK(cache.find_column(key(0)).has_value());
  cache.put_column(key(3), numbers(1000));
  CHECK(cache.find_column(key(0)).has_value());
  CHECK(!cache.find_column(key(1)).has_value());
  CHECK(cache.find_column(key(3))->size() == 1000);
  CHECK(cache.size_bytes() <= 3 * 8 * 1000 + 2000);
}

TEST_CASE("of a working set beyond the budget a part stays") {
  constexpr std::uint64_t kColumns = 10;
  SegmentCache cache(4 * 8 * 1000 + 3000);
  cache.put_column({1, 2, 0}, numbers(1000));
  for (int round = 0; round < 3; ++round) {
    const std::uint64_t reader = cache.new_reader();
    std::size_t found = 0;
    for (std::uint64_t column = 0; column < kColumns; ++column) {
      if (cache.find_column(key(column), reader).has_value()) {
        ++found;
      } else {
        cache.put_column(key(column), numbers(1000), reader);
      }
    }
    CHECK(found == (round == 0 ? 0 : 4));
  }
  // What another reader wants pushes it out.
  CHECK_FALSE(cache.find_column({1, 2, 0}).has_value());
  cache.put_column({1, 2, 0}, numbers(1000), cache.new_reader());
  CHECK(cache.find_column({1, 2, 0}).has_value());
}

TEST_CASE("the budget grows with what is read, to its bound, and never falls") {
  const auto kept_of_four = [](SegmentCache& cache) {
    std::size_t kept = 0;
    for (std::uint64_t column = 0; column < 4; ++column) {
      cache.put_column(key(column), numbers(1000));
    }
    for (std::uint64_t column = 0; column < 4; ++column) {
      kept += cache.find_column(key(column)).has_value() ? 1U : 0U;
    }
    return kept;
  };
  constexpr std::size_t kColumnBytes = 8 * 1000 + 1000;
  SegmentCache cache(kColumnBytes, 3 * kColumnBytes);
  cache.grow_for(0);
  CHECK(kept_of_four(cache) == 1);
  cache.grow_for(3 * kColumnBytes);  // three quarters of it are room for two
  cache.grow_for(kColumnBytes);
  CHECK(kept_of_four(cache) == 2);
  cache.grow_for(~std::uint64_t{0});
  CHECK(kept_of_four(cache) == 3);
  SegmentCache none(0, kColumnBytes);
  none.grow_for(kColumnBytes);
  CHECK(none.keeps_nothing());
}

TEST_CASE("a column of which few rows are wanted twice is worth decoding whole") {
  SegmentCache cache(100000);
  CHECK(!cache.note_few_rows(key(0)));
  CHECK(!cache.find_column(key(0)).has_value());
  CHECK(cache.note_few_rows(key(0)));
  cache.put_column(key(0), numbers(1000));
  CHECK(cache.find_column(key(0))->size() == 1000);
}

TEST_CASE("a column that went unused is not decoded whole again") {
  SegmentCache cache(2 * 8 * 1000 + 1000);
  CHECK(!cache.note_few_rows(key(0)));
  CHECK(cache.note_few_rows(key(0)));
  cache.put_column(key(0), numbers(1000));
  for (std::uint64_t column = 1; column < 3; ++column) {
    cache.put_column(key(column), numbers(1000));
  }
  CHECK(!cache.find_column(key(0)).has_value());
  CHECK(!cache.note_few_rows(key(0)));
  // One read whole for its own sake stays.
  cache.put_column(key(0), numbers(1000));
  CHECK(cache.find_column(key(0)).has_value());
}

TEST_CASE("what is known of a column outlasts making room for it") {
  SegmentCache cache(2 * 8 * 1000 + 2000);
  CHECK(!cache.note_few_rows(key(0)));
  for (std::uint64_t column = 1; column < 3; ++column) {
    cache.put_column(key(column), numbers(1000));
  }
  cache.put_column(key(0), numbers(1000));  // in the place of the note, among others
  for (std::uint64_t column = 3; column < 5; ++column) {
    cache.put_column(key(column), numbers(1000));
  }
  CHECK(!cache.find_column(key(0)).has_value());
  CHECK(!cache.note_few_rows(key(0)));  // it went unused
  CHECK(!cache.note_few_rows(key(0)));
}

TEST_CASE("a block that was just written is there as a whole until it is forgotten") {
  SegmentCache cache(100000);
  DecodedBlock block;
  block.header = std::make_shared<const BlockHeader>();
  block.columns = {numbers(10), numbers(20)};
  cache.put_column({1, 2, 0}, numbers(5));
  const std::size_t before = cache.size_bytes();
  cache.put_block(1, 1, block);
  const auto filter = std::make_shared<const std::string>(400, 'f');
  cache.put_filter(key(1 | kFilterBit), {*filter, filter});
  CHECK(cache.size_bytes() >= before + 30 * sizeof(std::int64_t));
  CHECK(cache.find_header({1, 1, kHeaderColumn}) == block.header);
  CHECK(cache.find_column(key(0))->size() == 10);
  CHECK(cache.find_column(key(1))->size() == 20);
  cache.forget_block(1, 1, 2);
  CHECK(cache.find_header({1, 1, kHeaderColumn}) == nullptr);
  CHECK_FALSE(cache.find_column(key(0)).has_value());
  CHECK_FALSE(cache.find_column(key(1)).has_value());
  CHECK_FALSE(cache.find_filter(key(1 | kFilterBit)).has_value());
  CHECK(cache.find_column({1, 2, 0})->size() == 5);
  CHECK(cache.size_bytes() == before);
}

TEST_CASE("a filter is there beside its column, until others need its place") {
  SegmentCache cache(10000);
  const auto bytes = std::make_shared<const std::string>(4000, 'f');
  cache.put_filter(key(0 | kFilterBit), {*bytes, bytes});
  CHECK(!cache.find_column(key(0)).has_value());
  CHECK(cache.find_filter(key(0 | kFilterBit))->view == *bytes);
  CHECK(!cache.find_filter(key(1 | kFilterBit)).has_value());
  cache.put_column(key(0), numbers(1000));
  CHECK(!cache.find_filter(key(0 | kFilterBit)).has_value());
  CHECK(cache.find_column(key(0))->size() == 1000);
}

TEST_CASE("a cache without a budget keeps nothing") {
  SegmentCache cache(0);
  CHECK(!cache.note_few_rows(key(0)));
  CHECK(!cache.note_few_rows(key(0)));
  cache.put_column(key(0), numbers(1));
  CHECK(!cache.find_column(key(0)).has_value());
  CHECK(cache.size_bytes() == 0);
}

TEST_CASE("the budget for decoded columns grows with the dataset that is read") {
  for (const bool grows : {false, true}) {
    const TempDirectory directory;
    StoreOptions options;
    options.directory = directory.path();
    options.block_rows = 10;
    options.cache_bytes = 1;
    options.cache_bytes_grown = grows ? kMebibyte : 0;
    auto store = Store::open(options);
    REQUIRE(store.ok());
    REQUIRE(load(**store, "d", numbered_events(0, 200, 0, 1)).ok());
    const Snapshot snapshot = (*store)->snapshot("d").value();
    const auto read_column = [&snapshot] {
      StoredBlock block = snapshot.open(snapshot.blocks().front()).value();
      return block.column("n").value().shared_values();
    };
    const auto first = read_column();
    CHECK((read_column() == first) == grows);  // the same memory, not only the same numbers
  }
}

}  // namespace evq
