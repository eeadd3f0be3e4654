#pragma once
// What the ingest endpoints share: decoding of a body by its Content-Encoding and the store's
// answer.

#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "http/api.h"
#include "http/rewriting_claim.h"
#include "store/base/json_writer.h"
#include "store/column/dynamic.h"

namespace evq {

// Whether Content-Encoding names a compression.
bool is_encoded(const HttpRequest& request);
// Whether a text begins as a JSON object does, and as neither a Protocol Buffers message with its
// first field nor a block of Snappy does; its first bytes are enough. For bodies that may be
// either, and whose sender did not say.
bool begins_json_object(std::string_view text);
// Returns the first bytes of the body as it was sent.
Result<std::string> body_head(const HttpRequest& request);
// Claims the memory for rewriting the request's body. kUnavailable when it is not the body's turn
// yet: its place is kept in the request, whose handler is asked again; or it has waited for too
// long.
Result<std::shared_ptr<RewritingClaim>> begin_rewriting(Api& api, HttpRequest& request);
// Returns the decoded body, limited in size and ratio; the request does not have it any more
// (RequestBody::release). kUnsupported for another encoding.
Result<std::unique_ptr<ByteSource>> decoded_body(HttpRequest& request);
// The same where that may need much memory: what is short when it is decoded has been decoded. The
// rest is for requests that are large: one that was not is from here on, and its handler asked
// again.
Result<std::unique_ptr<ByteSource>> streamed_body(HttpRequest& request);
// Returns the decoded body as one text; kTooLarge above `bytes_max`.
Result<std::string> decoded_text(HttpRequest& request, std::size_t bytes_max,
                                 RewritingClaim* claim = nullptr);

// Appends the bag's members to the object that is being written.
void append_members(JsonWriter* json, DynamicView bag);

// Stores events for an authenticated request and counts them. `reject`, which may be empty, is told
// of each that failed.
Result<IngestReport> store_events(Api& api, const HttpRequest& request, std::string_view dataset,
                                  ByteSource& source, const IngestOptions& options,
                                  RejectSink reject = {});
// Stores events of a text of NDJSON made here, whatever format the options name; none of them is of
// the grouped form.
Result<IngestReport> store_ndjson(Api& api, const HttpRequest& request, std::string_view dataset,
                                  std::string_view ndjson, IngestOptions options = {});

// The answer for events that are stored: whatever the memory is like, their sender must not send
// them again. `write` returns the whole answer; where that takes more memory than there is, `bare`
// is the answer, which was made before anything was stored.
template <class Write>
Result<HttpResponse> answer_stored(HttpResponse bare, const Write& write) {
  try {
    return write();
  } catch (const std::bad_alloc&) {
    return bare;
  }
}

}  // namespace evq
