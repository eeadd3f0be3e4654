#pragma once
// What has been written to a file and not synced yet, change by change and sector by sector: what a
// power cut may leave of it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace evq::test {

inline constexpr std::size_t kSectorBytes = 512;

struct Change {
  bool truncates = false;
  std::uint64_t offset = 0;  // or the new size
  std::string bytes;
};

// One file's past: what is surely on the platter, and what may be.
struct Disk {
  std::optional<std::string> durable;  // nothing: the file may not exist at all
  std::vector<Change> pending;
};

inline std::string contents_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void apply(std::string* bytes, const Change& change) {
  if (change.truncates) {
    bytes->resize(change.offset);
    return;
  }
  if (bytes->size() < change.offset + change.bytes.size()) {
    bytes->resize(change.offset + change.bytes.size());
  }
  std::copy(change.bytes.begin(), change.bytes.end(),
            bytes->begin() + static_cast<std::ptrdiff_t>(change.offset));
}

inline std::vector<Change> sectors_of(const std::vector<Change>& changes) {
  std::vector<Change> sectors;
  for (const Change& change : changes) {
    if (change.truncates) {
      sectors.push_back(change);
      continue;
    }
    for (std::size_t at = 0; at < change.bytes.size();) {
      const std::size_t room = kSectorBytes - (change.offset + at) % kSectorBytes;
      const std::size_t size = std::min(room, change.bytes.size() - at);
      sectors.push_back({false, change.offset + at, change.bytes.substr(at, size)});
      at += size;
    }
  }
  return sectors;
}

}  // namespace evq::test
