#pragma once
// TempDirectory: a folder of its own for one test, removed with everything in it afterwards.
// Resolved, so that a temporary directory behind a link does not trip the store.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace evq {

class TempDirectory {
 public:
  TempDirectory() {
    const std::filesystem::path base =
        std::filesystem::canonical(std::filesystem::temp_directory_path());
    std::string pattern = (base / "evq-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data()) != nullptr ? pattern : std::string();
  }
  ~TempDirectory() {
    std::error_code ignored;
    if (!path_.empty()) {
      std::filesystem::remove_all(path_, ignored);
    }
  }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace evq
