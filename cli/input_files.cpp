#include "cli/input_files.h"

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "cli/output.h"
#include "store/base/file.h"

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

}  // namespace evq
