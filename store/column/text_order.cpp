#include "store/column/text_order.h"

#include <algorithm>
#include <cstring>

#include "store/base/allocation_meter.h"

namespace evq {
namespace {

constexpr std::size_t kKeyBytes = sizeof(std::uint64_t);
constexpr std::size_t kTextsMin = 16;  // of fewer each pair is compared whole
constexpr unsigned kRoundsMax = 16;

// Eight bytes as a number that has their order; a text that ends before has zeros.
std::uint64_t key_at(std::string_view text, std::size_t at) {
  std::uint64_t key = 0;
  std::memcpy(&key, text.data() + at, std::min(kKeyBytes, text.size() - at));
  return __builtin_bswap64(key);
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
  const auto [end, other] = std::ranges::mismatch(a, b);
  return static_cast<std::size_t>(end - a.begin());
}

// Of texts that are equal up to `depth`.
std::size_t common_prefix_of_all(std::span<const OrderedText> texts, std::size_t depth,
                                 PollCounter* poll) {
  const std::string_view first = texts.front().text;
  std::size_t common = first.size();
  for (const OrderedText& text : texts) {
    poll->add();
    common = depth + common_prefix(first.substr(depth, common - depth), text.text.substr(depth));
  }
  return common;
}

// Texts that are equal up to `depth`: by the eight bytes after what they have in common, then those
// that are equal in these by the next eight.
void sort_from(std::span<OrderedText> texts, std::size_t depth, unsigned round, PollCounter* poll) {
  if (texts.size() < kTextsMin || round == kRoundsMax) {
    std::ranges::sort(texts, [poll](const OrderedText& a, const OrderedText& b) {
      poll->add();
      return a.text < b.text;
    });
    return;
  }
  const std::size_t common = common_prefix_of_all(texts, depth, poll);
  for (OrderedText& text : texts) {
    text.key = key_at(text.text, common);
  }
  std::ranges::sort(texts, [poll](const OrderedText& a, const OrderedText& b) {
    poll->add();
    return a.key < b.key;
  });
  const std::size_t next = common + kKeyBytes;
  for (std::size_t begin = 0; begin < texts.size();) {
    std::size_t end = begin;
    bool ended = false;  // a text that ended may have got zeros that another has
    for (; end < texts.size() && texts[end].key == texts[begin].key; ++end) {
      ended = ended || texts[end].text.size() < next;
    }
    if (end - begin > 1) {
      sort_from(texts.subspan(begin, end - begin), ended ? common : next,
                ended ? kRoundsMax : round + 1, poll);
    }
    begin = end;
  }
}

}  // namespace

void sort_texts(std::span<OrderedText> texts) {
  PollCounter poll;
  sort_from(texts, 0, 0, &poll);
}

}  // namespace evq
