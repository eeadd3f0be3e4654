#include "store/base/file.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace evq {
namespace {

// A folder of its own for a test case, removed at the end.
class Folder {
 public:
  Folder() : path_((std::filesystem::temp_directory_path() / "evq-file-XXXXXX").string()) {
    REQUIRE(::mkdtemp(path_.data()) != nullptr);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string at(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

unsigned mode_of(const std::string& path) {
  struct stat about {};
  REQUIRE(::stat(path.c_str(), &about) == 0);
  return about.st_mode & 0777U;
}

TEST_CASE("a file is written, read and changed at places, and removed") {
  const Folder folder;
  const std::string path = folder.at("a");
  {
    Result<File> file = File::create_new(path);
    REQUIRE(file.ok());
    CHECK(file->write_all("hello").ok());
    CHECK(file->write_at(5, " world").ok());
    CHECK(file->sync().ok());
    CHECK(file->size().value() == 11);
    CHECK(file->close().ok());
    CHECK(!file->is_open());
  }
  CHECK(mode_of(path) == 0600);
  Result<File> file = File::open_input(path);
  REQUIRE(file.ok());
  std::array<char, 5> buffer{};
  CHECK(file->read_at(6, buffer).value() == 5);
  CHECK(std::string(buffer.data(), 5) == "world");
  CHECK(file->read_at(9, buffer).value() == 2);
  CHECK(file->read_at(11, buffer).value() == 0);
  CHECK(file->read_some(buffer).value() == 5);
  CHECK(std::string(buffer.data(), 5) == "hello");
  CHECK(!file->write_all("x").ok());
  Result<File> writable = File::open_read_write(path);
  REQUIRE(writable.ok());
  CHECK(writable->write_at(0, "HEL").ok());
  CHECK(read_whole_file(path, 11).value() == "HELlo world");
  CHECK(size_or_zero(path) == 11);
  CHECK(remove_file(path).ok());
  CHECK(!file_exists(path));
}

TEST_CASE("a file without a name is private, written and read, and never seen in its folder") {
  const Folder folder;
  {
    auto made = File::create_unnamed(folder.path());
    REQUIRE(made.ok());
    CHECK(std::filesystem::is_empty(folder.path()));
    struct stat about {};
    REQUIRE(::fstat(made.value().descriptor(), &about) == 0);
    CHECK((about.st_mode & 0777U) == 0600);
    REQUIRE(made.value().write_at(3, "bytes").ok());
    std::array<char, 5> read{};
    CHECK(made.value().read_at(3, read).value() == 5);
    CHECK(std::string(read.data(), read.size()) == "bytes");
  }
  CHECK(std::filesystem::is_empty(folder.path()));
  const auto refused = File::create_unnamed(folder.at("none"));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kNotFound);
  CHECK(refused.error().message.find(folder.at("none")) != std::string::npos);
}

TEST_CASE("the user's output has the mode that the umask leaves, also of an open pipe's function") {
  const Folder folder;
  const mode_t before = ::umask(0027);
  CHECK(File::create_output(folder.at("plain")).ok());
  CHECK(File::create_output(folder.at("watched"), QueryControl()).ok());
  CHECK(File::create_new(folder.at("own")).ok());
  ::umask(before);
  CHECK(mode_of(folder.at("plain")) == 0640);
  CHECK(mode_of(folder.at("watched")) == 0640);
  CHECK(mode_of(folder.at("own")) == 0600);
}

TEST_CASE("failures have their code, the path and the reason") {
  const Folder folder;
  const std::string path = folder.at("none");
  const Result<File> missing = File::open_input(path);
  REQUIRE(!missing.ok());
  CHECK(missing.error().code == ErrorCode::kNotFound);
  CHECK(missing.error().message == "cannot open " + path + ": No such file or directory");
  CHECK(remove_file(path).error().code == ErrorCode::kNotFound);
  CHECK(list_directory(path).error().code == ErrorCode::kNotFound);
  REQUIRE(write_file_atomically(path, "12345").ok());
  CHECK(File::create_new(path).error().code == ErrorCode::kConflict);
  CHECK(read_whole_file(path, 5).value() == "12345");
  CHECK(read_whole_file(path, 4).error().code == ErrorCode::kTooLarge);
  CHECK(make_private_directory(path).error().code == ErrorCode::kNotFound);
  CHECK(read_whole_file(folder.path(), 4).error().code == ErrorCode::kIo);
  Result<File> full = File::create_output("/dev/full");
  REQUIRE(full.ok());
  CHECK(full->write_all("x").error().code == ErrorCode::kDiskFull);
}

TEST_CASE("what the system refuses names the path, whatever was asked of it") {
  const Folder folder;
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  File reading = File::adopt(ends[0], "the pipe");
  File writing = File::adopt(ends[1], "the pipe");
  std::array<char, 4> buffer{};
  const Status refused[] = {reading.write_all("x"), writing.write_at(7, "x"),
                            reading.reserve_room(1), writing.sync()};
  for (const Status& status : refused) {
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().code == ErrorCode::kIo);
    CHECK(status.error().message.find(" the pipe: ") != std::string::npos);
  }
  CHECK(writing.read_some(buffer).error().code == ErrorCode::kIo);
  CHECK(reading.read_at(0, buffer).error().code == ErrorCode::kIo);

  File closed = File::adopt(::dup(ends[0]), "gone");
  REQUIRE(::close(closed.descriptor()) == 0);
  CHECK(closed.size().error().message.find("cannot examine gone: ") == 0);
  CHECK(closed.close().error().message.find("cannot close gone: ") == 0);
  CHECK(closed.close().ok());  // it is known to be closed now

  CHECK(free_disk_bytes(folder.at("none")).error().code == ErrorCode::kIo);
  REQUIRE(write_file_atomically(folder.at("file"), "").ok());
  CHECK(sync_directory(folder.at("file")).error().code == ErrorCode::kNotFound);
  CHECK(is_network_filesystem(folder.at("file/inside")).error().code == ErrorCode::kNotFound);
  CHECK(disk_bytes_of(folder.at("none")) == 0);
  CHECK(size_or_zero(folder.at("none")) == 0);
  CHECK(size_or_zero(folder.path()) == 0);
}

TEST_CASE("an atomic write that cannot replace leaves nothing behind") {
  const Folder folder;
  REQUIRE(make_private_directory(folder.at("taken/full")).ok());
  const Status status = write_file_atomically(folder.at("taken"), "x");
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().message.find("cannot replace " + folder.at("taken")) == 0);
  CHECK(list_directory(folder.path()).value() == std::vector<std::string>{"taken"});
}

TEST_CASE("store files never follow a symbolic link, input files do") {
  const Folder folder;
  REQUIRE(write_file_atomically(folder.at("target"), "t").ok());
  REQUIRE(::symlink(folder.at("target").c_str(), folder.at("link").c_str()) == 0);
  CHECK(!File::open_read_write(folder.at("link")).ok());
  CHECK(File::open_input(folder.at("link")).ok());
  REQUIRE(::symlink(folder.at("nowhere").c_str(), folder.at("dangling").c_str()) == 0);
  CHECK(!File::create_new(folder.at("dangling")).ok());
  CHECK(!file_exists(folder.at("nowhere")));
}

TEST_CASE("private folders are made with their parents, whatever the umask") {
  const Folder folder;
  const mode_t before = ::umask(0);
  const Status status = make_private_directory(folder.at("a/b//c/"));
  ::umask(0077);
  CHECK(make_private_directory(folder.at("a/b/c")).ok());
  ::umask(0777);
  CHECK(make_private_directory(folder.at("d")).ok());
  ::umask(before);
  CHECK(status.ok());
  CHECK(mode_of(folder.at("d")) == 0700);
  CHECK(mode_of(folder.at("a")) == 0700);
  CHECK(mode_of(folder.at("a/b/c")) == 0700);
  CHECK(is_directory(folder.at("a/b/c")));
}

TEST_CASE("an atomic write replaces the whole file and leaves nothing else") {
  const Folder folder;
  CHECK(write_file_atomically(folder.at("f"), "one").ok());
  CHECK(write_file_atomically(folder.at("f"), "").ok());
  CHECK(read_whole_file(folder.at("f"), 10).value().empty());
  CHECK(list_directory(folder.path()).value() == std::vector<std::string>{"f"});
  CHECK(!write_file_atomically(folder.at("no/f"), "x").ok());
}

TEST_CASE("facts about file systems") {
  const Folder folder;
  CHECK(free_disk_bytes(folder.path()).value() > 0);
  CHECK(is_network_filesystem(folder.at("not/yet/there")).value() == false);
  CHECK(is_network_filesystem("not-there-either").value() == false);
}

TEST_CASE("the folder of a path") {
  CHECK(parent_of("out.csv") == ".");
  CHECK(parent_of("a/out.csv") == "a");
  CHECK(parent_of("/out.csv") == "/");
  CHECK(parent_of("/a//b/") == "/a");
  CHECK(parent_of("") == ".");
}

TEST_CASE("list_directory sorts") {
  const Folder folder;
  for (const char* name : {"b", "a", ".c"}) {
    REQUIRE(write_file_atomically(folder.at(name), "").ok());
  }
  CHECK(list_directory(folder.path()).value() == std::vector<std::string>{".c", "a", "b"});
}

}  // namespace
}  // namespace evq
