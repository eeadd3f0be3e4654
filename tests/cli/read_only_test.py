"""A store on a file system that is mounted read-only: what it holds is read, and writes are refused
with what is in their way. The mount is the test's own, as that of full_disk_test."""

import http.client
import json
import subprocess

from evq_case import EvqCase, main
from full_disk_test import have_own_mounts


class ReadOnly(EvqCase):
    own_mounts = None

    def setUp(self):
        super().setUp()
        if ReadOnly.own_mounts is None:
            ReadOnly.own_mounts = have_own_mounts()
        if not ReadOnly.own_mounts:
            self.skipTest("THE READ-ONLY STORE IS NOT TESTED: no mount namespace here")
        self.ingest("d", ['{"n":1}', '{"n":2}'])
        self.mount(self.directory / "store")

    def mount(self, store):
        subprocess.run(["mount", "--bind", store, store], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", store], stderr=subprocess.DEVNULL)
        subprocess.run(["mount", "-o", "remount,ro,bind", store], check=True)

    def test_a_dataset_of_an_earlier_format(self):
        store = self.directory / "store"
        subprocess.run(["umount", store], check=True)
        with open(store / "datasets/1.db", "r+b") as database:
            database.seek(60)  # the user version: https://www.sqlite.org/fileformat.html
            self.assertEqual(database.read(4), b"\0\0\0\2")
            database.seek(60)
            database.write(b"\0\0\0\1")
        self.mount(store)
        self.assertEqual(self.out("query", "d | count"), '{"Count":2}\n')
        _, errors = self.evq("ingest", "d", input='{"n":3}\n', status=5)
        self.assertIn("Read-only file system", errors)
        subprocess.run(["umount", store], check=True)
        self.ingest("d", ['{"n":3}'])
        self.assertEqual(self.out("query", "d | count"), '{"Count":3}\n')

    def test_a_copy_that_nobody_has_opened(self):
        """As a backup leaves it, and as whoever copies the databases alone makes it."""
        for kept in ("*", "*.db"):
            # What means something in an address means nothing in a path.
            copy = self.directory / f"copy 100%25?#{len(kept)}"
            self.evq("backup", copy)
            for file in copy.rglob("*"):
                if file.is_file() and not file.match(kept):
                    file.unlink()
            self.mount(copy)
            with self.subTest(kept):
                self.assertEqual(self.out("--store", copy, "query", "d | count"), '{"Count":2}\n')
                self.assertIn("sound", self.out("--store", copy, "check"))
                self.assertEqual(len(self.out("--store", copy, "tail", "d", "-n", "2", "--no-follow").splitlines()), 2)
                _, errors = self.evq("--store", copy, "ingest", "d", input='{"n":3}\n', status=5)
                self.assertIn("Read-only file system", errors)

    def test_the_command_line(self):
        self.assertEqual(self.out("query", "d | count"), '{"Count":2}\n')
        self.assertIn("sound", self.out("check"))
        for words in (("ingest", "d"), ("ingest", "new"), ("delete", "d", "--commit", "--yes"),
                      ("compact",), ("dataset", "create", "new"), ("token", "create", "--name", "t")):
            with self.subTest(words):
                _, errors = self.evq(*words, input='{"n":3}\n', status=5)
                self.assertRegex(errors, r"\.lock: Read-only file system\n"
                                         r"  = what is there can be read; to write, mount it writable\n")

    def test_a_server(self):
        url, _, _ = self.serve("--no-auth")
        connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)
        for path, body, status in (
                ("/v1/ingest/d", [{"n": 3}], 503), ("/v1/ingest/new", [{"n": 3}], 503),
                ("/v1/ingest/d", [{"text": "x" * (2 << 20)}], 503),  # it would wait in a file
                ("/v2/datasets", {"name": "new"}, 503),
                ("/v1/query/_apl?format=tabular", {"apl": "d | count"}, 200)):
            connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read().decode()
            self.assertEqual(answer.status, status, text)
            if status == 503:
                self.assertIn("Read-only file system", json.loads(text)["message"])
                self.assertEqual(answer.headers["X-Evq-Error"], "read-only")
                self.assertIsNone(answer.headers["Retry-After"])  # it does not heal by itself
        connection.close()
        _, errors = self.evq("--server", url, "ingest", "d", input='{"n":3}\n', status=5)
        self.assertIn("Read-only file system", errors)

    def test_a_server_that_asks_for_tokens(self):
        """Of a store that was never served: its first token, and the organization's id, would be made."""
        _, errors = self.evq("serve", "--listen", "127.0.0.1:0", status=5)
        self.assertIn("the store has no token yet", errors)
        self.assertIn("evq token create", errors)
        store = self.directory / "store"
        subprocess.run(["umount", store], check=True)
        token = self.out("token", "create", "--name", "t", "--personal").strip()
        self.mount(store)
        self.assertEqual(self.out("org"), "evq\n")
        url, _, _ = self.serve()
        remote = ("--server", url, "--token", token)
        self.assertEqual(self.out(*remote, "--org", "evq", "query", "d | count"), '{"Count":2}\n')
        _, errors = self.evq(*remote, "--org", "other", "query", "d | count", status=None)
        self.assertIn("organization", errors)


if __name__ == "__main__":
    main()
