#include "apl/exec/parted_rows.h"

#include <algorithm>

#include "store/base/check.h"

namespace evq {

PartedRows::PartedRows(const GroupTable& table, std::span<const Vector> keys,
                       std::span<const std::uint32_t> rows)
    : key_words_(table.loaded_words()),
      rows_(rows.size()),
      keys_(std::make_unique_for_overwrite<std::uint64_t[]>(rows.size() * key_words_)) {
  EVQ_DCHECK(std::ranges::is_sorted(rows));
  const auto loaded = std::make_unique_for_overwrite<std::uint64_t[]>(rows.size() * key_words_);
  table.load(keys, rows, loaded.get());
  const auto part_of = [&](std::size_t j) {
    return GroupTable::part_of(loaded[j * key_words_], kBits);
  };
  for (std::size_t j = 0; j < rows.size(); ++j) {
    ++begins_[part_of(j) + 1];
  }
  for (std::size_t part = 0; part < kCount; ++part) {
    begins_[part + 1] += begins_[part];
  }
  std::array<std::size_t, kCount + 1> next = begins_;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const std::size_t place = next[part_of(j)]++;
    rows_[place] = rows[j];
    const std::uint64_t* words = loaded.get() + j * key_words_;
    std::uint64_t* to = keys_.get() + place * key_words_;
    for (std::size_t i = 0; i < key_words_; ++i) {  // few: a call of memcpy() would take longer
      to[i] = words[i];
    }
  }
}

}  // namespace evq
