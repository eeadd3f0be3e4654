#include "store/ingest/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <poll.h>

#include "store/ingest/json_index.h"

namespace evq {

namespace {

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : rest_(bytes) {}
  explicit MemorySource(TextMemory own) : own_(std::move(own)), rest_(own_.text()) {}

  Result<std::optional<std::size_t>> read(std::span<char> buffer,
                                          std::int64_t /*timeout_ms*/) override {
    const std::size_t size = std::min(buffer.size(), rest_.size());
    if (size != 0) {
      std::memcpy(buffer.data(), rest_.data(), size);
    }
    rest_.remove_prefix(size);
    return std::optional(size);
  }

  std::optional<TextMemory> release() override {
    if (own_.bytes == nullptr || rest_.size() != own_.size) {
      return std::nullopt;
    }
    rest_ = {};
    return std::move(own_);
  }

 private:
  TextMemory own_;  // empty: it is somebody else's
  std::string_view rest_;
};

class FileSource : public ByteSource {
 public:
  explicit FileSource(File file) : file_(std::move(file)) {}

  Result<std::optional<std::size_t>> read(std::span<char> buffer,
                                          std::int64_t timeout_ms) override {
    if (ended_) {
      return std::optional(std::size_t{0});
    }
    if (timeout_ms >= 0 && !wait(timeout_ms)) {
      return std::optional<std::size_t>();
    }
    EVQ_TRY_ASSIGN(const std::size_t size, file_.read_some(buffer));
    ended_ = size == 0;
    return std::optional(size);
  }

 private:
  // True when a read will not block, which includes the end and errors: the read tells them.
  bool wait(std::int64_t timeout_ms) const {
    constexpr std::int64_t kWaitMsMax = 60000;
    pollfd wanted{file_.descriptor(), POLLIN, 0};
    const int ready = ::poll(&wanted, 1, static_cast<int>(std::min(timeout_ms, kWaitMsMax)));
    return ready > 0 || (ready < 0 && errno != EINTR);
  }

  File file_;
  bool ended_ = false;
};

}  // namespace

TextMemory::TextMemory(std::size_t room)
    : bytes(std::make_unique_for_overwrite<char[]>(room + JsonIndex::kPaddingBytes)),
      capacity(room) {}

std::unique_ptr<ByteSource> memory_source(std::string_view bytes) {
  return std::make_unique<MemorySource>(bytes);
}

std::unique_ptr<ByteSource> memory_source(TextMemory bytes) {
  return std::make_unique<MemorySource>(std::move(bytes));
}

std::unique_ptr<ByteSource> file_source(File file) {
  return std::make_unique<FileSource>(std::move(file));
}

}  // namespace evq
