#include "store/encoding/token_filter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "store/base/bytes.h"
#include "store/base/limits.h"
#include "store/encoding/term_ranges.h"
#include "store/encoding/terms.h"

namespace evq {
namespace {

constexpr std::size_t kBlockBytes = 32;
constexpr double kBitsPerTerm = 7;
constexpr std::array<std::uint32_t, 8> kSalts = {0x47B6137BU, 0x44974D91U, 0x8824AD5BU,
                                                 0xA2B7289DU, 0x705495C7U, 0x2DF1424BU,
                                                 0x9EFC4947U, 0x5C6BFB31U};

std::size_t block_of(std::uint64_t hash, std::size_t blocks) {
  return static_cast<std::size_t>(((hash >> 32) * blocks) >> 32);
}

// The words of a block, of each of which a term sets one bit.
template <class Word>
using Words = std::array<Word, kBlockBytes / sizeof(Word)>;

template <class Word>
Word bit_of(std::uint64_t hash, std::size_t word) {
  constexpr unsigned kShift = 32U - static_cast<unsigned>(std::countr_zero(sizeof(Word) * 8));
  return Word{1} << ((static_cast<std::uint32_t>(hash) * kSalts[word]) >> kShift);
}

using Block = Words<std::uint64_t>;

// Without an instruction for it, counting in neighbouring bits costs less than counting each word.
std::size_t count_bits(const Block& block) {
  constexpr std::uint64_t kPairs = 0x5555555555555555ULL;
  constexpr std::uint64_t kFours = 0x3333333333333333ULL;
  constexpr std::uint64_t kEights = 0x0F0F0F0F0F0F0F0FULL;
  constexpr std::uint64_t kEvenBytes = 0x00FF00FF00FF00FFULL;
  constexpr std::uint64_t kOnes = 0x0001000100010001ULL;
  std::uint64_t bytes = 0;  // of each, how many bits are set: at most 8 a word
  for (std::uint64_t word : block) {
    word -= (word >> 1) & kPairs;
    word = (word & kFours) + ((word >> 2) & kFours);
    bytes += (word & kEights) + ((word >> 4) & kEights);
  }
  const std::uint64_t wide = (bytes & kEvenBytes) + ((bytes >> 8) & kEvenBytes);
  return (wide * kOnes) >> 48;
}

template <class Word>
bool block_may_have(const char* bytes, std::uint64_t hash) {
  Words<Word> words;
  std::memcpy(words.data(), bytes, kBlockBytes);
  for (std::size_t word = 0; word < words.size(); ++word) {
    if ((words[word] & bit_of<Word>(hash, word)) == 0) {
      return false;
    }
  }
  return true;
}

// A filter under construction. How many terms are distinct is known only at the end, so it begins
// with more bits than they can need and is folded: some neighbouring blocks become one, which is
// where the smaller filter would have put their terms. No table of terms is kept, and the memory
// does not depend on how many there are.
class GrowingFilter {
 public:
  GrowingFilter(std::size_t texts, std::size_t text_bytes)
      : blocks_(first_blocks(texts, text_bytes)) {}

  void insert(std::uint64_t hash) {
    Block& block = blocks_[block_of(hash, blocks_.size())];
    for (std::size_t word = 0; word < block.size(); ++word) {
      block[word] |= bit_of<std::uint64_t>(hash, word);
    }
  }

  std::string take() {
    fold(widest_fold(estimate_terms() * kBitsPerTerm / (kBlockBytes * 8)));
    ByteWriter out;
    out.u8(kTermBitsVersion);
    out.varint(blocks_.size());
    out.raw(std::string_view(reinterpret_cast<const char*>(blocks_.data()),
                             blocks_.size() * kBlockBytes));
    return out.release();
  }

 private:
  // At least a bit a byte of text: distinct terms are longer than eight bytes on average.
  static constexpr std::size_t kTextBytesPerBlock = kBlockBytes * 8;
  static constexpr std::size_t kBlocksMax = 4 * kMebibyte / kBlockBytes;

  // A power of two, at least four, times what one term a text needs: many columns are ids. All are
  // multiples of 12, so that the steps between the folds are small.
  static std::size_t first_blocks(std::size_t texts, std::size_t text_bytes) {
    constexpr std::size_t kStep = 12;
    constexpr double kMargin = 1.02;  // the terms that all ids begin with, and the estimate's error
    const double ids = static_cast<double>(texts) * kMargin * kBitsPerTerm / (kBlockBytes * 8);
    const std::size_t unit = (static_cast<std::size_t>(ids) / kStep + 1) * kStep;
    std::size_t blocks = 4 * unit;
    while (blocks < text_bytes / kTextBytesPerBlock && blocks < kBlocksMax) {
      blocks *= 2;
    }
    return blocks;
  }

  // Each term sets one of 64 bits in each word of its block, so n terms a word leave each bit clear
  // with probability (63 / 64)^n.
  double estimate_terms() const {
    std::size_t set = 0;
    for (const Block& block : blocks_) {
      set += count_bits(block);
    }
    const auto bits = static_cast<double>(blocks_.size() * kBlockBytes * 8);
    const double clear = std::max(bits - static_cast<double>(set), 1.0) / bits;
    return static_cast<double>(blocks_.size()) * std::log(clear) / std::log(63.0 / 64.0);
  }

  // The greatest divisor of the number of blocks that leaves `blocks_min` of them.
  std::size_t widest_fold(double blocks_min) const {
    std::size_t widest = 1;
    const std::size_t blocks = blocks_.size();
    for (std::size_t small = 1; small * small <= blocks; ++small) {
      for (const std::size_t divisor : {small, blocks / small}) {
        const std::size_t folded = blocks / divisor;
        if (blocks % small == 0 && static_cast<double>(folded) >= blocks_min) {
          widest = std::max(widest, divisor);
        }
      }
    }
    return widest;
  }

  void fold(std::size_t neighbours) {
    const std::size_t left = blocks_.size() / neighbours;
    for (std::size_t i = 0; i < left; ++i) {
      Block folded{};
      for (std::size_t j = 0; j < neighbours; ++j) {
        for (std::size_t word = 0; word < folded.size(); ++word) {
          folded[word] |= blocks_[i * neighbours + j][word];
        }
      }
      blocks_[i] = folded;
    }
    blocks_.resize(left);
  }

  std::vector<Block> blocks_;
};

bool bits_may_have_term(std::string_view filter, std::string_view folded) {
  ByteReader in(filter);
  const std::uint8_t version = in.u8();
  const std::uint64_t count = in.varint();
  if (!in.ok() || count == 0 || in.remaining() / kBlockBytes != count) {
    return true;
  }
  const std::string_view blocks = in.take(in.remaining());
  const std::uint64_t hash = term_hash(folded);
  const char* const block = blocks.data() + block_of(hash, count) * kBlockBytes;
  return version == kTermBitsVersion ? block_may_have<std::uint64_t>(block, hash)
                                     : block_may_have<std::uint32_t>(block, hash);
}

}  // namespace

std::string make_token_filter(std::span<const std::string_view> texts) {
  if (std::string ranges = make_term_ranges(texts); !ranges.empty()) {
    return ranges;
  }
  std::size_t bytes = 0;
  for (const std::string_view text : texts) {
    bytes += text.size();
  }
  GrowingFilter filter(texts.size(), bytes);
  TermHasher hasher;
  hasher.add(texts, [&filter](std::span<const std::uint64_t> hashes) {
    for (const std::uint64_t hash : hashes) {
      filter.insert(hash);
    }
  });
  return filter.take();
}

bool may_have_term(std::string_view filter, std::string_view folded) {
  switch (ByteReader(filter).u8()) {
    case kNarrowTermBitsVersion:
    case kTermBitsVersion:
      return bits_may_have_term(filter, folded);
    case kTermRangesVersion:
      return ranges_may_have_term(filter, folded);
    default:
      return true;
  }
}

}  // namespace evq
