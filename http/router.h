#pragma once
// The route table: every method and path that the server knows, what it needs, and what it is for.
// Routing, authentication, the list of allowed methods and the manual page evq-http(7) all read
// this one table.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/api.h"
#include "http/error_form.h"

namespace evq {

// Where a route's permission is looked for.
enum class Scope : std::uint8_t {
  kOpen,          // no token is asked for
  kToken,         // any valid token
  kDataset,       // capability on the dataset of the path
  kOrganization,  // capability of the organization
  kContent,       // depends on the request's content: the handler asks
  kSomeDataset,   // the same, and who may do it with no dataset at all may not make it work either
  kAnyDataset,    // capability on one dataset or more, of which alone the answer tells
};

struct Route {
  std::string_view method;
  std::string_view pattern;  // "/v1/datasets/{dataset}/query"
  Handler handler = nullptr;
  Scope scope = Scope::kToken;
  std::string_view resource;  // "ingest" of ingest|create
  std::string_view action;
  Lane lane = Lane::kWrite;
  std::size_t body_bytes_max = 0;
  AuthRules rules;
  bool json_body = false;  // another Content-Type is refused; none is tolerated
  std::string_view summary;
  ErrorForm errors = ErrorForm::kApi;
};

std::span<const Route> routes();

struct RouteMatch {
  const Route* route = nullptr;
  std::map<std::string, std::string, std::less<>> arguments;
  std::vector<std::string_view> allowed;  // methods of the path when none fits
};
// Literal parts win over {arguments}, of routes with as many the first. An argument never matches
// an empty part, nor {index} what begins with an underscore, as Elasticsearch's own words do, but
// _all.
RouteMatch find_route(std::string_view method, std::string_view path);
// How errors read below a path that routes have: as those of the longest one.
ErrorForm error_form_of_path(std::string_view path);

// The manual page evq-http(7), in man's own language.
std::string render_http_manual();

// Routes requests to the handlers of one Api.
class Router final : public HttpApplication {
 public:
  explicit Router(Api& api) : api_(api) {}
  Admission admit(HttpRequest& request) override;
  HttpResponse handle(HttpRequest& request) override;
  HttpResponse refuse(const HttpRequest& request, const Refusal& why) const override;

 private:
  Status check_page(const HttpRequest& request) const;
  Result<Admission> admit_or_fail(HttpRequest& request);
  Status authorize_again(HttpRequest& request);
  Result<HttpResponse> answer(HttpRequest& request);
  // The same response, whose body waits in a file until it is read.
  Result<HttpResponse> spooled(HttpResponse response) const;
  bool within_rate(HttpRequest& request, const Result<Identity>& identity);
  // The headers that do not depend on the handler.
  void add_headers(const HttpRequest& request, HttpResponse* response) const;
  void add_cors(const HttpRequest& request, HttpResponse* response) const;
  bool origin_allowed(std::string_view origin) const;
  HttpResponse preflight(const HttpRequest& request) const;

  Api& api_;
};

}  // namespace evq
