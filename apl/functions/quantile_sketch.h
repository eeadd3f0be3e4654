#pragma once
// QuantileSketch: how numbers are distributed, for percentiles. While there are at most
// kBucketsMax different values it keeps each with its count, and the answers are exact: the value
// of nearest rank. Beyond, values share a bucket when their doubles agree in all but the lowest
// bits, as few of those as bring the number of buckets down to kBucketsMax; a bucket keeps its
// smallest and largest value and its count. An answer lies between the ends of the bucket that
// holds the true one, at the place of its rank, so its relative error is below the bucket's
// width: 2 ^ -k where data span 4,096 / 2 ^ k octaves (powers of two), 0.8 % over ten decades.
// Tests hold the rank of answers to 0.5 % of the rows.
//
// Which bits buckets drop depends on the set of values alone, and so does everything else: the
// same rows give the same answer in whatever order they are added and however they are split among
// sketches that are merged. Smallest and largest value are always exact.
//
// Values are added to a buffer and merged thousands at a time: counted by an index of the buckets
// where these lie close together, else sorted by radix as far as buckets differ. T is double, or
// std::int64_t so that datetimes keep their nanoseconds. NaN must not be added.

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evq {

template <class T>
class QuantileSketch {
 public:
  static constexpr std::size_t kBucketsMax = 4096;

  struct Bucket {
    T first;
    T last;
    double weight;  // always a whole number; doubles count exactly to 2^53
    // A value to stand for all of them.
    T middle() const { return std::midpoint(first, last); }
  };

  void add(T value) {
    buffer_.push_back(value);
    if (buffer_.size() >= kBufferMax) {
      flush();
    }
  }
  // Adds `weight` rows of the same value; weights of zero and less are ignored.
  void add(T value, double weight);
  void merge(const QuantileSketch& other);

  // Merges the buffered values into the buckets; the functions below require that.
  void flush();

  // Calls take(const QuantileSketch&) with this sketch, or with a copy where values are buffered.
  template <class Take>
  void with_flushed(const Take& take) const {
    if (buffer_.empty() && weighted_.empty()) {
      take(*this);
    } else {
      QuantileSketch copy = *this;
      copy.flush();
      take(copy);
    }
  }

  double count() const { return total_; }
  bool is_exact() const { return level_ == 0; }
  T min() const { return buckets_.front().first; }
  T max() const { return buckets_.back().last; }
  // Returns the value of nearest rank, for q in [0, 1]; count() must not be zero.
  T quantile(double q) const;
  // Returns the buckets, ascending; single values as long as is_exact().
  std::span<const Bucket> buckets() const { return buckets_; }

  // Encodes the sketch, which must be flushed, for tdigest(); parse() reads it back. Equal
  // distributions give equal bytes.
  std::string serialize() const;
  static std::optional<QuantileSketch> parse(std::string_view bytes);

  // Memory held outside the object itself.
  std::size_t size_bytes() const {
    return buffer_.capacity() * sizeof(T) +
           (buckets_.capacity() + weighted_.capacity()) * sizeof(Bucket);
  }

 private:
  static constexpr std::size_t kBufferMax = 8192;
  static constexpr std::size_t kWeightedMax = 1024;

  void flush_buffer();
  void flush_weighted();
  // Raises the level from 0 to the least by which the buffered values, from `min` to `max` or zero,
  // make at most kBucketsMax buckets; not where that level is a low one.
  void skip_levels(T min, T max);
  // Adds the buffered values to the buckets where those lie close enough together for an index of
  // them, which spares the sorting. Returns false, with nothing done, elsewhere.
  bool count_by_index();
  // The bucket that begins at zero, taken out, or an empty one.
  Bucket take_zeros();
  // Merges `added`, ascending, into the buckets.
  void merge_sorted(std::span<const Bucket> added);
  // Raises the level until there are at most kBucketsMax buckets.
  void limit_buckets();
  // The lowest level above the present one with at most kBucketsMax buckets.
  unsigned level_for_fewer() const;
  // Joins the buckets that one of the present level holds together.
  void join_buckets();

  std::vector<T> buffer_;
  std::vector<Bucket> weighted_;
  std::vector<Bucket> buckets_;
  double total_ = 0;    // of the buckets
  unsigned level_ = 0;  // 0: a bucket a value; else level - 1 lowest bits do not count
};

extern template class QuantileSketch<double>;
extern template class QuantileSketch<std::int64_t>;

}  // namespace evq
