#include "cli/terminal/history.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "store/base/ascii.h"
#include "store/base/file.h"
#include "store/base/file_lock.h"
#include "store/base/limits.h"
#include "store/base/seeded_text_hash.h"
#include "store/base/utf8.h"

namespace evq {

namespace {

// Another process holds the lock only while it appends a line.
constexpr std::int64_t kLockTimeoutMs = 500;

std::string escaped_entry(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\\') {
      out += "\\\\";
    } else {
      out.push_back(byte);
    }
  }
  out.push_back('\n');
  return out;
}

std::string entry_of_line(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool escaped = line[i] == '\\' && i + 1 < line.size();
    if (escaped) {
      ++i;
      out.push_back(line[i] == 'n' ? '\n' : line[i]);
    } else if (line[i] != '\r') {
      out.push_back(line[i]);
    }
  }
  return repair_utf8(out);
}

bool has_capital(std::string_view text) {
  return to_lower(text) != text;
}

bool contains(std::string_view text, std::string_view part, bool exact) {
  return exact ? text.find(part) != std::string_view::npos
               : fold_case(text).find(fold_case(part)) != std::string::npos;
}

}  // namespace

Status History::load(const std::string& path) {
  path_ = path;
  Result<std::string> read = read_whole_file(path, kHistoryFileBytesMax);
  if (!read.ok()) {
    return read.error().code == ErrorCode::kNotFound ? Status::success()
                                                     : Status(std::move(read).take_error());
  }
  std::string_view rest = *read;
  file_entries_ = static_cast<std::size_t>(std::ranges::count(rest, '\n'));
  // From the newest on, so that of equal entries the newest stays and old ones cost nothing.
  std::unordered_set<std::string, SeededTextHash> seen(entries_.begin(), entries_.end());
  std::vector<std::string> loaded;
  while (!rest.empty() && loaded.size() < kHistoryEntriesMax) {
    const std::size_t line_end = rest.rfind('\n');
    const std::string_view line =
        line_end == std::string_view::npos ? rest : rest.substr(line_end + 1);
    rest = line_end == std::string_view::npos ? std::string_view() : rest.substr(0, line_end);
    if (line.empty()) {
      continue;
    }
    std::string entry = entry_of_line(line);
    if (seen.insert(entry).second) {
      loaded.push_back(std::move(entry));
    }
  }
  entries_.insert(entries_.begin(), std::make_move_iterator(loaded.rbegin()),
                  std::make_move_iterator(loaded.rend()));
  return Status::success();
}

Status History::add(std::string_view text) {
  const std::string repaired = repair_utf8(text);
  if (is_blank(repaired) || repaired.size() > kEditorTextBytesMax) {
    return Status::success();
  }
  const bool newest_again = !entries_.empty() && entries_.back() == repaired;
  remember(repaired);
  if (path_.empty() || newest_again || repaired[0] == ' ') {
    return Status::success();
  }
  EVQ_TRY(append_to_file(repaired));
  const bool grown =
      file_entries_ > 2 * kHistoryEntriesMax || file_bytes_ > kHistoryFileBytesMax / 2;
  return grown ? rewrite_file() : Status::success();
}

void History::remember(std::string text) {
  std::erase(entries_, text);
  entries_.push_back(std::move(text));
  if (entries_.size() > kHistoryEntriesMax) {
    entries_.erase(entries_.begin());
  }
}

Status History::append_to_file(std::string_view text) {
  EVQ_TRY_ASSIGN(const FileLock lock, FileLock::acquire(path_ + ".lock", kLockTimeoutMs));
  EVQ_TRY_ASSIGN(File file, File::open_read_write(path_));
  EVQ_TRY_ASSIGN(const std::uint64_t size, file.size());
  std::string line = escaped_entry(text);
  if (size > 0) {
    // A line that was cut short by a crash must not swallow this one.
    char last = '\n';
    EVQ_TRY_ASSIGN(const std::size_t read, file.read_at(size - 1, {&last, 1}));
    if (read == 1 && last != '\n') {
      line.insert(line.begin(), '\n');
    }
  }
  EVQ_TRY(file.write_at(size, line));
  ++file_entries_;
  file_bytes_ = size + line.size();
  return file.close();
}

Status History::rewrite_file() {
  EVQ_TRY_ASSIGN(const FileLock lock, FileLock::acquire(path_ + ".lock", kLockTimeoutMs));
  // Other processes' entries are in the file only, so it is read again.
  History current;
  EVQ_TRY(current.load(path_));
  std::vector<std::string> lines;
  std::size_t bytes = 0;
  for (auto entry = current.entries_.rbegin(); entry != current.entries_.rend(); ++entry) {
    lines.push_back(escaped_entry(*entry));
    bytes += lines.back().size();
    if (bytes > kHistoryFileBytesMax / 4) {
      break;
    }
  }
  std::string text;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    text += *line;
  }
  EVQ_TRY(write_file_atomically(path_, text));
  file_entries_ = lines.size();
  file_bytes_ = text.size();
  return Status::success();
}

std::optional<std::size_t> History::find_containing(std::string_view part,
                                                    std::size_t before) const {
  const bool exact = has_capital(part);
  for (std::size_t i = std::min(before, entries_.size()); i > 0; --i) {
    if (contains(entries_[i - 1], part, exact)) {
      return i - 1;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> History::find_containing_after(std::string_view part,
                                                          std::size_t from) const {
  const bool exact = has_capital(part);
  for (std::size_t i = from; i < entries_.size(); ++i) {
    if (contains(entries_[i], part, exact)) {
      return i;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> History::find_starting(std::string_view prefix,
                                                  std::size_t before) const {
  for (std::size_t i = std::min(before, entries_.size()); i > 0; --i) {
    if (entries_[i - 1].size() > prefix.size() && entries_[i - 1].starts_with(prefix)) {
      return i - 1;
    }
  }
  return std::nullopt;
}

}  // namespace evq
