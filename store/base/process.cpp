#include "store/base/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "store/base/checksum.h"
#include "store/base/system_call.h"

namespace evq {

namespace {

// Where control groups limit memory, in their second version and their first.
struct GroupTree {
  std::string_view controller;  // as /proc/self/cgroup names it
  const char* folder;           // of the outermost group; a container sees its own there
  const char* limit_file;
};
constexpr std::array<GroupTree, 2> kGroupTrees = {
    {{"", "/sys/fs/cgroup", "/memory.max"},
     {"memory", "/sys/fs/cgroup/memory", "/memory.limit_in_bytes"}}};

// The group of this process, "/a/b" below the outermost one and "" for that: what the line
// "NUMBER:CONTROLLER,…:PATH" of the controller says.
std::string own_group(const std::string& root, std::string_view controller) {
  std::ifstream lines(root + "/proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = std::min(line.find(':'), line.size());
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string wanted = "," + std::string(controller) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers.find(wanted) != std::string::npos && path.starts_with('/')) {
      return path == "/" ? std::string() : path;
    }
  }
  return {};
}

}  // namespace

std::uint64_t boot_number() {
  static const std::uint64_t kNumber = [] {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string text;
    return std::getline(file, text) && !text.empty() ? checksum64(text) : 0;
  }();
  return kNumber;
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
  }
}

std::size_t descriptor_limit() {
  rlimit limit{};
  static_cast<void>(::getrlimit(RLIMIT_NOFILE, &limit));
  return limit.rlim_cur;
}

std::size_t count_descriptors() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/fd"), ::closedir);
  if (folder == nullptr) {
    return is_no_descriptors(errno) ? descriptor_limit() : 0;
  }
  std::size_t count = 0;
  while (::readdir(folder.get()) != nullptr) {
    ++count;
  }
  constexpr std::size_t kOthers = 3;  // ".", "..", and the folder's own
  return count - std::min(count, kOthers);
}

void occupy_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) == -1 && errno == EBADF) {
      // The lowest free number is this one; it is open in the direction that nobody uses.
      static_cast<void>(::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
  }
}

std::size_t memory_bytes(const std::string& root) {
  std::size_t bytes = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (const GroupTree& tree : kGroupTrees) {
    std::string group = own_group(root, tree.controller);
    for (;;) {
      std::size_t limit = 0;
      std::string file = root;
      file.append(tree.folder).append(group).append(tree.limit_file);
      if (std::ifstream(file) >> limit) {  // "max" is none
        bytes = std::min(bytes, limit);
      }
      if (group.empty()) {
        break;
      }
      group.erase(group.rfind('/'));
    }
  }
  return bytes;
}

// Source: proc(5), /proc/pid/statm.
std::size_t resident_bytes() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/statm", "re"),
                                                             std::fclose);
  std::size_t all = 0;
  std::size_t resident = 0;
  if (file == nullptr || std::fscanf(file.get(), "%zu %zu", &all, &resident) != 2) {
    return 0;
  }
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

void keep_memory_private() {
  constexpr rlimit kNone{};
  static_cast<void>(::setrlimit(RLIMIT_CORE, &kNone));
  // The limit does not bind programs that the kernel pipes dumps to; this does.
  static_cast<void>(::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
}

void tell_service_manager(std::string_view state) {
  const char* const named = std::getenv("NOTIFY_SOCKET");
  const std::string_view path = named != nullptr ? named : "";
  sockaddr_un address{};
  if (path.size() < 2 || path.size() >= sizeof(address.sun_path)) {
    return;
  }
  address.sun_family = AF_UNIX;
  std::ranges::copy(path, address.sun_path);
  if (path[0] == '@') {  // a name that is no file's
    address.sun_path[0] = '\0';
  }
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) {
    return;
  }
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  static_cast<void>(::sendto(socket, state.data(), state.size(), MSG_NOSIGNAL,
                             reinterpret_cast<const sockaddr*>(&address), size));
  ::close(socket);
}

}  // namespace evq
