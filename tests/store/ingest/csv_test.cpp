// CSV: quoting, blanks, delimiters, headers, types of columns.
#include <bit>
#include <string>

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "store/base/number.h"
#include "store/ingest/csv_value.h"
#include "tests/support/load_events.h"

namespace {

using evq::IngestOptions;
using evq::test::dump_schema;
using evq::test::load_events;
using evq::test::Loaded;

IngestOptions csv() {
  IngestOptions options;
  options.format = evq::InputFormat::kCsv;
  return options;
}

std::string rows_of(const Loaded& loaded) {
  const std::string rows = loaded.rows();
  const std::string now = "_time=2023-11-14T22:13:20Z";
  std::string left;
  std::size_t begin = 0;
  for (std::size_t at = rows.find(now); at != std::string::npos; at = rows.find(now, begin)) {
    left.append(rows, begin, at - begin);
    begin = at + now.size();
    begin += begin < rows.size() && rows[begin] == ' ' ? std::size_t{1} : 0;
  }
  return left.append(rows, begin);
}

}  // namespace

TEST_CASE("records and cells") {
  struct Row {
    const char* about;
    const char* text;
    const char* rows;
    const char* failures = "";
  };
  const Row rows[] = {
      {"plain", "a,b\nx,y\n", "a=\"x\" b=\"y\"\n"},
      {"CR LF, no line end at the end", "a,b\r\nx,y\r\nz,w", "a=\"x\" b=\"y\"\na=\"z\" b=\"w\"\n"},
      {"quotes", "a,b\n\"x,1\",\"say \"\"hi\"\"\"\n", "a=\"x,1\" b=\"say \\\"hi\\\"\"\n"},
      {"lines in quotes", "a,b\n\"x\ny\r\nz\",w\n", "a=\"x\\ny\\r\\nz\" b=\"w\"\n"},
      {"blanks around are trimmed", "user, name\n\t x ,  y z \n", "user=\"x\" name=\"y z\"\n"},
      {"blanks inside quotes are not", "a,b\n \" x \" ,y\n", "a=\" x \" b=\"y\"\n"},
      {"empty cells are absent", "a,b,c\nx,,z\n,\"\",w\n", "a=\"x\" c=\"z\"\nc=\"w\"\n"},
      {"fewer cells", "a,b\nx\n", "a=\"x\"\n"},
      {"empty cells too many", "a,b\nx,y,\n", "a=\"x\" b=\"y\"\n"},
      {"cells too many", "a,b\nx,y,z\np,q\n", "a=\"p\" b=\"q\"\n",
       "2:5 more cells than the 2 fields of the header\n"},
      {"a quote inside a cell", "a,b\n5\" disk,y\nz,w\n",
       "a=\"5\\\" disk\" b=\"y\"\na=\"z\" b=\"w\"\n"},
      {"text after quotes", "a,b\n\"x\"y,z\np,q\n", "a=\"p\" b=\"q\"\n",
       "2:4 text after the closing quote of a cell\n"},
      {"not closed", "a\nx\n\"y\nz", "a=\"x\"\na=\"z\"\n", "3:1 the quoted cell is not closed\n"},
      {"not closed, lines without all cells", "a,b\nx,\"y\nz\n\nw,\"v\"u\np,q\n",
       "a=\"p\" b=\"q\"\n", "5:4 text after the closing quote of a cell: 4 lines skipped\n"},
      {"not closed, nothing to go on with", "a,b\nx,\"y\nz\n", "",
       "2:3 the quoted cell is not closed: 2 lines skipped\n"},
      {"closed by a later quote", "a,b\nx,\"y\nz,w\n1x,\"2x\"\np,q\n",
       "a=\"z\" b=\"w\"\na=\"1x\" b=\"2x\"\na=\"p\" b=\"q\"\n",
       "2:3 the quoted cell is not closed\n"},
      {"text after quotes around lines", "a,b\nx,\"y\nsaid \"z\" w\"\np,q\n", "a=\"p\" b=\"q\"\n",
       "3:7 text after the closing quote of a cell: 2 lines skipped\n"},
      {"cells too many in lines", "a,b\nx,\"y\nz\",w\n", "",
       "3:4 more cells than the 2 fields of the header: 2 lines skipped\n"},
      {"a stray quote beside whole cells", "a,b\n\"x\",\"y\n\"z\",\"w\"\n\"p\",\"q\nr\"\n",
       "a=\"z\" b=\"w\"\na=\"p\" b=\"q\\nr\"\n", "2:5 the quoted cell is not closed\n"},
      {"blank lines", "\n\na,b\n\n  \nx,y\n\n", "a=\"x\" b=\"y\"\n"},
      {"semicolons", "a;b\nx,1;y\n", "a=\"x,1\" b=\"y\"\n"},
      {"tabs", "a\tb\nx\t y \n\tz\n", "a=\"x\" b=\"y\"\nb=\"z\"\n"},
      {"dots stay", "geo.city,geo\nParis,x\n", "geo.city=\"Paris\" geo=\"x\"\n"},
      {"columns without a name", "a,,b\n1x,2x,3x\n", "a=\"1x\" column2=\"2x\" b=\"3x\"\n"},
      {"header only", "a,b\n", ""},
      {"invalid UTF-8", "a,b\n\xFF,y\n", "a=\"\uFFFD\" b=\"y\"\n"},
      {"a fault after invalid UTF-8", "a,b\n\xFF\xFF\xFF\xFF,\"y\n", "",
       "2:6 the quoted cell is not closed\n"},
      {"time", "_time,a\n2020-01-02 03:04:05,x\nnever,y\n", "_time=2020-01-02T03:04:05Z a=\"x\"\n",
       "3:1 the value of '_time' is no time: 'never'\n"},
      {"reserved", "_source,a\nx,y\n", "_user_source=\"x\" a=\"y\"\n"},
      {"never grouped", "time,data\nx,y\n", "time=\"x\" data=\"y\"\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.about);
    const Loaded loaded = load_events(row.text, csv());
    REQUIRE(loaded.status.ok());
    CHECK(rows_of(loaded) == row.rows);
    CHECK(loaded.failures() == row.failures);
    CHECK(loaded.counts.processed_bytes == std::string(row.text).size());
  }
}

TEST_CASE("a stray quote takes no line but its own from a large input") {
  std::string text = "a,b\n";
  constexpr std::size_t kRows = 400000;
  for (std::size_t row = 0; row < kRows; ++row) {
    text += std::to_string(row) + (row == 1000 || row == 300000 ? ",\"word\n" : ",word of it\n");
  }
  for (const std::string_view end : {"", "x,\"y\"\n"}) {
    const Loaded loaded = load_events(text + std::string(end), csv());
    REQUIRE(loaded.status.ok());
    CHECK(loaded.counts.ingested == kRows - 2 + (end.empty() ? 0 : 1));
    CHECK(loaded.failures() ==
          "1002:6 the quoted cell is not closed\n300002:8 the quoted cell is not closed\n");
  }
}

TEST_CASE("lines of which each has a quote that takes all others are read some times over") {
  std::string text = "a,b\n";
  constexpr std::size_t kRows = 1000000;
  for (std::size_t row = 0; row < kRows; ++row) {
    text += "\"b\",\"\n";
  }
  const Loaded loaded = load_events(text, csv());
  REQUIRE(loaded.status.ok());
  CHECK(loaded.counts.ingested + loaded.counts.failed > 0);
}

TEST_CASE("names and delimiter given") {
  IngestOptions options = csv();
  options.csv_fields = {"x", "y"};
  CHECK(rows_of(load_events("a,b\nc,d\n", options)) == "x=\"a\" y=\"b\"\nx=\"c\" y=\"d\"\n");
  options.csv_delimiter = ':';
  CHECK(rows_of(load_events("a,b:c\n", options)) == "x=\"a,b\" y=\"c\"\n");
  // A first record of these names is the header, and only the first.
  CHECK(rows_of(load_events("x:y\n1:2\n", options)) == "x=1 y=2\n");
  CHECK(rows_of(load_events("\"x\": y\nx:y\n", options)) == "x=\"x\" y=\"y\"\n");
  CHECK(rows_of(load_events("x:z\n", options)) == "x=\"x\" y=\"z\"\n");
}

TEST_CASE("a header that repeats a name is an error") {
  const Loaded loaded = load_events("a,b,\"a\"\n1,2,3\n", csv());
  REQUIRE_FALSE(loaded.status.ok());
  CHECK(loaded.status.error().code == evq::ErrorCode::kData);
  CHECK(loaded.status.error().message ==
        "the CSV header repeats the field 'a', in columns 1 and 3");
  CHECK(loaded.status.error().hint ==
        "leave the header line out and name the columns with csv-fields");
}

TEST_CASE("a repeated name is shown by its beginning") {
  const std::string name(100000, 'a');
  const Loaded loaded = load_events(name + ',' + name + "\n1,2\n", csv());
  REQUIRE_FALSE(loaded.status.ok());
  CHECK(loaded.status.error().message ==
        "the CSV header repeats the field '" + std::string(64, 'a') + "…', in columns 1 and 2");
}

TEST_CASE("a header has as many columns as a dataset may have fields, and no more") {
  const std::string widest(evq::kHeaderColumnsMax - 1, ',');
  const std::string row = "1" + widest.substr(1) + ",2\n";
  CHECK(rows_of(load_events("a" + widest + '\n' + row, csv())) ==
        "a=1 column" + std::to_string(evq::kHeaderColumnsMax) + "=2\n");
  const std::string too_wide = widest + ",\n";
  IngestOptions named = csv();
  named.csv_fields.resize(evq::kHeaderColumnsMax + 1, "x");
  IngestOptions detected;
  detected.format = evq::InputFormat::kDetect;
  for (const auto& [text, options] :
       {std::pair(too_wide + "1\n2\n", csv()), std::pair(std::string("1,2\n"), named),
        // The first record is an event, and its columns are numbered.
        std::pair("2024-05-01" + too_wide + "2024-05-02" + too_wide, detected)}) {
    const Loaded loaded = load_events(text, options);
    REQUIRE_FALSE(loaded.status.ok());
    CHECK(loaded.status.error().code == evq::ErrorCode::kData);
    CHECK(loaded.status.error().message == "the header has more than 10000 columns");
    CHECK(loaded.tables.empty());
  }
}

TEST_CASE("short records under a wide header are all read") {
  std::string text = "a" + std::string(evq::kHeaderColumnsMax - 1, ',') + '\n';
  constexpr std::size_t kRows = 3000;
  for (std::size_t row = 0; row < kRows; ++row) {
    text += "1\n";
  }
  const Loaded loaded = load_events(text, csv());
  REQUIRE(loaded.status.ok());
  CHECK(loaded.counts.ingested == kRows);
}

TEST_CASE("what a cell may be") {
  using evq::classify_csv_value;
  for (const char* text : {"0", "-1", "9007199254740992", "-9007199254740992"}) {
    CHECK(classify_csv_value(text) == evq::kRawIsLong);
  }
  for (const char* text :
       {"9007199254740993", "-9007199254740993", "9223372036854775807", "-9223372036854775808"}) {
    CHECK(classify_csv_value(text) == evq::kRawIsWideLong);
  }
  for (const char* text : {"0.5",
                           "-1.25",
                           "3.50",
                           "1.5e10",
                           "1.0E-3",
                           "12345678.123456789",
                           "1e+300",
                           "5E-324",
                           "-2.5e-300",
                           ".5",
                           "-.99",
                           "+0.52",
                           "+1.5e-05",
                           "0.30000000000000004",
                           "0.00196503850651205",
                           "0.1234567890123456789",
                           "12.3333333333333333",
                           "123456789012345.12345678",
                           "1234567890123456.5",
                           "0.0000000000000000000000000012"}) {
    CAPTURE(text);
    CHECK(classify_csv_value(text) == evq::kRawIsReal);
  }
  for (const char* text : {"true", "False", "TRUE"}) {
    CHECK(classify_csv_value(text) == evq::kRawIsBool);
  }
  for (const char* text : {"",
                           "-",
                           "007",
                           "-0",
                           "00.5",
                           "+1",
                           "1.",
                           ".",
                           "-.",
                           "+",
                           ".e-5",
                           "+1e5",
                           "1e5",
                           "NaN",
                           "inf",
                           "0x1f",
                           "1,5",
                           "1 2",
                           "9223372036854775808",
                           "12345678901234567.89",
                           "1234567890123456.78",
                           "1.5e",
                           "1.5e1000",
                           "1e+400",
                           "1e",
                           "1e+",
                           "1E5",
                           "yes",
                           "tRUE",
                           "--1"}) {
    CAPTURE(text);
    CHECK(classify_csv_value(text) == evq::kRawIsText);
  }
}

TEST_CASE("a whole column decides its type") {
  struct Row {
    const char* cells;  // of one column
    const char* schema;
    const char* rows;
  };
  const Row rows[] = {
      {"1\n2\n", "a:long", "a=1\na=2\n"},
      {"1\nx\n", "a:string", "a=\"1\"\na=\"x\"\n"},
      {"1\n2.50\n", "a:real", "a=1.0\na=2.5\n"},
      {"9007199254740993\n2.5\n", "a:string", "a=\"9007199254740993\"\na=\"2.5\"\n"},
      {"true\nfalse\n", "a:bool", "a=true\na=false\n"},
      {"true\n1\n", "a:string", "a=\"true\"\na=\"1\"\n"},
      {"007\n8\n", "a:string", "a=\"007\"\na=\"8\"\n"},
      {"5\n5\n5\n", "a:long", "a=5\na=5\na=5\n"},
      {"\"5\"\n6\n", "a:long", "a=5\na=6\n"},
      {"NaN\n1\n", "a:string", "a=\"NaN\"\na=\"1\"\n"},
      {"5\n-0\n", "a:string", "a=\"5\"\na=\"-0\"\n"},
      {"5\n+6\n", "a:string", "a=\"5\"\na=\"+6\"\n"},
      {"0\n-9223372036854775808\n9223372036854775807\n", "a:long",
       "a=0\na=-9223372036854775808\na=9223372036854775807\n"},
      {"-9223372036854775808\n9223372036854775808\n", "a:string",
       "a=\"-9223372036854775808\"\na=\"9223372036854775808\"\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.cells);
    const Loaded loaded = load_events("a\n" + std::string(row.cells), csv());
    REQUIRE(loaded.tables.size() == 1);
    CHECK(dump_schema(loaded.tables[0]) == row.schema);
    CHECK(rows_of(loaded) == row.rows);
  }
}

TEST_CASE("a column is what it is at the beginning, however its batches fall") {
  // More than the first look, and than one batch of rows.
  constexpr std::size_t kRows = 200000;
  std::string text = "long,zip,real,flag,late\n";
  for (std::size_t i = 0; i < kRows; ++i) {
    const std::string n = std::to_string(i);
    text += n + (i < kRows / 2 ? ",0" : ",1000") + std::to_string(i % 10) +
            (i % 3 == 0 ? ",0.5" : ",7") + (i % 2 == 0 ? ",true," : ",False,") +
            (i < kRows / 2 ? "" : n) + "\n";
  }
  text += "N/A,12,3,1,true\n1.5,x,9007199254740993,true,2.50\n7,,none,no,007\n,,,,1\n";
  const std::string tail =
      "long=\"N/A\" zip=\"12\" real=3 flag=\"1\" late=true\n"
      "long=1.5 zip=\"x\" real=9007199254740993 flag=true late=2.5\n"
      "long=7 real=\"none\" flag=\"no\" late=\"007\"\nlate=1\n";
  for (const std::size_t batch_rows : {std::size_t{777}, kRows / 2 + 1, evq::kBlockRowsMax}) {
    CAPTURE(batch_rows);
    IngestOptions options = csv();
    options.batch_rows_max = batch_rows;
    const auto in_place = evq::test::owned_source(text);
    for (const Loaded& loaded :
         {load_events(text, options), evq::test::load_source(*in_place, options)}) {
      REQUIRE(loaded.status.ok());
      CHECK(rows_of(loaded).ends_with("\n" + tail));
      for (std::size_t i = 0, row = 0; i < loaded.tables.size(); row += loaded.tables[i++].rows) {
        const evq::Table& table = loaded.tables[i];
        if (row + table.rows > kRows) {
          break;
        }
        const bool late = row + table.rows > kRows / 2;
        REQUIRE(dump_schema(table) == std::string("long:long zip:string real:real flag:bool") +
                                          (late ? " late:long" : ""));
      }
      REQUIRE(loaded.counts.odd_csv_values.size() == 3);
      const auto& odd = loaded.counts.odd_csv_values;
      CHECK(odd.at(0).field == "long");
      CHECK(odd.at(0).count == 1);
      CHECK(odd.at(0).line == kRows + 2);
      CHECK(odd.at(2).line == kRows + 4);
      CHECK(odd.at(3).count == 2);
      CHECK_FALSE(odd.at(3).number);
    }
  }
}

TEST_CASE("a number of a column is the same however few digits it has") {
  for (const std::string text : {"0",
                                 "-0",
                                 "7",
                                 "-12",
                                 "007",
                                 "00.5",
                                 "0.5",
                                 "-0.0",
                                 "-0.5",
                                 ".5",
                                 "-.25",
                                 "+0.5",
                                 "0.00196503850651205",
                                 "5.",
                                 "1.2.3",
                                 "--1",
                                 "+1",
                                 "999999999999999",
                                 "9999999999999999",
                                 "99999999999.9999",
                                 "123456789012.345",
                                 "0.00000000000001",
                                 "0.1",
                                 "0.3",
                                 "2.675",
                                 "1.5e3",
                                 "1e5",
                                 "12345678901234567",
                                 "-1.25",
                                 "9007199254740993",
                                 "1234567.123456789",
                                 "",
                                 "-",
                                 "."}) {
    CAPTURE(text);
    const std::uint8_t classes = evq::classify_csv_value(text);
    for (const evq::CsvColumn column : {evq::CsvColumn::kLong, evq::CsvColumn::kReal}) {
      const evq::Cell cell = evq::read_csv_value(column, text);
      const bool exact = classes == evq::kRawIsLong && column == evq::CsvColumn::kReal;
      if (classes == evq::kRawIsReal || exact) {
        REQUIRE(cell.kind == evq::CellKind::kReal);
        CHECK(std::bit_cast<std::uint64_t>(cell.real) ==
              std::bit_cast<std::uint64_t>(evq::parse_real(text).value()));
      } else if ((classes & (evq::kRawIsLong | evq::kRawIsWideLong)) != 0) {
        REQUIRE(cell.kind == evq::CellKind::kLong);
        CHECK(cell.integer == evq::read_csv_long(text));
      } else {
        CHECK(cell.kind == evq::CellKind::kText);
        CHECK(cell.view() == text);
      }
    }
  }
}

TEST_CASE("what fails decides no column, and a quote that is not closed hides none") {
  const Loaded loaded = load_events("a,b\nx,y,z\n1,\"2\n3,4\n5,6\n", csv());
  CHECK(loaded.counts.failed == 2);
  CHECK(rows_of(loaded) == "a=3 b=4\na=5 b=6\n");
}

TEST_CASE("a time of a column of numbers is read from its text") {
  IngestOptions options = csv();
  options.timestamp_field = "at";
  CHECK(load_events("at\n1700000000.1234567\n1700000001\n", options).rows() ==
        "_time=2023-11-14T22:13:20.1234567Z at=1700000000.1234567\n"
        "_time=2023-11-14T22:13:21Z at=1700000001.0\n");
  options.timestamp_layout = "20060102.15";
  CHECK(load_events("at\n20260102.05\n", options).rows() ==
        "_time=2026-01-02T05:00:00Z at=20260102.05\n");
}

TEST_CASE("numbers beyond a dictionary's size, with gaps") {
  std::string text = "a,b\n";
  for (int i = 0; i < 9000; ++i) {
    text += (i % 2 == 0 ? std::to_string(i) : "") + ",x\n";
  }
  const Loaded loaded = load_events(text, csv());
  REQUIRE(loaded.tables.size() == 1);
  CHECK(dump_schema(loaded.tables[0]) == "a:long b:string");
  const evq::Vector& a = loaded.tables[0].columns[2];
  CHECK(a.at<std::int64_t>(8998) == 8998);
  CHECK(a.is_null(8999));
}

TEST_CASE("numbers are the texts that they were when a later one is none") {
  std::string text = "a,b\n";
  for (int i = -3000; i < 3000; ++i) {
    text += (i % 2 == 0 ? std::to_string(i) : "") + ",x\n";
  }
  const Loaded loaded = load_events(text + "none,y\n,y\n", csv());
  REQUIRE(loaded.tables.size() == 1);
  CHECK(dump_schema(loaded.tables[0]) == "a:string b:string");
  const evq::Vector& a = loaded.tables[0].columns[2];
  for (std::size_t row = 0; row < 6000; ++row) {
    REQUIRE(a.is_null(row) == (row % 2 != 0));
    if (row % 2 == 0) {
      REQUIRE(a.at<std::string_view>(row) == std::to_string(static_cast<int>(row) - 3000));
    }
  }
  CHECK(a.at<std::string_view>(6000) == "none");
  CHECK(a.is_null(6001));
}

TEST_CASE("line ends that are CR alone are an error that says what to do") {
  const std::string message = "the line ends are CR alone; convert them first: tr '\\r' '\\n'";
  IngestOptions named = csv();
  named.csv_fields = {"a"};
  for (const char* text : {"a,b\r1,2\r3,4\r", "a,b\r1,2", "a,b\r1,2\r\n", "\n\"a\rb\",c\r1\r",
                           "a\r\"b", "a,b \r\r 1,2\n3,4\n"}) {
    CAPTURE(text);
    for (const IngestOptions& options : {csv(), named}) {
      const Loaded loaded = load_events(text, options);
      REQUIRE_FALSE(loaded.status.ok());
      CHECK(loaded.status.error().code == evq::ErrorCode::kData);
      CHECK(loaded.status.error().message == message);
      CHECK(loaded.counts.ingested == 0);
    }
  }
  CHECK(rows_of(load_events("a,\"b\rc\"\r\r\n1,\"2\r3\"\r \n", csv())) == "a=1 b\rc=\"2\\r3\"\n");
  CHECK(rows_of(load_events("a,b\r", csv())).empty());
  CHECK(load_events("a,b\r", csv()).status.ok());
}

TEST_CASE("blank lines before the header are passed over, however many, and counted") {
  const std::string blank(3 * evq::kMebibyte + 1, '\n');
  const std::string second = std::to_string(blank.size() + 2);
  struct Row {
    std::string text;
    std::string rows;
    std::string failures = {};
  };
  const Row rows[] = {
      {"a;b\n1;2;3\n4;5", "a=4 b=5\n", second + ":5 more cells than the 2 fields of the header\n"},
      {" \t\r\n  a\n\n1\n", "a=1\n"},
      {std::string(2 * evq::kMebibyte, ' ') + "\na\n1", "a=1\n"},
      {std::string(2 * evq::kMebibyte, ' ') + "a,b\n1,2", "a=1 b=2\n"},
      {"", ""},
      {"  ", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text.substr(0, 20));
    const std::string text = blank + row.text;
    const auto in_place = evq::test::owned_source(text);
    for (const Loaded& loaded :
         {load_events(text, csv()), evq::test::load_source(*in_place, csv())}) {
      REQUIRE(loaded.status.ok());
      CHECK(rows_of(loaded) == row.rows);
      CHECK(loaded.failures() == row.failures);
      CHECK(loaded.counts.processed_bytes == text.size());
    }
  }
  const Loaded twice = load_events(blank + "a,a\n", csv());
  REQUIRE_FALSE(twice.status.ok());
  CHECK(twice.status.error().message == "the CSV header repeats the field 'a', in columns 1 and 2");
  IngestOptions named = csv();
  named.csv_fields = {"a", "b"};
  const Loaded headless = load_events(blank + "1;2\n\"\n", named);
  CHECK(rows_of(headless) == "a=1 b=2\n");
  CHECK(headless.failures() == second + ":1 the quoted cell is not closed\n");
}
