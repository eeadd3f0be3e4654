#include "cli/terminal/external_editor.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>

#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/terminal/ignored_keys.h"
#include "store/base/file.h"
#include "store/base/limits.h"

namespace evq {

namespace {

constexpr std::time_t kLongAgoS = 1'000'000'000;  // in 2001

// Starts the program words[0]; errno's value, 0 when it runs. It hears the keys that this process
// ignores meanwhile.
int spawn_with_keys(const IgnoredKeys& keys, char* const* words, pid_t* child) {
  posix_spawnattr_t attributes{};
  ::posix_spawnattr_init(&attributes);
  const sigset_t heard = keys.heard();
  ::posix_spawnattr_setsigdefault(&attributes, &heard);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int failure = ::posix_spawnp(child, words[0], nullptr, &attributes, words, environ);
  ::posix_spawnattr_destroy(&attributes);
  return failure;
}

// Runs `command` by the shell with `argument` as its last word; its exit status.
Result<int> run_on_file(const std::string& command, const std::string& argument) {
  std::string script = command + " \"$1\"";
  std::string shell = "sh";
  std::string option = "-c";
  std::string file = argument;
  // The second "sh" is $0, so that the file is $1.
  const std::array<char*, 6> words = {shell.data(), option.data(), script.data(),
                                      shell.data(), file.data(),   nullptr};
  const IgnoredKeys keys;
  pid_t child = 0;
  if (spawn_with_keys(keys, words.data(), &child) != 0) {
    return make_error(ErrorCode::kIo, "cannot run the editor '" + command + "'");
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      return make_error(ErrorCode::kIo, "lost the editor '" + command + "'");
    }
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Result<std::string> edit_file(const std::string& path, const std::string& text,
                              const std::string& command, bool* written) {
  EVQ_TRY_ASSIGN(File file, File::create_new(path));
  EVQ_TRY(file.write_all(text));
  EVQ_TRY(file.write_all("\n"));
  // Older than whatever is written now, however coarse the file system's clock is.
  const timespec old[2] = {{kLongAgoS, 0}, {kLongAgoS, 0}};
  ::futimens(file.descriptor(), old);
  EVQ_TRY(file.close());
  const FileMark before = mark_of(path);
  EVQ_TRY_ASSIGN(const int status, run_on_file(command, path));
  if (status != 0) {
    return make_error(ErrorCode::kIo,
                      "the editor '" + command + "' ended with status " + std::to_string(status));
  }
  if (written != nullptr) {
    *written = !(mark_of(path) == before);
  }
  return read_whole_file(path, kSmallFileBytesMax);
}

std::string first_set(const Environment& environment, const char* first, const char* second,
                      const char* otherwise) {
  for (const char* name : {first, second}) {
    std::string value = environment(name).value_or("");
    if (!value.empty()) {
      return value;
    }
  }
  return otherwise;
}

}  // namespace

Result<std::string> edit_in_external_editor(const std::string& text, const std::string& file_name,
                                            const Environment& environment, bool* written) {
  const std::string command = first_set(environment, "VISUAL", "EDITOR", "vi");
  std::string directory = first_set(environment, "TMPDIR", "TMPDIR", "/tmp") + "/evq-XXXXXX";
  if (::mkdtemp(directory.data()) == nullptr) {
    return make_error(ErrorCode::kIo, "cannot create a temporary folder for the editor");
  }
  const std::string path = directory + "/" + file_name;
  Result<std::string> edited = edit_file(path, text, command, written);
  // Editors may leave a backup copy; then the folder stays.
  static_cast<void>(remove_file(path).ok());
  ::rmdir(directory.c_str());
  return edited;
}

}  // namespace evq
