#pragma once
// Terms: maximal runs of letters and digits of any script, case-folded; what `has` and `search`
// look for and token filters hold. Long texts are cut by a fast path for ASCII, 16 bytes at a time;
// terms with other characters take the slow, exact path.

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
  // Appends the hashes of the terms of all texts to `hashes`; most repetitions are left out.
  void add(std::span<const std::string_view> texts);
  // Every hash once, in no particular order; the hasher is empty afterwards.
  std::vector<std::uint64_t> take();

 private:
  void add_window(std::string_view window);
  void add_hash(std::uint64_t hash);
  void grow();

  std::string window_;                 // texts side by side, with room to read behind them
  std::vector<std::uint64_t> breaks_;  // one bit a byte: a text starts here
  std::vector<std::uint64_t> table_;   // open addressing, 0 = free
  std::size_t used_ = 0;
};

}  // namespace evq
