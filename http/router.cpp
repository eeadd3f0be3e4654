#include "http/router.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <new>
#include <system_error>

#include "http/ingest_body.h"
#include "http/long_list.h"
#include "http/server.h"
#include "http/wire.h"
#include "store/base/ascii.h"
#include "store/base/control.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

bool is_argument(std::string_view part) {
  return part.starts_with('{');
}

// As a Host header may have it behind the colon (RFC 3986, 3.2.3).
bool is_port(std::string_view text) {
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, port);
  return text.empty() || (read.ec == std::errc() && read.ptr == end);
}

// Whether a Host header, with or without a port, is this machine's own name or address.
bool names_loopback(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && !host.ends_with(']')) {
    if (!is_port(host.substr(colon + 1))) {
      return false;
    }
    host = host.substr(0, colon);
  }
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  return is_loopback_host(ascii_lower(host));
}

// The origin (RFC 6454) of the pages that this server itself sends.
std::string own_origin(const HttpRequest& request) {
  return std::string(request.tls ? "https://" : "http://")
      .append(request.header("host").value_or(""));
}

// The first part of a path that begins with a slash; the path goes on behind it.
std::string_view take_part(std::string_view* path) {
  path->remove_prefix(1);
  const std::string_view part = path->substr(0, path->find('/'));
  path->remove_prefix(part.size());
  return part;
}

// Whether a part of a path is that word, which clients may write with escapes (RFC 3986, 6.2.2.2).
bool is_word(std::string_view part, std::string_view word) {
  return part == word || (part.find('%') != std::string_view::npos &&
                          decode_url_text(part, PlusSign::kItself) == std::string(word));
}

// Whether a part of a path is what a pattern has there.
bool is_part(std::string_view part, std::string_view wanted) {
  if (!is_argument(wanted)) {
    return is_word(part, wanted);
  }
  const bool own_word = wanted == "{index}" && part.starts_with('_') && part != "_all";
  return !part.empty() && !own_word;
}

// How many parts match literally; nothing when the path is of another shape.
std::optional<std::size_t> match_parts(std::string_view pattern, std::string_view path) {
  std::size_t literal = 0;
  while (pattern.starts_with('/') && path.starts_with('/')) {
    const std::string_view wanted = take_part(&pattern);
    const std::string_view part = take_part(&path);
    if (!is_part(part, wanted)) {
      return std::nullopt;
    }
    literal += is_argument(wanted) ? 0U : 1U;
  }
  return pattern.empty() && path.empty() ? std::optional(literal) : std::nullopt;
}

// How many parts a pattern has that a path begins with; 0 when the path begins otherwise.
std::size_t match_beginning(std::string_view pattern, std::string_view path) {
  std::size_t parts = 0;
  for (; !pattern.empty(); ++parts) {
    if (!path.starts_with('/')) {
      return 0;
    }
    const std::string_view wanted = take_part(&pattern);
    if (!is_part(take_part(&path), wanted)) {
      return 0;
    }
  }
  return parts;
}

ErrorForm error_form(const HttpRequest& request) {
  return request.route != nullptr ? request.route->errors : error_form_of_path(request.path);
}

// What is wrong, in the form that the clients of the request's route read.
HttpResponse refusal_of(const HttpRequest& request, int status, std::string_view message) {
  HttpResponse refusal = error_response(status, message);
  put_error(error_form(request), request, message, &refusal);
  return refusal;
}

HttpResponse refusal_of(const HttpRequest& request, const Error& error) {
  HttpResponse refusal = response_of_error(error, {});
  put_error(error_form(request), request, message_of_error(error), &refusal);
  return refusal;
}

// Of a path that there is not, which clients of Elasticsearch know many of.
std::string_view unknown_path_text(const HttpRequest& request) {
  return error_form(request) == ErrorForm::kElastic
             ? "path not found: of Elasticsearch's interface evq has _bulk, _doc, _create and "
               "_refresh, and what clients set up before they send; queries go to /v1/query/_apl"
             : "path not found";
}

// What may be asked of a path that is there: HEAD where GET may, OPTIONS everywhere.
void add_allow(const RouteMatch& match, HttpResponse* response) {
  if (match.allowed.empty()) {
    return;
  }
  std::string text;
  for (const std::string_view method : match.allowed) {
    text.append(method).append(method == "GET" ? ", HEAD, " : ", ");
  }
  response->headers.emplace_back("Allow", text + "OPTIONS");
}

// The headers of answers that a page of another origin may read.
std::string exposed_headers() {
  std::string text =
      "X-Axiom-Trace-Id, X-Axiom-History-Query-Id, X-RateLimit-Scope, X-RateLimit-Limit, "
      "X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After";
  for (const char* own : {kErrorKindHeader, kRepairedHeader, kUntimedHeader, kRelabelledHeader,
                          kArrivalEndHeader, kDatasetNumberHeader}) {
    text.append(", ").append(own);
  }
  return text;
}

// Whether who sends a request has the permission of its route.
Status check_scope(const HttpRequest& request) {
  const Route& route = *request.route;
  const std::string& dataset = request.argument("dataset");
  if (route.scope == Scope::kDataset &&
      !request.identity.may(dataset, route.resource, route.action)) {
    return permission_error(route.resource, route.action, dataset);
  }
  const bool somewhere = route.scope == Scope::kSomeDataset || route.scope == Scope::kAnyDataset;
  const bool lacking =
      (somewhere && !request.identity.may_somewhere(route.resource, route.action)) ||
      (route.scope == Scope::kOrganization &&
       !request.identity.may_organization(route.resource, route.action));
  return lacking ? Status(permission_error(route.resource, route.action)) : Status::success();
}

}  // namespace

ErrorForm error_form_of_path(std::string_view path) {
  ErrorForm form = ErrorForm::kApi;
  std::size_t best = 0;
  for (const Route& route : routes()) {
    if (const std::size_t parts = match_beginning(route.pattern, path); parts > best) {
      best = parts;
      form = route.errors;
    }
  }
  return form;
}

RouteMatch find_route(std::string_view method, std::string_view path) {
  RouteMatch match;
  if (path.size() > 1 && path.ends_with('/')) {
    path.remove_suffix(1);  // a slash at the end means nothing
  }
  std::size_t best = 0;
  for (const Route& route : routes()) {
    const std::optional<std::size_t> literal = match_parts(route.pattern, path);
    if (!literal.has_value()) {
      continue;
    }
    if (route.method != method) {
      if (std::ranges::find(match.allowed, route.method) == match.allowed.end()) {
        match.allowed.push_back(route.method);
      }
    } else if (match.route == nullptr || *literal > best) {
      match.route = &route;
      best = *literal;
    }
  }
  if (match.route == nullptr) {
    return match;
  }
  for (std::string_view pattern = match.route->pattern; !pattern.empty();) {
    const std::string_view wanted = take_part(&pattern);
    const std::string_view part = take_part(&path);
    if (is_argument(wanted)) {
      const std::string name(wanted.substr(1, wanted.size() - 2));
      match.arguments[name] = decode_url_text(part, PlusSign::kItself).value_or(std::string(part));
    }
  }
  return match;
}

Error permission_error(std::string_view resource, std::string_view action,
                       std::string_view dataset) {
  std::string text =
      "the token lacks the permission " + std::string(resource) + "|" + std::string(action);
  if (!dataset.empty()) {
    text += " on dataset " + std::string(dataset);
  }
  return make_error(ErrorCode::kForbidden, text);
}

// Who fails to authenticate is counted by address, so that guessing is limited as well.
bool Router::within_rate(HttpRequest& request, const Result<Identity>& identity) {
  const bool named = identity.ok() && !identity.value().token_id.empty();
  request.rate = api_.rates.take(named ? "token " + identity.value().token_id : request.peer,
                                 monotonic_now_ns());
  return request.rate->allowed;
}

// Without tokens nothing else tells a web page's requests from the user's own.
Status Router::check_page(const HttpRequest& request) const {
  if (api_.auth.enabled()) {
    return Status::success();
  }
  if (const auto host = request.header("host").value_or("localhost"); !names_loopback(host)) {
    // A page may have had its own name lead here, which makes it no other origin.
    return make_error(ErrorCode::kForbidden,
                      "without tokens the server is called localhost, 127.0.0.1 or [::1], and the "
                      "request is for '" +
                          std::string(utf8_prefix(host, kDatasetNameBytesMax)) + "'",
                      "ask for one of these names, or start the server without --no-auth");
  }
  const auto origin = request.header("origin");
  const bool known =
      !origin.has_value() || origin_allowed(*origin) || *origin == own_origin(request);
  return known ? Status::success()
               : Status(make_error(ErrorCode::kForbidden,
                                   "requests of other origins are not allowed"));
}

Result<Admission> Router::admit_or_fail(HttpRequest& request) {
  EVQ_TRY(check_page(request));
  RouteMatch match = find_route(request.method, request.path);
  // What is not there is told to every client with a valid token, to shippers as well.
  static constexpr AuthRules kUnknownPath{.other_schemes = true};
  const AuthRules& rules = match.route == nullptr ? kUnknownPath : match.route->rules;
  request.route = match.route;
  request.authorized_ns = monotonic_now_ns();
  Result<Identity> identity = api_.auth.authenticate(request, rules);
  if (identity.ok()) {
    request.identity = identity.value();
  }
  if (api_.rates.enabled() && !rules.open && !within_rate(request, identity)) {
    api_.metrics.refused_rate.fetch_add(1);
    Admission refused;
    refused.refusal =
        refusal_of(request, 429,
                   "rate limit exceeded: at most " + std::to_string(request.rate->limit) +
                       " requests a minute, try again later");
    refused.refusal->headers.emplace_back("Retry-After", std::to_string(request.rate->reset_s));
    return refused;
  }
  if (!identity.ok()) {
    return std::move(identity).take_error();
  }
  Admission admission;
  if (match.route == nullptr) {
    admission.refusal = match.allowed.empty() ? refusal_of(request, 404, unknown_path_text(request))
                                              : refusal_of(request, 405, "method not allowed here");
    add_allow(match, &*admission.refusal);
    return admission;
  }
  const Route& route = *match.route;
  request.arguments = std::move(match.arguments);
  EVQ_TRY(check_scope(request));
  if (route.json_body) {
    const std::string type = media_type(request);
    if (!type.empty() && type != "application/json") {
      return wrong_media_type(request, "application/json");
    }
  }
  admission.lane = route.lane;
  admission.body_bytes_max = route.body_bytes_max;
  // What changes something is answered with what became of it.
  if (route.lane == Lane::kQuery && route.action == "read" && !request.identity.digest.empty()) {
    admission.still_allowed = [&auth = api_.auth, digest = request.identity.digest] {
      return auth.check_token(digest);
    };
  }
  return admission;
}

Admission Router::admit(HttpRequest& request) {
  Admission admission;
  if (request.method == "OPTIONS") {
    admission.refusal = preflight(request);
    return admission;
  }
  Result<Admission> result = admit_or_fail(request);
  if (result.ok()) {
    admission = std::move(result).value();
  } else {
    admission.refusal = refusal_of(request, result.error());
  }
  if (admission.refusal.has_value()) {
    add_headers(request, &*admission.refusal);
  }
  return admission;
}

// A body may have been long in coming, and whoever waits for events is asked again and again:
// meanwhile the token may have been deleted or have expired.
Status Router::authorize_again(HttpRequest& request) {
  const std::int64_t now = monotonic_now_ns();
  if (now - request.authorized_ns < kTokenLookMs * kMillisecondNs) {
    return Status::success();
  }
  request.authorized_ns = now;
  EVQ_TRY_ASSIGN(request.identity, api_.auth.authenticate(request, request.route->rules));
  return check_scope(request);
}

Result<HttpResponse> Router::answer(HttpRequest& request) {
  EVQ_TRY(authorize_again(request));
  if (request.route->json_body && is_encoded(request)) {
    EVQ_TRY_ASSIGN(const std::string text, decoded_text(request, request.route->body_bytes_max));
    request.body = RequestBody(request.body.space());
    EVQ_TRY(request.body.append(text));
    // Whoever waits is asked again, with what is plain by now.
    std::erase_if(request.headers,
                  [](const auto& header) { return header.first == "content-encoding"; });
  }
  EVQ_TRY_ASSIGN(HttpResponse response, request.route->handler(api_, request));
  // What a request has stored is not made an error of by an answer for which there is no room.
  const bool long_list = request.method == "GET" && response.body.size() > kAnswerTextBytesMax;
  if (long_list && !response.rest) {
    return spooled(std::move(response));
  }
  return response;
}

// Very many clients may take their time to read one answer each.
Result<HttpResponse> Router::spooled(HttpResponse response) const {
  const auto text = std::make_shared<SpooledText>(api_.answers, 1);
  text->tail(0) = std::move(response.body);
  EVQ_TRY(text->settle(0));
  EVQ_TRY_ASSIGN(HttpResponse sent, send_spooled(text));
  response.body = std::move(sent.body);
  response.rest = std::move(sent.rest);
  return response;
}

HttpResponse Router::handle(HttpRequest& request) {
  HttpResponse response;
  request.again_ms.reset();
  try {
    Result<HttpResponse> result = answer(request);
    if (result.ok()) {
      response = std::move(result).value();
    } else {
      response = refusal_of(request, result.error());
      response.again_ms = request.again_ms;
    }
  } catch (const std::bad_alloc&) {
    // Who sent events sends them again then; of what is too large for good clients drop them.
    response = refusal_of(request, 503, "there is no memory left for the request, try again");
    response.headers.emplace_back("Retry-After", "1");
  } catch (const std::exception& error) {
    response = refusal_of(request, 500, std::string("unexpected: ") + error.what());
  }
  try {
    add_headers(request, &response);
  } catch (const std::bad_alloc&) {  // an answer without them still says that events are stored
  }
  return response;
}

HttpResponse Router::refuse(const HttpRequest& request, const Refusal& why) const {
  HttpResponse refusal = why.error.has_value() ? refusal_of(request, *why.error)
                                               : refusal_of(request, why.status, why.message);
  if (why.status == 503 && !why.error.has_value()) {
    refusal.headers.emplace_back("Retry-After", "1");
  }
  add_headers(request, &refusal);
  return refusal;
}

void Router::add_headers(const HttpRequest& request, HttpResponse* response) const {
  add_cors(request, response);
  if (!request.rate.has_value()) {
    return;
  }
  const std::int64_t reset = wall_clock_now_ns() / kSecondNs + request.rate->reset_s;
  response->headers.emplace_back("X-RateLimit-Scope",
                                 request.identity.token_id.empty() ? "anonymous" : "user");
  response->headers.emplace_back("X-RateLimit-Limit", std::to_string(request.rate->limit));
  response->headers.emplace_back("X-RateLimit-Remaining", std::to_string(request.rate->remaining));
  response->headers.emplace_back("X-RateLimit-Reset", std::to_string(reset));
}

bool Router::origin_allowed(std::string_view origin) const {
  return std::ranges::any_of(api_.options.cors_origins, [&](const std::string& allowed) {
    return allowed == "*" || allowed == origin;
  });
}

void Router::add_cors(const HttpRequest& request, HttpResponse* response) const {
  const auto origin = request.header("origin");
  if (!origin.has_value() || !origin_allowed(*origin)) {
    return;
  }
  const bool any =
      std::ranges::find(api_.options.cors_origins, "*") != api_.options.cors_origins.end();
  response->headers.emplace_back("Access-Control-Allow-Origin",
                                 any ? std::string("*") : std::string(*origin));
  response->headers.emplace_back("Access-Control-Expose-Headers", exposed_headers());
  response->headers.emplace_back("Vary", "Origin");
}

// Some clients ask this way whether the server is there, and want 200.
HttpResponse Router::preflight(const HttpRequest& request) const {
  HttpResponse response = json_response("{}");
  add_cors(request, &response);
  if (!response.headers.empty()) {
    response.headers.emplace_back("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE");
    response.headers.emplace_back("Access-Control-Allow-Headers",
                                  "authorization, content-type, content-encoding, x-axiom-client, "
                                  "x-axiom-org-id, x-service-org-id, x-axiom-event-labels, "
                                  "x-axiom-csv-fields, x-axiom-dataset, x-scope-orgid, "
                                  "traceparent, tracestate, baggage");
    response.headers.emplace_back("Access-Control-Max-Age", "600");
  }
  add_allow(find_route(request.method, request.path), &response);
  return response;
}

}  // namespace evq
