// Punycode (RFC 3492): international names as the ASCII of the domain name system.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "store/base/allocation_meter.h"
#include "store/base/ascii.h"
#include "store/base/limits.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

using CodePoints = std::vector<char32_t>;

// The parameters of RFC 3492, section 5.
constexpr std::uint32_t kBase = 36;
constexpr std::uint32_t kThresholdMin = 1;
constexpr std::uint32_t kThresholdMax = 26;
constexpr std::uint32_t kSkew = 38;
constexpr std::uint32_t kDamp = 700;
constexpr std::uint32_t kBiasFirst = 72;
constexpr std::uint32_t kCodePointFirst = 0x80;
constexpr std::uint32_t kCodePointMax = 0x10FFFF;
constexpr std::string_view kDomainPrefix = "xn--";

// Section 6.1.
std::uint32_t adapted_bias(std::uint32_t delta, std::uint32_t points, bool first) {
  delta = first ? delta / kDamp : delta / 2;
  delta += delta / points;
  std::uint32_t k = 0;
  while (delta > ((kBase - kThresholdMin) * kThresholdMax) / 2) {
    delta /= kBase - kThresholdMin;
    k += kBase;
  }
  return k + (kBase - kThresholdMin + 1) * delta / (delta + kSkew);
}

std::uint32_t threshold(std::uint32_t k, std::uint32_t bias) {
  return k <= bias ? kThresholdMin : k >= bias + kThresholdMax ? kThresholdMax : k - bias;
}

char digit_of(std::uint32_t value) {
  return static_cast<char>(value < 26 ? 'a' + value : '0' + (value - 26));
}
std::optional<std::uint32_t> value_of(char digit) {
  if (is_digit(digit)) {
    return static_cast<std::uint32_t>(digit - '0') + 26;
  }
  return is_letter(digit) ? std::optional(static_cast<std::uint32_t>(to_lower(digit) - 'a'))
                          : std::nullopt;
}

void append_delta(std::uint32_t delta, std::uint32_t bias, std::string* out) {
  for (std::uint32_t k = kBase;; k += kBase) {
    const std::uint32_t t = threshold(k, bias);
    if (delta < t) {
      out->push_back(digit_of(delta));
      return;
    }
    out->push_back(digit_of(t + (delta - t) % (kBase - t)));
    delta = (delta - t) / (kBase - t);
  }
}

// Section 6.3. Texts are short enough that no delta overflows.
MaybeText encode(std::string_view text) {
  if (text.size() > kPunycodeBytesMax) {
    return std::nullopt;
  }
  CodePoints points;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    points.push_back(next_code_point(text, at));
    if (points.back() < kCodePointFirst) {
      out.push_back(static_cast<char>(points.back()));
    }
  }
  const std::size_t basic = out.size();
  std::size_t handled = basic;
  if (basic > 0) {
    out.push_back('-');
  }
  std::uint32_t next = kCodePointFirst;
  std::uint32_t delta = 0;
  std::uint32_t bias = kBiasFirst;
  PollCounter poll;
  while (handled < points.size()) {
    poll.add(points.size());
    std::uint32_t least = kCodePointMax;
    for (const char32_t point : points) {
      least = point >= next && point < least ? static_cast<std::uint32_t>(point) : least;
    }
    delta += (least - next) * static_cast<std::uint32_t>(handled + 1);
    next = least;
    for (const char32_t point : points) {
      delta += point < next ? 1U : 0U;
      if (point == next) {
        append_delta(delta, bias, &out);
        bias = adapted_bias(delta, static_cast<std::uint32_t>(handled + 1), handled == basic);
        delta = 0;
        ++handled;
      }
    }
    ++delta;
    ++next;
  }
  return out;
}

// One number of the text from `at` on, which moves behind it.
std::optional<std::uint32_t> read_delta(std::string_view text, std::uint32_t bias,
                                        std::size_t* at) {
  std::uint64_t delta = 0;
  std::uint64_t weight = 1;
  for (std::uint32_t k = kBase;; k += kBase) {
    const auto digit = *at < text.size() ? value_of(text[(*at)++]) : std::nullopt;
    if (!digit.has_value()) {
      return std::nullopt;
    }
    delta += *digit * weight;
    if (delta > UINT32_MAX) {
      return std::nullopt;
    }
    const std::uint32_t t = threshold(k, bias);
    if (*digit < t) {
      return static_cast<std::uint32_t>(delta);
    }
    weight *= kBase - t;
  }
}

bool is_scalar(std::uint64_t point) {
  return point <= kCodePointMax && (point < 0xD800 || point > 0xDFFF);
}

// Section 6.2; nothing for what no text encodes to.
MaybeText decode(std::string_view text) {
  if (text.size() > kPunycodeBytesMax) {
    return std::nullopt;
  }
  CodePoints points;
  const std::size_t dash = text.rfind('-');
  std::size_t at = dash == std::string_view::npos ? 0 : dash + 1;
  for (const char c : text.substr(0, dash == std::string_view::npos ? 0 : dash)) {
    if (static_cast<unsigned char>(c) >= kCodePointFirst) {
      return std::nullopt;
    }
    points.push_back(static_cast<unsigned char>(c));
  }
  std::uint64_t next = kCodePointFirst;
  std::uint64_t place = 0;
  bool first = true;
  std::uint32_t bias = kBiasFirst;
  while (at < text.size()) {
    const std::optional<std::uint32_t> delta = read_delta(text, bias, &at);
    if (!delta.has_value()) {
      return std::nullopt;
    }
    const std::uint64_t count = points.size() + 1;
    place += *delta;
    bias = adapted_bias(*delta, static_cast<std::uint32_t>(count), first);
    first = false;
    next += place / count;
    place %= count;
    if (!is_scalar(next)) {
      return std::nullopt;
    }
    points.insert(points.begin() + static_cast<std::ptrdiff_t>(place), static_cast<char32_t>(next));
    ++place;
  }
  std::string out;
  for (const char32_t point : points) {
    append_code_point(out, point);
  }
  return out;
}

// The full stop, and those of other scripts that separate labels as it does (RFC 3490,
// section 3.1).
bool is_label_separator(char32_t point) {
  return point == U'.' || point == U'\u3002' || point == U'\uFF0E' || point == U'\uFF61';
}

// Each label of a domain by itself, between dots; nothing when one of them fails.
template <class Convert>
MaybeText by_label(std::string_view domain, const Convert& convert) {
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t begin = at;
    std::size_t end = at;
    bool separated = false;
    while (at < domain.size() && !separated) {
      separated = is_label_separator(next_code_point(domain, at));
      end = separated ? end : at;
    }
    const MaybeText label = convert(domain.substr(begin, end - begin));
    if (!label.has_value()) {
      return std::nullopt;
    }
    out += *label;
    if (!separated) {
      return out;
    }
    out += '.';
  }
}

MaybeText encoded_domain(std::string_view domain) {
  return by_label(domain, [](std::string_view label) -> MaybeText {
    const bool ascii = std::ranges::all_of(
        label, [](char c) { return static_cast<unsigned char>(c) < kCodePointFirst; });
    const MaybeText encoded = ascii ? std::nullopt : encode(label);
    if (!ascii && !encoded.has_value()) {
      return std::nullopt;
    }
    return ascii ? std::string(label) : std::string(kDomainPrefix) + *encoded;
  });
}

MaybeText decoded_domain(std::string_view domain) {
  return by_label(domain, [](std::string_view label) -> MaybeText {
    const bool encoded =
        equals_ignoring_ascii_case(label.substr(0, kDomainPrefix.size()), kDomainPrefix);
    return encoded ? decode(label.substr(kDomainPrefix.size())) : MaybeText(label);
  });
}

constexpr std::array<ScalarFunction, 4> kPunycodeFunctions = {{
    {.name = "punycode_domain_from_string",
     .category = "string",
     .summary = "Decodes a domain name of the domain name system.",
     .params = {{{"domain", "A domain name, its international labels as xn--…"}}},
     .returns = "string; null when a label that begins with xn-- is not Punycode.",
     .examples = {{{"print punycode_domain_from_string('xn--bcher-kva.example')",
                    "bücher.example"}}},
     .overloads = {lift<decoded_domain>()}},
    {.name = "punycode_domain_to_string",
     .category = "string",
     .summary = "Encodes an international domain name for the domain name system.",
     .params = {{{"domain", "A domain name."}}},
     .returns = "string; labels of ASCII alone stay as they are.",
     .examples = {{{"print punycode_domain_to_string('bücher.example')", "xn--bcher-kva.example"}}},
     .overloads = {lift<encoded_domain>()}},
    {.name = "punycode_from_string",
     .category = "string",
     .summary = "Encodes a text as Punycode.",
     .params = {{{"text", "The text."}}},
     .returns = "string; null for texts longer than 2,048 bytes.",
     .examples = {{{"print punycode_from_string('académie-française')", "acadmie-franaise-npb1a"}}},
     .overloads = {lift<encode>()}},
    {.name = "punycode_to_string",
     .category = "string",
     .summary = "Decodes Punycode.",
     .params = {{{"text", "Punycode, without xn--."}}},
     .returns = "string; null when it is not Punycode or longer than 2,048 bytes.",
     .examples = {{{"print punycode_to_string('acadmie-franaise-npb1a')", "académie-française"}}},
     .overloads = {lift<decode>()}},
}};

}  // namespace

std::span<const ScalarFunction> punycode_functions() {
  return kPunycodeFunctions;
}

}  // namespace evq
