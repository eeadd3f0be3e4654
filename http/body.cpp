#include "http/body.h"

#include <algorithm>

#include "store/base/limits.h"

namespace evq {
namespace {

constexpr std::size_t kRoomBytesMin = 64 * kKibibyte;

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

void RequestBody::expect(std::uint64_t bytes) {
  if (bytes <= kHttpBodyMemoryBytesMax && bytes > memory_.capacity) {
    grow(bytes);
  }
}

Result<std::span<char>> RequestBody::room(std::size_t size_max) {
  if (!file_.is_open() && memory_.size == memory_.capacity) {
    if (memory_.size >= kHttpBodyMemoryBytesMax) {
      EVQ_TRY(spill());
    } else {
      grow(std::clamp(2 * memory_.capacity, kRoomBytesMin, kHttpBodyMemoryBytesMax));
    }
  }
  const std::size_t left = memory_.capacity - memory_.size;
  return std::span<char>(memory_.bytes.get() + memory_.size, std::min(left, size_max));
}

Status RequestBody::take(std::size_t size) {
  size_ += size;
  if (file_.is_open()) {
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

void RequestBody::grow(std::size_t capacity) {
  TextMemory larger(capacity);
  std::copy_n(memory_.bytes.get(), memory_.size, larger.bytes.get());
  larger.size = memory_.size;
  memory_ = std::move(larger);
}

Status RequestBody::spill() {
  EVQ_TRY_ASSIGN(file_, File::create_unnamed(directory_));
  EVQ_TRY(file_.write_all(memory_.text()));
  memory_ = TextMemory(kRoomBytesMin);
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
  return file_.is_open() ? reader() : memory_source(std::move(memory_));
}

}  // namespace evq
