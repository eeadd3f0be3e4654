#pragma once
// Files of this process that have no name (File::create_unnamed), found by their descriptors, for
// tests that damage them. Any thread.

#include <filesystem>
#include <string>
#include <system_error>

#include <unistd.h>

namespace evq {

// Cuts those of `directory` to `size_bytes`; how many there are.
inline int cut_unnamed_files(const std::string& directory, off_t size_bytes) {
  int cut = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (target.starts_with(directory + "/") && target.ends_with(" (deleted)")) {
      cut += ::truncate(entry.path().c_str(), size_bytes) == 0 ? 1 : 0;
    }
  }
  return cut;
}

}  // namespace evq
