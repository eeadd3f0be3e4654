#pragma once
// SizeMeter: the memory of a list of per-group objects that have size_bytes(). Looking at every
// group after every chunk would be quadratic in the groups, so it looks again only when as many
// rows have come as there are groups, or as much text; in between each row counts as the most it
// can have added, and so do the texts of the rows where objects keep them.

#include <cstddef>

namespace evq {

class SizeMeter {
 public:
  // `row_bytes_max`: what a row may add to one object, its texts aside.
  explicit SizeMeter(std::size_t row_bytes_max) : row_bytes_max_(row_bytes_max) {}

  // After `rows` rows were added to `objects`, with `text_bytes` of texts that these may keep.
  template <class Objects>
  void note_rows(std::size_t rows, const Objects& objects, std::size_t text_bytes = 0) {
    rows_ += rows;
    text_bytes_ += text_bytes;
    if (rows_ >= objects.size() ||
        text_bytes_ >= kTextBytesMin + objects.size() * kTextBytesPerObject) {
      measure(objects);
    }
  }

  template <class Objects>
  void measure(const Objects& objects) {
    rows_ = 0;
    text_bytes_ = 0;
    measured_bytes_ = 0;
    for (const auto& object : objects) {
      measured_bytes_ += object.size_bytes();
    }
  }

  // Of `objects`, the list itself included.
  template <class Objects>
  std::size_t bytes(const Objects& objects) const {
    return objects.capacity() * sizeof(typename Objects::value_type) + measured_bytes_ +
           rows_ * row_bytes_max_ + text_bytes_;
  }

 private:
  // Texts that make it worth while to look at all objects again.
  static constexpr std::size_t kTextBytesMin = std::size_t{1} << 20U;
  static constexpr std::size_t kTextBytesPerObject = 64;

  std::size_t row_bytes_max_;
  std::size_t measured_bytes_ = 0;
  std::size_t rows_ = 0;        // since the objects were measured
  std::size_t text_bytes_ = 0;  // likewise
};

}  // namespace evq
