#include "store/encoding/dictionary.h"

#include <cstdint>
#include <optional>
#include <vector>

#include <doctest/doctest.h>

#include "store/encoding/segment.h"
#include "tests/support/random_text.h"

namespace evq {
namespace {

constexpr std::uint8_t kNoNulls = 0;
constexpr std::uint8_t kRecentCodes = 2;

// Numbers of which one in `share` was there before.
std::vector<std::int64_t> ids_that_come_back(std::size_t rows, std::size_t share, Random& random) {
  std::vector<std::int64_t> ids;
  for (std::size_t i = 0; i < rows; ++i) {
    ids.push_back(i % share == share - 1 ? ids[random() % ids.size()]
                                         : static_cast<std::int64_t>(random()));
  }
  return ids;
}

Dictionary dictionary_of(const std::vector<std::int64_t>& ids) {
  std::optional<Dictionary> dictionary =
      build_dictionary({Type::kLong, ids.size(), ids.data()}, ids.size());
  REQUIRE(dictionary.has_value());
  return *std::move(dictionary);
}

}  // namespace

TEST_CASE("codes of ids that come back now and then take little more than they tell") {
  Random random(8);
  constexpr std::size_t kRows = 65536;
  constexpr std::size_t kRepeats = kRows / 4;
  const std::vector<std::int64_t> ids = ids_that_come_back(kRows, 4, random);
  const Dictionary dictionary = dictionary_of(ids);
  CHECK(dictionary.entries.size == kRows - kRepeats);
  ByteWriter out;
  write_dictionary(dictionary, {}, out);
  // A bit a row, and 16 bits for what comes back.
  CHECK(out.size() < (kRows - kRepeats) * 8 + kRows / 8 + kRepeats * 2 + 1000);
}

TEST_CASE("codes of older files, distances of all rows, are read") {
  Random random(9);
  const std::vector<std::int64_t> ids = ids_that_come_back(5000, 3, random);
  const Dictionary dictionary = dictionary_of(ids);
  std::vector<std::int64_t> distances;
  std::int64_t given = 0;
  for (const Code code : dictionary.codes) {
    distances.push_back(given - code);
    given += code == given ? 1 : 0;
  }
  ByteWriter out;
  out.u8(static_cast<std::uint8_t>(EncodingId::kDictionary));
  out.u8(kNoNulls);
  out.varint(dictionary.entries.size);
  encode_stream(dictionary.entries, {}, out);
  out.u8(kRecentCodes);
  encode_stream({Type::kLong, distances.size(), distances.data()}, {}, out);
  for (const RowSet& rows : {RowSet{0, ids.size(), nullptr}, RowSet{1234, 99, nullptr}}) {
    const Result<Vector> decoded = decode_segment(out.view(), Type::kLong, ids.size(), rows);
    REQUIRE(decoded.ok());
    for (std::size_t i = 0; i < rows.count; ++i) {
      CHECK(decoded->at<std::int64_t>(i) == ids[rows[i]]);
    }
  }
}

}  // namespace evq
