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

TEST_CASE("null entries of a dictionary are null rows, one or two of them, few or many") {
  Random random(5);
  for (const std::size_t nulls : {1U, 2U}) {
    for (const std::size_t percent : {0U, 1U, 50U, 97U, 100U}) {
      for (const std::size_t rows : {1U, 63U, 64U, 65U, 128U, 1000U}) {
        CAPTURE(nulls);
        CAPTURE(percent);
        CAPTURE(rows);
        const auto entries = Values::make(Type::kLong, 12);
        for (std::size_t entry = 0; entry < 12; ++entry) {
          entries->mutable_data<std::int64_t>()[entry] = static_cast<std::int64_t>(entry);
        }
        for (std::size_t i = 0; i < nulls; ++i) {
          entries->set_null(3 + 4 * i);
        }
        const auto codes = make_codes(rows);
        for (std::size_t row = 0; row < rows; ++row) {
          const std::size_t null = 3 + 4 * (random() % nulls);
          codes.get()[row] = static_cast<Code>(random() % 100 < percent ? null : random() % 12);
        }
        const Vector column = Vector::dictionary(entries, codes, rows);
        const Result<EncodedSegment> encoded = encode_segment(column, {}, 32);
        REQUIRE(encoded.ok());
        const Result<Vector> back =
            decode_segment(encoded->bytes, Type::kLong, rows, {0, rows, nullptr});
        REQUIRE(back.ok());
        for (std::size_t row = 0; row < rows; ++row) {
          REQUIRE(back->is_null(row) == column.is_null(row));
          REQUIRE((column.is_null(row) || back->value(row) == column.value(row)));
        }
      }
    }
  }
}

}  // namespace evq
