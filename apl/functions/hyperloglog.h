#pragma once
// HyperLogLog: how many different hashes were added. Exact until kExactMax of them (apart from
// collisions of 64 bits), then an estimate from 2^precision registers by Ertl's improved
// estimator (2017), whose relative standard error is 1.04 / sqrt(2^precision): 0.81 % at 14.
// The state, and with it the answer, depends on the set of hashes alone, so any order of adding
// and merging gives the same. Hashes must be well mixed and equal in all sketches that are merged.

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apl/functions/table_slot.h"

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
      __builtin_prefetch(&exact_[table_slot(hash, exact_.size())], 1);
    }
  }
  // Sketches of different precision meet at the smaller one.
  void merge(const HyperLogLog& other);
  std::uint64_t estimate() const;

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
  void insert(std::uint64_t hash);
  void grow();
  // visit(hash) for each of an exact set, in no order.
  template <class Visit>
  void visit_exact(const Visit& visit) const {
    if (has_zero_) {
      visit(std::uint64_t{0});
    }
    const std::uint64_t* hashes = exact_.empty() ? few_.data() : exact_.data();
    const std::size_t slots = exact_.empty() ? exact_count_ : exact_.size();
    for (std::size_t i = 0; i < slots; ++i) {
      if (hashes[i] != 0) {
        visit(hashes[i]);
      }
    }
  }
  void make_dense();
  void lower_precision(unsigned precision);

  unsigned precision_;
  // Of many groups most have few values, which take no memory of their own.
  std::array<std::uint64_t, 4> few_{};
  std::vector<std::uint64_t> exact_;  // once they are more: open addressing; 0 marks a free slot
  std::size_t exact_count_ = 0;       // without the hash 0
  bool has_zero_ = false;
  std::vector<std::uint8_t> registers_;  // empty while exact
};

}  // namespace evq
