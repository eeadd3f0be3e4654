#pragma once
// Deterministic randomness for the benchmark's data: the same seed gives the same bytes on every
// machine, so nothing here calls the standard library's distributions, which differ between
// implementations. Not for anything that must be unpredictable.

#include <cstdint>
#include <string>
#include <vector>

namespace evq::bench {

// SplitMix64's output function: a bijection that scatters neighbouring numbers.
std::uint64_t mix(std::uint64_t value);

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next();
  // Uniform in [0, bound).
  std::uint32_t below(std::uint32_t bound);
  // Uniform in [0, 1).
  double unit();
  bool chance(double probability) { return unit() < probability; }
  // About standard normal: the sum of six uniform numbers.
  double normal();

 private:
  std::uint64_t state_;
};

// Draws an index by weight in constant time (Walker's alias method).
class WeightedChoice {
 public:
  WeightedChoice() = default;
  explicit WeightedChoice(const std::vector<double>& weights);
  // Weights (i + shift)^-exponent.
  static WeightedChoice zipf(std::uint32_t count, double exponent, double shift);

  bool empty() const { return threshold_.empty(); }
  std::uint32_t draw(Random& random) const;

 private:
  std::vector<std::uint32_t> threshold_;
  std::vector<std::uint32_t> alias_;
};

// 2025-06-01T00:00:00Z, where every data set begins, and the day it lasts, in microseconds.
inline constexpr std::uint64_t kStartMicros = 1748736000ULL * 1000000ULL;
inline constexpr std::uint64_t kDayMicros = 86400ULL * 1000000ULL;

// Time of event `index` of `count`: ascending over the day, with jitter and few late arrivals.
std::uint64_t event_time(std::uint64_t index, std::uint64_t count, Random& random);

// Made-up words after a few real ones; the same seed gives the same list.
std::vector<std::string> make_words(std::uint32_t count, std::uint64_t seed);
inline constexpr std::uint32_t kRealWords = 40;

}  // namespace evq::bench
