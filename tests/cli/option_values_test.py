"""Values of options that are empty or say nothing, and signals that every verb answers."""

import json
import signal
import subprocess

from evq_case import EVQ, EvqCase, main
from processes import catches, wait_until


class EmptyValues(EvqCase):
    def setUp(self):
        super().setUp()
        self.ingest("web", ['{"_time":"2024-05-01T00:00:00Z","status":200}'])

    def check(self, words, text):
        with self.subTest(words):
            self.assertEqual(self.evq(*words, status=2), ("", text))

    def test_the_next_word_is_never_the_value(self):
        events = self.directory / "events.log"
        events.write_text('{"a":1}\n')
        self.check(("ingest", "e", "--reject-file=", events),
                   "error: --reject-file: its value is empty\n  = see evq ingest --help\n")
        self.assertEqual(events.read_text(), '{"a":1}\n')
        self.check(("token", "create", "--name=", "--personal"),
                   "error: --name: its value is empty\n  = see evq token create --help\n")
        self.assertEqual(self.out("token", "list", "-o", "ndjson"), "")
        self.check(("query", "--file=", events, "| count"),
                   "error: --file: its value is empty\n  = see evq query --help\n")

    def test_no_option_has_an_empty_value(self):
        query = ("query", "web | count")
        for words in (
                ("ingest", "e", "--timestamp-field"), ("ingest", "e", "--timestamp-format"),
                ("ingest", "e", "--timestamp-zone"), ("ingest", "e", "--csv-fields"),
                ("ingest", "e", "--csv-delimiter"), ("ingest", "e", "--label"),
                (*query, "--variable"), (*query, "--cursor"), ("query", "-f"),
                ("tail", "web", "--no-follow", "--fields"), ("export", "web", "--output"),
                ("starred", "put", "x", "--apl"), ("token", "create", "--name", "x", "--ingest"),
                ("token", "create", "--name", "x", "--expires"), ("serve", "--listen"),
                ("serve", "--tls-key"), ("serve", "--allow-external"), ("serve", "--cors-origin"),
                (*query, "--server"), (*query, "--token"), (*query, "--geo-database"), (*query, "--tz")):
            given = [(*words, "")]
            if words[-1].startswith("--"):
                given.append((*words[:-1], words[-1] + "="))
            for each in given:
                with self.subTest(each):
                    _, errors = self.evq(*each, input="", status=2)
                    self.assertIn(f"{words[-1]}: its value is empty\n", errors)
        for option, text in (("--since", "'' is not a duration"), ("--start-time", "'' is not a time"),
                             ("--limit", "'' is not a whole number"), ("--output", "'' is not one of its words"),
                             ("--store", "the store needs a directory")):
            for given in ((option, ""), (option + "=",)):
                with self.subTest(given):
                    self.assertIn(f"error: {option}: {text}\n", self.evq(*query, *given, status=2)[1])

    def test_empty_values_that_say_something(self):
        table = self.out("query", "print a = int(null), b = 1", "-o", "markdown", "--null=")
        self.assertEqual(table.splitlines()[-1].split("|")[1].strip(), "")
        self.evq("dataset", "create", "--description=", "made")
        self.assertEqual(self.out("query", "made | count"), '{"Count":0}\n')

    def test_flags_take_no_value(self):
        self.check(("delete", "web", "--yes", "--commit="),
                   "error: --commit takes no value\n  = see evq delete --help\n")
        self.assertEqual(self.out("query", "web | count"), '{"Count":1}\n')
        self.evq("query", "web | count", "--all=true")

    def test_behind_two_dashes_stand_words(self):
        (self.directory / "--name=").write_text('{"a":1}\n')
        self.evq("ingest", "e", "--", "--name=")
        self.assertEqual(self.out("query", "e | project a"), '{"a":1}\n')


class Times(EvqCase):
    def test_numbers_that_are_hardly_times(self):
        self.ingest("web", ['{"_time":"2024-05-01T00:00:00Z","status":200}'])
        for option in ("--start-time", "--end-time", "--until", "--since"):
            for number in ("90", "-1", "1714521"):
                plain = number.lstrip("-")
                with self.subTest(option, number=number):
                    _, errors = self.evq("query", "web | count", option, number, status=2)
                    self.assertEqual(errors.split(": ", 2)[2],
                                     f"'{number}' has no unit\n  = write {plain}m, {plain}h or {plain}d\n")
        for words in (("--start-time", "0"), ("--start-time", "2024"), ("--start-time", "1714521600"),
                      ("--end-time", "1714521600000"), ("--start-time", "-1000000000")):
            self.assertEqual(self.out("query", "web | count", *words), '{"Count":1}\n')


class Variables(EvqCase):
    def test_one_that_the_query_does_not_name_is_told(self):
        query = "declare query_parameters(limit_:long = 10); print limit_"
        out, errors = self.evq("query", query, "--variable", "limt_=5", "--variable", "limit=5")
        self.assertEqual((out, errors), ('{"print_0":10}\n',
                                         "note: the query does not name what --variable gives: limit, limt_\n"))
        self.assertEqual(self.evq("query", query, "--variable", "limit_=5"), ('{"print_0":5}\n', ""))


class Input(EvqCase):
    def test_standard_input_is_one_thing(self):
        for words in (("-f", "-"), ("-",)):
            _, errors = self.evq("query", *words, "--file", "-", input='{"a":1}\n', status=2)
            self.assertEqual(errors, "error: standard input cannot be both the query and its events\n"
                                     "  = write the query as a word, or into a file for -f\n")

    def test_an_interrupted_wait_for_the_query_is_no_error(self):
        process = self.start("query", stdin=subprocess.PIPE)
        wait_until(lambda: catches(process.pid, signal.SIGINT))
        self.assertEqual(self.interrupt(process), 130)
        self.assertEqual(process.stderr.read(), "")


class Signals(EvqCase):
    """SIGUSR1 asks for the line of progress, and ends nothing that has none."""

    def ask(self, process):
        wait_until(lambda: catches(process.pid, signal.SIGUSR1))
        process.send_signal(signal.SIGUSR1)

    def test_tail_goes_on(self):
        self.ingest("web", ['{"a":1}'])
        process = self.start("tail", "web", "-o", "ndjson")
        self.assertEqual(json.loads(process.stdout.readline())["a"], 1)
        self.ask(process)
        self.ingest("web", ['{"a":2}'])
        self.assertEqual(json.loads(process.stdout.readline())["a"], 2)
        self.assertEqual(self.interrupt(process), 130)

    def test_a_follower_goes_on(self):
        file = self.directory / "a.ndjson"
        file.write_text('{"a":1}\n')
        process = self.start("ingest", "e", "--follow", file)
        wait_until(lambda: self.count("e") == 1)
        self.ask(process)
        with open(file, "a", encoding="utf-8") as more:
            more.write('{"a":2}\n')
        wait_until(lambda: self.count("e") == 2)
        self.assertEqual(self.interrupt(process), 130)

    def count(self, dataset):
        """Of its events; 0 while there is no such dataset."""
        done = subprocess.run([EVQ, "query", f"{dataset} | count", "-o", "csv", "--no-header"], text=True,
                              env=self.environment, capture_output=True, check=False, timeout=60)
        return int(done.stdout or 0)

    def test_an_idle_prompt_goes_on(self):
        process = self.start("repl", stdin=subprocess.PIPE)
        self.ask(process)
        out, _ = process.communicate("print a = 1\n", timeout=60)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(out, '{"a":1}\n')

    def test_a_server_goes_on(self):
        self.evq("dataset", "create", "web")
        url, token, process = self.serve()
        self.ask(process)
        self.assertEqual(self.out("--server", url, "--token", token, "query", "web | count"), '{"Count":0}\n')


if __name__ == "__main__":
    main()
