#include "store/ingest/text_buffer.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "store/base/limits.h"

namespace evq {

namespace {

// Room for text beyond what was there the last time.
constexpr std::size_t kGrowthBytesMin = 256;
// Memory grows fourfold up to here, since what is copied counts; twofold up to there, since a
// thousand columns may do so at once; then by half.
constexpr std::size_t kFourfoldBytesMax = 4 * kKibibyte;
constexpr std::size_t kTwofoldBytesMax = 1 * kMebibyte;

}  // namespace

TextBuffer::~TextBuffer() {
  std::free(data_);
}

TextBuffer::TextBuffer(TextBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)),
      released_(other.released_) {}

TextBuffer& TextBuffer::operator=(TextBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(capacity_, other.capacity_);
  std::swap(released_, other.released_);
  return *this;
}

// realloc, because a large block may grow where it is.
void TextBuffer::grow(std::size_t size_min) {
  const std::size_t more = capacity_ <= kFourfoldBytesMax  ? 3 * capacity_
                           : capacity_ <= kTwofoldBytesMax ? capacity_
                                                           : capacity_ / 2;
  const std::size_t usual = capacity_ == 0 ? released_ + released_ / 8 : capacity_ + more;
  const std::size_t capacity = std::max(size_min, usual + kGrowthBytesMin);
  void* moved = std::realloc(data_, capacity);
  if (moved == nullptr) {
    throw std::bad_alloc();
  }
  data_ = static_cast<char*>(moved);
  capacity_ = capacity;
}

void TextBuffer::clear() {
  const std::size_t expected = size_ + size_ / 8;
  if (capacity_ > expected + expected / 8 + kGrowthBytesMin) {
    released_ = size_;
    capacity_ = expected;
    if (capacity_ == 0) {
      std::free(std::exchange(data_, nullptr));
    } else if (void* shrunk = std::realloc(data_, capacity_)) {
      data_ = static_cast<char*>(shrunk);
    }
  }
  size_ = 0;
}

TextOwner TextBuffer::release() {
  if (capacity_ - size_ > size_ / 8 + kGrowthBytesMin) {
    void* moved = std::realloc(data_, std::max<std::size_t>(size_, 1));
    data_ = moved != nullptr ? static_cast<char*>(moved) : data_;
  }
  released_ = size_;
  std::shared_ptr<const void> memory(std::exchange(data_, nullptr),
                                     [](void* given) { std::free(given); });
  capacity_ = 0;
  return {std::move(memory), std::exchange(size_, 0)};
}

}  // namespace evq
