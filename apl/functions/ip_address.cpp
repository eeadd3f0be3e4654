#include "apl/functions/ip_address.h"

#include <algorithm>

#include "store/base/ascii.h"
#include "store/base/number.h"

namespace evq {
namespace {

constexpr std::size_t kIpv4At = 12;  // where an IPv4 address lies in a mapped one
constexpr std::size_t kGroups = 8;

// Digits only, at most `digits_max`, at most `value_max`.
std::optional<int> small_number(std::string_view text, std::size_t digits_max, int value_max) {
  if (text.empty() || text.size() > digits_max) {
    return std::nullopt;
  }
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') {
      return std::nullopt;
    }
    value = value * 10 + (c - '0');
  }
  return value <= value_max ? std::optional(value) : std::nullopt;
}

void put_group(IpAddress* address, std::size_t group, unsigned value) {
  address->bytes[group * 2] = static_cast<std::uint8_t>(value >> 8);
  address->bytes[group * 2 + 1] = static_cast<std::uint8_t>(value & 0xFF);
}

std::optional<unsigned> hex_group(std::string_view text) {
  if (text.empty() || text.size() > 4) {
    return std::nullopt;
  }
  unsigned value = 0;
  for (const char c : text) {
    const int digit = hex_digit(c);
    if (digit < 0) {
      return std::nullopt;
    }
    value = value * 16 + static_cast<unsigned>(digit);
  }
  return value;
}

// Groups between colons into `address` from its start; how many, or nothing. A dotted IPv4 address
// may take the place of the last two.
std::optional<std::size_t> read_groups(std::string_view text, IpAddress* address) {
  std::size_t count = 0;
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    const std::string_view part = text.substr(0, colon);
    if (count >= kGroups) {
      return std::nullopt;
    }
    if (colon == std::string_view::npos && part.find('.') != std::string_view::npos) {
      const std::optional<std::uint32_t> ipv4 = parse_ipv4_text(part);
      if (!ipv4.has_value() || count + 2 > kGroups) {
        return std::nullopt;
      }
      put_group(address, count, *ipv4 >> 16);
      put_group(address, count + 1, *ipv4 & 0xFFFF);
      return count + 2;
    }
    const std::optional<unsigned> group = hex_group(part);
    if (!group.has_value()) {
      return std::nullopt;
    }
    put_group(address, count++, *group);
    if (colon == std::string_view::npos) {
      return count;
    }
    text.remove_prefix(colon + 1);
    if (text.empty()) {
      return std::nullopt;  // a lone colon at the end
    }
  }
  return count;
}

// What stands after the two colons of ::192.0.2.1, the old form of an IPv4 address; empty when
// none do.
std::string_view after_colons(std::string_view text) {
  return text.starts_with("::") ? text.substr(2) : std::string_view();
}

struct Split {
  std::string_view address;
  std::optional<std::string_view> prefix;
};

Split split_prefix(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash == std::string_view::npos ? Split{text, std::nullopt}
                                         : Split{text.substr(0, slash), text.substr(slash + 1)};
}

// Takes four numbers with dots between them off the front of `text`.
std::optional<std::uint32_t> take_ipv4(std::string_view* text) {
  constexpr std::ptrdiff_t kDigitsMax = 3;
  const char* at = text->data();
  const char* const end = at + text->size();
  std::uint32_t address = 0;
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && (at == end || *at++ != '.')) {
      return std::nullopt;
    }
    const char* const first = at;
    std::uint32_t number = 0;
    for (; at != end && *at >= '0' && *at <= '9'; ++at) {
      if (at - first == kDigitsMax) {
        return std::nullopt;
      }
      number = number * 10 + static_cast<std::uint32_t>(*at - '0');
    }
    if (at == first || number > 255 || (at - first > 1 && *first == '0')) {
      return std::nullopt;
    }
    address = address << 8 | number;
  }
  text->remove_prefix(static_cast<std::size_t>(at - text->data()));
  return address;
}

}  // namespace

std::optional<std::uint32_t> parse_ipv4_text(std::string_view text) {
  const std::optional<std::uint32_t> address = take_ipv4(&text);
  return text.empty() ? address : std::nullopt;
}

std::optional<IpAddress> parse_ipv6_text(std::string_view text) {
  IpAddress address;
  if (const std::optional<std::uint32_t> ipv4 = parse_ipv4_text(after_colons(text))) {
    return mapped_ipv4(*ipv4);
  }
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) {
    const std::optional<std::size_t> count = read_groups(text, &address);
    return count == kGroups ? std::optional(address) : std::nullopt;
  }
  IpAddress tail;
  const std::string_view before = text.substr(0, gap);
  if (before.find('.') != std::string_view::npos) {
    return std::nullopt;
  }
  const std::optional<std::size_t> head_count = read_groups(before, &address);
  const std::optional<std::size_t> tail_count = read_groups(text.substr(gap + 2), &tail);
  if (!head_count.has_value() || !tail_count.has_value() || *head_count + *tail_count >= kGroups) {
    return std::nullopt;
  }
  std::copy_n(tail.bytes.begin(), *tail_count * 2,
              address.bytes.end() - static_cast<std::ptrdiff_t>(*tail_count * 2));
  return address;
}

IpAddress mapped_ipv4(std::uint32_t ipv4) {
  IpAddress address;
  put_group(&address, 5, 0xFFFF);
  put_group(&address, 6, ipv4 >> 16);
  put_group(&address, 7, ipv4 & 0xFFFF);
  return address;
}

std::uint32_t ipv4_of(const IpAddress& address) {
  std::uint32_t value = 0;
  for (std::size_t i = kIpv4At; i < address.bytes.size(); ++i) {
    value = value << 8 | address.bytes[i];
  }
  return value;
}

std::optional<Ipv4Network> parse_ipv4_network(std::string_view text) {
  const std::optional<std::uint32_t> address = take_ipv4(&text);
  if (!address.has_value()) {
    return std::nullopt;
  }
  if (text.empty()) {
    return Ipv4Network{*address, kIpv4Bits};
  }
  const std::optional<int> prefix =
      text[0] == '/' ? small_number(text.substr(1), 2, kIpv4Bits) : std::nullopt;
  return prefix.has_value() ? std::optional(Ipv4Network{*address, *prefix}) : std::nullopt;
}

std::optional<IpNetwork> parse_ip_network(std::string_view text) {
  for (const std::string_view plain : {text, after_colons(text)}) {
    if (const std::optional<Ipv4Network> ipv4 = parse_ipv4_network(plain)) {
      return IpNetwork{mapped_ipv4(ipv4->address), kMappedBits + ipv4->prefix, true};
    }
  }
  const Split split = split_prefix(text);
  const std::optional<IpAddress> address = parse_ipv6_text(split.address);
  const std::optional<int> prefix = split.prefix.has_value()
                                        ? small_number(*split.prefix, 3, kIpv6Bits)
                                        : std::optional(kIpv6Bits);
  if (!address.has_value() || !prefix.has_value()) {
    return std::nullopt;
  }
  return IpNetwork{*address, *prefix, false};
}

std::uint32_t mask_ipv4(std::uint32_t address, int prefix) {
  return prefix <= 0 ? 0 : address & (~std::uint32_t{0} << (kIpv4Bits - prefix));
}

IpAddress mask_ip(IpAddress address, int prefix) {
  for (int i = 0; i < 16; ++i) {
    const int kept = std::clamp(prefix - i * 8, 0, 8);
    auto& byte = address.bytes[static_cast<std::size_t>(i)];
    byte = static_cast<std::uint8_t>(byte & (0xFF00 >> kept));
  }
  return address;
}

void append_ipv4(std::string& out, std::uint32_t address) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    append_uint(out, address >> shift & 0xFF);
    out.append(shift > 0 ? "." : "");
  }
}

void append_ipv6_full(std::string& out, const IpAddress& address) {
  for (std::size_t i = 0; i < address.bytes.size(); ++i) {
    out.append(i > 0 && i % 2 == 0 ? ":" : "");
    out.push_back(kHexDigits[address.bytes[i] >> 4]);
    out.push_back(kHexDigits[address.bytes[i] & 15]);
  }
}

}  // namespace evq
