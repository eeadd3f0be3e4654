#pragma once
// Sort numbers: unsigned numbers that order like values, or nearly: equal numbers may stand for
// different values (long strings, dynamics, the extremes of a type). Pure; any thread. What may
// look at many values ends when the query must, under an AllocationMeter.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "store/column/ordering.h"
#include "store/column/vector.h"

namespace evq {

// Turns numbers by slot of a column into numbers by row.
std::vector<std::uint64_t> numbers_by_row(const Vector& column, std::vector<std::uint64_t> by_slot);
// Sets `out` to the sort number of each row under `order`.
void sort_numbers(const Vector& column, SortOrder order, std::vector<std::uint64_t>* out);
// Writes the sort numbers of slots [begin, end) of `values` to `out`.
void number_slots(const Values& values, std::size_t begin, std::size_t end, SortOrder order,
                  std::uint64_t* out);
// True when rows that both have `number` are sure to have equal values of this type.
bool is_exact_sort_number(Type type, std::uint64_t number);

// Texts that have their first `offset` bytes in common get two numbers: of the eight bytes after
// those, and of the next seven and how long the text is. The second order rows whose first ones are
// equal; a text that is not much longer is known by both.
void number_text_heads(const Values& texts, std::size_t begin, std::size_t end, SortOrder order,
                       std::size_t offset, std::uint64_t* out);
void number_text_tails(const Values& texts, std::size_t begin, std::size_t end, SortOrder order,
                       std::size_t offset, std::uint64_t* out);
// True when texts with this second number and equal first ones are equal.
bool is_exact_text_tail(SortOrder order, std::uint64_t tail);

// Ranks the texts of all dictionaries together. Returns the number of each rank by dictionary and
// slot: equal ones stand for equal texts.
std::vector<std::vector<std::uint64_t>> rank_texts(std::span<const Values* const> dictionaries,
                                                   SortOrder order);

}  // namespace evq
