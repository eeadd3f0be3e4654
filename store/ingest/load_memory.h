#pragma once
// LoadMemory: what one load holds at a time: text on its way to the parsers, the builders of its
// batches, and what is sealed and on its way to its commit. Where it comes to much, less text is
// read ahead, and the largest builder ends its batch and lets its memory go. What an atomic load
// keeps until its end is not counted: no batch that ended sooner would make it less. Any thread.

#include <atomic>
#include <cstddef>
#include <utility>

#include "store/base/limits.h"

namespace evq {

class LoadMemory {
 public:
  void add_text(std::size_t bytes) { text_ += bytes; }
  void drop_text(std::size_t bytes) { text_ -= bytes; }
  // Sets the bytes of empty buffers that are kept for the text read next.
  void set_spare(std::size_t bytes) { spare_ = bytes; }
  void add_sealed(std::size_t bytes) { sealed_ += bytes; }
  void drop_sealed(std::size_t bytes) { sealed_ -= bytes; }

  std::size_t text_bytes() const { return text_; }
  std::size_t bytes() const { return text_ + spare_ + sealed_ + builders_; }
  bool is_over() const { return bytes() >= kIngestMemoryBytesMax; }
  // Whether to pause reading: there is as much text as workers need and memory is nearly full, and
  // text yields before batches do.
  bool has_text_enough(std::size_t bytes_needed) const {
    constexpr std::size_t kSoonBytes = 8 * kMebibyte;
    return text_ >= bytes_needed && bytes() + kSoonBytes >= kIngestMemoryBytesMax;
  }

 private:
  friend class BuilderShare;

  std::atomic<std::size_t> text_{0};
  std::atomic<std::size_t> spare_{0};
  std::atomic<std::size_t> sealed_{0};
  std::atomic<std::size_t> builders_{0};
  std::atomic<std::size_t> builder_count_{0};
};

// The memory that one builder holds, counted in the LoadMemory that it has joined.
class BuilderShare {
 public:
  BuilderShare() = default;
  ~BuilderShare() { join(nullptr); }
  BuilderShare(BuilderShare&& other) noexcept
      : load_(std::exchange(other.load_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  BuilderShare& operator=(BuilderShare&& other) noexcept {
    std::swap(load_, other.load_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  // Moves the count to `load`, which must live until this leaves it with join(nullptr) or ends.
  void join(LoadMemory* load) {
    if (load_ != nullptr) {
      load_->builders_ -= bytes_;
      --load_->builder_count_;
    }
    load_ = load;
    if (load_ != nullptr) {
      load_->builders_ += bytes_;
      ++load_->builder_count_;
    }
  }
  void set(std::size_t bytes) {
    if (load_ != nullptr) {
      load_->builders_ += bytes - bytes_;  // modulo its range
    }
    bytes_ = bytes;
  }
  // Whether the load holds too much memory, and this builder at least the average of all builders.
  bool has_to_yield() const {
    return is_of_too_much() && bytes_ * load_->builder_count_ >= load_->builders_;
  }
  bool is_of_too_much() const { return load_ != nullptr && load_->is_over(); }

 private:
  LoadMemory* load_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace evq
