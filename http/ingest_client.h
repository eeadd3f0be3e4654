#pragma once
// Sending events to a server: the input is cut where events end into batches of about a mebibyte,
// each sent as one request, compressed with zstd, and answered before the next one goes. A server
// stores a request whole or not at all, and HttpClient repeats one only when it was refused, so
// no event is stored twice; when the connection breaks, the error says from where on it is unknown.
// Memory is bounded by one batch. One thread.

#include <string_view>

#include "http/client.h"
#include "store/store.h"

namespace evq {

// As Store::ingest, by way of a server; what its request says of atomic, clock and strict is for
// the server to decide and ignored here. Failures have the places of the whole input.
Result<IngestReport> ingest_remotely(HttpClient& client, std::string_view dataset,
                                     ByteSource& source, const IngestRequest& request,
                                     QueryControl& control);

}  // namespace evq
