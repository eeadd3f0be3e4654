#pragma once
// Every hard limit of the HTTP server, each with the reason for its number; store/base/limits.h has
// those that the command line shares. Sizes are bytes unless the name says otherwise; times carry
// their unit in the name.

#include <cstddef>
#include <cstdint>

#include "store/base/limits.h"

namespace evq {

// Request line and headers in all; the parser's buffer.
inline constexpr std::size_t kHttpHeaderBytesMax = 16 * kKibibyte;
inline constexpr std::size_t kHttpHeadersMax = 100;
inline constexpr std::size_t kHttpTargetBytesMax = 8 * kKibibyte;
// Extensions after one chunk size.
inline constexpr std::size_t kHttpChunkExtensionBytesMax = 256;
// A query's body: its text's limit, JSON-escaped, with room for variables.
inline constexpr std::size_t kHttpQueryBodyBytesMax = 1 * kMebibyte;
// The body of an annotation, virtual field, monitor, notifier or view, whole or as it would be
// after a change: what a dataset has of them is read for its queries, and lists are answered whole.
inline constexpr std::size_t kHttpObjectBytesMax = 64 * kKibibyte;
// Members of one object of a body: each is compared with all before it.
inline constexpr std::size_t kHttpObjectMembersMax = 4096;
// Queries of one batch: one worker answers them all, and their answers are kept until they are
// sent.
inline constexpr std::size_t kHttpBatchQueriesMax = 100;
// Largest maxConcurrency of a batch: the queries that may run at once, of which one does.
inline constexpr std::size_t kHttpBatchConcurrencyMax = 20;
// Aggregations of a query of the older endpoint, each a column of its answer.
inline constexpr std::size_t kLegacyAggregationsMax = kDatasetFieldsMax;
// An ingest body as sent and as decoded; it is streamed, so this is not memory.
inline constexpr std::size_t kHttpIngestBodyBytesMax = 64 * kMebibyte;
inline constexpr std::size_t kHttpIngestDecodedBytesMax = 256 * kMebibyte;
// The window of a zstd frame, as a power of two: no more is sent over HTTP (RFC 9659).
inline constexpr int kHttpZstdWindowLogMax = 23;
// Indexes of one request of Splunk's: each is a load of its own, and may be a dataset of its own.
inline constexpr std::size_t kHttpSplunkIndexesMax = 100;
// So much of the beginning of a raw body of Splunk's tells the order of days and months in it.
inline constexpr std::size_t kHttpSplunkDatesBytesMax = 1 * kMebibyte;
// An _id of Elasticsearch's, as there.
inline constexpr std::size_t kElasticIdBytesMax = 512;
// Known fields of one protobuf message, repetitions counted, and bytes copied in all to put
// messages together that are given in pieces.
inline constexpr std::size_t kProtobufFieldsMax = std::size_t{1} << 20U;
inline constexpr std::size_t kProtobufJoinedBytesMax = 16 * kMebibyte;
// Time for the whole head of a request to arrive.
inline constexpr std::int64_t kHttpHeaderMsMax = 10000;
// A body slower than this over the window is cut off.
inline constexpr std::size_t kHttpBodyBytesPerSecondMin = 1 * kKibibyte;
inline constexpr std::int64_t kHttpBodyRateWindowMs = 15000;
// A kept-alive connection without a request: longer than clients keep one that they do not use, of
// which few wait for more than two minutes, and than senders pause that send every minute or two.
inline constexpr std::int64_t kHttpIdleMsMax = 125000;
// Clients are told of so much less, for a request takes a while to come.
inline constexpr std::int64_t kHttpIdleMarginMs = 5000;
// A client that takes less of its answer over the window is left: so much its machine acknowledges.
inline constexpr std::size_t kHttpAnswerBytesPerSecondMin = 1 * kKibibyte;
inline constexpr std::int64_t kHttpAnswerRateWindowMs = 30000;
// How long a connection is still read, and the input dropped, after its last answer: a client that
// goes on sending would lose that answer to a reset.
inline constexpr std::int64_t kHttpLingerMsMax = 1000;
// Open connections, and no more than half of the descriptors; the oldest idle ones are closed to
// make room.
inline constexpr std::size_t kHttpConnectionsMax = 4096;
// Requests of a connection that are answered before one has had a valid token, where one is needed:
// who only asks whether the server is there opens another connection now and then.
inline constexpr std::size_t kHttpUnprovenRequestsMax = 100;
// Connections over TLS, of which each takes some 150 KiB, that have sent no request with a valid
// token yet, where one is needed. For one more the oldest is closed that has had a while for it: of
// honest ones many come at once, when they all lost their server. Of very many the oldest goes.
inline constexpr std::size_t kHttpUnprovenMax = 256;
inline constexpr std::size_t kHttpUnprovenBurstMax = 1024;
inline constexpr std::int64_t kHttpProofMsMax = 5000;
// Memory of a connection over TLS, and of another: what is worth giving back when many have gone.
inline constexpr std::uint64_t kHttpTlsConnectionBytes = 128 * kKibibyte;
inline constexpr std::uint64_t kHttpConnectionBytes = 8 * kKibibyte;
// A body longer than this waits in a file instead of in memory until it is complete.
inline constexpr std::size_t kHttpBodyMemoryBytesMax = 1 * kMebibyte;
// Bodies that wait, together: in memory, and in files.
inline constexpr std::uint64_t kHttpBodiesMemoryBytesMax = 64 * kMebibyte;
inline constexpr std::uint64_t kHttpBodiesFileBytesMax = 4 * kGibibyte;
// A body up to this size is parsed by the thread that answers: handing it over costs more.
inline constexpr std::size_t kHttpSerialBodyBytesMax = 2 * kMebibyte;
// Requests that store or define something, at once: they mostly wait for the disk, and the more of
// them wait together, the sooner their events make a block.
inline constexpr std::size_t kHttpWritesMax = 64;
// Such requests with a body longer than kHttpSerialBodyBytesMax, at once; each may take the memory
// of several batches.
inline constexpr std::size_t kHttpLargeWritesMax = 4;
// Requests of either kind waiting for their turn; then 503 with Retry-After.
inline constexpr std::size_t kHttpWritesQueuedMax = 1024;
// Requests that go through whole datasets, each of which takes a processor and the memory of a
// merge, and those that wait for their turn.
inline constexpr std::size_t kHttpUpkeepMax = 2;
inline constexpr std::size_t kHttpUpkeepQueuedMax = 16;
// Clients whose requests of a minute are counted one by one.
inline constexpr std::size_t kHttpRateLimitedClientsMax = 65536;
// After SIGTERM, time until requests that still run are cancelled.
inline constexpr std::int64_t kHttpDrainMsMax = 8000;
// After SIGTERM, time for the rest of a head that has begun to arrive.
inline constexpr std::int64_t kHttpDrainHeadMsMax = 1000;
// Time between two looks at the files of the certificate; new ones are in use after two.
inline constexpr std::int64_t kHttpCertificateLookMs = 1000;
// Time until files that could not be used are tried again, though they are the same.
inline constexpr std::int64_t kHttpCertificateRetryMs = 60000;
// Longest wait for new events that a streaming query may ask for.
inline constexpr std::int64_t kHttpStreamMsMax = 60000;
// How long a token that was read is believed, which is how late a revocation may take effect, for
// queries that run as well.
inline constexpr std::int64_t kTokenCacheMsMax = 1000;
// A request that has come in or waited for longer has its token looked at again before it is
// handled: a wait for events outlives many tokens.
inline constexpr std::int64_t kTokenLookMs = 50;
inline constexpr std::size_t kTokenCacheEntriesMax = 1024;
// A field's description and unit: each answer tells those of all fields of its datasets.
inline constexpr std::size_t kFieldDescriptionBytesMax = 4 * kKibibyte;
inline constexpr std::size_t kFieldUnitBytesMax = 256;
// What a token may do, as JSON: all tokens are read where another process has changed one.
inline constexpr std::size_t kTokenCapabilitiesBytesMax = 64 * kKibibyte;
// Charts of a dashboard, and characters of what it and they have, as Axiom has them.
inline constexpr std::size_t kDashboardChartsMax = 200;
inline constexpr std::size_t kDashboardNameCharactersMax = 100;
inline constexpr std::size_t kDashboardTextCharactersMax = 1000;
inline constexpr std::size_t kChartIdCharactersMax = 200;
inline constexpr std::size_t kChartNameCharactersMax = 500;

}  // namespace evq
