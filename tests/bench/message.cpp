#include "tests/bench/message.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "tests/bench/output.h"

// Numbers are drawn into variables first: the order in which a call's arguments are evaluated is
// the compiler's, and the bytes must not be.
namespace evq::bench {
namespace {

std::string hex(std::uint64_t value, std::size_t digits) {
  std::string text;
  append_hex(text, value, digits);
  return text;
}

std::string reset(Random& random) {
  const std::uint32_t retries = random.below(4);
  const std::string remote = address_text(mix(random.below(400)));
  return fmt::format(
      "upstream connect error or disconnect/reset before headers, retried {} times, remote {}:{}",
      retries, remote, 8000 + random.below(100));
}

}  // namespace

std::string MessageWriter::completed(const Request& request, Random& random) const {
  const std::uint32_t user = users_.draw(random);
  return fmt::format("request completed in {}ms with status {} for user {} on node-{}",
                     request.micros / 1000, request.status, user, random.below(120));
}

std::string MessageWriter::cache_miss(const Request& request, Random& random) const {
  const std::string& word = vocabulary_[kRealWords + words_.draw(random) % 4900];
  const std::string key = hex(random.next(), 8);
  return fmt::format("cache miss for key {}:{}:{}, fetched from primary in {}ms",
                     services()[request.service], word, key, 1 + random.below(90));
}

std::string MessageWriter::table_query(Random& random) const {
  const std::string& table = vocabulary_[kRealWords + words_.draw(random) % 300];
  const std::uint32_t rows = random.below(5000);
  const std::uint32_t millis = 1 + random.below(400);
  return fmt::format("query on table \"{}\" returned {} rows in {}ms (pool={})", table, rows,
                     millis, random.below(16));
}

std::string MessageWriter::authenticated(Random& random) const {
  constexpr std::array<std::string_view, 4> kWays = {"password", "oidc", "saml", "apikey"};
  const std::uint32_t user = users_.draw(random);
  const std::string_view way = kWays[random.below(kWays.size())];
  return fmt::format("user {} authenticated via {} from {}", user, way,
                     address_text(mix(random.below(20000))));
}

std::string MessageWriter::prose(Random& random) const {
  std::string text;
  const std::uint32_t count = 5 + random.below(18);
  for (std::uint32_t i = 0; i < count; ++i) {
    text += i == 0 ? "" : " ";
    text += vocabulary_[words_.draw(random)];
  }
  return text;
}

std::string MessageWriter::panic(Random& random) const {
  const std::uint32_t index = random.below(64);
  const std::uint32_t length = random.below(64);
  const std::uint32_t routine = random.below(90000);
  const std::string& type = vocabulary_[kRealWords + random.below(200)];
  return fmt::format(
      "panic: runtime error: index out of range [{}] with length {}\ngoroutine {} [running]:\n"
      "main.(*{}).ServeHTTP(0xc000{})",
      index, length, routine, type, hex(random.next(), 6));
}

std::string MessageWriter::payment(Random& random) const {
  const std::string id = hex(random.next(), 12);
  const std::uint32_t whole = 1 + random.below(900);
  const std::uint32_t cents = 10 + random.below(90);
  const std::string& currency = values_.pool("currency.code")[random.below(12)];
  const std::string& gateway = values_.pool("payment.gateway")[random.below(6)];
  return fmt::format("payment {} authorised amount={}.{} {} gateway={} latency={}ms", id, whole,
                     cents, currency, gateway, 5 + random.below(1500));
}

std::string MessageWriter::timeout(Random& random) const {
  const std::uint32_t millis = 100 * (1 + random.below(100));
  const std::string_view service = services()[services_.draw(random)];
  return fmt::format("timeout after {}ms waiting for {} (attempt {} of 5)", millis, service,
                     1 + random.below(5));
}

std::string MessageWriter::job(Random& random) const {
  const std::string& name = vocabulary_[kRealWords + words_.draw(random) % 50];
  const std::uint32_t millis = random.below(90000);
  const std::uint32_t items = random.below(20000);
  return fmt::format("job {} finished duration={}ms items={} failed={}", name, millis, items,
                     random.below(3));
}

std::string MessageWriter::from_template(std::uint32_t index, const Request& request,
                                         Random& random) const {
  switch (index) {
    case 0:
      return completed(request, random);
    case 1:
      return cache_miss(request, random);
    case 2:
      return table_query(random);
    case 3:
      return authenticated(random);
    case 4:
      return prose(random);
    case 5:
      return panic(random);
    case 6:
      return payment(random);
    case 7:
      return timeout(random);
    case 8:
      return job(random);
    default:
      return reset(random);
  }
}

void MessageWriter::draw(std::string& out, const Request& request, Random& random) const {
  out = from_template(templates_.draw(random), request, random);
  // A word that one message in ten thousand holds, for searches that must find little.
  if (random.below(10000) == 0) {
    out += " zanzibar";
  }
}

}  // namespace evq::bench
