"""Settings: options over environment over file, where each came from, and secrets kept."""

import json

from evq_case import EvqCase, main


class Config(EvqCase):
    def write(self, text):
        path = self.directory / ".config" / "evq" / "config"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def show(self, *options, env=None):
        rows = self.out(*options, "config", "show", "-o", "json", env=env).splitlines()
        return {row["name"]: row for row in map(json.loads, rows)}

    def test_order(self):
        self.assertEqual(self.show(env={"EVQ_STORE": ""})["store"]["source"], "default")
        path = self.write("# mine\n\nstore = /from/file\ncolor = never\n")
        self.assertEqual(self.show(env={"EVQ_STORE": ""})["store"],
                         {"name": "store", "value": "/from/file", "source": f"{path}:3",
                          "used": True})
        self.assertEqual(self.show()["store"]["source"], "EVQ_STORE")
        self.assertEqual(self.show("--store", "x")["store"]["source"], "--store")
        self.assertEqual(self.show()["color"]["value"], "never")

    def test_mistakes_in_the_file(self):
        for text, message in (("colour = never", "did you mean 'color'?"),
                              ("what is this", "name = value"),
                              ("color = sometimes", "auto, always or never")):
            path = self.write("\n" + text + "\n")
            _, errors = self.evq("dataset", "list", status=2)
            self.assertIn(f"{path}:2", errors)
            self.assertIn(message, errors)

    def test_secrets_are_masked(self):
        shown = self.out("config", "show", env={"EVQ_TOKEN": "xaat-0123456789abcdef"})
        self.assertNotIn("0123456789", shown)
        self.assertIn("****cdef", shown)

    def test_store_or_server(self):
        env = {"EVQ_SERVER": "http://127.0.0.1:9"}
        self.assertFalse(self.show("--store", "x", env=env)["server"]["used"])
        self.assertFalse(self.show(env=env)["store"]["used"])
        self.evq("--store", "x", "--server", "http://127.0.0.1:9", "dataset", "list", status=2)
        # Another program's variable does not win over this one's.
        self.assertFalse(self.show(env={"AXIOM_URL": "http://127.0.0.1:9"})["server"]["used"])
        axiom = self.show(env={"AXIOM_URL": "http://127.0.0.1:9", "EVQ_STORE": ""})
        self.assertTrue(axiom["server"]["used"])

    def test_tokens_go_only_where_they_belong(self):
        env = {"AXIOM_TOKEN": "xaat-of-axiom-0123"}
        self.assertFalse(self.show("--server", "http://127.0.0.1:9", env=env)["token"]["used"])
        self.assertTrue(self.show("--server", "axiom", env=env)["token"]["used"])
        self.assertEqual(self.show("--server", "axiom", env=env)["server"]["value"],
                         "https://api.axiom.co")
        self.assertFalse(
            self.show("--server", "https://axiom.co.example.org", env=env)["token"]["used"])
        self.write("server = http://127.0.0.1:9\ntoken = xaat-of-the-file\n")
        self.assertTrue(self.show(env={"EVQ_STORE": ""})["token"]["used"])
        self.assertFalse(self.show("--server", "http://127.0.0.1:10")["token"]["used"])


if __name__ == "__main__":
    main()
