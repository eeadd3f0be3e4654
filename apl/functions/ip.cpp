// The functions of IP addresses. Addresses are texts; IPv4 ones also longs. A mask comes from the
// text's own "/prefix" or from an argument, and the smallest one involved counts.

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "apl/functions/geo_database.h"
#include "apl/functions/ip_address.h"
#include "apl/functions/ip_lists.h"
#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "store/base/ascii.h"
#include "store/base/number.h"

namespace evq {
namespace {

using Text = std::string_view;

std::optional<int> prefix_within(std::int64_t prefix, int bits) {
  return prefix >= 0 && prefix <= bits ? std::optional(static_cast<int>(prefix)) : std::nullopt;
}
std::optional<std::uint32_t> ipv4_from_long(std::int64_t value) {
  return value >= 0 && value <= 0xFFFFFFFFLL ? std::optional(static_cast<std::uint32_t>(value))
                                             : std::nullopt;
}

MaybeLong parse_ipv4(Text text) {
  const std::optional<Ipv4Network> network = parse_ipv4_network(text);
  return network.has_value() ? MaybeLong(mask_ipv4(network->address, network->prefix))
                             : std::nullopt;
}
MaybeLong parse_ipv4_mask(Text text, std::int64_t bits) {
  const std::optional<Ipv4Network> network = parse_ipv4_network(text);
  const std::optional<int> prefix = prefix_within(bits, kIpv4Bits);
  if (!network.has_value() || !prefix.has_value()) {
    return std::nullopt;
  }
  return mask_ipv4(network->address, std::min(network->prefix, *prefix));
}

std::string format_network(std::optional<Ipv4Network> network, std::int64_t bits, bool suffix) {
  const std::optional<int> given = prefix_within(bits, kIpv4Bits);
  std::string out;
  if (network.has_value() && given.has_value()) {
    const int prefix = std::min(network->prefix, *given);
    append_ipv4(out, mask_ipv4(network->address, prefix));
    if (suffix) {
      out.append("/");
      append_int(out, prefix);
    }
  }
  return out;
}
std::optional<Ipv4Network> network_from_long(std::int64_t value) {
  const std::optional<std::uint32_t> address = ipv4_from_long(value);
  return address.has_value() ? std::optional(Ipv4Network{*address, kIpv4Bits}) : std::nullopt;
}
std::optional<Ipv4Network> network_from_dynamic(DynamicView value) {
  if (value.is_string()) {
    return parse_ipv4_network(value.as_string());
  }
  return value.type() == Type::kLong ? network_from_long(value.as_integer()) : std::nullopt;
}
std::string format_ipv4_long(std::int64_t value, MaybeLong prefix) {
  return format_network(network_from_long(value), prefix.value_or(kIpv4Bits), false);
}
std::string format_ipv4_text(Text text, MaybeLong prefix) {
  return format_network(parse_ipv4_network(text), prefix.value_or(kIpv4Bits), false);
}
std::string format_ipv4_dynamic(DynamicView value, MaybeLong prefix) {
  return format_network(network_from_dynamic(value), prefix.value_or(kIpv4Bits), false);
}
std::string format_ipv4_mask_long(std::int64_t value, MaybeLong prefix) {
  return format_network(network_from_long(value), prefix.value_or(kIpv4Bits), true);
}
std::string format_ipv4_mask_text(Text text, MaybeLong prefix) {
  return format_network(parse_ipv4_network(text), prefix.value_or(kIpv4Bits), true);
}
std::string format_ipv4_mask_dynamic(DynamicView value, MaybeLong prefix) {
  return format_network(network_from_dynamic(value), prefix.value_or(kIpv4Bits), true);
}

// -1, 0, 1 under the smallest prefix.
MaybeLong compare_networks(const std::optional<IpNetwork>& a, const std::optional<IpNetwork>& b,
                           std::optional<int> prefix) {
  if (!a.has_value() || !b.has_value() || !prefix.has_value()) {
    return std::nullopt;
  }
  const int bits = std::min({a->prefix, b->prefix, *prefix});
  const IpAddress left = mask_ip(a->address, bits);
  const IpAddress right = mask_ip(b->address, bits);
  return left < right ? -1 : right < left ? 1 : 0;
}

MaybeLong ipv4_compare(Text a, Text b, MaybeLong prefix) {
  const std::optional<int> bits = prefix_within(prefix.value_or(kIpv4Bits), kIpv4Bits);
  return compare_networks(ipv4_only(a), ipv4_only(b),
                          bits.has_value() ? std::optional(*bits + kMappedBits) : std::nullopt);
}
MaybeLong ipv6_compare(Text a, Text b, MaybeLong prefix) {
  return compare_networks(parse_ip_network(a), parse_ip_network(b),
                          prefix_within(prefix.value_or(kIpv6Bits), kIpv6Bits));
}
MaybeBool is_zero(MaybeLong order) {
  return order.has_value() ? MaybeBool(*order == 0) : std::nullopt;
}
MaybeBool ipv4_is_match(Text a, Text b, MaybeLong prefix) {
  return is_zero(ipv4_compare(a, b, prefix));
}
MaybeBool ipv6_is_match(Text a, Text b, MaybeLong prefix) {
  return is_zero(ipv6_compare(a, b, prefix));
}

MaybeBool ipv4_is_in_range(Text address, Text range) {
  const std::optional<Ipv4Network> a = parse_ipv4_network(address);
  const std::optional<Ipv4Network> b = parse_ipv4_network(range);
  if (a.has_value() && b.has_value()) {
    return a->prefix >= b->prefix &&
           mask_ipv4(a->address, b->prefix) == mask_ipv4(b->address, b->prefix);
  }
  return in_range(ipv4_only(address), ipv4_only(range));
}
MaybeBool ipv6_is_in_range(Text address, Text range) {
  return in_range(parse_ip_network(address), parse_ip_network(range));
}

MaybeBool ipv4_is_private(Text text) {
  constexpr Ipv4Network kPrivate[] = {{0x0A000000, 8}, {0xAC100000, 12}, {0xC0A80000, 16}};
  const std::optional<Ipv4Network> network = parse_ipv4_network(text);
  if (!network.has_value()) {
    return std::nullopt;
  }
  return std::ranges::any_of(kPrivate, [&](const Ipv4Network& range) {
    return network->prefix >= range.prefix &&
           mask_ipv4(network->address, range.prefix) == range.address;
  });
}
MaybeLong ipv4_netmask_suffix(Text text) {
  const std::optional<Ipv4Network> network = parse_ipv4_network(text);
  return network.has_value() ? MaybeLong(network->prefix) : std::nullopt;
}

std::optional<std::string> parse_ipv6_mask(Text text, std::int64_t bits) {
  const std::optional<IpNetwork> network = parse_ip_network(text);
  const std::optional<int> prefix = prefix_within(bits, kIpv6Bits);
  if (!network.has_value() || !prefix.has_value()) {
    return std::nullopt;
  }
  std::string out;
  append_ipv6_full(out, mask_ip(network->address, std::min(network->prefix, *prefix)));
  return out;
}
std::optional<std::string> parse_ipv6(Text text) {
  return parse_ipv6_mask(text, kIpv6Bits);
}

std::optional<DynamicBytes> range_to_cidr_list(Text first, Text last) {
  const std::optional<std::uint32_t> begin = parse_ipv4_text(first);
  const std::optional<std::uint32_t> end = parse_ipv4_text(last);
  if (!begin.has_value() || !end.has_value() || *begin > *end) {
    return std::nullopt;
  }
  DynamicBuilder out;
  out.begin_array();
  std::uint64_t at = *begin;
  while (at <= *end) {
    // The largest block that begins here and ends within the range.
    int prefix = kIpv4Bits;
    while (prefix > 0) {
      const std::uint64_t size = std::uint64_t{1} << (kIpv4Bits - prefix + 1);
      if (at % size != 0 || at + size - 1 > *end) {
        break;
      }
      --prefix;
    }
    std::string text;
    append_ipv4(text, static_cast<std::uint32_t>(at));
    text.append("/");
    append_int(text, prefix);
    out.add_string(text);
    at += std::uint64_t{1} << (kIpv4Bits - prefix);
  }
  out.end_array();
  return DynamicBytes{out.take()};
}

std::optional<DynamicBytes> geo_info(const EvalContext& context, Text text) {
  const std::optional<IpNetwork> network = parse_ip_network(text);
  if (context.geo == nullptr || !network.has_value()) {
    return std::nullopt;
  }
  const GeoPlace place = context.geo->find(network->address, network->ipv4).value_or(GeoPlace());
  DynamicBuilder out;
  out.begin_bag();
  const auto add_text = [&out](Text key, const std::string& value) {
    out.key(key);
    out.add_string(value);
  };
  const auto add_degrees = [&](Text key, double degrees) {
    out.key(key);
    if (place.has_position) {
      out.add_real(degrees);
    } else {
      out.add_string("");
    }
  };
  add_text("country", place.country);
  add_text("state", place.state);
  add_text("city", place.city);
  add_degrees("latitude", place.latitude);
  add_degrees("longitude", place.longitude);
  add_text("country_iso", place.country_iso);
  add_text("time_zone", place.time_zone);
  out.end_bag();
  return DynamicBytes{out.take()};
}

constexpr std::array<ScalarFunction, 22> kIpFunctions = {{
    {.name = "format_ipv4",
     .category = "ip",
     .summary = "An IPv4 address as text.",
     .params = {{{"address", "A long, or an address."},
                 {"[prefix]", "How many leading bits count, 32 when left out."}}},
     .returns = "A string, masked by the prefix; empty when the address or prefix is invalid.",
     .examples = {{{"print format_ipv4(2130706433)", "127.0.0.1"},
                   {"print format_ipv4('192.168.1.77', 24)", "192.168.1.0"}}},
     .overloads = {lift<format_ipv4_long>(), lift<format_ipv4_text>(),
                   lift<format_ipv4_dynamic>()}},
    {.name = "format_ipv4_mask",
     .category = "ip",
     .summary = "An IPv4 network as text.",
     .params = {{{"address", "A long, or an address."},
                 {"[prefix]", "How many leading bits count, 32 when left out."}}},
     .returns = "A string with /prefix; empty when the address or prefix is invalid.",
     .examples = {{{"print format_ipv4_mask('192.168.1.77', 24)", "192.168.1.0/24"}}},
     .overloads = {lift<format_ipv4_mask_long>(), lift<format_ipv4_mask_text>(),
                   lift<format_ipv4_mask_dynamic>()}},
    {.name = "geo_info_from_ip_address",
     .category = "ip",
     .summary = "Where an address is, by the geographic database that evq was started with.",
     .params = {{{"address", "An IPv6 or IPv4 address, perhaps with /prefix."}}},
     .returns = "A bag of country, state, city, latitude, longitude, country_iso and time_zone, "
                "empty where unknown; null without a database and for invalid addresses.",
     .examples = {{{"print isnull(geo_info_from_ip_address('no address'))", "true"}}},
     .overloads = {lift<geo_info>()}},
    {.name = "has_any_ipv4",
     .category = "ip",
     .summary = "Whether a text holds any of some IPv4 addresses.",
     .params = {{{"text", "The text to search."},
                 {"addresses...", "Addresses or networks, or arrays of them."}}},
     .returns = "A bool.",
     .examples = {{{"print has_any_ipv4('from 10.1.2.3', '8.8.8.8', '10.0.0.0/8')", "true"}}},
     .bind = bind_has_any_ipv4,
     .arguments_min = 2,
     .arguments_max = 64},
    {.name = "has_any_ipv4_prefix",
     .category = "ip",
     .summary = "Whether a text holds an IPv4 address that begins with any of some prefixes.",
     .params = {{{"text", "The text to search."},
                 {"prefixes...", "Prefixes as of has_ipv4_prefix(), or arrays of them."}}},
     .returns = "A bool.",
     .examples = {{{"print has_any_ipv4_prefix('from 10.1.2.3', dynamic(['192.168.', '10.']))",
                    "true"}}},
     .bind = bind_has_any_ipv4_prefix,
     .arguments_min = 2,
     .arguments_max = 64},
    {.name = "has_ipv4",
     .category = "ip",
     .summary = "Whether a text holds an IPv4 address, standing by itself.",
     .params = {{{"text", "The text to search."}, {"address", "The address."}}},
     .returns = "A bool; false when the address is invalid.",
     .examples = {{{"print has_ipv4('05:04:54 127.0.0.1 GET /favicon.ico', '127.0.0.1')", "true"},
                   {"print has_ipv4('x127.0.0.1', '127.0.0.1')", "false"}}},
     .overloads = {lift<has_ipv4>()}},
    {.name = "has_ipv4_prefix",
     .category = "ip",
     .summary = "Whether a text holds an IPv4 address that begins with a prefix.",
     .params = {{{"text", "The text to search."},
                 {"prefix", "One to four whole numbers with dots between; one may follow."}}},
     .returns = "A bool; false when the prefix is invalid.",
     .examples = {{{"print has_ipv4_prefix('from 10.1.2.3', '10.1.')", "true"},
                   {"print has_ipv4_prefix('from 10.12.3.4', '10.1')", "false"}}},
     .overloads = {lift<has_ipv4_prefix>()}},
    {.name = "ipv4_compare",
     .category = "ip",
     .summary = "Compares two IPv4 addresses under the smallest prefix given.",
     .params = {{{"a", "An IPv4 address, perhaps with /prefix."},
                 {"b", "An IPv4 address, perhaps with /prefix."},
                 {"[prefix]", "How many leading bits count, 32 when left out."}}},
     .returns = "-1, 0 or 1; null when an address is invalid.",
     .examples = {{{"print ipv4_compare('10.0.0.1', '10.0.0.2')", "-1"},
                   {"print ipv4_compare('10.0.0.1/24', '10.0.0.200')", "0"}}},
     .overloads = {lift<ipv4_compare>()}},
    {.name = "ipv4_is_in_any_range",
     .category = "ip",
     .summary = "Whether an IPv4 address lies in any of some networks.",
     .params = {{{"address", "An IPv4 address, perhaps with /prefix."},
                 {"ranges...", "Networks, or arrays of them."}}},
     .returns = "A bool; null when the address or all of the networks are invalid.",
     .examples =
         {{{"print ipv4_is_in_any_range('10.1.2.3', dynamic(['192.168.0.0/16', '10.0.0.0/8']))",
            "true"}}},
     .bind = bind_ipv4_is_in_any_range,
     .arguments_min = 2,
     .arguments_max = 64},
    {.name = "ipv4_is_in_range",
     .category = "ip",
     .summary = "Whether an IPv4 address lies in a network.",
     .params = {{{"address", "An IPv4 address, perhaps with /prefix."},
                 {"range", "A network such as 10.0.0.0/8."}}},
     .returns = "A bool; null when an address is invalid.",
     .examples = {{{"print ipv4_is_in_range('10.1.2.3', '10.0.0.0/8')", "true"}}},
     .overloads = {lift<ipv4_is_in_range>()}},
    {.name = "ipv4_is_match",
     .category = "ip",
     .summary = "Whether two IPv4 addresses are equal under the smallest prefix given.",
     .params = {{{"a", "An IPv4 address, perhaps with /prefix."},
                 {"b", "An IPv4 address, perhaps with /prefix."},
                 {"[prefix]", "How many leading bits count, 32 when left out."}}},
     .returns = "A bool; null when an address is invalid.",
     .examples = {{{"print ipv4_is_match('192.168.1.1', '192.168.1.255', 24)", "true"}}},
     .overloads = {lift<ipv4_is_match>()}},
    {.name = "ipv4_is_private",
     .category = "ip",
     .summary = "Whether an IPv4 address is in 10/8, 172.16/12 or 192.168/16.",
     .params = {{{"address", "An IPv4 address, perhaps with /prefix."}}},
     .returns = "A bool; null when an address is invalid.",
     .examples = {{{"print ipv4_is_private('192.168.2.1'), ipv4_is_private('8.8.8.8')",
                    "true  false"}}},
     .overloads = {lift<ipv4_is_private>()}},
    {.name = "ipv4_netmask_suffix",
     .category = "ip",
     .summary = "The prefix of an IPv4 address.",
     .params = {{{"address", "An IPv4 address, perhaps with /prefix."}}},
     .returns = "A long, 32 without one; null when an address is invalid.",
     .examples = {{{"print ipv4_netmask_suffix('10.0.0.0/8')", "8"}}},
     .overloads = {lift<ipv4_netmask_suffix>()}},
    {.name = "ipv4_range_to_cidr_list",
     .category = "ip",
     .summary = "The networks that make up a range of IPv4 addresses.",
     .params = {{{"first", "The first address."}, {"last", "The last address."}}},
     .returns = "An array of texts; null when an address is invalid or the range empty.",
     .examples = {{{"print ipv4_range_to_cidr_list('1.1.128.0', '1.1.140.255')",
                    "[\"1.1.128.0/21\",\"1.1.136.0/22\",\"1.1.140.0/24\"]"}}},
     .overloads = {lift<range_to_cidr_list>()}},
    {.name = "ipv6_compare",
     .category = "ip",
     .summary = "Compares two addresses of either kind under the smallest prefix given.",
     .params =
         {{{"a", "An IPv6 or IPv4 address, perhaps with /prefix."},
           {"b", "An IPv6 or IPv4 address, perhaps with /prefix."},
           {"[prefix]",
            "How many leading bits count, 128 when left out; an IPv4 address takes the last 32."}}},
     .returns = "-1, 0 or 1; null when an address is invalid.",
     .examples = {{{"print ipv6_compare('fe80::1', 'fe80::2')", "-1"},
                   {"print ipv6_compare('1.2.3.4', '::ffff:1.2.3.4')", "0"}}},
     .overloads = {lift<ipv6_compare>()}},
    {.name = "ipv6_is_in_any_range",
     .category = "ip",
     .summary = "Whether an address lies in any of some networks, of either kind.",
     .params = {{{"address", "An IPv6 or IPv4 address, perhaps with /prefix."},
                 {"ranges...", "Networks, or arrays of them."}}},
     .returns = "A bool; null when the address or all of the networks are invalid.",
     .examples = {{{"print ipv6_is_in_any_range('fe80::1', 'ff00::/8', 'fe80::/10')", "true"}}},
     .bind = bind_ipv6_is_in_any_range,
     .arguments_min = 2,
     .arguments_max = 64},
    {.name = "ipv6_is_in_range",
     .category = "ip",
     .summary = "Whether an address lies in a network, of either kind.",
     .params = {{{"address", "An IPv6 or IPv4 address, perhaps with /prefix."},
                 {"range", "A network such as fe80::/10."}}},
     .returns = "A bool; null when an address is invalid.",
     .examples = {{{"print ipv6_is_in_range('fe80::1', 'fe80::/10')", "true"}}},
     .overloads = {lift<ipv6_is_in_range>()}},
    {.name = "ipv6_is_match",
     .category = "ip",
     .summary = "Whether two addresses of either kind are equal under the smallest prefix given.",
     .params =
         {{{"a", "An IPv6 or IPv4 address, perhaps with /prefix."},
           {"b", "An IPv6 or IPv4 address, perhaps with /prefix."},
           {"[prefix]",
            "How many leading bits count, 128 when left out; an IPv4 address takes the last 32."}}},
     .returns = "A bool; null when an address is invalid.",
     .examples = {{{"print ipv6_is_match('fe80::1', 'fe80::ffff', 64)", "true"}}},
     .overloads = {lift<ipv6_is_match>()}},
    {.name = "parse_ipv4",
     .category = "ip",
     .summary = "An IPv4 address as a number.",
     .params = {{{"address", "An IPv4 address, perhaps with /prefix."}}},
     .returns = "A long, masked by the address's own prefix; null when an address is invalid.",
     .examples = {{{"print parse_ipv4('127.0.0.1')", "2130706433"},
                   {"print parse_ipv4('10.1.2.3/8')", "167772160"}}},
     .overloads = {lift<parse_ipv4>()},
     .cost = CallCost::kPattern},
    {.name = "parse_ipv4_mask",
     .category = "ip",
     .summary = "An IPv4 address, masked, as a number.",
     .params = {{{"address", "An IPv4 address, perhaps with /prefix."},
                 {"prefix", "How many leading bits to keep, 0 to 32."}}},
     .returns = "A long; null when an address is invalid.",
     .examples = {{{"print parse_ipv4_mask('10.1.2.3', 8)", "167772160"}}},
     .overloads = {lift<parse_ipv4_mask>()},
     .cost = CallCost::kPattern},
    {.name = "parse_ipv6",
     .category = "ip",
     .summary = "An address in full IPv6 form, eight groups of four digits.",
     .params = {{{"address", "An IPv6 or IPv4 address, perhaps with /prefix."}}},
     .returns = "A string, masked by the address's own prefix; null when an address is invalid.",
     .examples = {{{"print parse_ipv6('127.0.0.1')", "0000:0000:0000:0000:0000:ffff:7f00:0001"}}},
     .overloads = {lift<parse_ipv6>()},
     .cost = CallCost::kPattern},
    {.name = "parse_ipv6_mask",
     .category = "ip",
     .summary = "An address, masked, in full IPv6 form.",
     .params = {{{"address", "An IPv6 or IPv4 address, perhaps with /prefix."},
                 {"prefix", "How many leading bits to keep, 0 to 128."}}},
     .returns = "A string; null when an address is invalid.",
     .examples = {{{"print parse_ipv6_mask('fe80::1:2', 112)",
                    "fe80:0000:0000:0000:0000:0000:0001:0000"}}},
     .overloads = {lift<parse_ipv6_mask>()},
     .cost = CallCost::kPattern},
}};

}  // namespace

std::span<const ScalarFunction> ip_functions() {
  return kIpFunctions;
}

}  // namespace evq
