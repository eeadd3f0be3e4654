#pragma once
// What makes a request's head unacceptable beyond its syntax: two lengths, more than one host,
// encodings that are not chunked. Ambiguity ends the connection, because whoever stands between may
// read it the other way. Pure functions.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace evq {

// Splits the target and checks the head; `version` is 10 or 11. Returns an answer that closes the
// connection when the request is refused.
std::optional<HttpResponse> refuse_head(HttpRequest& request, unsigned version);
// Whether any Connection header, of which there may be several, names close.
bool asks_to_close(const HttpRequest& request);
// Returns the message for the status of a malformed request; below, that of one special case.
std::string_view refusal_reason(int status);
inline constexpr std::string_view kTwoLengthsText =
    "the request has both a Content-Length and a Transfer-Encoding";
// Writes a size as a person does: 64 MiB, 16 KiB.
std::string size_text(std::size_t bytes);
// Returns the refusal 413, which names the limit.
Refusal body_too_large(std::size_t bytes_max);

// Whether a header is continued on a line that begins with a blank, which the parser would allow.
bool has_folded_line(std::string_view head);
// Whether the first line ends as a request line of another version than 1.0 and 1.1 does: HTTP/2.0
// or the like, CR and LF.
bool names_other_version(std::string_view head);

// Writes a time to the second, as headers have it: Sun, 06 Nov 1994 08:49:37 GMT.
std::string http_date(std::int64_t time_ns);

// Makes the X-Axiom-Trace-Id of a request.
std::string make_trace_id();

// The status in the log when the connection ended before the answer, as nginx and others have it.
inline constexpr int kClientGoneStatus = 499;

struct AccessRecord {
  std::string_view peer;
  std::string_view trace_id;
  int status = 0;
  std::int64_t duration_us = 0;
  std::uint64_t response_bytes = 0;
};
// Makes a line of the access log: never with the target's parameters, a header or a body.
std::string access_line(const HttpRequest& request, const AccessRecord& record);

}  // namespace evq
