// The way of whole inputs: formats told by content, cuts at every byte, order, batches, errors.
#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "store/base/thread_pool.h"
#include "store/ingest/format.h"
#include "tests/support/load_events.h"

namespace {

using evq::IngestOptions;
using evq::InputFormat;
using evq::PieceKind;
using evq::test::load_events;
using evq::test::load_source;
using evq::test::Loaded;
using evq::test::owned_source;
using evq::test::SteppingSource;

// The fields named `i` of all rows, in order.
std::vector<std::int64_t> numbers_of(const Loaded& loaded) {
  std::vector<std::int64_t> numbers;
  for (const evq::Table& table : loaded.tables) {
    const auto i = table.schema.find("i");
    REQUIRE(i.has_value());
    for (std::size_t row = 0; row < table.rows; ++row) {
      numbers.push_back(table.columns[*i].at<std::int64_t>(row));
    }
  }
  return numbers;
}

std::string numbered_lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += "{\"i\":" + std::to_string(i) + ",\"text\":\"some text of event " +
            std::to_string(i % 100) + "\"}\n";
  }
  return text;
}

}  // namespace

TEST_CASE("the kind of input is told by its first bytes") {
  struct Row {
    const char* head;
    InputFormat forced;
    bool at_end;
    std::optional<PieceKind> kind;
  };
  const Row rows[] = {
      {"", InputFormat::kAuto, false, std::nullopt},
      {"  \n", InputFormat::kAuto, false, std::nullopt},
      {"", InputFormat::kAuto, true, PieceKind::kValues},
      {" [", InputFormat::kAuto, false, std::nullopt},
      {" [", InputFormat::kJson, false, PieceKind::kValues},
      {"[1,\n", InputFormat::kAuto, false, PieceKind::kValues},
      {"[1,2]\n", InputFormat::kAuto, false, std::nullopt},
      {"[1,2]\n", InputFormat::kAuto, true, PieceKind::kValues},
      {"[1,2]\n[", InputFormat::kAuto, false, PieceKind::kLines},
      {"[1,2]\n[", InputFormat::kJson, false, PieceKind::kValues},
      {"{\"a\":1", InputFormat::kAuto, false, std::nullopt},
      {"{\"a\":1}", InputFormat::kAuto, true, PieceKind::kValues},
      {"{\"a\":1}\n", InputFormat::kAuto, false, PieceKind::kLines},
      {"{\"a\":\"}\\\"\"}\n", InputFormat::kAuto, false, PieceKind::kLines},
      {"{\n", InputFormat::kAuto, false, std::nullopt},
      {"{\n \"a\":1", InputFormat::kAuto, false, PieceKind::kValues},
      {"{\"a\":1\n{\"b", InputFormat::kAuto, false, PieceKind::kLines},
      {"{\"a\":\"x\n{\"b", InputFormat::kAuto, false, PieceKind::kLines},
      {"{\"a\":[ \n{\"b", InputFormat::kAuto, false, PieceKind::kValues},
      {"a,b\n", InputFormat::kAuto, false, PieceKind::kRecords},
      {"a,b\n", InputFormat::kJson, false, PieceKind::kValues},
      {"[", InputFormat::kNdjson, false, PieceKind::kLines},
      {"{", InputFormat::kCsv, false, PieceKind::kRecords},
      {"{", InputFormat::kText, false, PieceKind::kText},
      // Only kDetect knows plain text.
      {"[error] x\n", InputFormat::kAuto, true, PieceKind::kValues},
      {"[error] x\n", InputFormat::kDetect, false, PieceKind::kText},
      {"[2024-05-01 10:20:30] x\n", InputFormat::kDetect, false, PieceKind::kText},
      {"[    0.000000] Linux\n", InputFormat::kDetect, false, PieceKind::kText},
      {"[1] x\n", InputFormat::kDetect, false, PieceKind::kText},
      {"[1]\n[2]\n", InputFormat::kDetect, false, PieceKind::kLines},
      {"[1] [2]\n", InputFormat::kDetect, true, PieceKind::kText},
      {"{\"Records\":[{\"a\":1}", InputFormat::kDetect, false, PieceKind::kValues},
      {" { \"records\" :\n[ {", InputFormat::kDetect, false, PieceKind::kValues},
      {"{\"Records\":[", InputFormat::kDetect, false, std::nullopt},
      {"{\"Records\":[{}]}\n", InputFormat::kAuto, false, PieceKind::kLines},
      {"{\"Records\":[1]}\n", InputFormat::kDetect, false, PieceKind::kLines},
      {"{\"Record\":[{}]}\n", InputFormat::kDetect, false, PieceKind::kLines},
      {"[2024, 1]\n", InputFormat::kDetect, true, PieceKind::kValues},
      {"[tr", InputFormat::kDetect, false, std::nullopt},
      {"[\"a\",\"b\"]\n[1", InputFormat::kDetect, false, PieceKind::kRows},
      {"[\"a\",\"b\"]\n[1", InputFormat::kAuto, false, PieceKind::kLines},
      {"[\"a\",\"b\"]\n{", InputFormat::kDetect, false, PieceKind::kValues},
      {"[\"a\",\"a\"]\n[1", InputFormat::kDetect, false, PieceKind::kLines},
      {"[\"a\",\"\"]\n[1", InputFormat::kDetect, false, PieceKind::kLines},
      {"[\"a\",1]\n[1", InputFormat::kDetect, false, PieceKind::kLines},
      {"a,b\n1,2\n", InputFormat::kDetect, false, PieceKind::kRecords},
      {"first name,the last name of her\n", InputFormat::kDetect, true, PieceKind::kRecords},
      {"id\n1\n", InputFormat::kDetect, true, PieceKind::kRecords},
      {"hello\n", InputFormat::kDetect, true, PieceKind::kText},
      {"Hello, World!\n", InputFormat::kDetect, true, PieceKind::kText},
      {"Hello, World!\n", InputFormat::kDetect, false, std::nullopt},
      {"Hello, World!\nNext line\n", InputFormat::kDetect, false, PieceKind::kText},
      {"id, name\n1, a\n", InputFormat::kDetect, false, PieceKind::kRecords},
      {"error: a failed, retrying\n", InputFormat::kDetect, false, PieceKind::kText},
      {"failed, code 3\nfailed, code 4\n", InputFormat::kDetect, false, PieceKind::kText},
      {"failed, code 3\nfailed, ", InputFormat::kDetect, false, std::nullopt},
      {"name,kind\nkind,kind\n", InputFormat::kDetect, false, PieceKind::kRecords},
      {"10.0.0.1\n10.0.0.2\n", InputFormat::kDetect, false, PieceKind::kText},
      {"/var/log/a\n", InputFormat::kDetect, false, PieceKind::kText},
      {"https://x.io\n", InputFormat::kDetect, false, PieceKind::kText},
      {"id, name\n\"1\n", InputFormat::kDetect, false, PieceKind::kRecords},
      {"2024-05-01 10:20:30,123:INFO:x\n", InputFormat::kDetect, false, PieceKind::kText},
      {"INFO 2024-05-01 10:20:30,123 x\n", InputFormat::kDetect, false, PieceKind::kText},
      {"#Software: Server 10.0\n#Fields: a b\n", InputFormat::kDetect, false, PieceKind::kW3c},
      {"#Software: Server 10.0\n#Fields: a b\n", InputFormat::kAuto, false, PieceKind::kRecords},
      {"#separator \\x09\n#fields\tts\tuid\n", InputFormat::kDetect, false, PieceKind::kW3c},
      {"#Software: Server 10.0\n", InputFormat::kDetect, false, std::nullopt},
      {"#Software: Server 10.0\n", InputFormat::kDetect, true, PieceKind::kText},
      {"#Fields: a", InputFormat::kDetect, false, std::nullopt},
      {"#Fields:\n#x\n1", InputFormat::kDetect, true, PieceKind::kText},
      {"# fields a b\n1 2\n", InputFormat::kDetect, true, PieceKind::kText},
      {"1 2\n", InputFormat::kW3c, false, PieceKind::kW3c},
      {"id\n1\n", InputFormat::kDetect, false, std::nullopt},
      {"hello", InputFormat::kDetect, false, std::nullopt},
      {"2015-10-18 18:01:47,978 INFO x\n", InputFormat::kDetect, false, PieceKind::kText},
      {"a,\"b c\"\n1,2\n", InputFormat::kDetect, false, PieceKind::kRecords},
      {"\"a\"\"b\", \"c\" ,d\r\n", InputFormat::kDetect, false, PieceKind::kRecords},
      {"a,\"b\nc\"\n", InputFormat::kDetect, false, PieceKind::kRecords},
      {"10.0.0.1 - - [01/May/2024:10:00:00 +0000] \"GET / HTTP/1.1\" 200 612 \"-\" \"a,b\"\n",
       InputFormat::kDetect, false, PieceKind::kText},
      {"\"GET / HTTP/1.1\" 200 \"-\"\n", InputFormat::kDetect, false, PieceKind::kText},
      {"said \"no\"\n", InputFormat::kDetect, false, PieceKind::kText},
      {"level=info msg=\"a, b\"\n", InputFormat::kDetect, false, PieceKind::kLogfmt},
      {"level=info msg=x\r\nnext", InputFormat::kDetect, false, PieceKind::kLogfmt},
      {"level=info msg=x", InputFormat::kDetect, true, PieceKind::kLogfmt},
      {"level=info msg=x", InputFormat::kDetect, false, std::nullopt},
      {"level=info,msg=x\n", InputFormat::kDetect, false, PieceKind::kRecords},
      {"level=info msg=x\n", InputFormat::kAuto, false, PieceKind::kRecords},
      {"x", InputFormat::kLogfmt, false, PieceKind::kLogfmt},
      {"it, said the one who saw the thing first, is\n", InputFormat::kDetect, false,
       PieceKind::kText},
  };
  for (const Row& row : rows) {
    CAPTURE(row.head);
    CHECK(evq::detect_kind(row.head, row.forced, row.at_end) == row.kind);
  }
}

TEST_CASE("delimiters are told by the first record") {
  CHECK(evq::detect_delimiter("a,b;c\n;;;;") == ',');
  CHECK(evq::detect_delimiter("a;b;c,d") == ';');
  CHECK(evq::detect_delimiter("a\tb") == '\t');
  CHECK(evq::detect_delimiter("\"x|y|z\",b") == ',');
  CHECK(evq::detect_delimiter("a|b") == '|');
  CHECK(evq::detect_delimiter("a") == ',');
}

TEST_CASE("one object, several, an array: with and without line ends") {
  const std::string expected = load_events("{\"a\":1,\"b\":{\"c\":[1,2]}}\n{\"a\":2}\n").rows();
  const char* texts[] = {
      "[{\"a\":1,\"b\":{\"c\":[1,2]}},{\"a\":2}]",
      "  [\n {\"a\":1,\"b\":{\"c\":[1,2]}} ,\n {\"a\":2}\n]\n",
      "{\"a\":1,\"b\":{\"c\":[1,2]}}{\"a\":2}",
      "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": [\n1,2]\n  }\n}\n{\n  \"a\": 2\n}\n",
      "[{\"a\":1,\"b\":{\"c\":[1,2]}}]\n[{\"a\":2}]",
      "{\"a\":1,\"b\":{\"c\":[1,2]}}{\"a\":2}\n",
      "\xEF\xBB\xBF{\"a\":1,\"b\":{\"c\":[1,2]}}\n{\"a\":2}",
  };
  for (const char* text : texts) {
    CAPTURE(text);
    const Loaded loaded = load_events(text);
    REQUIRE(loaded.status.ok());
    CHECK(loaded.rows() == expected);
    CHECK(loaded.counts.processed_bytes == std::string(text).size());
    CHECK(loaded.counts.failed == 0);
  }
}

TEST_CASE("elements that are no objects fail alone; broken syntax fails the array") {
  const Loaded mixed = load_events("[1,{\"a\":1},\n\"x\",[2],null,{\"a\":2}]");
  CHECK(mixed.counts.ingested == 2);
  CHECK(mixed.failures() ==
        "1:2 expected an object\n2:1 expected an object\n"
        "2:5 expected an object\n2:9 expected an object\n");
  struct Row {
    const char* text;
    const char* message;
  };
  const Row rows[] = {
      {"[{\"a\":1},{\"a\":}]", "line 1, column 15: expected a value"},
      {"[{\"a\":1}\n {\"a\":2}]", "line 2, column 2: expected ',' or ']' after an element"},
      {"[{\"a\":1},]", "line 1, column 10: expected a value in the array"},
      {"[{\"a\":1}", "line 1, column 9: the array is not closed"},
      {"[{\"a\":1},", "line 1, column 10: the array is not closed"},
      {"[{\"a\":1]]", "line 1, column 8: expected ',' or '}' after value"},
      {"[{\"a\":1]", "line 1, column 8: expected ',' or '}' after value"},
      {"[tru]", "line 1, column 2: expected a value"},
      {"[", "line 1, column 2: the array is not closed"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.text));
    const Loaded loaded = load_events(row.text);
    REQUIRE_FALSE(loaded.status.ok());
    CHECK(loaded.status.error().code == evq::ErrorCode::kData);
    CHECK(loaded.status.error().message.substr(0, std::string(row.message).size()) == row.message);
  }
  CHECK(load_events("[]").counts.ingested == 0);
  CHECK(load_events("[]").status.ok());
}

TEST_CASE("a JSON body that does not parse at all is an error") {
  IngestOptions options;
  options.format = InputFormat::kJson;
  for (const char* text : {"{\"a\":", "hello", "{]}"}) {
    CAPTURE(text);
    const Loaded loaded = load_events(text, options);
    REQUIRE_FALSE(loaded.status.ok());
    CHECK(loaded.status.error().code == evq::ErrorCode::kData);
  }
  CHECK(load_events("{\"a\":1} {\"b\":", options).counts.ingested == 1);
  CHECK(load_events("{\"a\":1} {\"b\":", options).counts.failed == 1);
  CHECK(load_events("", options).status.ok());
}

TEST_CASE("the same text cut anywhere gives the same events") {
  const std::string texts[] = {
      "{\"a\":\"x\\\"y\",\"b\":{\"c.d\":[1,{\"e\":\"]\"}]}}\n\n "
      "{\"a\":\"z\xC3\xA9\"}\r\nbroken\n{\"a\":1}",
      "[ {\"a\":\"x\\\"]y\",\"b\":{\"c\":[1]}} , {\"a\":2} , 5,\"s,]\" ]",
      "{\n \"a\" : \"}{\\\\\"\n}{\"a\":-1.5e3}\n17 {\"a\":true}",
      "\xEF\xBB\xBF"
      "a , \"b,\"\"q\"\r\n1,\"two\nlines, \"\"here\"\"\"\r\n 2 , x \n\n3,\"\"\n4,y,z\n",
      "a;b\n1;2\n\"3\";\"4;\n5\"",
  };
  for (const std::string& text : texts) {
    CAPTURE(text);
    const Loaded whole = load_events(text);
    const std::string status = whole.status.ok() ? "" : whole.status.error().message;
    REQUIRE(whole.counts.ingested + whole.counts.failed > 0);
    const auto in_place = evq::decoded_source(owned_source(text), {});
    const Loaded uncut = load_source(*in_place, {});
    CHECK((uncut.status.ok() ? "" : uncut.status.error().message) == status);
    CHECK(uncut.rows() == whole.rows());
    CHECK(uncut.failures() == whole.failures());
    CHECK(uncut.counts.processed_bytes == text.size());
    for (std::size_t first = 0; first <= text.size(); ++first) {
      for (const std::size_t step : {std::size_t{1}, text.size()}) {
        CAPTURE(first);
        SteppingSource source(text, std::max<std::size_t>(first, 1), step);
        const Loaded parts = load_source(source, {});
        CHECK((parts.status.ok() ? "" : parts.status.error().message) == status);
        CHECK(parts.failures() == whole.failures());
        CHECK(parts.counts.processed_bytes == text.size());
        // Batches may differ, and with them nothing but the types of columns.
        std::size_t rows = 0;
        for (const evq::Table& table : parts.tables) {
          rows += table.rows;
        }
        CHECK(rows == whole.counts.ingested);
        if (step != 1) {
          CHECK(parts.rows() == whole.rows());
        }
      }
    }
  }
}

TEST_CASE("an event that is too long is passed over and the next one is read") {
  IngestOptions options;
  options.line_bytes_max = 3 * evq::kMebibyte;
  const std::string big(10 * evq::kMebibyte, 'x');
  struct Row {
    std::string text;
    std::string failure;
  };
  const Row rows[] = {
      {"{\"a\":1}\n{\"a\":\"" + big + "\"}\n{\"a\":2}\n", "2:1 "},
      {"[{\"a\":1},\n{\"a\":\"" + big + "\"},{\"a\":2}]", "2:1 "},
      {"a\n1\n\"" + big + "\"\n2\n", "3:1 "},
      {"{\"a\":\"" + big + "\"}\n{\"a\":1}\n{\"a\":2}", "1:1 "},
  };
  for (const Row& row : rows) {
    const Loaded loaded = load_events(row.text, options);
    REQUIRE(loaded.status.ok());
    CHECK(loaded.counts.ingested == 2);
    CHECK(loaded.failures() ==
          row.failure + "the event is longer than the limit of 3145728 bytes\n");
    REQUIRE(loaded.rejects.size() == 1);
    CHECK(loaded.rejects[0].size() == 1024);
  }
}

TEST_CASE("batches come in order, of the rows asked for, whatever the threads") {
  const std::string text = numbered_lines(20000);
  for (const std::size_t threads : {0U, 1U, 2U, 4U}) {
    for (const unsigned variant : {0U, 1U, 2U, 3U, 5U, 7U}) {
      const bool pooled = variant % 2 != 0;
      const bool owned = variant / 2 % 2 != 0;
      evq::ThreadPool pool(threads);
      evq::ThreadPool committer(1);
      evq::StreamContext context;
      context.pool = pooled ? &pool : nullptr;
      context.committer = variant / 4 != 0 ? &committer : nullptr;
      IngestOptions options;
      options.batch_rows_max = 700;
      const auto source = owned ? owned_source(text) : evq::memory_source(text);
      const Loaded loaded = load_source(*source, options, context);
      REQUIRE(loaded.status.ok());
      const auto numbers = numbers_of(loaded);
      REQUIRE(numbers.size() == 20000);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        wrong += numbers[i] != static_cast<std::int64_t>(i) ? 1U : 0U;
      }
      CHECK(wrong == 0);
      for (std::size_t i = 0; i + 1 < loaded.tables.size(); ++i) {
        CHECK(loaded.tables[i].rows == 700);
      }
      CHECK(loaded.counts.processed_bytes == text.size());
    }
  }
}

TEST_CASE("builders that are kept make what new ones make") {
  const std::string first = numbered_lines(3000);
  const std::string second = R"({"i":1,"text":7,"new":{"a":[1]}})"
                             "\n"
                             R"({"i":"seven","n":1e300})"
                             "\n"
                             R"({"text":})"
                             "\n" +
                             numbered_lines(500);
  evq::StreamContext kept;
  const auto rules = evq::make_event_rules({}, nullptr);
  REQUIRE(rules.ok());
  kept.builders = std::make_shared<evq::BuilderPool>(rules.value());
  for (int round = 0; round < 3; ++round) {
    for (const std::string* text : {&first, &second, &first}) {
      const Loaded again = load_source(*evq::memory_source(*text), {}, kept);
      const Loaded anew = load_events(*text);
      REQUIRE(again.rows() == anew.rows());
      CHECK(again.failures() == anew.failures());
    }
  }
}

TEST_CASE("no more memory waits in kept builders than the limit") {
  const auto rules = evq::make_event_rules({}, nullptr);
  REQUIRE(rules.ok());
  evq::BuilderPool pool(rules.value());
  std::vector<std::unique_ptr<evq::BatchBuilder>> out;
  std::size_t bytes = 0;
  while (bytes <= 2 * evq::kIdleBuilderBytesMax) {
    out.push_back(pool.take());
    for (std::size_t i = 0; i < 2000; ++i) {
      const std::string event = R"({"n":)" + std::to_string(i) + R"(,"s":")" +
                                std::to_string(out.size() * 10000 + i) + R"("})";
      REQUIRE(out.back()->add_json(event, 0).ok());
    }
    REQUIRE(out.back()->take().rows == 2000);
    bytes += out.back()->memory_bytes();
  }
  const std::size_t made = out.size();
  for (auto& builder : out) {
    pool.put(std::move(builder));
  }
  out.clear();
  std::size_t kept = 0;
  std::size_t kept_bytes = 0;
  while (kept <= made) {
    out.push_back(pool.take());
    if (out.back()->memory_bytes() < bytes / made / 2) {  // a new one
      break;
    }
    ++kept;
    kept_bytes += out.back()->memory_bytes();
  }
  CHECK(kept > 0);
  CHECK(kept_bytes <= evq::kIdleBuilderBytesMax);
}

TEST_CASE("an array of many events in one line is split into batches") {
  std::string text = "[";
  for (int i = 0; i < 1000; ++i) {
    text += (i == 0 ? "" : ",") + ("{\"i\":" + std::to_string(i)) + "}";
  }
  text += "]\n";
  IngestOptions options;
  options.batch_rows_max = 300;
  for (const InputFormat format : {InputFormat::kAuto, InputFormat::kNdjson}) {
    options.format = format;
    const Loaded loaded = load_events(text, options);
    CHECK(loaded.counts.ingested == 1000);
    CHECK(loaded.tables.size() == 4);
    CHECK(numbers_of(loaded).back() == 999);
  }
}

TEST_CASE("each batch knows the bytes of input that made it") {
  struct Row {
    InputFormat format;
    const char* text;
    std::vector<std::uint64_t> bytes;
  };
  const Row rows[] = {
      {InputFormat::kNdjson, "[{\"i\":1},{\"i\":2}]\n", {16}},
      {InputFormat::kNdjson, "[{\"i\":1},{\"i\":2},{\"i\":3}]\n", {16, 10}},
      {InputFormat::kNdjson, "{\"i\":1}\r\n\n{\"i\":2}\n{\"i\":3}\n", {10, 16}},
      {InputFormat::kNdjson, "{\"i\":1}\nbroken\n{\"i\":2}\n{\"i\":3}\n{\"i\":4}", {15, 16, 7}},
      {InputFormat::kJson, "[{\"i\":1},{\"i\":2},\n{\"i\":3}]", {16, 10}},
      {InputFormat::kCsv, "i\n1\n2,2\n3\n4\n", {6, 4}},
      {InputFormat::kText, "one\r\ntwo\r\n\r\nthree", {10, 7}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    IngestOptions options;
    options.format = row.format;
    options.batch_rows_max = 2;
    CHECK(load_events(row.text, options).raw_bytes == row.bytes);
  }
  const std::string text = numbered_lines(20000);
  IngestOptions options;
  options.batch_rows_max = 700;
  std::uint64_t bytes = 0;
  for (const std::uint64_t batch : load_events(text, options).raw_bytes) {
    bytes += batch;
  }
  CHECK(bytes == text.size());
}

TEST_CASE("a cancelled load stops and keeps whole batches") {
  const std::string text = numbered_lines(5000);
  for (const bool pooled : {false, true}) {
    evq::ThreadPool pool(2);
    evq::ThreadPool committer(1);
    evq::QueryControl control;
    control.cancel();
    evq::StreamContext context;
    context.pool = pooled ? &pool : nullptr;
    context.committer = pooled ? &committer : nullptr;
    context.control = &control;
    const auto source = evq::memory_source(text);
    const Loaded loaded = load_source(*source, {}, context);
    REQUIRE_FALSE(loaded.status.ok());
    CHECK(loaded.status.error().code == evq::ErrorCode::kCancelled);
    CHECK(loaded.tables.empty());
  }
}

TEST_CASE("what told an input's form and waits in its source is kept when the load is cancelled") {
  evq::QueryControl control;
  control.cancel();
  evq::StreamContext context;
  context.control = &control;
  context.keeps_read = true;
  const auto source = evq::memory_source("{\"a\":1}\n{\"a\":2}\n");
  const Loaded loaded = load_source(*source, {}, context);
  REQUIRE_FALSE(loaded.status.ok());
  CHECK(loaded.status.error().code == evq::ErrorCode::kCancelled);
  REQUIRE(loaded.tables.size() == 1);
  CHECK(loaded.tables[0].rows == 2);
}

TEST_CASE("a load of input without events is cancelled, and takes the memory of a buffer") {
  // Gives the same byte again and again; cancels when it gave more than any buffer may hold.
  class EndlessSource : public evq::ByteSource {
   public:
    EndlessSource(std::string head, char byte, evq::QueryControl& control)
        : head_(std::move(head)), byte_(byte), control_(control) {}
    evq::Result<std::optional<std::size_t>> read(std::span<char> buffer,
                                                 std::int64_t /*timeout_ms*/) override {
      std::ranges::fill(buffer, byte_);
      if (given_ == 0) {
        std::ranges::copy(head_, buffer.begin());
      }
      given_ += buffer.size();
      largest = std::max(largest, buffer.size());
      constexpr std::size_t kCancelAt = 16 * evq::kMebibyte;
      if (given_ >= kCancelAt) {
        control_.cancel();
      }
      return std::optional(given_ < 2 * kCancelAt ? buffer.size() : 0);
    }

    std::size_t largest = 0;

   private:
    const std::string head_;
    const char byte_;
    evq::QueryControl& control_;
    std::size_t given_ = 0;
  };
  struct Row {
    const char* head;
    char byte;
    InputFormat format;
  };
  const Row rows[] = {
      {"", '\n', InputFormat::kCsv},          {"a,b\n", '\n', InputFormat::kCsv},
      {"", ' ', InputFormat::kJson},          {"[", ' ', InputFormat::kJson},
      {"[{}", '\n', InputFormat::kJson},      {"", '\n', InputFormat::kNdjson},
      {"", 'x', InputFormat::kNdjson},        {"a,b\n", '"', InputFormat::kCsv},
      {"{\"a\":\"", 'x', InputFormat::kJson}, {"", '\n', InputFormat::kText},
  };
  for (const Row& row : rows) {
    CAPTURE(row.head);
    CAPTURE(static_cast<int>(row.byte));
    evq::QueryControl control;
    EndlessSource source(row.head, row.byte, control);
    evq::StreamContext context;
    context.control = &control;
    IngestOptions options;
    options.format = row.format;
    options.line_bytes_max = evq::kMebibyte;
    const Loaded loaded = load_source(source, options, context);
    REQUIRE_FALSE(loaded.status.ok());
    CHECK(loaded.status.error().code == evq::ErrorCode::kCancelled);
    CHECK(source.largest <= 2 * evq::kMebibyte);
  }
}

TEST_CASE("events before an error of the input are kept") {
  IngestOptions options;
  options.batch_rows_max = 2;
  const Loaded loaded = load_events("[{\"i\":1},{\"i\":2},{\"i\":3} oops]", options);
  REQUIRE_FALSE(loaded.status.ok());
  CHECK(loaded.counts.ingested >= 2);
}

TEST_CASE("a source that gives a few bytes at a time comes to its end") {
  const std::string text = numbered_lines(400);
  evq::ThreadPool pool(2);
  for (evq::ThreadPool* threads : {static_cast<evq::ThreadPool*>(nullptr), &pool}) {
    SteppingSource source(text, 5, 7);
    evq::StreamContext context;
    context.pool = threads;
    CHECK(numbers_of(load_source(source, {}, context)).size() == 400);
  }
}

TEST_CASE("a slow stream is committed by age, not only when a batch is full") {
  // The source never ends by itself: it is cancelled once the first events are committed.
  class SlowSource : public evq::ByteSource {
   public:
    evq::Result<std::optional<std::size_t>> read(std::span<char> buffer,
                                                 std::int64_t timeout_ms) override {
      if (!given_) {
        given_ = true;
        const std::string_view text = "{\"i\":1}\n{\"i\":2}\n{\"i\":";
        std::copy(text.begin(), text.end(), buffer.begin());
        return std::optional(text.size());
      }
      const std::int64_t until = evq::monotonic_now_ns() + timeout_ms * 1000000;
      while (evq::monotonic_now_ns() < until) {
      }
      return std::optional<std::size_t>();
    }

   private:
    bool given_ = false;
  };
  class CancellingSink : public evq::test::TableSink {
   public:
    explicit CancellingSink(evq::QueryControl& control) : control_(control) {}
    evq::Status commit(std::unique_ptr<evq::SealedBatch> batch,
                       const evq::IngestCounts& counts) override {
      evq::Status status = TableSink::commit(std::move(batch), counts);
      control_.cancel();
      return status;
    }

   private:
    evq::QueryControl& control_;
  };
  evq::QueryControl control(30000);
  CancellingSink sink(control);
  SlowSource source;
  evq::StreamContext context;
  context.control = &control;
  const std::int64_t begin = evq::monotonic_now_ns();
  const auto counts = evq::parse_stream(source, {}, sink, context);
  CHECK_FALSE(counts.ok());
  CHECK(counts.error().code == evq::ErrorCode::kCancelled);
  REQUIRE(sink.tables.size() == 1);
  CHECK(sink.tables[0].rows == 2);
  CHECK((evq::monotonic_now_ns() - begin) / 1000000 < 20000);
}
