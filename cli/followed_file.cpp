#include "cli/followed_file.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "store/base/checksum.h"
#include "store/ingest/byte_source.h"

namespace evq {
namespace {

// Whether a file that has nothing yet by which it could be known may be what rotation has made of
// the path: "app.log.1" or "app-20240501.log" of "app.log", and not compressed.
Result<bool> may_be_renamed(const FollowedPath& path, const File& file) {
  const std::string name = std::filesystem::path(path.path()).filename().string();
  const std::string other = std::filesystem::path(file.path()).filename().string();
  std::string head(16, '\0');
  EVQ_TRY_ASSIGN(const std::size_t size, file.read_at(0, head));
  head.resize(size);
  return other.starts_with(std::string_view(name).substr(0, name.find('.', 1))) &&
         compression_of(head) == InputCompression::kNone;
}

}  // namespace

FollowedFile::FollowedFile(File opened, const FileIdentity& identity) : file(std::move(opened)) {
  progress.file = identity;
  read_anew();
}

Result<std::string> FollowedFile::read_before(std::uint64_t place) const {
  std::string text(std::min<std::uint64_t>(place, GrowingFile::kTraceBytes), '\0');
  EVQ_TRY_ASSIGN(const std::size_t size, file.read_at(place - text.size(), text));
  text.resize(size);
  return text;
}

Result<bool> FollowedFile::go_on(const FollowProgress& known) {
  EVQ_TRY_ASSIGN(std::string text, read_before(known.offset));
  const bool whole = text.size() == std::min<std::uint64_t>(known.offset, GrowingFile::kTraceBytes);
  const std::uint64_t trace = checksum64(text);
  if (!whole || (known.trace.has_value() && *known.trace != trace)) {
    return false;
  }
  lines.reset();
  before = std::move(text);
  progress.offset = progress.next = known.offset;
  progress.trace = progress.next_trace = trace;
  return true;
}

void FollowedFile::read_anew() {
  lines.reset();
  before.clear();
  progress.offset = progress.next = 0;
  progress.trace = progress.next_trace = checksum64(before);
}

// Inodes are used again, and numbers of devices as well: of a file that is not where it was, only
// what is in it tells that it is the same.
Result<std::unique_ptr<FollowedFile>> find_followed(const FollowedPath& path,
                                                    const FollowProgress& known) {
  for (const std::string& name : path.names_of(known.file)) {
    auto opened = File::open_input(name);
    if (!opened.ok()) {
      continue;
    }
    const std::optional<FileIdentity> there = regular_file_of(*opened);
    if (!there.has_value() || there->inode != known.file.inode) {
      continue;
    }
    bool trusted = known.offset > 0 && known.trace.has_value();
    if (*there == known.file && !trusted) {
      EVQ_TRY_ASSIGN(const bool renamed, may_be_renamed(path, *opened));
      trusted = name == path.path() || renamed;
    }
    if (!trusted) {
      continue;
    }
    auto found = std::make_unique<FollowedFile>(std::move(opened).value(), *there);
    EVQ_TRY_ASSIGN(const bool same, found->go_on(known));
    if (same) {
      return found;
    }
  }
  return std::unique_ptr<FollowedFile>();
}

}  // namespace evq
