#include "http/ingest_body.h"

#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <utility>

#include "http/framing.h"
#include "http/limits.h"
#include "store/base/ascii.h"
#include "store/base/control.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/base/utf8.h"
#include "store/column/typed_json.h"

namespace evq {
namespace {

// Fresh chunks, or rows in them, that upkeep is not left to find by itself; as many as it merges.
constexpr std::uint32_t kFreshChunksDue = 64;
constexpr std::uint64_t kFreshRowsDue = kBlockRowsMax;

// Between two looks at whether a body has got the memory that it waits for.
constexpr std::int64_t kTurnPollMs = 20;

// Longer ones hardly ever are short when they are decoded, which is not tried then.
constexpr std::size_t kTriedBytesMax = kHttpSerialBodyBytesMax / 4;

constexpr std::string_view kGzipMagic = "\x1f\x8b";

// More than the blanks that a body begins with.
constexpr std::size_t kHeadBytes = 64;

// The compression that Content-Encoding names, in any case; nothing for one that is not known.
std::optional<InputCompression> named_compression(const HttpRequest& request) {
  const std::string name = ascii_lower(request.header("content-encoding").value_or(""));
  if (name.empty()) {
    return InputCompression::kAuto;
  }
  if (name == "identity" || name == "1") {  // axiom-py means identity by 1
    return InputCompression::kNone;
  }
  if (name == "gzip" || name == "x-gzip") {
    return InputCompression::kGzip;
  }
  if (name == "deflate") {  // which HTTP has in zlib's wrapping (RFC 9110, 8.4.1.2)
    return InputCompression::kZlib;
  }
  return name == "zstd" ? std::optional(InputCompression::kZstd) : std::nullopt;
}

Result<DecodeOptions> decode_options(const HttpRequest& request) {
  const std::optional<InputCompression> compression = named_compression(request);
  if (!compression.has_value()) {
    const std::string_view given = request.header("content-encoding").value_or("");
    return make_error(
        ErrorCode::kUnsupported,
        "Content-Encoding must be gzip, zstd or deflate, and is '" + repair_utf8(given) + "'");
  }
  DecodeOptions options;
  options.limit_ratio = true;
  options.decoded_bytes_max = kHttpIngestDecodedBytesMax;
  options.zstd_window_log_max = kHttpZstdWindowLogMax;
  options.compression = *compression;
  return options;
}

// A body that is not what its Content-Encoding says is not called damaged: gzip tells itself.
Status check_head(const HttpRequest& request, const DecodeOptions& options) {
  if (options.compression != InputCompression::kGzip) {
    return {};
  }
  EVQ_TRY_ASSIGN(const std::string head, body_head(request));
  if (head.empty() || head.starts_with(kGzipMagic)) {
    return {};
  }
  return make_error(ErrorCode::kData, "the body is not gzip-compressed",
                    "compress it, or send it without Content-Encoding: gzip");
}

// Whether a body is longer when it has been decoded.
Result<bool> grows(const HttpRequest& request, const DecodeOptions& options) {
  if (options.compression != InputCompression::kAuto) {
    return options.compression != InputCompression::kNone;
  }
  EVQ_TRY_ASSIGN(const std::string head, body_head(request));
  return compression_of(std::string_view(head).substr(0, 4)) != InputCompression::kNone;
}

// All of a source, if that is no more than a short body.
Result<std::optional<TextMemory>> short_text(ByteSource& source, std::size_t encoded_bytes) {
  constexpr std::size_t kLikelyRatio = 8;
  TextMemory text(std::min(kLikelyRatio * encoded_bytes + kKibibyte, kHttpSerialBodyBytesMax + 1));
  for (;;) {
    const std::span<char> room(text.bytes.get() + text.size, text.capacity - text.size);
    EVQ_TRY_ASSIGN(const std::optional<std::size_t> got, source.read(room, -1));
    text.size += got.value_or(0);
    if (text.size > kHttpSerialBodyBytesMax) {
      return std::optional<TextMemory>();
    }
    if (got.value_or(0) == 0) {
      return std::optional(std::move(text));
    }
    if (text.size == text.capacity) {
      TextMemory larger(std::min(2 * text.capacity, kHttpSerialBodyBytesMax + 1));
      std::copy_n(text.bytes.get(), text.size, larger.bytes.get());
      larger.size = text.size;
      text = std::move(larger);
    }
  }
}

}  // namespace

bool begins_json_object(std::string_view text) {
  // A line feed is the tag of the first field.
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r"), text.size()));
  if (!text.starts_with('{')) {
    return false;
  }
  const std::size_t next = text.find_first_not_of(" \t\r\n", 1);
  return next != std::string_view::npos && (text[next] == '"' || text[next] == '}');
}

Result<std::string> body_head(const HttpRequest& request) {
  std::string head(kHeadBytes, '\0');
  EVQ_TRY_ASSIGN(const std::optional<std::size_t> got, request.body.reader()->read(head, -1));
  head.resize(got.value_or(0));
  return head;
}

bool is_encoded(const HttpRequest& request) {
  const std::optional<InputCompression> compression = named_compression(request);
  return compression != InputCompression::kAuto && compression != InputCompression::kNone;
}

Result<std::shared_ptr<RewritingClaim>> begin_rewriting(Api& api, HttpRequest& request) {
  std::shared_ptr<RewritingClaim> claim = std::exchange(request.waiting, nullptr);
  if (claim == nullptr) {
    claim = std::make_shared<RewritingClaim>(api.rewriting, request.control);
  }
  if (claim->begin(request.body.size())) {
    return claim;
  }
  if (monotonic_now_ns() - request.received_ns < kQueryQueueMsMax * kMillisecondNs) {
    request.waiting = std::move(claim);
    return ask_again(request, kTurnPollMs);
  }
  return too_little_left();
}

Result<std::unique_ptr<ByteSource>> decoded_body(HttpRequest& request) {
  EVQ_TRY_ASSIGN(const DecodeOptions options, decode_options(request));
  EVQ_TRY(check_head(request, options));
  return decoded_source(request.body.release(), options);
}

// What is broken is read again as it comes, so that it is told in the same words.
Result<std::unique_ptr<ByteSource>> streamed_body(HttpRequest& request) {
  EVQ_TRY_ASSIGN(const DecodeOptions options, decode_options(request));
  EVQ_TRY(check_head(request, options));
  EVQ_TRY_ASSIGN(const bool growing, grows(request, options));
  if (!growing || request.large || request.body.size() > kHttpSerialBodyBytesMax) {
    return decoded_source(request.body.release(), options);
  }
  if (request.body.size() <= kTriedBytesMax) {
    const std::unique_ptr<ByteSource> source = decoded_source(request.body.reader(), options);
    Result<std::optional<TextMemory>> text = short_text(*source, request.body.size());
    if (!text.ok()) {
      return decoded_source(request.body.release(), options);
    }
    if (text.value().has_value()) {
      return memory_source(*std::move(*text));
    }
  }
  request.large = true;
  return ask_again(request, 0);
}

Result<std::string> decoded_text(HttpRequest& request, std::size_t bytes_max,
                                 RewritingClaim* claim) {
  EVQ_TRY_ASSIGN(const std::unique_ptr<ByteSource> source, decoded_body(request));
  std::string text;
  std::array<char, 64 * kKibibyte> piece{};
  for (;;) {
    EVQ_TRY_ASSIGN(const std::optional<std::size_t> got, source->read(piece, -1));
    if (got.value_or(0) == 0) {
      return text;
    }
    if (claim != nullptr) {
      EVQ_TRY(claim->take_body(*got));
    }
    text.append(piece.data(), *got);
    if (text.size() > bytes_max) {
      return make_error(
          ErrorCode::kTooLarge,
          "the decoded body is larger than this endpoint's limit of " + size_text(bytes_max));
    }
  }
}

Result<IngestReport> store_events(Api& api, const HttpRequest& request, std::string_view dataset,
                                  ByteSource& source, const IngestOptions& options,
                                  RejectSink reject) {
  IngestRequest load;
  load.options = options;
  load.reject = std::move(reject);
  load.options.line_bytes_max = kHttpLineBytesMax;
  load.atomic = true;
  load.parallel = request.body.size() > kHttpSerialBodyBytesMax;
  QueryControl unhurried;
  EVQ_TRY_ASSIGN(IngestReport report,
                 api.store().ingest(dataset, source, load,
                                    request.control != nullptr ? *request.control : unhurried));
  const bool due = report.fresh_chunks >= kFreshChunksDue || report.fresh_rows >= kFreshRowsDue;
  if (api.upkeep_due && due) {
    try {
      api.upkeep_due(dataset);
    } catch (const std::bad_alloc&) {  // then in its own time
    }
  }
  api.metrics.events_ingested.fetch_add(report.counts.ingested);
  api.metrics.events_failed.fetch_add(report.counts.failed);
  api.metrics.bytes_ingested.fetch_add(report.counts.processed_bytes);
  return report;
}

void append_members(JsonWriter* json, DynamicView bag) {
  for (DynamicView::Iterator each(bag); each.next();) {
    json->key(each.key());
    append_typed_json(each.value(), &json->raw());
  }
}

Result<IngestReport> store_ndjson(Api& api, const HttpRequest& request, std::string_view dataset,
                                  std::string_view ndjson, IngestOptions options) {
  options.format = InputFormat::kNdjson;
  options.grouped_events = false;
  const std::unique_ptr<ByteSource> source = memory_source(ndjson);
  return store_events(api, request, dataset, *source, options);
}

}  // namespace evq
