// Which lines of a log become one event.
#include "store/ingest/log_entry.h"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "store/base/ascii.h"
#include "store/base/limits.h"
#include "tests/support/load_events.h"

namespace {

// The lines, those that begin an entry marked.
std::string marked(std::string_view text) {
  evq::LogEntryRule rule;
  std::string out;
  while (!text.empty()) {
    const std::string_view line = evq::take_line(&text);
    out += evq::is_blank(line) ? "" : rule.begins(line) ? "> " : "  ";
    out.append(line).append("\n");
  }
  return out;
}

evq::IngestOptions multiline() {
  evq::IngestOptions options;
  options.format = evq::InputFormat::kText;
  options.multiline = true;
  return options;
}

}  // namespace

TEST_CASE("in a log with times each line that tells one begins an entry") {
  CHECK(marked("2024-05-01 10:00:00,123 ERROR failed\n"
               "java.lang.Error: x\n"
               "\tat a.B.c(B.java:1)\n"
               "\n"
               "Caused by: y\n"
               "2024-05-01 10:00:01,000 INFO ok\n"
               "2024-05-01 10:00:02,000 INFO\n"
               "{\n"
               "  \"time\": 1\n"
               "}\n") ==
        "> 2024-05-01 10:00:00,123 ERROR failed\n"
        "  java.lang.Error: x\n"
        "  \tat a.B.c(B.java:1)\n"
        "\n"
        "  Caused by: y\n"
        "> 2024-05-01 10:00:01,000 INFO ok\n"
        "> 2024-05-01 10:00:02,000 INFO\n"
        "  {\n"
        "    \"time\": 1\n"
        "  }\n");
}

TEST_CASE("under a line with a time an indented one begins no entry") {
  CHECK(marked("2024-05-01 10:20:30 a\n"
               "  created: 2024-05-01 09:00:00\n"
               "\t2024-05-01 09:00:00\n"
               "2024-05-01 10:20:31 b\n") ==
        "> 2024-05-01 10:20:30 a\n"
        "    created: 2024-05-01 09:00:00\n"
        "  \t2024-05-01 09:00:00\n"
        "> 2024-05-01 10:20:31 b\n");
  // Where blanks align levels, or all times, they mean nothing.
  CHECK(marked("ERROR 2024-05-01 10:20:30 a\n"
               " INFO 2024-05-01 10:20:31 b\n"
               "  May  1 10:20:32 c\n"
               "ERROR 2024-05-01 10:20:33 d\n") ==
        "> ERROR 2024-05-01 10:20:30 a\n"
        ">  INFO 2024-05-01 10:20:31 b\n"
        ">   May  1 10:20:32 c\n"
        "> ERROR 2024-05-01 10:20:33 d\n");
  CHECK(marked("30 Apr 2024 10:20:30 a\n"
               " 1 May 2024 10:20:30 b\n") ==
        "> 30 Apr 2024 10:20:30 a\n"
        ">  1 May 2024 10:20:30 b\n");
  CHECK(marked("2024-05-01 10:20:30 a\n"
               " INFO 2024-05-01 10:20:31 b\n")
            .find(">  INFO") != std::string::npos);
}

TEST_CASE("the text of an entry keeps its first blanks") {
  CHECK(evq::entry_text("\n \r\n  a\n b \n\n") == "  a\n b");
  CHECK(evq::entry_text("a") == "a");
  CHECK(evq::entry_text(" \n\n").empty());
}

TEST_CASE("in a log without times an entry goes on as its lines begin") {
  CHECK(marked("starting\n"
               "Exception in thread \"main\" java.lang.Error: x\n"
               "    at a.B.c(B.java:1)\n"
               "Caused by: y\n"
               "\t... 3 more\n"
               "done\n"
               "Error: boom {\n"
               "  code: 1\n"
               "}\n"
               "2024-05-01T10:00:00Z timed\n"
               "goes on\n") ==
        "> starting\n"
        "> Exception in thread \"main\" java.lang.Error: x\n"
        "      at a.B.c(B.java:1)\n"
        "  Caused by: y\n"
        "  \t... 3 more\n"
        "> done\n"
        "> Error: boom {\n"
        "    code: 1\n"
        "  }\n"
        "> 2024-05-01T10:00:00Z timed\n"
        "  goes on\n");
}

TEST_CASE("the calls in the stack of a goroutine belong to it") {
  CHECK(marked("starting (again)\n"
               "panic: runtime error: index out of range [3]\n"
               "[signal SIGSEGV: segmentation violation]\n"
               "\n"
               "goroutine 1 [running]:\n"
               "main.(*app).run({0x4a, 0x2})\n"
               "\t/tmp/x.go:7 +0x1d\n"
               "...additional frames elided...\n"
               "created by main.start in goroutine 1\n"
               "\t/tmp/x.go:9 +0x2\n"
               "exit status 2\n"
               "main.run()\n"
               "request done (2 ms)\n") ==
        "> starting (again)\n"
        "> panic: runtime error: index out of range [3]\n"
        "  [signal SIGSEGV: segmentation violation]\n"
        "\n"
        "  goroutine 1 [running]:\n"
        "  main.(*app).run({0x4a, 0x2})\n"
        "  \t/tmp/x.go:7 +0x1d\n"
        "  ...additional frames elided...\n"
        "  created by main.start in goroutine 1\n"
        "  \t/tmp/x.go:9 +0x2\n"
        "> exit status 2\n"
        "> main.run()\n"
        "> request done (2 ms)\n");
}

TEST_CASE("a traceback of Python ends with its exception, and another may follow from it") {
  const std::string frames = "  File \"a.py\", line 1, in f\n    g()\n";
  const std::string traceback = "Traceback (most recent call last):\n" + frames;
  const std::string marked_frames = "    File \"a.py\", line 1, in f\n      g()\n";
  CHECK(marked("ERROR:root:failed\n" + traceback + "ValueError: x\n" + traceback +
               "KeyError: y\n\n" +
               "During handling of the above exception, another exception occurred:\n\n" +
               traceback + "OSError: z\nINFO:root:goes on\n") ==
        "> ERROR:root:failed\n  Traceback (most recent call last):\n" + marked_frames +
            "  ValueError: x\n> Traceback (most recent call last):\n" + marked_frames +
            "  KeyError: y\n\n  During handling of the above exception, another exception "
            "occurred:\n\n"
            "  Traceback (most recent call last):\n" +
            marked_frames + "  OSError: z\n> INFO:root:goes on\n");
}

TEST_CASE("entries are events, however their text arrives") {
  const std::string text =
      "\r\n  2024-05-01T09:59:59Z indented\r\n"
      "2024-05-01T10:00:00Z one\r\n\tat x\r\n\r\n \r\n"
      "2024-05-01T10:00:01Z two\n"
      "\xff\n"
      "<34>1 2003-10-11T22:14:15.003Z h su - - - three\nlast";
  const std::string rows =
      "_time=2024-05-01T09:59:59Z message=\"  2024-05-01T09:59:59Z indented\"\n"
      "_time=2024-05-01T10:00:00Z message=\"2024-05-01T10:00:00Z one\\r\\n\\tat x\"\n"
      "_time=2024-05-01T10:00:01Z message=\"2024-05-01T10:00:01Z two\\n\xEF\xBF\xBD\"\n";
  const evq::test::Loaded whole = evq::test::load_events(text, multiline());
  CHECK(whole.rows().starts_with(rows));
  CHECK(whole.rows().find("three\\nlast\"") != std::string::npos);
  CHECK(whole.rows().find("program=\"su\"") != std::string::npos);
  CHECK(whole.counts.ingested == 4);
  CHECK(whole.counts.repaired == 1);
  CHECK(whole.counts.first_repaired->line == 8);
  for (std::size_t first = 1; first < text.size(); ++first) {
    evq::test::SteppingSource source(text, first, 1 + first % 5);
    CHECK(evq::test::load_source(source, multiline()).rows() == whole.rows());
  }
}

TEST_CASE("the stack of a goroutine is read as one event, whatever its lines end with") {
  const std::string stack =
      "panic: x\n\ngoroutine 1 [running]:\nmain.main()\n\t/x.go:1 +0x1\n"
      "main.f(...)\n\t/x.go:2 +0x1\n...additional frames elided...\n"
      "created by main.start in goroutine 1\n\t/x.go:9 +0x2\n";
  CHECK(evq::test::load_events(stack, multiline()).counts.ingested == 1);
  std::string returned;
  for (const char c : stack) {
    returned += c == '\n' ? "\r\n" : std::string(1, c);
  }
  CHECK(evq::test::load_events(returned + "exit status 2\r\n", multiline()).counts.ingested == 2);
}

TEST_CASE("an entry is as long as a field's value may be") {
  const std::string line = std::string(1000, 'x') + "\n";
  std::string text = "2024-05-01T10:00:00Z begins\n";
  for (std::size_t bytes = 0; bytes < 2 * evq::kFieldValueBytesMax; bytes += line.size()) {
    text += line;
  }
  const auto loaded = evq::test::load_events(text, multiline());
  CHECK(loaded.counts.ingested == 3);
  CHECK(loaded.counts.untimed == 0);
  CHECK(loaded.rows().find("too long") == std::string::npos);
}

TEST_CASE("where the last entry begins") {
  CHECK(evq::last_entry_begin("") == 0);
  CHECK(evq::last_entry_begin("a\n b\n") == 0);
  CHECK(evq::last_entry_begin("a\nb\n c\n\n") == 2);
  CHECK(evq::has_longer_entries("a\n b\n"));
  CHECK_FALSE(evq::has_longer_entries(" a\nb\n"));
}
