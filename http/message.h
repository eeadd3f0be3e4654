#pragma once
// One HTTP request and its answer as handlers see them: plain values, nothing of the connection.
// The server fills in a request, the application routes it (admit) and answers it (handle).
// A request belongs to one thread at a time: an IO thread until admit has returned and the body is
// complete, then one worker, then the IO thread again.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/auth.h"
#include "http/body.h"
#include "http/rate_limit.h"
#include "store/base/control.h"
#include "store/base/percent_coding.h"

namespace evq {

struct Route;
class RewritingClaim;
struct HttpResponse;

struct HttpRequest {
  std::string method;
  std::string target;  // as received
  std::string path;    // the target up to the question mark, still percent-encoded
  std::string peer;    // the client's address, without its port
  bool tls = false;    // it came over an encrypted connection
  std::vector<std::pair<std::string, std::string>> headers;     // names in lower case, in order
  std::vector<std::pair<std::string, std::string>> parameters;  // of the query, decoded
  std::map<std::string, std::string, std::less<>> arguments;    // of the path: "dataset" → name
  RequestBody body;
  Identity identity;
  const Route* route = nullptr;             // chosen by admit
  QueryControl* control = nullptr;          // cancelled when the client goes away
  std::int64_t received_ns = 0;             // monotonic, when the body was complete
  std::int64_t authorized_ns = 0;           // the same, when its token was last looked at
  std::optional<RateState> rate;            // of its client, when requests are limited
  std::shared_ptr<RewritingClaim> waiting;  // its place among those that wait for memory
  bool large = false;  // told by its handler: it takes a seat of those with long bodies
  std::optional<std::int64_t> again_ms;  // set by ask_again, of this turn
  // Of a query that waits for events: the answer without any, and how many its dataset had then.
  std::shared_ptr<const HttpResponse> empty_answer;
  std::uint64_t arrivals_seen = 0;

  // The first header called `name` (lower case); nothing when absent.
  std::optional<std::string_view> header(std::string_view name) const;
  std::size_t count_headers(std::string_view name) const;
  // The first URL parameter called `name`; nothing when absent.
  std::optional<std::string_view> parameter(std::string_view name) const;
  // A part of the path by its name in the route's pattern; empty when the pattern has none.
  const std::string& argument(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  // Gives the rest of a long body after `body`, a piece at a time, while it is sent: appends one
  // and returns whether more follow. After an error the answer is cut off, so that nobody takes it
  // for whole. Empty: `body` is all.
  std::function<Result<bool>(std::string* piece)> rest;
  std::vector<std::pair<std::string, std::string>> headers;
  // Not the last word: ask the handler again after this many milliseconds (waiting for events, or
  // for memory, must not hold a worker). It is the answer when nobody can wait any more. 0: at
  // once, by a worker that fits it.
  std::optional<std::int64_t> again_ms;
  bool close = false;  // end the connection after this answer
};

// For a handler that is to be called again after so many milliseconds, with the same request: the
// error to return, which its client reads when nobody can wait any more.
Error ask_again(HttpRequest& request, std::int64_t again_ms);
inline constexpr std::string_view kBusyText = "the server is busy, try again";

// {"code":…,"message":…}, the error object of every failed request; with "detail" when that JSON is
// given, and "hint", which the message has in brackets at its end, when there is one.
HttpResponse error_response(int status, std::string_view message, std::string_view detail = {},
                            std::string_view hint = {});

// Splits a target: the path, and the parameters with %XX and + decoded. False for a malformed
// escape or a NUL.
bool split_target(std::string_view target, std::string* path,
                  std::vector<std::pair<std::string, std::string>>* parameters);
// The media type of Content-Type in lower case, without parameters; empty when absent.
std::string media_type(const HttpRequest& request);
// The refusal of a Content-Type that is none of `accepted`, as "application/json or text/csv".
Error wrong_media_type(const HttpRequest& request, std::string_view accepted);
// Decodes %XX, and + as said. Nothing for a malformed escape.
std::optional<std::string> decode_url_text(std::string_view text, PlusSign plus);

// Which workers run a request. Ingest is kept apart from queries, so that neither starves the
// other.
enum class Lane : std::uint8_t {
  kInline,  // answered on the IO thread: trivial work only
  kQuery,   // at most 2 a processor
  kWrite,   // ingest and small changes of definitions
  kUpkeep,  // what goes through whole datasets: a few at once
};

// What the server is told before it reads the body.
struct Admission {
  Lane lane = Lane::kInline;
  std::size_t body_bytes_max = 0;
  // Set: the request is refused without reading its body.
  std::optional<HttpResponse> refusal;
  // Asked on the IO thread now and then while a worker has the request, which fails with that
  // error; may be empty.
  std::function<Status()> still_allowed = {};
};

// Why a request is not handled: a status and what to say with it, of what went wrong if anything.
struct Refusal {
  int status = 0;
  std::string message;
  std::optional<Error> error = {};
};

class HttpApplication {
 public:
  virtual ~HttpApplication() = default;
  // Called on an IO thread with the head only: routing and authentication, no slow work.
  virtual Admission admit(HttpRequest& request) = 0;
  // Called on a worker with the whole body. Never throws.
  virtual HttpResponse handle(HttpRequest& request) = 0;
  // What the server itself says to a request that was admitted, as its clients read it. Any thread.
  virtual HttpResponse refuse(const HttpRequest& request, const Refusal& why) const = 0;
};

}  // namespace evq
