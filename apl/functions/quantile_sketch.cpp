// Sorting, merging and joining of buckets.

#include "apl/functions/quantile_sketch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <type_traits>

namespace evq {
namespace {

constexpr std::size_t kRadixMin = 256;  // below, comparison sorting is faster
constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

// Keys whose unsigned order is the order of the values.
std::uint64_t key_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return (bits & kSignBit) != 0 ? ~bits : bits | kSignBit;
}
std::uint64_t key_of(std::int64_t value) {
  return static_cast<std::uint64_t>(value) ^ kSignBit;
}

// Where a value stands among the buckets: by its double, whose bits are a logarithm with a
// mantissa.
std::uint64_t place_of(double value) {
  return key_of(value);
}
std::uint64_t place_of(std::int64_t value) {
  return key_of(static_cast<double>(value));
}

template <class T>
T value_of(std::uint64_t key);
template <>
double value_of<double>(std::uint64_t key) {
  return std::bit_cast<double>((key & kSignBit) != 0 ? key ^ kSignBit : ~key);
}
template <>
std::int64_t value_of<std::int64_t>(std::uint64_t key) {
  return static_cast<std::int64_t>(key ^ kSignBit);
}

// Byte by byte from the lowest; bytes that all keys share are skipped.
void radix_sort(std::vector<std::uint64_t>* keys, std::vector<std::uint64_t>* scratch) {
  std::array<std::array<std::uint32_t, 256>, 8> counts{};
  for (const std::uint64_t key : *keys) {
    for (std::size_t byte = 0; byte < 8; ++byte) {
      ++counts[byte][(key >> (8 * byte)) & 0xFFU];
    }
  }
  scratch->resize(keys->size());
  for (std::size_t byte = 0; byte < 8; ++byte) {
    auto& count = counts[byte];
    const unsigned shift = static_cast<unsigned>(8 * byte);
    if (count[((*keys)[0] >> shift) & 0xFFU] == keys->size()) {
      continue;
    }
    std::uint32_t sum = 0;
    for (std::uint32_t& entry : count) {
      const std::uint32_t here = entry;
      entry = sum;
      sum += here;
    }
    for (const std::uint64_t key : *keys) {
      (*scratch)[count[(key >> shift) & 0xFFU]++] = key;
    }
    keys->swap(*scratch);
  }
}

// value + (other - value) * share, with the difference taken in doubles.
template <class T>
T towards(T value, T other, double share) {
  const double step = (static_cast<double>(other) - static_cast<double>(value)) * share;
  if constexpr (std::is_same_v<T, double>) {
    return std::isfinite(step) ? value + step : value * (1 - share) + other * share;
  } else {
    const auto distance =
        static_cast<double>(static_cast<std::uint64_t>(other) - static_cast<std::uint64_t>(value));
    const double exact = other >= value ? distance * share : step;
    constexpr double kLongEnd = 0x1.0p63;
    if (std::abs(exact) >= kLongEnd) {
      return share < 0.5 ? value : other;
    }
    // Modulo 2^64 the sum is right although a part of it may not fit.
    const T moved = static_cast<T>(static_cast<std::uint64_t>(value) +
                                   static_cast<std::uint64_t>(std::llround(exact)));
    return std::clamp(moved, std::min(value, other), std::max(value, other));
  }
}

}  // namespace

template <class T>
void QuantileSketch<T>::add(T value, double weight) {
  if (!(weight > 0)) {
    return;
  }
  weighted_.push_back({value, value, weight});
  if (weighted_.size() >= kWeightedMax) {
    flush_weighted();
  }
}

template <class T>
void QuantileSketch<T>::flush() {
  flush_buffer();
  flush_weighted();
}

template <class T>
void QuantileSketch<T>::flush_buffer() {
  if (buffer_.empty()) {
    return;
  }
  std::vector<std::uint64_t> keys(buffer_.size());
  std::ranges::transform(buffer_, keys.begin(), [](T value) { return key_of(value); });
  if (keys.size() < kRadixMin) {
    std::ranges::sort(keys);
  } else {
    std::vector<std::uint64_t> scratch;
    radix_sort(&keys, &scratch);
  }
  std::vector<Bucket> added;
  added.reserve(keys.size());
  std::uint64_t last = ~keys[0];
  for (const std::uint64_t key : keys) {
    if (key == last) {
      added.back().weight += 1;
    } else {
      const T value = value_of<T>(key);
      added.push_back({value, value, 1});
      last = key;
    }
  }
  buffer_.clear();
  merge_sorted(added);
}

template <class T>
void QuantileSketch<T>::flush_weighted() {
  if (weighted_.empty()) {
    return;
  }
  std::ranges::sort(weighted_, {}, [](const Bucket& bucket) { return bucket.first; });
  std::vector<Bucket> added;
  added.swap(weighted_);
  merge_sorted(added);
}

template <class T>
bool QuantileSketch<T>::share_bucket(T low, T high, unsigned level) {
  return level == 0 ? low == high : place_of(low) >> (level - 1) == place_of(high) >> (level - 1);
}

template <class T>
std::size_t QuantileSketch<T>::count_buckets(unsigned level) const {
  std::size_t count = 1;
  for (std::size_t i = 1; i < buckets_.size(); ++i) {
    count += share_bucket(buckets_[i - 1].first, buckets_[i].first, level) ? 0U : 1U;
  }
  return count;
}

template <class T>
void QuantileSketch<T>::join_buckets() {
  std::size_t out = 0;
  for (std::size_t i = 1; i < buckets_.size(); ++i) {
    Bucket& current = buckets_[out];
    const Bucket next = buckets_[i];
    if (share_bucket(current.first, next.first, level_)) {
      current.last = std::max(current.last, next.last);
      current.weight += next.weight;
    } else {
      buckets_[++out] = next;
    }
  }
  buckets_.resize(std::min(out + 1, buckets_.size()));
}

// Buckets of one level nest in those of the next, and a part of the values never needs a higher
// level than all of them: that is why order and split do not matter.
template <class T>
void QuantileSketch<T>::merge_sorted(std::span<const Bucket> added) {
  std::vector<Bucket> merged;
  merged.reserve(buckets_.size() + added.size());
  std::ranges::merge(
      buckets_, added, std::back_inserter(merged), {},
      [](const Bucket& bucket) { return bucket.first; },
      [](const Bucket& bucket) { return bucket.first; });
  for (const Bucket& bucket : added) {
    total_ += bucket.weight;
  }
  buckets_ = std::move(merged);
  join_buckets();
  if (buckets_.size() > kBucketsMax) {
    while (count_buckets(level_) > kBucketsMax) {
      ++level_;
    }
    join_buckets();
    buckets_.shrink_to_fit();
  }
}

template <class T>
void QuantileSketch<T>::merge(const QuantileSketch& other) {
  flush();
  if (other.total_ > 0) {
    level_ = std::max(level_, other.level_);
    merge_sorted(other.buckets_);
  }
  for (const T value : other.buffer_) {
    add(value);
  }
  for (const Bucket& bucket : other.weighted_) {
    add(bucket.first, bucket.weight);
  }
}

// The rows of a bucket count as spread evenly between its ends.
template <class T>
T QuantileSketch<T>::quantile(double q) const {
  const double rank = std::max(1.0, std::ceil(q * total_ - 1e-9));
  double before = 0;
  for (const Bucket& here : buckets_) {
    if (rank <= before + here.weight) {
      return here.weight <= 1 || here.first == here.last
                 ? here.first
                 : towards(here.first, here.last, (rank - before - 1) / (here.weight - 1));
    }
    before += here.weight;
  }
  return max();
}

// Level, then the buckets as they lie in memory; numbers are little endian on every machine that
// evq runs on.
template <class T>
std::string QuantileSketch<T>::serialize() const {
  std::string bytes(1, static_cast<char>(level_));
  for (const Bucket& bucket : buckets_) {
    char fields[sizeof(Bucket)];
    std::memcpy(fields, &bucket, sizeof(Bucket));
    bytes.append(fields, sizeof(Bucket));
  }
  return bytes;
}

template <class T>
std::optional<QuantileSketch<T>> QuantileSketch<T>::parse(std::string_view bytes) {
  constexpr unsigned kLevelMax = 64;
  if (bytes.empty() || static_cast<unsigned char>(bytes[0]) > kLevelMax ||
      (bytes.size() - 1) % sizeof(Bucket) != 0 ||
      (bytes.size() - 1) / sizeof(Bucket) > kBucketsMax) {
    return std::nullopt;
  }
  QuantileSketch sketch;
  sketch.level_ = static_cast<unsigned char>(bytes[0]);
  for (std::size_t at = 1; at < bytes.size(); at += sizeof(Bucket)) {
    Bucket bucket;
    std::memcpy(&bucket, bytes.data() + at, sizeof(Bucket));
    const bool ordered = sketch.buckets_.empty() || sketch.buckets_.back().last < bucket.first;
    if (!ordered || !(bucket.first <= bucket.last) || !(bucket.weight >= 1)) {
      return std::nullopt;
    }
    sketch.total_ += bucket.weight;
    sketch.buckets_.push_back(bucket);
  }
  return sketch;
}

template class QuantileSketch<double>;
template class QuantileSketch<std::int64_t>;

}  // namespace evq
