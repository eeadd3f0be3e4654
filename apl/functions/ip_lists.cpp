#include "apl/functions/ip_lists.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "apl/functions/dynamic_rows.h"
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

struct WantedNetwork {
  Ipv4Network network;

  static std::optional<WantedNetwork> make(Text text) {
    const std::optional<Ipv4Network> network = parse_ipv4_network(text);
    return network.has_value() ? std::optional(WantedNetwork{*network}) : std::nullopt;
  }
  bool has(std::uint32_t address, Text /*as_text*/) const {
    return mask_ipv4(address, network.prefix) == mask_ipv4(network.address, network.prefix);
  }
};
// A prefix is of whole numbers: 10.1 and 10.1. begin 10.1.2.3, but not 10.12.3.4.
struct WantedPrefix {
  Text prefix;

  static std::optional<WantedPrefix> make(Text text) {
    return text.empty() ? std::nullopt : std::optional(WantedPrefix{text});
  }
  bool has(std::uint32_t /*address*/, Text as_text) const {
    return as_text.starts_with(prefix) &&
           (prefix.back() == '.' || as_text == prefix || as_text[prefix.size()] == '.');
  }
};
template <class Wanted>
bool text_has(Text text, Text given) {
  const std::optional<Wanted> wanted = Wanted::make(given);
  return wanted.has_value() && any_address(text, [&](std::uint32_t address, Text as_text) {
           return wanted->has(address, as_text);
         });
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

// A call of a text and a list, whose arguments behind the first make a List. They are the same in
// all rows of nearly every query, and are read once then.
template <class List>
class ListedFunction final : public BoundFunction {
 public:
  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    const bool same = std::ranges::all_of(args.subspan(1), &Vector::is_constant);
    std::optional<List> list;
    DynamicRows views(args);
    PollCounter poll;
    VectorBuilder out(Type::kBool);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::span<const DynamicView> row = views.row(i);
      if (!same || !list.has_value()) {
        list.emplace(row.subspan(1));
      }
      poll.add(1 + list->size() / kListedPerPoll);
      const MaybeBool found = list->has(row[0]);
      found.has_value() ? out.append_bool(*found) : out.append_null();
    }
    return out.finish();
  }

 private:
  static constexpr std::size_t kListedPerPoll = 16;
};

template <class List>
BindResult bind_listed(const BindRequest& request) {
  return BoundCall{Type::kBool, std::vector<Type>(request.arguments.size(), Type::kDynamic),
                   std::make_shared<ListedFunction<List>>()};
}

// What one of the addresses in a text may be: Wanted is made of a text of the list, by make(), and
// has has(address, its text). Null for null.
template <class Wanted>
class AddressList {
 public:
  explicit AddressList(std::span<const DynamicView> args) {
    for_each_text(args, [this](Text text) {
      if (const std::optional<Wanted> wanted = Wanted::make(text)) {
        wanted_.push_back(*wanted);
      }
    });
  }
  std::size_t size() const { return wanted_.size(); }
  MaybeBool has(const DynamicView& text) const {
    if (text.is_null()) {
      return std::nullopt;
    }
    const auto is_wanted = [this](std::uint32_t address, Text as_text) {
      return std::ranges::any_of(
          wanted_, [&](const Wanted& wanted) { return wanted.has(address, as_text); });
    };
    return text.is_string() && !wanted_.empty() && any_address(text.as_string(), is_wanted);
  }

 private:
  std::vector<Wanted> wanted_;
};

using Reader = std::optional<IpNetwork> (*)(Text text);

// Networks of which one may have an address. Null when the address or all of them are invalid.
template <Reader kRead>
class RangeList {
 public:
  explicit RangeList(std::span<const DynamicView> args) {
    for_each_text(args, [this](Text text) {
      if (const std::optional<IpNetwork> range = kRead(text)) {
        ranges_.push_back(range);
      }
    });
  }
  std::size_t size() const { return ranges_.size(); }
  MaybeBool has(const DynamicView& text) const {
    const std::optional<IpNetwork> address =
        text.is_string() ? kRead(text.as_string()) : std::nullopt;
    if (!address.has_value() || ranges_.empty()) {
      return std::nullopt;
    }
    return std::ranges::any_of(
        ranges_, [&](const std::optional<IpNetwork>& range) { return *in_range(address, range); });
  }

 private:
  std::vector<std::optional<IpNetwork>> ranges_;
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

bool has_ipv4(Text text, Text address) {
  return parse_ipv4_text(address).has_value() && text_has<WantedNetwork>(text, address);
}
bool has_ipv4_prefix(Text text, Text prefix) {
  return text_has<WantedPrefix>(text, prefix);
}

BindResult bind_has_any_ipv4(const BindRequest& request) {
  return bind_listed<AddressList<WantedNetwork>>(request);
}
BindResult bind_has_any_ipv4_prefix(const BindRequest& request) {
  return bind_listed<AddressList<WantedPrefix>>(request);
}
BindResult bind_ipv4_is_in_any_range(const BindRequest& request) {
  return bind_listed<RangeList<ipv4_only>>(request);
}
BindResult bind_ipv6_is_in_any_range(const BindRequest& request) {
  return bind_listed<RangeList<parse_ip_network>>(request);
}

}  // namespace evq
