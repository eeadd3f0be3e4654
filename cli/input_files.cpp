#include "cli/input_files.h"

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "cli/output.h"
#include "store/base/checked_math.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/ingest/binary_head.h"
#include "store/ingest/byte_source.h"
#include "store/ingest/utf16_source.h"

namespace evq {
namespace {

Status check_input(const std::string& path) {
  if (path == "-") {
    return Status::success();
  }
  EVQ_TRY(check_input_path(path));
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    return ::access(path.c_str(), R_OK) == 0
               ? Status::success()
               : make_error(ErrorCode::kIo, "cannot open " + path + ": " + std::strerror(errno));
  }
  auto opened = File::open_input(path);
  return opened.ok() ? Status::success() : std::move(opened).take_error();
}

}  // namespace

Status check_inputs(const std::vector<std::string>& paths, const InputErrorText& explained) {
  std::optional<Error> all;
  bool several = false;
  for (const std::string& path : paths) {
    Status checked = check_input(path);
    if (checked.ok()) {
      continue;
    }
    Error error = std::move(checked).take_error();
    error = explained ? explained(std::move(error), path) : error;
    if (all.has_value()) {
      several = true;
      all->message += "; " + error.message;
    } else {
      all = std::move(error);
    }
  }
  if (!all.has_value()) {
    return Status::success();
  }
  if (several || (all->hint.empty() && paths.size() > 1)) {
    all->hint = "nothing of the other files has been read";
  }
  return *std::move(all);
}

std::optional<std::int64_t> written_ns(const File& file) {
  constexpr std::int64_t kBelievedNsMin = 631'152'000 * kSecondNs;  // 1990: that of ZIP is 1980
  struct stat info {};
  if (::fstat(file.descriptor(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return std::nullopt;
  }
  const auto seconds = checked_multiply(std::int64_t{info.st_mtim.tv_sec}, kSecondNs);
  const auto written =
      seconds ? checked_add(*seconds, std::int64_t{info.st_mtim.tv_nsec}) : std::nullopt;
  return written && *written >= kBelievedNsMin ? written : std::nullopt;
}

Status check_followed_head(const std::string& path, std::string_view head, bool named) {
  constexpr std::size_t kCheckedBytes = 64 * kKibibyte;
  const bool compressed = compression_of(head) != InputCompression::kNone;
  if (compressed || begins_with_utf16_mark(head)) {
    return make_error(ErrorCode::kUsage,
                      path + (compressed ? " is compressed" : " is UTF-16 text") +
                          "; --follow reads plain text in UTF-8",
                      "without --follow, evq ingest reads it to its end");
  }
  if (is_unmarked_utf16(head)) {
    return make_error(ErrorCode::kData, path + ": this is UTF-16 text without its byte order mark",
                      "--follow reads plain text in UTF-8");
  }
  if (const std::string_view kind = known_binary(head); !kind.empty()) {
    return make_error(ErrorCode::kData, path + ": this is " + std::string(kind));
  }
  const std::size_t zero = head.substr(0, kCheckedBytes).find('\0');
  if (zero == std::string_view::npos || named) {
    return Status::success();
  }
  return make_error(ErrorCode::kData,
                    path + ": " + std::string(kNoTextError) + std::to_string(zero + 1) + " is zero",
                    "--format text makes an event of each line all the same");
}

}  // namespace evq
