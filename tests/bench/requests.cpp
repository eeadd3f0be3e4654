// A log of few fields, for measuring what a hundred times the events cost. Its events come at one
// pace, so that a larger set lasts longer and a minute of it holds as many events as before.
#include <array>
#include <string>
#include <string_view>

#include "tests/bench/generators.h"
#include "tests/bench/random.h"

namespace evq::bench {
namespace {

constexpr std::uint64_t kMicrosBetween = kDayMicros / 1000000;
constexpr std::uint32_t kLateMicrosMax = 2000;
constexpr std::uint32_t kUsers = 200000;

constexpr std::array<std::string_view, 12> kNames = {"checkout", "cart",   "search", "login",
                                                     "payment",  "orders", "users",  "mail",
                                                     "images",   "stock",  "prices", "admin"};
constexpr std::array<std::string_view, 6> kStatuses = {"200", "304", "201", "404", "500", "503"};

}  // namespace

void write_requests(Output& out, std::uint64_t count, std::uint64_t seed) {
  Random random(seed);
  const WeightedChoice services = WeightedChoice::zipf(kNames.size(), 0.8, 1);
  const WeightedChoice statuses({80, 9, 6, 4, 0.8, 0.2});
  const WeightedChoice users = WeightedChoice::zipf(kUsers, 0.7, 10);
  std::string& text = out.text();
  for (std::uint64_t i = 0; i < count; ++i) {
    text += "{\"_time\":\"";
    append_timestamp(text, kStartMicros + i * kMicrosBetween + random.below(kLateMicrosMax), 6);
    text += "\",\"service\":\"";
    text += kNames[services.draw(random)];
    text += "\",\"status\":";
    text += kStatuses[statuses.draw(random)];
    text += ",\"duration_ms\":";
    append_thousandths(text, 300 + random.below(2000) * (1 + random.below(40)));
    text += ",\"trace_id\":\"";
    append_hex(text, mix(seed + i), 16);
    text += "\",\"user\":";
    text += std::to_string(users.draw(random));
    text += ",\"message\":\"took ";
    text += std::to_string(random.below(500));
    text += " ms";
    text += random.below(1000) == 0 ? ", retried 2 times\"}" : "\"}";
    out.end_event();
  }
}

}  // namespace evq::bench
