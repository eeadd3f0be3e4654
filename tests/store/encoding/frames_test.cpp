#include <cstddef>
#include <functional>
#include <string>

#include <doctest/doctest.h>

#include "store/column/vector_builder.h"
#include "store/encoding/byte_string.h"
#include "store/encoding/segment.h"
#include "tests/support/random_text.h"

// Which texts LZ4 keeps and which zstd, and what LZ4 makes of damage. Round trips of both are in
// segment_test.cpp.

namespace evq {
namespace {

EncodingId encoding_of(const std::function<std::string()>& text) {
  VectorBuilder builder(Type::kString);
  for (std::size_t i = 0; i < 5000; ++i) {
    builder.append_text(text());
  }
  const auto encoded = encode_segment(builder.finish(), {}, 32);
  REQUIRE(encoded.ok());
  return encoded->encoding;
}

// Words of random letters do not repeat, but some letters are more frequent than others.
std::string random_prose(Random& random) {
  std::string text;
  while (text.size() < 120) {
    text += random_hex(random, 2 + random() % 6, "eeeettaaooiinnsshrdlucmf", 24) + " ";
  }
  return text;
}

}  // namespace

TEST_CASE("texts that repeat themselves are kept by LZ4, others by zstd or letter by letter") {
  Random random(11);
  CHECK(encoding_of([&] { return random_log_line(random); }) == EncodingId::kLightFrames);
  CHECK(encoding_of([&] { return random_prose(random); }) == EncodingId::kStringFrames);
  CHECK(encoding_of([&] { return random_hex(random, 32); }) == EncodingId::kPackedText);
}

TEST_CASE("bytes by LZ4 come back, and are refused when they or their size are wrong") {
  Random random(12);
  std::string raw;
  while (raw.size() < 100'000) {
    raw += random_log_line(random);
  }
  std::string stored = "before";
  REQUIRE(compress_light(raw, 5, stored));
  stored.erase(0, 6);
  REQUIRE(stored.size() < raw.size() / 2);
  CHECK(light_size(raw) == stored.size());

  const auto back = [&](std::string_view bytes, std::size_t raw_size) {
    std::string to(raw_size, 'x');
    const Status status = decompress_light(bytes, to.data(), raw_size);
    CHECK((status.ok() || status.error().code == ErrorCode::kCorrupt));
    return status.ok() && to == raw;
  };
  CHECK(back(stored, raw.size()));
  CHECK_FALSE(back(stored, raw.size() - 1));
  CHECK_FALSE(back(stored, raw.size() + 1));
  CHECK_FALSE(back(stored, 0));
  CHECK_FALSE(back("", raw.size()));
  CHECK_FALSE(back(std::string_view(stored).substr(0, stored.size() - 1), raw.size()));
  CHECK_FALSE(back(stored + "x", raw.size()));
  CHECK_FALSE(back(random_bytes(random, stored.size()), raw.size()));
}

TEST_CASE("what LZ4 does not make smaller by the share asked for stays as it is") {
  Random random(13);
  std::string out = "before";
  CHECK_FALSE(compress_light(random_bytes(random, 10'000), 0, out));
  CHECK_FALSE(compress_light("short", 0, out));
  CHECK_FALSE(compress_light(random_hex(random, 10'000), 60, out));
  CHECK(out == "before");
}

}  // namespace evq
