#include "http/wire.h"

#include <doctest/doctest.h>

#include "http/legacy_query.h"
#include "http/limits.h"
#include "http/otlp.h"
#include "http/server.h"
#include "http/wire_answer.h"
#include "http/wire_resources.h"
#include "store/base/limits.h"

namespace evq {
namespace {

TEST_CASE("query bodies: null is absent, zero limits are none, types are strict") {
  const Result<QueryRequest> read = read_query_body(
      R"({"apl":"['a']","startTime":"now-1h","endTime":null,"cursor":"","includeCursor":true,)"
      R"("defaultLimit":0,"variables":{"n":3,"s":"x"},"unknown":[1]})");
  REQUIRE(read.ok());
  const QueryRequest& request = read.value();
  CHECK(request.apl == "['a']");
  CHECK(request.start_time == "now-1h");
  CHECK_FALSE(request.end_time.has_value());
  CHECK(request.include_cursor);
  CHECK_FALSE(request.default_limit.has_value());
  CHECK(request.variables.at("n") == Value::integer(3));
  for (const char* bad :
       {"", "[]", "{", R"({})", R"({"apl":null})", R"({"apl":1})", R"({"apl":"x","startTime":1})",
        R"({"apl":"x","limit":-1})", R"({"apl":"x","limit":1.5})", R"({"apl":"x","limit":"5"})",
        R"({"apl":"x","includeCursor":"true"})", R"({"apl":"x"} {})"}) {
    CAPTURE(bad);
    CHECK_FALSE(read_query_body(bad).ok());
  }
  CHECK_FALSE(read_query_body("{\"apl\":\"x\",\"a\":" + std::string(200, '[')).ok());
}

TEST_CASE("whole numbers may be written as reals") {
  for (const char* limit : {"2.0", "2", "20e-1", "0.2e1"}) {
    CAPTURE(limit);
    const auto read = read_query_body(R"({"apl":"x","limit":)" + std::string(limit) + "}");
    REQUIRE(read.ok());
    CHECK(read->limit == std::uint64_t{2});
  }
  CHECK(read_query_body(R"({"apl":"x","limit":1000000000.0})")->limit == std::uint64_t{1000000000});
  for (const char* bad : {"2.5", "-1.0", "1e300", "18014398509481984.0"}) {
    CAPTURE(bad);
    CHECK_FALSE(read_query_body(R"({"apl":"x","limit":)" + std::string(bad) + "}").ok());
  }
}

TEST_CASE("deletes need a boolean commit") {
  CHECK(read_delete_body(R"({"apl":"['a']","commit":false})").ok());
  CHECK_FALSE(read_delete_body(R"({"apl":"['a']"})").ok());
  CHECK_FALSE(read_delete_body(R"({"apl":"['a']","commit":"true"})").ok());
  CHECK_FALSE(read_delete_body(R"({"apl":"['a']","commit":null})").ok());
}

TEST_CASE("compile errors say where") {
  Error error = make_error(ErrorCode::kCompile, "no such thing");
  error.span = Span{9, 12};
  const HttpResponse response = response_of_error(error, "['a']\n| foo");
  CHECK(response.status == 400);
  CHECK(response.body.find(R"("line":2,"column":4)") != std::string::npos);
}

TEST_CASE("legacy queries become APL in which every name and value is quoted") {
  const Result<LegacyQuery> read = read_legacy_body(
      R"({"startTime":"now-1d","limit":10,"filter":{"op":"and","children":[)"
      R"({"op":"==","field":"it's","value":"a\"b"},{"op":"not-exists","field":"x"},)"
      R"({"op":"contains","field":"y","value":"Z","caseSensitive":true}]},)"
      R"("order":[{"field":"_time","desc":true}]})");
  REQUIRE(read.ok());
  CHECK(
      legacy_apl("d", *read)->text ==
      R"(['d'] | where (['it\'s'] == "a\"b") and (isnull(column_ifexists("x", dynamic(null)))) and (['y'] contains_cs "Z"))"
      R"( | sort by ['_time'] desc)");
}

TEST_CASE("a virtual field of a legacy query is one expression and nothing behind it") {
  const auto apl = [](const std::string& expression) {
    const Result<LegacyQuery> read =
        read_legacy_body(R"({"virtualFields":[{"alias":"v","expr":")" + expression + R"("}]})");
    REQUIRE(read.ok());
    return legacy_apl("d", *read);
  };
  CHECK(apl("a * 2")->text == "['d'] | extend ['v'] = (a * 2\n)");
  CHECK(apl("a // of the day").ok());
  for (const char* wrong :
       {"a *", "a | take 1", "a), w = (b", "a) | take 1 | extend w = (b", ";"}) {
    CAPTURE(wrong);
    const Result<LegacyApl> text = apl(wrong);
    REQUIRE_FALSE(text.ok());
    CHECK(text.error().code == ErrorCode::kUsage);
    CHECK(text.error().message.find("'v'") != std::string::npos);
  }
}

TEST_CASE("legacy aggregations take their alias or the operator in capitals") {
  const Result<LegacyQuery> read =
      read_legacy_body(R"({"aggregations":[{"op":"count","field":"*"},)"
                       R"({"op":"topk","field":"u","argument":5,"alias":"top"}],"groupBy":["m"]})");
  REQUIRE(read.ok());
  CHECK(legacy_apl("d", *read)->text ==
        "['d'] | summarize ['COUNT'] = count(), ['top'] = topk(['u'], long(5)) by ['m']");
}

TEST_CASE("a legacy order may name a group, an aggregation, its field or its operator") {
  const auto ordered_by = [](const std::string& field) {
    const Result<LegacyQuery> read = read_legacy_body(
        R"({"aggregations":[{"op":"sum","field":"m"},{"op":"max","field":"n","alias":"u"},)"
        R"({"op":"min","field":"n"}],"groupBy":["m"],"order":[{"field":")" +
        field + R"(","desc":true}]})");
    REQUIRE(read.ok());
    const std::string text = legacy_apl("d", *read)->text;
    return text.substr(text.find(" | sort by "));
  };
  CHECK(ordered_by("m") == " | sort by ['m'] desc");
  CHECK(ordered_by("u") == " | sort by ['u'] desc");
  CHECK(ordered_by("MIN") == " | sort by ['MIN'] desc");
  CHECK(ordered_by("n") == " | sort by ['u'] desc");
  CHECK(ordered_by("min") == " | sort by ['MIN'] desc");
  CHECK(ordered_by("other") == " | sort by ['other'] desc");
}

TEST_CASE("legacy queries: an alias of project is its field, and nothing is left out too early") {
  const auto apl = [](const std::string& members) {
    const Result<LegacyQuery> read = read_legacy_body(
        R"({"project":[{"field":"a.b","alias":"c"},{"field":"c","alias":"a"},{"field":"x"}],)" +
        members + "}");
    REQUIRE(read.ok());
    return legacy_apl("d", *read)->text;
  };
  const std::string project =
      " | project _time, _sysTime, ['c'] = ['a'].b, ['a'] = ['c'], ['x'] = ['x']";
  CHECK(apl(R"("order":[{"field":"c"},{"field":"y","desc":true}])") ==
        "['d'] | sort by ['a'].b asc, ['y'] desc" + project);
  CHECK(apl(R"("filter":{"op":"exists","field":"c"})") ==
        "['d'] | where isnotnull(column_ifexists(\"a.b\", dynamic(null)))" + project);
  CHECK(
      apl(R"("aggregations":[{"op":"argmax","field":"c","argument":["a",1]}],"groupBy":["a","x"],)"
          R"("order":[{"field":"c"}])") ==
      "['d'] | summarize ['ARGMAX'] = arg_max(['a'].b, ['c'], long(1)) by ['a'] = ['c'], ['x']"
      " | sort by ['ARGMAX'] asc");
}

TEST_CASE("an error in a legacy query's text names the innermost member around it") {
  const Result<LegacyQuery> read =
      read_legacy_body(R"({"filter":{"op":"not","children":[{"op":"==","field":"a","value":1}]},)"
                       R"("order":[{"field":"b"}]})");
  REQUIRE(read.ok());
  const Result<LegacyApl> apl = legacy_apl("d", *read);
  REQUIRE(apl.ok());
  CHECK(apl->text == "['d'] | where not(['a'] == long(1)) | sort by ['b'] asc");
  const auto told = [&](std::string_view part) {
    Error error = make_error(ErrorCode::kCompile, "no");
    const std::size_t begin = apl->text.find(part);
    error.span = Span{begin, begin + part.size()};
    error = legacy_error(*apl, std::move(error));
    CHECK_FALSE(error.span.has_value());
    return error.message;
  };
  CHECK(told("['a']") == "filter.children[0].field: no");
  CHECK(told("long") == "filter.children[0].value: no");
  CHECK(told("['a'] ==") == "filter.children[0]: no");
  CHECK(told("not") == "filter: no");
  CHECK(told("['b']") == "order[0].field: no");
  CHECK(told("['d']") == "no");
  CHECK(told("where not") == "no");
}

TEST_CASE("an alias of a long field does not make a query's text long beyond all bounds") {
  LegacyQuery query;
  query.project.emplace_back(std::string(100000, 'x'), "a");
  query.group_by.assign(10000, "a");
  CHECK(legacy_apl("d", query)->text.size() < std::size_t{1} << 20U);
}

TEST_CASE("a legacy query has aggregations up to a limit, however they are called") {
  const auto body = [](std::size_t aggregations) {
    std::string text = R"({"aggregations":[{"op":"count"})";
    for (std::size_t i = 1; i < aggregations; ++i) {
      text += R"(,{"op":"count"})";
    }
    return text + "]}";
  };
  const Result<LegacyQuery> most = read_legacy_body(body(kLegacyAggregationsMax));
  REQUIRE(most.ok());
  CHECK(most->aggregations.size() == kLegacyAggregationsMax);
  const Result<LegacyApl> apl = legacy_apl("d", *most);
  REQUIRE(apl.ok());
  CHECK(apl->aggregations.at("COUNT " + std::to_string(kLegacyAggregationsMax)) == "COUNT");
  const Result<LegacyQuery> more = read_legacy_body(body(kLegacyAggregationsMax + 1));
  REQUIRE_FALSE(more.ok());
  CHECK(more.error().code == ErrorCode::kUsage);
  CHECK(more.error().message == "aggregations holds more than 10000 of them");
}

TEST_CASE("a legacy query whose text is full is written no further") {
  LegacyQuery query;
  query.aggregations.assign(300'000, {.alias = "", .op = "count", .field = "", .arguments = {}});
  query.group_by.assign(300'000, "g");
  query.order.assign(300'000, {"count", true});
  const Result<LegacyApl> apl = legacy_apl("d", query);
  REQUIRE(apl.ok());
  CHECK(apl->text.size() > kQueryTextBytesMax);
  CHECK(apl->text.size() < kQueryTextBytesMax + kKibibyte);
  CHECK(apl->parts.size() < 20'000);
}

TEST_CASE("a client's zero values mean that nothing is asked") {
  const Result<LegacyQuery> read = read_legacy_body(
      R"({"limit":0,"cursor":"","continuationToken":"","order":null,"filter":)"
      R"({"op":"","field":"","value":null,"caseSensitive":false,"children":null}})");
  REQUIRE(read.ok());
  CHECK_FALSE(read->limit.has_value());
  CHECK(legacy_apl("d", *read)->text == "['d']");
  CHECK_FALSE(read_legacy_body(R"({"limit":-1})").ok());
  const Result<LegacyQuery> odd = read_legacy_body(R"({"filter":{"op":"zap","field":"a"}})");
  REQUIRE(odd.ok());
  CHECK_FALSE(legacy_apl("d", *odd).ok());
}

TEST_CASE("zero values in a legacy query's members are not given") {
  const auto apl = [](const std::string& members) {
    const Result<LegacyQuery> read = read_legacy_body("{" + members + "}");
    REQUIRE(read.ok());
    const Result<LegacyApl> written = legacy_apl("d", *read);
    REQUIRE(written.ok());
    return written->text;
  };
  CHECK(apl(R"("order":[{"field":"","desc":false}],"groupBy":[""],)"
            R"("project":[{"field":"","alias":""}])") == "['d']");
  CHECK(apl(R"("aggregations":[{"op":"sum","field":"i","alias":"","argument":""},)"
            R"({"op":"argmax","field":"i","argument":[""]}],"groupBy":["","a"],)"
            R"("order":[{"field":""},{"field":"a"}])") ==
        "['d'] | summarize ['SUM'] = sum(['i']), ['ARGMAX'] = arg_max(['i']) by ['a']"
        " | sort by ['a'] asc");
  const std::string none = R"({"op":"","field":"","value":null,"children":null})";
  const std::string equal = R"({"op":"==","field":"a","value":1})";
  const auto filter = [&](const std::string& op, const std::string& children) {
    return apl(R"("filter":{"op":")" + op + R"(","children":)" + children + "}");
  };
  CHECK(filter("and", "[" + none + "," + equal + "]") == "['d'] | where (['a'] == long(1))");
  CHECK(filter("or", "[" + equal + "," + none + "]") == "['d'] | where (['a'] == long(1))");
  CHECK(filter("or", R"([{"op":"and","children":null},)" + equal + "]") ==
        "['d'] | where (['a'] == long(1))");
  CHECK(filter("or", "null") == "['d']");
  CHECK(filter("or", "[" + none + "]") == "['d']");
  CHECK(filter("or", "[]") == "['d'] | where false");
  CHECK(filter("and", "[]") == "['d'] | where true");
}

TEST_CASE("a dotted name of a legacy query is a path, and a key of a map may have dots") {
  LegacyQuery query;
  query.maps = {"m", "m.n"};
  query.filter = LegacyFilter{.op = "exists", .field = "m.k", .value = {}, .children = {}};
  query.group_by = {"geo.city", "m.http.method", "m.n.a b"};
  CHECK(legacy_apl("d", query)->text ==
        "['d'] | where isnotnull(['m'].k) | summarize  by ['geo.city'] = ['geo'].city, "
        "['m.http.method'] = coalesce(['m']['http.method'], ['m'].http.method), "
        "['m.n.a b'] = ['m.n']['a b']");
}

TEST_CASE("annotations: zero times are none, changes merge") {
  CHECK_FALSE(read_annotation_body(R"({"type":"deploy"})", 0).ok());
  const Result<ObjectBody> made = read_annotation_body(
      R"({"type":"deploy","datasets":["a"],"time":"0001-01-01T00:00:00Z","title":null})", 0);
  REQUIRE(made.ok());
  CHECK(made->body == R"({"type":"deploy","datasets":["a"],"time":"1970-01-01T00:00:00Z"})");
  const Result<ObjectBody> merged = merge_object(made->body, R"({"title":"x","datasets":null})");
  REQUIRE(merged.ok());
  CHECK(merged->body.find(R"("datasets":["a"])") != std::string::npos);
  CHECK(annotation_concerns(merged->body, {"a"}, {}));
  CHECK(annotation_concerns(merged->body, {}, {}));
  CHECK_FALSE(annotation_concerns(merged->body, {"b"}, {}));
  CHECK(annotation_concerns(merged->body, {}, {0, 0}));
  CHECK_FALSE(annotation_concerns(merged->body, {}, {1, 2}));
  CHECK_FALSE(annotation_concerns(merged->body, {}, {-2, -1}));
  const std::string span =
      R"({"datasets":["a"],"time":"1970-01-01T00:00:00Z","endTime":"1970-01-01T00:00:01Z"})";
  CHECK(annotation_concerns(span, {}, {1000000000, 2000000000}));
  CHECK_FALSE(annotation_concerns(span, {}, {1000000001, 2000000000}));
}

TEST_CASE("what was kept with nulls is answered without them, but for those further in") {
  StoredObject object;
  object.id = "i";
  object.kind = ObjectKind::kView;
  object.body = R"({"name":"n","description":null,"datasets":null,"deep":{"x":null},"l":[null]})";
  CHECK(write_object(object) == R"({"id":"i","name":"n","deep":{"x":null},"l":[null]})");
  object.kind = ObjectKind::kMonitor;
  object.body = R"({"name":"n","notifierIds":null,"notifierIDs":null,"columnName":null})";
  CHECK(write_object(object).find("null") == std::string::npos);
  object.kind = ObjectKind::kDashboard;
  object.body =
      R"({"version":1,"dashboard":{"name":"n","owner":null,"against":null,"charts":[{"q":null}]}})";
  const std::string answer = write_dashboard(object);
  INFO(answer);
  CHECK(
      answer.find(R"("dashboard":{"name":"n","charts":[{"q":null}],"owner":"X-AXIOM-EVERYONE"})") !=
      std::string::npos);
}

TEST_CASE("OTLP: the JSON and the binary form of a log give the same event") {
  const std::string json =
      R"({"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":)"
      R"({"stringValue":"web"}}]},"scopeLogs":[{"logRecords":[{"timeUnixNano":"1000",)"
      R"("body":{"stringValue":"hi"},"attributes":[{"key":"http.status","value":)"
      R"({"intValue":"200"}}]}]}]}]})";
  const auto field = [](int number, const std::string& bytes) {
    return std::string(1, static_cast<char>(number << 3 | 2)) +
           std::string(1, static_cast<char>(bytes.size())) + bytes;
  };
  const auto pair = [&](const std::string& key, const std::string& value) {
    return field(1, key) + field(2, value);
  };
  const std::string log = std::string("\x09\xe8\x03\0\0\0\0\0\0", 9) + field(5, field(1, "hi")) +
                          field(6, pair("http.status", std::string("\x18\xc8\x01", 3)));
  const std::string resource = field(1, pair("service.name", field(1, "web")));
  const std::string proto = field(1, field(1, resource) + field(2, field(2, log)));
  RewritingBudget budget(kRewritingBytesMax);
  RewritingClaim claim(budget);
  const Result<OtlpEvents> a = otlp_events(json, OtlpSignal::kLogs, OtlpEncoding::kJson, &claim);
  const Result<OtlpEvents> b =
      otlp_events(proto, OtlpSignal::kLogs, OtlpEncoding::kProtobuf, &claim);
  REQUIRE(a.ok());
  REQUIRE(b.ok());
  CHECK(a->text == b->text);
  CHECK(
      a->text ==
      R"({"_time":"1970-01-01T00:00:00.000001Z","body":"hi","attributes":{"http":{"status":200}},)"
      R"("resource":{"service":{"name":"web"}},"service":{"name":"web"}})"
      "\n");
  CHECK_FALSE(otlp_events(proto.substr(0, proto.size() - 3), OtlpSignal::kLogs,
                          OtlpEncoding::kProtobuf, &claim)
                  .ok());
}

TEST_CASE("completions come back as they were written") {
  CompletionAnswer answer;
  answer.begin = 3;
  answer.end = 5;
  answer.candidates.push_back({CandidateKind::kField, "a \"b\"", "['a']", "long", ""});
  answer.candidates.push_back({CandidateKind::kName, "x", "x", "", "Bound by let."});
  const Result<CompletionAnswer> read = read_completion_answer(write_completion(answer));
  REQUIRE(read.ok());
  CHECK(read->begin == 3);
  CHECK(read->end == 5);
  REQUIRE(read->candidates.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(read->candidates[i].kind == answer.candidates[i].kind);
    CHECK(read->candidates[i].name == answer.candidates[i].name);
    CHECK(read->candidates[i].replacement == answer.candidates[i].replacement);
    CHECK(read->candidates[i].signature == answer.candidates[i].signature);
    CHECK(read->candidates[i].doc == answer.candidates[i].doc);
  }
  for (const char* bad : {"", "[]", "{}", R"({"begin":2,"end":1,"candidates":[]})",
                          R"({"begin":0,"end":1,"candidates":[1]})"}) {
    CAPTURE(bad);
    CHECK_FALSE(read_completion_answer(bad).ok());
  }
  const Result<CompletionPlace> place = read_completion_body(write_completion_body("web | ", 3));
  REQUIRE(place.ok());
  CHECK(place->apl == "web | ");
  CHECK(place->cursor == 3);
  CHECK(read_completion_body(R"({"apl":"web"})")->cursor == 3);
  CHECK(read_completion_body(R"({"apl":"web","cursor":99})")->cursor == 3);
  CHECK_FALSE(read_completion_body(R"({"cursor":1})").ok());
}

TEST_CASE("a compile error keeps its id on the way") {
  Error error =
      make_error(ErrorCode::kCompile, "unknown field 'x'", "did you mean 'y'?   (also: z, a)");
  error.id = "APL2003";
  const std::string apl = "web |\nx ['y z'] x";
  for (const Span span : {Span{6, 7}, Span{8, 15}, Span{6, 17}, Span{17, 17}}) {
    error.span = span;
    const HttpResponse response = response_of_error(error, apl);
    const Error read = read_error_answer(response.status, response.body, apl);
    CHECK(read.id == "APL2003");
    CHECK(read.message == error.message);
    CHECK(read.hint == error.hint);
    CHECK(read.span == error.span);
  }
}

TEST_CASE("a hint is told apart from its message") {
  const char* const hints[] = {"", "did you mean 'y'?", "did you mean 'y'?   (also: z, a)"};
  for (const char* const hint : hints) {
    const Error error = make_error(ErrorCode::kUsage, "no (at all)", hint);
    const HttpResponse response = response_of_error(error, {});
    const Error read = read_error_answer(response.status, response.body, {});
    CHECK(read.message == error.message);
    CHECK(read.hint == error.hint);
  }
  // A client knows better which token it sent.
  const std::string body = R"j({"message":"no (yes)","hint":"yes"})j";
  CHECK(read_error_answer(403, body, {}).message == "no (yes)");
  CHECK(read_error_answer(403, body, {}).hint.empty());
  CHECK(read_error_answer(400, body, {}).hint == "yes");
  // Others may mean anything else by it.
  CHECK(read_error_answer(400, R"j({"message":"no","hint":"yes"})j", {}).hint.empty());
}

TEST_CASE("addresses to listen on") {
  std::string host;
  std::uint16_t port = 0;
  REQUIRE(parse_listen_address("[::1]:80", &host, &port).ok());
  CHECK(host == "::1");
  CHECK(port == 80);
  REQUIRE(parse_listen_address(":0", &host, &port).ok());
  CHECK(host == "127.0.0.1");
  for (const char* bad : {"", "localhost", "a:b", "a:70000", "::1:80", "a:"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_listen_address(bad, &host, &port).ok());
  }
  CHECK(is_loopback_host("127.1.2.3"));
  CHECK_FALSE(is_loopback_host("0.0.0.0"));
}

}  // namespace
}  // namespace evq
