#pragma once
// How aggregates walk their input. visit_rows() calls one typed function for every row that is not
// null, with a loop of its own for each shape, so that the common ones (flat, no nulls, one group)
// stay as tight as hand-written ones. count_slots() serves one group over a dictionary: how often
// each entry occurs, after which an aggregate works entry by entry instead of row by row.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "store/column/code_counts.h"
#include "store/column/vector.h"

namespace evq {

namespace visiting {

// Calls visit(row, slot) for each row that is not null; slot_of(row) is the slot of a row.
template <class SlotOf, class Visit>
void visit_slots(const Values& values, std::size_t rows, const SlotOf& slot_of,
                 const Visit& visit) {
  if (!values.has_nulls()) {
    for (std::size_t row = 0; row < rows; ++row) {
      visit(row, slot_of(row));
    }
    return;
  }
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t slot = slot_of(row);
    if (!values.is_null(slot)) {
      visit(row, slot);
    }
  }
}

template <class Visit>
void visit_shapes(const Vector& vector, std::size_t rows, const Visit& visit) {
  if (rows == 0) {
    return;
  }
  const Values& values = vector.values();
  if (vector.is_flat()) {
    visit_slots(
        values, rows, [](std::size_t row) { return row; }, visit);
  } else if (vector.is_constant()) {
    visit_slots(
        values, rows, [](std::size_t) { return std::size_t{0}; }, visit);
  } else {
    const Code* codes = vector.codes();
    visit_slots(
        values, rows, [codes](std::size_t row) { return std::size_t{codes[row]}; }, visit);
  }
}

}  // namespace visiting

// Sums the bytes of the rows' texts or dynamics, a shared one as often as it occurs; 0 for other
// types.
inline std::size_t row_text_bytes(const Vector& vector, std::size_t rows) {
  if (rows == 0 || physical_of(vector.type()) != Physical::kView) {
    return 0;
  }
  const auto* texts = vector.values().data<std::string_view>();
  std::size_t bytes = 0;
  visiting::visit_shapes(vector, rows,
                         [&](std::size_t, std::size_t slot) { bytes += texts[slot].size(); });
  return bytes;
}

// Calls visit(group, slot) for every row that is not null.
template <class Visit>
void visit_row_slots(const Vector& vector, const std::uint32_t* groups, std::size_t rows,
                     const Visit& visit) {
  if (groups == nullptr) {
    visiting::visit_shapes(vector, rows,
                           [&](std::size_t, std::size_t slot) { visit(std::size_t{0}, slot); });
  } else {
    visiting::visit_shapes(vector, rows, [&](std::size_t row, std::size_t slot) {
      visit(std::size_t{groups[row]}, slot);
    });
  }
}

// Calls visit(group, value) for every row that is not null. T is the physical type.
template <class T, class Visit>
void visit_rows(const Vector& vector, const std::uint32_t* groups, std::size_t rows,
                const Visit& visit) {
  if (rows == 0) {
    return;
  }
  const T* data = vector.values().data<T>();
  visit_row_slots(vector, groups, rows,
                  [&](std::size_t group, std::size_t slot) { visit(group, data[slot]); });
}

// With few groups a row often belongs to the group of the one before and would wait for its result.
// Lanes keep neighbours apart: each group has kLanes of them, which are added up at the end.
inline constexpr std::size_t kLanes = 4;
inline bool lanes_pay(std::size_t groups, std::size_t rows) {
  constexpr std::size_t kGroupsMax = 1024;
  return groups <= kGroupsMax && rows / 8 >= groups * kLanes;
}
// Calls visit(lane, value) for every row that is not null; group g has lanes g * kLanes + 0 ….
template <class T, class Visit>
void visit_rows_in_lanes(const Vector& vector, const std::uint32_t* groups, std::size_t rows,
                         const Visit& visit) {
  if (rows == 0) {
    return;
  }
  const T* data = vector.values().data<T>();
  visiting::visit_shapes(vector, rows, [&](std::size_t row, std::size_t slot) {
    visit(groups[row] * kLanes + row % kLanes, data[slot]);
  });
}

// True when working entry by entry is possible and worth it.
inline bool counts_by_slot(const Vector& vector, const std::uint32_t* groups, std::size_t rows) {
  return groups == nullptr && rows > 0 && !vector.is_flat() && vector.values().size() <= rows;
}

// Calls visit(slot, count) for each entry that occurs and is not null, given counts_by_slot().
template <class Visit>
void count_slots(const Vector& vector, std::size_t rows, const Visit& visit) {
  const Values& values = vector.values();
  if (vector.is_constant()) {
    if (!values.is_null(0)) {
      visit(std::size_t{0}, rows);
    }
    return;
  }
  std::vector<std::uint32_t> counts;
  count_codes(vector.codes(), rows, values.size(), &counts);
  for (std::size_t slot = 0; slot < counts.size(); ++slot) {
    if (counts[slot] != 0 && !values.is_null(slot)) {
      visit(slot, std::size_t{counts[slot]});
    }
  }
}

// Calls visit(group, slot, count): entry by entry where that is cheaper, else row by row, count 1.
template <class Visit>
void visit_counted(const Vector& vector, const std::uint32_t* groups, std::size_t rows,
                   const Visit& visit) {
  if (counts_by_slot(vector, groups, rows)) {
    count_slots(vector, rows,
                [&](std::size_t slot, std::size_t count) { visit(std::size_t{0}, slot, count); });
    return;
  }
  visit_row_slots(vector, groups, rows,
                  [&](std::size_t group, std::size_t slot) { visit(group, slot, std::size_t{1}); });
}

// Calls visit(group, slot, count) once for each pair of a group and an entry that occurs, when
// entries are shared and pairs are few; else as visit_counted(). For visits that are expensive.
template <class Visit>
void visit_pairs(const Vector& vector, const std::uint32_t* groups, std::size_t group_count,
                 std::size_t rows, const Visit& visit) {
  constexpr std::size_t kRowsPerPairMin = 2;
  const std::size_t pairs = vector.is_flat() ? 0 : vector.values().size() * group_count;
  if (groups == nullptr || pairs == 0 || pairs * kRowsPerPairMin > rows) {
    visit_counted(vector, groups, rows, visit);
    return;
  }
  std::vector<std::uint32_t> counts(pairs, 0);
  const std::size_t entries = vector.values().size();
  visit_row_slots(vector, groups, rows,
                  [&](std::size_t group, std::size_t slot) { ++counts[group * entries + slot]; });
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    if (counts[pair] != 0) {
      visit(pair / entries, pair % entries, std::size_t{counts[pair]});
    }
  }
}

}  // namespace evq
