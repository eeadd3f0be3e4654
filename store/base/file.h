#pragma once
// The edge to the file system: open, read, write, sync. What evq creates is private to its
// user (folders 0700, files 0600), but for create_output; all is opened with O_CLOEXEC. Failures
// are kIo, kNotFound (no such file), kDiskFull (no space, quota), kConflict (exists already) or
// kUnavailable (no descriptor left), and their text names the path and the system's reason.
// Every function may be called from any thread; one File belongs to one thread at a time, except
// for read_at, which is safe beside itself.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/control.h"
#include "store/base/result.h"

namespace evq {

// An open file descriptor; closes it when destroyed.
class File {
 public:
  File() = default;
  ~File();
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // Opens the user's own data: symbolic links are followed, pipes and devices are fine.
  static Result<File> open_input(const std::string& path);
  // Like open_input(path), but `control` ends the wait for the other end of a named pipe.
  static Result<File> open_input(const std::string& path, const QueryControl& control);
  // Opens a file of a store for reading and writing, creating it when missing; a symbolic link is
  // refused; see give_to_owner.
  static Result<File> open_read_write(const std::string& path);
  // Creates a file for writing; kConflict when there is one already.
  static Result<File> create_new(const std::string& path);
  // Creates an unnamed file in `directory`, private to this process and gone when it is closed.
  static Result<File> create_unnamed(const std::string& directory);
  // Creates, as the umask has it, or empties the user's output file; symbolic links are followed.
  static Result<File> create_output(const std::string& path);
  // Like create_output(path), but `control` ends the wait for the reader of a named pipe. Write to
  // it with the write_all that takes a control, too.
  static Result<File> create_output(const std::string& path, const QueryControl& control);
  // Takes over an open descriptor; `name` stands for the path in errors.
  static File adopt(int descriptor, std::string name);
  // Standard input, which stays open when the File goes.
  static File standard_input();

  // Reads up to `buffer.size()` bytes from `offset`; fewer only at the end of the file.
  Result<std::size_t> read_at(std::uint64_t offset, std::span<char> buffer) const;
  // Reads the bytes that are there now, at most the buffer's size; 0 at the end.
  Result<std::size_t> read_some(std::span<char> buffer);
  Status write_all(std::string_view bytes);
  Status write_all(std::string_view bytes, const QueryControl& control);
  Status write_at(std::uint64_t offset, std::string_view bytes);
  // Allocates disk space for the first `bytes` bytes without changing the file's size. kDiskFull
  // when there is not enough, of which some may then have been allocated. kIo where the file system
  // does not support it.
  Status reserve_room(std::uint64_t bytes);
  Result<std::uint64_t> size() const;
  // Gives a file that root made in another user's folder to that user, who could not open their
  // store otherwise. SQLite does the same for the files beside a database.
  Status give_to_owner() const;
  // fsync. After a failure the file's state on disk is unknown: never retry.
  Status sync();
  // Closes now and reports the failure a destructor would have to swallow.
  Status close();

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  const std::string& path() const { return path_; }

 private:
  File(int descriptor, std::string path, bool owned);

  int descriptor_ = -1;
  bool owned_ = true;
  std::string path_;
};

// Creates the folder and missing parents with mode 0700; one that exists must be a folder.
// kUnsynced is for folders that are deleted after use: a crash of the system may leave none of
// them.
enum class FolderUse : std::uint8_t { kDurable, kUnsynced };
Status make_private_directory(const std::string& path, FolderUse use = FolderUse::kDurable);
// The folder part of `path`, "." for a bare name. Looks at the text only, not at the disk.
std::string parent_of(const std::string& path);
// Makes created, renamed and removed names in the folder durable.
Status sync_directory(const std::string& path);
// Reads a file, through symbolic links. kTooLarge when it is longer than `size_max` bytes.
Result<std::string> read_whole_file(const std::string& path, std::size_t size_max);
// Reads the rest of an input of any kind; `control` ends the wait for the writer of a pipe.
// kTooLarge when that is more than `size_max` bytes.
Result<std::string> read_input(File* input, std::size_t size_max, const QueryControl& control);
// Replaces a file atomically and durably: writes a temporary file beside `path` and renames it.
Status write_file_atomically(const std::string& path, std::string_view bytes);
// Identifies a state of a file: it differs once the file has changed. All zero without a file.
struct FileMark {
  std::uint64_t inode = 0;
  std::uint64_t size_bytes = 0;
  std::int64_t changed_ns = 0;  // its contents; since the Unix epoch, by the file system's clock
  friend bool operator==(const FileMark&, const FileMark&) = default;
};
FileMark mark_of(const std::string& path);
// Names what `path` itself is, without following links, when it is no plain file: "a symbolic
// link", "a named pipe", …; empty for a plain file or nothing at all.
std::string_view other_than_file(const std::string& path);
bool file_exists(const std::string& path);
// Bytes of a file; 0 when there is none or its size cannot be read.
std::uint64_t size_or_zero(const std::string& path);
bool is_directory(const std::string& path);
// kNotFound when there is none.
Status remove_file(const std::string& path);
// Names (not paths) of the entries, sorted, without "." and "..".
Result<std::vector<std::string>> list_directory(const std::string& path);
// True for NFS, SMB/CIFS, AFS, Coda, Ceph, 9p, Lustre, where locks and sync are not dependable.
// `path` need not exist: its nearest existing parent decides.
Result<bool> is_network_filesystem(const std::string& path);
// Bytes of the disk that a file takes, whatever its size; 0 when there is none.
std::uint64_t disk_bytes_of(const std::string& path);
// Bytes that an unprivileged process may still write to the file system of `path`.
Result<std::uint64_t> free_disk_bytes(const std::string& path);
// Whether nothing can be written under `path` because its file system is mounted read-only there;
// false when that cannot be told.
bool is_on_read_only_disk(const std::string& path);
// The descriptor's device is a terminal.
bool is_terminal(int descriptor);

}  // namespace evq
