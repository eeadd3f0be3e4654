#include "apl/syntax/operators.h"

#include <algorithm>
#include <iterator>

#include "apl/syntax/grammar.h"

namespace evq::syntax {

namespace {

// Sorted by name. Examples use literal tables, so that anybody can run them on an empty store.
constexpr OperatorInfo kOperators[] = {
    {.name = "as",
     .aliases = {},
     .summary = "Names the input so that later parts of the query can refer to it",
     .syntax = "T | as NAME",
     .description = "The rows pass through unchanged; NAME stands for them in joins and unions of "
                    "the same query.",
     .examples = {{"print a = 1 | as one | project a", "a:long\n1"}},
     .parse = parse_as},
    {.name = "consume",
     .aliases = {},
     .summary = "Runs the query and throws its rows away",
     .syntax = "T | consume",
     .description = "Useful to time a query without printing its result.",
     .examples = {{"range x from 1 to 3 step 1 | consume", ""}},
     .parse = parse_consume},
    {.name = "count",
     .aliases = {},
     .summary = "Counts the rows",
     .syntax = "T | count",
     .description =
         "Gives one row with the one column Count, or NAME after count as NAME; 0 for an "
         "empty input.",
     .examples = {{"range x from 1 to 3 step 1 | count", "Count:long\n3"}},
     .parse = parse_count},
    {.name = "datatable",
     .aliases = {},
     .summary = "A table written out in the query",
     .syntax = "datatable (NAME:TYPE, …) [VALUE, …]",
     .description = "Values stand row by row and are converted to the column's type; a comma after "
                    "the last one is allowed.",
     .examples = {{"datatable (city:string, n:long) ['Oslo', 2, 'Rome', 5]",
                   "city:string  n:long\nOslo         2\nRome         5"}},
     .parse = nullptr},
    {.name = "distinct",
     .aliases = {},
     .summary = "Keeps one row of each combination of the given fields",
     .syntax = "T | distinct FIELD, …   or   T | distinct *",
     .description = "Null is a value of its own, different from the empty text. The order of the "
                    "rows is not defined.",
     .examples = {{"datatable (a:long) [1, 2, 1] | distinct a | sort by a asc", "a:long\n1\n2"}},
     .parse = parse_distinct},
    {.name = "evaluate",
     .aliases = {},
     .summary = "Runs a plugin, such as bag_unpack, ipv4_lookup, pivot or rows_near",
     .syntax = "T | evaluate PLUGIN(ARGUMENT, …) [: (NAME:TYPE, …)]",
     .description = "Plugins make columns that depend on the data; a schema after the call fixes "
                    "them. bag_unpack(bag, prefix, conflict, ignored) also takes its arguments by "
                    "the names OutputColumnPrefix, columnsConflict ('error', 'replace_source', "
                    "'keep_source') and ignoredProperties; pivot(column, aggregation, group, …). "
                    "ipv4_lookup(table, address, network, key, …, return_unmatched=false) and "
                    "ipv6_lookup join each row with the table's rows whose network holds its "
                    "address and whose keys are equal, the narrowest network first. "
                    "rows_near(condition, rows, rows_after) gives the rows that meet a condition "
                    "and those around them, in the order of the rows; rows_after is as rows when "
                    "left out. rolling_percentile(value, percentile, time, bin, bins, dimension, "
                    "…) gives the percentile of so many bins up to each one that has rows; "
                    "sliding_window_counts(id, time, start, end, lookback, bin, dimension, …) the "
                    "rows and different ids of the time before the end of each bin; "
                    "activity_counts_metrics(id, time, start, end, step, dimension, …) also how "
                    "many ids are new, and how many there have been.",
     .examples = {{"print d = dynamic({'a': 1, 'b': 'x'}) | evaluate bag_unpack(d)",
                   "a:long  b:string\n1       x"}},
     .parse = parse_evaluate},
    {.name = "extend",
     .aliases = {},
     .summary = "Adds computed fields",
     .syntax = "T | extend NAME = EXPRESSION, …",
     .description = "A field that exists is replaced by the new value and moves to the end.",
     .examples = {{"print a = 2 | extend b = a * 10", "a:long  b:long\n2       20"}},
     .parse = parse_extend},
    {.name = "extend-valid",
     .aliases = {},
     .summary = "Adds computed fields, keeping the old value where the new one is not valid",
     .syntax = "T | extend-valid NAME = EXPRESSION, …",
     .description = "Valid are non-empty texts, arrays and bags, numbers other than 0, NaN and "
                    "infinity, and everything else that converts to true.",
     .examples = {{"print name = 'old' | extend-valid name = ''", "name:string\nold"}},
     .parse = parse_extend_valid},
    {.name = "externaldata",
     .aliases = {},
     .summary = "A table read from a file or address",
     .syntax = "externaldata (NAME:TYPE, …) [\"LOCATION\", …] [with (format='csv')]",
     .description =
         "Formats are csv, scsv, tsv, psv, sohsv, json, multijson, ndjson, txt (a row a line) and "
         "raw (a row a file); without one the name's ending decides. gzip and zstd are "
         "unpacked. ignoreFirstRecord=true skips a header. Delimited columns go by "
         "place, JSON by name, or either as ingestionMapping='[{\"Column\": \"NAME\", "
         "\"Properties\": {\"Path\": \"$.a.b\"}}]' says ({\"Ordinal\": 0} for delimited "
         "columns, {\"ConstValue\": \"x\"} for either); what is not asked for is passed "
         "over, a record that is "
         "no CSV is an error. A location may hold 64 MiB; a server reads only what "
         "evq serve --allow-external names.",
     .examples = {{"externaldata (id:long, name:string) ['users.csv'] with (format='csv')", ""}},
     .parse = nullptr},
    {.name = "facet",
     .aliases = {},
     .summary = "Gives a table of counts for each of several fields",
     .syntax = "T | facet by FIELD, … [with (OPERATORS)]",
     .description = "The tables come as one, most frequent values first; its first column, facet, "
                    "names the field. What with (…) makes of the rows comes last, as facet with.",
     .examples = {{"datatable (a:string) ['x', 'x', 'y'] | facet by a",
                   "facet:string  value:string  count_:long\n"
                   "a             x             2\n"
                   "a             y             1"}},
     .parse = parse_facet},
    {.name = "find",
     .aliases = {},
     .summary = "Looks for rows in many datasets",
     .syntax = "find [in (DATASET, …)] where CONDITION [project FIELD, …]",
     .description = "Without in, every dataset is searched. source_ tells where a row was found.",
     .examples = {{"let t = datatable (status:long) [200, 503];\n"
                   "find in (t) where status >= 500 | project status",
                   "status:long\n503"}},
     .parse = nullptr},
    {.name = "fork",
     .aliases = {},
     .summary = "Gives the same rows to several branches",
     .syntax = "T | fork [NAME =] (OPERATORS) [NAME =] (OPERATORS) …",
     .description = "The branches' tables come as one, in their order; its first column, branch, "
                    "has the branch's name, else fork_0, fork_1 and so on.",
     .examples = {{"range x from 1 to 3 step 1 | fork n = (count) (where x > 1)",
                   "branch:string  Count:long  x:long\n"
                   "n              3           null\n"
                   "fork_1         null        2\n"
                   "fork_1         null        3"}},
     .parse = parse_fork},
    {.name = "getschema",
     .aliases = {},
     .summary = "Shows the fields and their types",
     .syntax = "T | getschema",
     .description = "One row per field: ColumnName, ColumnOrdinal, ColumnType, DataType.",
     .examples = {{"print a = 1, b = 'x' | getschema | project ColumnName, ColumnType",
                   "ColumnName:string  ColumnType:string\na                  long\n"
                   "b                  string"}},
     .parse = parse_getschema},
    {.name = "invoke",
     .aliases = {},
     .summary = "Passes the rows to a function that takes a table",
     .syntax = "T | invoke FUNCTION(ARGUMENT, …)",
     .description = "The input becomes the function's first argument.",
     .examples = {{"let twice = (t:(x:long), k:long) { t | extend y = x * k };\n"
                   "print x = 2 | invoke twice(2)",
                   "x:long  y:long\n2       4"}},
     .parse = parse_invoke},
    {.name = "join",
     .aliases = {},
     .summary = "Combines rows of two tables that agree in the key fields",
     .syntax = "L | join [kind=KIND] R on KEY, …",
     .description =
         "Kinds are inner (the default), innerunique, leftouter, rightouter, fullouter, "
         "leftanti, rightanti, leftsemi and rightsemi. A key is a common field or "
         "$left.a == $right.b; commas or ands separate several. R is a name, a call or a "
         "pipeline in parentheses. A field of the right side whose name is taken gets the "
         "suffix 1. innerunique takes of the right rows that match the first, of events "
         "the newest.",
     .examples = {{"datatable (id:long, a:string) [1, 'x', 2, 'y']\n"
                   "| join (datatable (id:long, b:string) [2, 'z']) on id",
                   "id:long  a:string  id1:long  b:string\n2        y         2         z"}},
     .parse = parse_join},
    {.name = "limit",
     .aliases = {"take"},
     .summary = "Keeps the first rows",
     .syntax = "T | limit N",
     .description =
         "Without a sort the newest events come first. Right after a summarize by a time bin and "
         "other fields, N limits the groups and not the rows: those stay whose first aggregate is "
         "largest over all bins together.",
     .examples = {{"range x from 1 to 9 step 1 | limit 2", "x:long\n1\n2"}},
     .parse = parse_limit},
    {.name = "lookup",
     .aliases = {},
     .summary = "Adds the fields of a small table to matching rows",
     .syntax = "T | lookup [kind=leftouter|inner] DIMENSION on KEY, …",
     .description = "A join that keeps every row by default and does not repeat the key fields.",
     .examples = {{"datatable (id:long) [1, 2]\n"
                   "| lookup (datatable (id:long, b:string) [2, 'z']) on id\n"
                   "| sort by id asc",
                   "id:long  b:string\n1        null\n2        z"}},
     .parse = parse_lookup},
    {.name = "make-series",
     .aliases = {},
     .summary = "Turns each group into arrays over regular steps of an axis",
     .syntax = "T | make-series [kind=nonempty] [NAME =] AGGREGATION [default = V], … on AXIS "
               "[from A] [to B] "
               "step S [by GROUP, …]",
     .description =
         "Steps without rows hold the default, 0 unless said otherwise. The end is exclusive; the "
         "axis, of datetimes, timespans or numbers, becomes an array too. Of no rows at all comes "
         "no "
         "series, but with kind=nonempty and without groups one of defaults. `on AXIS in range(A, "
         "B, S)` is the older form.",
     .examples = {{"datatable (t:datetime) [datetime(2024-05-01T00:10:00Z)]\n"
                   "| make-series n = count() on t from datetime(2024-05-01) to "
                   "datetime(2024-05-01T02:00:00Z) step 1h\n"
                   "| project n",
                   "n:dynamic\n[1,0]"}},
     .parse = parse_make_series},
    {.name = "mv-apply",
     .aliases = {},
     .summary = "Runs operators on the elements of an array, row by row",
     .syntax = "T | mv-apply [kind=bag|array] [with_itemindex=I] [NAME =] ARRAY "
               "[to typeof(TYPE)], … [limit N] on (OPERATORS)",
     .description = "Expands the array of each row, applies the operators to those rows alone, and "
                    "joins the results with the row's other fields.",
     .examples = {{"print a = dynamic([3, 1, 2]) | mv-apply x = a to typeof(long) on (top 1 by x)"
                   " | project x",
                   "x:long\n3"}},
     .parse = parse_mv_apply},
    {.name = "mv-expand",
     .aliases = {"mvexpand"},
     .summary = "Makes a row of each element of an array or bag",
     .syntax = "T | mv-expand [kind=bag|array] [with_itemindex=I] [NAME =] ARRAY "
               "[to typeof(TYPE)], … [limit N]",
     .description =
         "The other fields are repeated. Several arrays expand side by side, the shorter "
         "ones filled with null.",
     .examples = {{"print a = dynamic([1, 2]) | mv-expand a to typeof(long)", "a:long\n1\n2"}},
     .parse = parse_mv_expand},
    {.name = "parse",
     .aliases = {},
     .summary = "Takes a text apart by a pattern",
     .syntax = "T | parse [kind=simple|regex|relaxed] FIELD with [*] 'TEXT' NAME[:TYPE] …",
     .description = "Texts of the pattern must occur in order; what stands between them becomes "
                    "fields, * skips. Where the text does not fit, the new fields are null.",
     .examples = {{"print s = 'user=ann id=7' | parse s with 'user=' user ' id=' id:long"
                   " | project user, id",
                   "user:string  id:long\nann          7"}},
     .parse = parse_parse},
    {.name = "parse-kv",
     .aliases = {},
     .summary = "Takes key=value pairs out of a text",
     .syntax =
         "T | parse-kv FIELD as (KEY[:TYPE], …) [with (pair_delimiter=',', kv_delimiter='=')]",
     .description = "Also quote, escape and greedy, or regex with two groups. Keys that do not "
                    "occur are null.",
     .examples = {{"print s = 'a=1,b=x' | parse-kv s as (a:long, b:string) "
                   "with (pair_delimiter=',', kv_delimiter='=') | project a, b",
                   "a:long  b:string\n1       x"}},
     .parse = parse_parse_kv},
    {.name = "parse-where",
     .aliases = {},
     .summary = "Takes a text apart by a pattern and keeps only the rows that fit",
     .syntax = "T | parse-where [kind=simple|regex] FIELD with [*] 'TEXT' NAME[:TYPE] …",
     .description = "The pattern is that of parse.",
     .examples = {{"datatable (s:string) ['id=1', 'no'] | parse-where s with 'id=' id:long"
                   " | project id",
                   "id:long\n1"}},
     .parse = parse_parse_where},
    {.name = "partition",
     .aliases = {},
     .summary = "Runs operators separately on the rows of each value of a field",
     .syntax = "T | partition by FIELD (OPERATORS)",
     .description = "The result is what each partition gives, in ascending order of the field's "
                    "values, null first; events that the operators leave unsorted are newest first "
                    "within each.",
     .examples = {{"datatable (k:string, v:long) ['a', 1, 'a', 2, 'b', 3]\n"
                   "| partition by k (top 1 by v)",
                   "k:string  v:long\na         2\nb         3"}},
     .parse = parse_partition},
    {.name = "print",
     .aliases = {},
     .summary = "One row of computed values",
     .syntax = "print [NAME =] EXPRESSION, …",
     .description = "Values without a name are called print_0, print_1 and so on.",
     .examples = {{"print a = 1 + 1, 'x'", "a:long  print_1:string\n2       x"}},
     .parse = nullptr},
    {.name = "project",
     .aliases = {},
     .summary = "Keeps exactly the given fields, in that order",
     .syntax = "T | project [NAME =] EXPRESSION, …",
     .description = "Fields can be computed and named on the way.",
     .examples = {{"print a = 1, b = 2 | project b, c = a + b", "b:long  c:long\n2       3"}},
     .parse = parse_project},
    {.name = "project-away",
     .aliases = {},
     .summary = "Drops fields",
     .syntax = "T | project-away FIELD, …",
     .description = "Names may hold wildcards: tmp_*.",
     .examples = {{"print a = 1, tmp_b = 2 | project-away tmp_*", "a:long\n1"}},
     .parse = parse_project_away},
    {.name = "project-by-names",
     .aliases = {},
     .summary = "Keeps the fields whose names are given as values",
     .syntax = "T | project-by-names NAME_OR_ARRAY, …",
     .description = "Names are texts or arrays of texts, and may hold wildcards.",
     .examples = {{"print a = 1, b = 2 | project-by-names 'b'", "b:long\n2"}},
     .parse = parse_project_by_names},
    {.name = "project-keep",
     .aliases = {},
     .summary = "Keeps fields in their order",
     .syntax = "T | project-keep FIELD, …",
     .description = "Names may hold wildcards; unlike project, the order of the input stays.",
     .examples = {{"print a = 1, b = 2, c = 3 | project-keep c, a", "a:long  c:long\n1       3"}},
     .parse = parse_project_keep},
    {.name = "project-rename",
     .aliases = {},
     .summary = "Renames fields in place",
     .syntax = "T | project-rename NEW = OLD, …",
     .description = "The other fields and the order stay.",
     .examples = {{"print a = 1, b = 2 | project-rename c = a", "c:long  b:long\n1       2"}},
     .parse = parse_project_rename},
    {.name = "project-reorder",
     .aliases = {},
     .summary = "Puts fields first",
     .syntax = "T | project-reorder FIELD [asc|desc|granny-asc|granny-desc], …",
     .description = "Fields that are not listed follow in their order. With a wildcard a direction "
                    "sorts the matches by name; granny compares numbers inside names.",
     .examples = {{"print a = 1, b = 2 | project-reorder b", "b:long  a:long\n2       1"}},
     .parse = parse_project_reorder},
    {.name = "range",
     .aliases = {},
     .summary = "A column of evenly spaced values",
     .syntax = "range NAME from A to B step S",
     .description = "Numbers, datetimes or timespans; the end belongs to it. Rows are made as they "
                    "are read, so that no length is too much.",
     .examples = {{"range x from 1 to 2 step 1", "x:long\n1\n2"}},
     .parse = nullptr},
    {.name = "redact",
     .aliases = {},
     .summary = "Hides what matches regular expressions",
     .syntax = "T | redact [replaceToken='*'] [replaceHash=true] [redactGroups=true] REGEX, … "
               "[on FIELD, …]",
     .description = "Every text is treated unless on says of which fields: those of fields of "
                    "mixed types, and inside arrays and bags, too. Numbers and the keys of bags "
                    "stay. A token of one character replaces each character, a longer one the "
                    "whole match.",
     .examples = {{"print s = 'pin 1234' | redact '[0-9]+' on s", "s:string\npin ****"}},
     .parse = parse_redact},
    {.name = "reduce",
     .aliases = {},
     .summary = "Groups texts that differ only in details into patterns",
     .syntax = "T | reduce [kind=source] by TEXT [with threshold=0.1, characters='']",
     .description = "Gives Pattern, Count and Representative, the most frequent first. Texts that "
                    "are like no more than the threshold's part of all rows are counted as "
                    "others. kind=source keeps the rows and adds their Pattern.",
     .examples = {{"datatable (s:string) ['job 1 done', 'job 2 done'] | reduce by s with "
                   "threshold=0.9",
                   "Pattern:string  Count:long  Representative:string\njob * done  2  job 1 done"}},
     .parse = parse_reduce},
    {.name = "render",
     .aliases = {},
     .summary = "Says how the result should be drawn",
     .syntax = "T | render CHART [with (NAME=VALUE, …)]",
     .description =
         "The rows pass through; a terminal shows the chart, and -o chart draws it anywhere.",
     .examples = {{"print a = 1 | render table", "a:long\n1"}},
     .parse = parse_render},
    {.name = "sample",
     .aliases = {},
     .summary = "Keeps a random part of the rows",
     .syntax = "T | sample FRACTION",
     .description = "Between 0 and 1: the probability of each row. From 1 on: a number of rows.",
     .examples = {{"range x from 1 to 100 step 1 | sample 0.1", ""}},
     .parse = parse_sample},
    {.name = "sample-distinct",
     .aliases = {},
     .summary = "Gives some of the distinct values of a field",
     .syntax = "T | sample-distinct N of FIELD",
     .description = "Which ones is not defined; cheaper than distinct with a limit.",
     .examples = {{"datatable (a:long) [1, 1] | sample-distinct 5 of a", "a:long\n1"}},
     .parse = parse_sample_distinct},
    {.name = "scan",
     .aliases = {},
     .summary = "Matches sequences of rows by steps",
     .syntax = "T | scan [with_match_id=ID] [declare (NAME:TYPE = V, …)] with (step NAME "
               "[output=all|last|none]: CONDITION => NAME = V, …; …)",
     .description =
         "Rows must be in a definite order. A step's assignments, to declared fields and to "
         "those of the rows, are kept for later rows as STEP.NAME.",
     .examples = {{"range x from 1 to 3 step 1 | sort by x asc\n"
                   "| scan declare (total:long = 0) with (step s: true => total = x + s.total;)",
                   "x:long  total:long\n1       1\n2       3\n3       6"}},
     .parse = parse_scan},
    {.name = "search",
     .aliases = {},
     .summary = "Keeps rows where any field holds a term",
     .syntax = "T | search [kind=case_sensitive] TERM   or   search in (DATASET, …) TERM",
     .description = "\"x\" is a whole word, \"x*\" a beginning, \"*x\" an end, \"*x*\" any part; "
                    "field:\"x\" looks at one field. Terms combine with and, or, not, and with "
                    "other predicates. case_sensitive holds for every operator of texts, such as "
                    "has and =~.",
     .examples = {{"datatable (a:string, b:string) ['red fox', 'x', 'cat', 'y']"
                   " | search 'fox'",
                   "a:string  b:string\nred fox   x"}},
     .parse = parse_search},
    {.name = "serialize",
     .aliases = {},
     .summary = "Marks the order of the rows as meaningful",
     .syntax = "T | serialize [NAME = EXPRESSION, …]",
     .description = "Window functions such as row_number and prev need it, or a sort, before them.",
     .examples = {{"range x from 5 to 6 step 1 | serialize n = row_number()",
                   "x:long  n:long\n5       1\n6       2"}},
     .parse = parse_serialize},
    {.name = "sort",
     .aliases = {"order"},
     .summary = "Sorts rows",
     .syntax = "T | sort by EXPRESSION [asc|desc] [nulls first|nulls last], …",
     .description = "Descending unless asc is said. Nulls come last when descending, first when "
                    "ascending.",
     .examples = {{"datatable (a:long) [2, 3, 1] | sort by a asc", "a:long\n1\n2\n3"}},
     .parse = parse_sort},
    {.name = "summarize",
     .aliases = {},
     .summary = "Groups rows and aggregates each group",
     .syntax = "T | summarize [NAME =] AGGREGATION, … [by [NAME =] EXPRESSION, …]",
     .description = "Without by there is exactly one row. Without aggregations the distinct groups "
                    "are given. The fields after by come first; bags among them have their keys in "
                    "order, since two with the same keys are one.",
     .examples = {{"datatable (k:string, v:long) ['a', 1, 'a', 2, 'b', 5]\n"
                   "| summarize n = count(), total = sum(v) by k | sort by k asc",
                   "k:string  n:long  total:long\na         2       3\nb         1       5"}},
     .parse = parse_summarize},
    {.name = "top",
     .aliases = {},
     .summary = "Keeps the first rows of a sort",
     .syntax = "T | top N by EXPRESSION [asc|desc] [nulls first|nulls last]",
     .description = "The same as sort and limit together, and faster.",
     .examples = {{"datatable (a:long) [2, 3, 1] | top 2 by a", "a:long\n3\n2"}},
     .parse = parse_top},
    {.name = "top-hitters",
     .aliases = {},
     .summary = "Gives the most frequent values, approximately",
     .syntax = "T | top-hitters N of FIELD [by WEIGHT]",
     .description = "Counts in bounded memory; with by it sums the weight.",
     .examples = {{"datatable (a:string) ['x', 'x', 'y'] | top-hitters 1 of a",
                   "a:string  approximate_count_a:long\nx         2"}},
     .parse = parse_top_hitters},
    {.name = "top-nested",
     .aliases = {},
     .summary = "Gives top values level by level",
     .syntax = "T | top-nested [N] of FIELD [with others='x'] by AGGREGATION, top-nested …",
     .description = "Each level keeps its top values inside the values of the level before.",
     .examples = {{"datatable (a:string, v:long) ['x', 1, 'y', 5] | top-nested 1 of a by total = "
                   "sum(v)",
                   "a:string  total:long\ny         5"}},
     .parse = parse_top_nested},
    {.name = "union",
     .aliases = {},
     .summary = "Puts the rows of several tables together",
     .syntax = "[T |] union [withsource=NAME] [kind=inner|outer] [isfuzzy=true] TABLE, …",
     .description = "Columns are merged by name, missing cells are null. One that is long in one "
                    "table and real in another is real, which rounds integers beyond 2^53; where "
                    "other types differ it is dynamic. withsource= puts the name of a row's table "
                    "first; a column that is called so gets a number behind its name. Dataset "
                    "names may hold wildcards: ['logs-*']. isfuzzy=true passes over datasets that "
                    "are not there.",
     .examples = {{"union (print a = 1), (print a = 2) | sort by a asc", "a:long\n1\n2"}},
     .parse = parse_union},
    {.name = "where",
     .aliases = {"filter"},
     .summary = "Keeps the rows for which a condition is true",
     .syntax = "T | where CONDITION",
     .description = "A condition that is null is not true. * stands for any field: * has 'x' is "
                    "true when one of them has it, and * !has 'x' when none has.",
     .examples = {{"range x from 1 to 3 step 1 | where x > 1", "x:long\n2\n3"}},
     .parse = parse_where},
};

}  // namespace

std::span<const OperatorInfo> all_operators() {
  return kOperators;
}

const OperatorInfo* find_operator(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kOperators), std::end(kOperators), [&](const OperatorInfo& info) {
        return info.name == name ||
               (!name.empty() && std::find(std::begin(info.aliases), std::end(info.aliases),
                                           name) != std::end(info.aliases));
      });
  return found == std::end(kOperators) ? nullptr : found;
}

std::vector<std::string_view> operator_names() {
  std::vector<std::string_view> names;
  for (const OperatorInfo& info : kOperators) {
    if (info.parse == nullptr) {
      continue;
    }
    names.push_back(info.name);
    for (const std::string_view alias : info.aliases) {
      if (!alias.empty()) {
        names.push_back(alias);
      }
    }
  }
  return names;
}

}  // namespace evq::syntax
