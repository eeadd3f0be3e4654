#include "store/parquet/compact_writer.h"

#include <doctest/doctest.h>

#include "store/base/ascii.h"

namespace evq {
namespace {

std::string hex(const ByteWriter& bytes) {
  std::string text;
  append_hex(bytes.view(), &text);
  return text;
}

// The bytes are worked out by hand from the specification of the protocol.
TEST_CASE("fields, lists and nested structs are coded as the protocol says") {
  ByteWriter bytes;
  CompactWriter writer(bytes);
  writer.begin_struct();
  SUBCASE("numbers are zigzag varints, field ids are steps") {
    writer.i32(1, -1);
    writer.i64(3, 300);
    writer.i32(40, 1);  // a step beyond 15 is written out
    writer.end_struct();
    CHECK(hex(bytes) ==
          "150126d8040550"
          "0200");
  }
  SUBCASE("text and flags") {
    writer.binary(4, "ab");
    writer.boolean(5, true);
    writer.boolean(6, false);
    writer.end_struct();
    CHECK(hex(bytes) ==
          "48026162"
          "11"
          "12"
          "00");
  }
  SUBCASE("a struct inside counts its fields from 0, and the outer one goes on") {
    writer.i32(1, 0);
    writer.begin_struct(2);
    writer.i32(1, 5);
    writer.end_struct();
    writer.i32(3, 0);
    writer.end_struct();
    CHECK(hex(bytes) ==
          "1500"
          "1c"
          "150a"
          "00"
          "1500"
          "00");
  }
  SUBCASE("lists of up to 14 elements have their size in the first byte") {
    writer.i32_list(1, {1, 2});
    writer.binary_list(2, {"x"});
    writer.i32_list(3, std::vector<std::int32_t>(15, 0));
    writer.end_struct();
    CHECK(hex(bytes) ==
          "1925"
          "0204"
          "1918"
          "0178"
          "19f50f" +
              std::string(30, '0') + "00");
  }
}

}  // namespace
}  // namespace evq
