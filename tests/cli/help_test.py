"""evq help and --help: every command explains itself, and mistakes are answered with what is near."""

import pathlib
import re

from evq_case import EvqCase, main

MANUAL = pathlib.Path(__file__).resolve().parents[2] / "man" / "evq.1"

# Which section of the manual a command is in.
SECTIONS = {
    "": "GLOBAL OPTIONS", "ingest": "INGEST", "query": "QUERY", "repl": "PROMPT", "tail": "TAIL",
    "export": "EXPORT", "delete": "DELETE", "starred": "SAVED QUERIES", "dataset": "DATASETS",
    "serve": "SERVE", "config": "SERVERS", "token": "TOKENS", "org": "TOKENS", "check": "UPKEEP",
    "compact": "UPKEEP", "backup": "UPKEEP", "completion": "UPKEEP", "demo": "UPKEEP", "help": "UPKEEP",
}
OPTION = r"(?<![\w-])(--?[a-z][a-z-]*)"


class Help(EvqCase):
    def commands(self, text=None):
        listed = (text or self.out("--help")).partition("Subcommands:")[2].split("\n\n")[0]
        return re.findall(r"^  ([a-z-]+) ", listed, re.MULTILINE)

    def test_every_command_has_usage_and_help(self):
        commands = self.commands()
        self.assertIn("query", commands)
        for command in commands:
            text = self.out("help", command)
            self.assertIn(f"Usage: evq {command}", text)
            self.assertEqual(text, self.out(command, "--help"))

    def options(self, path=()):
        """The options of a command and of its actions, by path: each with the words it takes."""
        text = self.out(*path, "--help")
        shown = "\n".join(re.findall(r"(?ms)^(?:Options|With --file):\n(.*?)\n\n", text))
        found = {}
        for entry in re.split(r"(?m)^  (?=-)", shown)[1:]:
            names = re.findall(OPTION, re.split(r"  |\n", entry)[0])
            words = re.search(r"(?s)\{(.*?)\}", entry)
            found |= {name: re.split(r",\s+", words[1]) if words else [] for name in names
                      if name not in ("-h", "--help") or not path}
        all_options = {path: found}
        for action in self.commands(text):
            all_options |= self.options((*path, action))
        return all_options

    def test_options_are_those_of_the_manual(self):
        manual = MANUAL.read_text().replace(r"\-", "-").replace(r"\~", " ")
        manual = re.sub(r"\\f.", "", manual)
        sections = dict(re.findall(r"(?ms)^\.SH ([A-Z ]+)\n(.*?)(?=^\.SH)", manual))
        every = self.options()
        of_section = {name: set() for name in SECTIONS.values()}
        for path, options in every.items():
            name = SECTIONS[path[0] if path else ""]
            mentioned = re.findall(OPTION, sections[name])
            of_section[name] |= options.keys()
            for option, words in options.items():
                with self.subTest(path=path, option=option):
                    self.assertIn(option, mentioned)
                    if not re.search(r"as for\s+\.BR query", sections[name]):
                        for word in words:
                            self.assertRegex(sections[name], rf"\b{word}\b")
        known = set().union(*every.values())
        for name, text in sections.items():
            defined = re.findall(r"(?m)^\.TP\n(\..*)$", text)
            with self.subTest(section=name):
                self.assertLessEqual(set(re.findall(OPTION, " ".join(defined))),
                                     of_section.get(name, set()))
                ours = re.sub(r"(?m)^(curl|journalctl|awk).*$", "", text)
                self.assertLessEqual(set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", ours)), known)

    def test_topics_fit_into_80_columns(self):
        for topic in ((), ("literals",), ("parse",), ("summarize",), ("strcat",), ("exit-codes",)):
            for line in self.out("help", *topic).splitlines():
                if topic != ("parse",) or not line.startswith("  "):  # an example
                    self.assertLessEqual(len(line), 80, line)

    def test_help_fits_into_80_columns(self):
        for path in self.options():
            for line in self.out(*path, "--help").splitlines():
                with self.subTest(path=path):
                    self.assertLessEqual(len(line), 80, line)

    def test_values_have_names(self):
        for path in self.options():
            for option, value in re.findall(r"(?m)^ +(?:-\w,)?(--?[a-z][a-z-]*) (\S+)", self.out(*path, "--help")):
                with self.subTest(path=path, option=option):
                    self.assertEqual(value == "TEXT", value != "" and option in
                                     ("--null", "--description", "--name"))
        text = self.out("--help")
        for shown in ("--store DIR", "--server URL", "--token TOKEN", "--ca-file FILE"):
            self.assertIn(shown, text)
        self.assertIn("--memory-limit SIZE", self.out("query", "--help"))

    def test_version_names_the_libraries(self):
        version, libraries = self.out("--version").splitlines()
        self.assertRegex(version, r"^evq [0-9]+\.[0-9]+\.[0-9]+$")
        self.assertRegex(libraries, r"^with ([A-Za-z0-9-]+ [0-9][0-9.]*(, |$))+$")
        self.assertIn("SQLite 3.", libraries)

    def test_actions_have_help(self):
        text = self.out("help", "dataset", "create")
        self.assertIn("Usage: evq dataset create", text)
        self.assertEqual(text, self.out("dataset", "create", "--help"))
        self.assertEqual(self.out("help", "dataset", "map-field", "add"),
                         self.out("dataset", "map-field", "--help"))

    def test_commands_that_take_options_show_examples(self):
        for command in ("ingest", "query", "delete", "dataset", "starred", "serve", "token"):
            self.assertIn("\nExamples:\n  ", self.out("help", command))

    def test_exit_statuses(self):
        table = self.out("help", "exit-codes")
        self.assertIn(table, self.out("--help"))
        for status in ("0", "1", "2", "3", "4", "5", "6", "124", "130"):
            self.assertRegex(table, rf"(?m)^ *{status}  \S")

    def test_language_topics(self):
        self.assertIn("summarize", self.out("help", "summarize"))
        overview = self.out("help")
        self.assertIn("commands\n", overview)
        self.assertIn("operators\n", overview)
        pager = {"EVQ_PAGER": "tr a-z A-Z"}
        self.assertIn("SUMMARIZE", self.on_terminal("help", env=pager))
        self.assertIn("Returns:", self.on_terminal("help", "strlen", env=pager))  # fits a screen

    def test_charts_by_name(self):
        text = self.out("help", "render")
        for word in ("-o chart", "timechart, linechart", "scatterchart"):
            self.assertIn(word, text)
        self.assertNotIn("--chart", text)

    def test_coverage_counts_the_inventory(self):
        process = self.start("help", "--coverage")
        text, errors = process.communicate(timeout=300)
        self.assertEqual(errors, "")
        counts = re.search(r"(?m)^in all +(\d+) / (\d+)$", text)
        missing = len(re.findall(r"(?m)^missing: ", text))
        self.assertEqual(int(counts[1]) + missing, int(counts[2]))
        self.assertEqual(process.returncode, 0 if missing == 0 else 1)

    def test_near_names(self):
        for words, hint in ((("help", "qurey"), "query"), (("help", "sumarize"), "summarize"),
                            (("qurey",), "query"), (("query", "--sicne", "1d", "x"), "--since"),
                            (("--sotre", "x"), "--store")):
            status = 1 if words[0] == "help" else 2
            _, errors = self.evq(*words, status=status)
            self.assertIn(f"did you mean '{hint}'?", errors)
        for words in (("help", "nope"), ("trim",)):
            self.assertNotIn("did you mean", self.evq(*words, status=None)[1])
        for form in ("JSON", "Csv"):
            _, errors = self.evq("query", "x", "-o", form, status=2)
            self.assertIn(f"did you mean '{form.lower()}'?", errors)


if __name__ == "__main__":
    main()
