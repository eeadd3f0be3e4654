"""Waits for somebody else, another process's write or the writer of a pipe, end when they should."""

import contextlib
import fcntl
import json
import os
import pathlib
import pty
import random
import select
import signal
import subprocess

from evq_case import EVQ, EvqCase, main
from processes import catches, open_files, wait_until
from sanitizer import sanitizer_runtime


ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Waiting(EvqCase):
    def setUp(self):
        super().setUp()
        # Whoever runs the tests may ignore it, and processes inherit that.
        self.addCleanup(signal.signal, signal.SIGHUP, signal.signal(signal.SIGHUP, signal.SIG_DFL))
        self.evq("ingest", "d", input='{"n":1}\n')
        self.evq("ingest", "d", input='{"n":2}\n')

    def test_a_reader_who_does_not_read_keeps_nothing_of_the_store(self):
        chosen = random.Random(1)
        events = "".join(f'{{"n":{n},"noise":"{chosen.randbytes(20_000).hex()}"}}\n'
                         for n in range(300))
        self.evq("ingest", "long", input=events)
        query = self.start("query", "long | project n, noise", "-o", "ndjson")
        # The rest of the answer waits in a file of no name.
        wait_until(lambda: any("(deleted)" in name for name in open_files(query.pid)))
        self.stays_true(query, lambda: True)
        for _ in range(3):
            self.evq("ingest", "long", input=events)
        log = self.directory / "store" / "datasets" / "2.db-wal"
        self.assertLess(log.stat().st_size, 1 << 20)
        rows = [json.loads(line)["n"] for line in query.stdout]
        self.assertEqual(rows, list(range(299, -1, -1)))
        self.assertEqual(query.wait(), 0)

    @contextlib.contextmanager
    def held(self, name):
        """As by a process that writes for very long."""
        with open(self.directory / "store" / (name + ".lock"), "r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def stays_true(self, process, condition):
        """Waits until the condition has been true for a while; the process runs on."""
        calm = 0

        def is_calm():
            nonlocal calm
            self.assertIsNone(process.poll(), "it has ended")
            calm = calm + 1 if condition() else 0
            return calm == 10

        wait_until(is_calm)

    def until_it_waits(self, process, number):
        """Until it would see the signal, and none of its threads has run for a while."""
        def sleeps():
            try:
                threads = [file.read_text() for file in
                           pathlib.Path(f"/proc/{process.pid}/task").glob("*/status")]
            except OSError:  # one has ended
                return False
            return catches(process.pid, number) and all("State:\tS" in text for text in threads)

        self.stays_true(process, sleeps)

    def until_it_has_open(self, process, path):
        """And keeps it open for a while."""
        self.stays_true(process, lambda: path in open_files(process.pid))

    def ends(self, process, number, status):
        """The text on standard error; ends soon after the signal."""
        self.until_it_waits(process, number)
        process.send_signal(number)
        _, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, status, errors)
        return errors

    def count(self):
        return self.out("query", "d | count", "-o", "csv").split()[1]

    def test_a_store_that_another_process_writes_to(self):
        source = self.directory / "events.ndjson"
        source.write_text('{"n":3}\n')
        for words in (("ingest", "d", source), ("delete", "d", "--commit", "--yes"),
                      ("compact", "d")):
            for number in ENDING:
                with self.subTest(words=words, number=number), self.held("datasets/1.db"):
                    errors = self.ends(self.start(*words), number, 128 + number)
                    self.assertIn("interrupted while waiting for the lock", errors)
                    self.assertIn("datasets/1.db.lock", errors)
                    self.assertEqual(self.count(), "2")
        self.evq("compact", "d")
        self.assertIn("sound", self.out("check"))

    def test_a_person_is_told_whom_it_waits_for(self):
        source = self.directory / "events.ndjson"
        source.write_text('{"n":3}\n')
        for words in (("ingest", "d", source), ("compact", "d"), ("delete", "d", "--commit", "--yes")):
            main_end, terminal = pty.openpty()
            with self.subTest(words=words), self.held("datasets/1.db"):
                process = self.start(*words, stderr=terminal, env={"TERM": "xterm"})
                os.close(terminal)
                seen = b""
                while b"Ctrl-C gives up" not in seen:
                    self.assertTrue(select.select([main_end], [], [], 30)[0], seen)
                    seen += os.read(main_end, 65536)
                self.assertRegex(seen.decode(), r"waiting for (another )?process( \d+)?, which holds "
                                                r"\S+/1\.db\.lock; Ctrl-C gives up")
            self.assertEqual(process.wait(timeout=30), 0)
            self.rest_of(main_end)

    def test_a_pipe_whose_events_another_process_keeps_out(self):
        """The signal comes while what was read so far waits to be written, and more may come."""
        lock = str(self.directory / "store" / "datasets" / "1.db.lock")
        for number in ENDING:
            with self.subTest(number=number), self.held("datasets/1.db"):
                process = self.start("ingest", "d", stdin=subprocess.PIPE)
                process.stdin.write('{"n":3}\n')
                process.stdin.flush()
                self.until_it_has_open(process, lock)
                self.assertIn("interrupted while waiting for the lock", self.ends(process, number, 128 + number))
                self.assertEqual(self.count(), "2")

    def test_a_catalog_that_another_process_writes_to(self):
        source = self.directory / "events.ndjson"
        source.write_text('{"n":3}\n')
        with self.held("catalog.db"):
            for words in (("ingest", "new", source), ("ingest", "new", "--follow", source)):
                errors = self.ends(self.start(*words), signal.SIGINT, 130)
                if "--follow" not in words:
                    self.assertIn("catalog.db.lock", errors)
        self.evq("query", "new | count", status=3)
        self.evq("dataset", "create", "new")

    def test_a_catalog_that_a_change_of_it_waits_for(self):
        with self.held("catalog.db"):
            for words in (("dataset", "create", "new"), ("starred", "put", "q", "--apl", "d")):
                with self.subTest(words=words):
                    errors = self.ends(self.start(*words), signal.SIGTERM, 143)
                    self.assertIn("interrupted while waiting for the lock", errors)

    def test_a_server_that_starts(self):
        with self.held("catalog.db"):
            for number in ENDING:
                errors = self.ends(self.start("serve", "--listen", "127.0.0.1:0"), number,
                                   128 + number)
                self.assertIn("interrupted while waiting for the lock", errors)
                self.assertIn("catalog.db.lock", errors)
                self.assertNotIn("listening", errors)
        _, token, process = self.serve()
        self.assertTrue(token)
        self.assertEqual(self.interrupt(process), 0)

    def test_the_disk_is_not_waited_for_by_what_reads_files(self):
        shim = self.directory / "sync_shim.so"
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", shim,
                        pathlib.Path(__file__).parent / "sync_shim.c", "-ldl"], check=True)
        preload = " ".join(filter(None, (sanitizer_runtime(EVQ), str(shim))))
        (self.directory / "a.ndjson").write_text('{"n":1}\n')
        for words, syncs in ((("ingest", "e", "a.ndjson"), True),
                             (("query", "--file", "a.ndjson", "| count"), False)):
            synced = self.directory / "synced"
            synced.write_text("")
            self.evq(*words, env={"LD_PRELOAD": preload, "EVQ_SYNCS": str(synced)})
            self.assertEqual(synced.read_text() != "", syncs, synced.read_text())

    def test_a_terminal_that_is_gone(self):
        pipe = self.directory / "events"
        os.mkfifo(pipe)
        writer = os.open(pipe, os.O_RDWR)
        self.addCleanup(os.close, writer)
        scratch = self.directory / "scratch"
        scratch.mkdir()
        words = ("query", "--file", pipe, "| count")
        process = self.start(*words, env={"TMPDIR": str(scratch)})
        self.ends(process, signal.SIGHUP, 129)
        self.assertEqual(os.listdir(scratch), [])
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        process = self.start(*words, env={"TMPDIR": str(scratch)})
        self.until_it_waits(process, signal.SIGTERM)
        process.send_signal(signal.SIGHUP)
        self.ends(process, signal.SIGTERM, 143)

    def fifo(self, name):
        """A pipe that has a writer who says nothing."""
        pipe = self.directory / name
        os.mkfifo(pipe)
        self.addCleanup(os.close, os.open(pipe, os.O_RDWR))
        return pipe

    def test_two_signals_at_once(self):
        scratch = self.directory / "scratch"
        scratch.mkdir()
        words = ("query", "--file", self.fifo("events"), "| count")
        for first, second in ((signal.SIGTERM, signal.SIGINT), (signal.SIGINT, signal.SIGTERM)):
            process = self.start(*words, env={"TMPDIR": str(scratch)})
            self.until_it_waits(process, second)
            process.send_signal(first)
            process.send_signal(second)
            process.communicate(timeout=30)
            self.assertIn(process.returncode, (128 + first, 128 + second))
            self.assertEqual(os.listdir(scratch), [])

    def test_folders_of_the_dead(self):
        scratch = self.directory / "scratch"
        scratch.mkdir()
        words = ("query", "--file", self.fifo("events"), "| count")
        killed, alive = (self.start(*words, env={"TMPDIR": str(scratch)}) for _ in range(2))
        for process in (killed, alive):
            self.until_it_waits(process, signal.SIGTERM)
        both = set(os.listdir(scratch))
        self.assertEqual(len(both), 2)
        killed.kill()
        killed.wait()
        for other in ("evq-abcdef", "evq-abcdefg"):
            (scratch / other).mkdir()
        (scratch / "evq-abcdefg" / "owner.lock").touch()
        (scratch / "evq-abcde0").symlink_to(scratch / "evq-abcdefg")
        self.assertEqual(self.out("query", "--file", "-", "| count", "-o", "csv", input='{"n":1}\n',
                                  env={"TMPDIR": str(scratch)}), "Count\n1\n")
        left = set(os.listdir(scratch)) - {"evq-abcdef", "evq-abcdefg", "evq-abcde0"}
        self.assertEqual(len(left), 1)  # of the one that is alive
        self.assertLess(left, both)
        self.assertTrue((scratch / "evq-abcdefg" / "owner.lock").exists())
        self.ends(alive, signal.SIGTERM, 143)
        self.assertEqual(len(os.listdir(scratch)), 3)

    def test_pipes_with_queries(self):
        pipe = self.directory / "pipe"
        os.mkfifo(pipe)
        process = self.start("query", "-o", "csv", "-f", pipe)
        self.until_it_waits(process, signal.SIGINT)
        pipe.write_text("d | count")
        self.assertEqual(process.communicate(timeout=20)[0], "Count\n2\n")
        for words in (("query", "-f", pipe), ("starred", "put", "id", pipe)):
            self.ends(self.start(*words), signal.SIGINT, 130)
        # A writer that has said nothing yet.
        writer = os.open(pipe, os.O_RDWR)
        self.addCleanup(os.close, writer)
        self.ends(self.start("query", "-f", pipe), signal.SIGTERM, 143)
        self.ends(self.start("query", "-", stdin=writer), signal.SIGINT, 130)
        _, errors = self.evq("query", "--timeout", "0.5", "-f", pipe, status=124)
        self.assertIn("longer than its limit of 500 ms", errors)

    def test_pipes_that_nobody_reads(self):
        pipe = self.directory / "pipe.csv"
        os.mkfifo(pipe)
        words = ("export", "d | project n", "--output", pipe)
        for number in (signal.SIGINT, signal.SIGTERM):
            self.ends(self.start(*words), number, 128 + number)
        self.ends(self.start("ingest", "d", "--reject-file", pipe), signal.SIGINT, 130)
        process = self.start("repl", stdin=subprocess.PIPE)
        process.stdin.write("d | sort by n asc | project n\n.save pipe.csv\nd | count\n")
        process.stdin.flush()
        self.assertEqual([process.stdout.readline() for _ in range(2)], ['{"n":1}\n', '{"n":2}\n'])
        self.until_it_waits(process, signal.SIGINT)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=20)
        self.assertEqual(out.splitlines()[-1], '{"Count":2}')
        self.assertIn("interrupted while waiting for a reader of pipe.csv", errors)
        # A reader that reads nothing, of more than a pipe holds.
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        self.ends(self.start("export", "range x from 1 to 100000 step 1", "--output", pipe), signal.SIGINT, 130)
        self.assertTrue(pipe.is_fifo())

    MANY = "range n from 1 to 60000 step 1 | extend text = 'some words to fill the line'"

    def rest_of(self, terminal):
        size = 0
        with contextlib.suppress(OSError):  # how a terminal says that nobody writes to it any more
            while piece := os.read(terminal, 65536):
                size += len(piece)
        os.close(terminal)
        return size

    def test_readers_who_do_not_read(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            for words in (("query", "--all", self.MANY, "-o", "table"),
                          ("query", "--all", self.MANY, "-o", "ndjson"),
                          ("query", "--all", self.MANY, "-o", "tabular"), ("export", self.MANY),
                          ("help", "functions")):
                if words[0] == "help" and number == signal.SIGTERM:
                    continue
                with self.subTest(words=words, number=number):
                    # Of a pipe, which holds less than that.
                    reader, writer = os.pipe()
                    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
                    process = self.start(*words, stdout=writer)
                    os.close(writer)
                    self.ends(process, number, 128 + number)
                    self.assertLess(self.rest_of(reader), 100_000)

    def test_terminals_that_stand_still(self):
        for words in (("query", "--all", "--no-pager", self.MANY), ("export", self.MANY)):
            with self.subTest(words=words):
                main_end, terminal = pty.openpty()
                process = self.start(*words, stdout=terminal, env={"TERM": "xterm"})
                os.close(terminal)
                self.ends(process, signal.SIGINT, 130)
                self.assertLess(self.rest_of(main_end), 100_000)

    def test_a_prompt_whose_terminal_stands_still(self):
        main_end, terminal = pty.openpty()
        process = self.start("repl", stdin=terminal, stdout=terminal, stderr=terminal,
                             env={"TERM": "dumb"}, session=True)
        os.close(terminal)
        os.write(main_end, f".pager off\n.limit all\n{self.MANY}\n".encode())
        self.until_it_waits(process, signal.SIGINT)
        process.send_signal(signal.SIGINT)
        os.write(main_end, b"print alive = 40 + 2\n.quit\n")
        seen = b""
        with contextlib.suppress(OSError):
            while piece := os.read(main_end, 65536):
                seen += piece
        os.close(main_end)
        self.assertEqual(process.wait(timeout=30), 0)
        self.assertIn(b"42", seen)
        self.assertIn(b"error: interrupted", seen)
        self.assertLess(len(seen), 200_000)


if __name__ == "__main__":
    main()
