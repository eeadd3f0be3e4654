#include "store/encoding/term_ranges.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "store/base/ascii.h"
#include "store/base/bytes.h"
#include "store/encoding/terms.h"
#include "store/encoding/token_filter.h"

namespace evq {
namespace {

// Fewer texts need a small filter anyway, and tell little about the order of others.
constexpr std::size_t kTextsMin = 1024;
constexpr std::size_t kStretches = 16;
constexpr std::size_t kTermBytesMax = 64;
// Terms of texts of another form, such as the "self" among generated keys.
constexpr std::size_t kOddTermsMax = 16;

enum ByteClass : std::uint8_t { kDigitByte = 0, kLowerByte = 1, kUpperByte = 2, kOtherByte = 4 };

constexpr std::array<std::uint8_t, 256> kClasses = [] {
  std::array<std::uint8_t, 256> classes{};
  for (std::size_t byte = 0; byte < classes.size(); ++byte) {
    const char c = static_cast<char>(byte);
    classes[byte] = is_digit(c)        ? kDigitByte
                    : !is_letter(c)    ? kOtherByte
                    : to_lower(c) == c ? kLowerByte
                                       : kUpperByte;
  }
  return classes;
}();

std::uint8_t classes_of(std::string_view text) {
  std::uint8_t classes = 0;
  for (const char c : text) {
    classes = static_cast<std::uint8_t>(classes | kClasses[static_cast<unsigned char>(c)]);
  }
  return classes;
}

struct Range {
  std::string_view least;
  std::string_view greatest;

  bool operator<(const Range& other) const { return least < other.least; }
};

// What is found in texts that may grow with time.
class RangeFinder {
 public:
  RangeFinder(std::span<const std::string_view> texts, std::size_t length)
      : texts_(texts), length_(length) {}

  bool find() {
    for (std::size_t i = 0; i < kStretches; ++i) {
      const std::size_t begin = texts_.size() * i / kStretches;
      const std::size_t end = texts_.size() * (i + 1) / kStretches;
      if (!add_stretch(texts_.subspan(begin, end - begin))) {
        return false;
      }
      const std::size_t count = ranges_.size();
      if (count >= 3 && ranges_[count - 1].least <= ranges_[count - 3].greatest) {
        return false;
      }
    }
    // Folding the letters of both cases would change the order of the terms.
    return (classes_ & (kLowerByte | kUpperByte)) != (kLowerByte | kUpperByte);
  }

  std::string take() {
    join_ranges();
    ByteWriter out;
    out.u8(kTermRangesVersion);
    out.varint(ranges_.size() + odd_terms_.size());
    for (const Range& range : ranges_) {
      out.string(ascii_lower(range.least));
      out.string(ascii_lower(range.greatest));
    }
    for (const std::string& term : odd_terms_) {
      out.string(term);
      out.string(term);
    }
    return out.release();
  }

 private:
  bool add_stretch(std::span<const std::string_view> texts) {
    Range range;
    for (const std::string_view text : texts) {
      const std::uint8_t classes = classes_of(text);
      if (text.size() != length_ || (classes & kOtherByte) != 0) {
        if (!add_odd(text)) {
          return false;
        }
        continue;
      }
      classes_ = static_cast<std::uint8_t>(classes_ | classes);
      if (range.least.empty() || text < range.least) {
        range.least = text;
      }
      if (range.greatest < text) {
        range.greatest = text;
      }
    }
    if (range.least.empty()) {
      return false;
    }
    ranges_.push_back(range);
    return true;
  }

  bool add_odd(std::string_view text) {
    if (text == last_odd_) {
      return true;
    }
    last_odd_ = text;
    if (text.size() > kTermBytesMax) {
      return false;
    }
    for (std::string& term : fold_terms(text)) {
      odd_terms_.insert(std::move(term));
    }
    return odd_terms_.size() <= kOddTermsMax;
  }

  void join_ranges() {
    std::sort(ranges_.begin(), ranges_.end());
    std::vector<Range> joined;
    for (const Range& range : ranges_) {
      if (joined.empty() || joined.back().greatest < range.least) {
        joined.push_back(range);
      } else {
        joined.back().greatest = std::max(joined.back().greatest, range.greatest);
      }
    }
    ranges_ = std::move(joined);
  }

  std::span<const std::string_view> texts_;
  std::size_t length_;
  std::uint8_t classes_ = 0;   // of the texts in ranges
  std::vector<Range> ranges_;  // one a stretch
  std::set<std::string> odd_terms_;
  std::string_view last_odd_;
};

// Ids in any other order are nearly always refused here, at a few looks.
bool seems_to_grow(std::span<const std::string_view> texts, std::size_t length) {
  constexpr std::size_t kProbes = kStretches / 2;
  std::string_view before;
  for (std::size_t i = 0; i < kProbes; ++i) {
    const std::string_view text = texts[texts.size() * i / kProbes];
    if (text.size() == length) {
      if (text <= before) {
        return false;
      }
      before = text;
    }
  }
  return !before.empty();
}

}  // namespace

std::string make_term_ranges(std::span<const std::string_view> texts) {
  if (texts.size() < kTextsMin) {
    return {};
  }
  const std::size_t length = texts[texts.size() / 2].size();
  if (length == 0 || length > kTermBytesMax || !seems_to_grow(texts, length)) {
    return {};
  }
  RangeFinder finder(texts, length);
  return finder.find() ? finder.take() : std::string();
}

bool ranges_may_have_term(std::string_view filter, std::string_view folded) {
  ByteReader in(filter);
  const std::uint8_t version = in.u8();
  const std::uint64_t count = in.varint();
  if (!in.ok() || version != kTermRangesVersion || count == 0 || count > in.remaining()) {
    return true;
  }
  bool found = false;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string_view least = in.string();
    const std::string_view greatest = in.string();
    found = found || (folded.size() == least.size() && least <= folded && folded <= greatest);
  }
  return found || !in.ok() || in.remaining() != 0;
}

}  // namespace evq
