#include "cli/followed_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "store/base/checksum.h"
#include "store/ingest/byte_source.h"

namespace evq {
namespace {

// Whether rotation may have made this name of the path's: "app.log.1" or "app-20240501.log" of
// "app.log".
bool may_be_name(const FollowedPath& path, const std::string& name) {
  const std::string before = std::filesystem::path(path.path()).filename().string();
  const std::string now = std::filesystem::path(name).filename().string();
  return now.starts_with(std::string_view(before).substr(0, before.find('.', 1)));
}

// Whether a file that has nothing yet by which it could be known may be what rotation has made of
// the path, and not compressed.
Result<bool> may_be_renamed(const FollowedPath& path, const File& file) {
  std::string head(16, '\0');
  EVQ_TRY_ASSIGN(const std::size_t size, file.read_at(0, head));
  head.resize(size);
  return may_be_name(path, file.path()) && compression_of(head) == InputCompression::kNone;
}

// What stands before a place; less than a trace where the file ends before it.
Result<std::string> text_before(const File& file, std::uint64_t place) {
  std::string text(std::min<std::uint64_t>(place, GrowingFile::kTraceBytes), '\0');
  EVQ_TRY_ASSIGN(const std::size_t size, file.read_at(place - text.size(), text));
  text.resize(size);
  return text;
}

// Whether this is what stood before the offset.
bool is_trace_of(const FollowProgress& known, std::string_view text) {
  const bool whole = text.size() == std::min<std::uint64_t>(known.offset, GrowingFile::kTraceBytes);
  return whole && known.trace.value_or(checksum64(text)) == checksum64(text);
}

}  // namespace

FollowProgress reading_start(const File& file, std::span<const FollowProgress> known) {
  const FileIdentity identity = regular_file_of(file).value_or(FileIdentity{});
  const auto same = std::ranges::find(known, identity, &FollowProgress::file);
  if (same != known.end()) {
    const auto text = text_before(file, same->offset);
    if (!text.ok() || is_trace_of(*same, text.value())) {
      return *same;  // who reads on is told of the error
    }
  }
  const std::uint64_t nothing = checksum64("");
  return {.file = identity, .trace = nothing, .next_trace = nothing};
}

FollowedFile::FollowedFile(File opened, const FileIdentity& identity) : file(std::move(opened)) {
  progress.file = identity;
  read_anew();
}

Result<std::string> FollowedFile::read_before(std::uint64_t place) const {
  return text_before(file, place);
}

Result<bool> FollowedFile::go_on(const FollowProgress& known) {
  EVQ_TRY_ASSIGN(std::string text, read_before(known.offset));
  if (!is_trace_of(known, text)) {
    return false;
  }
  lines.reset();
  before = std::move(text);
  progress.offset = progress.next = known.offset;
  progress.trace = progress.next_trace = checksum64(before);
  return true;
}

void FollowedFile::read_anew() {
  lines.reset();
  before.clear();
  progress.offset = progress.next = 0;
  progress.trace = progress.next_trace = checksum64(before);
}

void FollowedFile::pass_read() {
  before = lines->source.trace();
  progress.offset = progress.next = lines->source.place();
  progress.trace = progress.next_trace = checksum64(before);
}

bool FollowedFile::is_readable() const {
  std::array<char, 1> byte{};
  const std::uint64_t place = lines ? lines->source.place() : progress.offset;
  return file.size().ok() && file.read_at(place, byte).ok();
}

// Inodes are used again, and numbers of devices as well: of a file that is not where it was, only
// what is in it tells that it is the same.
Result<std::unique_ptr<FollowedFile>> find_followed(const FollowedPath& path,
                                                    const FollowProgress& known) {
  std::optional<Error> unreadable;
  for (const std::string& name : path.names_of(known.file)) {
    auto opened = File::open_input(name);
    if (!opened.ok()) {
      // Of a name that rotation gives; an inode that is used again may be anybody's file.
      if (opened.error().code != ErrorCode::kNotFound && may_be_name(path, name) &&
          regular_file_at(name) == known.file) {
        unreadable = std::move(opened).take_error();
      }
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
  return unreadable ? Result<std::unique_ptr<FollowedFile>>(*std::move(unreadable))
                    : std::unique_ptr<FollowedFile>();
}

}  // namespace evq
