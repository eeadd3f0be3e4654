#pragma once
// History: the texts entered before, newest last, each once, and the file that keeps them. The file
// holds one entry a line, a line break inside of an entry as \n and a backslash as \\; it is
// private to the user (0600) and is rewritten when it has grown to twice what is needed. Several
// processes may append to it: a side file "<path>.lock" keeps them apart. An entry that starts with
// a blank is remembered, but not written down. A file that cannot be read or written is an error
// the caller may show; the entries in memory stay usable. One thread at a time.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/result.h"

namespace evq {

class History {
 public:
  // Makes a history in memory, until load() names a file.
  History() = default;

  // Reads the file, if there is one, and appends to it from now on.
  Status load(const std::string& path);
  // Makes `text` the newest entry; an earlier one with the same text goes.
  Status add(std::string_view text);

  std::size_t size() const { return entries_.size(); }
  // Returns an entry; 0 is the oldest.
  const std::string& entry(std::size_t index) const { return entries_[index]; }
  // Finds the newest entry below `before` with `part`, case ignored unless `part` has capitals.
  std::optional<std::size_t> find_containing(std::string_view part, std::size_t before) const;
  // Finds the oldest entry from `from` on that contains it.
  std::optional<std::size_t> find_containing_after(std::string_view part, std::size_t from) const;
  // Finds the newest entry below `before` that starts with `prefix` and is longer: a ghost hint.
  std::optional<std::size_t> find_starting(std::string_view prefix, std::size_t before) const;

 private:
  void remember(std::string text);
  Status append_to_file(std::string_view text);
  Status rewrite_file();

  std::string path_;
  std::vector<std::string> entries_;
  std::size_t file_entries_ = 0;
  std::uint64_t file_bytes_ = 0;
};

}  // namespace evq
