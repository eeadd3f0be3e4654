// An access log of forty services as a tracing library would write it: skewed services, routes,
// cities and agents, log-normal sizes and durations, ten kinds of message, and between eight and
// twenty of the sixty open attributes. Five events of every set carry one known trace id, so that a
// needle can be looked for.
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tests/bench/attributes.h"
#include "tests/bench/generators.h"
#include "tests/bench/message.h"
#include "tests/bench/output.h"
#include "tests/bench/random.h"

namespace evq::bench {
namespace {

constexpr std::uint32_t kCities = 600;
constexpr std::uint32_t kAgents = 1500;
constexpr std::uint32_t kCountries = 70;
constexpr std::uint32_t kRoutes = 160;
constexpr std::uint32_t kVocabulary = 5000;
constexpr std::uint32_t kUsers = 30000;
constexpr std::uint32_t kSessions = 64;
constexpr std::uint64_t kNeedleHigh = 0x4bf92f3577b34da6ULL;
constexpr std::uint64_t kNeedleLow = 0xa3ce929d0e0e4736ULL;

constexpr std::array<std::string_view, 7> kMethods = {"GET",   "POST", "PUT",    "DELETE",
                                                      "PATCH", "HEAD", "OPTIONS"};
constexpr std::array<std::uint32_t, 16> kStatuses = {200, 201, 204, 301, 302, 304, 400, 401,
                                                     403, 404, 409, 429, 500, 502, 503, 504};

struct City {
  std::string name;
  std::string country;
};

std::string capitalised(std::string word) {
  if (word[0] >= 'a' && word[0] <= 'z') {
    word[0] = static_cast<char>(word[0] - 'a' + 'A');
  }
  return word;
}

std::vector<City> make_cities(Random& random, const std::vector<std::string>& vocabulary) {
  std::vector<City> cities = {{"Berlin", "Germany"},         {"London", "United Kingdom"},
                              {"New York", "United States"}, {"Tokyo", "Japan"},
                              {"São Paulo", "Brazil"},       {"Mumbai", "India"},
                              {"Paris", "France"},           {"Sydney", "Australia"},
                              {"Toronto", "Canada"},         {"Singapore", "Singapore"},
                              {"Chicago", "United States"},  {"Madrid", "Spain"},
                              {"Warsaw", "Poland"},          {"Dublin", "Ireland"},
                              {"Seoul", "South Korea"},      {"Lagos", "Nigeria"},
                              {"Mexico City", "Mexico"},     {"Istanbul", "Türkiye"},
                              {"Jakarta", "Indonesia"},      {"Cairo", "Egypt"}};
  constexpr std::array<std::string_view, 6> kEndings = {"ville", "burg", " City",
                                                        "ton",   "grad", "ford"};
  std::vector<std::string> countries;
  for (const City& city : cities) {
    // Chicago's country is New York's.
    if (city.name != "Chicago") {
      countries.push_back(city.country);
    }
  }
  while (countries.size() < kCountries) {
    countries.push_back(capitalised(vocabulary[kRealWords + random.below(4900)] + "land"));
  }
  while (cities.size() < kCities) {
    const std::string_view ending = kEndings[random.below(kEndings.size())];
    std::string name = vocabulary[kRealWords + random.below(4900)];
    name += ending;
    cities.push_back({capitalised(std::move(name)), countries[random.below(kCountries)]});
  }
  return cities;
}

std::vector<std::string> make_agents(Random& random) {
  constexpr std::array<std::string_view, 7> kSystems = {"Windows NT 10.0; Win64; x64",
                                                        "Macintosh; Intel Mac OS X 10_15_7",
                                                        "X11; Linux x86_64",
                                                        "iPhone; CPU iPhone OS 17_5 like Mac OS X",
                                                        "Linux; Android 14; Pixel 8",
                                                        "Linux; Android 13; SM-S911B",
                                                        "iPad; CPU OS 17_4 like Mac OS X"};
  std::vector<std::string> agents;
  while (agents.size() < kAgents) {
    const std::string_view system = kSystems[random.below(kSystems.size())];
    const std::uint32_t patch = random.below(6000);
    const std::uint32_t minor = random.below(3);
    const std::string version = fmt::format("{}.{}.{}", 90 + random.below(48), minor, patch);
    switch (random.below(7)) {
      case 0:
      case 1:
      case 2:
        agents.push_back(
            fmt::format("Mozilla/5.0 ({}) AppleWebKit/537.36 (KHTML, like Gecko) "
                        "Chrome/{} Safari/537.36",
                        system, version));
        break;
      case 3:
        agents.push_back(
            fmt::format("Mozilla/5.0 ({0}; rv:{1}) Gecko/20100101 Firefox/{1}", system, version));
        break;
      case 4:
        agents.push_back(
            fmt::format("Mozilla/5.0 ({}) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                        "Version/17.4 Safari/605.1.15 v{}",
                        system, version));
        break;
      case 5:
        agents.push_back("okhttp/" + version);
        break;
      default:
        agents.push_back("python-requests/" + version);
        break;
    }
  }
  return agents;
}

std::vector<std::string> make_routes(Random& random, const std::vector<std::string>& vocabulary) {
  constexpr std::array<std::string_view, 16> kResources = {
      "cart",     "users",    "orders", "items", "sessions", "products", "search",  "reviews",
      "invoices", "webhooks", "events", "files", "reports",  "quotes",   "coupons", "addresses"};
  std::vector<std::string> routes;
  while (routes.size() < kRoutes) {
    std::string suffix;
    if (random.below(3) == 0) {
      suffix = "/" + vocabulary[kRealWords + random.below(3000)];
    }
    const std::string_view resource = kResources[random.below(kResources.size())];
    routes.push_back(fmt::format("/api/v{}/{}{}", 1 + random.below(3), resource, suffix));
  }
  return routes;
}

class ServiceLog {
 public:
  ServiceLog(Output& out, std::uint64_t count, std::uint64_t seed, LogFormat format)
      : out_(out),
        text_(out.text()),
        random_(seed),
        count_(count),
        csv_(format == LogFormat::kCsv),
        vocabulary_(make_words(kVocabulary, 5)),
        pools_random_(4242),
        cities_(make_cities(pools_random_, vocabulary_)),
        agents_(make_agents(pools_random_)),
        routes_(make_routes(pools_random_, vocabulary_)),
        values_(pools_random_, vocabulary_),
        messages_(vocabulary_, values_) {}

  void run() {
    if (csv_) {
      header();
    }
    for (Session& session : sessions_) {
      session = new_session();
    }
    const auto needle_at = static_cast<std::uint64_t>(static_cast<double>(count_) * 0.613);
    for (std::uint64_t i = 0; i < count_; ++i) {
      const bool needle = i >= needle_at && i < needle_at + 50 && (i - needle_at) % 10 == 0;
      event(i, needle);
      out_.end_event();
    }
  }

 private:
  // A trace and the client it belongs to; a few dozen are under way at any time.
  struct Session {
    std::uint64_t trace_high = 0;
    std::uint64_t trace_low = 0;
    std::uint32_t city = 0;
    std::uint32_t agent = 0;
  };

  Session new_session() {
    return {random_.next(), random_.next(), city_choice_.draw(random_),
            agent_choice_.draw(random_)};
  }

  void header() {
    text_ +=
        "_time,service,method,uri,status,resp_body_size,req_duration_ms,geo.city,geo.country,"
        "user_agent,trace_id,message";
    for (const Attribute& attribute : attributes()) {
      text_ += ",attributes.";
      text_ += attribute.key;
    }
    out_.end_event();
  }

  void event(std::uint64_t index, bool needle) {
    const std::uint64_t time = event_time(index, count_, random_);
    Session& session = sessions_[random_.below(kSessions)];
    if (random_.chance(0.30)) {
      session = new_session();
    }
    Request request;
    request.service = service_choice_.draw(random_);
    const std::uint32_t method = method_choice_.draw(random_);
    request.status = kStatuses[status_choice_.draw(random_)];
    const auto size = static_cast<std::uint64_t>(std::exp(7.5 + 1.6 * random_.normal()));
    request.micros = static_cast<std::uint64_t>(
        1000.0 *
        std::exp(2.2 + static_cast<double>(request.service % 7) * 0.25 + 1.1 * random_.normal()));
    draw_uri(request.service);
    messages_.draw(message_, request, random_);
    choose_attributes();

    field("{\"_time\":\"", "");
    append_timestamp(text_, time, 6);
    field("\",\"service\":\"", ",");
    text_ += services()[request.service];
    field("\",\"method\":\"", ",");
    text_ += kMethods[method];
    field("\",\"uri\":\"", ",");
    text_ += uri_;
    field("\",\"status\":", ",");
    text_ += std::to_string(request.status);
    field(",\"resp_body_size\":", ",");
    text_ += std::to_string(size);
    field(",\"req_duration_ms\":", ",");
    append_thousandths(text_, request.micros);
    const City& city = cities_[session.city];
    field(",\"geo\":{\"city\":\"", ",");
    text_ += city.name;
    field("\",\"country\":\"", ",");
    text_ += city.country;
    field("\"},\"user_agent\":", ",");
    quoted(agents_[session.agent]);
    field(",\"trace_id\":\"", ",");
    append_hex(text_, needle ? kNeedleHigh : session.trace_high, 16);
    append_hex(text_, needle ? kNeedleLow : session.trace_low, 16);
    field("\",\"message\":", ",");
    quoted(message_);
    append_attributes();
  }

  void field(std::string_view json, std::string_view csv) { text_ += csv_ ? csv : json; }

  void quoted(std::string_view text) {
    if (csv_) {
      append_csv_cell(text_, text);
    } else {
      append_json_string(text_, text);
    }
  }

  void draw_uri(std::uint32_t service) {
    const std::uint32_t spread = random_.below(12) + 1;
    uri_ = routes_[(service * 4 + random_.below(spread)) % kRoutes];
    if (random_.chance(0.6)) {
      uri_ += '/';
      uri_ += std::to_string(1000 + id_choice_.draw(random_));
    }
    if (random_.chance(0.2)) {
      uri_ += "?page=";
      uri_ += std::to_string(1 + random_.below(40));
      uri_ += "&limit=50&session=";
      append_hex(uri_, random_.next(), 8);
    }
  }

  void choose_attributes() {
    carries_.assign(attributes().size(), false);
    int carried = 0;
    for (std::size_t a = 0; a < attributes().size() && carried < 20; ++a) {
      if (random_.chance(attributes()[a].frequency)) {
        carries_[a] = true;
        ++carried;
      }
    }
    for (std::size_t a = 0; carried < 8; ++a) {
      if (!carries_[a]) {
        carries_[a] = true;
        ++carried;
      }
    }
  }

  void append_attributes() {
    bool first = true;
    field(",\"attributes\":{", "");
    for (std::size_t a = 0; a < attributes().size(); ++a) {
      if (csv_) {
        text_ += ',';
      } else if (carries_[a]) {
        text_ += first ? "\"" : ",\"";
        text_ += attributes()[a].key;
        text_ += "\":";
        first = false;
      }
      if (carries_[a]) {
        values_.append(text_, a, random_, !csv_);
      }
    }
    field("}}", "");
  }

  Output& out_;
  std::string& text_;
  Random random_;
  std::uint64_t count_;
  bool csv_;
  std::vector<std::string> vocabulary_;
  Random pools_random_;
  std::vector<City> cities_;
  std::vector<std::string> agents_;
  std::vector<std::string> routes_;
  AttributeValues values_;
  MessageWriter messages_;
  WeightedChoice service_choice_ = WeightedChoice::zipf(40, 0.9, 1.5);
  WeightedChoice method_choice_{{70, 18, 5, 3, 2, 1.5, .5}};
  WeightedChoice status_choice_{{82, 4, 3, .5, 1, 2, 1.5, 1, .6, 2.5, .2, .5, .6, .2, .3, .1}};
  WeightedChoice city_choice_ = WeightedChoice::zipf(kCities, 1.0, 2);
  WeightedChoice agent_choice_ = WeightedChoice::zipf(kAgents, 1.05, 2);
  WeightedChoice id_choice_ = WeightedChoice::zipf(kUsers, 0.7, 5);
  std::array<Session, kSessions> sessions_;
  std::vector<bool> carries_;
  std::string uri_;
  std::string message_;
};

}  // namespace

void write_service_log(Output& out, std::uint64_t count, std::uint64_t seed, LogFormat format) {
  ServiceLog(out, count, seed, format).run();
}

void write_services(Output& out) {
  constexpr std::array<std::string_view, 7> kTeams = {
      "storefront", "money", "platform", "growth", "identity", "logistics", "data"};
  for (std::size_t i = 0; i < services().size(); ++i) {
    out.text() +=
        fmt::format(R"({{"_time":"2025-06-01T00:00:00Z","service":"{0}","team":"{1}","tier":{2},)"
                    R"("oncall":"{1}-oncall@example.com"}})",
                    services()[i], kTeams[mix(i) % kTeams.size()], 1 + mix(i + 7) % 3);
    out.end_event();
  }
}

}  // namespace evq::bench
