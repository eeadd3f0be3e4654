#include "store/encoding/token_filter.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "store/base/bytes.h"
#include "store/encoding/terms.h"

namespace evq {
namespace {

constexpr std::size_t kBlockBytes = 32;
constexpr std::size_t kWords = 8;
constexpr std::size_t kBitsPerTerm = 8;
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

}  // namespace

std::string make_token_filter(const std::vector<std::uint64_t>& hashes) {
  const std::size_t bits = hashes.size() * kBitsPerTerm;
  const std::size_t count =
      std::max<std::size_t>(1, (bits + kBlockBytes * 8 - 1) / (kBlockBytes * 8));
  std::vector<Block> blocks(count, Block{});
  for (const std::uint64_t hash : hashes) {
    Block& block = blocks[block_of(hash, count)];
    for (std::size_t word = 0; word < kWords; ++word) {
      block[word] |= bit_of(hash, word);
    }
  }
  ByteWriter out;
  out.u8(kTokenFilterVersion);
  out.varint(count);
  out.raw(std::string_view(reinterpret_cast<const char*>(blocks.data()), count * kBlockBytes));
  return out.release();
}

std::string make_token_filter(std::span<const std::string_view> texts) {
  TermHasher hasher;
  hasher.add(texts);
  return make_token_filter(hasher.take());
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
