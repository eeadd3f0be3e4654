#include "cli/terminal/history.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/limits.h"

namespace evq {
namespace {

using Strings = std::vector<std::string>;

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "evq-history-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file() const { return path_ / "history"; }

 private:
  std::filesystem::path path_;
};

Strings entries_of(const History& history) {
  Strings out;
  for (std::size_t i = 0; i < history.size(); ++i) {
    out.push_back(history.entry(i));
  }
  return out;
}

std::string bytes_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST_CASE("entries are written down, one a line, and read back") {
  const Folder folder;
  History history;
  REQUIRE(history.load(folder.file()).ok());
  REQUIRE(history.add("first").ok());
  REQUIRE(history.add("two\nlines \\ and a slash").ok());
  REQUIRE(history.add("ünï 日本").ok());
  CHECK(bytes_of(folder.file()) == "first\ntwo\\nlines \\\\ and a slash\nünï 日本\n");
  CHECK((std::filesystem::status(folder.file()).permissions() & std::filesystem::perms::mask) ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));

  History again;
  REQUIRE(again.load(folder.file()).ok());
  CHECK(entries_of(again) == entries_of(history));
}

TEST_CASE("an entry is kept once, at its newest place") {
  const Folder folder;
  History history;
  REQUIRE(history.load(folder.file()).ok());
  for (const char* text : {"a", "b", "b", "a", "", "  \n", " secret", "\xff"}) {
    REQUIRE(history.add(text).ok());
  }
  CHECK(entries_of(history) == Strings{"b", "a", " secret", "\uFFFD"});
  CHECK(bytes_of(folder.file()) == "a\nb\na\n\uFFFD\n");
  History again;
  REQUIRE(again.load(folder.file()).ok());
  CHECK(entries_of(again) == Strings{"b", "a", "\uFFFD"});
}

TEST_CASE("a damaged file costs no more than its damage") {
  const Folder folder;
  std::ofstream(folder.file(), std::ios::binary) << "ok\n\n\xff\xfe\\\r\nend\\";
  History history;
  REQUIRE(history.load(folder.file()).ok());
  CHECK(entries_of(history) == Strings{"ok", "\uFFFD\uFFFD\r", "end\\"});
  REQUIRE(history.add("new").ok());
  CHECK(bytes_of(folder.file()).ends_with("end\\\nnew\n"));
}

TEST_CASE("two processes append to one file") {
  const Folder folder;
  History one;
  History two;
  REQUIRE(one.load(folder.file()).ok());
  REQUIRE(two.load(folder.file()).ok());
  REQUIRE(one.add("1").ok());
  REQUIRE(two.add("2").ok());
  REQUIRE(one.add("3").ok());
  CHECK(bytes_of(folder.file()) == "1\n2\n3\n");
}

TEST_CASE("a file that grew to twice its need is written anew") {
  const Folder folder;
  {
    std::ofstream out(folder.file(), std::ios::binary);
    for (std::size_t i = 0; i < 2 * kHistoryEntriesMax; ++i) {
      out << "entry " << i << "\n";
    }
  }
  History history;
  REQUIRE(history.load(folder.file()).ok());
  CHECK(history.size() == kHistoryEntriesMax);
  CHECK(history.entry(0) == "entry " + std::to_string(kHistoryEntriesMax));
  REQUIRE(history.add("new").ok());
  CHECK(history.size() == kHistoryEntriesMax);
  const std::string bytes = bytes_of(folder.file());
  CHECK(static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n')) ==
        kHistoryEntriesMax);
  CHECK(bytes.ends_with("\nnew\n"));
}

TEST_CASE("a folder that is missing is an error, and memory still works") {
  History history;
  CHECK(history.load("/nonexistent/folder/history").ok());
  CHECK_FALSE(history.add("x").ok());
  CHECK(entries_of(history) == Strings{"x"});
}

TEST_CASE("searching goes through time in both directions") {
  History history;
  for (const char* text : {"alpha one", "Beta ONE", "gamma", "alpha two"}) {
    REQUIRE(history.add(text).ok());
  }
  CHECK(history.find_containing("one", 4) == 1);
  CHECK(history.find_containing("one", 1) == 0);
  CHECK(history.find_containing("ONE", 4) == 1);
  CHECK(history.find_containing("ONE", 1) == std::nullopt);
  CHECK(history.find_containing_after("alpha", 1) == 3);
  CHECK(history.find_containing_after("alpha", 4) == std::nullopt);
  CHECK(history.find_starting("alpha", 4) == 3);
  CHECK(history.find_starting("alpha", 3) == 0);
  CHECK(history.find_starting("gamma", 4) == std::nullopt);
}

}  // namespace
}  // namespace evq
