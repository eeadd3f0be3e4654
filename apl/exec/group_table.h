#pragma once
// GroupTable: numbers the distinct combinations of key columns it is shown, 0, 1, 2, … in order of
// first sight. One worker's; two tables of the same key types can be merged.
//
// Keys are kept as byte strings (a null flag and a fixed or length-prefixed payload per column).
// Three shortcuts avoid building them per row: columns that are dictionaries are looked up once
// per entry or combination of entries, a single integer column goes through runs of equal values
// and a table of integers, a single string column is hashed in place.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "store/base/result.h"
#include "store/column/vector.h"

namespace evq {

class GroupTable {
 public:
  GroupTable(std::vector<Type> key_types, std::uint64_t seed);

  // groups[i] becomes the group of row i. `order` is the position of row 0 in the stream, for
  // first_seen().
  void assign(std::span<const Vector> keys, std::size_t rows, std::uint64_t order,
              std::uint32_t* groups);

  static constexpr std::uint32_t kNoGroup = 0xffffffff;
  // groups[i] becomes the group of row i, or kNoGroup when its key has not been assigned one.
  void find(std::span<const Vector> keys, std::size_t rows, std::uint32_t* groups) const;

  std::size_t size() const { return keys_.size(); }
  // to[g] becomes this table's group with the key of `other`'s group g.
  void merge(const GroupTable& other, std::vector<std::uint32_t>* to);
  // Position in the stream of the first row of a group.
  std::uint64_t first_seen(std::size_t group) const { return first_seen_[group]; }
  // The key columns of `groups`, in that order.
  std::vector<Vector> keys(std::span<const std::uint32_t> groups) const;
  std::size_t size_bytes() const;

 private:
  std::uint32_t find_or_insert(std::string_view key, std::uint64_t hash, std::uint64_t order);
  void grow();
  void assign_combined(std::span<const Vector> keys, std::size_t rows, std::uint64_t order,
                       std::uint32_t* groups);
  void assign_integers(const Vector& key, std::size_t rows, std::uint64_t order,
                       std::uint32_t* groups);
  void assign_general(std::span<const Vector> keys, std::size_t rows, std::uint64_t order,
                      std::uint32_t* groups);

  std::vector<Type> key_types_;
  std::uint64_t seed_;
  StringArena arena_;
  std::vector<std::string_view> keys_;    // by group
  std::vector<std::uint64_t> hashes_;     // by group
  std::vector<std::uint64_t> first_seen_;  // by group
  std::vector<std::uint32_t> slots_;      // group + 1, or 0 for an empty slot
  std::vector<std::uint32_t> scratch_;    // group + 1 of a combination of codes
};

}  // namespace evq
