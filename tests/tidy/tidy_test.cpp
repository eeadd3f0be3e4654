// House rules that a compiler cannot check, as tests. Each check is a function from one source file
// to its findings, is tried on a bad input of its own first, and then runs over the whole tree. A
// finding says what to do instead; an exception is a row in a table here, never a comment there.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/source_text.h"

namespace evq {
namespace {

using Findings = std::vector<std::string>;

std::string place(const SourceFile& file, std::size_t line_index) {
  return file.path + ":" + std::to_string(line_index + 1) + ": ";
}

// ------------------------------------------------------------------ includes

struct Quarantine {
  std::string_view header;
  Globs only_in;
};

// Third-party and POSIX headers that cost much to compile, or that must stay replaceable.
const std::vector<Quarantine>& quarantines() {
  static const std::vector<Quarantine> kRows = {
      {"doctest/*", {"tests/*"}},
      {"CLI/*", {"cli/options*.cpp"}},
      {"simdjson*",
       {"store/ingest/json_*.cpp", "store/column/dynamic_json.cpp",
        "store/column/simdjson_on_demand.cpp", "tests/bench/micro/*.cpp"}},
      {"nlohmann/*", {"http/wire_json.h"}},
      {"boost/beast*", {"http/beast_names.h"}},
      {"boost/asio*", {"http/beast_names.h"}},
      {"re2/*", {"apl/functions/regex.cpp"}},
      {"pugixml.hpp", {"apl/functions/document.cpp"}},
      {"sqlite3.h",
       {"store/catalog/sqlite.cpp", "store/catalog/sqlite_wal.cpp", "store/catalog/sqlite_files.h",
        "store/catalog/joined_writes.cpp", "store/catalog/blob_reader.cpp",
        "store/catalog/database_copy.cpp", "store/catalog/unsynced_vfs.cpp",
        "tests/support/fault_*.cpp"}},
      {"fcntl.h",
       {"store/base/file*.cpp", "store/base/process.cpp", "cli/terminal*.cpp",
        "tests/store/base/file_lock_test.cpp"}},
      {"regex", {}},
      {"format", {}},
      {"ranges", {}},
      {"source_location", {}},
      {"expected", {}},
  };
  return kRows;
}

struct Include {
  std::size_t line_index;
  std::string_view header;
};

std::vector<Include> includes_of(const SourceFile& file) {
  std::vector<Include> includes;
  const auto code = lines_of(file.code);
  const auto text = lines_of(file.text);
  for (std::size_t i = 0; i < code.size(); ++i) {
    const std::size_t open = text[i].find_first_of("<\"");
    const std::size_t close = text[i].find_last_of(">\"");
    if (code[i].starts_with("#include") && open != std::string_view::npos && close > open) {
      includes.push_back({i, text[i].substr(open + 1, close - open - 1)});
    }
  }
  return includes;
}

Findings check_includes(const SourceFile& file) {
  Findings findings;
  for (const auto& [i, header] : includes_of(file)) {
    if (header.find("..") != std::string_view::npos) {
      findings.push_back(place(file, i) + "include from the root, never through \"../\"");
    }
    for (const Quarantine& row : quarantines()) {
      if (matches_glob(header, row.header) && !matches_any(file.path, row.only_in)) {
        findings.push_back(place(file, i) + "<" + std::string(header) +
                           "> is not for this file; see quarantines() in the tidy test");
      }
    }
  }
  return findings;
}

// ------------------------------------------------------------------ banned words

struct Ban {
  std::string_view word;
  std::string_view instead;
  Globs except;
};

// What gives a std::ranges::subrange. The fuzz targets need clang.
constexpr std::string_view kNoSubrange =
    "clang 14 cannot compile it with this standard library: give the iterators to std::";

const std::vector<Ban>& code_bans() {
  static const std::vector<Ban> kRows = {
      {"using namespace", "name what is used", {}},
      {"std::cout", "print nothing; the command line writes to descriptors", {}},
      {"std::cerr", "print nothing; the command line writes to descriptors", {"tests/*"}},
      {"system_clock::now", "take the time from QueryControl", {}},
      {"CLOCK_REALTIME", "take the time from QueryControl", {"store/base/control.cpp"}},
      {"rand(", "take a seeded generator", {}},
      {"srand(", "take a seeded generator", {}},
      {"catch (...)",
       "foreign exceptions stop in the file that includes their library",
       {"store/base/thread_pool.cpp"}},
      {"throw",
       "expected failures return Status or Result",
       {"store/base/allocation_meter.cpp", "store/column/dynamic_builder.cpp",
        "store/encoding/byte_string.cpp", "store/ingest/decoded_source.cpp",
        "store/ingest/text_buffer.cpp", "tests/*"}},
      {"std::thread", "threads come from ThreadPool", {"tests/*"}},
      {"std::jthread", "threads come from ThreadPool", {"tests/*"}},
      {"std::async", "threads come from ThreadPool", {}},
      {"std::mutex", "use the annotated Mutex", {"store/base/mutex.h", "tests/*"}},
      {"std::ranges::rotate", kNoSubrange, {}},
      {"std::ranges::unique", kNoSubrange, {}},
      {"std::ranges::remove", kNoSubrange, {}},
      {"std::ranges::remove_if", kNoSubrange, {}},
      {"std::ranges::partition", kNoSubrange, {}},
      {"std::ranges::stable_partition", kNoSubrange, {}},
      {"std::ranges::equal_range", kNoSubrange, {}},
      {"std::ranges::search", kNoSubrange, {}},
      {"std::ranges::find_end", kNoSubrange, {}},
      {"std::ranges::subrange", kNoSubrange, {}},
  };
  return kRows;
}

const std::vector<Ban>& comment_bans() {
  static const std::vector<Ban> kRows = {
      {"FIXME", "fix it, or open an issue", {}},
      {"XXX", "say what is meant", {}},
      {"TODO", "do it, or open an issue", {}},
      {"clang-format off", "let the formatter decide", {}},
  };
  return kRows;
}

// Literal suffixes are the one use of a whole namespace that reads better than names.
bool is_literals_namespace(std::string_view line) {
  return line.find("literals;") != std::string_view::npos;
}

void find_bans(const SourceFile& file, std::string_view view, const std::vector<Ban>& bans,
               Findings& findings) {
  const auto lines = lines_of(view);
  for (const Ban& ban : bans) {
    if (matches_any(file.path, ban.except)) {
      continue;
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (has_word(lines[i], ban.word) && !is_literals_namespace(lines[i])) {
        findings.push_back(place(file, i) + "'" + std::string(ban.word) +
                           "': " + std::string(ban.instead));
      }
    }
  }
}

Findings check_words(const SourceFile& file) {
  Findings findings;
  find_bans(file, file.code, code_bans(), findings);
  find_bans(file, file.comments, comment_bans(), findings);
  return findings;
}

// ------------------------------------------------------------------ headers, names, sizes

Findings check_header(const SourceFile& file) {
  if (!file.path.ends_with(".h")) {
    return {};
  }
  Findings findings;
  bool guarded = false;
  std::size_t comment_lines = 0;
  for (const std::string_view line : lines_of(file.text)) {
    if (line == "#pragma once") {
      guarded = true;
    } else if (line.starts_with("//")) {
      ++comment_lines;
    } else if (!line.empty()) {
      break;
    }
  }
  if (!guarded) {
    findings.push_back(file.path + ": begin with #pragma once");
  }
  if (comment_lines < 2) {
    findings.push_back(file.path +
                       ": open with a comment of two lines or more: what this is, who owns what, "
                       "which threads may call, what fails");
  }
  return findings;
}

Findings check_name(const SourceFile& file) {
  Findings findings;
  std::string_view name = file.path;
  name.remove_prefix(name.find_last_of('/') + 1);
  for (const std::string_view bad :
       {"util", "utils", "helper", "helpers", "common", "manager", "misc"}) {
    const std::string word(bad);
    if (matches_any(name, {word + ".*", word + "_*", "*_" + word + ".*", "*_" + word + "_*"})) {
      findings.push_back(file.path + ": '" + word + "' says nothing; name what is inside");
    }
  }
  if (std::count(file.path.begin(), file.path.end(), '/') > 4) {
    findings.push_back(file.path + ": nested too deep");
  }
  return findings;
}

// Files over the limit, with the day they were admitted and why. A row may only shrink: when the
// file does, so must the number, and a row that is no longer needed must go.
struct LongFile {
  std::string_view path;
  std::size_t lines_max;
  std::string_view since;
  std::string_view why;
};

const std::vector<LongFile>& long_files() {
  static const std::vector<LongFile> kRows = {};
  return kRows;
}

constexpr std::size_t kSourceLinesMax = 600;
constexpr std::size_t kHeaderLinesMax = 300;
constexpr std::size_t kRatchetSlack = 20;  // lines a row may lag behind its file

Findings check_size(const SourceFile& file, const std::vector<LongFile>& admitted) {
  const std::size_t lines = lines_of(file.text).size();
  const std::size_t limit = file.path.ends_with(".h") ? kHeaderLinesMax : kSourceLinesMax;
  const auto row = std::find_if(admitted.begin(), admitted.end(),
                                [&](const LongFile& entry) { return entry.path == file.path; });
  const std::string has = file.path + ": " + std::to_string(lines) + " lines, ";
  if (row == admitted.end()) {
    return lines > limit ? Findings{has + "at most " + std::to_string(limit) + "; split it"}
                         : Findings{};
  }
  if (lines > row->lines_max) {
    return {has + "grew past its row of " + std::to_string(row->lines_max)};
  }
  if (lines <= limit || lines + kRatchetSlack < row->lines_max) {
    return {has + "shrank: lower or remove its row in long_files()"};
  }
  return {};
}

// ------------------------------------------------------------------ the tree

const std::vector<SourceFile>& tree() {
  static const std::vector<SourceFile> kFiles = load_tree(EVQ_SOURCE_DIR);
  return kFiles;
}

template <typename Check>
void expect_clean(Check check) {
  for (const SourceFile& file : tree()) {
    for (const std::string& finding : check(file)) {
      FAIL_CHECK(finding);
    }
  }
}

// An exception that no file makes use of would let the next one in unseen.
Findings find_stale(const Globs& exceptions, std::string_view what,
                    const std::vector<SourceFile>& files,
                    const std::function<bool(const SourceFile&)>& uses) {
  Findings findings;
  for (const std::string_view glob : exceptions) {
    if (std::none_of(files.begin(), files.end(), [&](const SourceFile& file) {
          return matches_glob(file.path, glob) && uses(file);
        })) {
      findings.push_back("no file " + std::string(glob) + " uses '" + std::string(what) +
                         "': remove the exception in the tidy test");
    }
  }
  return findings;
}

Findings find_stale_quarantine(const Quarantine& row, const std::vector<SourceFile>& files) {
  return find_stale(row.only_in, row.header, files, [&](const SourceFile& file) {
    const auto includes = includes_of(file);
    return std::any_of(includes.begin(), includes.end(), [&](const Include& include) {
      return matches_glob(include.header, row.header);
    });
  });
}

Findings find_stale_ban(const Ban& ban, std::string SourceFile::*view,
                        const std::vector<SourceFile>& files) {
  return find_stale(ban.except, ban.word, files, [&](const SourceFile& file) {
    const auto lines = lines_of(file.*view);
    return std::any_of(lines.begin(), lines.end(),
                       [&](std::string_view line) { return has_word(line, ban.word); });
  });
}

std::size_t finding_count(Findings (*check)(const SourceFile&), std::string path,
                          std::string text) {
  return check(make_source(std::move(path), std::move(text))).size();
}

TEST_CASE("code, comments and literals are told apart") {
  const SourceFile file = make_source("store/a.cpp",
                                      "int a = 1'000;  // rand(\n"
                                      "auto b = \"rand( \\\" // no\"; /* throw */ c();\n"
                                      "auto d = R\"x(throw \" )x\"; char e = '\"'; f();\n");
  CHECK(file.code.find("rand") == std::string::npos);
  CHECK(file.code.find("throw") == std::string::npos);
  CHECK(file.code.find("int a = 1'000;") == 0);
  CHECK(file.code.find("c();") != std::string::npos);
  CHECK(file.code.find("f();") != std::string::npos);
  CHECK(file.comments.find("// rand(") != std::string::npos);
  CHECK(file.comments.find("/* throw */") != std::string::npos);
  CHECK(file.comments.find("no") == std::string::npos);
  CHECK(lines_of(file.code).size() == 3);
}

TEST_CASE("includes come from the root, and costly headers stay where they belong") {
  CHECK(finding_count(check_includes, "store/a.cpp", "#include \"../b.h\"\n") == 1);
  CHECK(finding_count(check_includes, "store/a.cpp", "#include <sqlite3.h>\n") == 1);
  CHECK(finding_count(check_includes, "store/catalog/sqlite.cpp", "#include <sqlite3.h>\n") == 0);
  CHECK(finding_count(check_includes, "http/wire_json.h", "#include <nlohmann/json.hpp>\n") == 0);
  CHECK(finding_count(check_includes, "http/router.cpp", "#include <nlohmann/json.hpp>\n") == 1);
  CHECK(finding_count(check_includes, "apl/exec/a.cpp", "#include <boost/beast.hpp>\n") == 1);
  CHECK(finding_count(check_includes, "apl/a.cpp", "// #include <regex>\n#include <map>\n") == 0);
  expect_clean(check_includes);
}

TEST_CASE("banned words are banned") {
  for (const Ban& ban : code_bans()) {
    const std::string line = "  x = " + std::string(ban.word) + " y;\n";
    CHECK_MESSAGE(finding_count(check_words, "apl/a.cpp", line) == 1, std::string(ban.word));
    CHECK_MESSAGE(finding_count(check_words, "apl/a.cpp", "// " + line) == 0,
                  std::string(ban.word));
  }
  for (const Ban& ban : comment_bans()) {
    const std::string line = "// " + std::string(ban.word) + " y\n";
    CHECK_MESSAGE(finding_count(check_words, "apl/a.cpp", line) == 1, std::string(ban.word));
  }
  CHECK(finding_count(check_words, "tests/fuzz/a.cpp", "std::cerr << 1;\n") == 0);
  CHECK(finding_count(check_words, "apl/a.cpp", "operand(x); std::thread::id t;\n") == 0);
  CHECK(finding_count(check_words, "apl/a.cpp", "using namespace std::chrono_literals;\n") == 0);
  expect_clean(check_words);
}

TEST_CASE("every exception is made use of") {
  std::vector<SourceFile> files;
  files.push_back(make_source("cli/a.cpp", "#include <regex>\nx = rand();  // TODO\n"));
  CHECK(find_stale_quarantine({"regex", {"cli/*"}}, files).empty());
  CHECK(find_stale_quarantine({"regex", {"cli/*", "cli/b.cpp"}}, files).size() == 1);
  CHECK(find_stale_quarantine({"format", {"cli/*"}}, files).size() == 1);
  CHECK(find_stale_ban({"rand(", "", {"cli/*"}}, &SourceFile::code, files).empty());
  CHECK(find_stale_ban({"rand(", "", {"http/*"}}, &SourceFile::code, files).size() == 1);
  CHECK(find_stale_ban({"TODO", "", {"cli/*"}}, &SourceFile::code, files).size() == 1);
  CHECK(find_stale_ban({"TODO", "", {"cli/*"}}, &SourceFile::comments, files).empty());
  Findings stale;
  const auto add = [&](const Findings& more) {
    stale.insert(stale.end(), more.begin(), more.end());
  };
  for (const Quarantine& row : quarantines()) {
    add(find_stale_quarantine(row, tree()));
  }
  for (const Ban& ban : code_bans()) {
    add(find_stale_ban(ban, &SourceFile::code, tree()));
  }
  for (const Ban& ban : comment_bans()) {
    add(find_stale_ban(ban, &SourceFile::comments, tree()));
  }
  for (const std::string& finding : stale) {
    FAIL_CHECK(finding);
  }
}

// To the linker, two types of one name in one namespace are one.
TEST_CASE("every type that a header declares has a name of its own") {
  std::map<std::string, std::string> path_of;
  for (const SourceFile& file : tree()) {
    std::string space;
    for (const std::string_view line : lines_of(file.code)) {
      if (line.starts_with("namespace ")) {
        space = line;
      }
      for (const std::string_view keyword : {"struct ", "class "}) {
        if (!file.path.ends_with(".h") || !line.starts_with(keyword) ||
            line.find(';') != std::string_view::npos) {
          continue;
        }
        const std::string_view rest = line.substr(keyword.size());
        const std::string name(rest.substr(0, rest.find_first_of(" :{")));
        const auto [other, is_new] = path_of.try_emplace(space + name, file.path);
        CHECK_MESSAGE((is_new || other->second == file.path || name.starts_with("EVQ_")),
                      name << " is declared in " << other->second << " and in " << file.path);
      }
    }
  }
  CHECK(path_of.size() > 200);
}

TEST_CASE("a header is a contract and says so first") {
  const std::string good = "#pragma once\n\n// What this is,\n// and who owns it.\nint a();\n";
  CHECK(finding_count(check_header, "store/a.h", good) == 0);
  CHECK(finding_count(check_header, "store/a.h", "#pragma once\n// One line.\nint a();\n") == 1);
  CHECK(finding_count(check_header, "store/a.h", "// Two\n// lines.\nint a();\n") == 1);
  CHECK(finding_count(check_header, "store/a.cpp", "int a;\n") == 0);
  expect_clean(check_header);
}

TEST_CASE("file names say what is inside") {
  CHECK(finding_count(check_name, "store/string_utils.h", "") == 1);
  CHECK(finding_count(check_name, "store/common.h", "") == 1);
  CHECK(finding_count(check_name, "apl/functions/deep/down/here/a.h", "") == 1);
  CHECK(finding_count(check_name, "store/utility_bill.h", "") == 0);
  expect_clean(check_name);
}

TEST_CASE("files stay small, and admitted ones only shrink") {
  const auto lines = [](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      text += "int x;\n";
    }
    return text;
  };
  const std::vector<LongFile> admitted = {{"store/long.cpp", 700, "2026-01-01", "a table"}};
  const auto count = [&](const char* path, std::size_t size) {
    return check_size(make_source(path, lines(size)), admitted).size();
  };
  CHECK(count("store/a.cpp", kSourceLinesMax) == 0);
  CHECK(count("store/a.cpp", kSourceLinesMax + 1) == 1);
  CHECK(count("store/a.h", kHeaderLinesMax) == 0);
  CHECK(count("store/a.h", kHeaderLinesMax + 1) == 1);
  CHECK(count("store/long.cpp", 695) == 0);
  CHECK(count("store/long.cpp", 701) == 1);
  CHECK(count("store/long.cpp", 650) == 1);
  expect_clean([](const SourceFile& file) { return check_size(file, long_files()); });
  for (const LongFile& row : long_files()) {
    const bool exists = std::any_of(tree().begin(), tree().end(),
                                    [&](const SourceFile& file) { return file.path == row.path; });
    CHECK_MESSAGE(exists, std::string(row.path) << " is gone: remove its row in long_files()");
  }
}

TEST_CASE("every source file is compiled by some target") {
  const std::filesystem::path build(EVQ_BINARY_DIR);
  std::string commands = read_file(build / "compile_commands.json");
  if (commands.empty()) {
    MESSAGE("no compile_commands.json: this generator writes none");
    return;
  }
  // With EVQ_UNITY the compiler is given files that include several of ours.
  for (const auto& entry : std::filesystem::recursive_directory_iterator(build)) {
    if (entry.path().parent_path().filename() == "Unity" && entry.path().extension() == ".cxx") {
      commands += read_file(entry.path());
    }
  }
  for (const SourceFile& file : tree()) {
    // Fuzz targets need clang and are built by their own preset.
    if (file.path.ends_with(".cpp") && !file.path.starts_with("tests/fuzz/")) {
      CHECK_MESSAGE(commands.find("/" + file.path + "\"") != std::string::npos,
                    file.path << " belongs to no target");
    }
  }
}

}  // namespace
}  // namespace evq
