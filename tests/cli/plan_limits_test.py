"""What the text of a query may unfold to, before it runs."""

import resource
import subprocess

from evq_case import EVQ, main
from memory_case import MemoryCase


class PlanLimits(MemoryCase):
    def test_what_stars_write_out_is_limited(self):
        fields = ", ".join(f"f{i} = {i}" for i in range(1800))
        packs = ", ".join(f"p{i} = pack_all()" for i in range(150))
        tests = " or ".join(f"* == 'q{i}'" for i in range(120))
        for operators in ("extend " + packs, "extend a = 1 | where " + tests):
            with self.subTest(operators[:30]):
                # As many expressions as there may be take some 100 MiB.
                self.assert_refused(f"print {fields} | {operators} | count",
                                    "more than 200000 expressions", wanted=3, besides=160)

    def test_operators_that_items_need_are_limited(self):
        rows = "range x from 1 to 3 step 1 | "
        for item, operator in (
                ("p{i} = prev(x)", "extend "),
                ("p{i} = row_cumsum(x + 1)", "extend "),
                ("p{i} = iff(prev(x) > 1, next(x + 1), 1)", "project "),
                ("(a{i}, b{i}) = pack_array(x, x)", "extend "),
                ("$left.x + {i} == $right.y + {i}",
                 "join kind=inner (range y from 1 to 3 step 1) on "),
                ("top-nested 1 of x + {i} by count()", "")):
            with self.subTest(item):
                def query(count):
                    items = ", ".join(item.format(i=i) for i in range(count))
                    return rows + operator + items + " | count"
                out, _ = self.evq("-q", "query", "-o", "csv", "--no-header", input=query(100))
                self.assertIn(out, ("3\n", "1\n", "0\n"))
                _, errors = self.evq("-q", "query", input=query(6000), status=3)
                self.assertIn("more than 200000 expressions", errors)

    def test_many_terms_of_a_field_are_looked_for_once_each(self):
        for chunk in range(12):
            self.evq("ingest", "d", input=f'{{"a":"x{chunk}","b":"y"}}\n')
        terms = " or ".join(f"'v{i}'" for i in range(20_000))
        # A minute is many times what it takes; each term with each mention of a field took five.
        out, _ = self.evq("-q", "query", "--timeout", "60", "-o", "csv", "--no-header",
                          input=f"d | search {terms} or 'x7' | project a")
        self.assertEqual(out, "x7\n")

    def test_all_fields_may_be_redacted(self):
        fields = ", ".join(f"f{i} = 'a {i}'" for i in range(9000))
        out, _ = self.evq("-q", "query", "-o", "csv", "--no-header",
                          input=f"print {fields} | redact '[0-9]' | project f8, f8999")
        self.assertEqual(out, "a *,a ****\n")

    def test_deep_plans_do_not_depend_on_the_stack_that_a_shell_allows(self):
        rows = "range y from 1 to 3 step 1 "
        plus, iff = "1", "1"
        for i in range(180):
            plus, iff = f"(y + {plus})", f"iff(y > {i}, y, {iff})"
        for size in (1 << 20, resource.RLIM_INFINITY):
            for query in (rows + "".join(f"| summarize y = max(y) by z = y + {i} " for i in range(999)),
                          rows + "| join (range y from 1 to 3 step 1) on y | project y " * 499,
                          rows + "| sort by y desc | extend y = -y | take 10 " * 333,
                          rows + "| extend z = " + plus, rows + "| where " + iff + " > 0"):
                with self.subTest(size=size, query=query[:60]):
                    done = subprocess.run(
                        [EVQ, "-q", "query", query + " | count"], env=self.environment, text=True,
                        capture_output=True, timeout=120, preexec_fn=lambda: resource.setrlimit(
                            resource.RLIMIT_STACK, (size, resource.RLIM_INFINITY)))
                    self.assertEqual((done.returncode, done.stdout), (0, '{"Count":3}\n'))


if __name__ == "__main__":
    main()
