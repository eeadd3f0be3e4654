// The limit of a line, which holds also where the whole line is there before it is looked at: an
// event of exactly so many bytes is taken, one of a byte more fails alone.
#include <string>

#include <doctest/doctest.h>

#include "tests/support/load_events.h"

namespace {

using evq::IngestOptions;
using evq::InputFormat;
using evq::test::load_events;
using evq::test::Loaded;

constexpr std::size_t kLimit = 20;

struct Kind {
  InputFormat format;
  std::string head;  // before the lines
  std::string fits;  // of as many bytes as the limit
  std::string past;
  bool multiline = false;
};

TEST_CASE("a line is held to its limit whatever is in it") {
  const Kind kinds[] = {
      {InputFormat::kNdjson, "", R"({"a":"012345678901"})", R"({"a":"0123456789012"})"},
      {InputFormat::kText, "", "some words in a line", "some words in a line!"},
      {InputFormat::kText, "", "some words in a line", "some words in a line!", true},
      {InputFormat::kLogfmt, "", "level=info msg=hello", "level=info msg=hello!"},
      {InputFormat::kW3c, "#Fields: a b\n", "one two-and-the-rest", "one two-and-the-rest!"},
      {InputFormat::kCsv, "a,b\n", "one,two and the rest", "one,two and the rest!"},
  };
  for (const Kind& kind : kinds) {
    CAPTURE(kind.fits);
    CAPTURE(kind.multiline);
    REQUIRE(kind.fits.size() == kLimit);
    REQUIRE(kind.past.size() == kLimit + 1);
    IngestOptions options;
    options.format = kind.format;
    options.line_bytes_max = kLimit;
    options.multiline = kind.multiline;
    const Loaded loaded = load_events(
        kind.head + kind.fits + "\n" + kind.past + "\n" + kind.fits + "\n" + kind.fits, options);
    REQUIRE(loaded.status.ok());
    CHECK(loaded.counts.ingested == 3);
    CHECK(loaded.failures() == std::string(kind.head.empty() ? "2" : "3") +
                                   ":1 the event is longer than the limit of 20 bytes\n");
    REQUIRE(loaded.rejects.size() == 1);
    CHECK(loaded.rejects[0] == kind.past);
  }
}

}  // namespace
