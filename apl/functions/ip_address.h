#pragma once
// IP addresses and networks as text: strict readers (four decimal numbers without leading zeros
// beyond one digit; RFC 4291 groups with one "::"), masks and printing. IPv4 addresses are held as
// ::ffff:a.b.c.d, so that both kinds compare with each other. All functions are pure.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evq {

struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};
  friend bool operator==(const IpAddress&, const IpAddress&) = default;
  friend bool operator<(const IpAddress& a, const IpAddress& b) { return a.bytes < b.bytes; }
};

inline constexpr int kIpv4Bits = 32;
inline constexpr int kIpv6Bits = 128;
inline constexpr int kMappedBits = kIpv6Bits - kIpv4Bits;

struct IpNetwork {
  IpAddress address;  // not masked yet
  int prefix = kIpv6Bits;
  bool ipv4 = false;  // written as IPv4: prefix is then 96 or more
};

std::optional<std::uint32_t> parse_ipv4_text(std::string_view text);
std::optional<IpAddress> parse_ipv6_text(std::string_view text);
IpAddress mapped_ipv4(std::uint32_t ipv4);
std::uint32_t ipv4_of(const IpAddress& address);

struct Ipv4Network {
  std::uint32_t address = 0;
  int prefix = kIpv4Bits;
};
// Reads an address with or without "/prefix".
std::optional<Ipv4Network> parse_ipv4_network(std::string_view text);
// Reads an address of either kind, with or without "/prefix".
std::optional<IpNetwork> parse_ip_network(std::string_view text);

std::uint32_t mask_ipv4(std::uint32_t address, int prefix);
IpAddress mask_ip(IpAddress address, int prefix);

void append_ipv4(std::string& out, std::uint32_t address);
// Appends all eight groups of four hexadecimal digits.
void append_ipv6_full(std::string& out, const IpAddress& address);

}  // namespace evq
