#pragma once
// SequenceRows: numbers the rows of each sequence of a stream as one worker sees them. A sequence
// comes as several chunks where an operator made more rows of a chunk than it had (mv-expand,
// join). A row's place in the stream is its sequence, then, in the low bits, this number: places
// ascend in the order of the stream, whichever worker gives them out. One thread's.

#include <cstdint>

#include "store/column/chunk.h"

namespace evq {

inline constexpr unsigned kPlaceRowBits = 32;
// All sequences of a stream are below this: what the other bits can tell apart. Whoever numbers
// chunks by more than how many there are, or adds the sequences of streams up, sees to it.
inline constexpr std::uint64_t kSequencesMax = std::uint64_t{1} << (64 - kPlaceRowBits);

class SequenceRows {
 public:
  // The place of the chunk's first row; the others follow one by one.
  std::uint64_t first_place(const Chunk& chunk) {
    return chunk.sequence() << kPlaceRowBits | first_row(chunk);
  }
  // The number of the chunk's first row; what follows it counts on from its last.
  std::uint64_t first_row(const Chunk& chunk) {
    if (chunk.sequence() != sequence_) {
      sequence_ = chunk.sequence();
      rows_ = 0;
    }
    const std::uint64_t first = rows_;
    rows_ += chunk.rows();
    return first;
  }

 private:
  std::uint64_t sequence_ = 0;
  std::uint64_t rows_ = 0;
};

}  // namespace evq
