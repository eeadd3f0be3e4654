#include "store/base/system_call.h"

#include <string_view>
#include <system_error>
#include <utility>

namespace evq {

namespace {

// Also tells such errors from others of their code.
constexpr std::string_view kDescriptorsHint =
    "try again in a moment; to have more files open at once, raise 'ulimit -n'";

ErrorCode code_of(int reason) {
  switch (reason) {
    case ENOENT:
    case ENOTDIR:
      return ErrorCode::kNotFound;
    case EEXIST:
      return ErrorCode::kConflict;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return ErrorCode::kDiskFull;
    case EROFS:
      return ErrorCode::kReadOnly;
    case EMFILE:
    case ENFILE:
      return ErrorCode::kUnavailable;
    default:
      return ErrorCode::kIo;
  }
}

}  // namespace

Error system_error(const char* action, const std::string& path, int reason) {
  return make_error(
      code_of(reason),
      std::string("cannot ") + action + " " + path + ": " + std::generic_category().message(reason),
      reason == EROFS             ? "what is there can be read; to write, mount it writable"
      : is_no_descriptors(reason) ? std::string(kDescriptorsHint)
                                  : "");
}

Error no_descriptors(std::string message) {
  return make_error(ErrorCode::kUnavailable, std::move(message), std::string(kDescriptorsHint));
}

bool is_no_descriptors(int reason) {
  return reason == EMFILE || reason == ENFILE;
}

bool is_no_descriptors(const Error& error) {
  return error.code == ErrorCode::kUnavailable && error.hint == kDescriptorsHint;
}

}  // namespace evq
