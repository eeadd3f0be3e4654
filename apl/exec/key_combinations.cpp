#include "apl/exec/key_combinations.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "store/base/checksum.h"
#include "store/column/physical.h"

namespace evq {
namespace {

// Combinations of dictionary codes are numbered through a direct table up to this many slots;
// beyond it (and beyond so many slots a row) clearing the table costs more than hashing.
constexpr std::size_t kCombinationsMax = std::size_t{1} << 20U;
constexpr std::size_t kCombinationsPerRowMax = 16;
// Of entries that repeat only few combinations are different ones.
constexpr std::size_t kRepeatedCombinationsPerRowMax = 2;
// So many entries are asked whether they repeat, of dictionaries so many times as long.
constexpr std::size_t kAskedEntries = 64;
constexpr std::size_t kEntriesPerAskedMin = 4;
constexpr std::size_t kCombinationsMin = 256;

// Whether many entries of a key are the same, as those are that a function made of others.
bool has_repeated_entries(const Vector& key) {
  const Values& entries = key.values();
  const std::size_t step = entries.size() / kAskedEntries;
  if (!key.is_dictionary() || step < kEntriesPerAskedMin) {
    return false;
  }
  std::array<std::uint64_t, kAskedEntries> asked{};
  for (std::size_t i = 0; i < asked.size(); ++i) {
    with_physical(entries.type(), [&](auto zero) {
      const auto value = entries.data<decltype(zero)>()[i * step];
      if constexpr (std::is_same_v<decltype(zero), std::string_view>) {
        asked[i] = hash64(value, 0);
      } else {
        std::memcpy(&asked[i], &value, sizeof(value));
      }
    });
  }
  std::ranges::sort(asked);
  return std::ranges::adjacent_find(asked) != asked.end();
}

}  // namespace

std::size_t combinations_of(std::span<const Vector> keys, std::size_t rows) {
  const std::size_t most =
      std::min(kCombinationsMax, std::max(kCombinationsPerRowMax * rows, kCombinationsMin));
  std::size_t combinations = 1;
  for (const Vector& key : keys) {
    if (key.is_flat()) {
      return 0;
    }
    combinations *= key.values().size();
    if (combinations > most) {
      return 0;
    }
  }
  const bool many = combinations > kRepeatedCombinationsPerRowMax * rows;
  return many && std::ranges::any_of(keys, has_repeated_entries) ? 0 : combinations;
}

void number_combinations(std::span<const Vector> keys, std::size_t rows,
                         std::vector<std::uint32_t>* numbers) {
  numbers->assign(rows, 0);
  std::uint32_t* to = numbers->data();
  for (const Vector& key : keys) {
    if (!key.is_dictionary()) {
      continue;
    }
    const auto radix = static_cast<std::uint32_t>(key.values().size());
    const Code* codes = key.codes();
    for (std::size_t i = 0; i < rows; ++i) {
      to[i] = to[i] * radix + codes[i];
    }
  }
}

const Vector* only_dictionary(std::span<const Vector> keys) {
  const Vector* found = nullptr;
  for (const Vector& key : keys) {
    if (key.is_dictionary()) {
      if (found != nullptr) {
        return nullptr;
      }
      found = &key;
    }
  }
  return found;
}

}  // namespace evq
