// Sources that break in the middle, as a file that was packed and cut short: what was whole before
// the break becomes events, what it tore is a failure, and the load's error names the place.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "tests/support/load_events.h"

namespace {

using evq::IngestOptions;
using evq::InputFormat;
using evq::test::Loaded;

// Gives `text` three bytes at a time, then an error, time and again.
class BreakingSource final : public evq::ByteSource {
 public:
  explicit BreakingSource(std::string_view text) : text_(text) {}
  evq::Result<std::optional<std::size_t>> read(std::span<char> buffer,
                                               std::int64_t /*timeout_ms*/) override {
    constexpr std::size_t kBytesAtATime = 3;
    if (text_.empty()) {
      return evq::make_error(evq::ErrorCode::kIo, "broken");
    }
    const std::size_t size = text_.copy(buffer.data(), std::min(buffer.size(), kBytesAtATime));
    text_.remove_prefix(size);
    return std::optional(size);
  }

 private:
  std::string_view text_;
};

Loaded load_broken(std::string_view text, const IngestOptions& options = {}) {
  BreakingSource source(text);
  return evq::test::load_source(source, options);
}

std::string torn(std::string_view place) {
  return std::string(place) + " the event is cut off: broken\n";
}

}  // namespace

TEST_CASE("whole events before the break of a source are kept") {
  struct Row {
    const char* text;
    std::uint64_t events;
    const char* torn;  // where, if any is
    const char* error;
    InputFormat format = InputFormat::kDetect;
  };
  const Row rows[] = {
      {"", 0, "", "broken"},
      {"{\"i\":", 0, "1:1", "line 1, column 6: broken"},
      {"{\"i\":1}\n{\"i\":2}\n{\"i\":", 2, "3:1", "line 3, column 6: broken"},
      {"{\"i\":1}\n", 1, "", "line 2, column 1: broken"},
      {"{\"i\":1}\n\n \n", 1, "", "line 4, column 1: broken"},
      // An object that is closed is whole without its line feed.
      {"{\"i\":1}\n{\"i\":2}", 2, "", "line 2, column 8: broken"},
      {"{\"i\":1}{\"i\":2} {\"i\":3", 2, "1:16", "line 1, column 22: broken"},
      {"{\"i\":1}{\"i\":2", 0, "1:1", "line 1, column 14: broken", InputFormat::kNdjson},
      {"{\"i\":1}", 1, "", "line 1, column 8: broken", InputFormat::kNdjson},
      {"[{\"i\":1},{\"i\":2},", 2, "", "line 1, column 18: broken"},
      {"[{\"i\":1},\n{\"i\":2},{\"i\"", 2, "2:9", "line 2, column 13: broken"},
      {"{\n\"i\":1}\n{\n\"i\"", 1, "3:1", "line 4, column 4: broken"},
      // Names of columns are no event.
      {"i,j", 0, "", "line 1, column 4: broken", InputFormat::kCsv},
      {"i,j\n1,2\n3,4\n5", 2, "4:1", "line 4, column 2: broken"},
      {"i,j\n1,2\n3,\"4\n5\"", 1, "3:1", "line 4, column 3: broken"},
      {"a line\nanother lin", 1, "2:1", "line 2, column 12: broken", InputFormat::kText},
      {"a=1 b=2\na=3 b=", 1, "2:1", "line 2, column 7: broken", InputFormat::kLogfmt},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    IngestOptions options;
    options.format = row.format;
    const Loaded loaded = load_broken(row.text, options);
    REQUIRE_FALSE(loaded.status.ok());
    CHECK(loaded.status.error().message == row.error);
    CHECK(loaded.status.error().code == evq::ErrorCode::kIo);
    CHECK(loaded.counts.ingested == row.events);
    CHECK(loaded.failures() == (*row.torn == '\0' ? "" : torn(row.torn)));
    CHECK(loaded.counts.failed == loaded.counts.failures.size());
  }
}

TEST_CASE("an entry of a log that breaks has the lines that were whole") {
  IngestOptions options;
  options.format = InputFormat::kText;
  options.multiline = true;
  const Loaded loaded =
      load_broken("2024-05-01T00:00:00Z a\n  more\n2024-05-01T00:00:01Z b\n  at c\n  at", options);
  CHECK(loaded.status.error().message == "line 5, column 5: broken");
  CHECK(loaded.counts.ingested == 2);
  CHECK(loaded.rows() ==
        "_time=2024-05-01T00:00:00Z message=\"2024-05-01T00:00:00Z a\\n  more\"\n"
        "_time=2024-05-01T00:00:01Z message=\"2024-05-01T00:00:01Z b\\n  at c\"\n");
  CHECK(loaded.failures() == torn("5:1"));
}

TEST_CASE("what a break tore can be kept") {
  const Loaded loaded = load_broken("{\"i\":1}\n{\"i\":");
  REQUIRE(loaded.rejects.size() == 1);
  CHECK(loaded.rejects[0] == "{\"i\":");
}

TEST_CASE("UTF-16 breaks as its text does") {
  std::string text = "\xFF\xFE";
  for (const char c : std::string_view("{\"i\":1}\n{\"i\":2}\n{\"i")) {
    text.append({c, '\0'});
  }
  const Loaded loaded = load_broken(text);
  CHECK(loaded.status.error().message == "line 3, column 4: broken");
  CHECK(loaded.counts.ingested == 2);
  CHECK(loaded.failures() == torn("3:1"));
  CHECK_FALSE(load_broken("\xFF\xFE").status.ok());
}

TEST_CASE("an event that is too long is told as that, whether it is whole or not") {
  const std::string text = "{\"i\":1}\n{\"s\":\"" + std::string(3 * evq::kMebibyte, 'x');
  IngestOptions options;
  options.line_bytes_max = evq::kMebibyte;
  const Loaded loaded = load_broken(text, options);
  CHECK(loaded.status.error().message ==
        "line 2, column " + std::to_string(text.size() - 7) + ": broken");
  CHECK(loaded.counts.ingested == 1);
  CHECK(loaded.failures() == "2:1 the event is longer than the limit of 1048576 bytes\n");
}

TEST_CASE("what a break tore counts among the failures that are allowed") {
  IngestOptions options;
  options.failures_max = 0;
  const Loaded loaded = load_broken("{\"i\":1}\n{\"i\":", options);
  CHECK(loaded.status.error().message ==
        "too many events failed: 1, the first in line 2, column 1: the event is cut off: "
        "broken");
}
