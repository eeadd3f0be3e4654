#pragma once
// SizeMeter: the memory of a vector of per-group objects that have size_bytes(). Looking at every
// group after every chunk would be quadratic in the groups, so it looks again only when as many
// rows have come as there are groups; in between each row counts as the most it can have added.

#include <cstddef>
#include <vector>

namespace evq {

class SizeMeter {
 public:
  explicit SizeMeter(std::size_t row_bytes_max) : row_bytes_max_(row_bytes_max) {}

  template <class Object>
  void note_rows(std::size_t rows, const std::vector<Object>& objects) {
    unmeasured_ += rows;
    if (unmeasured_ >= objects.size()) {
      measure(objects);
    }
  }

  template <class Object>
  void measure(const std::vector<Object>& objects) {
    unmeasured_ = 0;
    bytes_ = objects.capacity() * sizeof(Object);
    for (const Object& object : objects) {
      bytes_ += object.size_bytes();
    }
  }

  std::size_t bytes() const { return bytes_ + unmeasured_ * row_bytes_max_; }

 private:
  std::size_t row_bytes_max_;
  std::size_t bytes_ = 0;
  std::size_t unmeasured_ = 0;
};

}  // namespace evq
