#pragma once
// Beast and Asio for the server, its listener and its connections: how their errors become
// statuses, and what the connections of a server share.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "http/beast_names.h"
#include "http/body_space.h"
#include "http/connection_list.h"
#include "http/lane.h"
#include "http/limits.h"
#include "http/server.h"
#include "store/base/limits.h"

namespace evq {

inline constexpr std::size_t kReadBufferBytes = 128 * kKibibyte;
inline constexpr std::size_t kHeadBufferBytes = 4 * kKibibyte;
inline constexpr std::size_t kBodyPieceBytes = 64 * kKibibyte;
// Bytes that have come and are not taken yet: what does not end within them is refused with 431.
inline constexpr std::size_t kInputBytesMax = kReadBufferBytes + kHttpHeaderBytesMax;
// Hexadecimal digits of a chunk's size: any that fits 64 bits.
inline constexpr std::size_t kChunkSizeDigitsMax = 16;
// Bytes of an incoming body to read at a time: what a fast sender has on the way.
inline constexpr std::size_t kBodyReadBytes = 256 * kKibibyte;
inline constexpr std::int64_t kClientCheckMs = 250;

// State that all connections of a server share.
struct Shared {
  Shared(const HttpServerOptions& o, HttpApplication& a, HttpMetrics& m)
      : options(o), application(a), metrics(m) {
    bodies->directory = options.spool_directory;
  }

  HttpServerOptions options;
  HttpApplication& application;
  HttpMetrics& metrics;
  // The worker lanes. They are gone once run() is over: no worker touches a connection after that.
  std::unique_ptr<WorkerLane> queries =
      lane(ThreadPool::processors() * kQueriesPerProcessorMax, kQueriesQueuedMax);
  std::unique_ptr<WorkerLane> writes = lane(kHttpWritesMax, kHttpWritesQueuedMax);
  std::unique_ptr<WorkerLane> large_writes = lane(kHttpLargeWritesMax, kHttpWritesQueuedMax);
  std::unique_ptr<WorkerLane> upkeep = lane(kHttpUpkeepMax, kHttpUpkeepQueuedMax);
  std::atomic<bool> draining{false};
  std::atomic<bool> heads_late{false};  // the wait for half a head while draining is over
  std::atomic<bool> hurrying{false};    // draining has lasted long enough

  ConnectionList connections;
  const std::shared_ptr<BodySpace> bodies = std::make_shared<BodySpace>();

 private:
  std::unique_ptr<WorkerLane> lane(std::size_t running_max, std::size_t queued_max) const {
    return std::make_unique<WorkerLane>(
        WorkerLaneLimits{running_max, queued_max, options.queue_wait_ms});
  }
};

// Returns what is wrong with the trailers of a chunked body: `behind` is what follows the last
// chunk's head, from its line end on. They are held to what a head is; of a field of 64 KiB the
// parser would throw.
inline error_code trailer_error(std::string_view behind) {
  const std::string_view trailers = behind.substr(0, behind.find("\r\n\r\n"));
  const auto fields = static_cast<std::size_t>(std::ranges::count(trailers, '\n'));
  return trailers.size() > kHttpHeaderBytesMax || fields > kHttpHeadersMax
             ? error_code(http::error::header_limit)
             : error_code();
}

// Returns what is wrong with the head of a chunk that the parser takes, or with the trailers behind
// that of the last one: `before` and `behind` are what it read up to the extensions, which ends
// with the digits of `size`, and from their end on.
inline error_code chunk_error(std::uint64_t size, std::string_view extensions,
                              std::string_view before, std::string_view behind) {
  // In quotes the parser takes any byte: a line's end is one to others on the way.
  const bool has_control = std::ranges::any_of(
      extensions, [](unsigned char byte) { return (byte < ' ' && byte != '\t') || byte == 0x7f; });
  if (has_control || extensions.size() > kHttpChunkExtensionBytesMax) {
    return http::error::bad_chunk_extension;
  }
  // The parser reads any number of zeros.
  const std::size_t other = before.find_last_not_of("0123456789abcdefABCDEF");
  if (before.size() - (other + 1) > kChunkSizeDigitsMax) {  // npos + 1 is 0
    return http::error::bad_chunk;
  }
  if (size > kHttpIngestBodyBytesMax) {  // so much is not waited for
    return http::error::body_limit;
  }
  return size == 0 ? trailer_error(behind) : error_code();
}

// Returns the status to answer a malformed request with; 0: just close.
inline int status_of(const error_code& error) {
  if (error == http::error::end_of_stream || error == http::error::partial_message) {
    return 0;
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return 431;
  }
  if (error == http::error::body_limit) {
    return 413;
  }
  if (error == http::error::bad_transfer_encoding) {
    return 501;
  }
  if (error == http::error::bad_version) {
    return 505;
  }
  if (error == beast::error::timeout) {
    return 408;
  }
  return error.category() == http::make_error_code(http::error::bad_method).category() ? 400 : 0;
}

// Describes the error in words where the status says too little; empty elsewhere.
inline std::string_view what_is_wrong(const error_code& error) {
  return error == http::error::multiple_content_length
             ? "the request has more than one Content-Length header"
         : error == http::error::bad_content_length
             ? "Content-Length is no number, is given twice, or is beside a Transfer-Encoding"
             : "";
}

}  // namespace evq
