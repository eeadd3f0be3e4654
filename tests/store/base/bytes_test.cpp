#include "store/base/bytes.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace evq {
namespace {

TEST_CASE("fixed-width numbers are little endian") {
  ByteWriter writer;
  writer.u8(0x01);
  writer.u16(0x0302);
  writer.u32(0x07060504);
  writer.u64(0x0F0E0D0C0B0A0908ULL);
  std::string expected;
  for (char c = 1; c <= 15; ++c) {
    expected.push_back(c);
  }
  CHECK(writer.view() == expected);
}

TEST_CASE("everything written is read back") {
  const std::vector<std::uint64_t> unsigned_values = {
      0, 1, 127, 128, 16383, 16384, 0xFFFFFFFFULL, std::numeric_limits<std::uint64_t>::max()};
  const std::vector<std::int64_t> signed_values = {0,
                                                   -1,
                                                   1,
                                                   63,
                                                   -64,
                                                   64,
                                                   -65,
                                                   std::numeric_limits<std::int64_t>::min(),
                                                   std::numeric_limits<std::int64_t>::max()};
  ByteWriter writer;
  for (const auto value : unsigned_values) {
    writer.varint(value);
    writer.u64(value);
  }
  for (const auto value : signed_values) {
    writer.zigzag(value);
    writer.i64(value);
  }
  writer.f64(-0.1);
  writer.string("text");
  writer.string("");
  const std::string bytes = writer.release();
  CHECK(writer.size() == 0);
  ByteReader reader(bytes);
  for (const auto value : unsigned_values) {
    CHECK(reader.varint() == value);
    CHECK(reader.u64() == value);
  }
  for (const auto value : signed_values) {
    CHECK(reader.zigzag() == value);
    CHECK(reader.i64() == value);
  }
  CHECK(reader.f64() == -0.1);
  CHECK(reader.string() == "text");
  CHECK(reader.string().empty());
  CHECK(reader.ok());
  CHECK(reader.at_end());
}

TEST_CASE("a cut input fails at every length and stays failed") {
  ByteWriter writer;
  writer.u32(7);
  writer.varint(300);
  writer.string("abc");
  writer.u64(9);
  const std::string bytes = writer.release();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteReader reader(std::string_view(bytes).substr(0, size));
    static_cast<void>(reader.u32());
    static_cast<void>(reader.varint());
    static_cast<void>(reader.string());
    static_cast<void>(reader.u64());
    CHECK(!reader.ok());
    CHECK(reader.u8() == 0);
    CHECK(reader.remaining() == 0);
  }
}

TEST_CASE("hostile varints, sizes and counts are refused") {
  const std::string overlong(11, static_cast<char>(0x80));
  CHECK((ByteReader(overlong).varint() == 0));
  std::string too_big(9, static_cast<char>(0xFF));
  too_big.push_back(2);
  ByteReader big(too_big);
  static_cast<void>(big.varint());
  CHECK(!big.ok());
  too_big.back() = 1;
  ByteReader most(too_big);
  CHECK(most.varint() == std::numeric_limits<std::uint64_t>::max());
  CHECK(most.ok());

  ByteWriter writer;
  writer.varint(std::numeric_limits<std::uint64_t>::max());
  ByteReader string_reader(writer.view());
  CHECK(string_reader.string().empty());
  CHECK(!string_reader.ok());
  ByteReader count_reader(writer.view());
  CHECK(count_reader.count(1) == 0);
  CHECK(!count_reader.ok());

  const std::string three = std::string(1, 2) + "abcdef";
  CHECK((ByteReader(three).count(3) == 2));
  ByteReader tight(three);
  CHECK(tight.count(4) == 0);
  CHECK(!tight.ok());
}

TEST_CASE("take and patch") {
  ByteWriter writer;
  writer.u8(0);
  writer.raw("abc");
  writer.patch_u8(0, 3);
  ByteReader reader(writer.view());
  CHECK(reader.take(reader.u8()) == "abc");
  CHECK(reader.position() == 4);
  CHECK(reader.take(1).empty());
  CHECK(!reader.ok());
}

}  // namespace
}  // namespace evq
