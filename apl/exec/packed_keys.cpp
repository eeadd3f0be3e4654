#include "apl/exec/packed_keys.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "apl/exec/key_combinations.h"
#include "store/base/allocation_meter.h"

namespace evq {
namespace {

constexpr unsigned kBitsMax = 63;  // of all columns: the integer is not negative
constexpr unsigned kColumnBitsMax = 16;
constexpr std::size_t kColumnsMin = 2;
// Room for so many times the values of the chunk that decides at least, in bits.
constexpr unsigned kSpareBits = 2;
// Numbering more entries of a chunk takes as long as looking up its rows.
constexpr std::size_t kEntriesMax = 4096;
// Where more rows share a combination of entries, or there are so few that their table stays in a
// near cache, looking up the combinations is faster.
constexpr std::size_t kRowsPerLocatedMin = 2;
constexpr std::size_t kLocatedCombinationsMax = std::size_t{1} << 14U;
// Test configurations: enough for a flag, and soon too few for other columns.
constexpr unsigned kFewBits = 2;

bool pays(std::span<const Vector> keys, std::size_t rows) {
  const std::size_t combinations = combinations_of(keys, rows);
  const bool shared = combinations != 0 && (combinations <= kLocatedCombinationsMax ||
                                            combinations * kRowsPerLocatedMin <= rows);
  return !shared && std::ranges::count_if(keys, &Vector::is_dictionary) >=
                        static_cast<std::ptrdiff_t>(kColumnsMin);
}

unsigned bits_for(const Vector& key) {
  return static_cast<unsigned>(std::bit_width(key.values().size())) + kSpareBits;
}

// The columns of few entries, as many as there is room for: those with fewest first.
std::vector<std::size_t> columns_of_few(std::span<const Vector> keys) {
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < keys.size(); ++column) {
    if (!keys[column].is_flat() && keys[column].values().size() <= kEntriesMax) {
      columns.push_back(column);
    }
  }
  std::ranges::stable_sort(columns, {}, [&](std::size_t one) { return keys[one].values().size(); });
  unsigned bits = 0;
  const auto end = std::ranges::find_if(columns, [&](std::size_t one) {
    bits += bits_for(keys[one]);
    return bits > kBitsMax;
  });
  columns.erase(end, columns.end());
  std::ranges::sort(columns);
  return columns;
}

// Shares the bits that are left among the columns.
std::vector<unsigned> share_bits(std::span<const Vector> keys,
                                 const std::vector<std::size_t>& columns) {
  std::vector<unsigned> bits(columns.size());
  std::ranges::transform(columns, bits.begin(),
                         [&](std::size_t column) { return bits_for(keys[column]); });
  const unsigned used = std::accumulate(bits.begin(), bits.end(), 0U);
  const unsigned more = (kBitsMax - used) / static_cast<unsigned>(columns.size());
  for (unsigned& one : bits) {
    one = std::min(one + more, kColumnBitsMax);
  }
  return bits;
}

}  // namespace

std::unique_ptr<PackedKeys> PackedKeys::choose(std::span<const Vector> keys, std::size_t rows,
                                               When when, std::uint64_t seed,
                                               const Limits& limits) {
  std::vector<std::size_t> packed;
  std::vector<unsigned> bits;
  if (when == When::kItCan) {
    packed.resize(std::min<std::size_t>(keys.size(), kBitsMax / kFewBits));
    std::iota(packed.begin(), packed.end(), std::size_t{0});
    bits.assign(packed.size(), kFewBits);
  } else if (pays(keys, rows)) {
    packed = columns_of_few(keys);
  }
  if (packed.size() < kColumnsMin) {
    return nullptr;
  }
  if (bits.empty()) {
    bits = share_bits(keys, packed);
  }
  return std::unique_ptr<PackedKeys>(new PackedKeys(keys, packed, bits, seed, limits));
}

PackedKeys::PackedKeys(std::span<const Vector> keys, const std::vector<std::size_t>& packed,
                       const std::vector<unsigned>& bits, std::uint64_t seed, const Limits& limits)
    : limits_(limits), lease_(limits.budget, "summarize") {
  unsigned shift = 0;
  for (std::size_t i = 0; i < packed.size(); ++i) {
    const std::vector<Type> type{keys[packed[i]].type()};
    columns_.push_back({packed[i], bits[i], shift, std::make_unique<GroupTable>(type, seed)});
    shift += bits[i];
  }
  for (std::size_t column = 0; column < keys.size(); ++column) {
    key_types_.push_back(keys[column].type());
    if (!std::ranges::binary_search(packed, column)) {
      others_.push_back(column);
    }
  }
}

std::vector<Type> PackedKeys::types() const {
  std::vector<Type> types{Type::kLong};
  for (const std::size_t column : others_) {
    types.push_back(key_types_[column]);
  }
  return types;
}

bool PackedKeys::number(const Column& column, const Vector& key,
                        std::vector<std::uint32_t>* numbers) {
  const Vector entries = key.is_flat() ? key : Vector::flat(key.shared_values());
  numbers->resize(entries.size());
  column.values->assign({&entries, 1}, entries.size(), 0, numbers->data());
  return column.values->size() <= std::size_t{1} << column.bits;
}

Status PackedKeys::charge() {
  std::size_t bytes = 0;
  for (const Column& column : columns_) {
    bytes += column.values->size_bytes();
  }
  return lease_.resize(bytes);
}

void PackedKeys::add(const Vector& key, unsigned shift, std::span<const std::uint32_t> numbers,
                     std::span<std::int64_t> to) {
  const auto moved = [&](std::size_t entry) { return std::int64_t{numbers[entry]} << shift; };
  if (key.is_constant()) {
    std::ranges::transform(to, to.begin(),
                           [all = moved(0)](std::int64_t one) { return one | all; });
    return;
  }
  if (key.is_flat()) {
    for (std::size_t row = 0; row < to.size(); ++row) {
      to[row] |= moved(row);
    }
    return;
  }
  std::vector<std::int64_t> of_entry(numbers.size());
  for (std::size_t entry = 0; entry < of_entry.size(); ++entry) {
    of_entry[entry] = moved(entry);
  }
  const Code* codes = key.codes();
  for (std::size_t row = 0; row < to.size(); ++row) {
    to[row] |= of_entry[codes[row]];
  }
}

Result<bool> PackedKeys::pack(std::size_t rows, std::vector<Vector>* keys) {
  if (full()) {
    return false;
  }
  AllocationMeter meter(limits_.budget, limits_.control, "summarize");
  std::vector<std::vector<std::uint32_t>> numbers(columns_.size());
  std::vector<Vector> packed;
  EVQ_TRY(meter.guard([&] {
    const MutexLock lock(mutex_);
    for (std::size_t i = 0; i < columns_.size() && !full_; ++i) {
      full_ = !number(columns_[i], (*keys)[columns_[i].index], &numbers[i]);
    }
  }));
  {
    const MutexLock lock(mutex_);
    EVQ_TRY(charge());
  }
  if (full_) {
    return false;
  }
  EVQ_TRY(meter.guard([&] {
    const std::shared_ptr<Values> values = Values::make(Type::kLong, rows);
    const std::span<std::int64_t> to(values->mutable_data<std::int64_t>(), rows);
    std::ranges::fill(to, 0);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      add((*keys)[columns_[i].index], columns_[i].shift, numbers[i], to);
    }
    packed.push_back(Vector::flat(values));
  }));
  for (const std::size_t column : others_) {
    packed.push_back(std::move((*keys)[column]));
  }
  *keys = std::move(packed);
  return true;
}

Vector PackedKeys::unpack(std::size_t column, const GroupTable& table,
                          std::span<const std::uint32_t> groups) const {
  const auto packed = std::ranges::find(columns_, column, &Column::index);
  if (packed == columns_.end()) {
    const auto other = std::ranges::find(others_, column) - others_.begin();
    return table.key(1 + static_cast<std::size_t>(other), groups);
  }
  const Vector integers = table.key(0, groups);
  const auto* of_group = integers.values().data<std::int64_t>();
  std::vector<std::uint32_t> numbers(groups.size());
  std::ranges::transform(std::span(of_group, groups.size()), numbers.begin(),
                         [&](std::int64_t one) {
                           const std::int64_t mask = (std::int64_t{1} << packed->bits) - 1;
                           return static_cast<std::uint32_t>(one >> packed->shift & mask);
                         });
  return packed->values->key(0, numbers);
}

}  // namespace evq
