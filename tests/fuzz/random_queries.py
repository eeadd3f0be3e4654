#!/usr/bin/env python3
"""random_queries.py SEED COUNT DIRECTORY [many]: writes COUNT random queries, most of which compile,
as files of DIRECTORY. They are over the datasets of fuzz_query.cpp, which compares the answers of
evq_fuzz_replay's ways to run one; with `many`, over those of fuzz_rows.cpp.

Where libFuzzer changes the letters of queries, this makes them of whole expressions: every function
and aggregation of man/evq-apl.7 by its example, operators in each other's subqueries, functions of
the query's own with parameters of every type, in every place that takes an expression.
"""
import os
import random
import re
import sys

MANUAL = os.path.join(os.path.dirname(__file__), "..", "..", "man", "evq-apl.7")
BYTES_MAX = 400  # what fuzz_query.cpp reads of an input

TYPES = ("long", "real", "string", "bool", "datetime", "timespan", "dynamic")
EVENT = {"n": "long", "r": "real", "s": "string", "b": "bool", "l": "dynamic", "o.k": "string",
         "o.d": "long", "m": "dynamic", "t": "string", "j": "string", "_time": "datetime"}
# Of dataset w.
ODD_EVENT = {"k": "string", "n": "long", "x": "dynamic", "r": "real", "y": "dynamic", "z": "bool",
             "g": "string", "d": "timespan", "l": "dynamic", "o.k": "string", "o.d": "long", "f": "long",
             "s": "string", "_time": "datetime"}

LITERALS = {
    "long": ["0", "1", "-1", "3", "7", "100", "9223372036854775807", "9007199254740993",
             "long(-9223372036854775808)", "long(null)"],
    "real": ["0.0", "-0.0", "1.5", "-0.5", "1e300", "9007199254740992.0", "real(nan)",
             "real(inf)", "0.1", "real(null)"],
    "string": ["''", "'alpha'", "'a'", "'1'", "'\u00e9'", "'10.0.0.1'", "'%d'", "'beta GAMMA'"],
    "bool": ["true", "false", "bool(null)"],
    "datetime": ["datetime(2024-05-01)", "datetime(2024-05-02T12:30:00Z)", "datetime(null)"],
    "timespan": ["1h", "1d", "0s", "1s", "timespan(null)"],
    "dynamic": ["dynamic([1, 2, 3])", 'dynamic({"a": 1, "b": [1]})', "dynamic(null)",
                'dynamic(["x", null, 1.5])', 'dynamic("q")', "dynamic([])"],
}

# Expressions by their type; {type} is an expression, {sub:type} a subquery with one column.
EXPRESSIONS = {
    "long": [
        "{long} + {long}", "{long} * {long}", "{long} % {long}", "{long} / {long}", "-{long}",
        "strlen({string})", "toint({real})", "tolong({string})", "array_length({dynamic})",
        "hash({string}) % 10", "bin({long}, 3)", "iff({bool}, {long}, {long})",
        "case({bool}, {long}, {bool}, {long}, {long})", "coalesce({long}, {long})",
        "indexof({string}, {string})", "datetime_diff('hour', {datetime}, {datetime})",
        "tolong({dynamic}[0])", "min_of({long}, {long})", "array_index_of({dynamic}, {long})",
        "toint({bool})"],
    "real": [
        "{real} + {real}", "{long} * {real}", "todouble({long})", "sqrt({real})",
        "round({real}, 1)", "iff({bool}, {real}, {real})", "coalesce({real}, {real})",
        "floor({real})", "toreal({string})", "{real} / {long}", "pow({real}, 2)",
        "bin({real}, 0.5)", "todouble({dynamic})", "array_sum({dynamic})", "{timespan} / 1s"],
    "string": [
        "strcat({string}, {string})", "strcat({string}, {long})", "tostring({long})",
        "tostring({dynamic})", "toupper({string})", "substring({string}, {long})",
        "iff({bool}, {string}, {string})", "replace_string({string}, 'a', 'b')",
        "replace_regex({string}, '[a-m]+', '#')", "extract('([a-z]+)', 1, {string})",
        "tostring({real})", "strcat_delim('-', {string}, {long}, {bool})", "tostring({bool})",
        "format_datetime({datetime}, 'yyyy-MM-dd')", "gettype({dynamic})", "tostring({timespan})",
        "coalesce({string}, {string})", "case({bool}, {string}, {string})", "strrep({string}, 2)"],
    "bool": [
        "{long} > {long}", "{real} <= {real}", "{string} == {string}", "{string} has {string}",
        "{string} contains 'a'", "{string} startswith {string}", "{string} in ('alpha', {string})",
        "{long} in (1, 2, {long})", "{bool} and {bool}", "{bool} or {bool}", "not({bool})",
        "isnull({long})", "isempty({string})", "isnotempty({dynamic})", "{datetime} > {datetime}",
        "{long} between (0 .. {long})", "{string} matches regex '^[a-z]'", "{dynamic} has 'x'",
        "{string} =~ {string}", "{string} !contains {string}", "{long} != {long}",
        "{string} in~ ('ALPHA')", "{string} has_any ('alpha', 'get')", "isnan({real})",
        "{long} in (({sub:long}))", "{string} !in (({sub:string}))", "{timespan} > {timespan}",
        "{dynamic} == {long}", "tobool({dynamic})", "{string} has_cs {string}", "{long} >= {real}",
        "{real} == {real}", "{real} < {long}", "{real} in ({real}, {long})", "{real} != {long}",
        "{string} hasprefix {string}", "{string} hassuffix {string}", "{string} endswith {string}",
        "{string} < {string}", "{string} !in~ ('ALPHA', {string})", "{string} !has {string}",
        "{datetime} between ({datetime} .. {timespan})", "isnotnull({dynamic})",
        "isnull({real})", "{bool} == {bool}", "{dynamic} in (1, 'a', {string})",
        "{real} !between ({real} .. {real})", "{string} !~ {string}", "isnull({timespan})",
        "{dynamic} < {real}", "{dynamic} == {string}", "{string} contains_cs {string}",
        "{timespan} == {timespan}", "{datetime} <= {datetime}", "{dynamic} contains {string}"],
    "datetime": [
        "{datetime} + {timespan}", "startofday({datetime})", "bin({datetime}, 1h)",
        "datetime_add('day', {long}, {datetime})", "iff({bool}, {datetime}, {datetime})",
        "todatetime({string})", "coalesce({datetime}, {datetime})"],
    "timespan": [
        "{datetime} - {datetime}", "{timespan} * 2", "totimespan({long})", "-{timespan}",
        "{timespan} + {timespan}", "iff({bool}, {timespan}, {timespan})", "bin({timespan}, 1h)"],
    "dynamic": [
        "split({string}, ' ')", "pack_array({long}, {string}, {dynamic})", "{dynamic}[{long}]",
        "bag_pack('a', {long}, 'b', {string})", "array_concat({dynamic}, {dynamic})",
        "array_slice({dynamic}, 0, 1)", "{dynamic}.a", "parse_json({string})",
        "iff({bool}, {dynamic}, {dynamic})", "set_union({dynamic}, {dynamic})",
        "range(1, {long} % 5, 1)", "bag_merge({dynamic}, {dynamic})", "todynamic({long})"],
}
AGGREGATES = {
    "long": ["count()", "sum({long})", "countif({bool})", "dcount({string})", "max({long})",
             "min({long})", "take_any({long})", "sumif({long}, {bool})",
             "dcountif({string}, {bool})", "count_distinct({long})"],
    "real": ["avg({long})", "avg({real})", "sum({real})", "stdev({real})", "max({real})",
             "percentile({long}, 50)", "variance({long})", "avgif({real}, {bool})"],
    "string": ["max({string})", "min({string})", "maxif({string}, {bool})", "take_any({string})"],
    "bool": ["max({bool})", "countif({bool}) > 1"],
    "datetime": ["max({datetime})", "min({datetime})"],
    "timespan": ["max({timespan})", "sum({timespan})"],
    "dynamic": ["make_set({long})", "make_list({string})", "make_bag({dynamic})",
                "make_list({dynamic})", "make_set({string}, 2)", "make_list({long}, 3)",
                "make_set_if({string}, {bool})", "topk({string}, 3)", "take_any({dynamic})"],
}
AGGREGATES["long"] += ["sum({long} + 3)", "sum({long} * 2 - 1)", "dcount({dynamic})",
                       "count_distinct({real})", "dcount({timespan})", "minif({long}, {bool})",
                       "arg_max({real}, {long})", "binary_all_or({long})", "count_distinct({bool})"]
AGGREGATES["real"] += ["min({real})", "sumif({real}, {bool})", "percentile({real}, 90)",
                       "stdevif({long}, {bool})", "avg({long} + 1)", "maxif({real}, {bool})"]
AGGREGATES["timespan"] += ["min({timespan})", "avg({timespan})", "percentile({timespan}, 50)"]
AGGREGATES["datetime"] += ["percentile({datetime}, 50)", "max(_time)", "min(_time)"]
# Of rows in an order; {own} is an expression of the type wanted.
WINDOW_CALLS = ["prev({own})", "next({own})", "prev({own}, 2)"]
WINDOW_NUMBERS = ["row_number()", "row_cumsum({long})", "row_cumsum({long}, {bool})",
                  "row_rank_dense({long})", "row_number(3, {bool})"]
# What an answer owes to the order of rows that nobody asked for. Operators that write these words
# where they do not set a mark in front, which does not reach the query.
MARK = "\x01"
OF_ANY_ORDER = re.compile(rf"(?<!{MARK})\b(take|top|make_|row_|prev|next|innerunique|lookup"
                          r"|serialize|topk|phrases|spotlight|narrow|any)")
SAFE = "// in any order\n"  # in front of queries without them, for fuzz_query.cpp
UNSTEADY = re.compile("rand|now|ago|guid|sample|current|cursor|ingestion|genai|geo_info|tdigest|hll")


def split_arguments(text):
    """The arguments of a call, at the commas outside of brackets and quotes."""
    arguments, depth, quote, current = [], 0, None, ""
    for char in text:
        if quote:
            quote = None if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth == 0:
            arguments.append(current.strip())
            current = ""
            continue
        current += char
    return arguments + [current.strip()] if current.strip() else arguments


def type_of_example(argument):
    """What an example's argument is, as far as its writing tells; None where it does not."""
    forms = (("string", r"@?['\"]"), ("long", r"-?\d+$"), ("timespan", r"-?\d+[dhms]"),
             ("real", r"-?[\d.]+$"), ("datetime", r"datetime\("), ("dynamic", r"dynamic\("),
             ("bool", r"(true|false)$"), ("string", r"[st]$"), ("long", r"[a-z]$"))
    return next((kind for kind, form in forms if re.match(form, argument)), None)


def examples_of_manual(pattern):
    with open(MANUAL, encoding="utf-8") as manual:
        text = manual.read().replace("\\-", "-").replace("\\e", "\\").replace("\\(aq", "'")
    calls = []
    for call in re.findall(pattern, text):
        name, inside = re.match(r"(\w+)\((.*)\)$", call).groups()
        if not UNSTEADY.search(name):
            calls.append((name, split_arguments(inside)))
    return calls


FUNCTION_CALLS = examples_of_manual(r"(?m)^print ([a-z_0-9]+\(.*\))$")
AGGREGATE_CALLS = examples_of_manual(r"(?m)summarize (?:\w+ = )?([a-z_0-9]+\([^()]*\))$")


class Query:
    """One query as it is made: what its lets have defined, and whether rows are in an order."""

    def __init__(self, draw, many):
        self.draw = draw
        self.many = many  # whether there are only the datasets of many events, and the like
        self.names = 0
        self.scalars = {kind: [] for kind in TYPES}
        self.functions = []   # (name, type, parameter types)
        self.aggregates = []  # (name, parameter types)
        self.tables = []      # (name, columns)
        self.views = []       # (name, columns, parameter types)
        self.ordered = False

    def chance(self, probability):
        return self.draw.random() < probability

    def name(self, letter):
        self.names += 1
        return letter + str(self.names)

    # ---- expressions

    def fill(self, template, columns, depth, own=None):
        def expression(match):
            kind = match.group(1)
            if kind.startswith("sub:"):
                return self.subquery(kind[4:], columns, depth - 1)
            return self.expression(own if kind == "own" else kind, columns, depth - 1)
        return re.sub(r"\{([a-z:]+)\}", expression, template)

    def leaf(self, kind, columns):
        own = [name for name, of in columns.items() if of == kind]
        if own and self.chance(0.75):
            return self.draw.choice(own)
        return self.draw.choice(self.scalars[kind] or LITERALS[kind])

    def expression(self, kind, columns, depth):
        form = self.draw.random()
        if depth <= 0 or form < 0.35:
            return self.leaf(kind, columns)
        if form < 0.43:
            functions = [f for f in self.functions if f[1] == kind]
            if functions:
                name, _, parameters = self.draw.choice(functions)
                return self.call(name, parameters, columns, depth)
        if form < 0.48:
            return f"toscalar({self.subquery(kind, columns, depth - 1)})"
        if form < 0.53 and self.ordered:
            calls = WINDOW_CALLS + (WINDOW_NUMBERS if kind == "long" else [])
            return self.fill(self.draw.choice(calls), columns, depth, kind)
        made = self.fill(self.draw.choice(EXPRESSIONS[kind]), columns, depth)
        return f"({made})" if " " in made else made

    def call(self, name, parameters, columns, depth):
        made = (self.expression(kind, columns, depth - 1) for kind in parameters)
        return f"{name}({', '.join(made)})"

    def aggregate(self, kind, columns, depth):
        return self.fill(self.draw.choice(AGGREGATES[kind]), columns, depth)

    def call_of_manual(self, calls, columns, depth):
        """An example with some of its arguments changed: rarely into what does not fit."""
        name, arguments = self.draw.choice(calls)
        arguments = list(arguments)
        for i, argument in enumerate(arguments):
            kind = type_of_example(argument)
            if kind and (calls is AGGREGATE_CALLS or self.chance(0.5)):
                arguments[i] = self.expression(kind, columns, depth - 1)
            elif self.chance(0.08):
                arguments[i] = self.expression(self.draw.choice(TYPES), columns, depth - 1)
        return f"{name}({', '.join(arguments)})"

    def subquery(self, kind, outer, depth):
        ordered, self.ordered = self.ordered, False
        form = self.draw.random()
        if self.many and form < 0.5:
            form = 0.7
        if form < 0.3:
            where = f" | where {self.expression('bool', EVENT, 1)}" if self.chance(0.5) else ""
            made = f"t{where} | project x = {self.expression(kind, EVENT, depth)}"
        elif form < 0.5:
            made = f"t | summarize {self.aggregate(kind, EVENT, 1)}"
        elif form < 0.7:
            seen = outer if self.chance(0.3) else {}
            made = f"print x = {self.expression(kind, seen, depth)}"
        else:
            made = ("range i from 1 to 3 step 1 | project x = "
                    + self.expression(kind, {"i": "long"}, depth))
        self.ordered = ordered
        return made

    # ---- pipelines

    def source(self):
        form = self.draw.random()
        if self.tables and form < 0.3:
            name, columns = self.draw.choice(self.tables)
            return name, dict(columns)
        if self.views and form < 0.4:
            name, columns, parameters = self.draw.choice(self.views)
            return self.call(name, parameters, {}, 1), dict(columns)
        if self.many and not 0.5 <= form < 0.65:
            return self.draw.choice("wwv"), dict(ODD_EVENT)
        if form < 0.45:
            return "u", dict(EVENT)
        if form < 0.57:
            return f"range i from 1 to {self.draw.choice([0, 1, 5, 9])} step 1", {"i": "long"}
        if form < 0.65:
            return ("datatable(a:long, c:string, d:dynamic)[1, 'x', dynamic([1, 2]), 2, '', "
                    "dynamic({\"k\": 1}), long(null), 'y', dynamic(null)]",
                    {"a": "long", "c": "string", "d": "dynamic"})
        if form < 0.7:
            return (f"print p = {self.expression('long', {}, 1)}, "
                    f"q = {self.expression('string', {}, 1)}", {"p": "long", "q": "string"})
        if form < 0.72:
            return "union t, u", dict(EVENT)
        if form < 0.73:
            return "union w, t", {name: kind for name, kind in ODD_EVENT.items()
                                  if EVENT.get(name, kind) == kind}
        if form < 0.75:
            return f"find in (t, u) where {self.expression('bool', EVENT, 1)} project n, s", \
                {"n": "long", "s": "string"}
        if form < 0.9:
            return "w", dict(ODD_EVENT)
        return "t", dict(EVENT)

    def step(self, columns, depth):
        """An operator, and the columns after it; {} when they are not known."""
        if not columns:
            return "count", {"Count": "long"}
        operator = self.draw.choice(OPERATORS)
        return operator(self, columns, depth)

    def plain(self, columns, *kinds):
        """The name of a column that can be written anywhere, of one of the types, or None."""
        names = [name for name, kind in columns.items()
                 if "." not in name and (not kinds or kind in kinds)]
        return self.draw.choice(names) if names else None

    def let(self):
        form = self.draw.random()
        kind = self.draw.choice(TYPES)
        parameters = {self.name("h"): self.draw.choice(TYPES)
                      for _ in range(self.draw.choice([1, 1, 2]))}
        head = ", ".join(f"{name}:{of}" for name, of in parameters.items())
        types = list(parameters.values())
        if form < 0.2:
            name = self.name("x")
            made = f"let {name} = {self.expression(kind, {}, 2)};"
            self.scalars[kind].append(name)
        elif form < 0.5:
            name = self.name("f")
            made = f"let {name} = ({head}) {{ {self.expression(kind, parameters, 2)} }};"
            self.functions.append((name, kind, types))
        elif form < 0.65:
            name = self.name("f")
            made = f"let {name} = ({head}) {{ {self.aggregate('long', parameters, 2)} }};"
            self.aggregates.append((name, types))
        elif form < 0.85:
            name = self.name("q")
            source, columns = self.source()
            step, columns = self.step(columns, 2)
            made = f"{source} | {step}"
            made = f"let {name} = {f'materialize({made})' if self.chance(0.4) else made};"
            self.tables.append((name, columns))
        else:
            name = self.name("g")
            event = ODD_EVENT if self.many else EVENT
            where = self.expression("bool", {**event, **parameters}, 2)
            made = f"let {name} = ({head}) {{ {'v' if self.many else 't'} | where {where} }};"
            self.views.append((name, ODD_EVENT if self.many else EVENT, types))
        self.ordered = False
        return made

    def text(self):
        statements = [self.let() for _ in range(self.draw.choice([0, 0, 1, 1, 2, 3]))]
        source, columns = self.source()
        pipeline = [source]
        for _ in range(self.draw.choice([1, 2, 2, 3, 4])):
            step, columns = self.step(columns, self.draw.choice([1, 2, 2, 3]))
            pipeline.append(step)
        if self.aggregates and columns:
            name, parameters = self.draw.choice(self.aggregates)
            pipeline.append("summarize " + self.call(name, parameters, columns, 2))
        text = " ".join(statements + [" | ".join(pipeline)])
        return ("" if OF_ANY_ORDER.search(text) else SAFE) + text.replace(MARK, "")


# ---- operators: (query, columns, depth) -> text, columns

def where(query, columns, depth):
    return "where " + query.expression("bool", columns, depth), columns


def where_manual(query, columns, depth):
    left, right = (query.call_of_manual(FUNCTION_CALLS, columns, depth) for _ in range(2))
    return f"where {left} == {right}", columns


def extend(query, columns, depth):
    kind = query.draw.choice(TYPES)
    name = query.plain(columns) if query.chance(0.2) else None
    if name is None or name.startswith("_"):
        name = query.name("v")
    operator = "extend" if query.chance(0.9) else "extend-valid"
    return f"{operator} {name} = {query.expression(kind, columns, depth)}", {**columns, name: kind}


def extend_manual(query, columns, depth):
    name = query.name("v")
    call = query.call_of_manual(FUNCTION_CALLS, columns, depth)
    return f"extend {name} = {call}", {**columns, name: "any"}


def project(query, columns, depth):
    after = {query.name("v"): query.draw.choice(TYPES) for _ in range(query.draw.choice([1, 2, 3]))}
    return "project " + ", ".join(f"{name} = {query.expression(kind, columns, depth)}"
                                  for name, kind in after.items()), after


def project_away(query, columns, _depth):
    name = query.plain(columns)
    if name is None or len(columns) < 2:
        return "count", {"Count": "long"}
    return "project-away " + name, {k: v for k, v in columns.items() if k != name}


def project_rename(query, columns, _depth):
    old, new = query.plain(columns), query.name("v")
    if old is None or old.startswith("_"):
        return "count", {"Count": "long"}
    return f"project-rename {new} = {old}", {new if k == old else k: v for k, v in columns.items()}


def summarize(query, columns, depth):
    after, values, groups = {}, [], []
    for _ in range(query.draw.choice([0, 1, 1, 2])):
        kind, name = query.draw.choice(TYPES), query.name("a")
        values.append(f"{name} = {query.aggregate(kind, columns, depth - 1)}")
        after[name] = kind
    for _ in range(query.draw.choice([0, 1, 2]) if values else 1):
        kind = query.draw.choice(TYPES)
        name = query.plain(columns, kind) if query.chance(0.7) else None
        if name is None:
            name = query.name("k")
            groups.append(f"{name} = {query.expression(kind, columns, depth - 1)}")
        elif name not in after:
            groups.append(name)
        after[name] = kind
    return "summarize " + ", ".join(values) + (" by " + ", ".join(groups) if groups else ""), after


def summarize_manual(query, columns, depth):
    by = query.plain(columns) if query.chance(0.4) else None
    call = query.call_of_manual(AGGREGATE_CALLS, columns, depth)
    return f"summarize z = {call}" + (f" by {by}" if by else ""), {by: columns[by]} if by else {}


def summarize_rows(query, columns, depth):
    call = query.draw.choice(["arg_max({long}, *)", "arg_min({string}, *)", "take_any(*)",
                              "arg_max({datetime}, {dynamic}, {long})", "arg_min({real}, {string})",
                              "take_any({string}, {dynamic}, {long})"])
    by = query.plain(columns)
    if by is None:
        return "count", {"Count": "long"}
    return f"summarize {query.fill(call, columns, depth)} by {by}", {by: columns[by]}


def sort(query, columns, depth):
    query.ordered = True
    kinds = ("long", "string", "datetime", "real", "timespan", "bool")
    keys = (f"{query.expression(query.draw.choice(kinds), columns, depth - 1)} "
            + query.draw.choice(["asc", "desc", "asc nulls first", "desc nulls last"])
            for _ in range(query.draw.choice([1, 2])))
    return "sort by " + ", ".join(keys), columns


def serialize(query, columns, _depth):
    query.ordered = True
    return "serialize", columns


def first_rows(query, columns, _depth):
    """By every column: which rows of equal rank come first is not said."""
    keys, rows = ", ".join(columns), query.draw.choice([0, 1, 3])
    return (f"sort by {keys} | {MARK}take {rows}" if query.chance(0.5)
            else f"{MARK}top {rows} by {keys}"), columns


def first_values(query, columns, _depth):
    """By one column, and no other: rows that tie do not differ in what is left."""
    key = query.plain(columns, "long", "string", "datetime", "real", "timespan", "bool")
    if key is None:
        return "count", {"Count": "long"}
    order, rows = query.draw.choice(["asc", "desc", "asc nulls last"]), query.draw.choice([1, 2, 5])
    return (query.draw.choice([f"{MARK}top {rows} by {key} {order}",
                               f"sort by {key} {order} | {MARK}take {rows}"])
            + f" | project {key}", {key: columns[key]})


def first_count(query, columns, depth):
    """How many some rows are, whichever they are."""
    made, after = f"{MARK}take {query.draw.choice([0, 1, 5, 20])}", {"c": "long"}
    if query.chance(0.5):
        by = query.plain(columns)
        if by is not None:
            made = f"summarize by {by} | {made}"
    elif query.chance(0.5):
        made += f" | where {query.expression('bool', columns, depth)} or true"
    return made + " | summarize c = count()", after


def first_of_groups(query, columns, _depth):
    """What sort by g, x numbers in each g, of which a filter wants the first."""
    group, key = query.plain(columns, "long", "string", "bool"), query.plain(columns, "long", "real")
    if group is None or key is None or group == key:
        return "count", {"Count": "long"}
    number, test = query.name("v"), query.draw.choice(["<= 2", "== 1", "< 3", "> 1"])
    return (f"sort by {group}, {key} "
            f"| extend {number} = {MARK}row_number(1, {MARK}prev({group}) != {group}) "
            f"| where {number} {test} | project {group}, {key}, {number}",
            {group: columns[group], key: columns[key], number: "long"})


def extremes(query, columns, _depth):
    """Together with what the others of a summarize read of all rows."""
    by = query.plain(columns)
    call = query.draw.choice(["arg_max(_time, *)", "arg_min(_time, *)", "arg_max({long}, *)",
                              "arg_min({real}, *)", "arg_max({string}, *)"])
    if by is None or "_time" not in columns:
        return "count", {"Count": "long"}
    some = query.draw.choice(["", "a0 = count(), ", "a0 = sum(n), "]) if "n" in columns else ""
    group = f" by {by}" if query.chance(0.7) else ""
    return (f"summarize {some}{query.fill(call, columns, 1)}{group}",
            {name: kind for name, kind in columns.items() if "." not in name})


def distinct(query, columns, _depth):
    names = [name for name in columns if "." not in name][:query.draw.choice([1, 2])]
    if not names:
        return "count", {"Count": "long"}
    return "distinct " + ", ".join(names), {name: columns[name] for name in names}


def count(_query, _columns, _depth):
    return "count", {"Count": "long"}


def expansion(query, columns, depth):
    """What mv-expand and mv-apply take; the name and type of the elements."""
    name, kind = query.name("v"), query.draw.choice(["dynamic", "long", "string", "real"])
    option = query.draw.choice(["", "", "kind=array ", "kind=bag ", "with_itemindex=ix "])
    to = "" if kind == "dynamic" else f" to typeof({kind})"
    limit = query.draw.choice(["", "", " limit 2"])
    array = query.expression("dynamic", columns, depth)
    after = {**columns, name: kind, **({"ix": "long"} if "ix" in option else {})}
    return f"{option}{name} = {array}{to}{limit}", after


def mv_expand(query, columns, depth):
    text, after = expansion(query, columns, depth)
    return "mv-expand " + text, after


def mv_apply(query, columns, depth):
    text, inside = expansion(query, columns, depth)
    step, after = query.step(inside, depth - 1) if depth > 0 else ("count", {"Count": "long"})
    return f"mv-apply {text} on ({step})", {**columns, **after}


def join(query, columns, depth):
    right, others = query.source()
    if query.chance(0.5) and depth > 0:
        step, others = query.step(others, depth - 1)
        right += " | " + step
    shared = [name for name in columns if others.get(name) == columns[name] and "." not in name]
    kind = query.draw.choice(["long", "string"])
    left_key, right_key = query.plain(columns, kind), query.plain(others, kind)
    if shared and query.chance(0.6):
        on = query.draw.choice(shared)
    elif left_key and right_key:
        on = f"$left.{left_key} == $right.{right_key}"
    else:
        return "count", {"Count": "long"}
    if query.chance(0.25):
        return (f"lookup kind={query.draw.choice(['leftouter', 'inner'])} ({right}) on {on}",
                {**others, **columns})
    flavour = query.draw.choice(["inner", "leftouter", "rightouter", "fullouter", "leftsemi",
                                 "leftanti", "rightanti", "rightsemi", "innerunique"])
    after = {**others, **columns}
    if flavour.endswith(("semi", "anti")):
        after = others if flavour.startswith("right") else columns
    return f"join kind={flavour} ({right}) on {on}", dict(after)


def union(query, columns, _depth):
    right, others = query.source()
    both = {name: kind for name, kind in columns.items() if others.get(name) == kind}
    return f"union {query.draw.choice(['', 'kind=inner ', 'withsource=src '])}({right})", both


def join_by_two(query, columns, _depth):
    """Of whose keys one may be computed, or null, or of several types."""
    right, others = query.source()
    shared = [name for name in columns if others.get(name) == columns[name] and "." not in name]
    if len(shared) < 2:
        return "count", {"Count": "long"}
    one, two = query.draw.sample(shared, 2)
    flavour = query.draw.choice(["inner", "leftouter", "fullouter", "leftanti", "rightsemi"])
    key = query.draw.choice([two, f"$left.{two} == $right.{two}"])
    return f"join kind={flavour} ({right}) on {one}, {key}", {}


def branches(query, columns, depth):
    one, two = (query.step(columns, max(depth - 1, 0))[0] for _ in range(2))
    return f"fork ({one}) ({two})", {}


def facet(query, columns, _depth):
    key = query.plain(columns)
    return (f"facet by {key}" if key else "count"), {}


def top_hitters(query, columns, _depth):
    key = query.plain(columns, "long", "string", "bool")
    if key is None:
        return "count", {"Count": "long"}
    return f"top-hitters 100 of {key}", {key: columns[key]}


def bins(query, columns, depth):
    """With or without the groups that are largest over all bins."""
    by = query.plain(columns, "string", "long")
    if columns.get("_time") != "datetime" or by is None:
        return "count", {"Count": "long"}
    some = f" | {MARK}take {query.draw.choice([1, 3])}" if query.chance(0.5) else ""
    value = query.aggregate("long", columns, depth - 1)
    return (f"summarize a = {value} by bin(_time, {query.draw.choice(['1d', '3h'])}), {by}{some}",
            {"_time": "datetime", by: columns[by], "a": "long"})


def where_time(query, columns, _depth):
    if columns.get("_time") != "datetime":
        return "count", {"Count": "long"}
    day = f"datetime(2024-05-0{query.draw.choice([1, 2, 3])}T0{query.draw.choice([0, 1, 3])}:00:00Z)"
    test = query.draw.choice([f"_time > {day}", f"_time <= {day}", f"_time == {day}",
                              f"_time between ({day} .. 3h)", f"{day} < _time",
                              f"_time != {day} and _time >= {day}"])
    return "where " + test, columns


def distinct_all(_query, columns, _depth):
    return "distinct *", columns


def mv_expand_two(query, columns, depth):
    one, two = (query.expression("dynamic", columns, depth - 1) for _ in range(2))
    names = query.name("v"), query.name("v")
    return (f"mv-expand {names[0]} = {one}, {names[1]} = {two} to typeof(long)",
            {**columns, names[0]: "dynamic", names[1]: "long"})


def reorder(query, columns, _depth):
    names = [name for name in columns if "." not in name]
    if not names:
        return "count", {"Count": "long"}
    return f"project-reorder {query.draw.choice(names)}, * desc", columns


def shadow(query, columns, depth):
    """A column under its own name, and one made of it in the same breath."""
    name = query.plain(columns)
    if name is None or name.startswith("_"):
        return "count", {"Count": "long"}
    kind, other = query.draw.choice(TYPES), query.name("v")
    value = query.expression(kind, columns, depth)
    return (f"extend {name} = {value}, {other} = {name}",
            {**columns, name: kind, other: columns[name]})


def partition(query, columns, depth):
    key = query.plain(columns)
    if key is None or depth <= 0:
        return "count", {"Count": "long"}
    ordered = query.ordered
    step, after = query.step(columns, depth - 1)
    if after and query.chance(0.4):
        more, after = query.step(after, depth - 1)
        step += " | " + more
    query.ordered = ordered
    return f"partition by {key} ({step})", after


def partition_pipelines(query, columns, _depth):
    key = query.plain(columns, "long", "string")
    if key is None:
        return "count", {"Count": "long"}
    field = "n" if columns[key] == "long" else "s"
    table = "v" if query.many else "t"
    return (f"partition by {key} {{ {table} | where {field} == {key} | summarize c = count() }}",
            {"c": "long"})


def parse(query, columns, depth):
    name, kind = query.name("v"), query.draw.choice(["string", "long", "real", "bool"])
    value = query.expression(query.draw.choice(["string", "string", "dynamic", "bool"]), columns,
                             depth - 1)
    operator = query.draw.choice(["parse", "parse-where", "parse kind=regex"])
    return f"{operator} {value} with * 'a' {name}:{kind}", {**columns, name: kind}


def parse_kv(query, columns, depth):
    name = query.name("v")
    value = query.expression("string", columns, depth - 1)
    return (f"parse-kv {value} as ({name}:long) with (pair_delimiter=' ', kv_delimiter='=')",
            {**columns, name: "long"})


def make_series(query, columns, depth):
    time = query.plain(columns, "datetime")
    if time is None:
        return "count", {"Count": "long"}
    by = query.plain(columns, "string", "bool", "long")
    value = query.aggregate("long", columns, depth - 1)
    return (f"make-series y = {value} default={query.draw.choice(['0', 'long(null)'])} on {time} "
            f"from datetime(2024-05-01) to datetime(2024-05-04) "
            f"step {query.draw.choice(['1d', '12h'])}" + (f" by {by}" if by else ""),
            {"y": "dynamic", time: "dynamic"})


def top_nested(query, columns, _depth):
    key = query.plain(columns, "long", "string")
    if key is None:
        return "count", {"Count": "long"}
    after, other = {key: columns[key], "c0": "long"}, query.plain(columns, "long", "string")
    if other == key or other is None or query.chance(0.5):
        return f"top-nested 10 of {key} by c0 = count()", after
    return (f"top-nested 100 of {key} by c0 = count(), top-nested 100 of {other} by c1 = max({other})",
            {**after, other: columns[other]})


def evaluate(query, columns, depth):
    form, key = query.draw.random(), query.plain(columns, "long", "string", "bool")
    if form < 0.4 and key:
        return f"evaluate pivot({key}, {query.aggregate('long', columns, depth - 1)})", {}
    if form < 0.8:
        bag = query.expression("dynamic", columns, depth)
        return (f"extend ub = {bag} | evaluate bag_unpack(ub, 'u_')",
                {name: kind for name, kind in columns.items() if name != "ub"})
    return "evaluate narrow()", {"Row": "long", "Column": "string", "Value": "string"}


def scan(query, columns, _depth):
    value = query.plain(columns, "long")
    if value is None or value == "s1":
        return "count", {"Count": "long"}
    return (f"sort by {', '.join(columns)} | scan declare (s1:long = 0) with "
            f"(step a: true => s1 = a.s1 + {value};)", {**columns, "s1": "long"})


def settled(columns):
    """Rows in an order in which those that tie are one and the same: there may be more columns."""
    names = ", ".join(name for name in columns if "." not in name)
    return f"project {names} | sort by {names}", {k: v for k, v in columns.items() if "." not in k}


def scan_sequences(query, columns, depth):
    """Of two steps, perhaps many at once or of the last rows only."""
    if query.plain(columns) is None:
        return "count", {"Count": "long"}
    before, columns = settled(columns)
    begin, go_on = (query.expression("bool", columns, depth - 1) for _ in range(2))
    by = query.plain(columns, "string", "long", "bool")
    parts = f"partition by {by} " if by and query.chance(0.5) else ""
    output = query.draw.choice(["", " output=last", " output=none"])
    return (f"{before} | scan with_match_id=mi {parts}with "
            f"(step a{output}: {begin}; step b: {go_on};)", {**columns, "mi": "long"})


def rows_near(query, columns, depth):
    near = query.draw.choice(["0", "1", "1, 0", "0, 2", "5"])
    if query.plain(columns) is None:
        return "count", {"Count": "long"}
    before, columns = settled(columns)
    return (f"{before} | evaluate rows_near({query.expression('bool', columns, depth - 1)}, {near})", columns)


def windows(query, columns, depth):
    """Over rows of which those that tie are one and the same, some over each other."""
    if query.plain(columns) is None:
        return "count", {"Count": "long"}
    before, columns = settled(columns)
    names, calls, kind = dict(columns), [], "long"
    value = query.expression("long", columns, depth - 1)
    for _ in range(query.draw.choice([1, 2, 3])):
        name = query.name("v")
        call = query.draw.choice(["prev({value})", "next({value})", "prev({value}, 2, 7)",
                                  "row_cumsum({value})", "row_number()", "row_cumsum({value}, {test})",
                                  "row_rank_dense({value})", "row_number(2, {test})"])
        test = query.expression("bool", columns, 0)
        calls.append(f"extend {name} = {MARK}" + call.format(value=value, test=test))
        value, names[name] = query.draw.choice([name, value]), kind
    keep = f" | where {query.expression('bool', names, 1)}" if query.chance(0.5) else ""
    return f"{before} | {' | '.join(calls)}{keep}", names


def windows_of_time(query, columns, _depth):
    key, number = query.plain(columns, "long", "string"), query.plain(columns, "long", "real")
    if columns.get("_time") != "datetime" or key is None or number is None:
        return "count", {"Count": "long"}
    by = query.plain(columns, "string", "bool", "long")
    more = f", {by}" if by not in (None, key, number) and query.chance(0.5) else ""
    days = "datetime(2024-05-01), datetime(2024-05-03)"
    return "evaluate " + query.draw.choice([
        f"activity_counts_metrics({key}, _time, {days}, 12h{more})",
        f"rolling_percentile({number}, 50, _time, 6h, 3{more})",
        f"sliding_window_counts({key}, _time, {days}, 1d, 12h{more})"]), {}


def largest_groups(query, columns, depth):
    """How large they are: which of those that tie come is not said."""
    keys = {query.plain(columns), query.plain(columns)} - {None}
    if not keys:
        return "count", {"Count": "long"}
    value = query.draw.choice(["count()", "count()", query.aggregate("long", columns, depth - 1)])
    test = query.draw.choice(["", "", " | where a > 1", " | where a == 2", " | where isnotnull(a)"])
    rows, order = query.draw.choice([1, 3, 10]), query.draw.choice(["desc", "asc"])
    return (f"summarize a = {value} by {', '.join(sorted(keys))}{test} "
            f"| {MARK}top {rows} by a {order} | project a", {"a": "long"})


def let_twice(query, columns, _depth):
    """What is before this, with itself."""
    key = query.plain(columns, "long", "string", "bool")
    if key is None:
        return "count", {"Count": "long"}
    name = query.name("q")
    return (f"as {name} | join kind={query.draw.choice(['inner', 'leftanti', 'fullouter'])} "
            f"({name} | summarize c1 = count() by {key}) on {key}", {**columns, "c1": "long"})


def elements(query, columns, depth):
    """Of a value that is made in one step, which others may see as well."""
    whole = query.name("v")
    made = query.fill(query.draw.choice([
        "parse_json({string})", "todynamic({string})", "split({string}, ' ')", "parse_url({string})",
        "parse_json(tostring({dynamic}))",
        """parse_json(strcat('{"a":', {long}, ',"b":{"c":[1],"d":2}}'))""",
    ]), columns, depth)
    paths = query.draw.sample([".a", ".b", ".b.c", ".b.d", "['a'].x", "[0]", "[1]", ".b.c[0]", ".Host"],
                              query.draw.choice([1, 1, 2, 3]))
    asked = {query.name("v"): path for path in paths}
    test = query.draw.choice(["", "", f" | where isnotnull({whole}{paths[0]})"])
    operator = query.draw.choice(["project", "project", "extend"])
    seen = f", {whole}" if operator == "project" and query.chance(0.2) else ""
    calls = ", ".join(f"{name} = {whole}{path}" for name, path in asked.items())
    after = columns if operator == "extend" else {}
    return (f"extend {whole} = {made}{test} | {operator} {calls}{seen}",
            {**after, **{name: "dynamic" for name in asked}})


def get_schema(_query, _columns, _depth):
    return "getschema", {"ColumnName": "string", "ColumnOrdinal": "long"}


def search(query, columns, _depth):
    term = query.draw.choice(["'alpha'", "'GET'", "'1'", "s : 'a'", "'al*'"])
    if "s :" in term and columns.get("s") != "string":
        term = "'alpha'"
    return f"search {term}", columns


OPERATORS = [where, where, where, where_manual, extend, extend, extend_manual, extend_manual,
             project, project_away, project_rename, summarize, summarize, summarize_manual,
             summarize_rows, extremes, sort, serialize, first_rows, first_values, first_count,
             first_of_groups, distinct, count, mv_expand, mv_apply, join, join, join_by_two,
             branches, facet, top_hitters, bins, where_time, where_time, distinct_all,
             mv_expand_two, reorder, shadow, union, partition, partition_pipelines, parse,
             parse_kv, make_series, top_nested, evaluate, scan, scan_sequences, rows_near, windows,
             windows_of_time, largest_groups, let_twice, get_schema, search, elements, elements]


def main():
    seed, count_wanted, directory = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    many = sys.argv[4:] == ["many"]
    draw = random.Random(seed)
    os.makedirs(directory, exist_ok=True)
    written = 0
    while written < count_wanted:
        text = Query(draw, many).text()
        if len(text.encode()) <= BYTES_MAX:
            with open(os.path.join(directory, f"{written:06}"), "w", encoding="utf-8") as file:
                file.write(text)
            written += 1


if __name__ == "__main__":
    main()
