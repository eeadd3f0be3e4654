#include "apl/service/language.h"

namespace evq {
namespace {

constexpr ExpressionOperator kExpressionOperators[] = {
    {"+",
     "arithmetic",
     "Adds numbers, timespans, and timespans to datetimes.",
     {"print datetime(2024-05-01) + 1h", "2024-05-01T01:00:00Z"}},
    {"-",
     "arithmetic",
     "Subtracts; of two datetimes the timespan between them. Also the sign.",
     {"print datetime(2024-05-02) - datetime(2024-05-01)", "24h0m0s"}},
    {"*", "arithmetic", "Multiplies numbers, and timespans by numbers.", {"print 1s * 5", "5s"}},
    {"/",
     "arithmetic",
     "Divides. Of integers the whole part, null by zero; of timespans a real.",
     {"print 7 / 2, 7.0 / 2, 10m / 1s", "3  3.5  600"}},
    {"%",
     "arithmetic",
     "The rest of a division, with the sign of the left side.",
     {"print 10 % 3, -10 % 3", "1  -1"}},
    {"==",
     "comparison",
     "Equal; texts by case. Null equals nothing but null.",
     {"print 3 == 3.0, 'a' == 'A'", "true  false"}},
    {"!=",
     "comparison",
     "Not equal; true when just one side is null.",
     {"print 2 != 1, int(null) != 1", "true  true"}},
    {"<>", "comparison", "The same as !=.", {"print 2 <> 2", "false"}},
    {"<",
     "comparison",
     "Less; null when a side is null.",
     {"print 1 < 2, 'a' < 'b'", "true  true"}},
    {"<=", "comparison", "Less or equal.", {"print 2 <= 2", "true"}},
    {">", "comparison", "Greater.", {"print 10min > 1sec", "true"}},
    {">=", "comparison", "Greater or equal.", {"print 7 >= 8", "false"}},
    {"=~", "text", "Equal without regard to case.", {"print 'abc' =~ 'ABC'", "true"}},
    {"!~", "text", "Not equal without regard to case.", {"print 'aBc' !~ 'xyz'", "true"}},
    {"contains",
     "text",
     "The left side has the right one somewhere, without regard to case.",
     {"print 'parentSpanId' contains 'span'", "true"}},
    {"!contains", "text", "Not contains.", {"print 'parentSpanId' !contains 'span'", "false"}},
    {"contains_cs",
     "text",
     "As contains, by case.",
     {"print 'parentSpanId' contains_cs 'span'", "false"}},
    {"!contains_cs",
     "text",
     "Not contains_cs.",
     {"print 'parentSpanId' !contains_cs 'span'", "true"}},
    {"startswith",
     "text",
     "The left side begins with the right one, without regard to case.",
     {"print 'parentSpanId' startswith 'Parent'", "true"}},
    {"!startswith", "text", "Not startswith.", {"print 'parentSpanId' !startswith 'Id'", "true"}},
    {"startswith_cs",
     "text",
     "As startswith, by case.",
     {"print 'parentSpanId' startswith_cs 'Parent'", "false"}},
    {"!startswith_cs",
     "text",
     "Not startswith_cs.",
     {"print 'parentSpanId' !startswith_cs 'Parent'", "true"}},
    {"endswith",
     "text",
     "The left side ends with the right one, without regard to case.",
     {"print 'parentSpanId' endswith 'id'", "true"}},
    {"!endswith", "text", "Not endswith.", {"print 'parentSpanId' !endswith 'Span'", "true"}},
    {"endswith_cs",
     "text",
     "As endswith, by case.",
     {"print 'parentSpanId' endswith_cs 'id'", "false"}},
    {"!endswith_cs",
     "text",
     "Not endswith_cs.",
     {"print 'parentSpanId' !endswith_cs 'id'", "true"}},
    {"has",
     "text",
     "The right side stands in the left one, without regard to case, and no term goes on beyond "
     "it: a letter or digit at its end has no other one next to it. Terms are runs of letters and "
     "digits; 'a.b' has '.', and 'me@x.com' has '@x.com'.",
     {"print 'North America' has 'america', 'error2' has 'error'", "true  false"}},
    {"!has", "text", "Not has.", {"print 'North America' !has 'amer'", "true"}},
    {"has_cs", "text", "As has, by case.", {"print 'North America' has_cs 'america'", "false"}},
    {"!has_cs", "text", "Not has_cs.", {"print 'North America' !has_cs 'america'", "true"}},
    {"has_any",
     "text",
     "Has any of the values, which are literals or an array.",
     {"print 'North America' has_any ('asia', 'america')", "true"}},
    {"has_any_cs",
     "text",
     "As has_any, by case.",
     {"print 'North America' has_any_cs ('Asia', 'america')", "false"}},
    {"has_all",
     "text",
     "Has all of the values.",
     {"print 'North America' has_all ('north', 'america')", "true"}},
    {"hasprefix",
     "text",
     "The right side begins a term of the left one, without regard to case.",
     {"print 'Admin_User' hasprefix 'use'", "true"}},
    {"!hasprefix", "text", "Not hasprefix.", {"print 'Admin_User' !hasprefix 'min'", "true"}},
    {"hasprefix_cs",
     "text",
     "As hasprefix, by case.",
     {"print 'DOCS_file' hasprefix_cs 'docs'", "false"}},
    {"!hasprefix_cs",
     "text",
     "Not hasprefix_cs.",
     {"print 'DOCS_file' !hasprefix_cs 'docs'", "true"}},
    {"hassuffix",
     "text",
     "The right side ends a term of the left one, without regard to case.",
     {"print 'documentation.docx' hassuffix '.DOCX'", "true"}},
    {"!hassuffix",
     "text",
     "Not hassuffix.",
     {"print 'documentation.docx' !hassuffix '.pdf'", "true"}},
    {"hassuffix_cs",
     "text",
     "As hassuffix, by case.",
     {"print 'Document.HTML' hassuffix_cs '.html'", "false"}},
    {"!hassuffix_cs",
     "text",
     "Not hassuffix_cs.",
     {"print 'Document.HTML' !hassuffix_cs '.html'", "true"}},
    {"matches regex",
     "text",
     "The left side has a match of an RE2 expression.",
     {"print 'parentSpanId' matches regex 'g.*r', 'a1' matches regex '^[a-z]\\\\d$'",
      "false  true"}},
    {"!matches regex",
     "text",
     "Has no match.",
     {"print 'parentSpanId' !matches regex 'g.*r'", "true"}},
    {"in",
     "membership",
     "Is among the values: literals, an array, whose values are taken as literals are where it is "
     "constant, or a subquery's first column.",
     {"print 2 in (1, 2, 3), 'b' in (dynamic(['a']))", "true  false"}},
    {"!in",
     "membership",
     "Is not among the values; true for null.",
     {"print 4 !in (1, 2, 3)", "true"}},
    {"in~", "membership", "As in, without regard to case.", {"print 'A' in~ ('a', 'b')", "true"}},
    {"!in~", "membership", "Not in~.", {"print 'A' !in~ ('a', 'b')", "false"}},
    {"between",
     "comparison",
     "Lies in a range, both ends included; after a datetime a timespan may be the end.",
     {"print 5 between (1 .. 5), datetime(2024-05-01 10:00) between (datetime(2024-05-01) .. 1d)",
      "true  true"}},
    {"!between", "comparison", "Lies outside of a range.", {"print 5 !between (1 .. 5)", "false"}},
    {"and",
     "logic",
     "Both; null and false is false.",
     {"print true and false, bool(null) and false", "false  false"}},
    {"or",
     "logic",
     "One of both; null or true is true.",
     {"print true or false, bool(null) or true", "true  true"}},
    {".",
     "access",
     "The value under a key of a bag or map field; null when it is not there.",
     {"print d = dynamic({'a': {'b': 1}}) | project v = d.a.b, w = d.x.y", "1  null"}},
    {"[]",
     "access",
     "The value under a key or at an index; negative ones count from the end.",
     {"print d = dynamic([10, 20, 30]) | project v = d[0], w = d[-1]", "10  30"}},
};

constexpr LanguageTopic kTopics[] = {
    {"query",
     "Queries",
     "A query is a source and operators behind pipes: ['sample'] | where status >= 500 | count. "
     "Sources are a dataset, print, datatable, range, union, search in (...), find, externaldata, "
     "a let name, or a query in parentheses. Statements (let, set, declare query_parameters) stand "
     "in front, each ended by a semicolon. A comment runs from // to the end of its line.\n\n"
     "Rows without a sort come newest first by _time; aggregations take such rows oldest first, so "
     "that make_list() lists them in the order of time and take_any() gives the oldest. Names of "
     "functions and operators are lower case. now() is one instant for the whole query.",
     {{"range x from 1 to 4 step 1 | where x > 1 | summarize n = count(), s = sum(x)", "3  9"}}},
    {"literals",
     "Literals",
     "Numbers: 12, 0x1F (long); 1.5, 1e3, 10. (real). Typed forms take a value or null: long(1), "
     "int(1), real(2.5), double(2.5), real(nan), real(+inf), bool(0), long(null).\n\n"
     "Texts: 'x' or \"x\" with the escapes \\\\, \\', \\\", \\n, \\t, \\r, \\0, \\xHH, \\uHHHH; "
     "an unknown escape stays as it is, so that '\\d' works. @'x' takes backslashes as they are; "
     "```x``` may span lines; h'x' is the same as 'x'. Neighbouring texts are one.\n\n"
     "Timespans: a number and a unit (w, d, h, m, s, ms, us, ns, tick, or written out), or "
     "timespan(1.02:03:04). Datetimes: datetime(2024-05-01 10:20:30.5), with T or a blank, Z or an "
     "offset, UTC when there is none.\n\n"
     "Dynamic values: dynamic([1, 'a', {'k': null}]), with single or double quotes and literals of "
     "other types inside.",
     {{"print 0x1F, 1e3, 'a' \"b\", @'c\\d', 90m, timespan(1.02:03:04)",
       "31  1000  ab  c\\d  1h30m0s  26h3m4s"},
      {"print datetime(2024-05-01 10:20+02:00), dynamic([1h, null])",
       "2024-05-01T08:20:00Z  [\"1h0m0s\",null]"}},
     {"true", "false"}},
    {"names",
     "Names",
     "A name of letters, digits and _ that does not begin with a digit stands as it is; any other, "
     "and one that is a word of the language, is quoted: ['content-type']. Objects become one "
     "field a leaf at ingest, so {\"geo\": {\"city\": \"x\"}} is the field geo.city, written "
     "['geo.city'] or geo.city; a dot inside a key is written with two backslashes. What is below "
     "a map field is read by index or dots. Where a query has made a bag geo itself, geo.city is a "
     "part of that, and ['geo.city'] the field as ever. In a union of tables with a bag or map geo "
     "and of others with the field, geo.city is what the row has. * stands for any characters in "
     "lists of names, outside the quotes: project-away data*, ['a b']*; such lists take whole "
     "fields, no keys of maps.\n\n"
     "A result without a name is called after its call (sum_ms, count_, percentile_ms) or field; "
     "other expressions are Column1, Column2. A second field of a name gets a number behind it.",
     {{"print ['a b'] = 1 | extend c = ['a b'] + 1 | project-away a*", "2"},
      {"print ['g.x'] = 1 | extend g = bag_pack('x', 2) | project a = g.x, b = ['g.x']", "2  1"}}},
    {"types",
     "Types",
     "bool; long (int), 64 bits with sign; real (double), IEEE 754; string, UTF-8, lengths in code "
     "points; datetime (date), UTC, to the nanosecond from 1677 to 2262; timespan (time), to the "
     "nanosecond; dynamic: any of them, arrays, and bags.\n\n"
     "Numbers compare among each other; else both sides must be of one type. A literal adapts to "
     "the other side: a text to a datetime, number, bool or timespan, 1 and 0 to a bool; a text "
     "field beside a constant number, timespan or datetime is read as one, null where it is none "
     "(only an integer of 2^53 or more equals nothing but its text); beside a field, todatetime(), "
     "toreal() or totimespan() reads it. A dynamic beside a constant is compared row by row, as a "
     "field of the type that the row holds: one event of another type changes nothing for the "
     "others. A number beside a timespan counts nanoseconds, as OpenTelemetry's durations do, one "
     "of the data (duration > 1s, duration / 1ms) and a written one (took > 5000000; took > 5ms is "
     "the same). `set stricttypes` refuses all that but texts for datetimes. "
     "Integers stay integers in + - * / %, and beyond 64 bits the result is null. Functions "
     "convert long to real and anything to dynamic by themselves; a dynamic value of another type "
     "than asked for counts as null, but a time counts in nanoseconds where a number is asked for, "
     "and anything as tostring() of it where a text is. As a condition it counts as tobool() of "
     "it. "
     "+ - * / % of a dynamic, floor() and ceiling(), and bin() to a timespan go by what each row "
     "holds, a number, time or timespan; other functions of numbers, such as abs(), round() and "
     "bin() to a number, take a real of it, which rounds integers beyond 2^53 (tolong() first "
     "keeps them). A field that held several types is dynamic.",
     {{"print gettype(1), gettype(1.5), gettype('a'), gettype(1h), gettype(dynamic([]))",
       "long  real  string  timespan  array"}},
     {"bool", "boolean", "int", "long", "real", "double", "string", "datetime", "date", "timespan",
      "time", "dynamic", "typeof"}},
    {"nulls",
     "Nulls",
     "Every type has null; an empty text is not null, though isempty() is true of both. == with "
     "just one null is false and != true; of two nulls both are null. < > <= >= and arithmetic "
     "with null give null, and so do functions, of a null in an optional argument too, unless "
     "they say otherwise. where keeps rows whose condition is true. and, or and not() are "
     "three-valued. Aggregates pass nulls over; "
     "summarize by makes null a group of its own; joins never match nulls; sort puts them, and "
     "NaN next to them, first ascending and last descending.",
     {{"print int(null) == 1, isnull(int(null) < 1), isempty(''), isnull('')",
       "false  true  true  false"}},
     {"null"}},
    {"statements",
     "Statements",
     "let name = value; names a scalar, an array, a table or a function (let f = (x:long, y:long = "
     "1) { x + y };). set name; or set name = value; sets an option; unknown ones are ignored with "
     "a warning. set query_take_max_records = 100; lets the answer have so many rows at most. "
     "set best_effort; reads what can be read of datasets that are damaged, and warns "
     "of each block that is left out. declare query_parameters(x:long = 5); takes parameters from "
     "the caller, whose values are read as the declared type, datetimes and timespans as texts, or "
     "refused.\n\n"
     "The argument of a function is worked out once for each row; a let is a name for an "
     "expression, which is worked out wherever the name stands: two uses of let x = rand(); are "
     "two draws. In both, names that the query has given come before fields; in the query itself "
     "fields come first. An argument must be of its parameter's type, but a long becomes real, "
     "anything dynamic, and a dynamic what it holds of that type; the same is true of columns that "
     "a table parameter declares, T:(x:real).\n\n"
     "A query in parentheses may begin with lets of its own, known within them only: "
     "(let k = 2; web | take k) | count.\n\n"
     "materialize(query) is the query, computed once for all uses of its name outside toscalar(); "
     "toscalar(query) is the first value of its first row; table('name') is the dataset of that "
     "name.",
     {{"let f = (x:long, y:long = 1) { x + y }; print f(2), f(2, 3)", "3  5"},
      {"let same = (x:real) { x == x }; print same(rand())", "true"},
      {"let limit_ = 2; range x from 1 to 5 step 1 | where x <= limit_ | count", "2"},
      {"let most = toscalar(range x from 1 to 5 step 1 | summarize max(x)); print most", "5"}},
     {"let", "set", "declare", "query_parameters", "materialize", "toscalar", "table", "view"}},
    {"plugins",
     "Plugins of evaluate",
     "bag_unpack(bag) makes a column of every key of a bag. pivot(field, aggregation) makes a "
     "column of every value of a field. narrow() gives a row for each cell: Row, Column and Value. "
     "ipv4_lookup(table, address, network) and ipv6_lookup add the columns of the row whose "
     "network holds an address. rows_near(condition, rows) gives the rows that meet a condition "
     "and as many before and after each. rolling_percentile, sliding_window_counts and "
     "activity_counts_metrics look at windows of time: evq help evaluate tells their arguments.",
     {{"print d = dynamic({'a': 1, 'b': 'x'}) | evaluate bag_unpack(d)", "1  x"},
      {"datatable (k:string, n:long) ['a', 1, 'b', 2] | evaluate pivot(k, sum(n))", "1  2"},
      {"print a = 1 | evaluate narrow()", "0  a  1"},
      {"range x from 1 to 9 step 1 | evaluate rows_near(x == 5, 1) | summarize make_list(x)",
       "[4,5,6]"}},
     {"bag_unpack", "pivot", "narrow", "ipv4_lookup", "ipv6_lookup", "rows_near",
      "rolling_percentile", "sliding_window_counts", "activity_counts_metrics"}},
    {"estimates",
     "Estimates and their errors",
     "dcount() is exact up to 4,096 different values; then its standard error is 0.81 %, or less "
     "by its second argument, whatever order the rows come in. percentile() and its kin are exact "
     "up to 4,096 different values; beyond, an answer is at most 0.8 % off where values span ten "
     "decades, and less where they span less, whatever order the rows come in. topk() and "
     "phrases() are exact up to 65,536 different values or phrases, spotlight() up to 8,192 values "
     "of a field on each side; beyond, a count is never too low, and by how much it may be too "
     "high their entries say. Neither counts nor the choice of what is listed depend on the order "
     "of rows or on how they were shared out among workers; in data made for that, one value in "
     "250,000 may be listed in one run and not in another. min, max, count and count_distinct() "
     "are exact, and so are sums, also of reals: they are added up without rounding, and rounded "
     "once. So are the sums that avg, stdev, variance and covariance are made of.",
     {}},
    {"limits",
     "Limits",
     "A query has at most 256 KiB of text, 1,000 operators and 200 levels of parentheses; a "
     "regular "
     "expression has 16 KiB, 1,500 classes of Unicode and 600,000 repetitions in all, and one "
     "search in a text that would take more than 5 seconds is an error. A text that "
     "functions join, repeat or replace things into holds at "
     "most 16 MiB, and so does an array or bag that they make, which has at most 1,048,576 items "
     "and 200 levels; beyond, the result is null. Functions that give a part of what there is, as "
     "split() and extract_all() do, and aggregations that collect values say so on their pages. An "
     "answer of events has 1,000 of them unless the query has a limit; one over HTTP has at most "
     "50,000 rows. Memory and time are bounded as --memory-limit and --timeout say: a query beyond "
     "ends with an error.",
     {{"print strlen(strrep(strrep('ab', 1024), 1024)), "
       "isnull(strrep(strrep(strrep('ab', 1024), 1024), 9))",
       "2097152  true"},
      {"print array_length(repeat(0, 1048576)), repeat(0, 1048577)", "1048576  null"}}},
};

constexpr LanguageDifference kAxiomDifferences[] = {
    {"datetime range",
     "1677-09-21 to 2262-04-11 rather than the years 1 to 9999: instants are 64-bit nanoseconds, "
     "so that they keep all nine digits. An instant outside is null, a literal an error."},
    {"int / int",
     "The whole part (7 / 2 is 3); one page prints 0.3 for 300 / 1000, the others truncate. Divide "
     "by a real, or by toreal(), for fractions."},
    {"x / 0, x % 0", "Null for integers, infinity or NaN for reals; the pages say nothing."},
    {"null == null", "Null, so that where drops the row; the pages contradict each other."},
    {"gettype()", "long and bool as its own page says; the types page says int and int8."},
    {"array_shift_left, array_shift_right",
     "Vacated places are null, as the example shows; the text speaks of wrapping around."},
    {"toarray(scalar)", "An array of one element, as the example shows, not an empty one."},
    {"tobool(other text)", "Null rather than false: a value that is not understood is not false."},
    {"hasprefix, hassuffix",
     "Prefix or suffix of any term, as in Kusto; that includes the documented cases, which are "
     "those of the whole text."},
    {"mv-expand of bags", "Single-property bags; kind=array gives pairs."},
    {"granny-asc, granny-desc", "Runs of digits compare as numbers (a20 before a100)."},
    {"set_difference",
     "The values that only the first array has, as the text says; the example's output has values "
     "of the second."},
    {"series_fir, series_iir",
     "The printed outputs follow from no filter. Both compute their textbook forms; series_fir "
     "divides by the sum of weights none of which is below 0, as Kusto does, unless told "
     "otherwise."},
    {"series_stats", "Variance before stdev, as documented; both of the sample."},
    {"case() without an else",
     "An error, as the page of case says, unless its last condition is constantly true, as on a "
     "page of isbool."},
    {"array[1:]", "Slices by colon, used once, are those of array_slice()."},
    {"summarize array_concat(a, b), series_sum(pack_array(x))",
     "An error: only aggregates and groups may stand there; wrap fields in make_list()."},
    {"make-series on _time", "The axis keeps its field's name, where a page goes on with `time`."},
    {"by histogram(x, n)", "histogram() is an aggregate: summarize histogram(x, n)."},
    {"avgif(x, p) and the like",
     "Columns without a name are called avgif_x, percentiles_arrayif_x and so on, which tells them "
     "from avg_x."},
    {"tohex(text)", "An error: tohex(tolong(text)) says what is meant."},
    {"make_list()",
     "Leaves nulls out; make_list_with_nulls() keeps them. Arrays stay whole, which make_set() "
     "takes "
     "apart."},
    {"extract() without a match", "Null rather than an empty text."},
    {"sample n", "A number of 1 or more gives that many rows."},
    {"redact with look-ahead", "An error: expressions are RE2's, which take linear time."},
    {"unixtime_milliseconds_todatetime and kin",
     "Count in the unit they name; the pages' examples pass seconds to all of them."},
    {"genai_estimate_tokens", "Four characters a token, the documented rule of thumb."},
    {"union of differing types",
     "One dynamic column that keeps both kinds of values; of longs and reals, one of reals, but "
     "where a long may be beyond 2^53."},
    {"geo_info_from_ip_address", "Needs a database given with --geo-database; null without one."},
};

constexpr LanguageDifference kKustoDifferences[] = {
    {"replace_string, replace_regex, countof, trim",
     "What is searched for comes first: replace_string('a', 'b', text). But for trim, Kusto's "
     "order is understood, and told, where the first argument differs from row to row and the last "
     "does not. trim takes a set of characters; trim_regex an expression."},
    {"join", "Inner is the default; innerunique takes the first match of the right side."},
    {"array_slice", "The end is exclusive."},
    {"dayofweek",
     "A number, 0 for Sunday, rather than a timespan; beside timespans it counts days, so that "
     "dayofweek(t) == 1d holds on Mondays."},
    {"parse_url", "Keys are lower case; parse_urlquery gives the bag itself."},
    {"hash(x, n)",
     "The second argument is a salt, not a modulus, which hash_xxhash64() takes. Times are hashed "
     "as tostring() gives them; hash_combine() and hash_many() have a mixture of their own."},
    {"find",
     "Each field is a column, where Kusto packs those that only some datasets have into pack_; "
     "pack_all() after project does."},
    {"columns without a name",
     "summarize make_list(x), percentile(x, 95) gives make_list_x and percentile_x, not list_x "
     "and percentile_x_95. Under the names that only Kusto has, makelist(x), makeset(x) and any(x) "
     "give list_x, set_x and any_x."},
    {"stdev and variance of nothing", "Null rather than 0."},
    {"indexof_regex", "The occurrence stands before the length."},
    {"bin(time, 7d)",
     "Bins of several days are counted from 1970-01-01, a Thursday, rather than from the year 1; "
     "startofweek() and bin_at() give the weeks one wants."},
    {"parse_json(text)", "Gives the text back when it is not JSON; todynamic gives null."},
    {"toint('0x1F')", "Null: texts spell integers in decimal, as Axiom's page says."},
    {"bag_zip", "Stops at the shorter array."},
    {"make_set",
     "Keeps 128 values unless told otherwise, in ascending order. Which of more it keeps does not "
     "depend on the order of the rows: they need not be the first."},
    {"make_list of arrays",
     "Each array is one element of the list, where Kusto makes one list of their elements: "
     "mv-expand before it does. make_set takes arrays apart, as in Kusto."},
    {"reduce with threshold",
     "The part of all rows that must share a term, and a pattern: a smaller threshold gives more "
     "patterns, a larger one fewer, and leaves more rows to others. Kusto's examples give fewer "
     "patterns for a smaller one."},
    {"totimespan, todatetime of numbers",
     "Nanoseconds, since 1970 for datetimes, rather than ticks."},
    {"tostring(timespan)", "Go's form, 1h2m3s; format_timespan() gives others."},
    {"-5 % 3", "-2, the sign of the left side."},
    {"fork, facet",
     "One table, whose first column says which of the tables a row is from: an answer is one table "
     "for every client."},
    {"parse_version", "A long, of parts below 100,000 rather than 100,000,000."},
    {"decimal, guid", "Reals, and texts that toguid() normalises."},
    {"regular expressions",
     "RE2's, as in APL: \\d and \\w are those of ASCII, and classes hold no operations."},
};

}  // namespace

std::span<const ExpressionOperator> expression_operators() {
  return kExpressionOperators;
}

std::span<const LanguageTopic> language_topics() {
  return kTopics;
}

std::span<const LanguageDifference> axiom_differences() {
  return kAxiomDifferences;
}

std::span<const LanguageDifference> kusto_differences() {
  return kKustoDifferences;
}

}  // namespace evq
