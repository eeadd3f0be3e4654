#include "http/body.h"

#include <algorithm>
#include <random>

#include "store/base/limits.h"

namespace evq {
namespace {

// Reads a file by position, so that it can be read again.
class SpoolSource final : public ByteSource {
 public:
  SpoolSource(const File& file, std::uint64_t size) : file_(file), size_(size) {}

  Result<std::optional<std::size_t>> read(std::span<char> buffer,
                                          std::int64_t /*timeout_ms*/) override {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size_ - position_));
    EVQ_TRY_ASSIGN(const std::size_t got, file_.read_at(position_, buffer.first(wanted)));
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
  if (bytes <= kHttpBodyMemoryBytesMax) {
    memory_.reserve(bytes);
  }
}

Status RequestBody::append(std::string_view bytes) {
  if (!file_.is_open() && memory_.size() + bytes.size() > kHttpBodyMemoryBytesMax) {
    EVQ_TRY(spill());
  }
  if (file_.is_open()) {
    EVQ_TRY(file_.write_all(bytes));
  } else {
    memory_.append(bytes);
  }
  size_ += bytes.size();
  return Status::success();
}

Status RequestBody::spill() {
  std::random_device random;
  const std::string path =
      directory_ + "/body-" + std::to_string(random()) + "-" + std::to_string(random()) + ".tmp";
  EVQ_TRY_ASSIGN(file_, File::create_new(path));
  EVQ_TRY(remove_file(path));
  EVQ_TRY(file_.write_all(memory_));
  memory_.clear();
  memory_.shrink_to_fit();
  return Status::success();
}

Result<std::string> RequestBody::text() const {
  if (!file_.is_open()) {
    return memory_;
  }
  std::string all(size_, '\0');
  std::size_t filled = 0;
  while (filled < all.size()) {
    EVQ_TRY_ASSIGN(const std::size_t got,
                   file_.read_at(filled, std::span<char>(all).subspan(filled)));
    if (got == 0) {
      return make_error(ErrorCode::kIo, "the kept request body is shorter than it was");
    }
    filled += got;
  }
  return all;
}

std::unique_ptr<ByteSource> RequestBody::source() const {
  if (!file_.is_open()) {
    return memory_source(memory_);
  }
  return std::make_unique<SpoolSource>(file_, size_);
}

}  // namespace evq
