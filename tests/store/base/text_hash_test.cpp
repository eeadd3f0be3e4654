#include "store/base/text_hash.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "store/base/text_head.h"

namespace evq {
namespace {

constexpr std::uint64_t kSeed = 0x0123456789ABCDEFULL;

// `size` bytes, one of them `number`'s, with the word at `at`.
std::string text_with(std::size_t size, std::size_t at, std::uint64_t word, char number) {
  std::string text(size, 'x');
  text[at < size / 2 ? size - 1 : 0] = number;
  std::memcpy(text.data() + at, &word, sizeof word);
  return text;
}

TEST_CASE("no word makes the rest of a text, or the seed, not count") {
  for (const std::uint64_t word :
       {std::uint64_t{0}, ~std::uint64_t{0}, text_hash_detail::kFirst, text_hash_detail::kSecond}) {
    for (std::size_t size = 16; size <= 64; ++size) {
      for (std::size_t at = 0; at + sizeof word < size; ++at) {
        CAPTURE(word);
        CAPTURE(size);
        CAPTURE(at);
        const std::string one = text_with(size, at, word, '1');
        const std::string other = text_with(size, at, word, '2');
        CHECK(hash_text(one, kSeed) != hash_text(other, kSeed));
        CHECK(hash_text(one, kSeed) != hash_text(one, kSeed + 1));
      }
    }
  }
}

TEST_CASE("a head is a text's first bytes, whatever stands behind it") {
  const std::string other(64, '#');
  for (std::size_t size = 0; size <= 40; ++size) {
    const std::string text(size, 'x');
    const std::string longer = text + other;
    const TextHead head = head_of(text);
    const std::string_view readable = std::string_view(longer).substr(0, size);
    CHECK(head == head_of_readable(readable));
    CHECK(hash_text(text, head, kSeed) == hash_text(readable, head, kSeed));
    CHECK(hash_text(text, head, kSeed) != hash_text(text, head, kSeed + 1));
    for (std::size_t at = 0; at < size; ++at) {
      std::string changed = text;
      changed[at] = '\0';
      CHECK((head_of(changed) == head) == (at >= TextHead::kBytes));
      CHECK(hash_text(changed, head_of(changed), kSeed) != hash_text(text, head, kSeed));
    }
    const std::string with_zero = text + '\0';
    CHECK(hash_text(with_zero, head_of(with_zero), kSeed) != hash_text(text, head, kSeed));
  }
}

TEST_CASE("words that change places give another hash, whatever is known of the factors") {
  const std::string text = "one word another, and more of them";
  for (const std::uint64_t known :
       {std::uint64_t{0}, text_hash_detail::kFirst ^ text_hash_detail::kSecond}) {
    const std::uint64_t first = load64(text.data() + 8) ^ known;
    const std::uint64_t second = load64(text.data()) ^ known;
    std::string changed = text;
    std::memcpy(changed.data(), &first, sizeof first);
    std::memcpy(changed.data() + 8, &second, sizeof second);
    CHECK(hash_text(text, kSeed) != hash_text(changed, kSeed));
  }
}

}  // namespace
}  // namespace evq
