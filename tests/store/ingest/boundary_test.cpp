// Where the events end that stand in an array of records inside an object.
#include "store/ingest/boundary.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "tests/support/load_events.h"

namespace {

evq::IngestOptions detected() {
  evq::IngestOptions options;
  options.format = evq::InputFormat::kDetect;
  return options;
}

// Where the records of a CSV text end, which comes `step` bytes at a time.
std::vector<std::size_t> record_ends(std::string_view text, char delimiter, std::size_t step) {
  const auto scanner = evq::make_record_scanner(delimiter);
  for (std::size_t end = std::min(step, text.size());; end = std::min(end + step, text.size())) {
    REQUIRE(scanner->scan(text.substr(0, end), SIZE_MAX, end == text.size()).ok());
    if (end == text.size()) {
      break;
    }
  }
  std::vector<std::size_t> ends;
  for (const evq::ValueSpan& span : scanner->spans()) {
    ends.push_back(span.begin + span.size);
  }
  return ends;
}

}  // namespace

TEST_CASE("records of CSV end where they do when each byte is looked at alone") {
  std::mt19937 random(7);
  // What records have most of, then what they are made of where quotes do as they should.
  constexpr std::string_view kBytes[] = {"\",\n\r ab\"", "\",\n\t abcdefghijklmnopqrstuvwxyz"};
  constexpr std::string_view kCells[] = {
      "\"\"", "\"a,\"\"\n b\"", "ab", "12", " ", "\r\n", "\n", ",", "\t", ",", ",", "\n"};
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    const std::string_view bytes = kBytes[random() % 2];
    const std::size_t size = random() % (round % 2 == 0 ? 40 : 400);
    const bool cells = random() % 3 == 0;
    while (text.size() < size) {
      if (cells && random() % 100 != 0) {
        text += kCells[random() % std::size(kCells)];
      } else {
        text.push_back(bytes[random() % bytes.size()]);
      }
    }
    CAPTURE(text);
    const char delimiter = random() % 2 == 0 ? ',' : '\t';
    const std::vector<std::size_t> ends = record_ends(text, delimiter, 1);
    REQUIRE(record_ends(text, delimiter, std::max<std::size_t>(text.size(), 1)) == ends);
    REQUIRE(record_ends(text, delimiter, 1 + random() % 200) == ends);
  }
}

TEST_CASE("an array of records is told by the beginning of its object") {
  CHECK(evq::records_prefix("{\"Records\":[{\"a\"") == 12);
  CHECK(evq::records_prefix("{ \"records\"\n: [ {") == 16);
  CHECK(evq::records_prefix("{\"Records\":[") == std::nullopt);
  CHECK(evq::records_prefix("{\"Rec") == std::nullopt);
  CHECK(evq::records_prefix("{") == std::nullopt);
  CHECK(evq::records_prefix("{\"Records\":[]}") == 0);
  CHECK(evq::records_prefix("{\"Records\":{") == 0);
  CHECK(evq::records_prefix("{\"RECORDS\":[{") == 0);
  CHECK(evq::records_prefix("{}") == 0);
}

TEST_CASE("records are events, however their text arrives") {
  const std::string text =
      "{\"Records\":[{\"a\":\"]}\"},\n {\"a\":{\"b\":[1]}}]} {\"c\":1}\n"
      "{ \"records\": [ {\"a\":3} ] }\n"
      "{\"Records\":[{\"a\":4}] , \"n\":{\"b\":[\"}]\"]}, \"m\":0}\n{\"Records\":[]}";
  const std::string rows = evq::test::load_events(text, detected()).rows();
  CHECK(rows ==
        "_time=2023-11-14T22:13:20Z a=\"]}\"\n"
        "_time=2023-11-14T22:13:20Z a.b=[1]\n"
        "_time=2023-11-14T22:13:20Z c=1\n"
        "_time=2023-11-14T22:13:20Z a=3\n"
        "_time=2023-11-14T22:13:20Z a=4\n"
        "_time=2023-11-14T22:13:20Z Records=[]\n");
  for (std::size_t first = 1; first < 20; ++first) {
    evq::test::SteppingSource source(text, first, 1 + first % 3);
    CHECK(evq::test::load_source(source, detected()).rows() == rows);
  }
}

TEST_CASE("what stands around records is read to its end") {
  const std::string records = "{\"Records\":[{\"a\":1}";
  for (const auto& [rest, message] : {
           std::pair(",2", "expected ',' or ']'"),
           std::pair("]", "line 1, column 21: the object around the records is not closed"),
           std::pair("]1", "line 1, column 21: expected ',' or '}' after the array of records"),
           std::pair("],\"b\":1", "line 1, column 27: the object around the records is not closed"),
           std::pair("", "line 1, column 20: the array is not closed"),
       }) {
    const auto loaded = evq::test::load_events(records + rest, detected());
    CAPTURE(rest);
    CHECK(loaded.counts.ingested >= 1);
    if (std::string_view(rest) != ",2") {
      REQUIRE(!loaded.status.ok());
      CHECK(loaded.status.error().message == message);
    }
  }
}

TEST_CASE("a quote that is not closed ends its record after some MiB, however the text comes") {
  const std::string row = "some,cells of a row\n";
  std::string rows;
  while (rows.size() < 9 * evq::kMebibyte) {
    rows += row;
  }
  // The first record with the quote ends with a line, and the rest of the rows are records again.
  const std::string text = "a,\"b\n" + rows;
  const std::vector<std::size_t> ends = record_ends(text, ',', text.size());
  REQUIRE(ends.size() > 2);
  CHECK(ends[0] > 3 * evq::kMebibyte);
  CHECK(ends[0] <= 4 * evq::kMebibyte);
  CHECK(text[ends[0] - 1] == '\n');
  CHECK(ends[1] - ends[0] == row.size());
  CHECK(ends.size() == 1 + (text.size() - ends[0]) / row.size());
  CHECK(record_ends(text, ',', 100001) == ends);
  // Cells that may be values, and one without a line end in it, are waited for.
  const std::string cell = "\"" + std::string(evq::kMebibyte, '\n') + "\",";
  const std::string wide = cell + cell + cell + cell + cell + cell + "x\n";
  CHECK(record_ends(wide, ',', wide.size()) == std::vector<std::size_t>{wide.size()});
  CHECK(record_ends(wide, ',', 100001) == std::vector<std::size_t>{wide.size()});
  const std::string line = "\"" + std::string(9 * evq::kMebibyte, 'x') + "\"\n";
  CHECK(record_ends(line, ',', line.size()) == std::vector<std::size_t>{line.size()});
}
