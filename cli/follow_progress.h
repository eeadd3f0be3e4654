#pragma once
// FollowProgress: how far a follower has read its files, which FollowTarget remembers as a text:
// a line of numbers for each file, the one that was there first before the others. Pure; a line
// that is none gives nothing.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evq {

struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

struct FollowProgress {
  FileIdentity file;
  std::uint64_t offset = 0;  // all before it is stored
  std::uint64_t next = 0;    // the end of the batch that may be stored as well
  std::int64_t stamp = 0;    // the receipt time of that batch
  // Checksums of what stood before these two places; nothing: not known.
  std::optional<std::uint64_t> trace = std::nullopt;
  std::optional<std::uint64_t> next_trace = std::nullopt;
};

std::string progress_text(const FollowProgress& progress);
// Appends the line of one more file.
void append_progress(const FollowProgress& progress, std::string* text);
std::vector<FollowProgress> read_progress(std::string_view text);

}  // namespace evq
