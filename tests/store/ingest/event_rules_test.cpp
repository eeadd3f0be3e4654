// The input policy and the rules of events, a table row each; every text goes through the fast
// parser's path and through the tolerant one, which must agree.
#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "store/ingest/piece_parser.h"
#include "tests/support/load_events.h"

namespace {

using evq::IngestOptions;
using evq::test::load_events;
using evq::test::Loaded;

constexpr const char* kNow = "_time=2023-11-14T22:13:20Z";

struct Row {
  const char* about;
  std::string text;
  std::string rows;  // without `_time=` of receipt
  std::string failures = {};
  std::uint64_t repaired = 0;
};

// Takes the receipt time off the front of each line.
std::string without_now(const std::string& rows) {
  std::string out;
  for (std::size_t begin = 0; begin < rows.size();) {
    const std::size_t end = rows.find('\n', begin);
    std::string line = rows.substr(begin, end - begin);
    if (line.rfind(kNow, 0) == 0) {
      line.erase(0, std::string(kNow).size());
      line.erase(0, line.empty() ? 0 : 1);
    }
    out += line + "\n";
    begin = end + 1;
  }
  return out;
}

// The same text through the tolerant parser alone.
std::string tolerant_rows(const std::string& text, const IngestOptions& options) {
  auto rules = evq::make_event_rules(options, nullptr);
  REQUIRE(rules.ok());
  evq::ParseSettings settings;
  settings.rules = rules.value();
  settings.line_bytes_max = options.line_bytes_max;
  settings.tolerant_only = true;
  settings.one_value_a_line = options.format == evq::InputFormat::kNdjson;
  evq::Piece piece;
  piece.memory.reset(new char[text.size() + 64]);
  std::copy(text.begin(), text.end(), piece.memory.get());
  piece.size = text.size();
  piece.receipt_ns = evq::test::kReceiptNs;
  evq::PieceParser parser(settings);
  evq::BatchBuilder builder(settings.rules);
  evq::ParseReport report;
  REQUIRE(parser.parse(piece, builder, report, [](std::size_t) { return evq::Status(); }).ok());
  return evq::test::dump_rows(builder.take());
}

void check_row(const Row& row, IngestOptions options = {}) {
  CAPTURE(row.about);
  CAPTURE(row.text);
  options.format = evq::InputFormat::kNdjson;
  const Loaded loaded = load_events(row.text, options);
  REQUIRE(loaded.status.ok());
  CHECK(without_now(loaded.rows()) == row.rows);
  CHECK(loaded.failures() == row.failures);
  CHECK(loaded.counts.repaired == row.repaired);
  CHECK(loaded.counts.processed_bytes == row.text.size());
  CHECK(loaded.rejects.size() == loaded.counts.failed);
  CHECK(tolerant_rows(row.text, options) == loaded.rows());
}

std::string nested(std::size_t levels, const char* open, const char* close) {
  std::string text;
  for (std::size_t i = 0; i < levels; ++i) {
    text += open;
  }
  text += "1";
  for (std::size_t i = 0; i < levels; ++i) {
    text += close;
  }
  return text;
}

}  // namespace

TEST_CASE("values keep their types") {
  const Row rows[] = {
      {"every scalar", R"({"s":"x","i":1,"n":-7,"r":0.5,"t":true,"f":false})",
       "s=\"x\" i=1 n=-7 r=0.5 t=true f=false\n"},
      {"null is absent", R"({"a":null,"b":1})", "b=1\n"},
      {"an empty string is a value", R"({"a":""})", "a=\"\"\n"},
      {"no fields at all", R"({})", "\n"},
      {"whole reals stay real", R"({"a":1.0,"b":1e2,"c":-0.0})", "a=1.0 b=100.0 c=-0.0\n"},
      {"minus zero is an integer", R"({"a":-0})", "a=0\n"},
      {"the ends of int64", R"({"a":9223372036854775807,"b":-9223372036854775808})",
       "a=9223372036854775807 b=-9223372036854775808\n"},
      {"escapes", R"({"a":"q\" s\/ b\\ n\n u\u00e9 p\ud83d\ude00 z\u0000"})",
       "a=\"q\\\" s/ b\\\\ n\\n u\u00e9 p\U0001F600 z\\u0000\"\n"},
      {"escaped keys", R"({"a\u0062":1,"q\"":2})", "ab=1 q\"=2\n"},
      {"blanks anywhere", " \t{ \"a\" : 1 ,\t\"b\" : [ 1 , 2 ] , \"c\":{ } }\r", "a=1 b=[1,2]\n"},
      {"long decimals", R"({"a":0.1234567890123456789,"b":123456789012345.678,"c":1e-7})",
       "a=0.12345678901234568 b=123456789012345.67 c=1e-07\n"},
      {"denormals and underflow", R"({"a":5e-324,"b":1e-400})", "a=5e-324 b=0.0\n"},
  };
  for (const Row& row : rows) {
    check_row(row);
  }
}

TEST_CASE("keys that look like the expected one are told from it") {
  const std::string long_key = "abcdefghijklmnopqrstuvwxyz";
  std::vector<std::string> keys = {R"(a\\b)", R"(a\\\\b)",  R"(a\b)", R"(a\"b)",
                                   R"(a)",    R"(a\u0062)", R"(ab)",  R"()"};
  for (const std::size_t size : {1UL, 2UL, 7UL, 15UL, 16UL, 17UL, 18UL, 26UL}) {
    keys.push_back(long_key.substr(0, size));
    keys.push_back(long_key.substr(0, size - 1) + "\xC3\xA9");
    for (const std::size_t place : {0UL, 14UL, 15UL, 16UL, 25UL}) {
      if (place < size) {
        keys.push_back(long_key.substr(0, size));
        keys.back()[place] = '_';
      }
    }
  }
  std::mt19937_64 random(3);
  std::string text;
  for (int event = 0; event < 2000; ++event) {
    const bool spaced = random() % 8 == 0;
    const auto member = [&] {
      return '"' + keys[random() % keys.size()] + (spaced ? "\" : " : "\":") +
             std::to_string(random() % 10);
    };
    text += "{" + member() + ",\"n\":{" + member() + "," + member() + "}," + member() + "}\n";
  }
  const Loaded loaded = load_events(text, {});
  REQUIRE(loaded.status.ok());
  CHECK(loaded.counts.ingested == 2000);
  CHECK(tolerant_rows(text, {}) == loaded.rows());
}

TEST_CASE("nested objects become dotted fields") {
  const Row rows[] = {
      {"one level", R"({"geo":{"city":"Paris"}})", "geo.city=\"Paris\"\n"},
      {"several", R"({"a":{"b":{"c":1},"d":2},"e":3})", "a.b.c=1 a.d=2 e=3\n"},
      {"a dot in a nested key is escaped", R"({"k":{"app.io/name":"web"}})",
       "k.app\\.io/name=\"web\"\n"},
      {"a dot at the top is not", R"({"service.name":"x"})", "service.name=\"x\"\n"},
      {"empty objects leave nothing", R"({"a":{},"b":{"c":{}},"d":1})", "d=1\n"},
      {"arrays stay whole", R"({"a":[1,"x",null,[2.5,[]],{"b":{"c":true}},{}]})",
       "a=[1,\"x\",null,[2.5,[]],{\"b\":{\"c\":true}},{}]\n"},
      {"nulls inside are absent", R"({"a":{"b":null,"c":1}})", "a.c=1\n"},
  };
  for (const Row& row : rows) {
    check_row(row);
  }
}

TEST_CASE("the last of duplicate keys wins at every depth") {
  const Row rows[] = {
      {"at the top", R"({"a":1,"b":2,"a":3})", "a=3 b=2\n"},
      {"inside", R"({"a":{"b":1,"b":2}})", "a.b=2\n"},
      {"an object replaces an object", R"({"a":{"b":1,"c":2},"a":{"c":3}})", "a.c=3\n"},
      {"a scalar replaces an object", R"({"a":{"b":1},"a":2})", "a=2\n"},
      {"an object replaces a scalar", R"({"a":2,"a":{"b":1}})", "a.b=1\n"},
      {"null removes", R"({"a":2,"a":null})", "\n"},
      {"an empty object removes", R"({"a":2,"a":{}})", "\n"},
      {"two spellings of one field", R"({"a.b":1,"a":{"b":2}})", "a.b=2\n"},
      {"and the other way round", R"({"a":{"b":2},"a.b":1})", "a.b=1\n"},
      {"in arrays", R"({"a":[{"b":1,"b":2}]})", "a=[{\"b\":2}]\n"},
      {"the time too", R"({"_time":"2020-01-01T00:00:00Z","_time":"2021-01-01T00:00:00Z"})",
       "_time=2021-01-01T00:00:00Z\n"},
  };
  for (const Row& row : rows) {
    check_row(row);
  }
}

TEST_CASE("what is not valid but can be kept is repaired and counted") {
  const Row rows[] = {
      {"invalid UTF-8", "{\"a\":\"x\xFFy\xC3\"}", "a=\"x\uFFFDy\uFFFD\"\n", "", 1},
      {"invalid UTF-8 in a key", "{\"a\xFF\":1}", "a\uFFFD=1\n", "", 1},
      {"lone surrogates", R"({"a":"\ud800","b":"\udc00x","c":"\ud800\ud83d\ude00"})",
       "a=\"\uFFFD\" b=\"\uFFFDx\" c=\"\uFFFD\U0001F600\"\n", "", 1},
      {"beyond int64", R"({"a":9223372036854775808,"b":18446744073709551616})",
       "a=9223372036854776000.0 b=18446744073709552000.0\n", "", 1},
      {"beyond a double", R"({"a":1e400,"b":1})", "b=1\n", "", 1},
      {"beyond a double in an array", R"({"a":[1e400]})", "a=[null]\n", "", 1},
      {"bytes after invalid ones are read", "{\"a\":\"\xE2\x82\",\"b\":\"\\n\"}",
       "a=\"\uFFFD\" b=\"\\n\"\n", "", 1},
  };
  for (const Row& row : rows) {
    check_row(row);
    IngestOptions strict;
    strict.strict = true;
    const Loaded loaded = load_events(row.text, strict);
    CHECK(loaded.counts.failed == 1);
    CHECK(loaded.counts.ingested == 0);
  }
}

TEST_CASE("broken lines fail alone, with place and reason") {
  const Row rows[] = {
      {"comma missing", "{\"a\":1}\n{\"a\":1 \"b\":2}\n{\"a\":2}", "a=1\na=2\n",
       "2:8 expected ',' or '}' after value\n"},
      {"colon missing", R"({"a" 1})", "", "1:6 expected ':' after key\n"},
      {"key without quotes", R"({a:1})", "", "1:2 expected a key in double quotes\n"},
      {"trailing comma", R"({"a":1,})", "", "1:8 expected a key in double quotes\n"},
      {"not closed", R"({"a":1)", "", "1:7 the object is not closed\n"},
      {"string not closed", R"({"a":"x)", "", "1:8 the string is not closed\n"},
      {"value missing", R"({"a":})", "", "1:6 expected a value\n"},
      {"leading zero", R"({"a":01})", "", "1:7 malformed number\n"},
      {"plus sign", R"({"a":+1})", "", "1:6 expected a value\n"},
      {"point without digits", R"({"a":1.})", "", "1:8 malformed number\n"},
      {"NaN", R"({"a":NaN})", "", "1:6 expected a value\n"},
      {"Infinity", R"({"a":-Infinity})", "", "1:7 malformed number\n"},
      {"nearly true", R"({"a":trux})", "", "1:6 expected a value\n"},
      {"longer than true", R"({"a":truex})", "", "1:10 expected ',' or '}' after value\n"},
      {"unknown escape", R"({"a":"\x"})", "", "1:7 unknown escape in a string\n"},
      {"a fault after invalid UTF-8", "{\"a\":\"\xFF\xFF\\x\"}", "",
       "1:9 unknown escape in a string\n"},
      {"broken unicode escape", R"({"a":"\u12G4"})", "", "1:7 unknown escape in a string\n"},
      {"raw control character", "{\"a\":\"x\ty\"}", "",
       "1:8 control character in a string; JSON wants it escaped\n"},
      {"an array of no objects", R"([1,"x"])", "",
       "1:1 expected an object, found an array without objects\n"},
      {"a string", R"("x")", "", "1:1 expected an object, found a string\n"},
      {"a number", "17", "", "1:1 expected an object\n"},
      {"words", "hello {\"a\":1}", "", "1:1 expected an object\n"},
      {"text after the event", R"({"a":1} x)", "", "1:9 unexpected text after the event\n"},
      {"two on a line when one is wanted", R"({"a":1}{"a":2})", "",
       "1:8 unexpected text after the event\n"},
      {"array inside not closed", R"({"a":[1,2})", "", "1:10 expected ',' or ']' after value\n"},
      {"brackets crossed", R"({"a":[1}])", "", "1:8 expected ',' or ']' after value\n"},
      {"a quote too many on one line leaves the next alone", "{\"a\":\"}\n{\"a\":2}\n{\"a\":\"x\"}",
       "a=2\na=\"x\"\n", "1:8 the string is not closed\n"},
  };
  for (const Row& row : rows) {
    Row checked = row;
    if (std::string(row.about) == "a quote too many on one line leaves the next alone") {
      checked.rows = "a=2\na=\"x\"\n";
    }
    check_row(checked);
  }
}

TEST_CASE("blank lines are no events") {
  check_row({"blanks", "\n  \n{\"a\":1}\r\n\t\r\n\n{\"a\":2}", "a=1\na=2\n"});
  check_row({"nothing", "", ""});
  const Loaded loaded = load_events("\n{\"a\":1}{\"a\":2}\n");
  CHECK(loaded.counts.ingested == 2);
  check_row({"an action line is an event", "{\"index\":{}}\n{\"a\":1}\n", "\na=1\n"});
}

TEST_CASE("a line may hold an array of objects") {
  check_row({"objects", R"([{"a":1},{"a":2}])", "a=1\na=2\n"});
  check_row(
      {"others among them", R"([{"a":1},5,{"a":2}])", "a=1\na=2\n", "1:10 expected an object\n"});
  check_row({"broken: all or nothing", R"([{"a":1},{"a":}])", "", "1:15 expected a value\n"});
}

TEST_CASE("limits: at them all is well, past them one event fails") {
  const std::string name_ok(evq::kFieldNameBytesMax, 'n');
  check_row({"name at its limit", "{\"" + name_ok + "\":1}", name_ok + "=1\n"});
  check_row({"name past it", "{\"" + name_ok + "n\":1}\n{\"a\":1}", "a=1\n",
             "1:1 a field name is longer than 200 bytes\n"});
  const std::string value_ok(evq::kFieldValueBytesMax, 'v');
  check_row({"value at its limit", "{\"a\":\"" + value_ok + "\"}", "a=\"" + value_ok + "\"\n"});
  check_row({"value past it", "{\"a\":\"" + value_ok + "v\"}\n{\"b\":1}", "b=1\n",
             "1:1 the value of 'a' has 1048577 bytes, more than the limit of 1048576\n"});
  check_row({"depth at its limit", "{\"a\":" + nested(99, "[", "]") + "}",
             "a=" + nested(99, "[", "]") + "\n"});
  check_row({"depth past it", "{\"a\":" + nested(100, "[", "]") + "}\n{\"b\":1}", "b=1\n",
             "1:105 nested deeper than 100 levels\n"});
  check_row({"objects past it", nested(101, "{\"a\":", "}") + "\n{\"b\":1}", "b=1\n",
             "1:501 nested deeper than 100 levels\n"});
  check_row({"depth without end", "{\"a\":" + std::string(200000, '['), "",
             "1:105 nested deeper than 100 levels\n"});
  for (const std::size_t fields : {evq::kEventFieldsMax, evq::kEventFieldsMax + 1}) {
    std::string text = "{";
    std::string rows;
    for (std::size_t i = 0; i < fields; ++i) {
      const std::string name = "f" + std::to_string(i);
      text += (i == 0 ? "\"" : ",\"") + name + "\":1";
      rows += (i == 0 ? "" : " ") + name + "=1";
    }
    const bool good = fields <= evq::kEventFieldsMax;
    check_row({"fields", text + "}", good ? rows + "\n" : "",
               good ? "" : "1:1 the event has more than 1000 fields\n"});
  }
  IngestOptions options;
  options.line_bytes_max = 20;
  check_row({"line at its limit", "{\"a\":\"0123456789012\"}\n{\"a\":2}", "a=2\n",
             "1:1 the event is longer than the limit of 20 bytes\n"},
            options);
  check_row({"line below it", "{\"a\":\"012345678901\"}\n{\"a\":2}", "a=\"012345678901\"\na=2\n"},
            options);
}

std::string object_of_keys(std::size_t count, const std::string& prefix) {
  std::string text = "{";
  for (std::size_t i = 0; i < count; ++i) {
    text += (i == 0 ? "\"" : ",\"") + prefix + std::to_string(i) + "\":null";
  }
  return text + "}";
}

TEST_CASE("keys without end fail, and what they left behind goes") {
  check_row({"at the limit", object_of_keys(evq::kEventNewKeysMax, "k"), "\n"});
  check_row({"past it", object_of_keys(evq::kEventNewKeysMax + 1, "k") + "\n{\"a\":1}", "a=1\n",
             "1:1 the event has more than 10000 keys not seen before\n"});
  std::string text;
  for (int i = 0; i < 20; ++i) {
    text += object_of_keys(evq::kEventNewKeysMax + 1, "k" + std::to_string(i) + "_") + "\n";
  }
  evq::StreamContext context;
  context.builders = std::make_shared<evq::BuilderPool>(evq::make_event_rules({}, nullptr).value());
  IngestOptions options;
  options.format = evq::InputFormat::kNdjson;
  const auto source = evq::memory_source(text);
  const Loaded loaded = evq::test::load_source(*source, options, context);
  CHECK(loaded.counts.failed == 20);
  CHECK(context.builders->take()->memory_bytes() < 16 * evq::kMebibyte);
}

TEST_CASE("keys too long for a name fail with a value below them, and leave nothing behind") {
  const std::string name(evq::kFieldNameBytesMax, 'n');
  const std::string lengths[] = {name + "1", name + "2", name + "\u00E9\u00E9", name + name};
  std::string nothing = "{";
  for (const std::string& key : lengths) {
    const std::string too_long = "1:1 a field name is longer than 200 bytes\n";
    check_row({"a value", "{\"" + key + "\":1}", "", too_long});
    check_row({"a value further down", "{\"" + key + "\":{\"a\":{\"b\":[]}}}", "", too_long});
    check_row({"no value", "{\"" + key + "\":null,\"a\":{\"" + key + "\":{}}}", "\n"});
    nothing += "\"" + key + "\":{\"a\":null},";
  }
  check_row({"alike", nothing + "\"b\":1}", "b=1\n"});
  check_row({"at the limit", "{\"" + name + "\":1}", name + "=1\n"});

  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += "{\"" + std::to_string(i) + std::string(100000, 'k') + "\":1}\n";
  }
  evq::StreamContext context;
  context.builders = std::make_shared<evq::BuilderPool>(evq::make_event_rules({}, nullptr).value());
  const auto source = evq::memory_source(text);
  CHECK(evq::test::load_source(*source, {}, context).counts.failed == 100);
  CHECK(context.builders->take()->memory_bytes() < 2 * evq::kMebibyte);
}

// An object of few keys, which thus repeat, and what it means.
struct RandomObject {
  std::string text;
  std::string meaning;
};

RandomObject random_object(std::mt19937& random, int depth) {
  RandomObject object{"{", {}};
  std::vector<std::pair<char, std::string>> members;
  for (auto i = random() % 6; i > 0; --i) {
    const char key = static_cast<char>('a' + random() % 3);
    std::string text = std::to_string(random() % 10);
    std::string meaning = text;
    if (depth > 0 && random() % 2 == 0) {
      RandomObject inner = random_object(random, depth - 1);
      text = std::move(inner.text);
      meaning = std::move(inner.meaning);
    } else if (random() % 5 == 0) {
      text = "null";
      meaning = text;
    }
    object.text += (object.text.size() > 1 ? ",\"" : "\"") + std::string(1, key) + "\":" + text;
    const auto known = std::ranges::find(members, key, &std::pair<char, std::string>::first);
    if (known != members.end()) {
      members.erase(known);
    }
    members.emplace_back(key, std::move(meaning));
  }
  object.text += "}";
  for (const auto& [key, meaning] : members) {
    object.meaning +=
        (object.meaning.empty() ? "{\"" : ",\"") + std::string(1, key) + "\":" + meaning;
  }
  object.meaning += object.meaning.empty() ? "{}" : "}";
  return object;
}

TEST_CASE("events with keys that repeat are those without what the last ones replace") {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    const RandomObject event = random_object(random, 4);
    CAPTURE(event.text);
    evq::BatchBuilder repeated(evq::make_event_rules({}, nullptr).value());
    evq::BatchBuilder plain(evq::make_event_rules({}, nullptr).value());
    REQUIRE(repeated.add_json(event.text, 0).ok());
    REQUIRE(plain.add_json(event.meaning, 0).ok());
    const auto fields_of = [](const evq::Table& table) {
      std::map<std::string, std::string> fields;
      for (std::size_t column = 2; column < table.columns.size(); ++column) {
        fields[table.schema[column].name] = evq::test::cell_text(table.columns[column], 0);
      }
      return fields;
    };
    CHECK(fields_of(repeated.take()) == fields_of(plain.take()));
  }
}

TEST_CASE("lists and objects of an event are bounded one by one and together") {
  std::string list = "1";
  for (std::size_t i = 0; i < evq::kFieldValueBuiltBytesMax / 9; ++i) {
    list += ",1";
  }
  // A list is a header of 9 bytes and 9 bytes a number; after this many numbers two are too long.
  const std::size_t built = (evq::kFieldValueBuiltBytesMax - std::size_t{2} * 9) / 9 + 1;
  check_row({"one that is far too long is not built", "{\"a\":[[" + list + "]]}\n{\"b\":1}",
             "b=1\n",
             "1:" + std::to_string(7 + 2 * built) +
                 " a value has more than the limit of 1048576 bytes\n"});
  check_row(
      {"a line that is a list of events is not built", "[{\"a\":1}," + list + "]", "a=1\n", [&] {
         std::string failures;
         for (std::size_t i = 0; i < evq::kIngestFailuresListedMax; ++i) {
           failures += "1:" + std::to_string(10 + 2 * i) + " expected an object\n";
         }
         return failures;
       }()});
  IngestOptions options;
  options.line_bytes_max = 100;
  check_row({"together", R"({"a":[1,1,1],"b":[1,1,1],"c":[1,1,1]})", "",
             "1:1 the lists and objects of the event have more than 100 bytes\n"},
            options);
  check_row({"together within the limit", R"({"a":[1,1],"b":[1,1]})", "a=[1,1] b=[1,1]\n"},
            options);
}

TEST_CASE("keys repeated without end fail") {
  std::string text = "{\"a\":1";
  for (std::size_t i = 0; i <= evq::kEventRepeatedKeysMax; ++i) {
    text += ",\"a\":1";
  }
  check_row({"repeated", text + "}", "", "1:1 the event repeats keys more than 10000 times\n"});
}

TEST_CASE("a dataset has a limit of fields") {
  const auto admission = evq::make_field_admission({"a"}, 3);
  IngestOptions options;
  auto rules = evq::make_event_rules(options, admission);
  REQUIRE(rules.ok());
  evq::StreamContext context;
  context.builders = std::make_shared<evq::BuilderPool>(rules.value());
  const auto source =
      evq::memory_source("{\"a\":1,\"b\":1}\n{\"c\":1}\n{\"d\":1}\n{\"c\":2,\"b\":2}\n");
  const Loaded loaded = evq::test::load_source(*source, options, context);
  CHECK(without_now(loaded.rows()) == "a=1 b=1\nc=1\nb=2 c=2\n");
  CHECK(loaded.failures() == "3:1 the dataset would have more than 10000 fields with 'd'\n");
}

TEST_CASE("reserved names get a prefix") {
  check_row(
      {"reserved",
       R"({"_sysTime":1,"_rowID":2,"_rowId":3,"_cursor":4,"_blockInfo":5,"_source":6,"x":{"_source":7}})",
       "_user_sysTime=1 _user_rowID=2 _user_rowId=3 _user_cursor=4 _user_blockInfo=5 "
       "_user_source=6 x._source=7\n"});
  check_row({"with members", R"({"_source":{"a":1}})", "_user_source.a=1\n"});
}

TEST_CASE("where the time of an event comes from") {
  const Row rows[] = {
      {"_time", R"({"_time":"2025-06-01T00:00:01.000183Z","a":1})",
       "_time=2025-06-01T00:00:01.000183Z a=1\n"},
      {"nanoseconds", R"({"_time":"2025-06-01T00:00:01.123456789+02:00"})",
       "_time=2025-05-31T22:00:01.123456789Z\n"},
      {"Unix seconds", R"({"_time":1500000000})", "_time=2017-07-14T02:40:00Z\n"},
      {"Unix milliseconds as text", R"({"_time":"1500000000123"})",
       "_time=2017-07-14T02:40:00.123Z\n"},
      {"Unix nanoseconds", R"({"_time":1500000000123456789})",
       "_time=2017-07-14T02:40:00.123456789Z\n"},
      {"null is absent", R"({"_time":null,"a":1})", "a=1\n"},
      {"no time", R"({"_time":"soon","a":1})", "", "1:1 the value of '_time' is no time: 'soon'\n"},
      {"no time either", R"({"_time":true})", "", "1:1 the value of '_time' is no time\n"},
      {"time is plain data", R"({"time":"17/May/2015:08:05:30 +0000","a":1})",
       "time=\"17/May/2015:08:05:30 +0000\" a=1\n"},
  };
  for (const Row& row : rows) {
    check_row(row);
  }
}

TEST_CASE("grouped events") {
  const Row rows[] = {
      {"all three", R"({"time":"2020-01-02T03:04:05Z","data":{"k":1},"labels":{"l":"x"}})",
       "_time=2020-01-02T03:04:05Z data.k=1 labels.l=\"x\"\n"},
      {"labels alone", R"({"labels":{"l":"x"},"time":"2020-01-02T03:04:05Z"})",
       "_time=2020-01-02T03:04:05Z labels.l=\"x\"\n"},
      {"no time", R"({"data":{"k":1}})", "data.k=1\n"},
      {"another member: free-form", R"({"time":"2020-01-02T03:04:05Z","data":{"k":1},"x":1})",
       "time=\"2020-01-02T03:04:05Z\" data.k=1 x=1\n"},
      {"data no object: free-form", R"({"time":"2020-01-02T03:04:05Z","data":5})",
       "time=\"2020-01-02T03:04:05Z\" data=5\n"},
      {"data an object no more", R"({"time":"x","data":{"k":1},"data":5})", "time=\"x\" data=5\n"},
      {"bad time", R"({"time":"x","data":{}})", "", "1:1 the value of 'time' is no time: 'x'\n"},
  };
  for (const Row& row : rows) {
    check_row(row);
  }
}

TEST_CASE("a named timestamp field") {
  IngestOptions options;
  options.timestamp_field = "at.when";
  check_row({"named", R"({"at":{"when":"2020-01-02T03:04:05Z"},"_time":"junk"})",
             "_time=2020-01-02T03:04:05Z at.when=\"2020-01-02T03:04:05Z\"\n"},
            options);
  check_row(
      {"absent: _time", R"({"_time":"2020-01-02T03:04:05Z"})", "_time=2020-01-02T03:04:05Z\n"},
      options);
  check_row({"bad", R"({"at":{"when":"x"}})", "", "1:1 the value of 'at.when' is no time: 'x'\n"},
            options);
  options.timestamp_layout = "2/Jan/2006:15:04:05 +0000";
  check_row({"layout", R"({"at":{"when":"17/May/2015:08:05:30 +0000"}})",
             "_time=2015-05-17T08:05:30Z at.when=\"17/May/2015:08:05:30 +0000\"\n"},
            options);
  check_row({"not by the layout", R"({"at":{"when":"2020-01-02T03:04:05Z"}})", "",
             "1:1 the value of 'at.when' is no time: '2020-01-02T03:04:05Z'\n"},
            options);
  options.timestamp_field.clear();
  check_row({"layout of _time", R"({"_time":"17/May/2015:08:05:30 +0000"})",
             "_time=2015-05-17T08:05:30Z\n"},
            options);
  options.timestamp_layout = "nothing";
  CHECK_FALSE(load_events("{}", options).status.ok());
}

TEST_CASE("labels become fields of every event") {
  IngestOptions options;
  options.labels_json = R"({"env":"prod","n":{"x":1},"list":[1]})";
  const Loaded loaded = load_events("{\"a\":1,\"env\":\"dev\"}\n{\"a\":2}\n", options);
  CHECK(without_now(loaded.rows()) ==
        "a=1 env=\"prod\" n.x=1 list=[1]\na=2 env=\"prod\" n.x=1 list=[1]\n");
  CHECK(loaded.counts.processed_bytes == 28 + options.labels_json.size());
  for (const char* bad : {"[1]", "{", "{\"a\":}", "1", "{} {}"}) {
    options.labels_json = bad;
    const Loaded refused = load_events("{}", options);
    REQUIRE_FALSE(refused.status.ok());
    CHECK(refused.status.error().code == evq::ErrorCode::kUsage);
  }
}

TEST_CASE("map fields stay whole") {
  IngestOptions options;
  options.map_fields = {"attributes.custom", "m"};
  check_row(
      {"maps",
       R"({"attributes":{"custom":{"http.protocol":"h2","n":{"a":1}},"b":1},"m":{"x":1,"x":2},"m2":{"y":1}})",
       "attributes.custom={\"http.protocol\":\"h2\",\"n\":{\"a\":1}} attributes.b=1 "
       "m={\"x\":2} m2.y=1\n"},
      options);
  check_row({"a scalar in one", R"({"m":5})", "m=5\n"}, options);
}

TEST_CASE("failures are listed up to a limit and counted beyond") {
  std::string text;
  for (std::size_t i = 0; i < evq::kIngestFailuresListedMax + 50; ++i) {
    text += "{\n";
  }
  IngestOptions options;
  options.format = evq::InputFormat::kNdjson;
  const Loaded loaded = load_events(text, options);
  CHECK(loaded.counts.failed == evq::kIngestFailuresListedMax + 50);
  CHECK(loaded.counts.failures.size() == evq::kIngestFailuresListedMax);
  CHECK(loaded.counts.failures.back().line == evq::kIngestFailuresListedMax);
  CHECK(loaded.counts.failures.front().time_ns == evq::test::kReceiptNs);
  options.failures_max = 3;
  const Loaded stopped = load_events(text, options);
  REQUIRE_FALSE(stopped.status.ok());
  CHECK(stopped.status.error().code == evq::ErrorCode::kData);
}
