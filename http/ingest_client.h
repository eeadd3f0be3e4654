#pragma once
// Sending events to a server: the input is cut where events end into batches of about a mebibyte,
// each sent as one request, compressed with zstd, and answered before the next one goes. A server
// stores a request whole or not at all, and HttpClient repeats one only when it was refused, so
// no event is stored twice; when the connection breaks, the error says from where on it is unknown.
// A server that has taken a batch and then cannot be reached, as while it restarts, is waited for;
// one that was never there is not. Memory is bounded by one batch. One thread.

#include <cstdint>
#include <string_view>

#include "http/client.h"
#include "store/store.h"

namespace evq {

// How many failures of a batch the server is asked for: what it likes to tell, which is the first
// 1,000 of an evq server, or all of them, for which batches are smaller.
enum class Failures : std::uint8_t { kFirst, kAll };

// Ingests as Store::ingest does, by way of a server; what `request` says of atomic and clock is for
// the server to decide and ignored here. Failures have the places of the whole input; `reject`
// hears of those that the server tells, without their text where the server does not say which line
// it was.
Result<IngestReport> ingest_remotely(HttpClient& client, std::string_view dataset,
                                     ByteSource& source, const IngestRequest& request,
                                     QueryControl& control, Failures failures = Failures::kFirst);

}  // namespace evq
