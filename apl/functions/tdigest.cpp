// The merging t-digest: sorting, exact compaction, compression by the arcsine scale function.

#include "apl/functions/tdigest.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

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
  weighted_.push_back({value, weight});
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
  std::vector<Centroid> added;
  added.reserve(keys.size());
  std::uint64_t last = ~keys[0];
  for (const std::uint64_t key : keys) {
    if (key == last) {
      added.back().weight += 1;
    } else {
      added.push_back({value_of<T>(key), 1});
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
  std::ranges::sort(weighted_, {}, [](const Centroid& centroid) { return centroid.mean; });
  std::vector<Centroid> added;
  added.swap(weighted_);
  merge_sorted(added);
}

template <class T>
void QuantileSketch<T>::merge_sorted(std::span<const Centroid> added) {
  min_ = total_ == 0 ? added.front().mean : std::min(min_, added.front().mean);
  max_ = total_ == 0 ? added.back().mean : std::max(max_, added.back().mean);
  std::vector<Centroid> merged;
  merged.reserve(centroids_.size() + added.size());
  std::size_t i = 0;
  for (const Centroid& next : added) {
    for (; i < centroids_.size() && centroids_[i].mean <= next.mean; ++i) {
      merged.push_back(centroids_[i]);
    }
    if (!merged.empty() && merged.back().mean == next.mean) {
      merged.back().weight += next.weight;
    } else {
      merged.push_back(next);
    }
    total_ += next.weight;
  }
  merged.insert(merged.end(), centroids_.begin() + static_cast<std::ptrdiff_t>(i),
                centroids_.end());
  centroids_ = std::move(merged);
  if (!exact_ || centroids_.size() > kExactMax) {
    exact_ = false;
    compress();
  }
}

// Neighbours join while together they span at most one unit of the scale k(q) =
// kCompression / pi * asin(2q - 1), whose slope is steep at both ends.
template <class T>
void QuantileSketch<T>::compress() {
  const auto limit_after = [](double q) {
    const double k = std::asin(std::clamp(2 * q - 1, -1.0, 1.0)) + std::numbers::pi / kCompression;
    return k >= std::numbers::pi / 2 ? 1.0 : (std::sin(k) + 1) / 2;
  };
  std::size_t out = 0;
  double before = 0;  // weight of the centroids already finished
  double limit = limit_after(0) * total_;
  for (std::size_t i = 1; i < centroids_.size(); ++i) {
    Centroid& current = centroids_[out];
    const Centroid next = centroids_[i];
    if (before + current.weight + next.weight <= limit) {
      current.weight += next.weight;
      current.mean = towards(current.mean, next.mean, next.weight / current.weight);
    } else {
      before += current.weight;
      limit = limit_after(before / total_) * total_;
      centroids_[++out] = next;
    }
  }
  centroids_.resize(out + 1);
  centroids_.shrink_to_fit();
}

template <class T>
void QuantileSketch<T>::merge(const QuantileSketch& other) {
  flush();
  if (other.total_ > 0) {
    const T low = total_ == 0 ? other.min_ : std::min(min_, other.min_);
    const T high = total_ == 0 ? other.max_ : std::max(max_, other.max_);
    exact_ = exact_ && other.exact_;
    merge_sorted(other.centroids_);
    min_ = low;
    max_ = high;
  }
  for (const T value : other.buffer_) {
    add(value);
  }
  for (const Centroid& centroid : other.weighted_) {
    add(centroid.mean, centroid.weight);
  }
}

// A centroid stands for its rows spread evenly between the middles to its neighbours.
template <class T>
T QuantileSketch<T>::quantile(double q) const {
  const double rank = std::max(1.0, std::ceil(q * total_ - 1e-9));
  if (rank <= 1) {
    return min_;
  }
  if (rank >= total_) {
    return max_;
  }
  double before = 0;
  for (std::size_t i = 0; i < centroids_.size(); ++i) {
    const Centroid& here = centroids_[i];
    if (rank > before + here.weight) {
      before += here.weight;
      continue;
    }
    if (exact_ || here.weight == 1) {
      return here.mean;
    }
    const double middle = before + (here.weight + 1) / 2;
    if (rank < middle) {
      const Centroid low = i == 0 ? Centroid{min_, 1} : centroids_[i - 1];
      const double low_middle = i == 0 ? 1 : before + 1 - (low.weight + 1) / 2;
      return towards(low.mean, here.mean, (rank - low_middle) / (middle - low_middle));
    }
    const Centroid high = i + 1 == centroids_.size() ? Centroid{max_, 1} : centroids_[i + 1];
    const double high_middle =
        i + 1 == centroids_.size() ? total_ : before + here.weight + (high.weight + 1) / 2;
    return high_middle <= middle
               ? here.mean
               : towards(here.mean, high.mean, (rank - middle) / (high_middle - middle));
  }
  return max_;
}

template class QuantileSketch<double>;
template class QuantileSketch<std::int64_t>;

}  // namespace evq
