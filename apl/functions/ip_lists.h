#pragma once
// IP addresses that are looked for in texts and in lists: of a list that is the same in all rows,
// each address or network is read once. Pure functions; immutable once bound.

#include <optional>
#include <string_view>

#include "apl/functions/function.h"
#include "apl/functions/ip_address.h"
#include "apl/functions/lift.h"

namespace evq {

// The network that a text names, if it is of IPv4.
std::optional<IpNetwork> ipv4_only(std::string_view text);
// Whether the address lies in the range; the range must not be the narrower one. Null when either
// is none.
MaybeBool in_range(const std::optional<IpNetwork>& address, const std::optional<IpNetwork>& range);

// Whether the address, or one that begins with the prefix, stands by itself in the text.
bool has_ipv4(std::string_view text, std::string_view given);
bool has_ipv4_prefix(std::string_view text, std::string_view prefix);

// The functions of these names, of a text and any number of texts and arrays of them.
BindResult bind_has_any_ipv4(const BindRequest& request);
BindResult bind_has_any_ipv4_prefix(const BindRequest& request);
BindResult bind_ipv4_is_in_any_range(const BindRequest& request);
BindResult bind_ipv6_is_in_any_range(const BindRequest& request);

}  // namespace evq
