#pragma once
// TextBuffer: a growing run of bytes that can be handed over without a copy: the text of a column
// under construction. It owns its memory until release(). One thread; without memory append()
// throws std::bad_alloc, as containers do, and the buffer is as before.

#include <cstddef>
#include <string_view>

#include "store/base/short_copy.h"
#include "store/column/vector.h"

namespace evq {

class TextBuffer {
 public:
  TextBuffer() = default;
  ~TextBuffer();
  TextBuffer(TextBuffer&& other) noexcept;
  TextBuffer& operator=(TextBuffer&& other) noexcept;
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;

  void append(std::string_view text) {
    if (capacity_ - size_ < text.size()) [[unlikely]] {
      grow(size_ + text.size());
    }
    copy_short(text.data(), text.size(), data_ + size_);
    size_ += text.size();
  }
  const char* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  // Empties the buffer and keeps its memory, unless that is likely more than is needed again.
  void clear();
  // Gives the memory away; the buffer is empty afterwards, and expects as much text again.
  TextOwner release();

 private:
  void grow(std::size_t size_min);

  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::size_t released_ = 0;  // bytes given away the last time
};

}  // namespace evq
