#include "apl/functions/number_codes.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace evq {
namespace {

constexpr std::size_t kEntriesMax = 1024;
// Integers between bounds that are so close: with their rows they stay in a near cache.
constexpr std::size_t kCloseMax = 16384;
constexpr std::size_t kRowsPerCloseMin = 2;
constexpr std::size_t kDifferentMax = 4096;  // found by hash, in a table that stays near
constexpr std::size_t kRowsPerEntryMin = 8;
constexpr std::size_t kStep = 4096;  // most columns show in so many rows what they are not

// An entry for each number that occurs, by a table of all between the least and the greatest,
// unless those are too many.
std::optional<Vector> code_close(const Vector& vector) {
  const std::size_t rows = vector.size();
  const std::size_t entries_max = std::min(kCloseMax, rows / kRowsPerCloseMin);
  const auto* data = vector.values().data<std::int64_t>();
  std::int64_t least = data[0];
  std::int64_t greatest = data[0];
  const auto spread = [&] {
    return static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least);
  };
  for (std::size_t begin = 0; begin < rows; begin += kStep) {
    const std::size_t end = std::min(rows, begin + kStep);
    for (std::size_t i = begin; i < end; ++i) {
      least = std::min(least, data[i]);
      greatest = std::max(greatest, data[i]);
    }
    if (spread() >= entries_max) {
      return std::nullopt;
    }
  }
  const auto place_of = [&](std::int64_t number) {
    return static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(least);
  };
  std::vector<std::uint8_t> occurs(static_cast<std::size_t>(spread()) + 1, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    occurs[place_of(data[i])] = 1;
  }
  std::vector<Code> codes_of(occurs.size(), 0);
  std::vector<std::int64_t> numbers;
  for (std::size_t place = 0; place < occurs.size(); ++place) {
    if (occurs[place] != 0) {
      codes_of[place] = static_cast<Code>(numbers.size());
      numbers.push_back(least + static_cast<std::int64_t>(place));
    }
  }
  const auto entries = Values::make(vector.type(), numbers.size());
  std::ranges::copy(numbers, entries->mutable_data<std::int64_t>());
  const std::shared_ptr<Code[]> codes = make_codes(rows);
  Code* to = codes.get();
  for (std::size_t i = 0; i < rows; ++i) {
    to[i] = codes_of[place_of(data[i])];
  }
  return Vector::dictionary(entries, codes, rows);
}

// An entry for each run of equal numbers, unless they are too many.
std::optional<Vector> code_runs(const Vector& vector, std::size_t entries_max) {
  const std::size_t rows = vector.size();
  const auto* data = vector.values().data<std::int64_t>();
  std::size_t runs = 1;
  for (std::size_t begin = 1; begin < rows; begin += kStep) {
    const std::size_t end = std::min(rows, begin + kStep);
    for (std::size_t i = begin; i < end; ++i) {
      runs += data[i] != data[i - 1] ? 1 : 0;
    }
    if (runs > entries_max) {
      return std::nullopt;
    }
  }
  const auto entries = Values::make(vector.type(), runs);
  auto* values = entries->mutable_data<std::int64_t>();
  const std::shared_ptr<Code[]> codes = make_codes(rows);
  Code* to = codes.get();
  std::size_t run = 0;
  values[0] = data[0];
  for (std::size_t i = 0; i < rows; ++i) {
    if (data[i] != values[run]) {
      values[++run] = data[i];
    }
    to[i] = static_cast<Code>(run);
  }
  return Vector::dictionary(entries, codes, rows);
}

// The numbers seen so far, by the hash of their bits, and the entry of each: -0.0 is not 0.0.
template <class T>
class Entries {
 public:
  explicit Entries(std::size_t most)
      : most_(most),
        slots_(std::bit_ceil(2 * most)),
        shift_(64 - static_cast<unsigned>(std::countr_zero(slots_.size()))) {
    values_.reserve(most);
  }

  // The entry of `value`, a new one if it has none; nothing when there is no room for it, or it
  // would take long to find.
  std::optional<Code> entry_of(T value) {
    constexpr std::size_t kStepsMax = 32;  // no choice of numbers makes it slow
    const auto word = std::bit_cast<std::uint64_t>(value);
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = ((word ^ (word >> 32U)) * 0x9E3779B97F4A7C15ULL) >> shift_;
    for (std::size_t step = 0; step < kStepsMax; ++step, at = (at + 1) & mask) {
      Slot& slot = slots_[at];
      if (slot.entry == 0) {
        if (values_.size() == most_) {
          return std::nullopt;
        }
        values_.push_back(value);
        slot = {word, static_cast<std::uint32_t>(values_.size())};
      }
      if (slot.word == word) {
        return static_cast<Code>(slot.entry - 1);
      }
    }
    return std::nullopt;
  }
  // The entry of null; nothing when there is no room for it.
  std::optional<Code> entry_of_null() {
    if (!null_.has_value() && values_.size() < most_) {
      null_ = static_cast<Code>(values_.size());
      values_.push_back(T{});
    }
    return null_;
  }

  std::shared_ptr<Values> take(Type type) const {
    std::shared_ptr<Values> entries = Values::make(type, values_.size());
    std::ranges::copy(values_, entries->mutable_data<T>());
    if (null_.has_value()) {
      entries->set_null(*null_);
    }
    return entries;
  }

 private:
  struct Slot {
    std::uint64_t word = 0;
    std::uint32_t entry = 0;  // + 1, or 0 for a free slot
  };
  std::size_t most_;
  std::vector<Slot> slots_;
  unsigned shift_;  // leaves as many bits of a product as number the slots
  std::vector<T> values_;
  std::optional<Code> null_;
};

// An entry for each different number, unless they are too many.
template <class T>
std::optional<Vector> code_few(const Vector& vector) {
  const std::size_t rows = vector.size();
  const Values& values = vector.values();
  const T* data = values.data<T>();
  Entries<T> entries(std::min(kDifferentMax, rows / kRowsPerEntryMin));
  const std::shared_ptr<Code[]> codes = make_codes(rows);
  Code* to = codes.get();
  for (std::size_t i = 0; i < rows; ++i) {
    const std::optional<Code> code =
        values.is_null(i) ? entries.entry_of_null() : entries.entry_of(data[i]);
    if (!code.has_value()) {
      return std::nullopt;
    }
    to[i] = *code;
  }
  return Vector::dictionary(entries.take(vector.type()), codes, rows);
}

}  // namespace

Vector code_numbers(const Vector& vector) {
  const std::size_t entries_max = std::min(kEntriesMax, vector.size() / kRowsPerEntryMin);
  if (!vector.is_flat() || entries_max == 0) {
    return vector;
  }
  std::optional<Vector> coded;
  const Physical physical = physical_of(vector.type());
  if (physical == Physical::kInt64 && !vector.may_have_nulls()) {
    coded = code_close(vector);
    if (!coded.has_value()) {
      coded = code_runs(vector, entries_max);
    }
  }
  if (!coded.has_value() && physical == Physical::kInt64) {
    coded = code_few<std::int64_t>(vector);
  } else if (physical == Physical::kDouble) {
    coded = code_few<double>(vector);
  }
  return coded.value_or(vector);
}

}  // namespace evq
