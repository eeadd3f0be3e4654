"""evq tail: the newest events, then every event that arrives, once."""

import json
import subprocess
import time

from evq_case import EVQ, EvqCase, main


def event(i, **more):
    return json.dumps({"_time": f"2024-05-01T00:{i // 60:02}:{i % 60:02}Z", "i": i, **more})


class Tail(EvqCase):
    target = ()

    def setUp(self):
        super().setUp()
        self.ingest("logs", [event(i, status=200 + 300 * (i % 2)) for i in range(20)])

    def numbers(self, process, count):
        return [json.loads(process.stdout.readline())["i"] for _ in range(count)]

    def test_last_events_in_order_of_time(self):
        out = self.out(*self.target, "tail", "logs", "-n", "3", "--no-follow")
        self.assertEqual([json.loads(line)["i"] for line in out.splitlines()], [17, 18, 19])

    def test_pipeline(self):
        for pipeline in ("where status >= 500 | project i", "| where status >= 500 | project i"):
            out = self.out(*self.target, "tail", "logs", pipeline, "-n", "2", "--no-follow")
            self.assertEqual(out, '{"i":17}\n{"i":19}\n')

    def test_fields(self):
        out = self.out(*self.target, "tail", "logs", "where status >= 500", "--fields", "i,status",
                       "-n", "1", "--no-follow")
        self.assertEqual(out, '{"i":19,"status":500}\n')
        _, errors = self.evq(*self.target, "tail", "logs", "--fields", "i,stauts", "--no-follow",
                             status=3)
        self.assertIn("did you mean 'status'?", errors)

    def test_only_operators_that_see_single_events(self):
        _, errors = self.evq(*self.target, "tail", "logs", "count", status=2)
        self.assertIn("each event alone", errors)

    def test_names_that_begin_with_a_dollar_sign(self):
        self.ingest("shop", ['{"_time":1714521600,"$type":"view","$time":1}'])
        out = self.out(*self.target, "tail", "shop", "where $type == 'view'", "--fields",
                       "$type,$time", "--no-follow")
        self.assertEqual(out, '{"$type":"view","$time":1}\n')

    def test_subqueries_read_what_there_is(self):
        self.ingest("wanted", [event(0, n=18), event(1, n=3)])
        out = self.out(*self.target, "tail", "logs", "where i in ((wanted | project n))", "--no-follow")
        self.assertEqual([json.loads(line)["i"] for line in out.splitlines()], [3, 18])
        out = self.out(*self.target, "tail", "logs", "where i > toscalar(logs | summarize max(i)) - 2",
                       "-n", "9", "--no-follow")
        self.assertEqual([json.loads(line)["i"] for line in out.splitlines()], [18, 19])

    def test_mistakes(self):
        self.evq(*self.target, "tail", "logs", "where stauts == 1", "--no-follow", status=3)
        self.assertNotEqual(
            subprocess.run([EVQ, *self.target, "tail", "nothing", "--no-follow"],
                           env=self.environment, capture_output=True).returncode, 0)

    def test_follows_arrivals_once_whatever_their_times(self):
        process = self.start(*self.target, "tail", "logs", "-n", "1", "--interval-ms", "20")
        self.assertEqual(self.numbers(process, 1), [19])
        expected = []
        for round in range(10):
            batch = [1000 + round * 5 + k for k in range(5)]
            times = [event(i % 60, n=i) for i in batch]  # older than what was shown
            self.ingest("logs", [t.replace(f'"i": {i % 60}', f'"i": {i}')
                                 for t, i in zip(times, batch)])
            expected += batch
        self.assertEqual(sorted(self.numbers(process, len(expected))), expected)
        self.evq("compact")
        self.ingest("logs", [event(30)])
        self.assertEqual(self.numbers(process, 1), [30])
        self.assertEqual(self.interrupt(process), 130)

    def test_goes_on_with_a_dataset_that_was_made_anew(self):
        process = self.start(*self.target, "tail", "logs", "-n", "1", "--interval-ms", "20")
        self.assertEqual(self.numbers(process, 1), [19])
        self.evq("dataset", "delete", "logs", "--yes")
        time.sleep(0.3)
        self.ingest("logs", [event(7), event(8)])
        self.assertEqual(self.numbers(process, 2), [7, 8])
        self.assertEqual(self.interrupt(process), 130)
        self.assertIn("note: logs was made anew", process.stderr.read())

    def test_ends_quietly_when_the_reader_has_gone(self):
        process = self.start(*self.target, "tail", "logs", "-n", "1")
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual(process.wait(timeout=30), 0)
        process.stdout = None
        self.assertEqual(process.stderr.read(), "")

    def test_csv_header_once(self):
        process = self.start(*self.target, "tail", "logs", "project i", "-n", "1", "-o", "csv",
                             "--interval-ms", "20")
        self.assertEqual([process.stdout.readline() for _ in range(2)], ["i\n", "19\n"])
        self.ingest("logs", [event(40)])
        self.assertEqual(process.stdout.readline(), "40\n")


class TailOnServer(Tail):
    def setUp(self):
        super().setUp()
        self.url, token, self.server = self.serve()
        self.target = ("--server", self.url, "--token", token)

    def test_outlives_the_server(self):
        process = self.start(*self.target, "tail", "logs", "-n", "1", "--interval-ms", "20")
        self.assertEqual(self.numbers(process, 1), [19])
        self.server.terminate()
        self.server.wait()
        self.ingest("logs", [event(20)])
        self.serve(listen=self.url.removeprefix("http://"))
        self.ingest("logs", [event(21)])
        self.assertEqual(self.numbers(process, 2), [20, 21])


if __name__ == "__main__":
    main()
