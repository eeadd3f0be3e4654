// Lines of JSON that begin with bytes which say nothing: byte order marks, record separators.
#include <string>

#include <doctest/doctest.h>

#include "tests/support/load_events.h"

using evq::test::load_events;
using evq::test::Loaded;

TEST_CASE("marks that lines of JSON may begin with") {
  evq::IngestOptions options;
  options.format = evq::InputFormat::kDetect;
  for (const char* text :
       {"{\"a\":1}\n\xEF\xBB\xBF{\"a\":2}\n", "\xEF\xBB\xBF{\"a\":1}\n\xEF\xBB\xBF{\"a\":2}",
        "\x1E{\"a\":1}\n\x1E{\"a\":2}\n", "{\"a\":1}\n\xEF\xBB\xBF\n{\"a\":2}\n",
        "{\"a\":1}\n\xEF\xBB\xBF[{\"a\":2}]\n"}) {
    CAPTURE(text);
    const Loaded loaded = load_events(text, options);
    CHECK(loaded.counts.ingested == 2);
    CHECK(loaded.failures().empty());
    CHECK(loaded.counts.processed_bytes == std::string(text).size());
  }
  CHECK(load_events("{\"a\":1}\n\x1E\x1E{\"a\":2}\n", options).counts.failed == 1);
  CHECK(load_events("{\"a\":1}\n{\xEF\xBB\xBF\"a\":2}\n", options).failures() ==
        "2:2 expected a key in double quotes\n");
}
