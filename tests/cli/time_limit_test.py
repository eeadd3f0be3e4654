"""A query ends at its time limit wherever it is."""

import subprocess

from evq_case import EVQ, EvqCase, main


class TimeLimit(EvqCase):
    def test_a_query_ends_at_its_time_limit_inside_a_constant(self):
        # Each match looks at all of the text behind it.
        for query in ("print countof_regex('a(.*b)?', strrep(strrep('a', 1024), 96))",
                      "print s = strrep(strrep('a', 1024), 1024) "
                      "| project countof_regex('a(.*b)?', s)"):
            with self.subTest(query):
                _, errors = self.evq("-q", "query", "--timeout", "0.2", query, status=124)
                self.assertIn("longer than its limit", errors)

    def test_a_query_ends_at_its_time_limit_inside_an_expression(self):
        rows = "range x from 1 to 60000 step 1 | extend "
        for query in (
                rows + "s = strrep(tostring(x), 3000) "
                "| extend n = array_length(extract_all('([0-9])', s)) | summarize sum(n)",
                # Rows that share a long value.
                "let a = range(1, 100000); " + rows +
                "n = array_index_of(a, -x) | summarize max(n)",
                "let a = range(1, 100000); " + rows +
                "n = set_has_element(a, -x) | summarize countif(n)",
                "let a = repeat('1.2.3.4', 10000); " + rows +
                "n = has_any_ipv4_prefix(format_ipv4(x), a) | summarize countif(n)",
                # Patterns that take long to compile.
                rows + "n = extract(strcat('((a{30}){30})', x), 0, 'a') | summarize max(n)",
                rows + "n = 'a' matches regex strcat('((a{30}){30})', x) | summarize countif(n)",
                # A distribution so narrow that its share is a sum of many terms.
                rows + "p = beta_inv(x / 60001.0, 9e7, 9e7) | summarize sum(p)"):
            with self.subTest(query):
                _, errors = self.evq("-q", "query", "--timeout", "0.2", "--memory-limit", "4G",
                                     query, status=124)
                self.assertIn("longer than its limit", errors)

    def test_a_query_ends_at_its_time_limit_inside_an_aggregate(self):
        words = "strrep(strcat('word', x, ' and ', x, ' more, '), 1000)"
        for aggregate in (f"phrases({words}, 3)", f"make_set(split({words}, ' '), 1000000)",
                          f"buildschema(split({words}, ' '))"):
            with self.subTest(aggregate):
                _, errors = self.evq("-q", "query", "--timeout", "0.2", "--memory-limit", "4G",
                                     "range x from 1 to 5000 step 1 | summarize r = " + aggregate,
                                     status=124)
                self.assertIn("longer than its limit", errors)

    def test_a_query_ends_at_its_time_limit_inside_a_value(self):
        text = "print s = strrep(strrep('%s', 1024), 1024) | "
        for query in (
                text % "aa" + "redact 'a.*z|' on s",
                text % "aa" + "parse-kv s as (k:string) with (regex='(a)(.*z|)')",
                text % "(," + "extend s = strcat(s, ')') | parse-kv s as (k:string) "
                "with (pair_delimiter=',', kv_delimiter='=', quote='()', escape='^^')",
                text % "aa" + "project find_pair(pack_array(strcat(s, ':x')), "
                "strcat('*', strrep(strrep('a', 1024), 256), 'b'), '*')",
                text % "1.2.3.4 " + "project has_any_ipv4(s, repeat('4.3.2.1', 1000000))"):
            with self.subTest(query):
                _, errors = self.evq("-q", "query", "--timeout", "0.2", query, status=124)
                self.assertIn("longer than its limit", errors)

    def test_a_query_ends_at_its_time_limit_while_its_answer_is_written(self):
        # Rows that share a long value are gigabytes of text.
        rows = "print x = range(0, 500000, 1) | mv-expand y = range(1, 2000, 1)"
        for form in ("json", "ndjson", "csv", "tsv", "logfmt", "tabular", "legacy"):
            with self.subTest(form):
                done = subprocess.run(
                    [EVQ, "-q", "query", "--all", "--timeout", "1", "-o", form, rows],
                    env=self.environment, cwd=self.directory, stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE, text=True, timeout=120)
                self.assertEqual(done.returncode, 124, done.stderr)
                self.assertIn("longer than its limit", done.stderr)

    def test_patterns_of_names_end_at_the_time_limit(self):
        fields = ", ".join(f"f{i} = {i}" for i in range(4000))
        names = ", ".join(f"a{i}*" for i in range(24000))
        for operator in ("project-reorder", "project-away", "project-keep"):
            with self.subTest(operator):
                _, errors = self.evq("-q", "query", "--timeout", "0.1",
                                     input=f"print {fields} | {operator} {names}", status=124)
                self.assertIn("longer than its limit", errors)


if __name__ == "__main__":
    main()
