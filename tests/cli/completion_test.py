"""evq completion: what is offered where, and that the shells take the scripts."""

import pathlib
import shlex
import shutil
import subprocess
import unittest

from evq_case import EVQ, EvqCase, main


class Completion(EvqCase):
    def offered(self, *words, **options):
        return [line.split("\t")[0]
                for line in self.out("__complete", *words, **options).splitlines()]

    def setUp(self):
        super().setUp()
        self.ingest("web-logs", ['{"i":1}'])
        self.ingest("orders", ['{"i":1}'])

    def test_commands_options_values(self):
        self.assertIn("query", self.offered(""))
        self.assertEqual(self.offered("exp"), ["export"])
        self.assertEqual(self.offered("dataset", "cr"), ["create"])
        self.assertEqual(self.offered("query", "--sin"), ["--since"])
        for words in (("--he",), ("query", "--he"), ("dataset", "create", "--he")):
            self.assertEqual(self.offered(*words), ["--help"])
        self.assertEqual(self.offered("query", "x", "-o", "n"), ["ndjson"])
        self.assertEqual(self.offered("query", "x", "--output=nd"), ["--output=ndjson"])
        self.assertEqual(self.offered("token", "create", "--query=w"), ["--query=web-logs"])
        self.assertEqual(self.offered("query", "--all=n"), [])
        self.assertEqual(self.offered("query", "--file", "x", "--format", "l"), ["logfmt"])
        self.assertEqual(self.offered("query", "--csv-"), ["--csv-fields", "--csv-delimiter"])
        self.assertEqual(self.offered("completion", ""), ["bash", "zsh", "fish"])
        self.assertIn("summarize", self.offered("help", "sum"))
        self.assertEqual(self.offered("help", "dataset", "cr"), ["create"])
        self.assertEqual(self.offered("help", "dataset", "create", ""), [])
        self.assertEqual(self.offered("help", "summarize", ""), [])
        self.assertEqual(self.offered("help", "datas"), ["dataset"])

    def test_datasets_and_files(self):
        self.assertEqual(self.offered("tail", ""), ["orders", "web-logs"])
        self.assertEqual(self.offered("export", "w"), ["web-logs"])
        self.assertEqual(self.offered("--color", "never", "dataset", "info", "o"), ["orders"])
        self.assertEqual(self.offered("ingest", "web-logs", ""), [":files"])
        self.assertEqual(self.offered("--store", "elsewhere", "tail", ""), [])

    def test_datasets_of_a_query(self):
        self.ingest("2024-logs", ['{"i":1}'])
        for words in (("query",), ("delete",), ("starred", "put", "a", "--apl")):
            self.assertEqual(self.offered(*words, "w"), ["['web-logs']"])
            self.assertEqual(self.offered(*words, "20"), ["['2024-logs']"])
            self.assertEqual(self.offered(*words, "['20"), ["['2024-logs']"])
            self.assertEqual(self.offered(*words, "o"), ["orders"])
        self.assertEqual(self.offered("tail", "20"), ["2024-logs"])

    def test_names_of_a_server(self):
        url, token, _ = self.serve()
        self.assertEqual(self.offered("--server", url, "--token", token, "tail", ""),
                         ["orders", "web-logs"])

    def test_names_that_cannot_be_typed_are_not_offered(self):
        self.evq("starred", "put", "errors", "--apl", "orders", env={"USER": "me"})
        self.evq("starred", "put", "bell\x07", "--apl", "orders")
        self.assertEqual(self.offered("starred", "run", ""), ["errors"])

    def run_shell(self, *words, **options):
        path = f"{pathlib.Path(EVQ).parent}:{self.environment['PATH']}"
        done = subprocess.run(words, env={**self.environment, "PATH": path}, capture_output=True,
                              cwd=self.directory, text=True, timeout=60, **options)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def bash(self, *words):
        """What bash completes the last of the words to."""
        quoted = " ".join(map(shlex.quote, words))
        return self.run_shell("bash", "-c", f'''
set -u; source <(evq completion bash)
COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _evq; printf '%s\\n' "${{COMPREPLY[@]}}"'''
                              ).splitlines()

    def test_bash(self):
        self.assertEqual(self.bash("evq", "tail", "we"), ["web-logs"])
        self.assertEqual(self.bash("evq", "da"), ["dataset"])
        completed, = self.bash("evq", "query", "we")
        self.assertEqual(self.run_shell("bash", "-c", f"printf %s {completed}"), "['web-logs']")
        (self.directory / "some file.ndjson").write_text("{}")
        self.assertEqual(self.bash("evq", "ingest", "orders", "some"), ["some file.ndjson"])
        for option in (("--output", "=", "nd"), ("--output", "nd")):
            self.assertEqual(self.bash("evq", "query", "orders", *option), ["ndjson"])
        self.assertEqual(self.bash("evq", "query", "orders", "--output=nd"), ["--output=ndjson"])
        self.assertEqual(self.bash("evq", "--color", "=", "never", "tail", "o"), ["orders"])
        self.assertEqual(self.bash("evq", "--color", "=")[:2], ["auto", "always"])
        self.assertEqual(self.bash("evq", "query", "--file", "=", "some"), ["some file.ndjson"])

    def test_a_name_is_no_command_of_the_shell(self):
        self.evq("starred", "put", "$(touch made)", "--apl", "orders")
        completed, = self.bash("evq", "starred", "run", "$(t")
        typed = self.run_shell("bash", "-c", f"printf %s {completed}")
        self.assertEqual(typed, "$(touch made)")
        self.assertFalse((self.directory / "made").exists())

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh(self):
        # _describe is what zsh shows a list of names with; here it prints them.
        self.evq("starred", "put", "a:b", "--apl", "orders")
        for words, offered in (("evq tail we", "web-logs:dataset\n"),
                               ("evq starred run a", "a\\:b:a:b\n"),
                               ("evq ingest orders ''", "files\n")):
            self.assertEqual(self.run_shell("zsh", "-fc", f'''
function compdef {{ }}
function _describe {{ print -rl -- ${{(P)2}} }}
function _files {{ print files }}
source <(evq completion zsh)
words=({words}); CURRENT=${{#words}}; _evq'''), offered)

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        for words, offered in (("evq tail we", "web-logs\tdataset\n"),
                               ("evq query orders -o nd", "ndjson\n"),
                               ("evq ingest orders so", "some.ndjson\n")):
            (self.directory / "some.ndjson").write_text("{}")
            shown = self.run_shell("fish", "--no-config", "-c",
                                   f"evq completion fish | source; complete -C {shlex.quote(words)}")
            self.assertEqual(shown, offered)


if __name__ == "__main__":
    main()
