#include "http/body.h"

#include <algorithm>

#include "http/limits.h"
#include "store/base/limits.h"

namespace evq {
namespace {

constexpr std::size_t kRoomBytesMin = 64 * kKibibyte;
// Where memory is short: what bytes pass through on their way to a file.
constexpr std::size_t kShortRoomBytes = 4 * kKibibyte;
// A file's room is asked for in such steps.
constexpr std::uint64_t kFileStepBytes = 256 * kKibibyte;

Error cut_short() {
  return make_error(ErrorCode::kIo, "the kept request body is shorter than it was");
}

// Reads a file by position, so that it can be read again.
class SpoolSource final : public ByteSource {
 public:
  SpoolSource(const File& file, std::uint64_t size) : file_(file), size_(size) {}

  Result<std::optional<std::size_t>> read(std::span<char> buffer,
                                          std::int64_t /*timeout_ms*/) override {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size_ - position_));
    EVQ_TRY_ASSIGN(const std::size_t got, file_.read_at(position_, buffer.first(wanted)));
    if (got < wanted) {
      return cut_short();
    }
    position_ += got;
    return std::optional<std::size_t>(got);
  }

 private:
  const File& file_;
  std::uint64_t size_;
  std::uint64_t position_ = 0;
};

}  // namespace

// While half of the memory is free: beyond that it is for what has come.
void RequestBody::expect(std::uint64_t bytes) {
  if (bytes > kHttpBodyMemoryBytesMax || bytes <= memory_.capacity) {
    return;
  }
  const bool much = space_ != nullptr && space_->memory.held.load() > space_->memory.bytes_max / 2;
  static_cast<void>(grow(much ? std::min<std::size_t>(bytes, kShortRoomBytes) : bytes));
}

Result<std::span<char>> RequestBody::room(std::size_t size_max) {
  if (!file_.is_open() && memory_.size == memory_.capacity) {
    const std::size_t least = memory_.size == 0 ? kRoomBytesMin : 2 * kShortRoomBytes;
    const bool fits = memory_.size < kHttpBodyMemoryBytesMax &&
                      grow(std::clamp(2 * memory_.capacity, least, kHttpBodyMemoryBytesMax));
    if (!fits) {
      EVQ_TRY(spill());
    }
  }
  const std::size_t left = memory_.capacity - memory_.size;
  return std::span<char>(memory_.bytes.get() + memory_.size, std::min(left, size_max));
}

Status RequestBody::take(std::size_t size) {
  size_ += size;
  if (file_.is_open()) {
    EVQ_TRY(hold_file(size_));
    return file_.write_all({memory_.bytes.get(), size});
  }
  memory_.size += size;
  return Status::success();
}

Status RequestBody::append(std::string_view bytes) {
  while (!bytes.empty()) {
    EVQ_TRY_ASSIGN(const std::span<char> to, room(bytes.size()));
    std::copy_n(bytes.data(), to.size(), to.data());
    EVQ_TRY(take(to.size()));
    bytes.remove_prefix(to.size());
  }
  return Status::success();
}

bool RequestBody::grow(std::size_t capacity) {
  if (!held_memory_.grow(memory_of(space_), capacity)) {
    return false;
  }
  TextMemory larger(capacity);
  std::copy_n(memory_.bytes.get(), memory_.size, larger.bytes.get());
  larger.size = memory_.size;
  memory_ = std::move(larger);
  return true;
}

Status RequestBody::spill() {
  EVQ_TRY(hold_file(std::max<std::uint64_t>(size_, 1)));
  EVQ_TRY_ASSIGN(file_, File::create_unnamed(space_->directory));
  EVQ_TRY(file_.write_all(memory_.text()));
  memory_ = TextMemory();
  held_memory_.give_back();
  const bool roomy = held_memory_.grow(memory_of(space_), kRoomBytesMin);
  memory_ = TextMemory(roomy ? kRoomBytesMin : kShortRoomBytes);
  return Status::success();
}

// Before the file has so many bytes.
Status RequestBody::hold_file(std::uint64_t bytes) {
  if (bytes <= held_file_.bytes()) {
    return Status::success();
  }
  const std::uint64_t wanted = (bytes + kFileStepBytes - 1) / kFileStepBytes * kFileStepBytes;
  if (space_ == nullptr || !held_file_.grow(files_of(space_), wanted)) {
    return make_error(ErrorCode::kUnavailable,
                      "the bodies of other requests take all the room that there is, try again");
  }
  EVQ_TRY_ASSIGN(const std::uint64_t free_bytes, free_disk_bytes(space_->directory));
  if (free_bytes < space_->disk_free_bytes_min + kFileStepBytes) {
    return make_error(ErrorCode::kDiskFull,
                      "the disk of " + space_->directory + " has no room for a long body",
                      "free some, or send less at once");
  }
  return Status::success();
}

Result<std::string> RequestBody::text() const {
  if (!file_.is_open()) {
    return std::string(memory_.text());
  }
  std::string all(size_, '\0');
  EVQ_TRY_ASSIGN(const std::size_t got, file_.read_at(0, all));
  if (got < all.size()) {
    return cut_short();
  }
  return all;
}

std::unique_ptr<ByteSource> RequestBody::reader() const {
  if (!file_.is_open()) {
    return memory_source(memory_.text());
  }
  return std::make_unique<SpoolSource>(file_, size_);
}

std::unique_ptr<ByteSource> RequestBody::release() {
  if (file_.is_open()) {
    return reader();
  }
  held_memory_.give_back();
  return memory_source(std::move(memory_));
}

}  // namespace evq
