#include "apl/exec/eval.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "store/column/validity.h"

namespace evq {
namespace {

// 1 for each slot that is true and not null.
std::vector<std::uint8_t> truth_table(const Values& values) {
  std::vector<std::uint8_t> table(values.size());
  if (values.type() != Type::kBool) {
    return table;
  }
  const std::uint8_t* data = values.data<std::uint8_t>();
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = static_cast<std::uint8_t>(data[i] != 0 && !values.is_null(i));
  }
  return table;
}

// The codes of `table` with truth `value` when there are at most kComparedCodesMax: comparing with
// them all, many rows at a time, is faster than looking each row up.
constexpr std::size_t kComparedCodesMax = 3;
std::optional<std::vector<Code>> few_codes(const std::vector<std::uint8_t>& table,
                                           std::uint8_t value) {
  std::vector<Code> codes;
  for (std::size_t code = 0; code < table.size(); ++code) {
    if (table[code] == value) {
      if (codes.size() == kComparedCodesMax) {
        return std::nullopt;
      }
      codes.push_back(static_cast<Code>(code));
    }
  }
  return codes;
}

// truth(i) for each row i, and-ed with what is there already unless `first`.
template <class Truth>
void keep_rows(std::vector<std::uint8_t>* rows, bool first, const Truth& truth) {
  const std::size_t count = rows->size();
  std::uint8_t* __restrict bytes = rows->data();
  if (first) {
    for (std::size_t i = 0; i < count; ++i) {
      bytes[i] = truth(i);
    }
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      bytes[i] = static_cast<std::uint8_t>(bytes[i] & truth(i));
    }
  }
}

void keep_codes(std::vector<std::uint8_t>* rows, bool first, const Code* codes,
                const std::vector<std::uint8_t>& table) {
  for (const std::uint8_t value : {std::uint8_t{1}, std::uint8_t{0}}) {
    std::optional<std::vector<Code>> few = few_codes(table, value);
    if (!few.has_value()) {
      continue;
    }
    // Without any the answer is the same for all rows; else the last one fills the places.
    if (few->empty()) {
      const auto same = static_cast<std::uint8_t>(1 - value);
      keep_rows(rows, first, [same](std::size_t) { return same; });
      return;
    }
    few->resize(kComparedCodesMax, few->back());
    const auto flip = static_cast<std::uint8_t>(1 - value);
    const Code a = (*few)[0];
    const Code b = (*few)[1];
    const Code c = (*few)[2];
    if (a == b) {
      keep_rows(rows, first, [=](std::size_t i) {
        return static_cast<std::uint8_t>(static_cast<std::uint8_t>(codes[i] == a) ^ flip);
      });
    } else {
      keep_rows(rows, first, [=](std::size_t i) {
        return static_cast<std::uint8_t>(
            static_cast<std::uint8_t>((codes[i] == a) | (codes[i] == b) | (codes[i] == c)) ^ flip);
      });
    }
    return;
  }
  keep_rows(rows, first,
            [truths = table.data(), codes](std::size_t i) { return truths[codes[i]]; });
}

}  // namespace

void RowMask::keep_true(const Vector& predicate) {
  const std::size_t rows = predicate.size();
  const bool first = bytes_.empty();
  bytes_.resize(rows, 0);
  if (rows == 0 || predicate.type() != Type::kBool) {
    std::ranges::fill(bytes_, std::uint8_t{0});
    return;
  }
  const std::uint8_t* data = predicate.values().data<std::uint8_t>();
  if (predicate.is_flat()) {
    keep_rows(&bytes_, first,
              [data](std::size_t i) { return static_cast<std::uint8_t>(data[i] != 0); });
    if (predicate.may_have_nulls()) {
      set_null_bytes(predicate.values().validity(), rows, 0, bytes_.data());
    }
    return;
  }
  const std::vector<std::uint8_t> table = truth_table(predicate.values());
  if (predicate.is_dictionary()) {
    keep_codes(&bytes_, first, predicate.codes(), table);
  } else {
    keep_rows(&bytes_, first, [&](std::size_t i) { return table[predicate.slot(i)]; });
  }
}

// Bytes are added up eight side by side, as long as none of the eight sums can overflow.
std::size_t RowMask::count() const {
  constexpr std::size_t kRound = 255 * sizeof(std::uint64_t);
  constexpr std::uint64_t kEvenBytes = 0x00FF00FF00FF00FFULL;
  std::size_t count = 0;
  std::size_t i = 0;
  while (i + sizeof(std::uint64_t) <= bytes_.size()) {
    const std::size_t words = std::min(kRound, bytes_.size() - i) / sizeof(std::uint64_t);
    std::uint64_t sums = 0;
    for (std::size_t k = 0; k < words; ++k) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes_.data() + i + k * sizeof(word), sizeof(word));
      sums += word;
    }
    const std::uint64_t pairs = (sums & kEvenBytes) + ((sums >> 8U) & kEvenBytes);
    count += (pairs * 0x0001000100010001ULL) >> 48U;
    i += words * sizeof(std::uint64_t);
  }
  for (; i < bytes_.size(); ++i) {
    count += bytes_[i];
  }
  return count;
}

// Eight rows at once; most predicates leave few rows, and those often in a row.
void RowMask::select(RowList* out) const {
  const std::size_t rows = bytes_.size();
  out->resize(rows + 1);
  std::uint32_t* to = out->data();
  std::size_t count = 0;
  std::size_t i = 0;
  for (; i + sizeof(std::uint64_t) <= rows; i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes_.data() + i, sizeof(word));
    if (word == 0) {
      continue;
    }
    for (std::size_t k = 0; k < sizeof(word); ++k) {
      to[count] = static_cast<std::uint32_t>(i + k);
      count += bytes_[i + k];
    }
  }
  for (; i < rows; ++i) {
    to[count] = static_cast<std::uint32_t>(i);
    count += bytes_[i];
  }
  out->resize(count);
}

void select_true(const Vector& predicate, RowList* out) {
  RowMask mask;
  mask.keep_true(predicate);
  mask.select(out);
}

bool all_true(const Vector& predicate) {
  if (predicate.type() != Type::kBool || predicate.size() == 0) {
    return predicate.size() == 0;
  }
  if (predicate.is_flat() && predicate.size() > 64) {
    return false;  // the selection is as cheap to make as this answer
  }
  for (const std::uint8_t truth : truth_table(predicate.values())) {
    if (truth == 0) {
      return false;
    }
  }
  return true;
}

}  // namespace evq
