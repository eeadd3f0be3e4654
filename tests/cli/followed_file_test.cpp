#include "cli/followed_file.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <sys/resource.h>

#include "store/base/checksum.h"
#include "tests/support/temp_store.h"

namespace evq {
namespace {

constexpr std::string_view kText = "2024-05-01T10:00:00Z one\n2024-05-01T10:00:01Z two\n";

struct Folder {
  std::string at(const std::string& name) const { return folder.path() + "/" + name; }
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(at(name), std::ios::trunc) << text;
  }
  void rename(const std::string& from, const std::string& to) const {
    std::filesystem::rename(at(from), at(to));
  }
  // Of app.log, whose text was read up to the offset.
  FollowProgress read(std::string_view text, std::uint64_t offset) const {
    FollowProgress known;
    known.file = regular_file_at(at("app.log")).value_or(FileIdentity{});
    known.offset = known.next = offset;
    known.trace = checksum64(text.substr(0, offset));
    return known;
  }
  // The name of the file that is found; empty: none.
  std::string find(const FollowProgress& known) const {
    const QueryControl control;
    const FollowedPath path(at("app.log"), control);
    const auto found = find_followed(path, known);
    REQUIRE(found.ok());
    if (found.value() == nullptr) {
      return "";
    }
    CHECK(found.value()->progress.offset == known.offset);
    return std::filesystem::path(found.value()->file.path()).filename().string();
  }

  TempDirectory folder;
};

}  // namespace

TEST_CASE("a file goes on where it was, under its name or a new one") {
  const Folder folder;
  folder.write("app.log", kText);
  const FollowProgress known = folder.read(kText, 25);
  CHECK(folder.find(known) == "app.log");
  folder.rename("app.log", "app.log.1");
  CHECK(folder.find(known) == "app.log.1");
  folder.write("app.log", kText);
  CHECK(folder.find(known) == "app.log.1");
}

TEST_CASE("where only the device is another, what was read tells that it is the file") {
  const Folder folder;
  folder.write("app.log", kText);
  FollowProgress known = folder.read(kText, 25);
  ++known.file.device;
  CHECK(folder.find(known) == "app.log");
  FollowProgress without = known;
  without.trace.reset();
  CHECK(folder.find(without).empty());
  folder.rename("app.log", "app.log.1");
  folder.write("app.log", kText);
  CHECK(folder.find(known) == "app.log.1");
  folder.write("app.log.1", "2024-05-02T10:00:00Z something else, in a file of the same inode\n");
  CHECK(folder.find(known).empty());
  FollowProgress unread = folder.read(kText, 0);
  ++unread.file.device;
  CHECK(folder.find(unread).empty());
}

TEST_CASE("a file that was cut short or written anew does not go on") {
  const Folder folder;
  folder.write("app.log", kText);
  const FollowProgress known = folder.read(kText, 25);
  folder.write("app.log", kText.substr(0, 10));
  CHECK(folder.find(known).empty());
  folder.write("app.log", std::string(100, 'x'));
  CHECK(folder.find(known).empty());
}

TEST_CASE("a renamed file is not taken for its inode alone") {
  const Folder folder;
  folder.write("app.log", kText);
  const FollowProgress known = folder.read(kText, 25);
  folder.rename("app.log", "other.txt");
  folder.write("other.txt", std::string(100, 'x'));
  CHECK(folder.find(known).empty());
}

TEST_CASE("a file that cannot be opened now is not taken for lost") {
  const Folder folder;
  folder.write("app.log", kText);
  const FollowProgress known = folder.read(kText, 25);
  const QueryControl control;
  const FollowedPath path(folder.at("app.log"), control);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit none{0, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const auto found = find_followed(path, known);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  REQUIRE_FALSE(found.ok());
  CHECK(found.error().code == ErrorCode::kUnavailable);
  CHECK(folder.find(known) == "app.log");
}

TEST_CASE("a file of which nothing was read yet is known by its name as well") {
  const Folder folder;
  folder.write("app.log", kText);
  const FollowProgress known = folder.read(kText, 0);
  const std::pair<std::string, bool> names[] = {
      {"app.log", true}, {"app.log.1", true}, {"app-20240501.log", true}, {"other.log", false}};
  for (const auto& [renamed, is_found] : names) {
    if (renamed != "app.log") {
      folder.rename("app.log", renamed);
    }
    CHECK(folder.find(known) == (is_found ? renamed : ""));
    if (renamed != "app.log") {
      folder.rename(renamed, "app.log");
    }
  }
  folder.rename("app.log", "app.log.1.gz");
  folder.write("app.log.1.gz", "\x1f\x8b\x08 and so on, for some bytes");
  CHECK(folder.find(known).empty());
}

TEST_CASE("a file that comes to the path begins at its start, or where it was let go of") {
  const Folder folder;
  folder.write("app.log", kText);
  const auto opened = File::open_input(folder.at("app.log"));
  REQUIRE(opened.ok());
  const FollowProgress known = folder.read(kText, 25);
  CHECK(reading_start(opened.value(), std::vector{known}).offset == 25);
  FollowProgress other = known;
  ++other.file.inode;
  FollowProgress was_another = known;
  was_another.trace = checksum64("another text");
  FollowProgress was_longer = folder.read(kText, kText.size());
  was_longer.offset += 1;
  for (const auto& each : {std::vector<FollowProgress>(), std::vector{other},
                           std::vector{was_another}, std::vector{was_longer}}) {
    const FollowProgress start = reading_start(opened.value(), each);
    CHECK(start.file == known.file);
    CHECK(start.offset == 0);
    CHECK(start.next == 0);
    CHECK(start.trace == checksum64(""));
    // As it stands in the progress, it is found again.
    CHECK(folder.find(start) == "app.log");
  }
}

TEST_CASE("the progress of several files is a line each") {
  FollowProgress first{.file = {1, 2}, .offset = 3, .next = 4, .stamp = 5};
  first.trace = 6;
  first.next_trace = 7;
  FollowProgress second = first;
  second.file.inode = 8;
  std::string text;
  append_progress(first, &text);
  append_progress(second, &text);
  CHECK(text == "1 2 3 4 5 6 7\n1 8 3 4 5 6 7");
  const auto files = read_progress(text);
  REQUIRE(files.size() == 2);
  CHECK(progress_text(files[0]) == progress_text(first));
  CHECK(progress_text(files[1]) == progress_text(second));
  REQUIRE(read_progress("1 2 3 4 5").size() == 1);
  CHECK_FALSE(read_progress("1 2 3 4 5")[0].trace.has_value());
  CHECK(read_progress("").empty());
  CHECK(read_progress("1 2 x").empty());
}

}  // namespace evq
