// The corpus below covers every construct of the language once or more. Three properties hold for
// all of it: printing and parsing again gives the same tree; damaging the text gives an error or a
// tree, never a crash or a hang; and what an editor is told of damaged text lies within it.

#include "apl/syntax/ast_printer.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "apl/syntax/ast_walker.h"
#include "apl/syntax/expectations.h"
#include "apl/syntax/lexer.h"
#include "apl/syntax/operators.h"
#include "apl/syntax/parser.h"
#include "apl/syntax/source.h"
#include "apl/syntax/unfinished.h"

namespace evq::syntax {

namespace {

constexpr std::string_view kCorpus[] = {
    "web",
    "['http-logs'] | count",
    "web | count as n | where n > 1",
    "web | count as ['a b']",
    "[\"http-logs\"] // a comment\n| where status >= 500 // another\n| take 10;",
    "web | where method == 'GET' and (status between (400 .. 499) or not(ok)) | limit 5",
    "web | where uri contains 'x' or uri !contains_cs \"y\" or uri startswith 'a' or uri !endswith "
    "'b'",
    "web | where uri has 'x' and uri !has_cs 'y' and uri hasprefix 'z' and uri ! hassuffix_cs 'q'",
    "web | where uri matches regex '^/api/\\d+' and host =~ 'A' and host !~ 'B' and a <> b",
    "web | where status in (200, 201) and code !in~ ('a', 'b') and t !between (1h .. 2h)",
    "web | where msg has_any ('a', 'b') or msg has_all (dynamic(['a', 'b'])) or msg !has_any ('z')",
    "web | where id in ((other | where x > 1 | project id)) and k in (names) and z in~ list",
    "web | where * has 'error' and a.b.c[0]['d e'].f == -1 and $left.x == 2",
    "web | extend a = 1 + 2 * 3 - (4 - 5) / 6 % 7, ['b c'] = -(-x), d.e = +y, f",
    "web | extend (lo, hi) = minmax(x), z = case(a == 1, 'one', a == 2, 'two', 'many')",
    "web | extend-valid name = trim(' ', name)",
    "print 1, 1.5, 1e3, 10., 0x1F, 2.5e-3, 'a\\tb\\n\\'', @'c:\\d', @\"say \"\"x\"\"\", h'secret', "
    "'a' \"b\"",
    "print true, false, True, FALSE, null, int(null), long(-3), real(nan), real(+inf), bool(1)",
    "print 1d, 1.5h, 10min, 30s, 250ms, 7us, 3ns, 2tick, timespan('1.02:03:04.5'), time(2), "
    "timespan(15s)",
    "print datetime(2024-05-01), datetime('2024-05-01 10:20:30.5Z'), "
    "date(2024-05-01T10:20:30+02:00)",
    "print dynamic([1, 'a', [2.5], {\"k\": null, 'l': true}, 1h, datetime(2020-01-01), -4, -0.5])",
    "print dynamic({name = 'x', \"b c\": {}}), dynamic('t'), dynamic(null), dynamic(5), "
    "dynamic([])",
    "print dynamic({'path': uri, 'n': [1, a + 1, {}]}), dynamic([0.5 * pi(), 2])",
    "print ```several\nlines``` ",
    "print x = toscalar(web | summarize max(t)), y = f(a = 1, b = 'z'), g()",
    "web | project a, b = c.d, ['x y'] = ['http.status'], strcat(a, '-', b)",
    "web | project-away tmp*, *_raw, a*b*c, ['data.fo']*, ['odd name'], geo.city",
    "web | project-keep _time, a* | project-rename b = a, ['c d'] = geo.city",
    "web | project-reorder b asc, * desc, n* granny-asc, m* granny-desc, z",
    "web | project-by-names 'a', dynamic(['b', 'c*'])",
    "web | distinct * | distinct a, tolower(b)",
    "web | sort by a, b asc, c desc nulls first, d asc nulls last | order by len(x)",
    "web | top 5 by n | top 3 by a asc nulls first, b",
    "web | top-hitters 3 of uri by bytes | top-hitters 2 of a",
    "web | top-nested 2 of a with others = 'rest' by count(), top-nested of b by m = max(c) asc",
    "web | sample 0.1 | sample-distinct 10 of uri | take 3 | getschema",
    "web | summarize count(), n = dcount(ip), 100.0 * countif(s == 1) / count() by bin(_time, 5m), "
    "host",
    "web | summarize by a, b = tolower(c) | summarize hint.strategy=shuffle arg_max(_time, *) by "
    "id",
    "web | make-series n = count() default = 0, avg(d) on _time from ago(1h) to now() step 1m by "
    "host",
    "web | make-series kind=nonempty sum(x) on n step 10 | make-series max(x) on t in range(0, 10, "
    "1)",
    "web | join kind=leftouter (other | where a > 1) on id, $left.x == $right.y",
    "web | join hint.strategy=broadcast kind = inner other on a == b | join (x) on k | join "
    "kind=anti f(1) on k",
    "web | lookup kind=inner ['dim table'] on key | lookup (datatable (a:long) [1, 2,]) on a",
    "union logs*, ['http-*'], (web | where a == 1), * | count",
    "web | union withsource=src kind=outer isfuzzy=true other, t2",
    "union withsource=['from'] a, b",
    "search 'error' and not 'debug*' or level:'warn' and code == 5 and (a:* or b:500)",
    "search kind=case_sensitive in (logs, ['web-*']) '*x*' | take 5",
    "web | search kind=case_insensitive uri:'a?b' and f matches regex 'x'",
    "find withsource=t in (a, b*) where x has 'y' and z > 1 project p, q:string, r:long",
    "find 'text' project-smart",
    "range x from 1 to 10 step 2 | where x > 3",
    "range t from datetime(2024-01-01) to datetime(2024-01-02) step 1h",
    "datatable (a:string, b:long, c:datetime, d:dynamic, e:decimal, f:guid) ['x', 1, "
    "datetime(2024-01-01), dynamic([1]), 1.5, 'g'] | where b > 0",
    "externaldata (id:long, name:string) ['http://h/a.csv', @'b.csv'] with (format='csv', "
    "ignoreFirstRecord=true) | count",
    "web | parse uri with '/' a '/' b:long * 'end' ['c d']:real",
    "web | parse kind=regex flags=Ui msg with @'\\d+' a:int '\\\\s' b",
    "web | parse-where kind=simple msg with '[', level:string, '] ', text:string",
    "web | parse kind=relaxed msg with * 'id=' id:long ' ' *",
    "web | parse-kv msg as (a:long, ['b c']:string, d) with (pair_delimiter=',', kv_delimiter='=', "
    "quote='\"', greedy=true)",
    "web | parse-kv msg as (k) with (regex=@'(\\w+)=(\\w+)') | parse-kv m as (x:real)",
    "web | mv-expand tags | mvexpand kind=array with_itemindex=i t = a.b to typeof(string), c "
    "limit 5",
    "web | mv-apply with_itemindex=i x = tags to typeof(long) limit 3 on (where x > 1 | top 1 by "
    "x)",
    "web | mv-apply a, b on (| summarize n = count())",
    "web | partition hint.strategy=native by host (top 1 by n | project host)",
    "web | partition by ['a b'] { other | where k == 1 }",
    "web | evaluate bag_unpack(d, 'p_') : (*, a:long) | evaluate pivot(c, sum(v), k) : (x:string)",
    "web | evaluate hint.distribution=single narrow() | evaluate f() : (*)",
    "web | invoke fn(1, 'a') | serialize n = row_number(), p = prev(x, 1) | serialize",
    "web | scan with_match_id=m declare (a:long = 0, b:string) with (step s1 output=none: x > 1 => "
    "a = x, b = 'k'; step s2 optional output=last: s1.a < 5;)",
    "web | scan order by t asc partition by host with (step s: true)",
    "web | reduce by msg with threshold=0.3, characters='_' | reduce by m with (threshold=0.5)",
    "web | reduce kind=source by msg with (threshold=0.3)",
    "web | render timechart with (title='T', ycolumns=a, b, kind=stacked) ",
    "web | render barchart kind=stacked title='x y'",
    "web | as one | consume | fork (where a == 1) two = (summarize count() | take 1)",
    "web | facet by a, ['b c'] with (where x > 1 | take 2) | facet by z",
    "web | redact replaceToken='##' @'\\d{4}', (@'\\w+@\\w+') on msg, geo.* ",
    "web | redact replaceHash=true redactGroups=false dynamic(['a', 'b'])",
    "let a = 5; let b = dynamic([1]); let t = web | where x == a; t | join (t) on k",
    "let f = (x:long, y:string = 'd') { let z = x * 2; strcat(z, y) }; print f(1)",
    "let g = (T:(a:long, b:string), U:(*), n:int) { T | where a > n }; g((web | project a, b), "
    "web, 3)",
    "let v = view () { union a, b }; let w = (web | take 1); let d = datatable (x:long) [1]; v",
    "set stricttypes; set maxmemory = 100; declare query_parameters(x:long = 5, y:string); web | "
    "where a == x",
    "(web | where a == 1) | union (other | take 5) | count",
    "materialize(web | where a > 1) | take 2; web | count",
    "table('web') | where column_ifexists('a', 0) > 1",
    "web | extend x = toscalar((web | count)), y = typeof(long), z = extract('a', 1, b, "
    "typeof(string))",
    "print not(a), count(*), bag_pack(*), arg_max(x, *), 2xx, ['true'], ['by'], ['a\\\\.b'], "
    "['it\\'s']",
    "print f((print x = 1), datatable (a:long) [1], 7)",
    "print ['array_concat'](a, b), 2xx(c), has(d)",
    "web | where matches == 1 and ['has'] == 2 and kind == 3 and limit > 4 and time > ago(1h)",
};

std::string explicit_text(const ast::Query& query) {
  return print(query, PrintStyle::kExplicit);
}

// What colours a text while somebody types, and what completes it.
void check_for_editors(const std::string& text) {
  std::size_t end = 0;
  for (const HighlightToken& token : tokenize(text)) {
    REQUIRE(token.span.begin >= end);
    REQUIRE(token.span.end > token.span.begin);
    end = token.span.end;
  }
  REQUIRE(end <= text.size());
  const Expectations found = expectations_at_end(text);
  REQUIRE(found.statement_begin <= text.size());
  for (const PipelineScope& scope : found.scopes) {
    REQUIRE(scope.begin <= text.size());
    REQUIRE(std::ranges::all_of(
        scope.operators, [&](std::size_t at) { return at >= scope.begin && at <= text.size(); }));
  }
  static_cast<void>(is_unfinished(text));
}

}  // namespace

TEST_CASE("printing and parsing again gives the same tree") {
  std::vector<std::string> corpus(std::begin(kCorpus), std::end(kCorpus));
  for (const OperatorInfo& info : all_operators()) {
    for (const OperatorExample& example : info.examples) {
      if (!example.query.empty()) {
        corpus.emplace_back(example.query);
      }
    }
  }
  for (const std::string& text : corpus) {
    CAPTURE(text);
    const Result<ast::Query> query = parse(text, 0);
    REQUIRE_MESSAGE(query.ok(), SourceText(text).render(query.error()));
    const std::string canonical = print(*query);
    CAPTURE(canonical);
    const Result<ast::Query> again = parse(canonical, 0);
    REQUIRE_MESSAGE(again.ok(), SourceText(canonical).render(again.error()));
    CHECK(print(*again) == canonical);
    CHECK(explicit_text(*again) == explicit_text(*query));
    const Result<ast::Query> spelled_out = parse(explicit_text(*query), 0);
    REQUIRE(spelled_out.ok());
    CHECK(explicit_text(*spelled_out) == explicit_text(*query));
  }
}

TEST_CASE("damaged text gives an error or a tree") {
  std::size_t trees = 0;
  const auto check = [&](const std::string& text) {
    check_for_editors(text);
    const Result<ast::Query> query = parse(text, 0);
    if (query.ok()) {
      ++trees;
      return;
    }
    REQUIRE(query.error().span);
    CHECK(query.error().span->begin <= query.error().span->end);
    CHECK(query.error().span->end <= text.size());
    CHECK(!SourceText(text).render(query.error()).empty());
  };
  for (const std::string_view whole : kCorpus) {
    const std::string text(whole);
    for (std::size_t i = 0; i < text.size(); ++i) {
      check(text.substr(0, i));
      check(text.substr(i));
      check(std::string(text).erase(i, 1));
      check(std::string(text).insert(i, 1, "|(['\";\xFF,.*"[i % 11]));
    }
  }
  CHECK(trees > 1000);
}

TEST_CASE("expressions print as they bind") {
  struct Case {
    std::string_view text;
    std::string_view tree;
  };
  constexpr Case kCases[] = {
      {"print a + b * c", "print a + (b * c)"},
      {"print (a + b) * c", "print (a + b) * c"},
      {"print a - b - c", "print (a - b) - c"},
      {"print -a * b", "print (-a) * b"},
      {"print -a.b[0]", "print -a.b[0]"},
      {"print a or b and c == d + 1", "print a or (b and (c == (d + 1)))"},
      {"print (a and b) and c", "print (a and b) and c"},
      {"print a and b and c", "print a and b and c"},
      {"print a ! has 'x'", "print a !has 'x'"},
      {"print a <> b", "print a != b"},
      {"print a between (1 .. b + 1)", "print a between (1 .. (b + 1))"},
      {"print a in (b)", "print a in (b)"},
      {"print '\\d\\\\'", "print '\\\\d\\\\'"},
      {"print 1h, datetime(2024-05-01 10:20)",
       "print timespan('1h0m0s'), datetime(2024-05-01T10:20:00Z)"},
      {"['a b'] | filter x | order by y | take 5",
       "['a b']\n| where x\n| sort by y desc\n| limit 5"},
      {"a | join b on c == d", "a\n| join (b) on c == d"},
      {"let t = a | count; t", "let t = a | count;\nt"},
      {"(let k = 1 ;let t = a|take k; t)|count", "(let k = 1; let t = a | limit k; t)\n| count"},
      {"a | parse b with * 'x' c", "a\n| parse kind=simple b with * 'x' c:string"},
      {"print dynamic({'a':[1,x]})", "print bag_pack('a', pack_array(1, x))"},
  };
  for (const Case& c : kCases) {
    const Result<ast::Query> query = parse(c.text, 0);
    CAPTURE(c.text);
    REQUIRE(query.ok());
    CHECK(explicit_text(*query) == c.tree);
  }
}

TEST_CASE("spans point at the text they came from") {
  const std::string text = "web | where status == 500 and f(a) | top 3 by b";
  const Result<ast::Query> query = parse(text, 0);
  REQUIRE(query.ok());
  const SourceText source(text);
  const ast::Pipeline& pipeline = *query->pipelines.front();
  CHECK(source.slice(pipeline.span) == text);
  CHECK(source.slice(pipeline.source_span) == "web");
  REQUIRE(pipeline.operators.size() == 2);
  CHECK(source.slice(pipeline.operators[0].span) == "where status == 500 and f(a)");
  CHECK(source.slice(pipeline.operators[1].name_span) == "top");
  const auto& where = std::get<ast::Where>(pipeline.operators[0].node);
  std::vector<std::string> seen;
  ast::walk(*where.predicate, [&](const ast::Expr& expr) {
    seen.emplace_back(source.slice(expr.span));
    return !std::holds_alternative<ast::Call>(expr.node);
  });
  CHECK(seen == std::vector<std::string>{"status == 500 and f(a)", "status == 500", "status", "500",
                                         "f(a)"});
}

TEST_CASE("name patterns match") {
  const auto matches = [](std::vector<std::string> parts, std::string_view name) {
    return ast::NamePattern{std::move(parts), {}}.matches(name);
  };
  CHECK(matches({"a"}, "a"));
  CHECK(!matches({"a"}, "ab"));
  CHECK(matches({"a", ""}, "ab"));
  CHECK(matches({"", "b"}, "ab"));
  CHECK(matches({"", ""}, ""));
  CHECK(matches({"a", "b", "c"}, "a1b2c"));
  CHECK(!matches({"a", "b", "c"}, "ac"));
  CHECK(!matches({"ab", "ba"}, "aba"));
  CHECK(ast::NamePattern{{"a", ""}, {}}.text() == "a*");
}

}  // namespace evq::syntax
