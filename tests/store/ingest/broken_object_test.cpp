// Objects that stand on one line: which of them fail, and what is told of those.
#include <string>

#include <doctest/doctest.h>

#include "tests/support/load_events.h"

namespace evq {
namespace {

using test::load_events;
using test::Loaded;

TEST_CASE("an object that is broken fails alone, though others stand in its line") {
  const Loaded loaded = load_events(
      "{\"a\":1}{\"a\":}{\"a\":3} {\"a\":{\"b\"}}{\"a\":5}\n"
      "{\"a\":6}{\"a\":7} x\n{\"a\":8}\n{\"a\":\"}{\"a\":9}\n{\"a\":10}");
  CHECK(loaded.rows() ==
        load_events("{\"a\":1}{\"a\":3}{\"a\":5}{\"a\":6}{\"a\":8}{\"a\":10}").rows());
  CHECK(loaded.failures() ==
        "1:13 expected a value\n1:31 expected ':' after key\n2:16 unexpected text after the event\n"
        "4:10 expected ',' or '}' after value\n");
  REQUIRE(loaded.rejects.size() == 4);
  CHECK(loaded.rejects[0] == "{\"a\":}");
  CHECK(loaded.rejects[1] == "{\"a\":{\"b\"}}");
  CHECK(loaded.rejects[2] == "{\"a\":7} x");
  CHECK(loaded.rejects[3] == "{\"a\":\"}{\"a\":9}");
  IngestOptions one_a_line;
  one_a_line.format = InputFormat::kNdjson;
  CHECK(load_events("{\"a\":1}{\"a\":}{\"a\":3}\n{\"a\":4}", one_a_line).counts.failed == 1);
}

TEST_CASE("an array is told by its place in a line that begins with what says nothing") {
  const Loaded loaded = load_events(
      "{\"a\":1}\n   [1 2]\n\xEF\xBB\xBF[1,2]\n  [{\"a\":1},{\"b\" 2}]\n\x1E [{\"a\":1},{\"" +
      std::string(2000, 'x') + "\":2}]\n {\"a\":tru}\n");
  CHECK(loaded.counts.ingested == 2);
  CHECK(loaded.failures() ==
        "2:7 expected ',' or ']' after value\n"
        "3:4 expected an object, found an array without objects\n"
        "4:17 expected ':' after key\n"
        "5:12 a field name is longer than 200 bytes\n"
        "6:7 expected a value\n");
}

}  // namespace
}  // namespace evq
