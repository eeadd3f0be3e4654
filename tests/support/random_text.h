#pragma once
// Texts of random letters and bytes for the tests of encodings. The same generator state gives the
// same text everywhere; pure functions otherwise.

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace evq {

using Random = std::mt19937_64;

inline constexpr const char* kBase32 = "abcdefghijklmnopqrstuvwxyz234567";
inline constexpr const char* kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

inline std::string random_hex(Random& random, std::size_t digits,
                              const char* letters = "0123456789abcdef", std::size_t count = 16) {
  std::string text;
  for (std::size_t i = 0; i < digits; ++i) {
    text.push_back(letters[random() % count]);
  }
  return text;
}

// Random bytes in letters of `bits` bits, the highest bits first, the last letter filled with
// zeros.
inline std::string random_letters(Random& random, std::size_t bytes, std::string_view letters,
                                  unsigned bits) {
  std::string text;
  std::uint64_t word = 0;
  unsigned filled = 0;
  for (std::size_t left = bytes; left > 0 || filled > 0;) {
    if (filled < bits && left > 0) {
      word = (word << 8) | random() % 256;
      filled += 8;
      --left;
    } else if (filled < bits) {
      word <<= bits - filled;
      filled = bits;
    } else {
      filled -= bits;
      text.push_back(letters[(word >> filled) % letters.size()]);
    }
  }
  return text;
}

// A line of a log: words of a vocabulary of two hundred, and a number.
inline std::string random_log_line(Random& random) {
  static const std::vector<std::string> kVocabulary = [] {
    Random letters(200);
    std::vector<std::string> words(200);
    for (std::string& word : words) {
      word = random_hex(letters, 4 + letters() % 8, "etaoinshrdlucmfwyp", 18);
    }
    return words;
  }();
  std::string line;
  for (unsigned i = 0; i < 14; ++i) {
    line += kVocabulary[random() % kVocabulary.size()] + " ";
  }
  return line + "took " + std::to_string(random() % 900);
}

inline std::string random_bytes(Random& random, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text.push_back(static_cast<char>(random() % 256));
  }
  return text;
}

}  // namespace evq
