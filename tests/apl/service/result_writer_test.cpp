// Writers of answers whose rows are small until they are text: they ask the query's control, and
// hold no row of many long cells.
#include "apl/service/result_writer.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "apl/service/cell_json.h"
#include "store/base/control.h"
#include "tests/support/temp_store.h"

namespace evq {
namespace {

constexpr std::size_t kLongBytes = std::size_t{1} << 20U;

// Rows of columns that all have one text of a mebibyte.
Chunk long_rows(std::size_t columns, std::size_t rows) {
  const Vector text = Vector::constant(Value::string(std::string(kLongBytes, 'x')), rows);
  return Chunk(std::vector<Vector>(columns, text), rows);
}

ResultHeader header_of(std::size_t columns, const QueryControl* control) {
  std::vector<Field> fields;
  for (std::size_t i = 0; i < columns; ++i) {
    fields.push_back({"c" + std::to_string(i), Type::kString});
  }
  ResultHeader header;
  header.schema = Schema(std::move(fields));
  header.control = control;
  return header;
}

constexpr ResultFormat kTexts[] = {ResultFormat::kJson, ResultFormat::kNdjson, ResultFormat::kCsv,
                                   ResultFormat::kTsv, ResultFormat::kLogfmt};

TEST_CASE("a writer ends when its query is no longer wanted") {
  for (const ResultFormat format : kTexts) {
    CAPTURE(static_cast<int>(format));
    QueryControl control;
    std::size_t bytes = 0;
    const auto writer = make_result_writer(format, [&](std::string_view text) {
      bytes += text.size();
      control.cancel();
      return Status::success();
    });
    REQUIRE(writer->begin(header_of(1, &control)).ok());
    const Status pushed = writer->push(long_rows(1, 10000), {});  // ten gigabytes of text
    REQUIRE(!pushed.ok());
    CHECK(pushed.error().code == ErrorCode::kCancelled);
    CHECK(bytes < 3 * kLongBytes);
  }
}

TEST_CASE("an answer of the API ends when its query is no longer wanted") {
  const TempDirectory directory;
  const auto space = std::make_shared<SpoolSpace>();
  space->directory = directory.path();
  for (const bool tabular : {true, false}) {
    CAPTURE(tabular);
    for (const bool grouped : {false, true}) {
      CAPTURE(grouped);
      QueryControl control;
      const auto answer = tabular ? make_tabular_answer(space) : make_legacy_answer(space);
      ResultHeader header = header_of(1, &control);
      header.aggregated = grouped;
      REQUIRE(answer->begin(header).ok());
      CHECK(answer->push(long_rows(1, 2), {}).ok());
      control.cancel();
      const Status pushed = answer->push(long_rows(1, 10000), {});
      REQUIRE(!pushed.ok());
      CHECK(pushed.error().code == ErrorCode::kCancelled);
    }
  }
}

TEST_CASE("a row of many long cells is handed on cell by cell") {
  for (const ResultFormat format : kTexts) {
    CAPTURE(static_cast<int>(format));
    std::size_t bytes = 0;
    std::size_t longest = 0;
    const auto writer = make_result_writer(format, [&](std::string_view text) {
      bytes += text.size();
      longest = std::max(longest, text.size());
      return Status::success();
    });
    REQUIRE(writer->begin(header_of(50, nullptr)).ok());
    REQUIRE(writer->push(long_rows(50, 1), {}).ok());
    REQUIRE(writer->end({}).ok());
    CHECK(bytes > 50 * kLongBytes);
    CHECK(longest < 2 * kLongBytes);
  }
}

TEST_CASE("a legacy row of many long cells moves to the file before it is whole") {
  const TempDirectory directory;
  const auto space = std::make_shared<SpoolSpace>();
  space->directory = directory.path();
  for (const bool grouped : {false, true}) {
    CAPTURE(grouped);
    space->file_bytes_max = 20 * kLongBytes;  // the row ends where these are full, not behind it
    space->borrowed_bytes_max = 0;
    const auto answer = make_legacy_answer(space);
    ResultHeader header = header_of(5000, nullptr);  // five gigabytes of text
    header.aggregated = grouped;
    REQUIRE(answer->begin(header).ok());
    const Status pushed = answer->push(long_rows(5000, 1), {});
    REQUIRE(!pushed.ok());
    CHECK(pushed.error().code == ErrorCode::kUnavailable);
  }
}

TEST_CASE("a legacy event of long and absent members is the tree that it was") {
  const TempDirectory directory;
  const auto space = std::make_shared<SpoolSpace>();
  space->directory = directory.path();
  const auto answer = make_legacy_answer(space);
  ResultHeader header;
  header.schema = Schema({{"a.none", Type::kString},
                          {"a.deep.none", Type::kString},
                          {"b.long", Type::kString},
                          {"b.none", Type::kString},
                          {"c.none", Type::kString},
                          {"d", Type::kLong}});
  const Vector none = Vector::constant(Value::null(Type::kString), 1);
  const std::string text(3 * kLongBytes, 'x');
  REQUIRE(answer->begin(header).ok());
  REQUIRE(answer
              ->push(Chunk({none, none, Vector::constant(Value::string(text), 1), none, none,
                            Vector::constant(Value::integer(7), 1)},
                           1),
                     {})
              .ok());
  REQUIRE(answer->end({}).ok());
  std::string all;
  for (bool more = true; more;) {
    std::string piece;
    more = answer->next(&piece).value();
    all += piece;
  }
  CHECK(all.find(R"("data":{"b":{"long":")" + text + R"("},"d":7}})") != std::string::npos);
}

TEST_CASE("the texts of a dictionary's entries are kept as far as there is room") {
  const Vector column = Vector::constant(Value::string(std::string(100, 'x')), 3);
  const std::string cell = '"' + std::string(100, 'x') + '"';
  for (const std::size_t room : {std::size_t{0}, cell.size() - 1, cell.size()}) {
    CellRenderer cells(column, WholeReals::kShort, room);
    std::string out;
    for (std::size_t row = 0; row < 3; ++row) {
      cells.append(&out, row);
    }
    CHECK(out == cell + cell + cell);
  }
}

}  // namespace
}  // namespace evq
