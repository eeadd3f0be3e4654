#pragma once
// RemoteServer: the server that the settings name, for verbs that work on one: requests with the
// token, and errors as if they came from here. kServer, kForbidden and kCancelled besides what the
// API answers. One thread.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cli/options.h"
#include "cli/query_target.h"
#include "http/client.h"

namespace evq {

class RemoteServer {
 public:
  // How long requests may take: as long as the user lets them, or, for what happens at a key, a
  // moment. Quick ones cannot be interrupted and say nothing on stderr.
  enum class Patience : std::uint8_t { kPatient, kQuick };
  static Result<std::unique_ptr<RemoteServer>> open(const GlobalOptions& global,
                                                    Patience patience = Patience::kPatient);

  // Returns the body of a good answer. GET only reads, as does whatever `only_reads` says.
  Result<std::string> call(std::string_view method, std::string_view target,
                           std::string_view body = {}, bool only_reads = false);
  // An error points into `apl`. An empty one is refused as a store refuses it: to a server it is a
  // request that lacks its query.
  Result<ClientResponse> call_apl(std::string_view target, std::string_view body,
                                  std::string_view apl, bool only_reads);
  HttpClient& client() { return *client_; }
  // Returns what cancels a request; null when nothing does.
  const QueryControl* control() const;

 private:
  RemoteServer(std::unique_ptr<HttpClient> client, std::string token_hint, bool quick)
      : client_(std::move(client)), token_hint_(std::move(token_hint)), quick_(quick) {}
  Result<ClientResponse> perform(const ClientRequest& request, std::string_view apl);

  std::unique_ptr<HttpClient> client_;
  std::string token_hint_;  // what to do about a refusal
  bool quick_;
};

// The server that the settings name, as a target.
Result<std::unique_ptr<QueryTarget>> open_remote_target(const GlobalOptions& global);

}  // namespace evq
