#include "cli/output_file.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "store/base/checksum.h"
#include "store/base/file.h"

namespace evq {
namespace {

namespace fs = std::filesystem;
using Produce = std::function<Status(const ByteSink& out)>;

// The path of the file that a symbolic link leads to, which need not be there yet.
std::string resolved_path(const std::string& path) {
  std::error_code failed;
  fs::path file = fs::absolute(path, failed);
  if (!failed && fs::is_symlink(fs::symlink_status(file, failed))) {
    file = file.parent_path() / fs::read_symlink(file, failed);
  }
  file = fs::weakly_canonical(file, failed);
  return failed ? path : file.string();
}

Status write_as_it_is(const std::string& path, const QueryControl& control,
                      const Produce& produce) {
  EVQ_TRY_ASSIGN(File file, File::create_output(path, control));
  EVQ_TRY(produce([&](std::string_view bytes) { return file.write_all(bytes, control); }));
  return file.close();
}

Status write_and_rename(File file, const std::string& target, fs::perms permissions,
                        const Produce& produce) {
  const std::string partial = file.path();
  if (permissions != fs::perms::unknown) {
    std::error_code not_allowed;
    fs::permissions(partial, permissions, not_allowed);
  }
  EVQ_TRY(produce([&file](std::string_view bytes) { return file.write_all(bytes); }));
  EVQ_TRY(file.sync());
  EVQ_TRY(file.close());
  if (std::rename(partial.c_str(), target.c_str()) != 0) {
    return make_error(ErrorCode::kIo, "cannot create " + target + ": " + std::strerror(errno));
  }
  return sync_directory(parent_of(target));
}

// An error about the file beside it, said of the one that was asked for.
Error about(const std::string& path, const std::string& partial, Error error) {
  if (const std::size_t at = error.message.find(partial); at != std::string::npos) {
    error.message.replace(at, partial.size(), path);
  }
  return error;
}

}  // namespace

Status write_output_file(const std::string& path, const QueryControl& control,
                         const Produce& produce) {
  std::error_code failed;
  const fs::file_status there = fs::status(path, failed);
  if (fs::is_directory(there)) {
    return make_error(ErrorCode::kUsage, path + " is a directory", "name a file in it");
  }
  if (fs::exists(there) && !fs::is_regular_file(there)) {
    auto* const handler = std::signal(SIGPIPE, SIG_IGN);  // a reader who has gone is an error
    Status done = write_as_it_is(path, control, produce);
    std::signal(SIGPIPE, handler);
    return done;
  }
  const std::string target = resolved_path(path);
  const std::string partial = target + "." + std::to_string(random_seed()) + ".partial";
  // One that takes the place of a private file is never less private itself.
  auto created = fs::exists(there) ? File::create_new(partial) : File::create_output(partial);
  if (!created.ok()) {
    return about(path, partial, std::move(created).take_error());
  }
  const fs::perms permissions = fs::exists(there) ? there.permissions() : fs::perms::unknown;
  Status done = write_and_rename(std::move(created).value(), target, permissions, produce);
  if (!done.ok()) {
    static_cast<void>(remove_file(partial).ok());
    return about(path, partial, std::move(done).take_error());
  }
  return done;
}

}  // namespace evq
