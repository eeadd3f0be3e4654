"""evq help and --help: every command explains itself, and mistakes are answered with what is near."""

import re

from evq_case import EvqCase, main


class Help(EvqCase):
    def commands(self):
        listed = self.out("--help").split("Subcommands:")[1].split("\n\n")[0]
        return re.findall(r"^  ([a-z-]+) ", listed, re.MULTILINE)

    def test_every_command_has_usage_and_help(self):
        commands = self.commands()
        self.assertIn("query", commands)
        for command in commands:
            text = self.out("help", command)
            self.assertIn(f"Usage: evq {command}", text)
            self.assertEqual(text, self.out(command, "--help"))

    def test_version_names_the_libraries(self):
        version, libraries = self.out("--version").splitlines()
        self.assertRegex(version, r"^evq [0-9]+\.[0-9]+\.[0-9]+$")
        self.assertRegex(libraries, r"^with ([A-Za-z0-9-]+ [0-9][0-9.]*(, |$))+$")
        self.assertIn("SQLite 3.", libraries)

    def test_actions_have_help(self):
        text = self.out("help", "dataset", "create")
        self.assertIn("Usage: evq dataset create", text)
        self.assertEqual(text, self.out("dataset", "create", "--help"))

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


if __name__ == "__main__":
    main()
