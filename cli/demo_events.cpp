#include "cli/demo_events.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "store/base/checksum.h"
#include "store/base/json_writer.h"
#include "store/base/time.h"

namespace evq {
namespace {

constexpr std::string_view kPaths[] = {"/", "/search", "/product", "/cart", "/pay", "/login"};
constexpr std::string_view kRegions[] = {"eu-central", "us-east", "ap-south"};
constexpr std::string_view kAgents[] = {"firefox", "chrome", "safari", "curl"};
// The outage, in thousandths of the day.
constexpr std::uint64_t kOutageBegin = 700;
constexpr std::uint64_t kOutageEnd = 730;

class DemoSource final : public ByteSource {
 public:
  DemoSource(std::uint64_t events, std::int64_t end_ns) : events_(events), end_ns_(end_ns) {}

  Result<std::optional<std::size_t>> read(std::span<char> buffer,
                                          std::int64_t /*timeout_ms*/) override {
    while (pending_.size() < buffer.size() && next_ < events_) {
      append_event(next_++);
    }
    const std::size_t size = std::min(buffer.size(), pending_.size());
    std::memcpy(buffer.data(), pending_.data(), size);
    pending_.erase(0, size);
    return std::optional(size);
  }

 private:
  // A number below `bound`, for the event and the purpose.
  static std::uint64_t pick(std::uint64_t event, std::uint64_t purpose, std::uint64_t bound) {
    return hash64(event, purpose) % bound;
  }

  void append_event(std::uint64_t event) {
    // More events towards the end of the day: the square root bends even steps.
    const double part = std::sqrt((static_cast<double>(event) + 1) / static_cast<double>(events_));
    const auto place = static_cast<std::uint64_t>(part * 1000);
    const std::int64_t exact =
        end_ns_ - kDayNs + static_cast<std::int64_t>(part * static_cast<double>(kDayNs));
    const std::int64_t time = exact - exact % kMillisecondNs;
    const std::string_view path = kPaths[pick(event, 1, std::size(kPaths))];
    const std::string_view region = kRegions[pick(event, 2, std::size(kRegions))];
    const bool outage =
        place >= kOutageBegin && place < kOutageEnd && path == "/pay" && region == "us-east";
    const bool fails = outage ? pick(event, 3, 10) < 8 : pick(event, 3, 200) == 0;
    const std::uint64_t slow = path == "/search" ? 180 : 20;
    const std::uint64_t status = fails ? 502 : pick(event, 4, 30) == 0 ? 404 : 200;
    JsonWriter json(pending_);
    json.begin_object();
    json.key("_time");
    json.instant(time);
    json.key("method");
    json.string(path == "/pay" || path == "/login" ? "POST" : "GET");
    json.key("path");
    json.string(path);
    json.key("status");
    json.unsigned_integer(status);
    json.key("duration_ms");
    json.unsigned_integer(slow + pick(event, 5, slow) + (fails ? 5000 : 0));
    json.key("region");
    json.string(region);
    json.key("user");
    json.string("u" + std::to_string(pick(event, 6, 5000)));
    json.key("agent");
    json.string(kAgents[pick(event, 7, std::size(kAgents))]);
    if (fails) {
      json.key("message");
      json.string(outage ? "payment failed: connection refused by bank-gateway"
                         : "upstream timed out");
    }
    json.end_object();
    json.new_line();
  }

  const std::uint64_t events_;
  const std::int64_t end_ns_;
  std::uint64_t next_ = 0;
  std::string pending_;
};

}  // namespace

std::unique_ptr<ByteSource> demo_events(std::uint64_t events, std::int64_t end_ns) {
  return std::make_unique<DemoSource>(events, end_ns);
}

}  // namespace evq
