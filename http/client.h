#pragma once
// HttpClient: requests to an evq server, or to Axiom, one after the other over a connection that is
// kept, with TLS (certificate and host name verified) for https addresses.
//
// What is sent again: a request that was refused with 429 or 503, because then nothing was done
// (Retry-After is honoured; not where the server says that the reason lasts); one that awaits its
// server, when no connection could be made; and a request that only reads, when the connection
// broke. A request that stores and whose answer was lost is never repeated: the error says that its
// outcome is unknown.
//
// Errors: kServer for connections and for what is no HTTP, kTooLarge for an answer, kUsage for a
// bad address, kCancelled and kTimeout as the control says. Statuses are not errors here. One
// thread at a time.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/base/control.h"
#include "store/base/result.h"

namespace evq {

struct HttpClientOptions {
  std::string url;           // http[s]://HOST[:PORT][/PREFIX]
  std::string token;         // empty: none
  std::string organization;  // empty: none
  std::string ca_file;       // trusted certificates, PEM; empty: the system's
  std::uint64_t answer_bytes_max = std::uint64_t{1} << 30U;  // 50,000 wide rows fit
  std::int64_t connect_ms_max = 10'000;
  std::int64_t stall_ms_max = 120'000;  // without any byte while one side sends
  std::int64_t answer_ms_max = 0;       // until an answer begins; 0: as long as the work takes
  std::int64_t retry_ms_max = 60'000;   // how long refusals and absence are waited out
};

struct ClientRequest {
  std::string method = "GET";
  std::string target;  // path and parameters, percent-encoded, beginning with a slash
  std::string body;
  std::string content_type = "application/json";  // of a body
  std::string content_encoding;                   // of a body; empty: as it is
  std::vector<std::pair<std::string, std::string>> headers;
  bool only_reads = true;
  bool awaits_server = false;  // a server that cannot be reached is waited for
};

struct ClientResponse {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;
  std::optional<std::string_view> header(std::string_view name) const;
};

class HttpClient {
 public:
  static Result<std::unique_ptr<HttpClient>> create(const HttpClientOptions& options);
  ~HttpClient();

  // Sends a request and waits for the answer; `control` may be null.
  Result<ClientResponse> send(const ClientRequest& request, const QueryControl* control);
  // "https://host:port", for messages.
  const std::string& origin() const;

 private:
  struct State;
  explicit HttpClient(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

// Returns the "http://" or "https://" that an address begins with, in letters of any case; else
// empty.
std::string_view url_scheme(std::string_view url);

}  // namespace evq
