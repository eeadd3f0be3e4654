"""evq tail: the newest events, then every event that arrives, once."""

import json
import signal
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
        self.assertEqual(process.stderr.readline(), "note: logs was deleted; waiting for a new one\n")
        self.ingest("logs", [event(7), event(8)])
        self.assertEqual(self.numbers(process, 2), [7, 8])
        self.assertEqual(self.interrupt(process), 130)
        self.assertEqual(process.stderr.read(), "note: logs was made anew\n")

    def test_a_new_dataset_of_as_many_events_is_another_one(self):
        for between in ("", " and more events"):
            self.ingest("short", [event(1)])
            process = self.start(*self.target, "tail", "short", "-n", "1", "--interval-ms", "20")
            self.assertEqual(self.numbers(process, 1), [1])
            process.send_signal(signal.SIGSTOP)  # it sees no time without a dataset
            self.evq("dataset", "delete", "short", "--yes")
            expected = [2] if not between else [2, 3, 4]
            self.ingest("short", [event(i) for i in expected])
            process.send_signal(signal.SIGCONT)
            self.assertEqual(self.numbers(process, len(expected)), expected)
            self.ingest("short", [event(9)])
            self.assertEqual(self.numbers(process, 1), [9])
            self.assertEqual(self.interrupt(process), 130)
            self.assertEqual(process.stderr.read(), "note: short was made anew\n")
            self.evq("dataset", "delete", "short", "--yes")

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

    def test_csv_columns_stay_those_of_the_header(self):
        process = self.start(*self.target, "tail", "logs", "project-away _sysTime, _time", "-n", "1",
                             "-o", "csv", "--interval-ms", "20")
        self.assertEqual([process.stdout.readline() for _ in range(2)], ["i,status\n", "19,500\n"])
        for k in range(2):
            self.ingest("logs", [event(40 + k, host="a b", extra=[k])])
            self.assertEqual(process.stdout.readline(), f"{40 + k},\n")
        self.ingest("logs", [event(42, status="word"), event(43, status=1)])
        self.assertEqual([process.stdout.readline() for _ in range(2)], ["42,word\n", "43,1\n"])
        self.interrupt(process)
        note = "note: the field {} came after the header and is not shown; --fields {} names the columns"
        self.assertEqual(sorted(process.stderr.read().splitlines()),
                         [note.format("extra", "i,status,extra"), note.format("host", "i,status,host")])

    def test_csv_columns_of_a_dataset_without_events(self):
        self.evq("dataset", "create", "fresh")
        self.assertIn("_time", self.out(*self.target, "tail", "fresh", "-o", "csv", "--no-follow"))
        process = self.start(*self.target, "tail", "fresh", "-o", "tsv", "--interval-ms", "20")
        time.sleep(0.3)
        self.ingest("fresh", ['{"_time":1,"a":"x"}'])
        self.assertEqual(process.stdout.readline(), "_sysTime\t_time\ta\n")
        self.assertTrue(process.stdout.readline().endswith("\tx\n"))
        self.interrupt(process)
        self.assertEqual(process.stderr.read(), "")


    def lines_for_people(self, *words):
        text = self.on_terminal(*self.target, "tail", *words, "--no-follow", "--color", "never")
        return [line.strip("\r\n") for line in text.splitlines()]

    def test_people_read_time_severity_and_message_first(self):
        self.ingest("app", [event(0, message="it broke", level="error", a={"msg": 1}, host=None),
                            event(1, log="fine", **{"log.severity": "info"}, status=200)])
        self.assertEqual(self.lines_for_people("app", "project-away i"), [
            '_time=2024-05-01T00:00:00Z level=error message="it broke" a.msg=1',
            "_time=2024-05-01T00:00:01Z log.severity=info log=fine status=200"])
        self.assertEqual(self.lines_for_people("app", "project i, message, level", "-n", "2")[0],
                         'i=0 message="it broke" level=error')
        self.assertEqual(self.lines_for_people("app", "--fields", "i,level,_time", "-n", "2")[0],
                         "i=0 level=error _time=2024-05-01T00:00:00Z")


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
