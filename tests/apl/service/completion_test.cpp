#include "apl/service/completion.h"

#include <algorithm>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "apl/service/service.h"
#include "store/base/control.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/ingest/byte_source.h"
#include "tests/support/temp_store.h"

namespace evq {
namespace {

constexpr std::string_view kCursor = "^";

struct Setup {
  TempDirectory folder;
  std::unique_ptr<Service> service;
  std::unique_ptr<CompletionSource> data;
  std::unique_ptr<Completer> completer;

  Setup() {
    ServiceOptions options;
    options.store_directory = folder.path();
    options.workers = 1;
    auto opened = Service::open(options);
    REQUIRE(opened.ok());
    service = std::move(opened).value();
    data = store_completion_source(*service);
    completer = std::make_unique<Completer>(*data);
    std::string events;
    for (int i = 0; i < 20; ++i) {
      events += R"({"_time":"2024-05-01T00:00:00Z","method":")" +
                std::string(i % 4 == 0 ? "POST" : "GET") + R"(","status":)" +
                std::to_string(i % 2 == 0 ? 200 : 404) +
                R"(,"geo":{"city":"Oslo"},"user-agent":"it's","ok":true,"id":"x)" +
                std::to_string(i) + "\"}\n";
    }
    load("web", events);
    load("web-logs", R"({"_time":"2024-05-01T00:00:00Z","other":1})");
  }
  void load(const std::string& dataset, std::string_view events) {
    const std::unique_ptr<ByteSource> source = memory_source(events);
    QueryControl control;
    REQUIRE(service->store().ingest(dataset, *source, {}, control).ok());
  }
  // The text with a cursor in it.
  CompletionAnswer complete(std::string_view marked) {
    std::string text(marked);
    const std::size_t cursor = text.find(kCursor);
    REQUIRE(cursor != std::string::npos);
    text.erase(cursor, kCursor.size());
    return completer->complete(text, cursor);
  }
};

// A server that is away until it answers.
struct Unreachable final : CompletionSource {
  bool answers = false;
  Result<std::vector<std::string>> dataset_names() override {
    if (answers) {
      return std::vector<std::string>{"demo"};
    }
    return make_error(ErrorCode::kServer, "cannot connect");
  }
  Result<CompletionTable> table(const std::string& /*dataset*/) override {
    return make_error(ErrorCode::kServer, "cannot connect");
  }
  Status query(const QueryRequest& /*request*/, ResultSink& /*sink*/) override {
    return make_error(ErrorCode::kServer, "cannot connect");
  }
  std::int64_t believed_for_ns() const override { return 30'000'000'000; }
};

std::string names_of(const CompletionAnswer& answer, std::size_t count) {
  std::string names;
  for (std::size_t i = 0; i < std::min(count, answer.candidates.size()); ++i) {
    names += (i == 0 ? "" : " ") + answer.candidates[i].name;
  }
  return names;
}

TEST_CASE("what may be written where") {
  Setup setup;
  const struct {
    std::string_view text;
    std::string_view names;  // the first ones; all of them when there are at most four
  } rows[] = {
      {"we^", "web web-logs"},
      {"^", "web web-logs datatable externaldata"},
      {"web | whe^", "where"},
      {"web | project-r^", "project-rename project-reorder"},
      {"web | where geo.c^", "geo.city"},
      {"web | where agent^", "user-agent parse_user_agent"},
      {"web | where ['us^", "user-agent"},
      {"web | where STAT^", "status"},
      {"web | extend abc = 1 | where ab^", "abc abs"},
      {"web | summarize n9 = count() by method | where n9^", "n9"},
      {"web | nonsense | where geo.c^", "geo.city"},
      {"web | extend a = , b | where ) | where geo.c^", ""},
      {"web | extend x = 1 | where x === 1, 2 | project geo.c^", "geo.city"},
      {"web | where status > 1 | project stat^", "status"},
      {"web | sort by status as^", "asc"},
      {"web | summarize countd^", ""},
      {"web | summarize dcou^", "dcount dcountif dcount_hll"},
      {"web | where dcou^", "dcount_hll"},
      {"web | summarize count() b^", "by between"},
      {"web | where method has_an^", "has_any has_any_cs"},
      {"web | order by status ^", "asc desc nulls =="},
      {"web | top 5 by status ^", "asc desc nulls =="},
      {"web | where status ^", "== != =~ !~"},
      {"web | where method ha^", "has has_cs hasprefix hasprefix_cs"},
      {"web | where method !^", "!= !~ !in !in~"},
      {"web | where method !i^", "!in !in~"},
      {"web | where method!be^", "!between"},
      {"web | where status == 1 and id != 'x' ^", "and or"},
      {"web | where ok a^", "and"},
      {"web | evaluate ^", "activity_counts_metrics bag_unpack ipv4_lookup ipv6_lookup"},
      {"web | evaluate pi^", "pivot"},
      {"web | parse ki^", "kind="},
      {"web | parse kind=^", "simple regex relaxed"},
      {"web | parse-where kind=^", "simple regex"},
      {"web | where geo['^", "city"},
      {"web | where geo['ci^'] == 1", "city"},
      {"web | where nosuch['^", ""},
      {"web | render timechart with (ycolumns=^", "_time geo.city id method"},
      {"web | render timechart with (ycolumns=id, stat^", "status"},
      {"web | render timechart with (kind=^", "default unstacked stacked stacked100"},
      {"web | join kind=lefto^", "leftouter"},
      {"web | join kind=^", "inner innerunique leftouter rightouter"},
      {"web | summarize ^", "arg_max arg_min avg avgif"},
      {"web | summarize n = ^", "arg_max arg_min avg avgif"},
      {"web | summarize avg(^", "_time geo.city id method"},
      {"web | summarize count() by ^", "_time geo.city id method"},
      {"web | join ki^", "kind="},
      {"web | join (web-^", "web-logs"},
      {"web | join (w^", "web web-logs"},
      {"web | join (['web-logs'] | where oth^", "other"},
      {"let thing = 5; web | where status > th^", "thing"},
      {"let t = web | where status > 1; t | where geo.c^", "geo.city"},
      {"web | mv-apply geo.city on (where stat^", "status"},
      {"datatable (a:str^", "string"},
      {"web | render pie^", "piechart"},
      {"web | where 1^", ""},
      {"web | where method == 'x' // stat^", ""},
      {"web | where (stat^) | count", "status"},
      {"web | where x == (stat^", "status"},
      {"'abc^", ""},
      {")))^", ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(names_of(setup.complete(row.text), 4) == row.names);
  }
}

TEST_CASE("values of a field, most frequent first") {
  Setup setup;
  const struct {
    std::string_view text;
    std::string_view names;
  } rows[] = {
      {"web | where method == '^", "GET POST"},
      {"web | where method == \"P^", "POST"},
      {"web | where method in ('GET', '^", "GET POST"},
      {"web | extend a = 1 | where method != 'G^", "GET"},
      {"web | where geo.city == '^", "Oslo"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    std::string found = names_of(setup.complete(row.text), 4);
    CHECK(found == row.names);
  }
  CHECK(setup.complete("web | where method == ^").candidates[0].replacement == "'GET'");
  CHECK(setup.complete("web | where method == ^").candidates[0].signature == "75%");
  CHECK(setup.complete("web | where ok == ^").candidates[0].replacement == "true");
  CHECK(setup.complete("web | where status == ^").candidates[0].kind == CandidateKind::kValue);
  CHECK(setup.complete("web | where ['user-agent'] == '^").candidates[0].replacement == "'it\\'s'");
}

TEST_CASE("datasets whose names begin with a digit") {
  Setup setup;
  setup.load("2024-logs", R"({"_time":"2024-05-01T00:00:00Z","other":1})");
  for (const char* text : {"20^", "2024-l^", "union 20^", "web | join (20^", "['20^"}) {
    CAPTURE(text);
    const CompletionAnswer answer = setup.complete(text);
    REQUIRE(names_of(answer, 4) == "2024-logs");
    CHECK(answer.candidates[0].replacement == "['2024-logs']");
  }
  CHECK(setup.complete("web | where status == 20^").candidates[0].kind == CandidateKind::kValue);
  CHECK(names_of(setup.complete("web | where status > 5 + 20^"), 4).empty());
}

TEST_CASE("a replacement brings what belongs to it") {
  Setup setup;
  const struct {
    std::string_view text;
    std::string_view result;
  } rows[] = {
      {"web-^", "['web-logs']"},
      {"web | whe^", "web | where "},
      {"web | whe^ x", "web | where x"},
      {"web | cou^", "web | count"},
      {"web | summarize dcountif^", "web | summarize dcountif("},
      {"web | summarize dcountif^(", "web | summarize dcountif("},
      {"print pi^", "print pi()"},
      {"web | where geo['ci^", "web | where geo['city']"},
      {"web | where geo['ci^'] == 1", "web | where geo['city'] == 1"},
      {"web | where method !cont^", "web | where method !contains "},
      {"web | evaluate narr^", "web | evaluate narrow("},
      {"web | where agent^ == 1", "web | where ['user-agent'] == 1"},
      {"web | where sta^tus == 1", "web | where status == 1"},
      {"web | where sta^tion == 1", "web | where statustion == 1"},
      {"web | where ge^o.city", "web | where geo.city"},
      {"web | sum^marize count()", "web | summarize count()"},
      {"web | summarize dco^untif(ok)", "web | summarize dcountif(ok)"},
      {"web | where ['us^er-agent'] == 1", "web | where ['user-agent'] == 1"},
      {"web | where method == 'PO^ST' and ok", "web | where method == 'POST' and ok"},
      {"web | where method == 'PO^ and method == 'x'",
       "web | where method == 'POST' and method == 'x'"},
      {"web | where ['user^'] == 1", "web | where ['user-agent'] == 1"},
      {"web | where method == 'PO^'", "web | where method == 'POST'"},
      {"web | where method == \"PO^", "web | where method == \"POST\""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const CompletionAnswer answer = setup.complete(row.text);
    REQUIRE(answer.candidates.size() >= 1);
    std::string text(row.text);
    text.erase(text.find(kCursor), kCursor.size());
    text.replace(answer.begin, answer.end - answer.begin, answer.candidates[0].replacement);
    CHECK(text == row.result);
  }
}

TEST_CASE("keys of objects in objects") {
  Setup setup;
  setup.load("tree", R"({"_time":"2024-05-01T00:00:00Z","a":{"b":{"c":1,"d e":{"f":2}},"l":[1]}})");
  const struct {
    std::string_view text;
    std::string_view names;
  } rows[] = {
      {"tree | where a['^", "b l"},
      {"tree | where a['b']['^", "c d e"},
      {"tree | where a['b'][\"d e\"]['^", "f"},
      {"tree | where ['a']['b']['c^", "c"},
      {"tree | where a.b['^", "c d e"},
      {"tree | where a['b'].^", "c"},
      {"tree | where a['b'].c^ == 1", "c"},
      {"tree | where a['nosuch']['^", ""},
      {"tree | where a['l'][0]['^", ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(names_of(setup.complete(row.text), 9) == row.names);
  }
  CHECK(setup.complete("tree | where a['b']['^").candidates[1].replacement == "'d e']");
}

TEST_CASE("the call around the cursor is explained") {
  Setup setup;
  CHECK(
      call_help("web | summarize count() by bin(_time, ").starts_with("bin(value, size)  size: "));
  CHECK(call_help("web | extend a = strcat(strlen(").starts_with("strlen("));
  CHECK(call_help("web | where ").empty());
  CHECK(call_help("web | extend a = nonsense(").empty());
}

TEST_CASE("datasets that may not be read are not there") {
  Setup setup;
  const std::unique_ptr<CompletionSource> source = store_completion_source(
      *setup.service, [](const std::string& name) { return name == "web-logs"; });
  Completer completer(*source);
  CHECK(names_of(completer.complete("we", 2), 4) == "web-logs");
  CHECK(completer.complete("web | where statu", 17).candidates.empty());
  CHECK(completer.complete("web | where method == '", 23).candidates.empty());
}

TEST_CASE("where names could not be had nothing is guessed, and a note says why") {
  Setup setup;
  const CompletionAnswer misspelt = setup.complete("wbe | where agen^");
  CHECK(misspelt.candidates.empty());
  CHECK(misspelt.note == "no dataset 'wbe'");
  CHECK(names_of(setup.complete("wbe | where sta^"), 4) ==
        "startofday startofhour startofmonth startofweek");
  CHECK(setup.complete("wbe | summ^").note.empty());
  CHECK(setup.complete("web | where agen^").note.empty());

  Unreachable away;
  Completer completer(away);
  const CompletionAnswer answer = completer.complete("de", 2);
  CHECK(names_of(answer, 4) == "declare");
  CHECK(answer.note == "the server does not answer");
  away.answers = true;
  CHECK(names_of(completer.complete("de", 2), 4) == "demo declare");
}

// The constants of a text are worked out while it is bound, each of these for many milliseconds.
std::string slow_constants() {
  std::string text = "print made = 0";
  for (int i = 0; i < 3000; ++i) {
    text += ", array_sum(range(" + std::to_string(i) + ", 1000000))";
  }
  return text + " | where ";
}

TEST_CASE("what cannot be found out in time is left out") {
  Setup setup;
  const std::string text = slow_constants();
  REQUIRE(text.size() < kQueryTextBytesMax);
  const std::int64_t begin_ns = monotonic_now_ns();
  const CompletionAnswer answer = setup.completer->complete(text, text.size());
  CHECK(monotonic_now_ns() - begin_ns < 10 * kCompletionMsMax * kMillisecondNs);
  CHECK(answer.note == "the fields take too long to find out");
  CHECK_FALSE(answer.candidates.empty());
  CHECK(std::ranges::find(answer.candidates, CandidateKind::kField, &Candidate::kind) ==
        answer.candidates.end());
}

TEST_CASE("who asks may end it") {
  Setup setup;
  QueryControl control;
  control.cancel();
  const CompletionAnswer answer = setup.completer->complete("web | where sta", 15, &control);
  CHECK(names_of(answer, 4) == "startofday startofhour startofmonth startofweek");
  CHECK(answer.note == "the fields take too long to find out");
}

// Completion runs at every key: any text, cut anywhere, must be safe.
TEST_CASE("any beginning of a query can be completed") {
  Setup setup;
  const std::string text =
      "let f = (t:(x:long), k:long) { t | extend y = x * k }; web | where ['user-agent'] == "
      "\"a\\\"\" "
      "and status in (200, toscalar(web | count)) | parse kind=regex method with 'a' b:long * | "
      "mv-apply geo.city on (top 1 by status) | join kind=inner (['web-logs']) on $left.a == "
      "$right.b | scan with (step s output=all: a > 1 => b = 2;) | render timechart with "
      "(title='x') "
      "// \xF0\x9F\x98\x80 end";
  for (std::size_t end = 0; end <= text.size(); ++end) {
    const CompletionAnswer answer = setup.completer->complete(text.substr(0, end), end);
    CHECK(answer.begin <= answer.end);
    CHECK(answer.end <= end);
    static_cast<void>(call_help(text.substr(0, end)));
  }
}

TEST_CASE("pipes in a text are no pipes") {
  Setup setup;
  // One text for each of these would be 20 GB.
  const std::string pipes(200'000, '|');
  CHECK(names_of(setup.complete("web | where method != '" + pipes + "' | wher3 | where sta^"), 1) ==
        "status");
  CHECK(names_of(setup.complete("web | wher3 '" + pipes + "' | extend made = 1 | where sta^"), 1) ==
        "status");
}

}  // namespace
}  // namespace evq
