"""What the command line's tests share: a store of its own for every test, running evq, and answers
kept as files. EVQ_GOLDEN=rewrite writes those files anew, for a person to read."""

import fcntl
import json
import os
import pathlib
import pty
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

sys.path.insert(1, str(pathlib.Path(__file__).parent.parent / "support"))
import told_skips  # noqa: F401
from processes import ServerProcess

EVQ = os.environ["EVQ_BINARY"]
GOLDEN = pathlib.Path(__file__).parent / "golden"


class EvqCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="evq-cli-"))
        self.addCleanup(shutil.rmtree, self.directory, True)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.directory),
            "EVQ_STORE": str(self.directory / "store"),
            "TMPDIR": str(self.directory),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
        }
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LD_LIBRARY_PATH"):
            if name in os.environ:
                self.environment[name] = os.environ[name]

    def start(self, *words, env=None, **options):
        """evq as a running process, ended at the latest with the test."""
        process = subprocess.Popen(
            [EVQ, *map(str, words)], env={**self.environment, **(env or {})}, cwd=self.directory,
            stdin=options.get("stdin", subprocess.DEVNULL),
            stdout=options.get("stdout", subprocess.PIPE),
            stderr=options.get("stderr", subprocess.PIPE), text=True,
            start_new_session=options.get("session", False))

        def end():
            if process.poll() is None:
                process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()

        self.addCleanup(end)
        return process

    def evq(self, *words, input=None, env=None, status=0, timeout=120):
        """Runs evq to its end, within `timeout` seconds; stdout and stderr. `status` is what it must
        end with; None: with any failure."""
        done = subprocess.run(
            [EVQ, *map(str, words)], input=input, env={**self.environment, **(env or {})},
            cwd=self.directory, capture_output=True, timeout=timeout,
            text=not isinstance(input, bytes))
        if isinstance(input, bytes):
            done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        told = f"evq {words}: {done.stdout}{done.stderr}"
        if status is None:
            self.assertNotEqual(done.returncode, 0, told)
        else:
            self.assertEqual(done.returncode, status, told)
        return done.stdout, done.stderr

    def on_terminal(self, *words, columns=100, rows=40, env=None):
        """What evq writes to a terminal of this size, where nobody types: both outputs as one."""
        main_end, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        process = subprocess.Popen(
            [EVQ, *map(str, words)], cwd=self.directory, start_new_session=True,
            env={**self.environment, "TERM": "xterm", "EVQ_PAGER": "", **(env or {})},
            stdin=terminal, stdout=terminal, stderr=terminal)
        os.close(terminal)
        text = b""
        with open(main_end, "rb", buffering=0) as reader:
            try:
                while piece := reader.read(65536):
                    text += piece
            except OSError:
                pass  # how a terminal says that nobody writes to it any more
        process.wait(timeout=60)
        return text.decode()

    def out(self, *words, **options):
        return self.evq(*words, **options)[0]

    def ingest(self, dataset, lines):
        self.evq("ingest", dataset, input="".join(line + "\n" for line in lines))

    def check_golden(self, name, text):
        path = GOLDEN / name
        if os.environ.get("EVQ_GOLDEN") == "rewrite":
            path.write_text(text)
        self.assertEqual(path.read_text(), text)

    def serve(self, *options, listen="127.0.0.1:0"):
        """A server over the test's store, on a free port; its URL, the first token, the process."""
        server = ServerProcess([EVQ, "serve", "--listen", listen, "--no-access-log", *map(str, options)],
                               env=self.environment, cwd=self.directory)
        self.addCleanup(server.stop, signal.SIGKILL)
        return server.url, server.token, server.process

    def interrupt(self, process):
        """Sends Ctrl-C; the exit status."""
        process.send_signal(signal.SIGINT)
        return process.wait(timeout=30)


class LoadCase(EvqCase):
    """Loads from standard input, and what they left in the store."""

    def load(self, text, *options, dataset="d", status=0):
        """The six fields of one load from standard input, and stderr."""
        out, errors = self.evq("ingest", dataset, *options, input=text, status=status)
        return json.loads(out), errors

    def rows(self, query="d", drop=("_sysTime",)):
        rows = json.loads(self.out("query", query, "-o", "json"))
        return [{k: v for k, v in row.items() if k not in drop and v is not None} for row in rows]


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]], verbosity=1)
