#pragma once
// Numbers of letters, packed: what packed text (packed_text.cpp) is made of. A value is cut into
// steps of kLettersAtOnce letters; of each step the bits that are the same in every value are left
// out, one stretch of them at most in the middle. Classes and functions without state of their own:
// any thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/bytes.h"

namespace evq {

inline constexpr unsigned kLetterBitsMax = 6;
inline constexpr std::size_t kLettersAtOnce = 8;

// Up to kLettersAtOnce letters of every value: which bits are stored, and the values of the others.
struct Step {
  // Neighbouring stored bits: where they are packed, and how far from there they belong.
  struct Run {
    std::uint64_t packed = 0;
    unsigned shift = 0;
  };

  unsigned bits = 0;
  unsigned stored_bits = 0;
  std::uint64_t varying = 0;  // the stored ones of the bits, the first letter's lowest
  std::uint64_t fixed = 0;    // the others
  Run low;
  Run high;

  std::uint64_t expand(std::uint64_t packed) const {
    return fixed | (packed & low.packed) << low.shift | (packed & high.packed) << high.shift;
  }
  std::uint64_t compact(std::uint64_t word) const {
    return ((word >> low.shift) & low.packed) | ((word >> high.shift) & high.packed);
  }
};

// A step of `bits` bits that stores at least the varying ones; `word` is one value's.
Step make_step(unsigned bits, std::uint64_t varying, std::uint64_t word);
// Steps that store all bits of `letters` letters.
std::vector<Step> whole_steps(std::size_t letters, unsigned letter_bits);
std::size_t stored_bits_of(std::span<const Step> steps);

// Writes which bits of a value are stored, one bit each, then the fixed bits, in as many bytes.
void write_steps(const std::vector<Step>& steps, ByteWriter& out);
// Reads what write_steps() wrote for `letters` letters; nothing for other bytes.
std::optional<std::vector<Step>> read_steps(ByteReader& in, std::size_t letters,
                                            unsigned letter_bits);

// Writes numbers of up to 48 bits one after the other, lowest bits first.
class BitRun {
 public:
  // Makes room for `bits` bits.
  explicit BitRun(std::size_t bits)
      : bytes_(std::make_unique_for_overwrite<char[]>((bits + 7) / 8 + sizeof word_)) {}

  void add(std::uint64_t number, unsigned bits) {
    word_ |= number << filled_;
    std::memcpy(bytes_.get() + at_, &word_, sizeof word_);
    filled_ += bits;
    at_ += filled_ / 8;
    word_ >>= filled_ & ~7U;
    filled_ %= 8;
  }
  std::string_view view() const { return {bytes_.get(), at_ + (filled_ + 7) / 8}; }

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t at_ = 0;
  std::uint64_t word_ = 0;
  unsigned filled_ = 0;  // bits of the word, fewer than eight
};

// Whether one of `size` values, of which `packed` has the stored bits, equals `words`, one a step.
bool has_packed(std::string_view packed, std::size_t size, const std::vector<Step>& steps,
                std::span<const std::uint64_t> words);

// Reads packed numbers as letters, two a look-up. Numbers that no letter has are read as some.
class LetterPairs {
 public:
  LetterPairs(std::string_view letters, unsigned letter_bits);

  // `count` letters from bit `bit` on; writes up to kLettersAtOnce - 1 bytes more. Eight bytes
  // behind the last bit must be readable.
  void decode(const char* packed, std::size_t bit, std::size_t count, char* out) const {
    for (std::size_t done = 0; done < count;
         done += kLettersAtOnce, bit += kLettersAtOnce * bits_) {
      write_step(load64(packed + bit / 8) >> (bit % 8), out + done);
    }
  }
  // Decodes one value of which only the stored bits of its steps are packed.
  void decode(const char* packed, std::size_t bit, const std::vector<Step>& steps,
              char* out) const {
    for (const Step& step : steps) {
      write_step(step.expand(load64(packed + bit / 8) >> (bit % 8)), out);
      bit += step.stored_bits;
      out += kLettersAtOnce;
    }
  }

 private:
  void write_step(std::uint64_t word, char* out) const {
    const std::size_t mask = (std::size_t{1} << (2 * bits_)) - 1;
    for (std::size_t j = 0; j < kLettersAtOnce; j += 2, word >>= 2 * bits_) {
      std::memcpy(out + j, pairs_[word & mask].data(), 2);
    }
  }

  unsigned bits_;
  std::array<std::array<char, 2>, std::size_t{1} << (2 * kLetterBitsMax)> pairs_;
};

}  // namespace evq
