"""evq completion: what is offered where, and that the shells take the scripts."""

import shutil
import subprocess

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
        self.assertEqual(self.offered("query", "x", "-o", "n"), ["ndjson"])
        self.assertEqual(self.offered("completion", ""), ["bash", "zsh", "fish"])
        self.assertIn("summarize", self.offered("help", "sum"))

    def test_datasets_and_files(self):
        self.assertEqual(self.offered("tail", ""), ["orders", "web-logs"])
        self.assertEqual(self.offered("export", "w"), ["web-logs"])
        self.assertEqual(self.offered("--color", "never", "dataset", "info", "o"), ["orders"])
        self.assertEqual(self.offered("ingest", "web-logs", ""), [":files"])
        self.assertEqual(self.offered("--store", "elsewhere", "tail", ""), [])

    def test_names_of_a_server(self):
        url, token, _ = self.serve()
        self.assertEqual(self.offered("--server", url, "--token", token, "tail", ""),
                         ["orders", "web-logs"])

    def test_bash(self):
        script = f'''
PATH="$(dirname {EVQ}):$PATH"; source <({EVQ} completion bash)
COMP_WORDS=(evq tail we); COMP_CWORD=2; _evq; echo "${{COMPREPLY[@]}}"
COMP_WORDS=(evq da); COMP_CWORD=1; _evq; echo "${{COMPREPLY[@]}}"
'''
        done = subprocess.run(["bash", "-c", script], env=self.environment, capture_output=True,
                              text=True)
        self.assertEqual(done.stdout, "web-logs\ndataset\n", done.stderr)

    def test_other_shells_parse_their_scripts(self):
        for shell in ("zsh", "fish"):
            script = self.out("completion", shell)
            self.assertIn("__complete", script)
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=script, text=True, check=True)


if __name__ == "__main__":
    main()
