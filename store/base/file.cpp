#include "store/base/file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "store/base/checksum.h"
#include "store/base/system_call.h"

namespace evq {

namespace {

constexpr mode_t kFileMode = 0600;
constexpr mode_t kOutputMode = 0666;  // of which the umask takes its part
constexpr mode_t kDirectoryMode = 0700;
constexpr int kPipePollMs = 50;

Result<int> open_descriptor(const std::string& path, int flags, const char* action,
                            mode_t mode = kFileMode) {
  const int descriptor = retried([&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); });
  if (descriptor < 0) {
    return system_error(action, path, errno);
  }
  return descriptor;
}

// Until `event`, or the end. A signal, which may be the one that cancels, ends a poll.
Status wait_for(short event, const File& file, const QueryControl& control) {
  pollfd wanted{file.descriptor(), event, 0};
  for (;;) {
    const int ready = ::poll(&wanted, 1, kPipePollMs);
    if (ready > 0) {
      return {};
    }
    if (ready < 0 && errno != EINTR) {
      return system_error("wait for", file.path(), errno);
    }
    EVQ_TRY(control.check());
  }
}

bool is_pipe(const File& file) {
  struct stat about {};
  return ::fstat(file.descriptor(), &about) == 0 && S_ISFIFO(about.st_mode);
}

// What was opened with O_NONBLOCK is as if it had not been.
Status let_block(const File& file) {
  const int flags = ::fcntl(file.descriptor(), F_GETFL);
  if (flags < 0 || ::fcntl(file.descriptor(), F_SETFL, flags & ~O_NONBLOCK) != 0) {
    return system_error("open", file.path(), errno);
  }
  return {};
}

// A strict umask may have taken the owner's own rights; private files are 0600 whatever it is.
Status make_private(int descriptor, const std::string& path) {
  if (::fchmod(descriptor, kFileMode) != 0) {
    return system_error("set the mode of", path, errno);
  }
  return Status::success();
}

// Another process may make the same folder at the same time. The empty path is the root's.
Status make_one_directory(const std::string& path, FolderUse use) {
  if (path.empty() || is_directory(path)) {
    return Status::success();
  }
  if (::mkdir(path.c_str(), kDirectoryMode) == 0) {
    // The umask may have taken the owner's rights as well.
    if (::chmod(path.c_str(), kDirectoryMode) != 0) {
      return system_error("create the folder", path, errno);
    }
    EVQ_TRY_ASSIGN(const int descriptor,
                   open_descriptor(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, "open"));
    EVQ_TRY(File::adopt(descriptor, path).give_to_owner());
    return use == FolderUse::kUnsynced ? Status::success() : sync_directory(parent_of(path));
  }
  const int reason = errno;
  if (reason == EEXIST && is_directory(path)) {
    return Status::success();
  }
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode)) {
    return make_error(ErrorCode::kNotFound, "cannot create the folder " + path +
                                                ": it is a link to a folder that is not there");
  }
  return system_error("create the folder", path, reason == EEXIST ? ENOTDIR : reason);
}

}  // namespace

File::File(int descriptor, std::string path, bool owned)
    : descriptor_(descriptor), owned_(owned), path_(std::move(path)) {}

File::~File() {
  static_cast<void>(close());
}

File::File(File&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      owned_(other.owned_),
      path_(std::move(other.path_)) {}

File& File::operator=(File&& other) noexcept {
  if (this != &other) {
    static_cast<void>(close());
    descriptor_ = std::exchange(other.descriptor_, -1);
    owned_ = other.owned_;
    path_ = std::move(other.path_);
  }
  return *this;
}

Result<File> File::open_input(const std::string& path) {
  EVQ_TRY_ASSIGN(const int descriptor, open_descriptor(path, O_RDONLY, "open"));
  return File(descriptor, path, true);
}

// The reading end of a pipe opens at once without O_NONBLOCK's waiting; once there is a writer, or
// has been one, reading is as it always is.
Result<File> File::open_input(const std::string& path, const QueryControl& control) {
  EVQ_TRY_ASSIGN(const int descriptor, open_descriptor(path, O_RDONLY | O_NONBLOCK, "open"));
  File file(descriptor, path, true);
  if (is_pipe(file)) {
    EVQ_TRY(wait_for(POLLIN, file, control));
  }
  EVQ_TRY(let_block(file));
  return file;
}

namespace {

// Another user's file that can be read is like one on a file system that is only read.
Error unwritable(Error error, const std::string& path) {
  if (error.code == ErrorCode::kIo && ::access(path.c_str(), R_OK) == 0 &&
      ::access(path.c_str(), W_OK) != 0 && errno == EACCES) {
    error.code = ErrorCode::kReadOnly;
    error.hint = "what is there can be read; to write, be its owner or another user who may";
  }
  return error;
}

}  // namespace

Result<File> File::open_read_write(const std::string& path) {
  auto descriptor = open_descriptor(path, O_RDWR | O_CREAT | O_NOFOLLOW, "open");
  if (!descriptor.ok()) {
    return unwritable(std::move(descriptor).take_error(), path);
  }
  File file(*descriptor, path, true);
  EVQ_TRY(make_private(*descriptor, path));
  EVQ_TRY(file.give_to_owner());
  return file;
}

Result<File> File::create_new(const std::string& path) {
  EVQ_TRY_ASSIGN(const int descriptor,
                 open_descriptor(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, "create"));
  File file(descriptor, path, true);
  EVQ_TRY(make_private(descriptor, path));
  return file;
}

Result<File> File::create_unnamed(const std::string& directory) {
  const int descriptor =
      retried([&] { return ::open(directory.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, kFileMode); });
  if (descriptor >= 0) {
    File file(descriptor, directory + "/(unnamed)", true);
    EVQ_TRY(make_private(descriptor, file.path()));
    return file;
  }
  // Some file systems know only files that had a name.
  const std::string path = directory + "/unnamed-" + std::to_string(random_seed()) + ".tmp";
  EVQ_TRY_ASSIGN(File file, create_new(path));
  EVQ_TRY(remove_file(path));
  return file;
}

Result<File> File::create_output(const std::string& path) {
  EVQ_TRY_ASSIGN(const int descriptor,
                 open_descriptor(path, O_WRONLY | O_CREAT | O_TRUNC, "create", kOutputMode));
  return File(descriptor, path, true);
}

// Without O_NONBLOCK the writing end of a pipe opens once somebody reads it, and nothing ends the
// wait; with it, a pipe that nobody reads is an error to try again after.
Result<File> File::create_output(const std::string& path, const QueryControl& control) {
  const auto is_unread_pipe = [&path] {
    struct stat about {};
    return errno == ENXIO && ::stat(path.c_str(), &about) == 0 && S_ISFIFO(about.st_mode);
  };
  for (;;) {
    const int descriptor = retried([&] {
      return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC,
                    kOutputMode);
    });
    if (descriptor >= 0) {
      File file(descriptor, path, true);
      if (!is_pipe(file)) {
        EVQ_TRY(let_block(file));
      }
      return file;
    }
    const int reason = errno;
    if (!is_unread_pipe()) {
      return system_error("create", path, reason);
    }
    pause_ms(kPipePollMs);
    if (Status wait = control.check(); !wait.ok()) {
      Error error = std::move(wait).take_error();
      if (error.code == ErrorCode::kCancelled) {
        error.message = "interrupted while waiting for a reader of " + path;
      }
      return error;
    }
  }
}

File File::adopt(int descriptor, std::string name) {
  return File(descriptor, std::move(name), true);
}

File File::standard_input() {
  return File(STDIN_FILENO, "standard input", false);
}

Result<std::size_t> File::read_at(std::uint64_t offset, std::span<char> buffer) const {
  std::size_t done = 0;
  while (done < buffer.size()) {
    const ssize_t got = retried([&] {
      return ::pread(descriptor_, buffer.data() + done, buffer.size() - done,
                     static_cast<off_t>(offset + done));
    });
    if (got < 0) {
      return system_error("read", path_, errno);
    }
    if (got == 0) {
      break;
    }
    done += static_cast<std::size_t>(got);
  }
  return done;
}

Result<std::size_t> File::read_some(std::span<char> buffer) {
  const ssize_t got = retried([&] { return ::read(descriptor_, buffer.data(), buffer.size()); });
  if (got < 0) {
    return system_error("read", path_, errno);
  }
  return static_cast<std::size_t>(got);
}

Status File::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = retried([&] { return ::write(descriptor_, bytes.data(), bytes.size()); });
    if (put < 0) {
      return system_error("write", path_, errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return Status::success();
}

Status File::write_all(std::string_view bytes, const QueryControl& control) {
  while (!bytes.empty()) {
    const ssize_t put = retried([&] { return ::write(descriptor_, bytes.data(), bytes.size()); });
    if (put >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno == EAGAIN) {
      EVQ_TRY(wait_for(POLLOUT, *this, control));
    } else {
      return system_error("write", path_, errno);
    }
  }
  return Status::success();
}

Status File::write_at(std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = retried([&] {
      return ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    });
    if (put < 0) {
      return system_error("write", path_, errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
  return Status::success();
}

Status File::reserve_room(std::uint64_t bytes) {
  const auto length = static_cast<off_t>(bytes);
  if (retried([&] { return ::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, 0, length); }) != 0) {
    return system_error("reserve room for", path_, errno);
  }
  return Status::success();
}

Result<std::uint64_t> File::size() const {
  struct stat about {};
  if (::fstat(descriptor_, &about) != 0) {
    return system_error("examine", path_, errno);
  }
  return static_cast<std::uint64_t>(about.st_size);
}

// A file that has other names may be somebody else's.
Status File::give_to_owner() const {
  struct stat own {};
  struct stat folder {};
  if (::geteuid() != 0 || ::fstat(descriptor_, &own) != 0 || own.st_uid != 0 ||
      ::stat(parent_of(path_).c_str(), &folder) != 0 || folder.st_uid == 0 ||
      (!S_ISDIR(own.st_mode) && own.st_nlink != 1)) {
    return Status::success();
  }
  return ::fchown(descriptor_, folder.st_uid, folder.st_gid) == 0
             ? Status::success()
             : Status(system_error("set the owner of", path_, errno));
}

Status File::sync() {
  if (retried([&] { return ::fsync(descriptor_); }) != 0) {
    return system_error("sync", path_, errno);
  }
  return Status::success();
}

Status File::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  // Linux has closed the descriptor even when close() was interrupted: it must not be repeated.
  if (descriptor >= 0 && owned_ && ::close(descriptor) != 0 && errno != EINTR) {
    return system_error("close", path_, errno);
  }
  return Status::success();
}

Status make_private_directory(const std::string& path, FolderUse use) {
  for (std::size_t at = 0; at != std::string::npos;) {
    at = path.find('/', at + 1);
    const std::string part = path.substr(0, at);
    EVQ_TRY(make_one_directory(part, use));
  }
  return is_directory(path) ? Status::success()
                            : Status(system_error("create the folder", path, ENOTDIR));
}

std::string parent_of(const std::string& path) {
  const std::size_t end = path.find_last_not_of('/');
  if (end == std::string::npos) {
    return path.empty() ? "." : "/";
  }
  const std::size_t slash = path.rfind('/', end);
  if (slash == std::string::npos) {
    return ".";
  }
  const std::size_t last = path.find_last_not_of('/', slash);
  return last == std::string::npos ? "/" : path.substr(0, last + 1);
}

Status sync_directory(const std::string& path) {
  EVQ_TRY_ASSIGN(const int descriptor, open_descriptor(path, O_RDONLY | O_DIRECTORY, "open"));
  File directory = File::adopt(descriptor, path);
  return directory.sync();
}

Result<std::string> read_whole_file(const std::string& path, std::size_t size_max) {
  EVQ_TRY_ASSIGN(File file, File::open_input(path));
  return read_input(&file, size_max, QueryControl());
}

Result<std::string> read_input(File* input, std::size_t size_max, const QueryControl& control) {
  std::string bytes;
  std::array<char, 65536> buffer{};
  for (;;) {
    EVQ_TRY(wait_for(POLLIN, *input, control));
    EVQ_TRY_ASSIGN(const std::size_t got, input->read_some(buffer));
    if (got == 0) {
      return bytes;
    }
    if (got > size_max - bytes.size()) {
      return make_error(ErrorCode::kTooLarge,
                        input->path() + " is longer than " + std::to_string(size_max) + " bytes");
    }
    bytes.append(buffer.data(), got);
  }
}

Status write_file_atomically(const std::string& path, std::string_view bytes) {
  const std::string temporary = path + "." + std::to_string(random_seed()) + ".tmp";
  EVQ_TRY_ASSIGN(File file, File::create_new(temporary));
  Status status = file.write_all(bytes);
  if (status.ok()) {
    status = file.sync();
  }
  if (status.ok()) {
    status = file.close();
  }
  if (status.ok() && std::rename(temporary.c_str(), path.c_str()) != 0) {
    status = system_error("replace", path, errno);
  }
  if (!status.ok()) {
    static_cast<void>(::unlink(temporary.c_str()));
    return status;
  }
  return sync_directory(parent_of(path));
}

bool file_exists(const std::string& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0;
}

std::uint64_t size_or_zero(const std::string& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode)
             ? static_cast<std::uint64_t>(about.st_size)
             : 0;
}

FileMark mark_of(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) {
    return {};
  }
  return {about.st_ino, static_cast<std::uint64_t>(about.st_size),
          std::int64_t{about.st_mtim.tv_sec} * 1'000'000'000 + about.st_mtim.tv_nsec};
}

std::string_view other_than_file(const std::string& path) {
  struct stat about {};
  if (::lstat(path.c_str(), &about) != 0) {
    return "";
  }
  switch (about.st_mode & S_IFMT) {
    case S_IFREG:
      return "";
    case S_IFLNK:
      return "a symbolic link";
    case S_IFDIR:
      return "a folder";
    case S_IFIFO:
      return "a named pipe";
    default:
      return "a device or socket";
  }
}

bool is_directory(const std::string& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

Status remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0) {
    return system_error("remove", path, errno);
  }
  return Status::success();
}

Result<std::vector<std::string>> list_directory(const std::string& path) {
  struct Close {
    void operator()(DIR* open) const { static_cast<void>(::closedir(open)); }
  };
  const std::unique_ptr<DIR, Close> directory(::opendir(path.c_str()));
  if (directory == nullptr) {
    return system_error("list", path, errno);
  }
  std::vector<std::string> names;
  errno = 0;
  // Safe beside other threads: each call reads a stream of its own.
  while (const dirent* entry = ::readdir(directory.get())) {  // NOLINT(concurrency-mt-unsafe)
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      names.emplace_back(name);
    }
    errno = 0;
  }
  if (errno != 0) {
    return system_error("list", path, errno);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<bool> is_network_filesystem(const std::string& path) {
  // Magic numbers of statfs(2); the header that names them all differs between systems.
  constexpr std::array<std::uint32_t, 11> kRemote = {
      0x6969,      // NFS
      0x517B,      // SMB
      0xFF534D42,  // CIFS
      0xFE534D42,  // SMB2
      0x5346414F,  // AFS
      0x6B414653,  // kAFS
      0x73757245,  // Coda
      0x00C36400,  // Ceph
      0x01021997,  // 9p
      0x564C,      // NCP
      0x0BD00BD0,  // Lustre
  };
  std::string place = path;
  struct statfs about {};
  while (::statfs(place.c_str(), &about) != 0) {
    if (errno == EINTR) {
      continue;
    }
    const std::string parent = parent_of(place);
    if (errno != ENOENT || parent == place) {
      return system_error("examine the file system of", path, errno);
    }
    place = parent;
  }
  const auto magic = static_cast<std::uint32_t>(about.f_type);
  return std::find(kRemote.begin(), kRemote.end(), magic) != kRemote.end();
}

std::uint64_t disk_bytes_of(const std::string& path) {
  constexpr std::uint64_t kStatBlockBytes = 512;
  struct stat about {};
  return ::lstat(path.c_str(), &about) == 0
             ? static_cast<std::uint64_t>(about.st_blocks) * kStatBlockBytes
             : 0;
}

Result<std::uint64_t> free_disk_bytes(const std::string& path) {
  struct statvfs about {};
  if (retried([&] { return ::statvfs(path.c_str(), &about); }) != 0) {
    Error error = system_error("examine the file system of", path, errno);
    error.code = ErrorCode::kIo;  // what was asked for exists; the disk behind it is gone
    return error;
  }
  return static_cast<std::uint64_t>(about.f_bavail) * static_cast<std::uint64_t>(about.f_frsize);
}

bool is_on_read_only_disk(const std::string& path) {
  struct statvfs about {};
  return retried([&] { return ::statvfs(path.c_str(), &about); }) == 0 &&
         (about.f_flag & ST_RDONLY) != 0;
}

bool is_terminal(int descriptor) {
  return ::isatty(descriptor) == 1;
}

}  // namespace evq
