#include "apl/exec/combination_groups.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "apl/exec/group_table.h"
#include "store/base/allocation_meter.h"

namespace evq {
namespace {

// 8 MiB of groups.
constexpr unsigned kPlaceBitsMax = 21;
// A chunk of fewer rows than this share of the places is faster hashed than the places are cleared.
constexpr std::size_t kPlacesPerRowMax = 16;
// Values are numbered by hashing them, as rows would be.
constexpr std::size_t kRowsPerEntryMin = 4;

std::size_t places_of(const std::vector<unsigned>& bits) {
  return std::size_t{1} << std::accumulate(bits.begin(), bits.end(), 0U);
}

}  // namespace

CombinationGroups::CombinationGroups(const std::vector<Type>& key_types, std::uint64_t seed)
    : bits_(key_types.size()), numbers_(key_types.size()) {
  for (const Type type : key_types) {
    values_.push_back(std::make_unique<GroupTable>(std::vector<Type>{type}, seed));
  }
}

CombinationGroups::~CombinationGroups() = default;

bool CombinationGroups::locate(std::span<const Vector> keys, std::size_t rows,
                               std::vector<std::uint32_t>* places) {
  std::size_t entries = 0;
  for (const Vector& key : keys) {
    if (too_many_ || key.is_flat()) {
      return false;
    }
    entries += key.values().size();
  }
  if (entries * kRowsPerEntryMin > rows) {
    return false;
  }
  for (std::size_t column = 0; column < keys.size(); ++column) {
    number_entries(column, keys[column]);
  }
  if (!make_room(rows)) {
    return false;
  }
  std::uint32_t constants = 0;
  for (std::size_t column = 0; column < keys.size(); ++column) {
    constants =
        (constants << bits_[column]) + (keys[column].is_constant() ? numbers_[column][0] : 0);
  }
  places->assign(rows, constants);
  std::uint32_t* to = places->data();
  unsigned shift = 0;
  for (std::size_t column = keys.size(); column-- > 0; shift += bits_[column]) {
    if (keys[column].is_constant()) {
      continue;
    }
    for (std::uint32_t& number : numbers_[column]) {
      number <<= shift;
    }
    const Code* codes = keys[column].codes();
    const std::uint32_t* numbers = numbers_[column].data();
    for (std::size_t i = 0; i < rows; ++i) {
      to[i] += numbers[codes[i]];
    }
  }
  return true;
}

void CombinationGroups::number_entries(std::size_t column, const Vector& key) {
  const Vector entries = Vector::flat(key.shared_values());
  numbers_[column].resize(entries.size());
  values_[column]->assign({&entries, 1}, entries.size(), 0, numbers_[column].data());
}

// Room for the combinations of all values so far.
bool CombinationGroups::make_room(std::size_t rows) {
  std::vector<unsigned> bits = bits_;
  for (std::size_t column = 0; column < bits.size(); ++column) {
    const auto needed = static_cast<unsigned>(std::bit_width(values_[column]->size() - 1));
    bits[column] = std::max(bits[column], needed);
  }
  if (std::accumulate(bits.begin(), bits.end(), 0U) > kPlaceBitsMax) {
    too_many_ = true;
    groups_ = {};
    values_.clear();
    return false;
  }
  if (!groups_.empty() && bits == bits_) {
    return true;
  }
  if (places_of(bits) > kPlacesPerRowMax * rows) {
    return false;
  }
  move_groups(bits);
  return true;
}

void CombinationGroups::move_groups(const std::vector<unsigned>& bits) {
  AllocationMeter::charge(places_of(bits) * sizeof(std::uint32_t));
  LargeVector<std::uint32_t> moved(places_of(bits), GroupTable::kNoGroup);
  for (std::size_t place = 0; place < groups_.size(); ++place) {
    if (groups_[place] == GroupTable::kNoGroup) {
      continue;
    }
    std::size_t rest = place;
    std::size_t to = 0;
    unsigned shift = 0;
    for (std::size_t column = bits.size(); column-- > 0; shift += bits[column]) {
      to += (rest & ((std::size_t{1} << bits_[column]) - 1)) << shift;
      rest >>= bits_[column];
    }
    moved[to] = groups_[place];
  }
  groups_ = std::move(moved);
  bits_ = bits;
}

std::size_t CombinationGroups::size_bytes() const {
  std::size_t bytes = groups_.capacity() * sizeof(std::uint32_t);
  for (const std::unique_ptr<GroupTable>& values : values_) {
    bytes += values->size_bytes();
  }
  for (const std::vector<std::uint32_t>& numbers : numbers_) {
    bytes += numbers.capacity() * sizeof(std::uint32_t);
  }
  return bytes;
}

}  // namespace evq
