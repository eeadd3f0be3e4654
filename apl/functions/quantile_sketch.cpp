// Sorting, merging and joining of buckets.

#include "apl/functions/quantile_sketch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "store/base/ordered_bits.h"
#include "store/column/physical.h"

namespace evq {
namespace {

constexpr std::size_t kRadixMin = 256;  // below, comparison sorting is faster
constexpr unsigned kDigitBits = 11;
constexpr std::size_t kDigitValues = std::size_t{1} << kDigitBits;
// Counting by an index of the buckets: below, sorting is faster.
constexpr std::size_t kIndexedMin = 512;
constexpr unsigned kIndexBits = 16;
constexpr std::size_t kIndexSlotsMax = std::size_t{1} << kIndexBits;
constexpr std::size_t kIndexSlotsPerValue = 16;
constexpr unsigned kLevelMax = 64;

// Where a value stands among the buckets: by its double, whose bits are a logarithm with a
// mantissa.
std::uint64_t place_of(double value) {
  return ordered_bits(value);
}
std::uint64_t place_of(std::int64_t value) {
  return ordered_bits(static_cast<double>(value));
}

// The number of the bucket that holds a value at a level.
template <class T>
std::uint64_t bucket_of(T value, unsigned level) {
  return level == 0 ? ordered_bits(value) : place_of(value) >> (level - 1);
}

// Of values; not of zero, which is far from every other.
template <class T>
struct ValueRange {
  T min = std::numeric_limits<T>::max();
  T max = std::numeric_limits<T>::lowest();

  void take(T value) {
    min = value != 0 && value < min ? value : min;
    max = value != 0 && value > max ? value : max;
  }
  bool is_empty() const { return min > max; }
  // One less than the number of buckets from the smallest to the largest value.
  std::uint64_t buckets(unsigned level) const {
    return bucket_of(max, level) - bucket_of(min, level);
  }
};

// ORs every pair of neighbouring bits into one of half as many.
void halve_bits(std::vector<std::uint64_t>* words) {
  constexpr std::array<std::pair<unsigned, std::uint64_t>, 5> kSteps = {{
      {1, 0x3333333333333333},
      {2, 0x0F0F0F0F0F0F0F0F},
      {4, 0x00FF00FF00FF00FF},
      {8, 0x0000FFFF0000FFFF},
      {16, 0x00000000FFFFFFFF},
  }};
  words->resize((words->size() + 1) / 2 * 2, 0);
  for (std::size_t i = 0; i < words->size(); ++i) {
    std::uint64_t bits = ((*words)[i] | (*words)[i] >> 1U) & 0x5555555555555555;
    for (const auto& [shift, mask] : kSteps) {
      bits = (bits | bits >> shift) & mask;
    }
    (*words)[i / 2] = i % 2 == 0 ? bits : (*words)[i / 2] | bits << 32U;
  }
  words->resize(words->size() / 2);
}

// Sorts by the number of the bucket, digit by digit from the lowest; digits that all values share
// are skipped. Values of one bucket come in any order.
template <class T>
void sort_by_bucket(std::vector<T>* values, unsigned level) {
  if (values->size() < kRadixMin) {
    std::ranges::sort(*values);
    return;
  }
  const auto [least, greatest] = std::ranges::minmax(*values);
  const std::uint64_t base = bucket_of(least, level);
  const unsigned digits =
      (static_cast<unsigned>(std::bit_width(bucket_of(greatest, level) - base)) + kDigitBits - 1) /
      kDigitBits;
  const auto digit_of = [&](T value, unsigned digit) {
    return ((bucket_of(value, level) - base) >> (digit * kDigitBits)) & (kDigitValues - 1);
  };
  std::vector<std::array<std::uint32_t, kDigitValues>> counts(digits);
  for (const T value : *values) {
    for (unsigned digit = 0; digit < digits; ++digit) {
      ++counts[digit][digit_of(value, digit)];
    }
  }
  std::vector<T> scratch(values->size());
  for (unsigned digit = 0; digit < digits; ++digit) {
    std::array<std::uint32_t, kDigitValues>& starts = counts[digit];
    if (starts[digit_of((*values)[0], digit)] == values->size()) {
      continue;
    }
    std::exclusive_scan(starts.begin(), starts.end(), starts.begin(), 0U);
    for (const T value : *values) {
      scratch[starts[digit_of(value, digit)]++] = value;
    }
    values->swap(scratch);
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

// Whether a sketch can have such a bucket: an infinite value has one of its own.
template <class Bucket>
bool is_sound(const Bucket& bucket) {
  constexpr double kWeightMax = 0x1p53;
  const bool finite = std::isfinite(static_cast<double>(bucket.first)) &&
                      std::isfinite(static_cast<double>(bucket.last));
  return bucket.first <= bucket.last && (finite || bucket.first == bucket.last) &&
         bucket.weight >= 1 && bucket.weight <= kWeightMax &&
         bucket.weight == std::floor(bucket.weight);
}

}  // namespace

template <class T>
void QuantileSketch<T>::add(T value, double weight) {
  if (!(weight > 0)) {
    return;
  }
  const T positive = value + T{0};  // no -0.0
  weighted_.push_back({positive, positive, weight});
  if (weighted_.size() >= kWeightedMax) {
    flush_weighted();
  }
}

template <class T>
void QuantileSketch<T>::flush() {
  flush_buffer();
  flush_weighted();
}

// Marks the buckets of a level by which they are few enough to be marked, then those of the levels
// above it, whose buckets hold two of the level below each.
template <class T>
void QuantileSketch<T>::skip_levels(T min, T max) {
  constexpr std::uint64_t kWordBits = 64;
  const auto bits = static_cast<unsigned>(std::bit_width(bucket_of(max, 1) - bucket_of(min, 1)));
  unsigned level = bits > kIndexBits ? bits - kIndexBits + 1 : 1;
  const std::uint64_t base = bucket_of(min, level) / kWordBits * kWordBits;
  std::vector<std::uint64_t> marked((bucket_of(max, level) - base) / kWordBits + 1, 0);
  for (const T value : buffer_) {
    if (value != 0) {
      const std::uint64_t bucket = bucket_of(value, level) - base;
      marked[bucket / kWordBits] |= std::uint64_t{1} << (bucket % kWordBits);
    }
  }
  if (count_bits(marked) <= kBucketsMax) {
    return;  // a level below may do
  }
  while (count_bits(marked) > kBucketsMax) {
    halve_bits(&marked);
    ++level;
  }
  level_ = level;
  join_buckets();
}

template <class T>
bool QuantileSketch<T>::count_by_index() {
  ValueRange<T> range;
  for (const T value : buffer_) {
    range.take(value);
  }
  if (buffer_.size() < kIndexedMin || range.is_empty()) {
    return false;
  }
  if (level_ == 0 && range.buckets(0) >= kIndexSlotsMax) {
    skip_levels(range.min, range.max);
  }
  for (const Bucket& bucket : buckets_) {
    range.take(bucket.first);
  }
  const std::uint64_t slots = range.buckets(level_);
  if (slots >= std::min(kIndexSlotsMax, buffer_.size() * kIndexSlotsPerValue)) {
    return false;
  }
  const std::uint64_t base = bucket_of(range.min, level_);
  Bucket zeros = take_zeros();
  const std::size_t held = buckets_.size();
  buckets_.reserve(std::min(held + buffer_.size(), kBucketsMax + kBucketsMax / 2));
  std::vector<std::uint16_t> index(slots + 1, 0);  // a bucket's place + 1, or 0
  for (std::size_t i = 0; i < held; ++i) {
    index[bucket_of(buckets_[i].first, level_) - base] = static_cast<std::uint16_t>(i + 1);
  }
  for (const T value : buffer_) {
    if (value == 0) {
      zeros.weight += 1;
      continue;
    }
    std::uint16_t& place = index[bucket_of(value, level_) - base];
    if (place == 0) {
      buckets_.push_back({value, value, 1});
      place = static_cast<std::uint16_t>(buckets_.size());
    } else {
      Bucket& bucket = buckets_[place - 1U];
      bucket.first = std::min(bucket.first, value);
      bucket.last = std::max(bucket.last, value);
      bucket.weight += 1;
    }
  }
  if (buckets_.size() != held) {
    std::vector<Bucket> ordered;
    ordered.reserve(buckets_.size());
    for (const std::uint16_t place : index) {
      if (place != 0) {
        ordered.push_back(buckets_[place - 1U]);
      }
    }
    buckets_ = std::move(ordered);
  }
  total_ += static_cast<double>(buffer_.size()) - zeros.weight;
  buffer_.clear();
  if (zeros.weight > 0) {
    merge_sorted({&zeros, 1});
  } else {
    limit_buckets();
  }
  return true;
}

template <class T>
typename QuantileSketch<T>::Bucket QuantileSketch<T>::take_zeros() {
  const auto at = std::ranges::lower_bound(buckets_, T{0}, {}, &Bucket::first);
  if (at == buckets_.end() || at->first != 0) {
    return {0, 0, 0};
  }
  const Bucket zeros = *at;
  buckets_.erase(at);
  return zeros;
}

template <class T>
void QuantileSketch<T>::flush_buffer() {
  if (buffer_.empty() || count_by_index()) {
    return;
  }
  sort_by_bucket(&buffer_, level_);
  std::vector<Bucket> added;
  added.reserve(std::min(buffer_.size(), 2 * kBucketsMax));
  std::uint64_t last = ~bucket_of(buffer_[0], level_);
  for (const T value : buffer_) {
    const std::uint64_t bucket = bucket_of(value, level_);
    if (bucket == last) {
      Bucket& current = added.back();
      current.first = std::min(current.first, value);
      current.last = std::max(current.last, value);
      current.weight += 1;
    } else {
      const T positive = value + T{0};  // no -0.0
      added.push_back({positive, positive, 1});
      last = bucket;
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

// The number of buckets that lie side by side is one more than that of neighbours apart, and a pair
// is apart at the levels up to the highest bit in which its places differ.
template <class T>
unsigned QuantileSketch<T>::level_for_fewer() const {
  std::array<std::size_t, kLevelMax + 1> apart{};
  std::uint64_t before = place_of(buckets_[0].first);
  for (const Bucket& bucket : buckets_) {
    const std::uint64_t place = place_of(bucket.first);
    ++apart[static_cast<std::size_t>(std::bit_width(before ^ place))];
    before = place;
  }
  std::size_t count = 1;
  unsigned level = kLevelMax;
  while (level > level_ && count + apart[level] <= kBucketsMax) {
    count += apart[level--];
  }
  return level + 1;
}

template <class T>
void QuantileSketch<T>::join_buckets() {
  if (buckets_.empty()) {
    return;
  }
  std::size_t out = 0;
  std::uint64_t last = bucket_of(buckets_[0].first, level_);
  for (std::size_t i = 1; i < buckets_.size(); ++i) {
    const Bucket next = buckets_[i];
    const std::uint64_t bucket = bucket_of(next.first, level_);
    if (bucket == last) {
      Bucket& current = buckets_[out];
      current.last = std::max(current.last, next.last);
      current.weight += next.weight;
    } else {
      buckets_[++out] = next;
      last = bucket;
    }
  }
  buckets_.resize(out + 1);
}

// Buckets of one level nest in those of the next, and a part of the values never needs a higher
// level than all of them: that is why order and split do not matter.
template <class T>
void QuantileSketch<T>::merge_sorted(std::span<const Bucket> added) {
  std::vector<Bucket> merged;
  merged.reserve(buckets_.size() + added.size());
  std::uint64_t last = 0;
  const auto take = [&](const Bucket& next) {
    const std::uint64_t bucket = bucket_of(next.first, level_);
    if (!merged.empty() && bucket == last) {
      merged.back().last = std::max(merged.back().last, next.last);
      merged.back().weight += next.weight;
    } else {
      merged.push_back(next);
      last = bucket;
    }
  };
  std::size_t held = 0;
  for (const Bucket& next : added) {
    total_ += next.weight;
    while (held < buckets_.size() && buckets_[held].first < next.first) {
      take(buckets_[held++]);
    }
    take(next);
  }
  while (held < buckets_.size()) {
    take(buckets_[held++]);
  }
  buckets_ = std::move(merged);
  limit_buckets();
}

template <class T>
void QuantileSketch<T>::limit_buckets() {
  if (buckets_.size() > kBucketsMax) {
    level_ = level_for_fewer();
    join_buckets();
  }
  if (buckets_.capacity() > 2 * buckets_.size()) {
    buckets_.shrink_to_fit();
  }
}

template <class T>
void QuantileSketch<T>::merge(const QuantileSketch& other) {
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

// The rows of a bucket count as spread evenly between its ends. A rank that is whole but for the
// rounding of q and of the product is that whole number.
template <class T>
T QuantileSketch<T>::quantile(double q) const {
  constexpr double kRoundings = 4 * std::numeric_limits<double>::epsilon();
  const double rank = std::max(1.0, std::ceil(q * total_ * (1 - kRoundings)));
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
    if (!ordered || !is_sound(bucket)) {
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
