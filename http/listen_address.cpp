#include <charconv>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "http/server.h"

namespace evq {

Status parse_listen_address(std::string_view text, std::string* host, std::uint16_t* port) {
  const Error wrong =
      make_error(ErrorCode::kUsage, "'" + std::string(text) + "' is not an address to listen on",
                 "write HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080");
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return wrong;
  }
  std::string_view name = text.substr(0, colon);
  if (name.starts_with('[') && name.ends_with(']')) {
    name = name.substr(1, name.size() - 2);
  } else if (name.find(':') != std::string_view::npos) {
    return wrong;
  }
  const std::string_view digits = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *port);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return wrong;
  }
  *host = name.empty() ? "127.0.0.1" : std::string(name);
  return Status::success();
}

bool is_loopback_host(std::string_view host) {
  in_addr v4{};
  in6_addr v6{};
  const std::string text(host);
  return host == "localhost" ||
         (::inet_pton(AF_INET, text.c_str(), &v4) == 1 && ntohl(v4.s_addr) >> 24U == 127U) ||
         (::inet_pton(AF_INET6, text.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6));
}

}  // namespace evq
