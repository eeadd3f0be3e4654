#include "cli/query_target.h"

#include <utility>

#include "cli/open_service.h"
#include "cli/remote_server.h"

namespace evq {
namespace {

// A few hundred megabytes when events are wide.
constexpr std::uint64_t kPartEventsMax = 262'144;

class LocalTarget final : public QueryTarget {
 public:
  LocalTarget(Service& service, std::unique_ptr<Service> owned)
      : owned_(std::move(owned)), service_(service) {}

  Status query(const QueryRequest& request, ResultSink& sink) override {
    return service_.query(request, sink);
  }
  Result<std::string> explain(const QueryRequest& request) override {
    return service_.explain(request);
  }
  std::uint64_t part_events_max() const override { return kPartEventsMax; }
  Result<std::optional<std::uint64_t>> arrival_end(const std::string& dataset) override {
    const Result<std::uint64_t> end = service_.arrival_end(dataset);
    if (!end.ok() && end.error().code != ErrorCode::kNotFound) {
      return end.error();
    }
    return end.ok() ? std::optional(end.value()) : std::nullopt;
  }

 private:
  std::unique_ptr<Service> owned_;  // null when somebody else owns it
  Service& service_;
};

}  // namespace

std::unique_ptr<QueryTarget> local_target(Service& service) {
  return std::make_unique<LocalTarget>(service, nullptr);
}

Result<std::unique_ptr<QueryTarget>> open_query_target(const GlobalOptions& global) {
  if (global.remote()) {
    EVQ_TRY_ASSIGN(std::unique_ptr<RemoteServer> server, RemoteServer::open(global));
    return remote_target(std::move(server));
  }
  EVQ_TRY_ASSIGN(std::unique_ptr<Service> service, open_service(global, existing_store()));
  Service& opened = *service;
  return std::unique_ptr<QueryTarget>(std::make_unique<LocalTarget>(opened, std::move(service)));
}

}  // namespace evq
