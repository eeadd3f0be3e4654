"""Operators that hold their whole input or output say so when it does not fit."""

from evq_case import EvqCase, main

ROWS = "range x from 1 to 400000 step 1 | extend s = strcat('row number ', tostring(x)) "


class Memory(EvqCase):
    def test_operators_keep_to_the_limit(self):
        for operators, name in (
                ("extend p = prev(s)", "a window function"),
                ("where x < 9 | make-series count() on x from 0 to 900000 step 1", "make-series"),
                ("partition by x (count)", "partition"),
                ("extend a = pack_array(s, s) | mv-apply a on (take 1)", "mv-apply"),
                ("scan declare (n:long = 0) with (step a: true => n = a.n + 1;)", "scan"),
                ("reduce by s", "reduce"),
                ("evaluate narrow()", "narrow"),
                ("as t | union t | count", "a shared table"),
                ("where s in ((range y from 1 to 400000 step 1 | project strcat('n', tostring(y))))"
                 " | count", "a subquery"),
                ("join kind=inner (range x from 1 to 400000 step 1) on x | count", "join"),
                ("sort by s asc", "sort")):
            with self.subTest(operators):
                _, errors = self.evq("-q", "query", "--memory-limit", "1M", ROWS + "| " + operators,
                                     status=None)
                self.assertRegex(errors, f"memory limit of .* exceeded in {name}")

    def test_the_same_fits_without_a_small_limit(self):
        self.assertEqual(self.out("-q", "query", "-o", "csv", "--no-header",
                                  ROWS + "| extend p = prev(x) | summarize sum(p)").strip(),
                         str(399999 * 400000 // 2))


if __name__ == "__main__":
    main()
