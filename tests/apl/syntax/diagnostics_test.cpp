#include "apl/syntax/diagnostics.h"

#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "apl/syntax/parser.h"
#include "apl/syntax/source.h"
#include "store/base/limits.h"

namespace evq {

namespace {

struct Case {
  std::string_view text;
  std::string_view message;
};

std::string first_error(std::string_view text) {
  const Result<ast::Query> query = syntax::parse(text, 0);
  return query.ok() ? "OK" : SourceText(std::string(text)).render_line(query.error());
}

constexpr Case kCases[] = {
    {"web | where a = 1",
     "APL1013 1:15 '=' names a value and compares nothing; write == to compare, =~ to ignore case"},
    {"web | where a == 1 && b == 2", "APL1014 1:20 '&&' is not an APL operator; write and"},
    {"web | where a == 1 || b == 2",
     "APL1014 1:20 '||' is not an APL operator; write or; strcat(a, b) joins texts"},
    {"web | where !(a)", "APL1014 1:13 '!' is not an APL operator; write not(…)"},
    {"web | where !isempty(a)", "APL1014 1:13 '!' is not an APL operator; write not(…)"},
    {"web | where a like \"x%\"",
     "APL1015 1:15 'like' is not an APL operator; use contains, startswith, endswith, or matches "
     "regex"},
    {"web | where a is null",
     "APL1016 1:15 null is not a value to compare with; write isnull(field)"},
    {"web | where a is not null",
     "APL1016 1:15 null is not a value to compare with; write isnotnull(field)"},
    {"web | where a IS NOT NULL",
     "APL1016 1:15 null is not a value to compare with; write isnotnull(field)"},
    {"web | where a == null",
     "APL1016 1:18 null is not a value to compare with; write isnull(field)"},
    {"web | where a != null",
     "APL1016 1:18 null is not a value to compare with; write isnotnull(field)"},
    {"web | where a not in (1, 2)", "APL1014 1:15 'not' is not an APL operator; write !in"},
    {"web | where not a", "APL1014 1:13 'not' is not an APL operator; write not(…)"},
    {"web | where a == 1 AND b == 2",
     "APL1019 1:20 APL's words are written in lower case; write and instead of AND"},
    {"web | WHERE a == 1",
     "APL1019 1:7 APL's words are written in lower case; write where instead of WHERE"},
    {"web | stats count by host",
     "APL1012 1:7 'stats' is Splunk, not APL; write | summarize count() by field"},
    {"web | select a, b",
     "APL1012 1:7 'select' is SQL, not APL; write | project a, b to choose fields"},
    {"SELECT * FROM web",
     "APL1012 1:1 'SELECT' is SQL, not APL; begin with the dataset: ['logs'] | where … | project "
     "a, b"},
    {"select a from web",
     "APL1012 1:1 'select' is SQL, not APL; begin with the dataset: ['logs'] | where … | project "
     "a, b"},
    {"from web select a",
     "APL1012 1:1 'from' is SQL, not APL; begin with the dataset itself: ['logs'] | …"},
    {"web | summarize count() group by a",
     "APL1012 1:25 'group by' is SQL, not APL; write | summarize count() by field"},
    {"web | group by a", "APL1012 1:7 'group' is SQL, not APL; write | summarize count() by field"},
    {"web where a == 1", "APL1011 1:5 a pipe is missing before 'where'; write | where"},
    {"web | where a == 1 order by b",
     "APL1011 1:20 a pipe is missing before 'order'; write | order"},
    {"web | where a == 1 | sort a", "APL1006 1:27 expected 'by', found 'a'; write 'by' before 'a'"},
    {"web | order by a ASC",
     "APL1019 1:18 APL's words are written in lower case; write asc instead of ASC"},
    {"sample-http-logs | count",
     "APL1017 1:1 a name with dashes needs quotes; write ['sample-http-logs']"},
    {"union sample-http-logs, web",
     "APL1017 1:7 a name with dashes needs quotes; write ['sample-http-logs']"},
    {"web | where _time > ago(\"1h\")",
     "APL1029 1:25 ago(…) takes a timespan, not a string; write ago(1h) without quotes"},
    {"web | where a == \"x",
     "APL1002 1:18 this string is not closed; close it with the same quote on the same line; write "
     "\\\\ for a backslash"},
    {"web | where (a == 1", "APL1008 1:13 '(' is never closed; add the missing ')'"},
    {"web | where a == 1)",
     "APL1009 1:19 ')' closes nothing that is open; remove it, or open the bracket it belongs to"},
    {"web | where a == 1 -- comment",
     "APL1018 1:20 '--' does not start a comment in APL; write // before a comment; each one ends "
     "with its line"},
    {"-- comment",
     "APL1018 1:1 '--' does not start a comment in APL; write // before a comment; each one ends "
     "with its line"},
    {"web | where a /* b */ == 1",
     "APL1018 1:15 '/*' does not start a comment in APL; write // before a comment; each one ends "
     "with its line"},
    {"# comment",
     "APL1018 1:1 '#' does not start a comment in APL; write // before a comment; each one ends "
     "with its line"},
    {"web | wher a == 1", "APL1010 1:7 no operator named 'wher'; did you mean 'where'?"},
    {"web | summarise count()",
     "APL1010 1:7 no operator named 'summarise'; did you mean 'summarize'?"},
    {"web | where", "APL1032 1:7 'where' needs a condition; see: evq help where"},
    {"web |", "APL1007 1:6 expected an operator after '|', but the query ends here"},
    {"web | summarize",
     "APL1032 1:7 'summarize' needs an aggregation or by; see: evq help summarize"},
    {"web | extend", "APL1032 1:7 'extend' needs name = expression; see: evq help extend"},
    {"web | project a,", "APL1007 1:17 expected an expression, but the query ends here"},
    {"web | where a == 1 == 2",
     "APL1020 1:20 comparisons cannot be chained with '=='; join two comparisons with and, or use "
     "between (a .. b)"},
    {"web | where a == ", "APL1007 1:17 expected an expression, but the query ends here"},
    {"web | where a between 1 and 5",
     "APL1006 1:23 expected (low .. high), found '1'; write between (low .. high)"},
    {"web | where a between (1, 5)",
     "APL1006 1:25 expected '..', found ','; write between (low .. high)"},
    {"web | join other",
     "APL1007 1:17 expected 'on' and the key fields, but the query ends here; the key stands at "
     "the "
     "end: on field"},
    {"web | join kind=outer other on id",
     "APL1026 1:17 'outer' is not a value of 'kind'; write kind=fullouter, or leftouter to keep "
     "all "
     "rows of the left side only"},
    {"web | join print x = 1 on x",
     "APL1006 1:18 expected 'on' and the key fields, found 'x'; a pipeline on the right side "
     "stands in parentheses: join (…) on field"},
    {"web | join foo=bar other on a",
     "APL1027 1:12 'join' has no option 'foo'; its options are: kind"},
    {"web | extend x = datetime(nonsense)",
     "APL1005 1:18 'nonsense' is not a datetime literal; write datetime(2024-05-01T12:30:00Z); "
     "todatetime(…) converts a value"},
    {"web | extend x = timespan(soon)",
     "APL1005 1:18 'soon' is not a timespan literal; write timespan(1h), 90s or 1.5d; "
     "totimespan(…) converts a value"},
    {"web | extend x = long(1.5)",
     "APL1005 1:18 '1.5' is not a long literal; only a literal fits here; tolong(…) converts a "
     "value"},
    {"web | extend x = dynamic(a)",
     "APL1005 1:26 'a' is not a dynamic literal; write dynamic({\"a\": [1, 2]}); parse_json(…) and "
     "bag_pack(…) build computed values"},
    {"web | where a == 99999999999999999999",
     "APL1004 1:18 '99999999999999999999' is not a number APL can hold; whole numbers have 64 "
     "bits; write 1e30 for a larger, approximate one"},
    {"web | extend x = 1.5foo",
     "APL1004 1:18 '1.5foo' is not a number APL can hold; units of time are w, d, h, m, s, ms, us "
     "and ns"},
    {"web | extend x:int = 1",
     "APL1006 1:15 expected '|', ';' or the end of the query, found ':'; a name gets its value by "
     "=: name = expression"},
    {"datatable (a:strng) [1]", "APL1028 1:14 no type named 'strng'; did you mean 'string'?"},
    {"datatable (a) [1]",
     "APL1006 1:13 expected ':', found ')'; a name is followed by its type: (x:long)"},
    {"web | where a matches \"x\"",
     "APL1014 1:15 'matches' is not an APL operator; write matches regex '…'"},
    {"web | where ['a",
     "APL1002 1:14 this string is not closed; close it with the same quote on the same line; write "
     "\\\\ for a backslash"},
    {"web | where [\"a\"",
     "APL1003 1:13 this quoted name is not closed; a quoted name is written ['my-name']"},
    {"web | where a == “x”",
     "APL1001 1:18 unexpected character '“'; strings are written with plain quotes: \"…\" or '…'"},
    {"web | where a € 5",
     "APL1001 1:15 unexpected character '€'; names with special characters are written ['like "
     "this']"},
    {"web | mv-expand kind=list a",
     "APL1026 1:22 'list' is not a value of 'kind'; use one of: bag, array"},
    {"web | parse kind=fuzzy a with \"x\" b",
     "APL1026 1:18 'fuzzy' is not a value of 'kind'; use one of: simple, regex, relaxed"},
    {"web | parse a", "APL1007 1:14 expected 'with' and a pattern, but the query ends here"},
    {"web | parse-kv a with (x=1)", "APL1006 1:18 expected as (key:type, …), found 'with'"},
    {"web | parse-kv a as (k) with (delim=',')",
     "APL1027 1:31 'parse-kv' has no option 'delim'; its options are: pair_delimiter, "
     "kv_delimiter, quote, escape, greedy, regex"},
    {"web | make-series count() on _time",
     "APL1007 1:35 expected 'step' and the size of a bin, but the query ends here"},
    {"web | top 5 a", "APL1006 1:13 expected 'by', found 'a'; write 'by' before 'a'"},
    {"web | project-rename a",
     "APL1007 1:23 expected '=' and the old name, but the query ends here"},
    {"web | project-rename a* = b", "APL1006 1:22 expected one name, found 'a*'"},
    {"web | render", "APL1007 1:13 expected a chart such as timechart, but the query ends here"},
    {"web | render sankey",
     "APL1033 1:14 no chart named 'sankey'; charts are: timechart, linechart, areachart, barchart, "
     "columnchart, piechart, scatterchart, stackedareachart, card, table, anomalychart, "
     "ladderchart, pivotchart, timepivot, treemap, plotly, graph"},
    {"web | limit", "APL1032 1:7 'limit' needs a number of rows; see: evq help limit"},
    {"web | sample-distinct 5 a", "APL1006 1:25 expected 'of', found 'a'"},
    {"web | scan with (step a output=nome: true)",
     "APL1026 1:32 'nome' is not a value of 'output'; did you mean 'none'?"},
    {"web | fork", "APL1007 1:11 expected name = ( … ) or ( … ), but the query ends here"},
    {"web | partition host (count)",
     "APL1006 1:17 expected 'by', found 'host'; write 'by' before 'host'"},
    {"set x=1",
     "APL1025 1:1 there is no query in this text; start with a dataset: ['my-logs'] | limit 10"},
    {"",
     "APL1025 1:1 there is no query in this text; start with a dataset: ['my-logs'] | limit 10"},
    {"let a = 5;",
     "APL1025 1:1 there is no query in this text; start with a dataset: ['my-logs'] | limit 10"},
    {"let a 5; web", "APL1006 1:7 expected '=', found '5'; write let a = value;"},
    {"web | search kind=loud \"x\"",
     "APL1026 1:19 'loud' is not a value of 'kind'; use one of: default, case_insensitive, "
     "case_sensitive"},
    {"web | where a in ", "APL1007 1:17 expected an expression, but the query ends here"},
    {"web | where f(a", "APL1008 1:14 '(' is never closed; add the missing ')'"},
    {"web | where a[1", "APL1008 1:14 '[' is never closed; add the missing ']'"},
    {"web | summarize count() by", "APL1007 1:27 expected an expression, but the query ends here"},
    {"index=web error",
     "APL1012 1:1 'index' is Splunk, not APL; begin with the dataset: ['logs'] | where …"},
    {"web | extend a = b = 5",
     "APL1013 1:20 '=' names a value and compares nothing; write == to compare, =~ to ignore case"},
    {"web | extend a += 1",
     "APL1013 1:17 '=' names a value and compares nothing; write == to compare, =~ to ignore case"},
    {"web | where x then y",
     "APL1006 1:15 expected '|', ';' or the end of the query, found 'then'; a comma or an operator "
     "is missing before it"},
    {"web | mv-apply a (count)", "APL1007 1:25 expected on ( operators ), but the query ends here"},
    {"web | facet a", "APL1006 1:13 expected 'by', found 'a'; write 'by' before 'a'"},
    {"web | where a == 'x' | | count",
     "APL1006 1:24 expected an operator after '|', found '|'; remove one of the pipes"},
    {"web | lookup kind=full other on id",
     "APL2025 1:19 'lookup' has no kind 'full'; use one of: leftouter, inner"},
    {"web | reduce x", "APL1006 1:14 expected 'by', found 'x'; write 'by' before 'x'"},
    {"web | make-series kind=empty count() on t step 1h",
     "APL1026 1:24 'empty' is not a value of 'kind'; use one of: nonempty"},
    {"web | union kind=left other",
     "APL1026 1:18 'left' is not a value of 'kind'; use one of: inner, outer"},
    {"web | where contains \"x\"", "APL1006 1:13 expected an expression, found 'contains'"},
    {"web | where a has", "APL1007 1:18 expected an expression, but the query ends here"},
    {"web | count()",
     "APL1006 1:12 expected '|', ';' or the end of the query, found '('; as an operator it takes "
     "no parentheses: | count"},
    {"web | where a >< 5", "APL1006 1:16 expected an expression, found '<'"},
    {"web | where a == b.", "APL1007 1:20 expected a key after '.', but the query ends here"},
    {"web | where a..b", "APL1006 1:14 expected '|', ';' or the end of the query, found '..'"},
    {"web | take ten rows",
     "APL1006 1:16 expected '|', ';' or the end of the query, found 'rows'; a comma or an operator "
     "is missing before it"},
    {"web | where a not between (1 .. 2)",
     "APL1014 1:15 'not' is not an APL operator; write !between"},
};

}  // namespace

TEST_CASE("every syntax error says what is wrong and what to write") {
  for (const Case& c : kCases) {
    CAPTURE(c.text);
    CHECK(first_error(c.text) == c.message);
  }
}

TEST_CASE("limits of a query's text") {
  const std::string longest = "web //" + std::string(kQueryTextBytesMax - 6, 'x');
  CHECK(first_error(longest) == "OK");
  CHECK(first_error(longest + "x") ==
        "APL1021 1:1 the query is longer than 262144 bytes; load long lists into a dataset and use "
        "lookup or in ((…))");

  std::string operators = "web";
  for (std::size_t i = 0; i < kQueryOperatorsMax; ++i) {
    operators += "|count";
  }
  CHECK(first_error(operators) == "OK");
  CHECK(first_error(operators + "|count").starts_with("APL1023 "));

  const std::string name(kQueryNameBytesMax, 'a');
  CHECK(first_error(name) == "OK");
  CHECK(first_error("['" + name + "']") == "OK");
  CHECK(first_error("print ['" + name + "'] = 1, '" + name + "' = 2, c = ['" + name + "']") ==
        "OK");
  CHECK(first_error(name + "a").starts_with("APL1031 1:1 "));
  CHECK(first_error("['" + name + "a']").starts_with("APL1031 1:1 "));
  CHECK(first_error("web | project-away " + name + "*").starts_with("APL1031 1:20 "));
  CHECK(first_error("web | extend " + name + ".b = 1").starts_with("APL1031 1:14 "));
  CHECK(first_error("web | where ['" + name + "a'] == 1").starts_with("APL1031 1:13 "));
  CHECK(first_error("print '" + name + "a' = 1").starts_with("APL1031 1:7 "));
  CHECK(first_error("print a['" + name + "a'], '" + name + "a'") == "OK");  // texts
  CHECK(first_error("web | where a == '\xFF'").starts_with("APL1030 1:19 "));
}

TEST_CASE("nesting is limited however it is written") {
  const auto repeated = [](std::string_view open, std::string_view inner, std::string_view close,
                           std::size_t count) {
    std::string text = "print ";
    for (std::size_t i = 0; i < count; ++i) {
      text += open;
    }
    text += inner;
    for (std::size_t i = 0; i < count; ++i) {
      text += close;
    }
    return text;
  };
  constexpr std::size_t kMany = 20000;
  CHECK(first_error(repeated("(", "1", ")", 150)) == "OK");
  CHECK(first_error(repeated("(", "1", ")", kMany)).starts_with("APL1022 "));
  CHECK(first_error(repeated("- ", "1", "", kMany)).starts_with("APL1022 "));
  CHECK(first_error(repeated("f(", "1", ")", kMany)).starts_with("APL1022 "));
  CHECK(first_error(repeated("", "a", ".b", kMany)).starts_with("APL1022 "));
  CHECK(first_error(repeated("", "a", "[0]", kMany)).starts_with("APL1022 "));
  CHECK(first_error(repeated("", "1", "+1", kMany)).starts_with("APL1022 "));
  CHECK(first_error(repeated("a in ((T | where ", "b", "))", 5000)).starts_with("APL1022 "));
  CHECK(first_error("print dynamic(" + std::string(kMany, '[') + std::string(kMany, ']') + ")")
            .starts_with("APL1022 "));
  CHECK(
      first_error("web | join " + std::string(kMany, '(') + "a" + std::string(kMany, ')') + " on x")
          .starts_with("APL1022 "));
  // Long chains of and/or are one node, not a tall tree.
  CHECK(first_error(repeated("", "a", " or a", kMany)) == "OK");
}

TEST_CASE("every parser diagnostic is produced by a case") {
  std::set<std::string> seen = {"APL1021", "APL1022", "APL1023", "APL1030", "APL1031"};
  for (const Case& c : kCases) {
    seen.emplace(c.message.substr(0, 7));
  }
  for (const diag::DiagnosticInfo& info : diag::all_diagnostics()) {
    if (info.id.starts_with("APL1")) {
      CAPTURE(info.slug);
      CHECK(seen.count(std::string(info.id)) == 1);
    }
  }
}

TEST_CASE("ids are unique and ascending") {
  std::string_view before;
  for (const diag::DiagnosticInfo& info : diag::all_diagnostics()) {
    CHECK(before < info.id);
    CHECK(!info.slug.empty());
    before = info.id;
  }
}

TEST_CASE("near names are suggested, far ones are not") {
  const std::string_view fields[] = {"status", "uri", "method", "duration_ms", "duration_s"};
  CHECK(diag::suggest("stat", fields).best == "status");
  CHECK(diag::suggest("Status", fields).best == "status");
  CHECK(diag::suggest("metohd", fields).best == "method");
  CHECK(diag::suggest("duration", fields).best == "duration_s");
  CHECK(diag::suggest("url", fields).best == "uri");
  CHECK(diag::suggest("xyz", fields).best.empty());
  const std::string_view verbs[] = {"tail", "topk"};
  CHECK(diag::suggest("tial", verbs).best == "tail");
  for (const char* far : {"trim", "nope"}) {
    CHECK(diag::suggest(far, verbs).best.empty());
  }
  const std::string_view functions[] = {"cot", "count", "cut"};
  CHECK(diag::suggest("cout", functions).best == "count");
  CHECK(diag::suggest("", fields).best.empty());
  CHECK(diag::suggest(std::string(5000, 's'), fields).best.empty());
  CHECK(diag::did_you_mean("zzzzzz", fields).empty());
  CHECK(diag::did_you_mean("metod", fields) == "did you mean 'method'?");
  // Within a text of its own, and of names that hold brackets.
  const diag::Suggestion several{"pl1", {"a (b)", "pl3"}};
  CHECK(diag::inline_hint(diag::did_you_mean(several, diag::Suggested::kWord)) ==
        "did you mean 'pl1'? also: a (b), pl3");
  CHECK(diag::inline_hint("did you mean 'method'?") == "did you mean 'method'?");
  CHECK(diag::inline_hint("write f(x)") == "write f(x)");
}

TEST_CASE("planner messages read as sentences") {
  const SourceText source("web | where stat > 1");
  const std::string_view fields[] = {"status", "uri"};
  CHECK(source.render_line(diag::unknown_field({12, 16}, "stat", "web", fields)) ==
        "APL2003 1:13 unknown field 'stat' in 'web'; did you mean 'status'?");
  CHECK(diag::wrong_argument_count({0, 1}, "strlen", "1", 2, "strlen(text)").message ==
        "'strlen' takes 1 argument, got 2");
  CHECK(diag::type_mismatch({0, 1}, "+", "string", "long").message ==
        "'+' does not work between string and long");
  CHECK(diag::slug_of(diag::constant_required({0, 1}, "the limit")) == "constant-required");
}

}  // namespace evq
