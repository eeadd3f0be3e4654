// MomentStates against sums of every value and product one by one, for values of few binades and of
// many, in one state and in several that are merged.

#include "apl/functions/moments.h"

#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/column/vector_builder.h"

namespace evq {
namespace {

constexpr std::size_t kChunks = 12;
constexpr std::size_t kChunkRows = 700;  // a chunk
constexpr std::uint32_t kGroups = 5;

struct Shape {
  const char* name;
  std::function<double(std::size_t chunk, std::mt19937_64&)> value;
};

double signed_power(std::mt19937_64& random, int least, int greatest) {
  const auto span = static_cast<std::uint64_t>(greatest - least + 1);
  const int exponent = least + static_cast<int>(random() % span);
  const double size =
      std::ldexp(1 + std::ldexp(static_cast<double>(random() >> 12), -52), exponent);
  return random() % 2 == 0 ? size : -size;
}

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> kAll = {
      {"small integers",
       [](std::size_t, std::mt19937_64& r) { return static_cast<double>(r() % 100) - 50; }},
      {"nanoseconds, nearly equal",
       [](std::size_t, std::mt19937_64& r) { return 1.7e18 + static_cast<double>(r() % 3) * 256; }},
      {"a dozen binades", [](std::size_t, std::mt19937_64& r) { return signed_power(r, -4, 7); }},
      {"thirty binades", [](std::size_t, std::mt19937_64& r) { return signed_power(r, -20, 10); }},
      {"other binades in later chunks",
       [](std::size_t chunk, std::mt19937_64& r) {
         return signed_power(r, chunk < kChunks / 2 ? 0 : 100, chunk < kChunks / 2 ? 3 : 104);
       }},
      {"zeros", [](std::size_t, std::mt19937_64& r) { return r() % 2 == 0 ? 0.0 : -0.0; }},
      {"the whole range",
       [](std::size_t, std::mt19937_64& r) { return signed_power(r, -500, 500); }},
      {"beyond the range",
       [](std::size_t, std::mt19937_64& r) { return signed_power(r, 600, 640); }},
      {"infinite in one chunk",
       [](std::size_t chunk, std::mt19937_64& r) {
         return chunk == 3 ? std::numeric_limits<double>::infinity() : signed_power(r, 0, 9);
       }},
  };
  return kAll;
}

// Rows of one chunk: values, some of them null, and groups.
template <std::size_t kInputs>
struct Rows {
  std::array<Vector, kInputs> inputs;
  std::vector<std::uint32_t> groups;
};

Vector make_column(const Shape& shape, std::size_t chunk, std::mt19937_64& random) {
  VectorBuilder builder(Type::kReal);
  for (std::size_t row = 0; row < kChunkRows; ++row) {
    if (random() % 16 == 0) {
      builder.append_null();
    } else {
      builder.append_real(shape.value(chunk, random));
    }
  }
  return builder.finish();
}

template <std::size_t kInputs>
std::vector<Rows<kInputs>> make_rows(const Shape& shape, bool grouped, std::mt19937_64& random) {
  std::vector<Rows<kInputs>> all(kChunks);
  for (std::size_t chunk = 0; chunk < kChunks; ++chunk) {
    for (Vector& input : all[chunk].inputs) {
      input = make_column(shape, chunk, random);
    }
    for (std::size_t row = 0; grouped && row < kChunkRows; ++row) {
      all[chunk].groups.push_back(static_cast<std::uint32_t>(random() % kGroups));
    }
  }
  return all;
}

template <std::size_t kInputs>
struct PlainSums {
  std::uint64_t count = 0;
  std::array<RealSum, kInputs> sums;
  ProductSum products;
};

template <std::size_t kInputs>
void add_plainly(const Rows<kInputs>& rows, std::vector<PlainSums<kInputs>>* groups) {
  for (std::size_t row = 0; row < kChunkRows; ++row) {
    if (rows.inputs.front().is_null(row) || rows.inputs.back().is_null(row)) {
      continue;
    }
    PlainSums<kInputs>& group = (*groups)[rows.groups.empty() ? 0 : rows.groups[row]];
    ++group.count;
    for (std::size_t i = 0; i < kInputs; ++i) {
      group.sums[i].add(rows.inputs[i].template at<double>(row));
    }
    group.products.add(exact_product(rows.inputs.front().template at<double>(row),
                                     rows.inputs.back().template at<double>(row)));
  }
}

template <std::size_t kInputs>
MomentStates<kInputs> merged(const std::vector<Rows<kInputs>>& all, std::size_t states) {
  std::vector<MomentStates<kInputs>> parts(states);
  for (MomentStates<kInputs>& part : parts) {
    part.resize(kGroups);
  }
  for (std::size_t chunk = 0; chunk < kChunks; ++chunk) {
    const std::vector<std::uint32_t>& groups = all[chunk].groups;
    parts[chunk * states / kChunks].add(all[chunk].inputs, groups.empty() ? nullptr : groups.data(),
                                        kChunkRows);
  }
  MomentStates<kInputs> whole;
  whole.resize(kGroups);
  std::vector<GroupPair> pairs;
  for (std::uint32_t group = 0; group < kGroups; ++group) {
    pairs.push_back({group, kGroups - 1 - group});
  }
  for (const MomentStates<kInputs>& part : parts) {
    whole.merge(part, pairs);
  }
  return whole;
}

std::uint64_t bits_of(double value) {
  return std::isnan(value) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(value);
}

template <std::size_t kInputs>
void check(const Shape& shape, bool grouped, std::size_t states) {
  CAPTURE(std::string(shape.name));
  CAPTURE(grouped);
  CAPTURE(states);
  std::mt19937_64 random(7);
  const auto all = make_rows<kInputs>(shape, grouped, random);
  std::vector<PlainSums<kInputs>> plain(kGroups);
  for (const Rows<kInputs>& rows : all) {
    add_plainly(rows, &plain);
  }
  const MomentStates<kInputs> whole = merged(all, states);
  for (std::size_t group = 0; group < kGroups; ++group) {
    CAPTURE(group);
    const PlainSums<kInputs>& expected = plain[group];
    const std::size_t at = kGroups - 1 - group;
    REQUIRE(whole.count(at) == expected.count);
    if (expected.count > 0) {
      const double moment = co_moment(expected.products, expected.sums.front(),
                                      expected.sums.back(), static_cast<double>(expected.count));
      CHECK(bits_of(whole.co_moment(at)) == bits_of(moment));
    }
  }
}

TEST_CASE("moments: as sums of all values and products one by one") {
  for (const Shape& shape : shapes()) {
    for (const bool grouped : {false, true}) {
      for (const std::size_t states : {1U, 2U, 5U}) {
        check<1>(shape, grouped, states);
        check<2>(shape, grouped, states);
      }
    }
  }
}

// Longs around `base`, some of them null, and what they are beside it.
struct Distances {
  Vector longs;
  Vector reals;
};
Distances make_distances(std::int64_t base, std::mt19937_64& random) {
  VectorBuilder longs(Type::kLong);
  VectorBuilder reals(Type::kReal);
  for (std::size_t row = 0; row < kChunkRows; ++row) {
    if (random() % 16 == 0) {
      longs.append_null();
      reals.append_null();
      continue;
    }
    const auto distance = static_cast<std::int64_t>(random() % 1000);
    longs.append_integer(base < 0 ? base + distance : base - distance);
    reals.append_real(static_cast<double>(base < 0 ? distance : -distance));
  }
  return {longs.finish(), reals.finish()};
}

// Where values lie is nothing to their distances from their mean.
TEST_CASE("moments: of longs that no double holds") {
  std::mt19937_64 random(11);
  const std::vector<std::uint32_t> groups(kChunkRows, 0);
  for (const std::int64_t base : {std::int64_t{1704067200000000000}, INT64_MAX, INT64_MIN}) {
    CAPTURE(base);
    const Distances x = make_distances(base, random);
    const Distances y = make_distances(base / 3, random);
    const Vector real = make_column(shapes()[3], 0, random);
    MomentStates<1, 1> spread;
    MomentStates<1> spread_of_reals;
    MomentStates<2, 3> both;
    MomentStates<2> both_of_reals;
    MomentStates<2, 1> one;
    MomentStates<2> one_of_reals;
    MomentStates<1, 1> parts[2];
    spread.resize(1);
    spread_of_reals.resize(1);
    both.resize(1);
    both_of_reals.resize(1);
    one.resize(1);
    one_of_reals.resize(1);
    for (MomentStates<1, 1>& part : parts) {
      part.resize(1);
      part.add({x.longs}, groups.data(), kChunkRows);
      spread.add({x.longs}, nullptr, kChunkRows);
      spread_of_reals.add({x.reals}, nullptr, kChunkRows);
    }
    parts[0].merge(parts[1], std::vector<GroupPair>{{0, 0}});
    both.add({x.longs, y.longs}, nullptr, kChunkRows);
    both_of_reals.add({x.reals, y.reals}, nullptr, kChunkRows);
    one.add({x.longs, real}, nullptr, kChunkRows);
    one_of_reals.add({x.reals, real}, nullptr, kChunkRows);
    CHECK(bits_of(spread.co_moment(0)) == bits_of(spread_of_reals.co_moment(0)));
    CHECK(bits_of(parts[0].co_moment(0)) == bits_of(spread_of_reals.co_moment(0)));
    CHECK(bits_of(both.co_moment(0)) == bits_of(both_of_reals.co_moment(0)));
    CHECK(one.co_moment(0) == doctest::Approx(one_of_reals.co_moment(0)).epsilon(1e-15));
  }
}

// Entries of a dictionary are added as often as they occur.
TEST_CASE("moments: shared entries count as their rows") {
  VectorBuilder entries(Type::kReal);
  for (const double value : {3.25, -1e-9, 0.0, 7e200}) {
    entries.append_real(value);
  }
  std::shared_ptr<Code[]> codes = make_codes(kChunkRows);
  for (std::size_t row = 0; row < kChunkRows; ++row) {
    codes.get()[row] = static_cast<Code>(row * row % 4);
  }
  const Vector shared =
      Vector::dictionary(entries.finish().shared_values(), std::move(codes), kChunkRows);
  MomentStates<1> by_entry;
  by_entry.resize(1);
  by_entry.add({shared}, nullptr, kChunkRows);
  MomentStates<1> by_row;
  by_row.resize(1);
  by_row.add({shared.flatten()}, nullptr, kChunkRows);
  CHECK(by_entry.count(0) == kChunkRows);
  CHECK(bits_of(by_entry.co_moment(0)) == bits_of(by_row.co_moment(0)));
}

TEST_CASE("binades: hold what lies in most of them, and zeros") {
  VectorBuilder builder(Type::kReal);
  for (const double value : {1e-30, 2.0, 3.0, 4095.0, 1e30}) {
    builder.append_real(value);
  }
  const Binades most = Binades::of_most(builder.finish(), 5);
  CHECK(most.holds(2.0));
  CHECK(most.holds(-4095.0));
  CHECK(most.holds(0.0));
  CHECK(most.holds(-0.0));
  CHECK_FALSE(most.holds(1e-30));
  CHECK_FALSE(most.holds(1e30));
  CHECK_FALSE(most.holds(std::nan("")));
  CHECK_FALSE(most.holds(std::numeric_limits<double>::infinity()));
  CHECK(std::ldexp(static_cast<double>(most.magnitude(-3.0)), most.unit()) == 3.0);
}

}  // namespace
}  // namespace evq
