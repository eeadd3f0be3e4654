#pragma once
// Error: what went wrong, for a person and for a program. The code decides, in one table
// (error.cpp), the exit status of the command line and the status of an HTTP answer; the text is
// one sentence, the hint says what to do. A span points into a query's text where there is one.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evq {

enum class ErrorCode : std::uint8_t {
  kUsage,        // the caller asked for something impossible: bad option, bad parameter
  kCompile,      // the APL text does not compile
  kData,         // input data is malformed
  kIo,           // the operating system refused a read or write
  kCorrupt,      // stored bytes fail their checksum or break an invariant of the format
  kDiskFull,     // no room left for a write
  kReadOnly,     // a write to a file system, or another user's file, that is only read
  kNotFound,     // no such dataset, saved query, token, file
  kConflict,     // the name is taken
  kForbidden,    // authentication or permission
  kTooLarge,     // a request or value is over its size limit
  kUnsupported,  // content type, encoding or feature that is not supported
  kLimit,        // a query went over its memory or row limit
  kTimeout,      // a query went over its time limit
  kCancelled,    // the user or client gave up
  kUnavailable,  // try again later: queue full, no memory or descriptor left, shutting down
  kServer,       // a remote server failed or refused
  kInternal,     // a bug
};

struct ErrorCodeInfo {
  ErrorCode code;
  std::string_view name;  // stable, lower-case, with hyphens: "not-found"
  int exit_status;        // of the command line
  int http_status;
};

// The row of the one table for `code`.
const ErrorCodeInfo& error_code_info(ErrorCode code);

// A half-open byte range of a query's text.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;       // one sentence, lower-case start, no full stop
  std::optional<Span> span;  // where in the query's text
  std::string hint;          // what to do; may be empty
  std::string_view id;       // of a front-end diagnostic: "APL2003"; static storage, may be empty
};

Error make_error(ErrorCode code, std::string message, std::string hint = {});

}  // namespace evq
