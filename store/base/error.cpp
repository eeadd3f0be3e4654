#include "store/base/error.h"

#include <array>
#include <utility>

#include "store/base/check.h"

namespace evq {

namespace {

// In the order of the enumerators. A query that asks for too much is the request's fault, so limits
// and time-outs are 4xx: a client must not retry them unchanged. Who is told of a cancelled request
// has not cancelled it: the server ends, and another one may do it. A full disk is 503 and not 507,
// which OTLP's exporters and others take for final, and drop the events.
constexpr std::array<ErrorCodeInfo, 18> kErrorCodes = {{
    {ErrorCode::kUsage, "usage", 2, 400},
    {ErrorCode::kCompile, "compile", 3, 400},
    {ErrorCode::kData, "data", 4, 400},
    {ErrorCode::kIo, "io", 5, 500},
    {ErrorCode::kCorrupt, "corrupt", 5, 500},
    {ErrorCode::kDiskFull, "disk-full", 5, 503},
    {ErrorCode::kReadOnly, "read-only", 5, 503},
    {ErrorCode::kNotFound, "not-found", 1, 404},
    {ErrorCode::kConflict, "conflict", 1, 409},
    {ErrorCode::kForbidden, "forbidden", 6, 403},
    {ErrorCode::kTooLarge, "too-large", 4, 413},
    {ErrorCode::kUnsupported, "unsupported", 2, 415},
    {ErrorCode::kLimit, "limit", 1, 422},
    {ErrorCode::kTimeout, "timeout", 124, 422},
    {ErrorCode::kCancelled, "cancelled", 130, 503},
    {ErrorCode::kUnavailable, "unavailable", 6, 503},
    {ErrorCode::kServer, "server", 6, 502},
    {ErrorCode::kInternal, "internal", 1, 500},
}};

}  // namespace

const ErrorCodeInfo& error_code_info(ErrorCode code) {
  const auto index = static_cast<std::size_t>(code);
  EVQ_CHECK(index < kErrorCodes.size() && kErrorCodes[index].code == code);
  return kErrorCodes[index];
}

Error make_error(ErrorCode code, std::string message, std::string hint) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  error.hint = std::move(hint);
  return error;
}

}  // namespace evq
