#pragma once
// A set of bytes as a table, for loops that look at each byte of many short texts: find_first_of of
// a string_view calls memchr for each. Constant and immutable.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace evq {

class ByteSet {
 public:
  constexpr explicit ByteSet(std::string_view bytes) {
    for (const char c : bytes) {
      has_[static_cast<unsigned char>(c)] = true;
    }
  }

  constexpr bool has(char c) const { return has_[static_cast<unsigned char>(c)]; }

  // The offset of the first byte from `at` on that is in the set, or for find_other() not in it;
  // text.size() when there is none.
  constexpr std::size_t find(std::string_view text, std::size_t at) const {
    while (at < text.size() && !has(text[at])) {
      ++at;
    }
    return std::min(at, text.size());
  }
  constexpr std::size_t find_other(std::string_view text, std::size_t at) const {
    while (at < text.size() && has(text[at])) {
      ++at;
    }
    return std::min(at, text.size());
  }

 private:
  std::array<bool, 256> has_{};
};

}  // namespace evq
