#pragma once
// How errors read to the clients of each interface that the server speaks: Axiom's own, and those
// of the systems whose shippers may send to it. Statuses are the same in all of them. Pure
// functions.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "http/message.h"

namespace evq {

enum class ErrorForm : std::uint8_t {
  kApi,      // {"code":…,"message":…}
  kSplunk,   // {"text":…,"code":…}, with the event collector's own numbers
  kElastic,  // {"error":{"type":…,"reason":…,…},"status":…}
  kOtlp,     // a google.rpc.Status, in the content type of the request
  kLoki,     // plain text
};

// Gives `response`, whose status is set, the body and content type that say `message`. kApi leaves
// it as it is.
void put_error(ErrorForm form, const HttpRequest& request, std::string_view message,
               HttpResponse* response);

// Makes the event collector's answer, {"text":…,"code":…}, with the number from 0 of the event that
// is wrong, if one is. `detail`, a member that Splunk does not have, says what its own text for the
// code leaves out; none when it is empty.
HttpResponse splunk_answer(int status, int code, std::string_view text,
                           std::optional<std::size_t> wrong_event = std::nullopt,
                           std::string_view detail = {});
// Adds the header by which clients of Elasticsearch check whom they talk to.
void add_elastic_header(HttpResponse* response);

}  // namespace evq
