"""Settings: options over environment over file, where each came from, and secrets kept."""

import json
import os
import pwd

from evq_case import EvqCase, main


class Config(EvqCase):
    def write(self, text):
        path = self.directory / ".config" / "evq" / "config"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def show(self, *options, env=None):
        rows = self.out(*options, "config", "show", "-o", "ndjson", env=env).splitlines()
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

    def test_without_a_home_the_users_own_is_taken(self):
        home = pwd.getpwuid(os.getuid()).pw_dir
        shown = self.show(env={"HOME": "", "EVQ_STORE": "", "EVQ_CONFIG": "/dev/null"})
        self.assertEqual(shown["store"]["value"], f"{home}/.local/share/evq")

    def test_folders_that_are_not_absolute_say_nothing(self):
        path = self.write("color = never\n")
        for folder in ("data", "./data", "~/data", ""):
            shown = self.show(env={"EVQ_STORE": "", "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder})
            self.assertEqual(shown["store"]["value"], f"{self.directory}/.local/share/evq")
            self.assertEqual(shown["color"]["source"], f"{path}:1")
        shown = self.show(env={"EVQ_STORE": "", "XDG_DATA_HOME": "/data", "XDG_CONFIG_HOME": "/config"})
        self.assertEqual(shown["store"]["value"], "/data/evq")
        self.assertEqual(shown["color"]["source"], "default")

    def test_a_byte_order_mark_before_the_first_line(self):
        self.write("\ufeffcolor = never\r\ntz = Europe/Berlin\r\n")
        shown = self.show()
        self.assertEqual([shown[name]["value"] for name in ("color", "tz")], ["never", "Europe/Berlin"])

    def test_a_file_that_was_named_must_be_there(self):
        for words in (("config", "show"), ("query", "print 1")):
            self.assertEqual(self.evq(*words, env={"EVQ_CONFIG": "/nope"}, status=2)[1],
                             "error: EVQ_CONFIG names /nope, which is not there\n"
                             "  = without it, the settings file is ~/.config/evq/config\n")
        self.evq("query", "print 1", env={"EVQ_CONFIG": ""})

    def test_a_tilde_is_the_home_directory(self):
        self.write("store = ~/logs\nca-file = ~/ca.pem\ngeo-database = ~/geo.mmdb\n")
        shown = self.show(env={"EVQ_STORE": ""})
        for name, path in (("store", "logs"), ("ca-file", "ca.pem"), ("geo-database", "geo.mmdb")):
            self.assertEqual(shown[name]["value"], f"{self.directory}/{path}")
        self.assertEqual(self.show("--store=~/other")["store"]["value"], f"{self.directory}/other")
        self.assertEqual(self.show("--store=./~")["store"]["value"], "./~")

    def test_values_in_quotes_and_comments_behind_them(self):
        self.write('store = "/a # b"  # mine\n'
                   "output = 'csv'\n"
                   'tz = Europe/Berlin # home\n')
        shown = self.show(env={"EVQ_STORE": ""})
        self.assertEqual([shown[name]["value"] for name in ("store", "output", "tz")],
                         ["/a # b", "csv", "Europe/Berlin"])

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

    def test_what_is_for_servers_is_not_used_with_a_store(self):
        env = {"EVQ_TOKEN": "xaat-0123456789abcdef", "EVQ_ORG": "shop", "EVQ_CA_FILE": "/ca.pem"}
        for options, used in (((), False), (("--store", "x"), False),
                              (("--server", "http://127.0.0.1:9"), True)):
            shown = self.show(*options, env=env)
            self.assertEqual([shown[name]["used"] for name in ("token", "org", "ca-file")], [used] * 3)
        shown = self.show("--store", "x", env={**env, "EVQ_SERVER": "http://127.0.0.1:9"})
        self.assertFalse(shown["token"]["used"])
        self.assertIn("EVQ_TOKEN (not used: it is for a server)",
                      self.out("config", "show", "-o", "table", env=env))

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

    def test_deployments_of_axioms_own_command_line(self):
        path = self.directory / ".axiom.toml"
        path.write_text('active_deployment = "mine"\n\n[deployments]\n\n'
                        '  [deployments.other]\n    url = "https://other.example.org"\n'
                        '    token = "xaat-of-the-other"\n\n'
                        '  [deployments."mine"]\n    org_id = "shop-1"\n'
                        "    token = 'xaat-of-mine-0123'\n    url = \"https://mine.example.org\"\n")
        # It sends nothing anywhere by itself.
        self.assertEqual(self.show()["server"]["value"], "")
        self.assertEqual(self.show()["token"]["value"], "")
        rows = self.show("--server", "axiom")
        self.assertEqual(rows["server"]["value"], "https://mine.example.org")
        self.assertEqual(rows["server"]["source"], f"--server, {path}")
        self.assertEqual(rows["token"], {"name": "token", "value": "****0123",
                                         "source": str(path), "used": True})
        self.assertEqual(rows["org"]["value"], "shop-1")
        rows = self.show("--server", "axiom", env={"AXIOM_DEPLOYMENT": "other"})
        self.assertEqual(rows["server"]["value"], "https://other.example.org")
        # The same server by its address; another one gets no token.
        self.assertTrue(self.show("--server", "https://mine.example.org")["token"]["value"])
        self.assertEqual(self.show("--server", "https://example.org")["token"]["value"], "")
        # A word of the user's own weighs more.
        rows = self.show("--server", "axiom", "--token", "xaat-given-456789")
        self.assertEqual(rows["token"]["source"], "--token")
        _, errors = self.evq("--server", "axiom", "config", "show", status=2,
                             env={"AXIOM_DEPLOYMENT": "mien"})
        self.assertIn(f"{path}: no deployment 'mien'\n  = did you mean 'mine'?", errors)
        path.write_text('[deployments.mine]\nurl = "https://mine\n')
        self.show("--server", "https://example.org")
        _, errors = self.evq("--server", "axiom", "config", "show", status=2)
        self.assertIn(f"{path}:2: a text without its closing quote", errors)

    def test_only_deployment_is_the_active_one(self):
        (self.directory / ".axiom.toml").write_text(
            '# mine\ninsecure = false\n[deployments.only]\nurl = "https://only.example.org" # here\n')
        self.assertEqual(self.show("--server", "axiom")["server"]["value"],
                         "https://only.example.org")

    def test_zone_and_pager(self):
        path = self.write("tz = Asia/Tokyo\npager = less -R\n")
        rows = self.show(env={"PAGER": "more"})
        self.assertEqual((rows["tz"]["value"], rows["tz"]["source"]), ("Asia/Tokyo", f"{path}:1"))
        self.assertEqual((rows["pager"]["value"], rows["pager"]["source"]),
                         ("less -R", f"{path}:2"))
        query = ("query", "print t = datetime(2024-05-01T00:00:00Z)", "-o", "table")
        self.assertIn("2024-05-01T09:00:00+09:00", self.out(*query))
        self.assertIn("2024-05-01T00:00:00Z", self.out(*query, "--tz", "UTC"))
        self.assertIn("2024-05-01T02:00:00+02:00",
                      self.out(*query, env={"EVQ_TZ": "Europe/Berlin"}))
        _, errors = self.evq("--tz", "Mars", "config", "show", status=2)
        self.assertIn("--tz: there is no time zone 'Mars'", errors)
        self.assertEqual(self.show(env={"EVQ_PAGER": ""})["pager"],
                         {"name": "pager", "value": "", "source": "EVQ_PAGER", "used": True})
        path.unlink()
        rows = self.show(env={"PAGER": "more"})
        self.assertEqual((rows["pager"]["value"], rows["pager"]["source"]), ("more", "PAGER"))
        self.assertEqual(self.show()["pager"]["value"], "less -RSFX")
        self.write("pager = none\n")
        self.assertEqual(self.show()["pager"]["value"], "")


if __name__ == "__main__":
    main()
