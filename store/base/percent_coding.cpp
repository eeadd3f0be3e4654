#include "store/base/percent_coding.h"

#include "store/base/ascii.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

bool is_unreserved(char c) {
  return is_letter_or_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

}  // namespace

std::string percent_encode(std::string_view text, std::size_t bytes_max) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (out.size() > bytes_max) {
      break;
    }
    if (is_unreserved(c)) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.push_back('%');
    out.push_back(kDigits[byte >> 4U]);
    out.push_back(kDigits[byte & 15U]);
  }
  return out;
}

std::string percent_decode(std::string_view text, PlusSign plus) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
        hex_digit(text[i + 2]) >= 0) {
      out.push_back(static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])));
      i += 2;
    } else {
      out.push_back(c == '+' && plus == PlusSign::kBlank ? ' ' : c);
    }
  }
  return is_valid_utf8(out) ? out : repair_utf8(out);
}

}  // namespace evq
