#pragma once
// Terms: maximal runs of letters and digits of any script, case-folded; what `has` and `search`
// look for and token filters hold. Long texts are cut by a fast path for ASCII, 16 bytes at a time;
// terms with other characters take the slow, exact path.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/simd_level.h"

namespace evq {

// The hash of a folded term: part of the filter format, its value never changes.
std::uint64_t term_hash(std::string_view folded);

// The folded terms of `text` in order, repeated as they occur.
std::vector<std::string> fold_terms(std::string_view text);

// Hashes of the terms of many texts. Not for two threads at once.
class TermHasher {
 public:
  using Take = std::function<void(std::span<const std::uint64_t>)>;
  // Classes of 64 bytes of the window, one bit a byte.
  struct Block {
    std::uint64_t alive = 0;        // may belong to a term
    std::uint64_t beyond = 0;       // is beyond ASCII
    std::uint64_t text_begins = 0;  // there
  };

  // `level` must be one that this machine has.
  explicit TermHasher(SimdLevel level = best_simd_level());

  // Gives `take` the hashes of all terms, some thousands at a time, every one at least once; most
  // repetitions are left out.
  void add(std::span<const std::string_view> texts, const Take& take);

 private:
  static constexpr std::size_t kRecentSlots = 1024;

  void hash_window();
  // Both write hashes behind the first `count` and return how many there are then.
  std::size_t add_exactly(std::string_view text, std::size_t count);
  // Does not count a hash that was seen lately, but writes it in any case.
  std::size_t add_hash(std::uint64_t hash, std::uint64_t* hashes, std::size_t count);
  void make_room(std::size_t text_bytes);
  bool has_beyond(std::size_t block, std::size_t start, std::size_t end) const;

  void (*classify_)(char* text, std::size_t blocks, Block* out);
  std::unique_ptr<char[]> window_;  // texts side by side, with room to read behind them
  std::size_t size_ = 0;            // of the texts in the window
  std::vector<Block> blocks_;       // of the window
  std::vector<std::uint64_t> hashes_;
  std::size_t count_ = 0;  // of the hashes
  // The last hash of each slot: common words are seen again and again.
  std::array<std::uint64_t, kRecentSlots> recent_{};
};

}  // namespace evq
