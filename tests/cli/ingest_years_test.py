#!/usr/bin/env python3
"""Of which year evq ingest and query --file take times to be that say none: from when a file was last written to, or
from now."""

import datetime
import gzip
import json
import os

from evq_case import LoadCase, main

UTC = datetime.timezone.utc
LOG = "Dec 31 23:59:59 web app: a\nJan  1 00:00:01 web app: b\n"
IN_2021 = ["2020-12-31T23:59:59Z", "2021-01-01T00:00:01Z"]
WRITTEN = datetime.datetime(2021, 1, 1, 0, 0, 2, tzinfo=UTC)


def from_now(month, day, clock):
    """The latest such time that is not more than a day ahead."""
    ahead = datetime.datetime.now(UTC) + datetime.timedelta(days=1)
    times = (datetime.datetime.fromisoformat(f"{year}-{month:02}-{day:02}T{clock}+00:00")
             for year in (ahead.year, ahead.year - 1))
    return next(time for time in times if time <= ahead).strftime("%Y-%m-%dT%H:%M:%SZ")


class IngestYears(LoadCase):
    def written(self, name, content, time=WRITTEN):
        path = self.directory / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        os.utime(path, (time.timestamp(), time.timestamp()))
        return path

    def times(self, dataset):
        return sorted(row["_time"] for row in self.rows(f"{dataset} | project _time"))

    def test_they_are_from_before_the_file_was_last_written_to(self):
        csv = "at,a\nDec 31 23:59:59,1\nJan 1 00:00:01,2\n"
        layout = ("--timestamp-field", "at", "--timestamp-format", "Jan 2 15:04:05")
        named = "".join(f"web-1  | {line}" for line in LOG.splitlines(keepends=True))
        fields = "web-1  | a=1 b=2 time=2020-12-31T00:00:00Z\n" * 3
        klog = "I1231 23:59:59.000000       1 a.go:1] a\nI0101 00:00:01.000000       1 a.go:1] b\n"
        for number, (content, words, times) in enumerate((
                (LOG, (), IN_2021), (gzip.compress(LOG.encode()), (), IN_2021), (csv, layout, IN_2021),
                (klog, (), IN_2021), (fields + named, (), ["2020-12-31T00:00:00Z"] * 3 + IN_2021))):
            with self.subTest(number):
                file = self.written(f"f{number}.log", content)
                self.evq("ingest", f"d{number}", file, *words)
                self.assertEqual(self.times(f"d{number}"), times)
                out = self.out("query", "--file", file, *words, "--",
                               f"f{number} | project _time | sort by _time asc")
                self.assertEqual([json.loads(line)["_time"] for line in out.splitlines()], times)
        # Of several files each has its own time.
        later = self.written("later.log", LOG, WRITTEN.replace(year=2023))
        self.evq("ingest", "both", self.directory / "f0.log", later)
        self.assertEqual(self.times("both"), IN_2021 + ["2022-12-31T23:59:59Z", "2023-01-01T00:00:01Z"])

    def test_else_they_are_from_before_now(self):
        line = "Jul  1 12:00:00 web app: a\n"
        now = [from_now(7, 1, "12:00:00")]
        self.load(line, dataset="piped")
        self.assertEqual(self.times("piped"), now)
        # What archives give to all their files, and what a wrong clock gives.
        for number, year in enumerate((1970, 1980, 2100)):
            file = self.written("f.log", line, datetime.datetime(year, 1, 1, tzinfo=UTC))
            self.evq("ingest", f"d{number}", file)
            self.assertEqual(self.times(f"d{number}"), now)
        url, token, _ = self.serve()
        self.evq("--server", url, "--token", token, "ingest", "sent", self.written("f.log", line))
        self.assertEqual(self.times("sent"), now)
        # Lines that are told of containers before they are sent are no others.
        named = "web-1  | a=1 b=2 time=2020-12-31T00:00:00Z\n" * 3 + f"web-1  | {line}"
        self.evq("--server", url, "--token", token, "ingest", "named", self.written("named.log", named))
        self.assertEqual(self.times("named"), ["2020-12-31T00:00:00Z"] * 3 + now)


if __name__ == "__main__":
    main()
