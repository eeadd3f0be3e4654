#pragma once
// Sort numbers: unsigned numbers that order like values, or nearly: equal numbers may stand for
// different values (long strings, dynamics, the extremes of a type). Pure; any thread.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "store/column/ordering.h"
#include "store/column/vector.h"

namespace evq {

// That of each row under `order`.
void sort_numbers(const Vector& column, SortOrder order, std::vector<std::uint64_t>* out);
// Those of the slots [begin, end) of `values`.
void number_slots(const Values& values, std::size_t begin, std::size_t end, SortOrder order,
                  std::uint64_t* out);
// True when equal numbers stand for equal values, as far as `number` is concerned.
bool is_exact_sort_number(Type type, std::uint64_t number);

// By dictionary of texts and slot, the number of each text's rank among all of them: equal ones
// stand for equal texts.
std::vector<std::vector<std::uint64_t>> rank_texts(std::span<const Values* const> dictionaries,
                                                   SortOrder order);

}  // namespace evq
