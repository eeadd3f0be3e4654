#pragma once
// SizeMeter: the memory of a list of per-group objects that have size_bytes(). Looking at every
// group after every chunk would be quadratic in the groups, so it looks again only when as many
// rows have come as there are groups, or as much text; in between each row counts as the most it
// can have added, and so do the texts of the rows where objects keep them.
//
// note_rows() is not for rows that may bring a whole object (a sketch, a set): one of them makes
// its group as large as that. Those, and whatever merges or settles, go through grow(), which
// measures the one object before and after and charges the thread's AllocationMeter, where there is
// one, for what was added; it fails as allocations do.

#include <cstddef>
#include <utility>

#include "store/base/allocation_meter.h"

namespace evq {

// Charges the thread's meter for what objects grow by, many small steps at a time.
class GrowthCharge {
 public:
  void add(std::size_t bytes) {
    waiting_bytes_ += bytes;
    if (waiting_bytes_ >= kWaitingBytesMax) {
      AllocationMeter::charge(std::exchange(waiting_bytes_, 0));
    }
  }

 private:
  static constexpr std::size_t kWaitingBytesMax = std::size_t{64} << 10U;

  std::size_t waiting_bytes_ = 0;
};

class SizeMeter {
 public:
  // `row_bytes_max`: what a row may add to one object, its texts aside.
  explicit SizeMeter(std::size_t row_bytes_max) : row_bytes_max_(row_bytes_max) {}

  // Must be called after `rows` rows were added to `objects`, which may keep `text_bytes` of texts.
  template <class Objects>
  void note_rows(std::size_t rows, const Objects& objects, std::size_t text_bytes = 0) {
    rows_ += rows;
    text_bytes_ += text_bytes;
    if (rows_ >= objects.size() ||
        text_bytes_ >= kTextBytesMin + objects.size() * kTextBytesPerObject) {
      measure(objects);
    }
  }

  // Counts and charges what work() makes `object`, one of the objects, grow by.
  template <class Object, class Work>
  void grow(const Object& object, const Work& work) {
    const std::size_t before = object.size_bytes();
    work();
    const std::size_t after = object.size_bytes();
    measured_bytes_ += after - before;  // modulo 2^64: objects may shrink
    if (after > before) {
      charge_.add(after - before);
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

  // Returns at least the memory of `objects`, the list itself included.
  template <class Objects>
  std::size_t bytes(const Objects& objects) const {
    return objects.capacity() * sizeof(typename Objects::value_type) + measured_bytes_ +
           rows_ * row_bytes_max_ + text_bytes_;
  }

 private:
  // Bytes of texts that make it worth while to look at all objects again.
  static constexpr std::size_t kTextBytesMin = std::size_t{1} << 20U;
  static constexpr std::size_t kTextBytesPerObject = 64;

  std::size_t row_bytes_max_;
  std::size_t measured_bytes_ = 0;
  std::size_t rows_ = 0;        // since the objects were measured
  std::size_t text_bytes_ = 0;  // likewise
  GrowthCharge charge_;
};

}  // namespace evq
