#include "apl/functions/value_combinations.h"

#include <algorithm>
#include <numeric>

namespace evq {
namespace {

// Columns of few entries meet in few combinations. Codes name 65,536 of them.
constexpr std::size_t kCombinationsMax = std::size_t{1} << 16U;
// Numbering the rows' combinations is for nothing where there turn out to be more of them.
constexpr std::size_t kRowsPerCombinationMin = 2;
// With so many rows for each that there can be, all are evaluated, whether they occur or not.
constexpr std::size_t kRowsPerPossibleMin = 4;

// Mixed-radix numbers of each row's entries, the first column's most significant.
void number_rows(std::span<const Vector> columns, std::size_t rows, Code* numbers) {
  std::fill_n(numbers, rows, Code{0});
  for (const Vector& column : columns) {
    if (column.is_dictionary()) {
      const std::size_t radix = column.values().size();
      const Code* codes = column.codes();
      for (std::size_t i = 0; i < rows; ++i) {
        numbers[i] = static_cast<Code>(numbers[i] * radix + codes[i]);
      }
    }
  }
}

// Numbers the combinations that occur one after the other, and returns which they are.
std::vector<Code> number_present(std::size_t combinations, std::size_t rows, Code* numbers) {
  std::vector<std::uint8_t> occurs(combinations, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    occurs[numbers[i]] = 1;
  }
  std::vector<Code> present;
  std::vector<Code> places(combinations);
  for (std::size_t combination = 0; combination < combinations; ++combination) {
    if (occurs[combination] != 0) {
      places[combination] = static_cast<Code>(present.size());
      present.push_back(static_cast<Code>(combination));
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    numbers[i] = places[numbers[i]];
  }
  return present;
}

// The columns' entries in the combinations `present` of all `combinations`.
std::vector<Vector> combined_columns(std::span<const Vector> columns, std::size_t combinations,
                                     const std::vector<Code>& present) {
  std::vector<Vector> combined;
  combined.reserve(columns.size());
  std::size_t unit = combinations;
  for (const Vector& column : columns) {
    if (!column.is_dictionary()) {
      combined.push_back(Vector::constant(column.shared_values(), present.size()));
      continue;
    }
    const std::size_t radix = column.values().size();
    unit /= radix;
    const std::shared_ptr<Code[]> entries = make_codes(present.size());
    std::ranges::transform(present, entries.get(), [unit, radix](Code combination) {
      return static_cast<Code>(combination / unit % radix);
    });
    combined.push_back(Vector::dictionary(column.shared_values(), entries, present.size()));
  }
  return combined;
}

}  // namespace

std::size_t possible_combinations(std::span<const Vector> columns, std::size_t rows) {
  const std::size_t most = std::min(kCombinationsMax, rows);
  std::size_t combinations = 1;
  for (const Vector& column : columns) {
    if (column.is_flat()) {
      return 0;
    }
    combinations *= column.is_dictionary() ? column.values().size() : 1;
    if (combinations > most) {
      return 0;
    }
  }
  return combinations;
}

std::optional<ValueCombinations> ValueCombinations::find(std::span<const Vector> columns,
                                                         std::size_t rows) {
  const std::size_t combinations = possible_combinations(columns, rows);
  if (combinations == 0) {
    return std::nullopt;
  }
  ValueCombinations found;
  found.rows_ = rows;
  const auto dictionaries = std::ranges::count_if(columns, &Vector::is_dictionary);
  if (dictionaries <= 1) {
    found.size_ = combinations;
    for (const Vector& column : columns) {
      found.columns_.push_back(column.is_dictionary()
                                   ? Vector::flat(column.shared_values())
                                   : Vector::constant(column.shared_values(), combinations));
      if (column.is_dictionary()) {
        found.combination_of_row_ = column.shared_codes();
      }
    }
    return found;
  }
  const std::shared_ptr<Code[]> numbers = make_codes(rows);
  number_rows(columns, rows, numbers.get());
  std::vector<Code> present(combinations);
  std::iota(present.begin(), present.end(), Code{0});
  if (combinations * kRowsPerPossibleMin > rows) {
    present = number_present(combinations, rows, numbers.get());
  }
  if (present.size() * kRowsPerCombinationMin > rows) {
    return std::nullopt;
  }
  found.size_ = present.size();
  found.columns_ = combined_columns(columns, combinations, present);
  found.combination_of_row_ = numbers;
  return found;
}

Vector ValueCombinations::spread(const Vector& of_each) const {
  if (of_each.is_constant()) {
    return Vector::constant(of_each.shared_values(), rows_);
  }
  std::shared_ptr<const Values> values = of_each.flatten().shared_values();
  return combination_of_row_ == nullptr
             ? Vector::constant(std::move(values), rows_)
             : Vector::dictionary(std::move(values), combination_of_row_, rows_);
}

}  // namespace evq
