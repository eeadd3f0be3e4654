"""Copies of a store while it is in use."""

import resource
import signal
import subprocess

from evq_case import EVQ, EvqCase, main


class Backup(EvqCase):
    def setUp(self):
        super().setUp()
        self.copy = self.directory / "copies" / "today"

    def fill(self, events=1000):
        self.ingest("d", [f'{{"_time":{1714521600000 + i},"i":{i},"t":"text {i * 7919}"}}'
                          for i in range(events)])

    def count(self, store):
        return int(self.out("--store", store, "-q", "query", "d | count", "-o", "csv", "--no-header"))

    def test_a_copy_is_a_store(self):
        self.fill()
        self.evq("starred", "put", "s", "--apl", "d | count")
        out, errors = self.evq("backup", self.copy, "--check")
        self.assertEqual(errors, "")
        self.assertRegex(out, r"^1 dataset, 1,000 events, [\d.]+ [kM]B: copied to .*/copies/today\n"
                              r"2 files, \d+ blocks?, \d+ segments, 1,000 events: sound\n$")
        self.assertEqual(self.count(self.copy), 1000)
        self.assertEqual(self.out("--store", self.copy, "starred", "run", "s", "-o", "csv"), "Count\n1000\n")

    def test_a_server_goes_on_meanwhile(self):
        url, _, _ = self.serve("--no-auth")
        server = ("--server", url, "-q")
        self.evq(*server, "ingest", "d", input='{"i":1}\n' * 100)
        self.out("backup", self.copy)
        self.evq(*server, "ingest", "d", input='{"i":2}\n')
        self.assertEqual(self.out(*server, "query", "d | count"), '{"Count":101}\n')
        self.assertEqual(self.count(self.copy), 100)
        _, errors = self.evq(*server, "backup", "x", status=2)
        self.assertIn("a server's store is copied where it is", errors)

    def test_what_cannot_be_copied_or_not_there(self):
        _, errors = self.evq("backup", self.copy, status=1)
        self.assertIn("there is no store at", errors)
        self.fill()
        _, errors = self.evq("backup", status=2)
        self.assertIn("DIRECTORY", errors)
        for target, says in (("store/in", "is in the store itself"), (".", "a folder of its own")):
            _, errors = self.evq("backup", target, status=2)
            self.assertIn(says, errors)
        self.out("backup", "once")
        _, errors = self.evq("backup", "once", status=1)
        self.assertEqual(errors, "error: once is not empty\n"
                                 "  = name a folder that is not there yet, or one in it\n")

    def left(self):
        return sorted(path.name for path in self.copy.parent.iterdir()) if self.copy.parent.exists() else []

    def test_a_disk_without_room(self):
        self.fill(20000)
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000))
        done = subprocess.run([EVQ, "backup", self.copy], env=self.environment, capture_output=True,
                              text=True, preexec_fn=limit)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertEqual(self.left(), [])

    def test_an_interrupted_one_leaves_nothing(self):
        self.fill(300000)
        process = self.start("backup", self.copy)
        while not self.left():
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        process.communicate()
        if process.returncode != 0:  # it may have been done
            self.assertEqual((process.returncode, self.left()), (130, []))


if __name__ == "__main__":
    main()
