#include "http/fetch.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "http/client.h"
#include "store/base/limits.h"

namespace evq {
namespace {

struct FetchAddress {
  std::string origin;  // scheme, host and port
  std::string target;
};

std::optional<FetchAddress> split_address(std::string_view text) {
  const std::size_t host = url_scheme(text).size();
  if (host == 0) {
    return std::nullopt;
  }
  const std::size_t end = std::min(text.find_first_of("/?#", host), text.size());
  std::string_view target = text.substr(end);
  target = target.substr(0, target.find('#'));
  FetchAddress address;
  address.origin = text.substr(0, end);
  address.target = (target.starts_with('/') ? "" : "/") + std::string(target);
  // A user name in an address serves to deceive, and passwords do not belong into queries.
  const auto bad = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; };
  if (address.origin.size() == host || address.origin.find('@') != std::string::npos ||
      std::ranges::any_of(text, bad)) {
    return std::nullopt;
  }
  return address;
}

// What a redirect leads to: an address by itself, or what of one differs from where it was met.
std::string redirected(const FetchAddress& from, std::string_view location) {
  const std::size_t mark = location.find_first_of(":/?#");
  if (mark != std::string_view::npos && location[mark] == ':') {
    return std::string(location);
  }
  if (location.starts_with("//")) {
    return from.origin.substr(0, from.origin.find('/')).append(location);
  }
  std::string base = from.origin;
  if (location.starts_with('#')) {
    base += from.target;
  } else if (!location.starts_with('/')) {
    std::string_view path = std::string_view(from.target).substr(0, from.target.find('?'));
    if (!location.starts_with('?')) {
      path = path.substr(0, path.rfind('/') + 1);
    }
    while (location.starts_with("./") || location.starts_with("../")) {
      if (location.starts_with("../")) {
        path = path.substr(0, path.substr(0, path.size() - 1).rfind('/') + 1);
      }
      location.remove_prefix(location.find('/') + 1);
    }
    base += path.empty() ? "/" : path;
  }
  return base.append(location);
}

}  // namespace

Result<std::string> fetch_address(const std::string& address, std::size_t bytes_max,
                                  bool may_redirect, const QueryControl& control) {
  std::string at = address;
  for (int redirects = 0; redirects <= kFetchRedirectsMax; ++redirects) {
    const std::optional<FetchAddress> parts = split_address(at);
    if (!parts.has_value()) {
      return make_error(ErrorCode::kUsage, "'" + at + "' is no http or https address");
    }
    HttpClientOptions options;
    options.url = parts->origin;
    options.stall_ms_max = kFetchStallMsMax;
    options.answer_ms_max = kFetchStallMsMax;
    options.retry_ms_max = 0;
    options.answer_bytes_max = bytes_max;
    EVQ_TRY_ASSIGN(const std::unique_ptr<HttpClient> client, HttpClient::create(options));
    ClientRequest request;
    request.target = parts->target;
    request.headers.emplace_back("Accept", "*/*");
    EVQ_TRY_ASSIGN(ClientResponse answer, client->send(request, &control));
    if (answer.status == 200) {
      return std::move(answer.body);
    }
    const std::string location(answer.header("location").value_or(""));
    const bool redirect = answer.status >= 301 && answer.status <= 308 && answer.status != 304;
    if (!redirect || !may_redirect || location.empty()) {
      return make_error(ErrorCode::kServer,
                        parts->origin + " answers " + std::to_string(answer.status));
    }
    at = redirected(*parts, location);
  }
  return make_error(ErrorCode::kServer, address + " redirects too often");
}

}  // namespace evq
