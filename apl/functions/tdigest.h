#pragma once
// QuantileSketch: a merging t-digest (Dunning) for percentiles of numbers. While there are at most
// kExactMax different values it keeps each with its count and the answers are exact: the value of
// nearest rank. Beyond, neighbours are merged into at most about kCompression centroids, narrow at
// both ends: the rank of an answer is off by at most pi * sqrt(q (1 - q)) / kCompression of all
// rows plus what repeated merging adds; tests hold it to 0.5 % of the rows in the middle and 0.1 %
// at the 1st and 99th percentile. Smallest and largest value are always exact.
//
// Values are added to a buffer and merged a few thousand at a time, sorted by radix. T is double,
// or std::int64_t so that datetimes keep their nanoseconds. NaN must not be added.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace evq {

template <class T>
class QuantileSketch {
 public:
  static constexpr std::size_t kExactMax = 2048;
  static constexpr double kCompression = 1000;

  struct Centroid {
    T mean;
    double weight;  // always a whole number; doubles count exactly to 2^53
  };

  void add(T value) {
    buffer_.push_back(value);
    if (buffer_.size() >= kBufferMax) {
      flush();
    }
  }
  // `weight` rows of the same value; weights of zero and less are ignored.
  void add(T value, double weight);
  void merge(const QuantileSketch& other);

  // Merges what is buffered; the questions below need that.
  void flush();

  double count() const { return total_; }
  bool is_exact() const { return exact_; }
  T min() const { return min_; }
  T max() const { return max_; }
  // The value of nearest rank, for q in [0, 1]; count() must not be zero.
  T quantile(double q) const;
  // Values with their counts, ascending; single values as long as is_exact().
  std::span<const Centroid> centroids() const { return centroids_; }

  // Memory held outside the object itself.
  std::size_t size_bytes() const {
    return buffer_.capacity() * sizeof(T) +
           (centroids_.capacity() + weighted_.capacity()) * sizeof(Centroid);
  }

 private:
  static constexpr std::size_t kBufferMax = 8192;
  static constexpr std::size_t kWeightedMax = 1024;

  void flush_buffer();
  void flush_weighted();
  // Merges `added`, ascending, into the centroids.
  void merge_sorted(std::span<const Centroid> added);
  void compress();

  std::vector<T> buffer_;
  std::vector<Centroid> weighted_;
  std::vector<Centroid> centroids_;
  double total_ = 0;  // of the centroids
  T min_{};
  T max_{};
  bool exact_ = true;
};

extern template class QuantileSketch<double>;
extern template class QuantileSketch<std::int64_t>;

}  // namespace evq
