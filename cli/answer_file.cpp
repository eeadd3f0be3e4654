#include "cli/answer_file.h"

#include <csignal>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace evq {
namespace {

bool is_plain(const File& file) {
  struct stat about {};
  return ::fstat(file.descriptor(), &about) == 0 && S_ISREG(about.st_mode);
}

}  // namespace

Result<AnswerFile> AnswerFile::open(const std::string& path, const QueryControl& control) {
  EVQ_TRY(check_output_path(path));
  EVQ_TRY_ASSIGN(File file, File::create_output(path, control));
  return AnswerFile(std::move(file));
}

Status AnswerFile::add(const std::function<Status(const ByteSink& out)>& produce,
                       const QueryControl& control) {
  std::uint64_t written = 0;
  auto* const handler = std::signal(SIGPIPE, SIG_IGN);  // a reader who has gone is an error
  Status done = produce([&](std::string_view bytes) {
    written += bytes.size();
    return file_.write_all(bytes, control);
  });
  std::signal(SIGPIPE, handler);
  if (done.ok()) {
    size_bytes_ += written;
  } else if (is_plain(file_)) {
    const auto size = static_cast<off_t>(size_bytes_);
    if (::ftruncate(file_.descriptor(), size) == 0) {
      static_cast<void>(::lseek(file_.descriptor(), size, SEEK_SET));
    }
  }
  return done;
}

Status AnswerFile::close() {
  if (is_plain(file_)) {
    EVQ_TRY(file_.sync());
  }
  return file_.close();
}

Status check_joinable(const std::string& form, const std::string& path) {
  return form != "parquet"
             ? Status::success()
             : make_error(ErrorCode::kUsage, "a file of Parquet holds one answer",
                          "write .once " + path + ", or .save " + path + " for the last answer");
}

Status check_output_path(const std::string& path) {
  if (path.starts_with('|')) {
    return make_error(ErrorCode::kUsage, "answers go to files, not to commands",
                      "a shell does that: evq query … " + path);
  }
  if (is_directory(path)) {
    return make_error(ErrorCode::kUsage, path + " is a folder", "name a file in it");
  }
  if (const std::string folder = parent_of(path); !is_directory(folder)) {
    return make_error(ErrorCode::kUsage, "there is no folder " + folder);
  }
  return Status::success();
}

}  // namespace evq
