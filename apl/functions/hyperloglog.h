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
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace evq {

class HyperLogLog {
 public:
  static constexpr unsigned kPrecisionMin = 4;
  static constexpr unsigned kPrecisionDefault = 14;
  static constexpr unsigned kPrecisionMax = 18;
  // Limit of exact counts: what users take for small numbers; 64 KiB of table at most.
  static constexpr std::size_t kExactMax = 4096;
  static constexpr std::uint64_t kEstimateMax = INT64_MAX;  // of what was given as a sketch, too

  explicit HyperLogLog(unsigned precision = kPrecisionDefault)
      : precision_(static_cast<std::uint8_t>(precision)) {}

  void add(std::uint64_t hash) {
    if (auto* registers = std::get_if<Registers>(&held_)) {
      add_to(registers, hash);
    } else {
      add_exact(hash);
    }
  }
  // Prefetches the memory outside the object that add(hash) will change.
  void prefetch(std::uint64_t hash) const {
    if (const auto* registers = std::get_if<Registers>(&held_)) {
      __builtin_prefetch(&(*registers)[hash >> (64 - precision_)], 1);
    } else if (const auto* list = std::get_if<List>(&held_)) {
      __builtin_prefetch(list->data() + list->size(), 1);
    }
  }
  // Completes work that add() deferred, so that nobody who asks has to do it each time.
  void settle();
  // Merges `other` into this; of different precisions the smaller one remains.
  void merge(const HyperLogLog& other);
  std::uint64_t estimate() const;

  // Whether estimate() is exact; the sketch must be settled.
  bool is_exact() const { return !std::holds_alternative<Registers>(held_); }
  unsigned precision() const { return precision_; }
  // Memory held outside the object itself.
  std::size_t size_bytes() const;

  // Encodes the sketch for hll(); parse() reads it back. Equal sets give equal bytes.
  std::string serialize() const;
  static std::optional<HyperLogLog> parse(std::string_view bytes);

 private:
  // Holds few hashes without allocation, since of many groups most have few values.
  using Few = std::array<std::uint64_t, 4>;
  using List = std::vector<std::uint64_t>;
  using Registers = std::vector<std::uint8_t>;

  void add_to(Registers* registers, std::uint64_t hash) const {
    const std::size_t index = hash >> (64U - precision_);
    // The set bit below the hash ends the run of zeros at 64 - precision.
    const std::uint64_t rest = (hash << precision_) | (std::uint64_t{1} << (precision_ - 1U));
    const auto rank = static_cast<std::uint8_t>(std::countl_zero(rest) + 1);
    if (rank > (*registers)[index]) {
      (*registers)[index] = rank;
    }
  }
  void add_exact(std::uint64_t hash);
  // Adds a hash; false when there is no room.
  bool add_to(Few* few, std::uint64_t hash);
  void make_room();
  void drop_repeated(List* list);
  std::size_t exact_count() const { return distinct_ + (has_zero_ ? 1U : 0U); }
  bool is_settled() const;
  HyperLogLog settled() const;
  // The hashes of an exact set other than 0, in no order; some more than once where it is not
  // settled.
  std::span<const std::uint64_t> hashes() const;
  // Whether nothing was added.
  bool is_empty() const { return is_exact() && exact_count() == 0; }
  Registers& make_dense();
  void lower_precision(unsigned precision);

  std::variant<Few, List, Registers> held_;
  // Number of leading hashes of the few or of the list that are known to differ; those behind them
  // in the list may repeat.
  std::uint32_t distinct_ = 0;
  std::uint8_t precision_;
  bool has_zero_ = false;  // exact sets keep the hash 0 here, not in held_
};

}  // namespace evq
