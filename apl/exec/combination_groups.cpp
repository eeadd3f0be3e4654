#include "apl/exec/combination_groups.h"

#include <algorithm>

#include "apl/exec/group_table.h"
#include "store/base/allocation_meter.h"
#include "store/base/release_memory.h"

namespace evq {
namespace {

// 8 MiB of groups.
constexpr std::size_t kPlacesMax = std::size_t{1} << 21U;
// A chunk of fewer rows than this share of the places is faster hashed than the places are cleared.
constexpr std::size_t kPlacesPerRowMax = 32;
// Values are numbered by hashing them, as rows would be.
constexpr std::size_t kRowsPerEntryMin = 4;

// Of combinations of so many values; kPlacesMax + 1 when there are more.
std::size_t places_of(const std::vector<std::uint32_t>& radixes) {
  std::size_t places = 1;
  for (const std::uint32_t radix : radixes) {
    places = std::min(places * radix, kPlacesMax + 1);
  }
  return places;
}

}  // namespace

CombinationGroups::CombinationGroups(const std::vector<Type>& key_types, std::uint64_t seed)
    : radixes_(key_types.size(), 0), numbers_(key_types.size()) {
  for (const Type type : key_types) {
    values_.push_back(std::make_unique<GroupTable>(std::vector<Type>{type}, seed));
  }
}

CombinationGroups::~CombinationGroups() = default;

bool CombinationGroups::locate(std::span<const Vector> keys, std::size_t rows,
                               std::vector<std::uint32_t>* places) {
  std::size_t entries = 0;
  for (const Vector& key : keys) {
    entries += key.values().size();
  }
  if (too_many_ || std::ranges::any_of(keys, &Vector::is_flat) ||
      entries * kRowsPerEntryMin > rows) {
    return false;
  }
  for (std::size_t column = 0; column < keys.size(); ++column) {
    number_entries(column, keys[column]);
  }
  if (!make_room(rows)) {
    return false;
  }
  places->assign(rows, 0);
  std::uint32_t* to = places->data();
  std::uint32_t unit = 1;
  for (std::size_t column = keys.size(); column-- > 0; unit *= radixes_[column]) {
    for (std::uint32_t& number : numbers_[column]) {
      number *= unit;
    }
    const std::uint32_t* numbers = numbers_[column].data();
    if (keys[column].is_constant()) {
      std::for_each_n(to, rows, [number = numbers[0]](std::uint32_t& place) { place += number; });
      continue;
    }
    const Code* codes = keys[column].codes();
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

bool CombinationGroups::make_room(std::size_t rows) {
  std::vector<std::uint32_t> radixes = radixes_;
  for (std::size_t column = 0; column < radixes.size(); ++column) {
    const auto values = static_cast<std::uint32_t>(values_[column]->size());
    if (values > radixes[column]) {  // where there were some before, more will follow
      radixes[column] = radixes[column] == 0 ? values : values + values / 8;
    }
  }
  const std::size_t places = places_of(radixes);
  if (places > kPlacesMax) {
    too_many_ = true;
    release_memory(groups_);
    values_.clear();
    return false;
  }
  if (!groups_.empty() && radixes == radixes_) {
    return true;
  }
  if (places > kPlacesPerRowMax * rows) {
    return false;
  }
  move_groups(radixes, places);
  return true;
}

void CombinationGroups::move_groups(const std::vector<std::uint32_t>& radixes, std::size_t places) {
  AllocationMeter::charge(places * sizeof(std::uint32_t));
  LargeVector<std::uint32_t> moved(places, GroupTable::kNoGroup);
  for (std::size_t place = 0; place < groups_.size(); ++place) {
    if (groups_[place] == GroupTable::kNoGroup) {
      continue;
    }
    std::size_t rest = place;
    std::size_t to = 0;
    std::size_t unit = 1;
    for (std::size_t column = radixes.size(); column-- > 0; unit *= radixes[column]) {
      to += rest % radixes_[column] * unit;
      rest /= radixes_[column];
    }
    moved[to] = groups_[place];
  }
  groups_ = std::move(moved);
  radixes_ = radixes;
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
