#include "apl/functions/text_search.h"

#include <algorithm>
#include <cstring>

#include "store/base/allocation_meter.h"
#include "store/base/ascii.h"
#include "store/base/limits.h"
#include "store/base/utf8.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace evq {
namespace {

constexpr std::string_view kKelvinSign = "\xE2\x84\xAA";
constexpr std::string_view kLongS = "\xC5\xBF";

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// How often a byte occurs in logs, roughly: the later in the list, the rarer.
std::size_t rarity(char c) {
  static constexpr std::string_view kCommonFirst =
      " e0t1a2oi3ns4r\"5:678,9l-.d/chu=mp_fgyw{}bv[]()kxETASINRCOLDPUMGFHBWVKYXJQZjzq";
  const std::size_t at = kCommonFirst.find(c);
  return at == std::string_view::npos ? kCommonFirst.size() : at;
}

bool equal_under_masks(const char* text, const char* needle, const char* masks, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    if ((text[i] | masks[i]) != needle[i]) {
      return false;
    }
  }
  return true;
}

// Up to these sizes a needle is compared anew at each place where it, or its two rarest bytes, may
// stand.
constexpr std::size_t kShortNeedleBytes = 64;
constexpr std::size_t kLongNeedleBytes = 1024;

}  // namespace

std::size_t find_text(std::string_view text, std::string_view needle, std::size_t from) {
  if (needle.size() <= kShortNeedleBytes) {
    return text.find(needle, from);
  }
  for (; from <= text.size() && needle.size() <= text.size() - from; from += kCallTextBytesMax) {
    AllocationMeter::poll();
    const std::string_view part = text.substr(from, kCallTextBytesMax + needle.size() - 1);
    // The C library's search takes linear time (Crochemore and Perrin, "Two-way string-matching").
    const void* place = memmem(part.data(), part.size(), needle.data(), needle.size());
    if (place != nullptr) {
      return static_cast<std::size_t>(static_cast<const char*>(place) - text.data());
    }
  }
  return std::string_view::npos;
}

bool folds_by_bytes(std::string_view text) {
  return is_ascii(text) || (text.find(kKelvinSign) == std::string_view::npos &&
                            text.find(kLongS) == std::string_view::npos);
}

// The scans at each level; all return the first occurrence at or after `from`, and are called with
// at least one place left to look at.
struct SearchKernels {
  static bool verify(const SubstringSearch& search, const char* text, PollCounter* poll) {
    const std::string& needle = search.needle_;
    poll->add(1 + needle.size() / kPollTextBytes);
    return search.fold_
               ? equal_under_masks(text, needle.data(), search.masks_.data(), needle.size())
               : std::memcmp(text, needle.data(), needle.size()) == 0;
  }

  static std::size_t portable(const SubstringSearch& search, std::string_view text,
                              std::size_t from) {
    const std::size_t last = text.size() - search.needle_.size();
    const char wanted = search.needle_[search.probe_a_];
    const char mask = search.masks_[search.probe_a_];
    const char* probe = text.data() + search.probe_a_;
    PollCounter poll;
    for (std::size_t at = from; at <= last; ++at) {
      if ((probe[at] | mask) == wanted && verify(search, text.data() + at, &poll)) {
        return at;
      }
    }
    return std::string_view::npos;
  }

  // For needles that take long to compare, where case counts.
  static std::size_t long_needle(const SubstringSearch& search, std::string_view text,
                                 std::size_t from) {
    return find_text(text, search.needle_, from);
  }

#if defined(__x86_64__)
  // Both vector scans compare the two probes at 32 or 64 places at once. The last block overlaps
  // the one before, so that nothing is read past the text.
  __attribute__((target("avx2"))) static std::size_t avx2(const SubstringSearch& search,
                                                          std::string_view text, std::size_t from) {
    constexpr std::size_t kWidth = 32;
    const std::size_t reach = std::max(search.probe_a_, search.probe_b_) + kWidth;
    if (text.size() < reach) {
      return portable(search, text, from);
    }
    const __m256i wanted_a = _mm256_set1_epi8(search.needle_[search.probe_a_]);
    const __m256i wanted_b = _mm256_set1_epi8(search.needle_[search.probe_b_]);
    const __m256i mask_a = _mm256_set1_epi8(search.masks_[search.probe_a_]);
    const __m256i mask_b = _mm256_set1_epi8(search.masks_[search.probe_b_]);
    const std::size_t last = text.size() - search.needle_.size();
    PollCounter poll;
    for (std::size_t at = from; at <= last;) {
      const std::size_t block = std::min(at, text.size() - reach);
      const char* place = text.data() + block;
      const __m256i a =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(place + search.probe_a_));
      const __m256i b =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(place + search.probe_b_));
      const __m256i both =
          _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_or_si256(a, mask_a), wanted_a),
                           _mm256_cmpeq_epi8(_mm256_or_si256(b, mask_b), wanted_b));
      auto found = static_cast<std::uint32_t>(_mm256_movemask_epi8(both));
      found &= ~std::uint32_t{0} << (at - block);
      for (; found != 0; found &= found - 1) {
        const std::size_t candidate = block + static_cast<std::size_t>(__builtin_ctz(found));
        if (candidate > last) {
          break;
        }
        if (verify(search, text.data() + candidate, &poll)) {
          return candidate;
        }
      }
      at = block + kWidth;
    }
    return std::string_view::npos;
  }

  __attribute__((target("avx512bw"))) static std::size_t avx512(const SubstringSearch& search,
                                                                std::string_view text,
                                                                std::size_t from) {
    constexpr std::size_t kWidth = 64;
    const std::size_t reach = std::max(search.probe_a_, search.probe_b_) + kWidth;
    if (text.size() < reach) {
      return portable(search, text, from);
    }
    const __m512i wanted_a = _mm512_set1_epi8(search.needle_[search.probe_a_]);
    const __m512i wanted_b = _mm512_set1_epi8(search.needle_[search.probe_b_]);
    const __m512i mask_a = _mm512_set1_epi8(search.masks_[search.probe_a_]);
    const __m512i mask_b = _mm512_set1_epi8(search.masks_[search.probe_b_]);
    const std::size_t last = text.size() - search.needle_.size();
    PollCounter poll;
    for (std::size_t at = from; at <= last;) {
      const std::size_t block = std::min(at, text.size() - reach);
      const char* place = text.data() + block;
      const __m512i a = _mm512_loadu_si512(place + search.probe_a_);
      const __m512i b = _mm512_loadu_si512(place + search.probe_b_);
      std::uint64_t found =
          _mm512_mask_cmpeq_epi8_mask(_mm512_cmpeq_epi8_mask(_mm512_or_si512(a, mask_a), wanted_a),
                                      _mm512_or_si512(b, mask_b), wanted_b);
      found &= ~std::uint64_t{0} << (at - block);
      for (; found != 0; found &= found - 1) {
        const std::size_t candidate = block + static_cast<std::size_t>(__builtin_ctzll(found));
        if (candidate > last) {
          break;
        }
        if (verify(search, text.data() + candidate, &poll)) {
          return candidate;
        }
      }
      at = block + kWidth;
    }
    return std::string_view::npos;
  }
#endif

  static SubstringSearch::Scan of(SimdLevel level) {
#if defined(__x86_64__)
    switch (level) {
      case SimdLevel::kAvx512:
        return avx512;
      case SimdLevel::kAvx2:
        return avx2;
      case SimdLevel::kPortable:
        break;
    }
#else
    static_cast<void>(level);
#endif
    return portable;
  }
};

SubstringSearch::SubstringSearch(std::string_view needle, bool fold, SimdLevel level)
    : needle_(fold ? fold_case(needle) : std::string(needle)),
      masks_(needle_.size(), '\0'),
      fold_(fold),
      ascii_(is_ascii(needle_)),
      scan_(!fold && needle_.size() > kLongNeedleBytes ? SearchKernels::long_needle
                                                       : SearchKernels::of(level)) {
  for (std::size_t i = 0; i < needle_.size(); ++i) {
    const char c = needle_[i];
    if (fold && is_letter(c)) {
      masks_[i] = 0x20;
      has_k_or_s_ = has_k_or_s_ || c == 'k' || c == 's';
    }
    if (rarity(c) > rarity(needle_[probe_a_])) {
      probe_a_ = i;
    }
  }
  probe_b_ = probe_a_ == 0 ? needle_.size() - (needle_.empty() ? 0 : 1) : 0;
  for (std::size_t i = 0; i < needle_.size(); ++i) {
    if (i != probe_a_ && rarity(needle_[i]) > rarity(needle_[probe_b_])) {
      probe_b_ = i;
    }
  }
}

bool SubstringSearch::is_plain_at(std::string_view text, std::size_t at) const {
  return at <= text.size() && text.size() - at >= needle_.size() &&
         equal_under_masks(text.data() + at, needle_.data(), masks_.data(), needle_.size());
}

bool SubstringSearch::is_plain_in(std::string_view text) const {
  if (!fold_) {
    return true;
  }
  if (!ascii_) {
    return false;
  }
  return !has_k_or_s_ || folds_by_bytes(text);
}

std::optional<TextHit> SubstringSearch::find(std::string_view text, std::size_t from) const {
  if (needle_.empty()) {
    return TextHit{from, from};
  }
  if (!is_plain_in(text)) {
    return find_folded(text, from);
  }
  const std::size_t at = find_plain(text, from);
  return at == std::string_view::npos ? std::nullopt
                                      : std::optional(TextHit{at, at + needle_.size()});
}

bool SubstringSearch::matches(std::string_view text) const {
  if (needle_.empty()) {
    return true;
  }
  if (!fold_ || ascii_) {
    if (find_plain(text, 0) != std::string_view::npos) {
      return true;
    }
    return fold_ && !is_plain_in(text) && find_folded(text, 0).has_value();
  }
  return find_folded(text, 0).has_value();
}

// Folds code point by code point at every place of the text.
std::optional<TextHit> SubstringSearch::find_folded(std::string_view text, std::size_t from) const {
  if (!ascii_ && is_ascii(text)) {
    return std::nullopt;
  }
  std::size_t needle_next = 0;
  const char32_t first = next_code_point(needle_, needle_next);
  PollCounter poll;
  for (std::size_t begin = from; begin < text.size();) {
    std::size_t end = begin;
    const bool starts_here = fold_code_point(next_code_point(text, end)) == first;
    const std::size_t following = end;
    std::size_t at = needle_next;
    bool equal = starts_here;
    while (equal && at < needle_.size()) {
      equal = end < text.size() &&
              fold_code_point(next_code_point(text, end)) == next_code_point(needle_, at);
    }
    if (equal) {
      return TextHit{begin, end};
    }
    poll.add(1 + at / kPollTextBytes);
    begin = following;
  }
  return std::nullopt;
}

TextMatcher::TextMatcher(TextTest test, std::string_view needle, bool fold)
    : search_(needle, fold), test_(test), fold_(fold) {
  const std::string& text = search_.needle();
  if (text.empty()) {
    return;
  }
  std::size_t first = 0;
  std::size_t last = text.size();
  bound_start_ = (test == TextTest::kHas || test == TextTest::kHasPrefix) &&
                 is_alphanumeric(next_code_point(text, first));
  bound_end_ = (test == TextTest::kHas || test == TextTest::kHasSuffix) &&
               is_alphanumeric(previous_code_point(text, last));
}

bool TextMatcher::is_bounded(std::string_view text, TextHit hit) const {
  if (bound_start_ && hit.begin != 0) {
    std::size_t before = hit.begin;
    if (is_alphanumeric(previous_code_point(text, before))) {
      return false;
    }
  }
  if (bound_end_ && hit.end != text.size()) {
    std::size_t after = hit.end;
    return !is_alphanumeric(next_code_point(text, after));
  }
  return true;
}

bool TextMatcher::has_bounded_hit(std::string_view text) const {
  const bool plain = !search_.needle().empty() && search_.is_plain_in(text);
  const auto find = [&](std::size_t from) -> std::optional<TextHit> {
    if (!plain) {
      return search_.find(text, from);
    }
    const std::size_t at = search_.find_plain(text, from);
    return at == std::string_view::npos ? std::nullopt
                                        : std::optional(TextHit{at, at + search_.needle().size()});
  };
  std::size_t from = 0;
  PollCounter poll;
  while (const std::optional<TextHit> hit = find(from)) {
    if (is_bounded(text, *hit)) {
      return true;
    }
    // To find by code points takes a look at the whole text first.
    poll.add(plain ? 1 : 1 + text.size() / kPollTextBytes);
    from = hit->begin + 1;
    while (from < text.size() && is_continuation(text[from])) {
      ++from;
    }
  }
  return false;
}

bool TextMatcher::equals(std::string_view text) const {
  const std::string& needle = search_.needle();
  if (!fold_) {
    return text == needle;
  }
  if (text.size() == needle.size() && search_.is_plain_at(text, 0)) {
    return true;
  }
  return !search_.is_always_plain() && equals_folded(text, needle);
}

bool TextMatcher::starts(std::string_view text) const {
  const std::string& needle = search_.needle();
  if (!fold_) {
    return text.starts_with(needle);
  }
  const bool plain = search_.is_plain_at(text, 0);
  if (plain || search_.is_always_plain()) {
    return plain;
  }
  std::size_t at = 0;
  std::size_t wanted = 0;
  while (wanted < needle.size()) {
    if (at >= text.size() ||
        fold_code_point(next_code_point(text, at)) != next_code_point(needle, wanted)) {
      return false;
    }
  }
  return true;
}

bool TextMatcher::ends(std::string_view text) const {
  const std::string& needle = search_.needle();
  if (!fold_) {
    return text.ends_with(needle);
  }
  const bool plain =
      text.size() >= needle.size() && search_.is_plain_at(text, text.size() - needle.size());
  if (plain || search_.is_always_plain()) {
    return plain;
  }
  std::size_t at = text.size();
  std::size_t wanted = needle.size();
  while (wanted > 0) {
    if (at == 0 ||
        fold_code_point(previous_code_point(text, at)) != previous_code_point(needle, wanted)) {
      return false;
    }
  }
  return true;
}

bool TextMatcher::matches(std::string_view text) const {
  switch (test_) {
    case TextTest::kContains:
      return search_.matches(text);
    case TextTest::kStartsWith:
      return starts(text);
    case TextTest::kEndsWith:
      return ends(text);
    case TextTest::kHas:
    case TextTest::kHasPrefix:
    case TextTest::kHasSuffix:
      return has_bounded_hit(text);
    case TextTest::kEqual:
      return equals(text);
  }
  return false;
}

// Window by window, so that the search finds in the nearest cache what the check has just read.
// Windows overlap by what a needle or a character may hang over.
bool TextMatcher::match_contiguous(const Values& values, std::uint8_t* to) const {
  constexpr std::size_t kWindowBytes = std::size_t{16} << 10U;
  std::fill_n(to, values.size(), std::uint8_t{0});
  const std::string_view run = values.contiguous_text();
  const std::size_t size = search_.needle().size();
  const std::size_t window = search_.is_always_plain() ? run.size() : kWindowBytes;
  const std::size_t overlap = std::max<std::size_t>(size, 4);
  std::size_t row = 0;
  for (std::size_t begin = 0; begin < run.size(); begin += window) {
    const std::string_view part = run.substr(begin, window + overlap);
    if (!search_.is_plain_in(part)) {
      return false;
    }
    scan_rows_in(part, search_, values, &row, to, [&](std::string_view text, std::size_t at) {
      return is_bounded(text, {at, at + size}) ? HitVerdict::kMatch : HitVerdict::kTryNextHit;
    });
  }
  return true;
}

void TextMatcher::match_slots(const Values& values, std::uint8_t* to) const {
  const bool searches = test_ != TextTest::kStartsWith && test_ != TextTest::kEndsWith &&
                        test_ != TextTest::kEqual && !search_.needle().empty();
  if (searches && !values.contiguous_text().empty() && match_contiguous(values, to)) {
    return;
  }
  const auto* texts = values.data<std::string_view>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    to[i] = matches(values.is_null(i) ? std::string_view() : texts[i]) ? 1 : 0;
  }
}

bool TextMatcher::could_match_alphabet(std::string_view alphabet) const {
  const std::string folded = fold_ ? fold_case(alphabet) : std::string(alphabet);
  return search_.needle().find_first_not_of(folded) == std::string::npos;
}

}  // namespace evq
