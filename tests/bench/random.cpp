#include "tests/bench/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace evq::bench {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;
constexpr double kTwoTo32 = 4294967296.0;

std::uint64_t scatter(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

std::uint32_t scale(std::uint64_t bits, std::uint64_t bound) {
  return static_cast<std::uint32_t>(((bits >> 32) * bound) >> 32);
}

}  // namespace

std::uint64_t mix(std::uint64_t value) {
  return scatter(value + kGolden);
}

std::uint64_t Random::next() {
  state_ += kGolden;
  return scatter(state_);
}

std::uint32_t Random::below(std::uint32_t bound) {
  return scale(next(), bound);
}

double Random::unit() {
  return static_cast<double>(next() >> 11) * (1.0 / 9007199254740992.0);
}

double Random::normal() {
  double sum = 0;
  for (int i = 0; i < 6; ++i) {
    sum += unit();
  }
  return (sum - 3.0) * 1.41421356;
}

WeightedChoice::WeightedChoice(const std::vector<double>& weights)
    : threshold_(weights.size(), 0xffffffffU), alias_(weights.size()) {
  const auto count = static_cast<std::uint32_t>(weights.size());
  double sum = 0;
  for (const double weight : weights) {
    sum += weight;
  }
  std::vector<double> share(count);
  std::vector<std::uint32_t> small;
  std::vector<std::uint32_t> large;
  for (std::uint32_t i = 0; i < count; ++i) {
    share[i] = weights[i] * count / sum;
    alias_[i] = i;
    (share[i] < 1.0 ? small : large).push_back(i);
  }
  while (!small.empty() && !large.empty()) {
    const std::uint32_t under = small.back();
    const std::uint32_t over = large.back();
    small.pop_back();
    large.pop_back();
    threshold_[under] =
        static_cast<std::uint32_t>(std::min(kTwoTo32 - 1.0, share[under] * kTwoTo32));
    alias_[under] = over;
    share[over] -= 1.0 - share[under];
    (share[over] < 1.0 ? small : large).push_back(over);
  }
}

WeightedChoice WeightedChoice::zipf(std::uint32_t count, double exponent, double shift) {
  std::vector<double> weights(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    weights[i] = std::pow(i + shift, -exponent);
  }
  return WeightedChoice(weights);
}

std::uint32_t WeightedChoice::draw(Random& random) const {
  const std::uint64_t bits = random.next();
  const std::uint32_t i = scale(bits, threshold_.size());
  return static_cast<std::uint32_t>(bits) < threshold_[i] ? i : alias_[i];
}

std::uint64_t event_time(std::uint64_t index, std::uint64_t count, Random& random) {
  // Split so that the product fits 64 bits whatever the count.
  constexpr std::uint64_t kSpan = kDayMicros - 2000000;
  const std::uint64_t step = kSpan / count * index + kSpan % count * index / count;
  const std::uint64_t base = kStartMicros + 1000000 + step;
  const double kind = random.unit();
  if (kind < 0.90) {
    return base + random.below(2000);
  }
  const std::uint32_t late_max = kind < 0.96 ? 100000 : kind < 0.99 ? 5000000 : 60000000;
  return base - std::min<std::uint64_t>(base - kStartMicros, random.below(late_max));
}

std::vector<std::string> make_words(std::uint32_t count, std::uint64_t seed) {
  constexpr std::array<std::string_view, 27> kOnsets = {
      "b", "c", "d", "f",  "g",  "h",  "j",  "k",  "l",  "m",  "n",  "p", "r", "s",
      "t", "v", "w", "st", "tr", "pl", "ch", "sh", "br", "cl", "gr", "",  ""};
  constexpr std::array<std::string_view, 10> kVowels = {"a",  "e",  "i",  "o",  "u",
                                                        "ai", "ea", "ou", "io", "ee"};
  constexpr std::array<std::string_view, 13> kCodas = {"",  "",  "n",  "r",  "s",  "t", "l",
                                                       "m", "d", "ck", "ng", "nt", "st"};
  std::vector<std::string> words = {
      "the",        "to",       "and",     "a",     "of",      "in",     "is",     "for",
      "on",         "with",     "that",    "it",    "this",    "was",    "not",    "from",
      "at",         "be",       "are",     "by",    "request", "server", "client", "error",
      "connection", "timeout",  "session", "queue", "worker",  "cache",  "retry",  "failed",
      "started",    "finished", "handler", "token", "payload", "index",  "shard",  "region"};
  Random random(seed);
  while (words.size() < count) {
    std::string word;
    const std::uint32_t syllables = 1 + random.below(3);
    for (std::uint32_t i = 0; i < syllables; ++i) {
      const std::string_view coda = kCodas[random.below(kCodas.size())];
      const std::string_view vowel = kVowels[random.below(kVowels.size())];
      word += kOnsets[random.below(kOnsets.size())];
      word += vowel;
      word += coda;
    }
    if (word.size() > 1) {
      words.push_back(word);
    }
  }
  return words;
}

}  // namespace evq::bench
