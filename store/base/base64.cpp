#include "store/base/base64.h"

#include <cstdint>

namespace evq {
namespace {

constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      bits = bits << 8U;
      bits |= i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U;
    }
    const std::size_t left = bytes.size() - i;
    out.push_back(kBase64Digits[bits >> 18U]);
    out.push_back(kBase64Digits[(bits >> 12U) & 63U]);
    out.push_back(left > 1 ? kBase64Digits[(bits >> 6U) & 63U] : '=');
    out.push_back(left > 2 ? kBase64Digits[bits & 63U] : '=');
  }
  return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
  while (text.ends_with('=')) {
    text.remove_suffix(1);
  }
  if (text.size() % 4 == 1) {
    return std::nullopt;
  }
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const std::size_t digit = kBase64Digits.find(c == '-' ? '+' : c == '_' ? '/' : c);
    if (digit == std::string_view::npos) {
      return std::nullopt;
    }
    bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out.push_back(static_cast<char>((bits >> count) & 255U));
    }
  }
  return out;
}

}  // namespace evq
