#include "store/segment_layout.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "store/catalog/dataset_file.h"

namespace evq {
namespace {

static_assert(kLeafBytes == kDatasetPageBytes - 8);

// As the file format names them, of pages without reserved bytes: the longest payload that lies in
// a leaf whole, and the least part of a longer one that does.
constexpr std::size_t kPayloadWholeMax = kDatasetPageBytes - 35;
constexpr std::size_t kPayloadPartMin = (kDatasetPageBytes - 12) * 32 / 255 - 23;
constexpr std::size_t kOverflowPageBytes = kDatasetPageBytes - 4;
constexpr std::size_t kOverflowPointerBytes = 4;
constexpr std::size_t kCellPointerBytes = 2;
constexpr std::size_t kIdBytesMax = 5;  // of the first two million blocks

constexpr std::size_t varint_bytes(std::size_t number) {
  return (static_cast<std::size_t>(std::bit_width(number | 1)) + 6) / 7;
}

struct Leaf {
  std::vector<std::size_t> segments;
  std::size_t free = kLeafBytes;
};

}  // namespace

std::size_t leaf_bytes(std::size_t blob_bytes) {
  // A record of the id, which lies elsewhere, and the blob: the size of its header, two types.
  const std::size_t payload = 1 + 1 + varint_bytes(12 + 2 * blob_bytes) + blob_bytes;
  const std::size_t head = kCellPointerBytes + varint_bytes(payload) + kIdBytesMax;
  if (payload <= kPayloadWholeMax) {
    return std::min(head + payload, kLeafBytes);
  }
  const std::size_t part = kPayloadPartMin + (payload - kPayloadPartMin) % kOverflowPageBytes;
  return head + (part <= kPayloadWholeMax ? part : kPayloadPartMin) + kOverflowPointerBytes;
}

std::vector<std::size_t> leaf_filling_order(std::span<const std::string> segments) {
  std::vector<std::size_t> sizes(segments.size());
  std::ranges::transform(segments, sizes.begin(),
                         [](const std::string& bytes) { return leaf_bytes(bytes.size()); });
  std::vector<std::size_t> order(segments.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return sizes[i]; });

  std::vector<Leaf> leaves;
  std::multimap<std::size_t, std::size_t> by_free;  // leaves by how much of them is free
  for (const std::size_t segment : order) {
    auto fitting = by_free.lower_bound(sizes[segment]);
    if (fitting == by_free.end()) {
      leaves.emplace_back();
      fitting = by_free.emplace(kLeafBytes, leaves.size() - 1);
    }
    const std::size_t number = fitting->second;
    by_free.erase(fitting);
    Leaf& leaf = leaves[number];
    leaf.segments.push_back(segment);
    leaf.free -= sizes[segment];
    by_free.emplace(leaf.free, number);
  }
  // The last one is open to the next block's rows.
  std::ranges::stable_sort(leaves, {}, &Leaf::free);
  order.clear();
  for (const Leaf& leaf : leaves) {
    order.insert(order.end(), leaf.segments.begin(), leaf.segments.end());
  }
  return order;
}

}  // namespace evq
