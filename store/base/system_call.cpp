#include "store/base/system_call.h"

#include <system_error>

namespace evq {

namespace {

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
    default:
      return ErrorCode::kIo;
  }
}

}  // namespace

Error system_error(const char* action, const std::string& path, int reason) {
  return make_error(
      code_of(reason),
      std::string("cannot ") + action + " " + path + ": " + std::generic_category().message(reason),
      reason == EROFS ? "what is there can be read; to write, mount it writable" : "");
}

}  // namespace evq
