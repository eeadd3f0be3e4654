#include "store/encoding/token_filter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "store/base/bytes.h"
#include "store/base/limits.h"
#include "store/encoding/terms.h"

namespace evq {
namespace {

constexpr std::size_t kBlockBytes = 32;
constexpr std::size_t kWords = 8;
constexpr double kBitsPerTerm = 8;
constexpr std::array<std::uint32_t, kWords> kSalts = {0x47B6137BU, 0x44974D91U, 0x8824AD5BU,
                                                      0xA2B7289DU, 0x705495C7U, 0x2DF1424BU,
                                                      0x9EFC4947U, 0x5C6BFB31U};

std::size_t block_of(std::uint64_t hash, std::size_t blocks) {
  return static_cast<std::size_t>(((hash >> 32) * blocks) >> 32);
}

std::uint32_t bit_of(std::uint64_t hash, std::size_t word) {
  return std::uint32_t{1} << ((static_cast<std::uint32_t>(hash) * kSalts[word]) >> 27);
}

using Block = std::array<std::uint32_t, kWords>;

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
    for (std::size_t word = 0; word < kWords; ++word) {
      block[word] |= bit_of(hash, word);
    }
  }

  std::string take() {
    fold(widest_fold(estimate_terms() * kBitsPerTerm / (kBlockBytes * 8)));
    ByteWriter out;
    out.u8(kTokenFilterVersion);
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

  // Each term sets one of 32 bits in each word of its block, so n terms a word leave each bit clear
  // with probability (31 / 32)^n.
  double estimate_terms() const {
    std::size_t set = 0;
    for (const Block& block : blocks_) {
      for (const std::uint32_t word : block) {
        set += static_cast<std::size_t>(std::popcount(word));
      }
    }
    const auto bits = static_cast<double>(blocks_.size() * kBlockBytes * 8);
    const double clear = std::max(bits - static_cast<double>(set), 1.0) / bits;
    return static_cast<double>(blocks_.size()) * std::log(clear) / std::log(31.0 / 32.0);
  }

  // The greatest divisor of the number of blocks that leaves `blocks_min` of them.
  std::size_t widest_fold(double blocks_min) const {
    std::size_t widest = 1;
    for (const std::size_t odd : {1U, 3U}) {
      for (std::size_t divisor = odd; divisor <= blocks_.size(); divisor *= 2) {
        const std::size_t folded = blocks_.size() / divisor;
        if (blocks_.size() % divisor == 0 && static_cast<double>(folded) >= blocks_min) {
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
        for (std::size_t word = 0; word < kWords; ++word) {
          folded[word] |= blocks_[i * neighbours + j][word];
        }
      }
      blocks_[i] = folded;
    }
    blocks_.resize(left);
  }

  std::vector<Block> blocks_;
};

}  // namespace

std::string make_token_filter(std::span<const std::string_view> texts) {
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

bool may_have_term(std::string_view filter, std::uint64_t hash) {
  ByteReader in(filter);
  const std::uint8_t version = in.u8();
  const std::uint64_t count = in.varint();
  if (!in.ok() || version != kTokenFilterVersion || count == 0 ||
      in.remaining() / kBlockBytes != count) {
    return true;
  }
  const std::string_view bytes = in.take(in.remaining());
  Block block;
  std::memcpy(block.data(), bytes.data() + block_of(hash, count) * kBlockBytes, kBlockBytes);
  for (std::size_t word = 0; word < kWords; ++word) {
    if ((block[word] & bit_of(hash, word)) == 0) {
      return false;
    }
  }
  return true;
}

bool may_have_term(std::string_view filter, std::string_view folded) {
  return may_have_term(filter, term_hash(folded));
}

}  // namespace evq
