#pragma once
// CombinationGroups: the groups of a GroupTable by the combination of their key's values, where all
// key columns are dictionaries of few values: a table with a place for every combination that may
// occur, so that a row is told its group by one look instead of by hashing its key. Each column's
// values are numbered once and for all chunks; a combination's place is the mixed-radix number of
// its values' numbers. One worker's.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "store/base/large_pages.h"
#include "store/column/vector.h"

namespace evq {

class GroupTable;

class CombinationGroups {
 public:
  CombinationGroups(const std::vector<Type>& key_types, std::uint64_t seed);
  ~CombinationGroups();

  // Sets places[i] to the place of row i's combination. False, with `places` unchanged, when a key
  // is flat, or a key's values or the combinations are too many for so few rows.
  bool locate(std::span<const Vector> keys, std::size_t rows, std::vector<std::uint32_t>* places);
  // The group at a place; kNoGroup of GroupTable until the caller sets it.
  std::uint32_t& operator[](std::uint32_t place) { return groups_[place]; }

  std::size_t size_bytes() const;

 private:
  // Numbers the entries of a key; values that are new get the next numbers.
  void number_entries(std::size_t column, const Vector& key);
  // Makes a place for each combination of the values so far; false when they are too many for
  // `rows`.
  bool make_room(std::size_t rows);
  void move_groups(const std::vector<std::uint32_t>& radixes, std::size_t places);

  std::vector<std::unique_ptr<GroupTable>> values_;  // by column: numbers its values
  std::vector<std::uint32_t> radixes_;               // by column: radix of its numbers in a place
  LargeVector<std::uint32_t> groups_;                // by place
  bool too_many_ = false;                            // for good: more places than kPlacesMax
  std::vector<std::vector<std::uint32_t>> numbers_;  // of the entries of this chunk's keys
};

}  // namespace evq
