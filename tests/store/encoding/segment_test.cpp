#include "store/encoding/segment.h"

#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/column/dynamic.h"
#include "store/column/vector_builder.h"
#include "store/encoding/chooser.h"
#include "tests/support/random_text.h"

// Every generator is encoded and decoded whole, by ranges and by lists of rows, and its bytes are
// damaged in every place.

namespace evq {
namespace {

constexpr std::size_t kBoundBytes = 32;

struct Generator {
  const char* name;
  std::function<Vector(std::size_t rows, Random& random)> make;
};

Vector longs(std::size_t rows, const std::function<std::int64_t(std::size_t)>& value,
             Type type = Type::kLong) {
  auto values = Values::make(type, rows);
  for (std::size_t i = 0; i < rows; ++i) {
    values->mutable_data<std::int64_t>()[i] = value(i);
  }
  return Vector::flat(std::move(values));
}

Vector reals(std::size_t rows, const std::function<double(std::size_t)>& value) {
  auto values = Values::make(Type::kReal, rows);
  for (std::size_t i = 0; i < rows; ++i) {
    values->mutable_data<double>()[i] = value(i);
  }
  return Vector::flat(std::move(values));
}

Vector texts(std::size_t rows, const std::function<std::string(std::size_t)>& value) {
  VectorBuilder builder(Type::kString);
  for (std::size_t i = 0; i < rows; ++i) {
    builder.append_text(value(i));
  }
  return builder.finish();
}

Vector with_nulls(const Vector& full, std::size_t percent, Random& random) {
  VectorBuilder builder(full.type());
  for (std::size_t i = 0; i < full.size(); ++i) {
    if (random() % 100 < percent) {
      builder.append_null();
    } else {
      builder.append_row(full, i);
    }
  }
  return builder.finish();
}

Vector dictionary(std::size_t rows, std::size_t entries, bool null_entry, Random& random) {
  VectorBuilder builder(Type::kString);
  for (std::size_t i = 0; i < entries; ++i) {
    if (null_entry && i == entries / 2) {
      builder.append_null();
    } else {
      builder.append_text("entry " + std::to_string(i * 7919 % 100003));
    }
  }
  auto codes = make_codes(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    codes.get()[i] = static_cast<Code>(entries >= rows ? i % entries : random() % entries);
  }
  return Vector::dictionary(builder.finish().shared_values(), codes, rows);
}

Vector dynamics(std::size_t rows, std::size_t distinct, Random& random) {
  VectorBuilder builder(Type::kDynamic);
  for (std::size_t i = 0; i < rows; ++i) {
    DynamicBuilder value;
    value.begin_array();
    value.add_long(static_cast<std::int64_t>(random() % distinct));
    value.add_string("text");
    value.end_array();
    builder.append_text(value.take());
  }
  return builder.finish();
}

const std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
const std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
// A table. NOLINTNEXTLINE(readability-function-size)
std::vector<Generator> number_generators() {
  return {
      {"null", [](std::size_t rows, Random&) { return Vector::constant(Value::null(), rows); }},
      {"null longs",
       [](std::size_t rows, Random&) { return Vector::constant(Value::null(Type::kLong), rows); }},
      {"constant long",
       [](std::size_t rows, Random&) { return Vector::constant(Value::integer(-5), rows); }},
      {"flat constant",
       [](std::size_t rows, Random&) { return longs(rows, [](auto) { return 7; }); }},
      {"ascending",
       [](std::size_t rows, Random&) {
         return longs(rows, [](auto i) { return static_cast<std::int64_t>(i) * 3 - 1000; });
       }},
      {"times",
       [](std::size_t rows, Random& random) {
         std::int64_t time = 1'700'000'000'000'000'000;
         return longs(
             rows, [&](auto) { return time += static_cast<std::int64_t>(random() % 90000) * 1000; },
             Type::kDatetime);
       }},
      {"random longs",
       [](std::size_t rows, Random& random) {
         return longs(rows, [&](auto) { return static_cast<std::int64_t>(random()); });
       }},
      {"extremes",
       [](std::size_t rows, Random& random) {
         return longs(rows, [&](auto) {
           const std::int64_t some[] = {kMin, kMax, 0, -1, 1, kMin + 1, kMax - 1};
           return some[random() % 7];
         });
       }},
      {"outliers",
       [](std::size_t rows, Random& random) {
         return longs(rows, [&](auto) {
           return static_cast<std::int64_t>(random() % 50 == 0 ? random() >> 8 : random() % 16);
         });
       }},
      {"skewed",
       [](std::size_t rows, Random& random) {
         return longs(rows, [&](auto) {
           return static_cast<std::int64_t>(random() % 10 == 0 ? random() % 60000 : 3);
         });
       }},
      {"runs",
       [](std::size_t rows, Random&) {
         return longs(rows, [](auto i) { return static_cast<std::int64_t>(i / 100 * 12345); });
       }},
      {"few timespans",
       [](std::size_t rows, Random& random) {
         return longs(
             rows, [&](auto) { return static_cast<std::int64_t>(random() % 5) * 1000000; },
             Type::kTimespan);
       }},
      {"bools",
       [](std::size_t rows, Random& random) {
         auto values = Values::make(Type::kBool, rows);
         for (std::size_t i = 0; i < rows; ++i) {
           values->mutable_data<std::uint8_t>()[i] = random() % 3 == 0 ? 1 : 0;
         }
         return Vector::flat(std::move(values));
       }},
      {"decimals",
       [](std::size_t rows, Random& random) {
         return reals(rows, [&](auto) { return static_cast<double>(random() % 1000000) / 1000; });
       }},
      {"random reals",
       [](std::size_t rows, Random& random) {
         return reals(rows, [&](auto) { return std::bit_cast<double>(random()); });
       }},
      {"odd reals",
       [](std::size_t rows, Random& random) {
         return reals(rows, [&](auto) {
           const double some[] = {0.0,
                                  -0.0,
                                  1.5,
                                  std::numeric_limits<double>::quiet_NaN(),
                                  std::numeric_limits<double>::infinity(),
                                  5e-324,
                                  -1.7e308};
           return some[random() % 7];
         });
       }},
      {"decimals with exceptions",
       [](std::size_t rows, Random& random) {
         return reals(rows, [&](auto i) {
           return i % 100 == 99 ? -0.0 : static_cast<double>(random() % 9999999) / 100;
         });
       }},
      {"nulls among longs",
       [](std::size_t rows, Random& random) {
         const Vector full =
             longs(rows, [&](auto) { return static_cast<std::int64_t>(random() % 100000); });
         return with_nulls(full, 50, random);
       }},
      {"few longs among nulls",
       [](std::size_t rows, Random& random) {
         const Vector full = longs(rows, [&](auto) { return static_cast<std::int64_t>(random()); });
         return with_nulls(full, 99, random);
       }},
      {"few nulls among reals",
       [](std::size_t rows, Random& random) {
         return with_nulls(reals(rows, [](auto i) { return static_cast<double>(i) / 8; }), 1,
                           random);
       }},
  };
}

// A table. NOLINTNEXTLINE(readability-function-size)
std::vector<Generator> text_generators() {
  return {
      {"empty texts",
       [](std::size_t rows, Random&) { return texts(rows, [](auto) { return ""; }); }},
      {"words",
       [](std::size_t rows, Random& random) {
         return texts(rows, [&](auto i) {
           return "request " + std::to_string(i) + " took " + std::to_string(random() % 900) + "ms";
         });
       }},
      {"lines of a log",
       [](std::size_t rows, Random& random) {
         return texts(rows, [&](auto) { return random_log_line(random); });
       }},
      {"any bytes",
       [](std::size_t rows, Random& random) {
         return texts(rows, [&](auto) { return random_bytes(random, random() % 40); });
       }},
      {"ids of which the last has a letter of its own",
       [](std::size_t rows, Random& random) {
         return texts(rows, [&](auto i) {
           return i + 1 == rows ? std::string(32, 'z') : random_hex(random, 32);
         });
       }},
      {"hex ids",
       [](std::size_t rows, Random& random) {
         return texts(rows, [&](auto) { return random_hex(random, 32); });
       }},
      {"repeated ids",
       [](std::size_t rows, Random& random) {
         std::vector<std::string> recent(64);
         return texts(rows, [&](auto) {
           std::string& slot = recent[random() % 64];
           if (slot.empty() || random() % 3 == 0) {
             slot = random_hex(random, 32);
           }
           return slot;
         });
       }},
      {"prefixed ids",
       [](std::size_t rows, Random& random) {
         return texts(rows, [&](auto) {
           return "at://did:plc:" + random_hex(random, 24, kBase32, 32) + "/post/" +
                  random_hex(random, 13, kBase32, 32);
         });
       }},
      {"hashes in base 32",
       [](std::size_t rows, Random& random) {
         return texts(rows,
                      [&](auto) { return "bafy" + random_letters(random, 32, kBase32, 5) + "."; });
       }},
      {"hashes in base 64",
       [](std::size_t rows, Random& random) {
         return texts(rows, [&](auto) { return random_letters(random, 32, kBase64, 6); });
       }},
      {"random UUIDs, the last of another version",
       [](std::size_t rows, Random& random) {
         return texts(rows, [&](auto i) {
           return random_hex(random, 8) + "-" + random_hex(random, 4) +
                  (i + 1 == rows ? "-7" : "-4") + random_hex(random, 3) + "-" +
                  "89abcdef"[random() % (i + 1 == rows ? 8 : 4)] + random_hex(random, 15);
         });
       }},
      {"ids that come back now and then",
       [](std::size_t rows, Random& random) {
         std::vector<std::string> ids;
         return texts(rows, [&](auto) {
           if (ids.empty() || random() % 4 != 0) {
             ids.push_back(random_hex(random, 24, kBase32, 32));
             return ids.back();
           }
           return ids[random() % ids.size()];
         });
       }},
      {"growing ids",
       [](std::size_t rows, Random& random) {
         std::uint64_t number = random() >> 20;
         return texts(rows, [&](auto i) {
           number += random() % 100000;
           if (i % 40 == 39) {
             return std::string("self");
           }
           std::string id = "3";
           for (int shift = 50; shift >= 0; shift -= 5) {
             id.push_back("234567abcdefghijklmnopqrstuvwxyz"[(number >> shift) & 31]);
           }
           return id;
         });
       }},
      {"time texts",
       [](std::size_t rows, Random& random) {
         return texts(rows, [&](auto) {
           return "2025-0" + std::to_string(1 + random() % 9) + "-1" +
                  std::to_string(random() % 9) + "T0" + std::to_string(random() % 9) + ":59:07." +
                  std::to_string(100 + random() % 900) + "Z";
         });
       }},
      {"one odd time text",
       [](std::size_t rows, Random& random) {
         return texts(rows, [&](auto i) {
           return i + 1 == rows && rows > 600
                      ? "2025-02-30T00:00:00Z"
                      : "2025-02-1" + std::to_string(random() % 9) + "T00:00:00Z";
         });
       }},
      {"few words",
       [](std::size_t rows, Random& random) {
         return texts(rows, [&](auto) { return "word" + std::to_string(random() % 9); });
       }},
      {"sparse words",
       [](std::size_t rows, Random& random) {
         const Vector full =
             texts(rows, [&](auto) { return "word" + std::to_string(random() % 90000); });
         return with_nulls(full, 90, random);
       }},
      {"rare words",
       [](std::size_t rows, Random& random) {
         const Vector full = texts(rows, [&](auto) { return random_hex(random, 8); });
         return with_nulls(full, 99, random);
       }},
      {"repeated sentences",
       [](std::size_t rows, Random& random) {
         const Vector full = texts(rows, [&](auto) {
           const std::uint64_t who = random() % 9000;
           return "user " + std::to_string(who) + std::string(who % 40, '-') + " was refused";
         });
         return with_nulls(full, 20, random);
       }},
      {"dictionary",
       [](std::size_t rows, Random& random) { return dictionary(rows, 40, false, random); }},
      {"dictionary with null",
       [](std::size_t rows, Random& random) { return dictionary(rows, 300, true, random); }},
      {"dictionary with every code",
       [](std::size_t rows, Random& random) { return dictionary(rows, 65536, false, random); }},
      {"repeated entries",
       [](std::size_t rows, Random& random) {
         const Vector full = dictionary(rows, 50, false, random);
         auto entries = Values::make(Type::kString, full.values().size());
         for (std::size_t i = 0; i < entries->size(); ++i) {
           entries->mutable_data<std::string_view>()[i] = i % 2 == 0 ? "even" : "odd";
         }
         return full.with_values(entries);
       }},
      {"few dynamics", [](std::size_t rows, Random& random) { return dynamics(rows, 5, random); }},
      {"many dynamics",
       [](std::size_t rows, Random& random) {
         return with_nulls(dynamics(rows, 1000000, random), 20, random);
       }},
  };
}

std::vector<Generator> generators() {
  std::vector<Generator> all = number_generators();
  for (Generator& generator : text_generators()) {
    all.push_back(std::move(generator));
  }
  return all;
}

// Equal bit for bit.
bool same_row(const Vector& a, std::size_t i, const Vector& b, std::size_t j) {
  if (a.is_null(i) || b.is_null(j)) {
    return a.is_null(i) && b.is_null(j);
  }
  switch (physical_of(a.type())) {
    case Physical::kNone:
      return true;
    case Physical::kByte:
      return a.at<std::uint8_t>(i) == b.at<std::uint8_t>(j);
    case Physical::kInt64:
      return a.at<std::int64_t>(i) == b.at<std::int64_t>(j);
    case Physical::kDouble:
      return std::bit_cast<std::uint64_t>(a.at<double>(i)) ==
             std::bit_cast<std::uint64_t>(b.at<double>(j));
    case Physical::kView:
      return a.at<std::string_view>(i) == b.at<std::string_view>(j);
  }
  return false;
}

bool same_rows(const Vector& a, const Vector& b, const RowSet& rows) {
  if (b.size() != rows.count || a.type() != b.type()) {
    return false;
  }
  for (std::size_t i = 0; i < rows.count; ++i) {
    if (!same_row(a, rows[i], b, i)) {
      return false;
    }
  }
  return true;
}

std::vector<std::uint32_t> some_rows(std::size_t rows, std::size_t one_in, Random& random) {
  std::vector<std::uint32_t> list;
  for (std::size_t i = 0; i < rows; ++i) {
    if (random() % one_in == 0) {
      list.push_back(static_cast<std::uint32_t>(i));
    }
  }
  return list;
}

void check_round_trip(const Vector& column, const EncodeOptions& options, Random& random) {
  const std::size_t rows = column.size();
  const Result<EncodedSegment> encoded = encode_segment(column, options, kBoundBytes);
  REQUIRE(encoded.ok());
  const std::string& bytes = encoded->bytes;
  CHECK(bytes[0] == static_cast<char>(encoded->encoding));
  const auto matches = [&](const RowSet& wanted) {
    const Result<Vector> decoded = decode_segment(bytes, column.type(), rows, wanted);
    REQUIRE(decoded.ok());
    return same_rows(column, *decoded, wanted);
  };
  CHECK(matches({0, rows, nullptr}));
  CHECK(matches({0, 1, nullptr}));
  CHECK(matches({rows / 3, rows - rows / 3, nullptr}));
  CHECK(matches({rows - 1, 1, nullptr}));
  CHECK(matches({rows / 2, rows / 4, nullptr}));
  for (const std::size_t one_in : {2U, 50U, 5000U}) {
    const std::vector<std::uint32_t> list = some_rows(rows, one_in, random);
    CHECK(matches({0, list.size(), list.data()}));
  }
  const Result<std::optional<Vector>> entries = decode_entries(bytes, column.type(), rows);
  REQUIRE(entries.ok());
  CHECK((encoded->statistics.is_dictionary ? entries->has_value() : true));
}

}  // namespace

TEST_CASE("every column comes back, whole and in part") {
  Random random(1);
  for (const Generator& generator : generators()) {
    for (const std::size_t rows : {1U, 2U, 63U, 100U, 1025U, 4095U, 4096U, 4097U, 20000U, 65536U}) {
      CAPTURE(generator.name);
      CAPTURE(rows);
      const Vector column = generator.make(rows, random);
      check_round_trip(column, {}, random);
      if (rows == 4097) {
        check_round_trip(column, {.zstd_level = 9}, random);
      }
      if (rows < 20000) {
        check_round_trip(column, {.zstd_level = kUncompressed, .analyse = false}, random);
      }
    }
  }
}

TEST_CASE("equal columns give equal bytes") {
  for (const Generator& generator : generators()) {
    CAPTURE(generator.name);
    Random first(3);
    Random second(3);
    const auto a = encode_segment(generator.make(5000, first), {}, kBoundBytes);
    const auto b = encode_segment(generator.make(5000, second), {}, kBoundBytes);
    REQUIRE(a.ok());
    REQUIRE(b.ok());
    CHECK(a->bytes == b->bytes);
    CHECK(a->filter == b->filter);
  }
}

TEST_CASE("without analysis there are few schemes, no new dictionaries and no filters") {
  Random random(4);
  for (const Generator& generator : generators()) {
    CAPTURE(generator.name);
    const Vector column = generator.make(5000, random);
    const auto segment = encode_segment(column, {.analyse = false}, kBoundBytes);
    REQUIRE(segment.ok());
    const bool was_dictionary = column.is_dictionary();
    CHECK(segment->filter.empty());
    CHECK((was_dictionary || !segment->statistics.is_dictionary));
    CHECK((segment->encoding == EncodingId::kConstant || was_dictionary ||
           segment->encoding == fallback_encoding(column.type()).id()));
  }
}

TEST_CASE("long strings come back") {
  Random random(2);
  const std::string half = random_bytes(random, std::size_t{512} * 1024);
  const std::string full(std::size_t{1024} * 1024, 'x');
  const Vector column = texts(9, [&](std::size_t i) {
    return i % 3 == 0 ? half : i % 3 == 1 ? full : std::string("short");
  });
  check_round_trip(column, {}, random);
}

// Decodes the damaged bytes of a segment of `rows` rows in every way there is.
void probe_damaged(std::string_view bytes, Type type, std::size_t rows) {
  const std::vector<std::uint32_t> list = {0, static_cast<std::uint32_t>(rows - 1)};
  const Result<Vector> all = decode_segment(bytes, type, rows, {0, rows, nullptr});
  const Result<Vector> two = decode_segment(bytes, type, rows, {0, list.size(), list.data()});
  const auto entries = decode_entries(bytes, type, rows);
  if (all.ok()) {
    CHECK(all->size() == rows);
    CHECK(all->flatten().size() == rows);
  }
  CHECK((!two.ok() || two->size() == list.size()));
  CHECK((entries.ok() || entries.error().code == ErrorCode::kCorrupt));
}

void probe_damaged_at(const std::string& bytes, std::size_t at, Type type, std::size_t rows) {
  for (const int flip : {0x01, 0x80, 0xFF, 0x10}) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ flip);
    probe_damaged(damaged, type, rows);
  }
}

TEST_CASE("damaged segments are refused or read as some rows") {
  Random random(4);
  for (const Generator& generator : generators()) {
    CAPTURE(generator.name);
    for (const std::size_t rows : {3U, 130U}) {
      const Vector column = generator.make(rows, random);
      const auto encoded = encode_segment(column, {}, kBoundBytes);
      REQUIRE(encoded.ok());
      const std::string& bytes = encoded->bytes;
      for (std::size_t size = 0; size < bytes.size(); ++size) {
        probe_damaged(std::string_view(bytes).substr(0, size), column.type(), rows);
      }
      for (std::size_t i = 0; i < std::min<std::size_t>(bytes.size(), 3000); ++i) {
        probe_damaged_at(bytes, i, column.type(), rows);
      }
    }
  }
}

// Large enough for codes in all their forms.
TEST_CASE("damaged segments of many entries are refused or read as some rows") {
  constexpr std::size_t kRows = 4000;
  constexpr std::size_t kPlaces = 150;
  Random random(6);
  for (const Generator& generator : generators()) {
    CAPTURE(generator.name);
    const Vector column = generator.make(kRows, random);
    const auto encoded = encode_segment(column, {}, kBoundBytes);
    REQUIRE(encoded.ok());
    const std::string& bytes = encoded->bytes;
    for (std::size_t i = 0; i < kPlaces; ++i) {
      probe_damaged(std::string_view(bytes).substr(0, random() % bytes.size()), column.type(),
                    kRows);
      probe_damaged_at(bytes, random() % bytes.size(), column.type(), kRows);
    }
  }
}

TEST_CASE("statistics bound the values") {
  Random random(5);
  const Vector column = texts(3000, [&](std::size_t i) {
    return i == 100 ? std::string(50, '\xFF') : "key " + random_hex(random, 40);
  });
  const auto encoded = encode_segment(column, {}, kBoundBytes);
  REQUIRE(encoded.ok());
  // No text of the bound's size is above the greatest value, so there are no bounds at all.
  CHECK(encoded->statistics.least.is_null());
  const Vector tame = texts(3000, [&](std::size_t) { return "key " + random_hex(random, 40); });
  const auto bounded = encode_segment(tame, {}, kBoundBytes);
  REQUIRE(bounded.ok());
  const ColumnStatistics& statistics = bounded->statistics;
  CHECK_FALSE(statistics.greatest_exact);
  for (std::size_t i = 0; i < tame.size(); ++i) {
    CHECK(tame.at<std::string_view>(i) >= statistics.least.as_text());
    CHECK(tame.at<std::string_view>(i) <= statistics.greatest.as_text());
  }
  const auto nan = encode_segment(
      reals(10,
            [](std::size_t i) { return i == 0 ? std::numeric_limits<double>::quiet_NaN() : 1.0; }),
      {}, kBoundBytes);
  REQUIRE(nan.ok());
  CHECK(nan->statistics.has_nan);
  CHECK(nan->statistics.least.as_real() == 1.0);
}

TEST_CASE("whole reads of flat texts are one run of memory") {
  Random random(6);
  const Vector column = with_nulls(
      texts(5000, [&](std::size_t i) { return "message " + std::to_string(i * 7); }), 10, random);
  const auto encoded = encode_segment(column, {}, kBoundBytes);
  REQUIRE(encoded.ok());
  REQUIRE(encoded->encoding == EncodingId::kStringFrames);
  const auto decoded = decode_segment(encoded->bytes, Type::kString, 5000, {0, 5000, nullptr});
  REQUIRE(decoded.ok());
  std::string joined;
  for (std::size_t i = 0; i < decoded->size(); ++i) {
    joined += decoded->at<std::string_view>(i);
  }
  CHECK(decoded->values().contiguous_text() == joined);
}

}  // namespace evq
