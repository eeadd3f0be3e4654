"""evq demo: every query it shows works on the dataset it makes."""

import shlex

from evq_case import EvqCase, main


class Demo(EvqCase):
    def test_queries_it_shows_work(self):
        shown, errors = self.evq("demo", "--events", "20000")
        self.assertIn("20,000", errors)
        commands = [shlex.split(line.split("     #")[0])[1:]
                    for line in shown.splitlines() if line.startswith("  evq ")]
        self.assertGreater(len(commands), 5)
        for command in commands:
            with self.subTest(command):
                if command[0] == "tail":
                    command.append("--no-follow")
                out = self.out(*command)
                if command[0] in ("query", "tail"):
                    self.assertTrue(out)

    def test_they_name_the_store_that_was_given(self):
        store = self.directory / "an other"
        shown, _ = self.evq("--store", store, "demo", "--events", "100")
        commands = [line for line in shown.splitlines() if line.startswith("  ")]
        for line in commands:
            self.assertTrue(line.startswith(f"  evq --store '{store}' "), line)
        self.assertIn(f"Or evq --store '{store}' alone", shown)
        self.assertTrue(self.out(*shlex.split(commands[0])[1:]))

    def test_makes_it_once(self):
        self.evq("demo", "--events", "10")
        _, errors = self.evq("demo", "--events", "10")
        self.assertIn("there already", errors)
        self.assertEqual(self.out("query", "demo | count", "-o", "csv"), "Count\n10\n")

    def test_on_a_server(self):
        url, token, _ = self.serve()
        server = ("--server", url, "--token", token)
        for said in ("made the dataset demo, 10 requests", "there already"):
            _, errors = self.evq(*server, "demo", "--events", "10")
            self.assertIn(said, errors)
            self.assertIn(url, errors)
        self.assertEqual(self.out(*server, "query", "demo | count", "-o", "csv"), "Count\n10\n")


if __name__ == "__main__":
    main()
