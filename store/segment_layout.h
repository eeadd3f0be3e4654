#pragma once
// How the segments of a block lie in the pages of a dataset file. What is left of a blob behind its
// full overflow pages SQLite keeps in a leaf of the table's b-tree, and a leaf takes rows in the
// order of their ids as long as they fit (sections 1.5 and 1.6 of
// https://www.sqlite.org/fileformat2.html). In the order of the events' fields about a quarter of
// the leaves' bytes stays unused, a hundredth and more of the file.
// Pure functions.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace evq {

// The bytes of a leaf page that rows can take.
inline constexpr std::size_t kLeafBytes = 8192 - 8;

// The bytes that the row of a blob takes of its leaf, at most kLeafBytes: as many as it really does
// with ids of five bytes.
std::size_t leaf_bytes(std::size_t blob_bytes);

// The numbers of `segments` in an order in which they leave little of their leaves unused: best fit
// decreasing (Johnson, "Near-optimal bin packing algorithms", 1973), a leaf's longest row first, so
// that it begins a leaf of its own.
std::vector<std::size_t> leaf_filling_order(std::span<const std::string> segments);

}  // namespace evq
