#pragma once
// Sorting of many texts by their bytes: eight of them at a time as a number, after what the texts
// have in common. Pure; any thread. Under an AllocationMeter it ends when the query must.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace evq {

struct OrderedText {
  std::uint64_t key = 0;  // for sort_texts()
  std::string_view text;
  std::size_t number = 0;  // the caller's
};

// Sorts by bytes; equal texts come in any order.
void sort_texts(std::span<OrderedText> texts);

}  // namespace evq
