#include "apl/functions/ip_lists.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "apl/functions/dynamic_rows.h"
#include "apl/functions/repeated_items.h"
#include "store/base/ascii.h"

namespace evq {
namespace {

using Text = std::string_view;

bool is_address_char(char c) {
  return is_digit(c) || c == '.';
}

// Calls found(address, text) for each IPv4 address that stands by itself, until it returns true.
template <class Found>
bool any_address(Text text, const Found& found) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (!is_letter_or_digit(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_address_char(text[end])) {
      ++end;
    }
    std::size_t address_end = end;
    while (address_end > at && text[address_end - 1] == '.') {
      --address_end;  // the full stop of a sentence
    }
    const Text candidate = text.substr(at, address_end - at);
    const bool alone = end == text.size() || !is_letter_or_digit(text[end]);
    const std::optional<std::uint32_t> address = alone ? parse_ipv4_text(candidate) : std::nullopt;
    if (address.has_value() && found(*address, candidate)) {
      return true;
    }
    at = std::max(end, at + 1);
    while (at < text.size() && is_letter_or_digit(text[at]) && is_letter_or_digit(text[at - 1])) {
      ++at;
    }
  }
  return false;
}

// Whether the address begins with a prefix, which is of whole numbers: 10.1 and 10.1. begin
// 10.1.2.3, but not 10.12.3.4.
bool begins_with(Text address, Text prefix) {
  return !prefix.empty() && address.starts_with(prefix) &&
         (prefix.back() == '.' || address == prefix || address[prefix.size()] == '.');
}

// Calls visit(text) for each text of the arguments, arrays flattened.
template <class Visit>
void for_each_text(std::span<const DynamicView> args, const Visit& visit) {
  for (const DynamicView& arg : args) {
    if (arg.is_string()) {
      visit(arg.as_string());
    }
    DynamicView::Iterator each(arg);
    while (arg.is_array() && each.next()) {
      if (each.value().is_string()) {
        visit(each.value().as_string());
      }
    }
  }
}

// The networks that texts name, as kRead reads them, by how many bits they fix; of each number
// their first addresses, sorted.
template <auto kRead, auto kMask>
class NetworkSet {
 public:
  explicit NetworkSet(std::span<const DynamicView> args) {
    for_each_text(args, [this](Text text) {
      if (const auto network = kRead(text)) {
        firsts_[network->prefix].push_back(kMask(network->address, network->prefix));
      }
    });
    for (auto& [prefix, firsts] : firsts_) {
      std::sort(firsts.begin(), firsts.end());
    }
  }
  bool empty() const { return firsts_.empty(); }
  // Whether one that fixes no more bits than `prefix` has the address.
  template <class Given>
  bool has(const Given& address, int prefix) const {
    return std::any_of(firsts_.begin(), firsts_.end(), [&](const auto& of) {
      return of.first <= prefix &&
             std::binary_search(of.second.begin(), of.second.end(), kMask(address, of.first));
    });
  }

 private:
  using Address = decltype(kRead(Text())->address);

  std::map<int, std::vector<Address>> firsts_;
};

// A call of a text and a list, whose arguments behind the first make a List.
template <class List>
class ListedFunction final : public BoundFunction {
 public:
  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    RepeatedItems<List> lists(args.subspan(1));
    DynamicRows views(args);
    VectorBuilder out(Type::kBool);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::span<const DynamicView> row = views.row(i);
      const List& list = lists.of(i, [&](std::size_t) { return List(row.subspan(1)); });
      const MaybeBool found = list.has(row[0]);
      found.has_value() ? out.append_bool(*found) : out.append_null();
    }
    return out.finish();
  }
};

template <class List>
BindResult bind_listed(const BindRequest& request) {
  return BoundCall{Type::kBool, std::vector<Type>(request.arguments.size(), Type::kDynamic),
                   std::make_shared<ListedFunction<List>>()};
}

// Networks and addresses that a text may hold one of. Null for null.
class HeldNetworks {
 public:
  explicit HeldNetworks(std::span<const DynamicView> args) : networks_(args) {}
  MaybeBool has(const DynamicView& text) const {
    if (text.is_null()) {
      return std::nullopt;
    }
    return text.is_string() && !networks_.empty() &&
           any_address(text.as_string(), [this](std::uint32_t address, Text /*as_text*/) {
             return networks_.has(address, kIpv4Bits);
           });
  }

 private:
  NetworkSet<parse_ipv4_network, mask_ipv4> networks_;
};

// The same of prefixes.
class HeldPrefixes {
 public:
  explicit HeldPrefixes(std::span<const DynamicView> args) {
    for_each_text(args, [this](Text text) { prefixes_.push_back(text); });
  }
  MaybeBool has(const DynamicView& text) const {
    if (text.is_null()) {
      return std::nullopt;
    }
    PollCounter poll;
    return text.is_string() &&
           any_address(text.as_string(), [&](std::uint32_t /*address*/, Text as_text) {
             poll.add(1 + prefixes_.size() / kPrefixesPerPoll);
             return std::ranges::any_of(prefixes_,
                                        [&](Text prefix) { return begins_with(as_text, prefix); });
           });
  }

 private:
  static constexpr std::size_t kPrefixesPerPoll = 64;

  std::vector<Text> prefixes_;
};

// Networks of which one may have an address. Null when the address or all of them are invalid.
template <auto kRead>
class RangeList {
 public:
  explicit RangeList(std::span<const DynamicView> args) : ranges_(args) {}
  MaybeBool has(const DynamicView& text) const {
    const std::optional<IpNetwork> address =
        text.is_string() ? kRead(text.as_string()) : std::nullopt;
    return address.has_value() && !ranges_.empty()
               ? MaybeBool(ranges_.has(address->address, address->prefix))
               : std::nullopt;
  }

 private:
  NetworkSet<kRead, mask_ip> ranges_;
};

}  // namespace

std::optional<IpNetwork> ipv4_only(std::string_view text) {
  std::optional<IpNetwork> network = parse_ip_network(text);
  return network.has_value() && network->ipv4 ? network : std::nullopt;
}

MaybeBool in_range(const std::optional<IpNetwork>& address, const std::optional<IpNetwork>& range) {
  if (!address.has_value() || !range.has_value()) {
    return std::nullopt;
  }
  return address->prefix >= range->prefix &&
         mask_ip(address->address, range->prefix) == mask_ip(range->address, range->prefix);
}

bool has_ipv4(std::string_view text, std::string_view given) {
  const std::optional<std::uint32_t> wanted = parse_ipv4_text(given);
  return wanted.has_value() && any_address(text, [&](std::uint32_t address, Text /*as_text*/) {
           return address == *wanted;
         });
}
bool has_ipv4_prefix(std::string_view text, std::string_view prefix) {
  return any_address(
      text, [&](std::uint32_t /*address*/, Text as_text) { return begins_with(as_text, prefix); });
}

BindResult bind_has_any_ipv4(const BindRequest& request) {
  return bind_listed<HeldNetworks>(request);
}
BindResult bind_has_any_ipv4_prefix(const BindRequest& request) {
  return bind_listed<HeldPrefixes>(request);
}
BindResult bind_ipv4_is_in_any_range(const BindRequest& request) {
  return bind_listed<RangeList<ipv4_only>>(request);
}
BindResult bind_ipv6_is_in_any_range(const BindRequest& request) {
  return bind_listed<RangeList<parse_ip_network>>(request);
}

}  // namespace evq
