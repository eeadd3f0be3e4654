// Kernels of store/base that run once per byte or per value of everything that is ingested.
// links: evq_base
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/checksum.h"
#include "store/base/number.h"
#include "store/base/utf8.h"
#include "tests/bench/timing.h"

namespace {

constexpr std::size_t kTextBytes = std::size_t{16} << 20;
constexpr std::size_t kNumbers = 1'000'000;

std::string repeated(std::string_view piece) {
  std::string text;
  while (text.size() < kTextBytes) {
    text += piece;
  }
  return text;
}

// Numbers as logs hold them: small integers, and durations with three decimals.
std::vector<std::string> numbers(bool real) {
  std::vector<std::string> texts;
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < kNumbers; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t value = state >> 44;
    texts.push_back(real ? std::to_string(value / 1000) + "." + std::to_string(100 + value % 900)
                         : std::to_string(value));
  }
  return texts;
}

}  // namespace

int main() {
  const std::string ascii = repeated("request completed in 17 ms with status 200; ");
  const std::string mixed = repeated("São Paulo → 東京, naïve café; ");
  const auto size = static_cast<double>(kTextBytes);
  evq::bench::report("checksum64", size, 0, [&] { return evq::checksum64(ascii); });
  evq::bench::report("is_valid_utf8, ASCII", size, 0,
                     [&] { return std::uint64_t{evq::is_valid_utf8(ascii)}; });
  evq::bench::report("is_valid_utf8, mixed", size, 0,
                     [&] { return std::uint64_t{evq::is_valid_utf8(mixed)}; });
  for (const bool real : {false, true}) {
    const std::vector<std::string> texts = numbers(real);
    evq::bench::report(real ? "parse_real" : "parse_int", 0, static_cast<double>(kNumbers), [&] {
      std::uint64_t found = 0;
      for (const std::string& text : texts) {
        found += real ? evq::parse_real(text).has_value() : evq::parse_int(text).has_value();
      }
      return found;
    });
  }
  return 0;
}
