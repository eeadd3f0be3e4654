#include "apl/functions/pick_rows.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "store/base/limits.h"

namespace evq {
namespace {

// The values of a branch, by row.
template <class T>
class BranchRows {
 public:
  explicit BranchRows(const Vector& branch)
      : values_(branch.values()),
        data_(branch.values().data<T>()),
        codes_(branch.is_dictionary() ? branch.codes() : nullptr),
        step_(branch.is_flat() ? 1 : 0),
        has_nulls_(branch.values().has_nulls()) {}

  std::size_t slot(std::size_t row) const {
    return codes_ != nullptr ? std::size_t{codes_[row]} : row * step_;
  }
  bool is_null(std::size_t slot) const { return has_nulls_ && values_.is_null(slot); }
  T value(std::size_t slot) const { return data_[slot]; }

 private:
  const Values& values_;
  const T* data_;
  const Code* codes_;  // null where there is no dictionary
  std::size_t step_;   // from row to row, without one
  bool has_nulls_;
};

template <class T>
void select_values(std::span<const Vector* const> branches, const std::vector<Pick>& picks,
                   Values* out) {
  std::vector<BranchRows<T>> rows;
  for (const Vector* branch : branches) {
    rows.emplace_back(*branch);
  }
  auto* to = out->mutable_data<T>();
  for (std::size_t i = 0; i < picks.size(); ++i) {
    const BranchRows<T>& branch = rows[picks[i]];
    const std::size_t slot = branch.slot(i);
    if (branch.is_null(slot)) {
      out->set_null(i);
    } else {
      to[i] = branch.value(slot);
    }
  }
}

// The branches' slots as the entries of one dictionary; nothing when a branch differs from row to
// row or there are too many entries. A few constants make a column that groups by code.
std::optional<Vector> select_entries(std::span<const Vector* const> branches,
                                     const std::vector<Pick>& picks) {
  std::vector<Vector> parts;
  std::vector<std::size_t> begins;
  std::size_t entries = 0;
  for (const Vector* branch : branches) {
    if (branch->is_flat()) {
      return std::nullopt;
    }
    parts.push_back(Vector::flat(branch->shared_values()));
    begins.push_back(entries);
    entries += branch->values().size();
  }
  if (entries > std::min(kBlockRowsMax, picks.size())) {
    return std::nullopt;
  }
  const std::shared_ptr<Code[]> codes = make_codes(picks.size());
  Code* out = codes.get();
  for (std::size_t i = 0; i < picks.size(); ++i) {
    out[i] = static_cast<Code>(begins[picks[i]] + branches[picks[i]]->slot(i));
  }
  return Vector::dictionary(concatenate(parts).shared_values(), codes, picks.size());
}

}  // namespace

Vector pick_rows(std::span<const Vector* const> branches, const std::vector<Pick>& picks) {
  const Type type = branches[0]->type();
  if (type == Type::kNull) {
    return Vector::constant(Value::null(), picks.size());
  }
  if (std::optional<Vector> dictionary = select_entries(branches, picks)) {
    return *std::move(dictionary);
  }
  auto out = Values::make(type, picks.size());
  switch (physical_of(type)) {
    case Physical::kNone:
      break;
    case Physical::kByte:
      select_values<std::uint8_t>(branches, picks, out.get());
      break;
    case Physical::kInt64:
      select_values<std::int64_t>(branches, picks, out.get());
      break;
    case Physical::kDouble:
      select_values<double>(branches, picks, out.get());
      break;
    case Physical::kView:
      select_values<std::string_view>(branches, picks, out.get());
      for (const Vector* branch : branches) {
        out->add_owners_of(branch->values());
      }
      break;
  }
  return Vector::flat(std::move(out));
}

}  // namespace evq
