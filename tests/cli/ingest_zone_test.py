#!/usr/bin/env python3
"""In which zone evq ingest and query --file read times that say none, and of which one days are."""

import datetime
import json

from evq_case import LoadCase, main


class IngestZone(LoadCase):
    def test_the_zone_of_times_that_say_none(self):
        json_times = "".join(f'{{"at":"{at}"}}\n' for at in (
            "2024-07-01 12:00:00", "2024-07-01T12:00:00Z", "2024-07-01T12:00:00+05:00", "2024-01-01T12:00:00",
            "2024-07-01", "Mon, 01 Jul 2024 12:00:00 GMT", "2024/07/01 12:00:00", "01/Jul/2024:12:00:00",
            "2024-10-27T02:30:00", "2024-03-31T02:30:00"))
        berlin = ["2024-07-01T10:00:00Z", "2024-07-01T12:00:00Z", "2024-07-01T07:00:00Z", "2024-01-01T11:00:00Z",
                  "2024-06-30T22:00:00Z", "2024-07-01T12:00:00Z", "2024-07-01T10:00:00Z", "2024-07-01T10:00:00Z",
                  "2024-10-27T00:30:00Z", "2024-03-31T00:30:00Z"]
        log = "2024-07-01 12:00:00 one\n  two\n[01/Jul/2024:12:00:01 +0000] three\n"
        lines = ["2024-07-01T10:00:00Z", "2024-07-01T10:00:00Z", "2024-07-01T12:00:01Z"]
        layout = ("--timestamp-field", "at", "--timestamp-format", "02.01.2006 15:04")
        zoned = ("--timestamp-field", "at", "--timestamp-format", "02.01.2006 15:04 MST")
        for number, (text, words, times) in enumerate((
                (json_times, ("--timestamp-field", "at"), berlin), (log, (), lines),
                ("at\n01.07.2024 12:00\n", layout, berlin[:1]),
                ("at\n01.07.2024 12:00 UTC\n", zoned, berlin[1:2]),
                ('time="2024-07-01 12:00:00" a=1\n', (), berlin[:1]),
                ("#Version: 1.0\n#Fields: date time a\n2024-07-01 12:00:00 1\n", (), berlin[:1]))):
            for zone, env in (("Europe/Berlin", {}), ("local", {"TZ": "Europe/Berlin"})):
                with self.subTest((number, zone)):
                    dataset = f"d{number}{zone[0]}"
                    self.assertEqual(
                        self.evq("ingest", dataset, "--timestamp-zone", zone, *words, input=text, env=env)[1]
                        .count("say no zone"), 0)
                    got = sorted(row["_time"] for row in self.rows(f"{dataset} | project _time"))
                    self.assertEqual(got, sorted(times))
        self.load('{"_time":"2024-07-01 12:00"}', "--timestamp-zone=-03:30", dataset="offset")
        self.assertEqual(self.rows("offset"), [{"_time": "2024-07-01T15:30:00Z"}])
        (self.directory / "f.log").write_text(log)
        self.assertEqual(self.out("query", "--file", "f.log", "--timestamp-zone", "+02:00", "--",
                                  "f | summarize n = count() by _time | where n == 2"),
                         '{"_time":"2024-07-01T10:00:00Z","n":2}\n')
        self.assertEqual(self.evq("ingest", "d", "--timestamp-zone", "Mars", input="", status=2),
                         ("", "error: --timestamp-zone: there is no time zone 'Mars'\n"
                              "  = write local, UTC, a name such as Europe/Berlin, or an offset such as +02:00\n"))

    def test_local_is_what_tz_says_in_any_form(self):
        for number, (zone, utc) in enumerate((
                ("Europe/Berlin", "10:00"), (":Europe/Berlin", "10:00"), ("/usr/share/zoneinfo/Europe/Berlin", "10:00"),
                ("CET-1CEST,M3.5.0,M10.5.0/3", "10:00"), ("<+0530>-5:30", "06:30"), ("EST5EDT4,M3.2.0,M11.1.0", "16:00"),
                ("AAA5BBB", "16:00"), ("", "12:00"), ("UTC0", "12:00"))):
            with self.subTest(zone):
                words = ("--timestamp-zone", "local")
                self.evq("ingest", f"d{number}", *words, input='{"_time":"2024-07-01 12:00"}', env={"TZ": zone})
                self.assertEqual(self.rows(f"d{number} | project _time"), [{"_time": f"2024-07-01T{utc}:00Z"}])
                shown = self.out("--tz", "local", "query", "-o", "table", f"print t = datetime(2024-07-01T{utc})",
                                 env={"TZ": zone})
                self.assertIn("2024-07-01T12:00:00", shown)
        for zone in ("Mars", "/nowhere/at/all", "/etc", "Europe/Berlin "):
            with self.subTest(zone):
                for words in (("ingest", "d", "--timestamp-zone", "local"), ("--tz", "local", "query", "print 1")):
                    _, errors = self.evq(*words, input="", status=2, env={"TZ": zone})
                    self.assertIn(f"the environment's TZ, '{zone}', is no time zone", errors)

    def test_times_without_a_zone_are_told_where_clocks_show_another_time(self):
        note = "note: stdin: its times say no zone and are taken as UTC; --timestamp-zone local takes them as " \
               "this machine's\n"
        for zone, words, text, told in (
                ("Europe/London", (), '{"_time":"2024-07-01 12:00:00"}', True),
                ("Europe/London", ("--timestamp-zone", "UTC"), '{"_time":"2024-07-01 12:00:00"}', False),
                ("UTC", (), '{"_time":"2024-07-01 12:00:00"}', False),
                ("Europe/London", (), '{"_time":"2024-07-01T12:00:00Z"}', False),
                ("Europe/London", (), '{"_time":1714557600}', False),
                ("Asia/Tokyo", (), "2024-07-01 12:00:00 hello\n", True),
                ("Asia/Tokyo", (), "#Fields: date time a\n2024-07-01 12:00:00 1\n", False)):
            with self.subTest((zone, words, text)):
                _, errors = self.evq("ingest", "d", *words, input=text, env={"TZ": zone})
                self.assertEqual(note in errors, told, errors)
                self.assertEqual(self.evq("-q", "ingest", "d", *words, input=text, env={"TZ": zone})[1], "")

    def test_days_that_have_a_name(self):
        now = datetime.datetime.now(datetime.timezone.utc)
        zone = f"--tz={12 - now.hour:+03d}:00"  # where it is noon, so that the day stays the same
        midnight = now.replace(minute=0, second=0, microsecond=0) - datetime.timedelta(hours=12)
        self.ingest("d", [json.dumps({"_time": (midnight + datetime.timedelta(hours=h)).isoformat(), "h": h})
                          for h in (-25, -24, -1, 0, 24)])
        for words, hours in ((("--since", "today"), [0, 24]), (("--start-time", "tomorrow"), [24]),
                             (("--since", "yesterday", "--until", "today"), [-24, -1, 0]),
                             (("--end-time", "yesterday"), [-25, -24]), (("--until", "now"), [-25, -24, -1, 0])):
            for verb in ("query", "export"):
                with self.subTest(words, verb=verb):
                    out = self.out(zone, verb, "d | sort by h asc | project h", *words, "-o", "csv")
                    self.assertEqual(out.split(), ["h", *map(str, hours)])
        out = self.out(zone, "repl", input=".since yesterday\n.until today\nd | count\n")
        self.assertEqual(out, '{"Count":3}\n')
        out = self.out(zone, "tail", "d", "--since", "tomorrow", "--no-follow", "-o", "ndjson")
        self.assertEqual([json.loads(line)["h"] for line in out.splitlines()], [24])

    def test_a_day_whose_midnight_the_clocks_leave_out(self):
        now = datetime.datetime.now(datetime.timezone.utc)
        midnight = now.replace(minute=0, second=0, microsecond=0) - datetime.timedelta(hours=12)
        change, back = (f"M{day.month}.{(day.day - 1) // 7 + 1}.{day.isoweekday() % 7}/0" for day in (
            now.replace(hour=12), now.replace(hour=12) - datetime.timedelta(days=90)))
        zone = {"TZ": f"AAA{now.hour - 12}BBB,{change},{back}"}  # summer began at noon's midnight, with 01:00
        self.ingest("d", [json.dumps({"_time": (midnight + datetime.timedelta(minutes=m)).isoformat(), "m": m})
                          for m in (-30, 30, 90)])
        for words, minutes in ((("--since", "today"), [30, 90]), (("--until", "today"), [-30])):
            out = self.evq("--tz", "local", "query", "d | sort by m asc | project m", *words, "-o", "csv", env=zone)[0]
            self.assertEqual(out.split(), ["m", *map(str, minutes)], zone)


if __name__ == "__main__":
    main()
