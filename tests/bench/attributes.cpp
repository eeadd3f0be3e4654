#include "tests/bench/attributes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tests/bench/output.h"

namespace evq::bench {
namespace {

using enum AttributeType;

constexpr std::array<std::string_view, 40> kServices = {
    "frontend",     "checkout",       "cart",     "auth",        "payment", "search",
    "catalog",      "recommendation", "shipping", "inventory",   "gateway", "profile",
    "notification", "email",          "ads",      "currency",    "quote",   "fraud",
    "billing",      "ledger",         "media",    "thumbnailer", "session", "config",
    "featureflag",  "ratelimit",      "geoip",    "audit",       "export",  "import",
    "scheduler",    "webhook",        "report",   "loyalty",     "coupon",  "review",
    "support",      "chat",           "crm",      "legacy-soap"};

constexpr std::array kAttributes = {
    Attribute{"k8s.pod.name", kPod, 400, .96},
    Attribute{"host.name", kPool, 120, .96},
    Attribute{"http.flavor", kPool, 3, .95},
    Attribute{"net.peer.ip", kAddress, 20000, .94},
    Attribute{"k8s.namespace.name", kPool, 12, .93},
    Attribute{"cloud.region", kPool, 9, .92},
    Attribute{"log.level", kPool, 5, .90},
    Attribute{"thread.id", kInteger, 256, .70},
    Attribute{"user.id", kInteger, 300000, .60},
    Attribute{"span.kind", kPool, 5, .55},
    Attribute{"deployment.version", kPool, 30, .50},
    Attribute{"http.request.bytes", kInteger, 60000, .45},
    Attribute{"db.system", kPool, 5, .36},
    Attribute{"db.rows", kInteger, 4000, .33},
    Attribute{"cache.hit", kBoolean, 2, .32},
    Attribute{"tenant.id", kInteger, 900, .30},
    Attribute{"session.id", kHex, 0, .28},
    Attribute{"retry.count", kInteger, 6, .26},
    Attribute{"queue.name", kPool, 25, .22},
    Attribute{"queue.depth", kInteger, 5000, .20},
    Attribute{"user.tier", kPool, 4, .20},
    Attribute{"feature.flag", kPool, 40, .18},
    Attribute{"sampling.rate", kReal, 0, .17},
    Attribute{"rpc.method", kPool, 150, .16},
    Attribute{"rpc.status", kInteger, 17, .15},
    Attribute{"peer.service", kPool, 40, .14},
    Attribute{"gc.pause_ms", kReal, 0, .12},
    Attribute{"heap.mb", kInteger, 8000, .12},
    Attribute{"build.sha", kHex, 60, .11},
    Attribute{"client.version", kPool, 70, .11},
    Attribute{"exp.bucket", kPool, 16, .10},
    Attribute{"cdn.pop", kPool, 60, .10},
    Attribute{"tls.version", kPool, 3, .09},
    Attribute{"tls.cipher", kPool, 8, .08},
    Attribute{"order.id", kHex, 0, .08},
    Attribute{"order.total", kReal, 0, .075},
    Attribute{"payment.gateway", kPool, 6, .07},
    Attribute{"currency.code", kPool, 12, .065},
    Attribute{"search.terms", kPool, 900, .06},
    Attribute{"search.hits", kInteger, 10000, .055},
    Attribute{"error.type", kPool, 25, .05},
    Attribute{"error.handled", kBoolean, 2, .045},
    Attribute{"stack.hash", kHex, 300, .04},
    Attribute{"kafka.topic", kPool, 40, .04},
    Attribute{"kafka.partition", kInteger, 64, .04},
    Attribute{"kafka.offset", kInteger, 4000000000U, .035},
    Attribute{"job.name", kPool, 50, .03},
    Attribute{"job.attempt", kInteger, 5, .03},
    Attribute{"upload.bytes", kInteger, 90000000, .025},
    Attribute{"image.format", kPool, 5, .02},
    Attribute{"geo.lat", kReal, 0, .02},
    Attribute{"geo.lon", kReal, 0, .02},
    Attribute{"device.model", kPool, 300, .018},
    Attribute{"device.os", kPool, 12, .018},
    Attribute{"ab.variant", kPool, 4, .015},
    Attribute{"promo.code", kPool, 200, .012},
    Attribute{"fraud.score", kReal, 0, .01},
    Attribute{"audit.actor", kPool, 500, .008},
    Attribute{"legacy.soap.action", kPool, 30, .005},
    Attribute{"debug.note", kPool, 2000, .002},
};

// Pools whose words are real.
const std::vector<std::pair<std::string_view, std::vector<std::string>>>& fixed_pools() {
  static const std::vector<std::pair<std::string_view, std::vector<std::string>>> kPools = {
      {"http.flavor", {"1.1", "2.0", "3.0"}},
      {"log.level", {"info", "debug", "warn", "error", "fatal"}},
      {"user.tier", {"free", "bronze", "silver", "gold"}},
      {"tls.version", {"1.3", "1.2", "1.1"}},
      {"span.kind", {"server", "client", "internal", "producer", "consumer"}},
      {"cloud.region",
       {"eu-central-1", "us-east-1", "us-west-2", "ap-south-1", "eu-west-1", "ap-northeast-1",
        "sa-east-1", "ca-central-1", "af-south-1"}},
      {"payment.gateway", {"stripe", "adyen", "paypal", "klarna", "worldpay", "square"}},
      {"currency.code",
       {"EUR", "USD", "GBP", "JPY", "BRL", "INR", "AUD", "CAD", "SGD", "PLN", "KRW", "MXN"}},
  };
  return kPools;
}

constexpr std::uint32_t kSkewedMax = 4000;  // larger domains are drawn evenly

std::size_t attribute_index(std::string_view key) {
  const auto row = std::find_if(kAttributes.begin(), kAttributes.end(),
                                [&](const Attribute& entry) { return entry.key == key; });
  return static_cast<std::size_t>(row - kAttributes.begin());
}

std::string pod_name(std::size_t i, Random& random, const std::vector<std::string>& vocabulary) {
  const std::string suffix = vocabulary[kRealWords + random.below(4000)].substr(0, 5);
  std::string name(kServices[i % kServices.size()]);
  name += '-';
  name += std::to_string(1000000 + random.below(8999999));
  return name + "-" + suffix;
}

std::string pool_word(Random& random, const std::vector<std::string>& vocabulary) {
  std::string word = vocabulary[kRealWords + random.below(4900)];
  if (random.below(3) == 0) {
    word += "-" + vocabulary[kRealWords + random.below(4900)];
  }
  return word;
}

}  // namespace

std::span<const Attribute> attributes() {
  return kAttributes;
}

std::span<const std::string_view> services() {
  return kServices;
}

std::string address_text(std::uint64_t bits) {
  std::string text = std::to_string(10 + (bits & 1) * 162);
  for (int shift = 8; shift <= 24; shift += 8) {
    text += '.';
    text += std::to_string(bits >> shift & 255);
  }
  return text;
}

AttributeValues::AttributeValues(Random& random, const std::vector<std::string>& vocabulary)
    : pools_(kAttributes.size()), choices_(kAttributes.size()) {
  for (std::size_t a = 0; a < kAttributes.size(); ++a) {
    const Attribute& attribute = kAttributes[a];
    if (attribute.distinct != 0 && attribute.distinct <= kSkewedMax) {
      choices_[a] = WeightedChoice::zipf(attribute.distinct, 0.95, 2);
    }
    const bool pod = attribute.type == kPod;
    for (std::size_t i = 0; (pod || attribute.type == kPool) && i < attribute.distinct; ++i) {
      pools_[a].push_back(pod ? pod_name(i, random, vocabulary) : pool_word(random, vocabulary));
    }
  }
  for (const auto& [key, words] : fixed_pools()) {
    pools_[attribute_index(key)] = words;
  }
}

const std::vector<std::string>& AttributeValues::pool(std::string_view key) const {
  return pools_[attribute_index(key)];
}

void AttributeValues::append(std::string& out, std::size_t attribute, Random& random,
                             bool json) const {
  const Attribute& row = kAttributes[attribute];
  const std::uint64_t bits = random.next() >> 8;
  const WeightedChoice& choice = choices_[attribute];
  const std::uint32_t index = choice.empty() ? 0 : choice.draw(random);
  std::string text;
  switch (row.type) {
    case kPool:
    case kPod:
      text = pools_[attribute][index];
      break;
    case kInteger:
      out += std::to_string(choice.empty() ? bits % row.distinct : index);
      return;
    case kBoolean:
      out += bits % 5 != 0 ? "true" : "false";
      return;
    case kReal:
      append_thousandths(out, bits % 400000);
      return;
    case kHex:
      append_hex(text, row.distinct != 0 ? mix(index + attribute * 1000) : bits, 16);
      break;
    case kAddress:
      text = address_text(mix(bits % row.distinct));
      break;
  }
  if (json) {
    append_json_string(out, text);
  } else {
    append_csv_cell(out, text);
  }
}

}  // namespace evq::bench
