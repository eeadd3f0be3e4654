#pragma once
// How often each of a few numbers occurs in a run of rows: of the codes of a dictionary, or of
// numbers of combinations of them.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace evq {

// counts[c] becomes the number of rows whose code is c; all are below `entries`.
template <class C>
void count_codes(const C* codes, std::size_t rows, std::size_t entries,
                 std::vector<std::uint32_t>* counts) {
  // With few entries, rows in a row would wait for each other's count: lanes keep them apart.
  constexpr std::size_t kCountLanes = 4;
  constexpr std::size_t kLaneEntriesMax = 2048;
  const std::size_t lanes = entries <= kLaneEntriesMax && rows > entries ? kCountLanes : 1;
  counts->assign(entries * lanes, 0);
  std::uint32_t* to = counts->data();
  std::size_t i = 0;
  if (lanes > 1) {
    for (; i + kCountLanes <= rows; i += kCountLanes) {
      for (std::size_t lane = 0; lane < kCountLanes; ++lane) {
        ++to[lane * entries + codes[i + lane]];
      }
    }
  }
  for (; i < rows; ++i) {
    ++to[codes[i]];
  }
  for (std::size_t lane = 1; lane < lanes; ++lane) {
    for (std::size_t c = 0; c < entries; ++c) {
      to[c] += to[lane * entries + c];
    }
  }
  counts->resize(entries);
}

}  // namespace evq
