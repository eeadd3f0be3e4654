#include "cli/followed_path.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/time.h"
#include "tests/support/temp_store.h"

namespace evq {
namespace {

constexpr std::int64_t kToldNs = FollowedPath::kTroubleToldMs * kMillisecondNs;

struct Log {
  std::string at(const std::string& name) const { return folder.path() + "/" + name; }
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(at(name), std::ios::app) << text;
  }
  FileIdentity identity(const std::string& name) const {
    return regular_file_at(at(name)).value_or(FileIdentity{});
  }

  TempDirectory folder;
  QueryControl control;
  FollowedPath path{at("app.log"), control};
};

}  // namespace

TEST_CASE("a file that comes to the path is opened, whatever it was before") {
  Log log;
  CHECK_FALSE(log.path.look({}, 0).opened.has_value());
  log.write("app.log", "a\n");
  const FileIdentity first = log.identity("app.log");
  const FollowedPath::Sight sight = log.path.look({}, 0);
  REQUIRE(sight.opened.has_value());
  CHECK(regular_file_of(*sight.opened) == first);

  std::vector<FileIdentity> known = {first};
  CHECK(log.path.look(known, 0).known == std::optional<std::size_t>(0));
  std::filesystem::rename(log.at("app.log"), log.at("app.log.1"));
  CHECK_FALSE(log.path.look(known, 0).known.has_value());
  log.write("app.log", "");  // an empty one counts
  const FollowedPath::Sight next = log.path.look(known, 0);
  REQUIRE(next.opened.has_value());
  CHECK(regular_file_of(*next.opened) == log.identity("app.log"));

  known.push_back(log.identity("app.log"));
  std::filesystem::rename(log.at("app.log.1"), log.at("app.log"));
  CHECK(log.path.look(known, 0).known == std::optional<std::size_t>(0));
}

TEST_CASE("files that come to the path while its thread waits are kept in their order") {
  Log log;
  PathWatch watch(log.path);
  log.write("app.log", "");
  std::vector<FileIdentity> told;
  const auto tell = [&](const File& file) {
    told.push_back(regular_file_of(file).value_or(FileIdentity{}));
  };
  watch.begin({log.identity("app.log")}, 3, tell);
  CHECK(watch.end().empty());

  watch.begin({log.identity("app.log")}, 3, tell);
  std::vector<FileIdentity> came;
  for (const std::string name : {"app.log.1", "app.log.2", "app.log.3"}) {
    std::filesystem::rename(log.at("app.log"), log.at(name));
    log.write("app.log", "");
    came.push_back(log.identity("app.log"));
    pause_ms(10 * PathWatch::kPollMs);
  }
  std::vector<FileIdentity> seen;
  for (const FollowedPath::Sight& sight : watch.end()) {
    seen.push_back(regular_file_of(sight.opened.value()).value_or(FileIdentity{}));
  }
  came.pop_back();  // with it there would be more than three
  CHECK(seen == came);
  CHECK(told == came);
}

TEST_CASE("a link leads to the file that it names now") {
  Log log;
  log.write("one", "");
  log.write("two", "");
  std::filesystem::create_symlink("one", log.at("app.log"));
  const std::vector<FileIdentity> known = {log.identity("one"), log.identity("two")};
  CHECK(log.path.look(known, 0).known == std::optional<std::size_t>(0));
  std::filesystem::remove(log.at("app.log"));
  std::filesystem::create_symlink("two", log.at("app.log"));
  CHECK(log.path.look(known, 0).known == std::optional<std::size_t>(1));
}

TEST_CASE("what cannot be opened may be at the next look, and is told of once if it lasts") {
  Log log;
  std::filesystem::create_symlink("app.log", log.at("app.log"));  // leads nowhere
  CHECK_FALSE(log.path.look({}, 0).trouble.has_value());
  CHECK_FALSE(log.path.look({}, kToldNs - 1).trouble.has_value());
  CHECK(log.path.look({}, kToldNs).trouble.has_value());
  CHECK_FALSE(log.path.look({}, 2 * kToldNs).trouble.has_value());
  std::filesystem::remove(log.at("app.log"));
  CHECK_FALSE(log.path.look({}, 3 * kToldNs).trouble.has_value());
  std::filesystem::create_directory(log.at("app.log"));
  CHECK_FALSE(log.path.look({}, 4 * kToldNs).trouble.has_value());
  CHECK(log.path.look({}, 5 * kToldNs).trouble ==
        std::optional(log.at("app.log") + " is no regular file"));
  std::filesystem::remove(log.at("app.log"));
  log.write("app.log", "");
  CHECK(log.path.look({}, 6 * kToldNs).opened.has_value());
}

TEST_CASE("a file is looked for at its path, then in its folder, then by its inode alone") {
  Log log;
  log.write("app.log", "");
  const FileIdentity file = log.identity("app.log");
  CHECK(log.path.names_of(file).front() == log.at("app.log"));
  std::filesystem::rename(log.at("app.log"), log.at("app.log.1"));
  log.write("app.log", "");
  log.write("other", "");
  CHECK(log.path.names_of(file) == std::vector<std::string>{log.at("app.log.1")});
  CHECK(log.path.names_of({file.device + 1, file.inode}) ==
        std::vector<std::string>{log.at("app.log.1")});
}

TEST_CASE("a link's file is looked for where it lies") {
  Log log;
  std::filesystem::create_directory(log.at("pods"));
  log.write("pods/0.log", "");
  const FileIdentity file = log.identity("pods/0.log");
  std::filesystem::create_symlink("pods/0.log", log.at("app.log"));
  std::filesystem::rename(log.at("pods/0.log"), log.at("pods/0.log.1"));
  log.write("pods/0.log", "");
  CHECK(log.path.names_of(file) == std::vector<std::string>{log.at("pods/0.log.1")});
}

}  // namespace evq
