// UTF-16 becomes the UTF-8 that it stands for, however it arrives.
#include "store/ingest/utf16_source.h"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "tests/support/load_events.h"

TEST_CASE("UTF-16 with its mark is text like any other") {
  evq::IngestOptions options;
  options.format = evq::InputFormat::kDetect;
  const std::string_view events = "{\"a\":\"\xC3\xB6\xF0\x9F\x8E\x89\"}\n{\"a\":\"x\"}\n";
  const std::string whole = evq::test::dump_rows(evq::test::load_events(events, {}).tables[0]);
  const std::u16string units = u"{\"a\":\"\u00F6\U0001F389\"}\n{\"a\":\"x\"}\n";
  for (const bool big_endian : {false, true}) {
    std::string bytes = big_endian ? "\xFE\xFF" : "\xFF\xFE";
    for (const char16_t unit : units) {
      const char low = static_cast<char>(unit & 0xFFU);
      const char high = static_cast<char>(unit >> 8U);
      bytes.append({big_endian ? high : low, big_endian ? low : high});
    }
    const auto loaded = evq::test::load_events(bytes, {});
    REQUIRE(loaded.status.ok());
    CHECK(evq::test::dump_rows(loaded.tables[0]) == whole);
    for (std::size_t first = 1; first < 5; ++first) {
      evq::test::SteppingSource source(bytes, first, 3);
      CHECK(evq::test::load_source(source, {}).rows() == whole);
    }
    CHECK(evq::utf8_of_utf16(bytes) == events);
    CHECK(evq::utf8_of_utf16(std::string_view(bytes).substr(0, 15)) == "{\"a\":\"");
  }
  // A lone surrogate, one before another character, and half a character.
  for (const std::string_view broken :
       {std::string_view("\xFF\xFEx\0\x00\xDC\n\0", 8),
        std::string_view("\xFF\xFE\x00\xD8x\0\n\0", 8), std::string_view("\xFF\xFEx\0y", 5),
        std::string_view("\xFF\xFEx\0\x00\xD8", 6)}) {
    const auto loaded = evq::test::load_events(broken, options);
    REQUIRE(loaded.status.ok());
    CHECK(loaded.counts.ingested == 1);
    CHECK(loaded.counts.repaired == 1);
  }
  CHECK(evq::test::load_events("\xFF\xFE", {}).counts.ingested == 0);
}
