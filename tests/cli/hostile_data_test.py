"""Names and values that would drive a terminal, in every place where one shows them."""

import json
import re

from evq_case import EvqCase, main

# Sets the window's title, the colour, the direction of text; moves back; both kinds of escapes.
EVIL = "\x1b]0;title\x07\x1b[31mred\x9b5m\u202e\r\x08"


class HostileData(EvqCase):
    def setUp(self):
        super().setUp()
        self.ingest("logs", [
            json.dumps({"_time": f"2024-05-01T00:00:0{n}Z", "n": n, "who": EVIL + str(n),
                        "level": "error" + EVIL, "fi" + EVIL + "eld": n, "o": {"k" + EVIL: [EVIL]}},
                       ensure_ascii=n % 2 == 0) for n in range(5)])
        self.evq("starred", "put", "s" + EVIL, "--apl", "logs | take 1 // " + EVIL)
        self.evq("token", "create", "--name", "t" + EVIL)
        self.evq("dataset", "map-field", "add", "logs", "m" + EVIL)
        self.evq("dataset", "create", "more", "--description", EVIL)

    def check_harmless(self, *words):
        text = self.on_terminal(*words)
        self.assertNotEqual(text, "")
        # What is left when evq's own colours, line ends and lines of progress are gone.
        rest = re.sub(r"\x1b\[[0-9;]*m|\r\x1b\[K", "", text.replace("\r\n", "\n"))
        with self.subTest(words):
            self.assertNotRegex(rest, r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")
            self.assertNotIn("\x1b[31mred", text)

    def test_answers(self):
        for form in ("auto", "table", "line", "chart", "json", "ndjson", "csv", "tsv", "markdown",
                     "logfmt", "tabular", "legacy"):
            self.check_harmless("query", "logs", "-o", form)
        for query in ("logs | summarize count() by who | render barchart",
                      "logs | summarize count() by who | render piechart",
                      "logs | summarize count() by bin(_time, 1s), who | render timechart"):
            self.check_harmless("query", query)
        for tail in ((), ("-o", "ndjson"), ("-o", "csv"), ("-o", "logfmt")):
            self.check_harmless("tail", "logs", "--no-follow", *tail)
        self.check_harmless("export", "logs")
        self.check_harmless("export", "logs", "-o", "csv")

    def test_plans(self):
        query = f"logs | extend x = '{EVIL[:-2]}' | project x"
        self.check_harmless("query", "--explain", query)
        self.check_harmless("query", "--profile", query)

    def test_lists(self):
        for form in ("table", "json", "ndjson"):
            for words in (("dataset", "list"), ("dataset", "fields", "logs"), ("starred", "list"),
                          ("token", "list"), ("config", "show", "--tz", "UTC", "--org", EVIL)):
                self.check_harmless(*words, "-o", form)
        self.check_harmless("dataset", "map-field", "list", "logs")
        self.check_harmless("starred", "get", "s" + EVIL)
        self.check_harmless("starred", "run", "s" + EVIL)

    def test_errors(self):
        for words in (("query", "logs | where ['fi" + EVIL[:10] + "'] == 1"),
                      ("query", "logs" + EVIL + " | count"), ("query", "set " + EVIL + "=1; logs"),
                      ("--store", "none" + EVIL, "query", "x"), ("ingest", "logs", "no" + EVIL),
                      ("ingest", "logs" + EVIL), ("help", EVIL), (EVIL,), ("query", "--" + EVIL),
                      ("dataset", "info", EVIL), ("starred", "get", EVIL), ("--tz", EVIL, "org"),
                      ("--server", "http://" + EVIL, "query", "x"), ("query", "-o", EVIL, "logs"),
                      ("export", "logs", "--output", EVIL), ("demo", "--events", EVIL),
                      ("delete", "logs | where nobody" + EVIL + " == 1")):
            self.check_harmless(*words)

    def test_files_named_so(self):
        name = "a" + EVIL.replace("/", "") + ".log"
        (self.directory / name).write_text('{"a":1}\n{"a":}\n')
        self.check_harmless("ingest", "more", name)
        self.check_harmless("query", "--file", name, "--", "print 1")

    def test_names_of_a_server(self):
        url, token, _ = self.serve()
        server = ("--server", url, "--token", self.out("token", "create", "--name", "x").strip())
        for words in (("dataset", "fields", "logs"), ("starred", "list"), ("token", "list"),
                      ("starred", "get", "s" + EVIL), ("dataset", "info", EVIL)):
            for form in () if words[1] in ("get", "info") else ("table", "json", "ndjson"):
                self.check_harmless(*server, *words, "-o", form)
            self.check_harmless(*server, *words)
        self.check_harmless(*server, "query", "logs | where ['fi" + EVIL[:10] + "'] == 1")


if __name__ == "__main__":
    main()
