#pragma once
// What the ingest endpoints share: decoding of a body by its Content-Encoding and the store's
// answer.

#include <memory>
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
// Whether a text, of which the first bytes are enough, begins as a JSON object does, and as neither
// a message of Protocol Buffers with its first field nor a block of Snappy does. For bodies that
// may be either, and whose sender did not say.
bool begins_json_object(std::string_view text);
// The first bytes of the body as it was sent.
Result<std::string> body_head(const HttpRequest& request);
// The memory for rewriting the request's body. kUnavailable when it is not the body's turn yet: its
// place is kept in the request, whose handler is asked again; or it has waited for too long.
Result<std::shared_ptr<RewritingClaim>> begin_rewriting(Api& api, HttpRequest& request);
// The decoded body, limited in size and ratio, which the request has no more
// (RequestBody::release); kUnsupported for another encoding.
Result<std::unique_ptr<ByteSource>> decoded_body(HttpRequest& request);
// The same where that may need much memory: what is short when it is decoded has been decoded. The
// rest is for requests that are large: one that was not is from here on, and its handler asked
// again.
Result<std::unique_ptr<ByteSource>> streamed_body(HttpRequest& request);
// As decoded_body, as one text; kTooLarge above `bytes_max`.
Result<std::string> decoded_text(HttpRequest& request, std::size_t bytes_max,
                                 RewritingClaim* claim = nullptr);

// The bag's members as those of the object that is being written.
void append_members(JsonWriter* json, DynamicView bag);

// Stores events for an authenticated request and counts them.
Result<IngestReport> store_events(Api& api, const HttpRequest& request, std::string_view dataset,
                                  ByteSource& source, const IngestOptions& options);
// The same for a text of NDJSON made here, whatever format the options name.
Result<IngestReport> store_ndjson(Api& api, const HttpRequest& request, std::string_view dataset,
                                  std::string_view ndjson, IngestOptions options = {});

}  // namespace evq
