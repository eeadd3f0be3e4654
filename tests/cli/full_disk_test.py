"""A disk without one free byte, and a limit of a file's size: loads are refused, reads and deletes
go on. The full disk is a small file system of the test's own, in a mount namespace of its own;
where that is not allowed, its tests are skipped and say so."""

import base64
import ctypes
import errno
import http.client
import json
import os
import random
import re
import resource
import subprocess

from evq_case import EVQ, EvqCase, main
from processes import wait_until

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000


def have_own_mounts():
    """Whether this process may now mount without anybody noticing."""
    unshare = ctypes.CDLL(None, use_errno=True).unshare
    root = os.geteuid() == 0
    user, group = os.getuid(), os.getgid()
    if unshare(CLONE_NEWNS if root else CLONE_NEWNS | CLONE_NEWUSER) != 0:
        return False
    if not root:
        for path, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"),
                           ("gid_map", f"0 {group} 1")):
            with open(f"/proc/self/{path}", "w") as file:
                file.write(text)
    return subprocess.run(["mount", "--make-rprivate", "/"], stderr=subprocess.DEVNULL).returncode == 0


def events(count, first=0):
    """Lines of which a kibibyte remains however they are compressed."""
    chosen = random.Random(first)
    return "".join(json.dumps({"_time": "2024-05-01T00:00:00Z", "n": n,
                               "noise": base64.b64encode(chosen.randbytes(1000)).decode()}) + "\n"
                   for n in range(first, first + count))


class DiskCase(EvqCase):
    def request(self, url, token, path, body, content_type="application/json", **headers):
        connection = http.client.HTTPConnection(url.rsplit("/", 1)[1], timeout=60)
        try:
            connection.request("POST", path, body, {"Authorization": "Bearer " + token,
                                                    "Content-Type": content_type, **headers})
            answer = connection.getresponse()
            self.headers = answer.headers
            return answer.status, answer.read().decode()
        finally:
            connection.close()


class FileSizeLimit(DiskCase):
    def limited(self, size, *words, input):
        """Runs evq with a limit of a file's size in bytes."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        return subprocess.run([EVQ, *words], input=input, env=self.environment, cwd=self.directory,
                              capture_output=True, text=True, timeout=120, preexec_fn=limit)

    def test_a_load_past_it_is_refused_like_on_a_full_disk(self):
        self.ingest("d", ['{"n":-1}'])
        done = self.limited(200_000, "ingest", "d", "-", input=events(1000))
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertRegex(done.stderr, "1.db: File too large")
        self.assertEqual(self.out("query", "d | count"), '{"Count":1}\n')
        self.evq("check")
        self.evq("ingest", "d", input=events(1000))
        self.assertEqual(self.out("query", "d | count"), '{"Count":1001}\n')

    def test_a_load_that_ends_on_the_way_says_what_is_not_to_be_loaded_again(self):
        chosen = random.Random(1)
        lines = "".join(f'{{"n":{n},"noise":"{chosen.randbytes(30).hex()}"}}\n'
                        for n in range(200_000))
        done = self.limited(4_000_000, "ingest", "d", "-", input=lines)
        self.assertEqual(done.returncode, 5, done.stderr)
        stored = re.search("load only what comes behind the first ([0-9,]+) events, which are stored",
                           done.stderr)
        self.assertIsNotNone(stored, done.stderr)
        first = int(stored[1].replace(",", ""))
        self.assertGreater(first, 0)
        self.evq("ingest", "d", input="".join(lines.splitlines(True)[first:]))
        self.assertEqual(self.out("query", "d | summarize count(), dcount(n), sum(n)"),
                         self.out("query", "range n from 0 to 199999 step 1 "
                                  "| summarize count(), dcount(n), sum(n)"))

    def test_small_loads_go_on_where_the_log_may_not_grow_until_it_is_due(self):
        url, token, server = self.serve()
        limit = 2_000_000
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (limit, limit))
        for n in range(300):
            status, answer = self.request(url, token, "/v1/ingest/d", json.dumps([{"n": n}]))
            self.assertEqual(status, 200, (n, answer))
        server.terminate()
        self.assertEqual(server.wait(60), 0)
        self.assertEqual(self.out("query", "d | count"), '{"Count":300}\n')
        self.evq("check")

    def test_an_answer_past_it_is_an_error(self):
        self.evq("ingest", "d", input=events(1000))
        done = self.limited(200_000, "export", "d", "--output", "d.csv", input="")
        self.assertNotIn(done.returncode, (0, -25), done.stderr)
        self.assertIn("File too large", done.stderr)


class FullDisk(DiskCase):
    own_mounts = None

    def setUp(self):
        super().setUp()
        if FullDisk.own_mounts is None:
            FullDisk.own_mounts = have_own_mounts()
        if not FullDisk.own_mounts:
            self.skipTest("THE FULL DISK IS NOT TESTED: no mount namespace here")
        self.disk = self.directory / "disk"
        self.disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96m", "none", self.disk], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk])
        self.environment["EVQ_STORE"] = str(self.disk / "store")

    def fill(self):
        """Every block of the disk, then every byte."""
        with open(self.disk / "others", "ab", buffering=0) as file:
            for size in (1 << 20, 4096, 1):
                try:
                    while True:
                        file.write(b"x" * size)
                except OSError as error:
                    self.assertEqual(error.errno, errno.ENOSPC)
        room = os.statvfs(self.disk)
        self.assertEqual(room.f_bavail, 0)

    def count(self, dataset="d"):
        return int(re.search(r"\d+", self.out("query", dataset + " | count"))[0])

    def test_a_follower_waits_for_room(self):
        self.ingest("d", ['{"n":-1}'])
        log = self.directory / "app.ndjson"
        log.write_text(events(1))
        process = self.start("ingest", "d", "--follow", log)
        wait_until(lambda: self.count() == 2, told="nothing is stored")
        self.fill()
        with open(log, "a") as file:
            file.write(events(1000, 1))
        self.assertIn("trying again", process.stderr.readline())
        (self.disk / "others").unlink()
        wait_until(lambda: self.count() == 1002, told="what waited for room is not stored")
        self.assertEqual(self.interrupt(process), 130)

    def test_loads_are_refused_reads_and_deletes_go_on(self):
        for first in range(0, 30_000, 5000):
            self.evq("ingest", "d", input=events(5000, first))
        self.ingest("small", ['{"n":1}'])
        self.fill()
        _, errors = self.evq("ingest", "d", input='{"n":1}\n', status=5)
        self.assertRegex(errors, "the disk is nearly full, 0 MiB are left, and [1-9][0-9]* MiB are needed")
        self.evq("ingest", "new", input='{"n":1}\n', status=5)
        self.assertEqual(self.count(), 30_000)
        self.evq("check")
        self.evq("delete", "small | where n == 1", "--commit", "--yes")
        self.assertEqual(self.count("small"), 0)
        # A small one frees nothing worth while, and the reserve is there for the next.
        self.fill()
        self.evq("delete", "d | where n < 5000", "--commit", "--yes")
        self.assertEqual(self.count(), 25_000)
        room = os.statvfs(self.disk)
        self.assertGreater(room.f_bavail * room.f_frsize, 4 << 20)
        self.fill()
        self.evq("check")
        self.evq("delete", "d | where n >= 0", "--commit", "--yes")
        self.assertEqual(self.count(), 0)
        # What it freed is room for others, and so for the next load.
        self.evq("ingest", "d", input=events(1000))
        self.assertEqual(self.count(), 1000)
        self.evq("check")

    def test_a_dataset_can_be_dropped(self):
        self.evq("ingest", "d", input=events(20_000))
        self.fill()
        self.evq("dataset", "delete", "d", "--yes")
        self.evq("ingest", "other", input='{"n":1}\n')
        self.assertEqual(self.count("other"), 1)

    def test_what_a_collector_s_request_kept_in_part_is_sent_again(self):
        url, token, _ = self.serve()
        self.fill()
        room = 48 << 20
        os.truncate(self.disk / "others", (self.disk / "others").stat().st_size - room)
        large = "".join('{"index":"b_large","event":%s}' % line for line in events(15_000).splitlines())
        status, answer = self.request(url, token, "/services/collector/event",
                                      '{"index":"a_small","event":{"n":1}}' + large)
        self.assertEqual((status, json.loads(answer)["code"]), (503, 9), answer)
        self.assertIn("1 events were kept, but not those of b_large: ", answer)
        self.assertEqual(self.headers["X-Evq-Error"], "disk-full")
        self.assertGreater(int(self.headers["Retry-After"]), 0)
        self.assertEqual(self.count("a_small"), 1)

    def test_a_server_goes_on(self):
        url, token, server = self.serve()
        lines = "application/x-ndjson"
        for first in range(0, 20_000, 5000):
            status, answer = self.request(url, token, "/v1/ingest/d", events(5000, first), lines)
            self.assertEqual(status, 200, answer)
        self.fill()
        status, answer = self.request(url, token, "/v1/ingest/d", '{"n":1}', lines)
        self.assertEqual(status, 503, answer)
        self.assertIn("disk is nearly full", json.loads(answer)["message"])
        self.assertEqual(self.headers["X-Evq-Error"], "disk-full")
        self.assertGreater(int(self.headers["Retry-After"]), 0)
        # A body that waits in a file, and one of those whose senders drop what is refused otherwise.
        status, answer = self.request(url, token, "/v1/ingest/d", events(5000), lines)
        self.assertEqual((status, self.headers["X-Evq-Error"]), (503, "disk-full"), answer)
        self.assertIn("no room for a long body", answer)
        record = {"body": {"stringValue": "x"}, "timeUnixNano": "1714521600000000000"}
        logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}
        status, answer = self.request(url, token, "/v1/logs", json.dumps(logs),
                                      **{"X-Axiom-Dataset": "d"})
        self.assertEqual((status, json.loads(answer)["code"]), (503, 14), answer)
        self.assertGreater(int(self.headers["Retry-After"]), 0)
        # The command line does not wait for the disk, and says what the server says.
        done = subprocess.run([EVQ, "--server", url, "--token", token, "ingest", "d"],
                              input='{"n":1}', text=True, capture_output=True, timeout=30)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("disk is nearly full", done.stderr)
        times = {"startTime": "2000-01-01T00:00:00Z", "endTime": "2100-01-01T00:00:00Z"}
        query = json.dumps({"apl": "d | count", **times})
        status, answer = self.request(url, token, "/v1/query/_apl?format=legacy", query)
        self.assertEqual(status, 200, answer)
        self.assertIn("20000", answer)
        # A long answer would wait on the disk; what is too long for memory instead is refused.
        for rows, expected in ((1000, 200), (49_000, 503), (1000, 200)):
            text = f"range x from 1 to {rows} step 1 | extend s = strrep(strrep('x', 100), 30)"
            status, answer = self.request(url, token, "/v1/query/_apl?format=tabular",
                                          json.dumps({"apl": text, **times}))
            self.assertEqual(status, expected, answer[:200])
            if status != 200:
                self.assertIn("no room for a long answer", answer)
        server.terminate()  # and a start on a full disk
        self.assertEqual(server.wait(60), 0)
        url, _, server = self.serve()
        status, answer = self.request(url, token, "/v1/query/_apl?format=legacy", query)
        self.assertEqual(status, 200, answer)
        status, answer = self.request(url, token, "/v1/datasets/d/trim", '{"maxDuration":"1s"}')
        self.assertEqual(status, 200, answer)
        status, answer = self.request(url, token, "/v1/ingest/d", events(1000), lines)
        self.assertEqual(status, 200, answer)
        server.terminate()
        self.assertEqual(server.wait(60), 0)
        self.evq("check")


if __name__ == "__main__":
    main()
