"""Answers as pictures and in time zones, kept in golden/, from here and from a server. They need no
store."""

from evq_case import EvqCase, main

DAY = "range i from 0 to 47 step 1 | extend _time = datetime(2024-05-01) + i * 30m"
KINDS = (
    "datatable(a:string, n:long, t:datetime) ['日本語', 1, datetime(2024-05-01T12:00:00Z),"
    " 'x\\x1b[31m|y\\n', 22, datetime(null)]"
)
PICTURES = {
    "line_over_time": (f"{DAY} | summarize n = sum(10 + i % 12) by bin(_time, 1h)",),
    "render_groups": (
        f"{DAY} | extend n = iff(i % 2 == 0, i, 50 - i), host = iff(i % 2 == 0, '日本', 'b')"
        " | summarize avg(n) by bin(_time, 1h), host | render timechart with (title='Load')",
        "-o", "auto"),
    # Bins without rows count 0; an average would have a gap there.
    "render_gaps": (
        f"{DAY} | where i < 10 or i > 40 | summarize count() by bin(_time, 1h) | render areachart",
        "-o", "auto"),
    "sparklines": (
        f"{DAY} | extend host = strcat('host-', i % 8), v = i * (1 + i % 8)"
        " | summarize max(v) by bin(_time, 2h), host | sort by _time asc, host asc",),
    "bars": (
        "datatable(city:string, n:long) ['Oslo', 12, '東京', 30, 'a\\x1b[31mb', 3, '👩‍👩‍👧 é', 7,"
        " '', 0]",),
    "bars_of_two_numbers": (
        "datatable(city:string, a:long, b:real) ['Oslo', 12, 1.5, 'Rome', 30, -4.25]"
        " | render barchart", "-o", "auto"),
    "make_series": (
        f"{DAY} | make-series n = count() on _time from datetime(2024-05-01) to"
        " datetime(2024-05-02) step 2h by k = i % 2 | render linechart", "-o", "auto"),
    "hours_of_days": (
        "range i from 0 to 59 step 1 | extend t = datetime(2023-12-30T21:00:00Z) + i * 1h"
        " | summarize n = sum(i % 24) by bin(t, 1h)",),
    "days_in_a_zone": (
        "range i from 0 to 9 step 1 | extend t = datetime(2024-03-06T05:00:00Z) + i * 1d"
        " | summarize n = sum(i) by bin(t, 1d)", "--tz", "America/New_York"),
    # Two points share a place, and one of the groups is a number.
    "scatter_of_numbers": (
        "range i from 1 to 60 step 1 | extend size = i * 7 % 61 * 1.5, took = i * i % 37,"
        " host = iff(i % 3 == 0, '日本', 'b') | project host, size, took"
        " | union (print host = 'b', size = 91.5, took = 1), (print host = 'b', size = 91.5, took = 9)"
        " | render scatterchart", "-o", "auto"),
    "scatter_over_time": (
        f"{DAY} | project _time, n = i * 11 % 17 | render scatterchart", "-o", "auto",
        "--tz", "Asia/Kolkata"),
    "scatter_of_many_groups": (
        "range i from 1 to 24 step 1 | project x = i, y = 1s * i, g = i % 8"
        " | summarize max(y) by x, g | render scatterchart with (xcolumn=x, ycolumns=max_y, series=g)",
        "-o", "auto"),
    # Points stand over numbers or times; over names there are bars.
    "scatter_of_names": (
        "datatable(city:string, n:long) ['Oslo', 12, 'Rome', 30] | render scatterchart",
        "-o", "auto"),
    "scatter_of_huge_numbers": (
        "datatable(x:real, y:real) [-1e308, 1e308, 1e308, real(null), real(nan), 3.0, 1e308, -1e308]"
        " | render scatterchart", "-o", "auto"),
    # Lines over numbers stand at them, in their order; a group is a line.
    "line_over_numbers": (
        "datatable(x:long, v:real, g:string) [40, 1.0, 'a', 0, 0.5, 'a', 10, -0.25, 'a',"
        " 0, 1.0, 'b', 40, 0.0, 'b'] | render linechart", "-o", "auto"),
    "area_over_numbers": (
        "range i from 0 to 99 step 1 | extend d = i * i % 400 | summarize count() by bin(d, 50)"
        " | render areachart", "-o", "auto"),
    "line_far_from_zero": (
        f"{DAY} | summarize v = avg(99.95 + 0.02 * (i % 8) / 7) by bin(_time, 1h)"
        " | render timechart", "-o", "auto"),
    "line_between_bounds": (
        f"{DAY} | extend v = i % 12 - 6 | project _time, v"
        " | render timechart with (ymin=-2, ymax=10)", "-o", "auto"),
    "pie": (
        "datatable(city:string, n:long) ['Oslo', 12, '東京', 30, 'Rome', 0] | render piechart",
        "-o", "auto"),
    "bars_to_a_bound": (
        "datatable(city:string, n:long) ['Oslo', 12, '東京', 30, 'Rome', 200]"
        " | render barchart with (ymax=100)", "-o", "auto"),
    "stacked_bars": (
        "range i from 0 to 99 step 1 | extend host = iff(i % 3 == 0, '日本', 'b'), s = 200 + i % 4"
        " | summarize count() by host, s | sort by host asc, s asc"
        " | render barchart with (kind=stacked)", "-o", "auto"),
    "stacked_numbers": (
        "datatable(city:string, a:long, b:real) ['Oslo', 12, 1.5, 'Rome', 30, 4.25]"
        " | render columnchart with (kind=stacked100)", "-o", "auto"),
    "render_without_numbers": ("print a = 'x', b = 'y' | render piechart", "-o", "auto"),
    "render_nothing": ("datatable(_time:datetime, n:long) [] | render timechart", "-o", "auto"),
    "table_in_a_zone": (KINDS, "-o", "table", "--tz", "Asia/Kolkata"),
    "table_of_nulls": (KINDS, "-o", "table", "--null", "-", "--no-header"),
}


class Pictures(EvqCase):
    target = ()

    def test_pictures(self):
        for name, (query, *options) in PICTURES.items():
            with self.subTest(name):
                form = [] if "-o" in options else ["-o", "chart"]
                self.check_golden(f"picture_{name}.txt",
                                  self.out(*self.target, "query", "-q", *form, *options, query))

    def test_bars_of_numbers_stand_in_their_order(self):
        query = ("datatable(d:real) [410.0, 150.0, 420.0, 20.0, 130.0, real(null), 430.0]"
                 " | summarize n = count() by bin(d, 100)")
        def labels(more=""):
            text = self.out("query", "-q", "-o", "chart", query + more + " | render columnchart")
            return [line.split("│")[0].strip() for line in text.splitlines() if "│" in line]
        self.assertEqual(labels(), ["0", "100", "400", "null"])
        self.assertEqual(labels(" | where d >= 0 | sort by n desc"), ["400", "100", "0"])

    def test_a_picture_fits_the_terminal(self):
        query = "range i from 0 to 9 step 1 | project x = i, y = i % 3 | render linechart"
        for rows, lines in ((8, 8), (16, 14), (40, 17)):
            text = self.on_terminal("query", "-q", query, rows=rows)
            self.assertEqual(len(text.splitlines()), lines, text)

    def test_a_picture_in_a_pipe_is_as_wide_as_columns_says(self):
        def width(**env):
            text = self.out("query", "-q", "-o", "chart", PICTURES["bars"][0], env=env)
            return max(len(line.split(" 30")[0]) for line in text.splitlines() if line.endswith(" 30"))
        self.assertEqual(width(COLUMNS="130") - width(), 50)
        self.assertEqual(width(COLUMNS="40") - width(), -40)
        self.assertEqual(width(COLUMNS="wide"), width())

    def test_plain_characters_where_there_is_no_unicode(self):
        for name in ("line_over_time", "bars", "sparklines"):
            text = self.out("query", "-q", "-o", "chart", PICTURES[name][0], env={"LC_ALL": "C"})
            self.assertNotIn("█", text)
            self.assertNotIn("⣿", text)

    def test_numbers_near_the_end_of_all_numbers(self):
        text = self.out(
            "query", "-q", "-o", "chart",
            "range i from 0 to 1 step 1 | extend _time = datetime(2024-05-01), n = 9223372036854775806 + i"
            " | summarize c = count() by bin(_time, 1h), n | render linechart with (xcolumn=n)")
        self.assertIn("10E", text)

    def test_no_such_zone(self):
        self.assertIn("no time zone 'Mars'",
                      self.evq("query", "--tz", "Mars", "print 1", status=2)[1])

    def test_integers_and_reals_are_numbers(self):
        query = ("datatable(city:string, n:dynamic) ['Oslo', dynamic(10), 'Rome', dynamic(2.5), 'Pisa', dynamic(null)]"
                 " | render barchart")
        text = self.out(*self.target, "query", "-q", "-o", "auto", query)
        self.assertRegex(text, r"(?m)^Oslo │█+ 10$")
        self.assertRegex(text, r"(?m)^Rome │█+.? 2.5$")

    def test_minutes_without_events_are_zero(self):
        query = ("datatable(_time:datetime) [datetime(2024-05-01T00:00:01Z), datetime(2024-05-01T00:05:01Z)]"
                 " | summarize count() by bin(_time, 1m) | render areachart")
        parts = [line.split("┤") for line in
                 self.out(*self.target, "query", "-q", "-o", "auto", query).splitlines()]
        bottom = [part[1] for part in parts if part[0].strip() == "0"]
        self.assertEqual(len(bottom), 1)
        self.assertNotIn(" ", bottom[0])


class PicturesOfServer(Pictures):
    """As those of a store."""

    def setUp(self):
        super().setUp()
        self.evq("dataset", "create", "first")
        url, token, _ = self.serve()
        self.target = ("--server", url, "--token", token)


if __name__ == "__main__":
    main()
