#pragma once
// HyperLogLog: how many different hashes were added. Exact until kExactMax of them (apart from
// collisions of 64 bits), then an estimate from 2^precision registers by Ertl's improved
// estimator (2017), whose relative standard error is 1.04 / sqrt(2^precision): 0.81 % at 14.
// The state, and with it the answer, depends on the set of hashes alone, so any order of adding
// and merging gives the same. Hashes must be well mixed and equal in all sketches that are merged.
//
// Of many groups the sketches lie all over memory. So an exact one is a list to whose end hashes
// are appended, one place in memory each; when it is full, those that came before are dropped by
// way of a table that all sketches of the thread use and that stays in a near cache.

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evq {

class HyperLogLog {
 public:
  static constexpr unsigned kPrecisionMin = 4;
  static constexpr unsigned kPrecisionDefault = 14;
  static constexpr unsigned kPrecisionMax = 18;
  // What users take for small numbers is exact; 64 KiB of table at most.
  static constexpr std::size_t kExactMax = 4096;
  static constexpr std::uint64_t kEstimateMax = INT64_MAX;  // of what was given as a sketch, too

  explicit HyperLogLog(unsigned precision = kPrecisionDefault) : precision_(precision) {}

  void add(std::uint64_t hash) {
    if (!registers_.empty()) {
      add_dense(hash);
    } else {
      add_exact(hash);
    }
  }
  // Asks for the memory beside the object itself that add() will change.
  void prefetch(std::uint64_t hash) const {
    if (!registers_.empty()) {
      __builtin_prefetch(&registers_[hash >> (64 - precision_)], 1);
    } else if (!exact_.empty()) {
      __builtin_prefetch(exact_.data() + exact_.size(), 1);
    }
  }
  // Does what add() put off, so that nobody who asks has to do it each time.
  void settle();
  // Sketches of different precision meet at the smaller one.
  void merge(const HyperLogLog& other);
  std::uint64_t estimate() const;

  // Of a settled one, whether estimate() is the very number.
  bool is_exact() const { return registers_.empty(); }
  unsigned precision() const { return precision_; }
  // Memory held outside the object itself.
  std::size_t size_bytes() const {
    return exact_.capacity() * sizeof(std::uint64_t) + registers_.capacity();
  }

  // A form for hll(): bytes that parse() reads back; equal sets give equal bytes.
  std::string serialize() const;
  static std::optional<HyperLogLog> parse(std::string_view bytes);

 private:
  void add_dense(std::uint64_t hash) {
    const std::size_t index = hash >> (64 - precision_);
    // The set bit below the hash ends the run of zeros at 64 - precision.
    const std::uint64_t rest = (hash << precision_) | (std::uint64_t{1} << (precision_ - 1));
    const auto rank = static_cast<std::uint8_t>(std::countl_zero(rest) + 1);
    if (rank > registers_[index]) {
      registers_[index] = rank;
    }
  }
  void add_exact(std::uint64_t hash);
  // False when there is no room.
  bool add_to_few(std::uint64_t hash);
  void make_room();
  void drop_repeated();
  std::size_t exact_count() const { return distinct_ + (has_zero_ ? 1 : 0); }
  bool is_settled() const {
    return !registers_.empty() || (exact_.size() <= distinct_ && exact_count() <= kExactMax);
  }
  HyperLogLog settled() const;
  // visit(hash) for each of an exact set, in no order; some more than once where it is not settled.
  template <class Visit>
  void visit_exact(const Visit& visit) const {
    if (has_zero_) {
      visit(std::uint64_t{0});
    }
    const std::span<const std::uint64_t> few(few_);
    for (const std::uint64_t hash : exact_.empty() ? few.first(distinct_) : std::span(exact_)) {
      visit(hash);
    }
  }
  void make_dense();
  void lower_precision(unsigned precision);

  unsigned precision_;
  // Of many groups most have few values, which take no memory of their own.
  std::array<std::uint64_t, 4> few_{};
  std::vector<std::uint64_t> exact_;  // once they are more
  // So many of the first differ; behind them come those of which that is not known.
  std::size_t distinct_ = 0;
  bool has_zero_ = false;                // the hash 0 is in neither
  std::vector<std::uint8_t> registers_;  // empty while exact
};

}  // namespace evq
