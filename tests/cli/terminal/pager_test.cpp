#include "cli/terminal/pager.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

#include "cli/terminal/external_editor.h"

namespace evq {
namespace {

Environment one_variable(const std::string& name, const std::string& value) {
  return
      [=](const std::string& asked) { return asked == name ? std::optional(value) : std::nullopt; };
}

std::string file_bytes(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// A pipe whose writing end stands for standard output.
struct Output {
  Output() { REQUIRE(::pipe(ends.data()) == 0); }
  std::string read_all() {
    ::close(ends[1]);
    std::string out;
    std::array<char, 4096> buffer{};
    for (ssize_t size = 1; size > 0;) {
      size = ::read(ends[0], buffer.data(), buffer.size());
      out.append(buffer.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    }
    ::close(ends[0]);
    return out;
  }
  std::array<int, 2> ends{};
};

TEST_CASE("which pager") {
  CHECK(pager_command([](const std::string&) { return std::nullopt; }) == "less -RSFX");
  CHECK(pager_command(one_variable("PAGER", "most")) == "most");
  CHECK(pager_command(one_variable("EVQ_PAGER", "moar")) == "moar");
  CHECK(pager_command(one_variable("EVQ_PAGER", "")).empty());
  CHECK(pager_command(one_variable("PAGER", "cat")).empty());
}

TEST_CASE("pagers that take colours") {
  const struct {
    std::string_view command;
    std::optional<std::string> less;
    bool takes;
  } rows[] = {
      {"less", std::nullopt, true},  // we set it
      {"/usr/bin/less -S", std::nullopt, true},
      {"less", "", false},
      {"less", "-S -i", false},
      {"less", "FRX", true},
      {"less", "-i --RAW-CONTROL-CHARS", true},
      {"less", "-PRaw", false},
      {"less -SR", "i", true},
      {"less -r", "i", true},
      {"less -+R", "i", false},
      {"less -pR +R Readme", "i", false},
      {"bat --plain", std::nullopt, true},
      {"more", std::nullopt, false},
      {"cat > file", std::nullopt, false},
      {"'my less' -R", std::nullopt, false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.command);
    CHECK(pager_takes_color(row.command, row.less) == row.takes);
  }
}

TEST_CASE("text that fits is written plainly, text that does not goes to the pager") {
  std::string folder = (std::filesystem::temp_directory_path() / "evq-pager-XXXXXX").string();
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  const std::string paged = folder + "/paged";
  {
    Output output;
    PagedOutput pager(output.ends[1], {80, 4}, "cat > " + paged);
    CHECK(pager.write("1\n2\n"));
    CHECK(pager.write("3\nrest"));
    CHECK_FALSE(pager.is_paging());
    CHECK(pager.finish());
    CHECK(output.read_all() == "1\n2\n3\nrest");
    CHECK_FALSE(std::filesystem::exists(paged));
  }
  {
    Output output;
    PagedOutput pager(output.ends[1], {80, 4}, "cat > " + paged);
    CHECK(pager.write("1\n2\n"));
    CHECK(pager.write("3\n4\n5"));
    CHECK(pager.is_paging());
    CHECK(pager.write("6\n"));
    CHECK(pager.finish());
    CHECK(file_bytes(paged) == "1\n2\n3\n4\n56\n");
    CHECK(output.read_all().empty());
  }
  {
    Output output;
    PagedOutput pager(output.ends[1], {80, 4}, "");
    CHECK(pager.write("1\n2\n3\n4\n5\n"));
    CHECK(pager.finish());
    CHECK(output.read_all() == "1\n2\n3\n4\n5\n");
  }
  {
    // Lines that do not end are not kept, nor looked through again with every piece of them.
    Output output;
    PagedOutput pager(output.ends[1], {80, 4}, "wc -c > " + paged);
    const std::string piece(4096, 'x');
    constexpr std::size_t kPieces = 100'000;
    for (std::size_t i = 0; i < kPieces; ++i) {
      REQUIRE(pager.write(piece));
      CHECK(pager.is_paging() == (i >= 256));
    }
    CHECK(pager.finish());
    CHECK(file_bytes(paged) == std::to_string(kPieces * piece.size()) + "\n");
    CHECK(output.read_all().empty());
  }
  for (const bool forced : {false, true}) {
    Output output;
    PagedOutput pager(output.ends[1], {80, 4}, "cat > " + paged);
    if (forced) {
      pager.force_color();
    }
    CHECK(pager.write("1\n2\n\x1b[1mbold\x1b[0m\n4\n5\n"));
    CHECK(pager.write("6 \x1b[31mred\x1b[0m\n"));
    CHECK(pager.finish());
    CHECK(file_bytes(paged) == (forced ? "1\n2\n\x1b[1mbold\x1b[0m\n4\n5\n6 \x1b[31mred\x1b[0m\n"
                                       : "1\n2\nbold\n4\n5\n6 red\n"));
    CHECK(output.read_all().empty());
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("a pager that quits stops the writer without a signal") {
  Output output;
  PagedOutput pager(output.ends[1], {80, 4}, "true");
  bool wanted = true;
  for (int i = 0; i < 100000 && wanted; ++i) {
    wanted = pager.write("line of text that is long enough to fill the pipe's buffer soon\n");
  }
  CHECK_FALSE(wanted);
  CHECK_FALSE(pager.finish());
  CHECK(output.read_all().empty());
}

TEST_CASE("another program edits a text") {
  bool written = false;
  const auto edit = [&](const std::string& editor) {
    return edit_in_external_editor("old 'text'", "query.txt", one_variable("EDITOR", editor),
                                   &written);
  };
  Result<std::string> edited = edit("sed -i s/old/new/");
  REQUIRE(edited.ok());
  CHECK(*edited == "new 'text'\n");
  CHECK(written);
  edited = edit("true");
  REQUIRE(edited.ok());
  CHECK(*edited == "old 'text'\n");
  CHECK_FALSE(written);
  edited = edit("touch");
  REQUIRE(edited.ok());
  CHECK(*edited == "old 'text'\n");
  CHECK(written);  // saved as it was
  edited = edit("false");
  REQUIRE_FALSE(edited.ok());
  CHECK(edited.error().message == "the editor 'false' ended with status 1");
  edited = edit("rm");
  CHECK_FALSE(edited.ok());
}

}  // namespace
}  // namespace evq
