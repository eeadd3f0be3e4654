#include "store/column/text_order.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/allocation_meter.h"

namespace evq {
namespace {

// As many bytes as may be, of few kinds, so that texts are often equal, or one begins another.
std::string some_bytes(std::mt19937_64& random, std::size_t size_max) {
  constexpr std::string_view kBytes("\0\1a\xFF", 4);
  std::string bytes;
  for (std::size_t left = random() % (size_max + 1); left > 0; --left) {
    bytes.push_back(kBytes[random() % kBytes.size()]);
  }
  return bytes;
}

std::vector<std::string> sorted(const std::vector<std::string>& texts) {
  std::vector<OrderedText> ordered;
  for (const std::string& text : texts) {
    ordered.push_back({.key = 0, .text = text, .number = ordered.size()});
  }
  sort_texts(ordered);
  std::vector<std::string> out;
  for (const OrderedText& text : ordered) {
    REQUIRE(text.text.data() == texts[text.number].data());
    out.emplace_back(text.text);
  }
  return out;
}

// The slow twin compares whole texts.
TEST_CASE("texts are sorted by all of their bytes") {
  const std::uint64_t seed = 7;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 400; ++round) {
    const std::string common(random() % 40, 'c');
    const std::size_t size_max = 1 + random() % 30;
    std::vector<std::string> texts(random() % 200);
    for (std::string& text : texts) {
      text = (random() % 16 == 0 ? std::string() : common) + some_bytes(random, size_max);
    }
    std::vector<std::string> expected = texts;
    std::ranges::sort(expected);
    REQUIRE(sorted(texts) == expected);
  }
}

TEST_CASE("texts that are equal for long are sorted too") {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 300; ++i) {
    // More rounds of eight bytes than are made, each with a difference.
    std::string text;
    for (std::size_t at = 0; at < 40; ++at) {
      text += std::string(7, 'x') + static_cast<char>('a' + (i >> (at % 9) & 1U));
    }
    texts.push_back(text);
  }
  std::vector<std::string> expected = texts;
  std::ranges::sort(expected);
  CHECK(sorted(texts) == expected);
  CHECK(sorted({}).empty());
}

TEST_CASE("sorting many texts ends when the query is cancelled") {
  std::vector<std::string> texts;
  for (int i = 0; i < 50'000; ++i) {
    texts.push_back("text " + std::to_string(i));
  }
  QueryControl control;
  control.cancel();
  AllocationMeter meter(nullptr, &control, "sort");
  const Status status = meter.guard([&] { static_cast<void>(sorted(texts)); });
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace evq
