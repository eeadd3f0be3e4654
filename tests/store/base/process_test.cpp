#include "store/base/process.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

namespace evq {
namespace {

// The files of a system with control groups, under a folder instead of the root.
class FakeSystem {
 public:
  FakeSystem() : root_((std::filesystem::temp_directory_path() / "evq-system-XXXXXX").string()) {
    REQUIRE(::mkdtemp(root_.data()) != nullptr);
  }
  ~FakeSystem() { std::filesystem::remove_all(root_); }
  FakeSystem(const FakeSystem&) = delete;
  FakeSystem& operator=(const FakeSystem&) = delete;

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::size_t memory() const { return memory_bytes(root_); }

 private:
  std::string root_;
};

std::size_t machine_bytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

TEST_CASE("this machine has memory, and its control groups leave some of it") {
  CHECK(memory_bytes() > 0);
  CHECK(memory_bytes() <= machine_bytes());
}

TEST_CASE("this process holds some of the machine's memory") {
  CHECK(resident_bytes() > 0);
  CHECK(resident_bytes() <= machine_bytes());
}

TEST_CASE("without control groups the memory is the machine's") {
  const FakeSystem system;
  CHECK(system.memory() == machine_bytes());
  system.write("/proc/self/cgroup", "0::/\n");
  CHECK(system.memory() == machine_bytes());
}

// A container sees its own group as the outermost one.
TEST_CASE("a container has what its group may take") {
  const FakeSystem system;
  system.write("/sys/fs/cgroup/memory.max", "1048576\n");
  CHECK(system.memory() == 1048576);
  system.write("/proc/self/cgroup", "0::/\n");
  CHECK(system.memory() == 1048576);
  system.write("/sys/fs/cgroup/memory.max", "max\n");
  CHECK(system.memory() == machine_bytes());
  system.write("/sys/fs/cgroup/memory.max", "");
  CHECK(system.memory() == machine_bytes());
}

TEST_CASE("a service has what its group and those around it leave") {
  const FakeSystem system;
  system.write("/proc/self/cgroup", "0::/system.slice/evq.service\n");
  system.write("/sys/fs/cgroup/system.slice/memory.max", "max\n");
  system.write("/sys/fs/cgroup/system.slice/evq.service/memory.max", "2097152\n");
  CHECK(system.memory() == 2097152);
  system.write("/sys/fs/cgroup/system.slice/memory.max", "1048576\n");
  CHECK(system.memory() == 1048576);
  // What is another's does not count.
  system.write("/sys/fs/cgroup/system.slice/other.service/memory.max", "4096\n");
  CHECK(system.memory() == 1048576);
}

TEST_CASE("groups of the first version are read as well") {
  const FakeSystem system;
  system.write("/proc/self/cgroup", "5:cpu,cpuacct:/other\n4:pids,memory:/a/b\n0::/c\n");
  system.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(system.memory() == machine_bytes());
  system.write("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "2097152\n");
  CHECK(system.memory() == 2097152);
  system.write("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1048576\n");
  CHECK(system.memory() == 1048576);
  system.write("/sys/fs/cgroup/memory/other/memory.limit_in_bytes", "4096\n");
  system.write("/sys/fs/cgroup/memory/c/memory.limit_in_bytes", "4096\n");
  CHECK(system.memory() == 1048576);
}

}  // namespace
}  // namespace evq
