#pragma once
// Terms: maximal runs of letters and digits of any script, case-folded; what `has` and `search`
// look for and token filters hold. Long texts are cut by a fast path for ASCII, 16 bytes at a time;
// terms with other characters take the slow, exact path.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evq {

// The hash of a folded term: part of the filter format, its value never changes.
std::uint64_t term_hash(std::string_view folded);

// The folded terms of `text` in order, repeated as they occur.
std::vector<std::string> fold_terms(std::string_view text);

// Hashes of the terms of many texts. Not for two threads at once.
class TermHasher {
 public:
  using Take = std::function<void(std::span<const std::uint64_t>)>;

  // Gives `take` the hashes of all terms, some thousands at a time, every one at least once; most
  // repetitions are left out.
  void add(std::span<const std::string_view> texts, const Take& take);

 private:
  static constexpr std::size_t kRecentSlots = 1024;

  void add_window();
  void add_exactly(std::string_view text);
  // Puts `hash` behind `count` others unless it was seen lately; how many there are then. Writes in
  // any case.
  std::size_t add_hash(std::uint64_t hash, std::uint64_t* hashes, std::size_t count);

  std::string window_;                 // texts side by side, with room to read behind them
  std::vector<std::uint64_t> breaks_;  // one bit a byte: a text starts here
  std::vector<std::uint64_t> hashes_;  // of the window
  // The last hash of each slot: common words are seen again and again.
  std::array<std::uint64_t, kRecentSlots> recent_{};
};

}  // namespace evq
