"""What the tests of the prompt share: a store with some events, evq through pipes, and evq in a real
terminal by keys: tmux shows what a person would see. They are run by name, as repl_pipe_test.py is:

    python3 tests/cli/repl_pipe_test.py EVQ [NAME...]

NAME chooses tests by a part of their name.
"""

import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from processes import ServerProcess, catches, wait_until

EVQ = os.path.abspath(sys.argv[1])
CHOSEN = sys.argv[2:]
FOLDER = tempfile.mkdtemp(prefix="evq-repl-")
STORE = os.path.join(FOLDER, "store")
WAIT_S = 60.0

METHODS = ["GET", "GET", "GET", "POST", "PUT"]
STATUSES = [200, 200, 200, 404, 500]


def environment(**changes):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("EVQ_", "AXIOM_", "CLICOLOR")) and k not in ("NO_COLOR", "PAGER", "LESS", "TMUX")}
    env.update(LC_ALL="C.UTF-8", XDG_STATE_HOME=os.path.join(FOLDER, "state"), HOME=FOLDER,
               EVQ_STORE=STORE, TZ="UTC")
    env.update(changes)
    return env


def run(arguments, text="", **changes):
    return subprocess.run([EVQ] + arguments, input=text, capture_output=True, text=True, timeout=60,
                          env=environment(**changes), check=False)


def equal(found, wanted):
    assert found == wanted, "found\n%s\nwanted\n%s" % (found, wanted)


def expect_bytes(terminal, expected):
    """Reads a terminal until `expected` has come: one read may end before it."""
    seen = b""
    while expected not in seen:
        assert select.select([terminal], [], [], WAIT_S)[0], f"{expected} has not come after {seen}"
        seen += os.read(terminal, 65536)


def wait_for_handler(find_process, number):
    """Waits until the process that find_process() gives, None while there is none, handles a signal."""
    wait_until(lambda: catches(find_process(), number), WAIT_S, "signal %d is not handled" % number)


def has_color(screen, color, word):
    return re.search("\x1b\\[%dm(\x1b\\[49m)?%s" % (color, word), screen) is not None


def holds(screen, parts, absent=()):
    at = 0
    for part in parts:
        found = screen.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return not any(part in screen for part in absent)


def slow_query(dataset):
    again = " | extend k = 1 | join (%s | extend k = 1) on k" % dataset  # 500 times as many rows each
    return dataset + 3 * again + " | count"


def load_events():
    lines = []
    for i in range(500):
        lines.append('{"_time":"2024-05-01T%02d:%02d:00Z","method":"%s","status":%d,"path":"/p/%d",'
                     '"geo":{"city":"Oslo"},"user-agent":"curl/8","ms":%d}'
                     % (i // 60, i % 60, METHODS[i % 5], STATUSES[i % 5], i % 7, i))
    run(["ingest", "web"], "\n".join(lines))
    run(["ingest", "web-logs"], '{"_time":"2024-05-01T00:00:00Z","note":"x"}\n')


class Screen:
    """evq in a terminal of its own."""

    count = 0

    def __init__(self, arguments="repl", columns=100, rows=30, term="screen", **changes):
        Screen.count += 1
        self.socket = os.path.join(FOLDER, "tmux%d" % Screen.count)
        env = environment(**changes)
        words = ["env", "-i"] + ["%s=%s" % (k, v) for k, v in env.items() if k != "TERM"]
        words += ["TERM=" + term, EVQ]
        words += arguments.split() if isinstance(arguments, str) else arguments
        command = " ".join("'%s'" % word.replace("'", "'\\''") for word in words)
        self.tmux("-u", "new-session", "-d", "-x", str(columns), "-y", str(rows),
                  command + "; echo ended with $?; sleep 60")

    def tmux(self, *arguments):
        done = subprocess.run(["tmux", "-S", self.socket, "-f", "/dev/null", *arguments],
                              capture_output=True, text=True, timeout=30, check=False,
                              env=environment(TERM="screen"))
        return done.stdout

    def child(self):
        """The number of evq's process; None before it runs."""
        shell = self.tmux("display-message", "-p", "-t", "0", "#{pane_pid}").strip()
        try:
            with open("/proc/%s/task/%s/children" % (shell, shell), encoding="ascii") as children:
                return next((int(child) for child in children.read().split()), None)
        except OSError:  # ESRCH of one that ends while it is read
            return None

    def text(self, *flags):
        lines = [line.rstrip() for line in self.tmux("capture-pane", "-t", "0", "-p", *flags).split("\n")]
        while lines and not lines[-1]:
            lines.pop()
        return "\n".join(lines)

    def keys(self, *keys):
        self.tmux("send-keys", "-t", "0", *keys)

    def type(self, text, *keys):
        self.tmux("send-keys", "-t", "0", "-l", text)
        if keys:
            self.keys(*keys)

    def expect(self, *parts, absent=()):
        """Waits until the screen holds all parts, in this order, and none of the absent ones; the screen."""
        end = time.monotonic() + WAIT_S
        while not holds(now := self.text(), parts, absent):
            assert time.monotonic() < end, "wanted %r without %r; the screen is\n%s" % (parts, absent, now)
            time.sleep(0.03)
        return now

    def expect_after(self, act, *parts):
        """The same of what an act that may be lost is to show: it is done again, once a second."""
        end = time.monotonic() + WAIT_S
        act()
        again = time.monotonic() + 1
        while not holds(now := self.text(), parts):
            assert time.monotonic() < end, "wanted %r; the screen is\n%s" % (parts, now)
            if time.monotonic() > again:
                act()
                again = time.monotonic() + 1
            time.sleep(0.03)

    def fresh(self):
        """An empty prompt on an empty screen."""
        self.keys("C-c")
        time.sleep(0.1)
        self.keys("C-l")
        end, again = time.monotonic() + WAIT_S, time.monotonic() + 1
        while "\n" in (text := self.text()) or not text.endswith(">"):
            assert time.monotonic() < end, "no fresh prompt: " + text
            if time.monotonic() > again:
                self.keys("C-l")  # the kernel drops what follows a Ctrl-C while the terminal is not raw
                again = time.monotonic() + 1
            time.sleep(0.03)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server")


class Server(ServerProcess):
    """evq serve over the tests' store."""

    def __init__(self):
        super().__init__([EVQ, "serve", "--listen", "127.0.0.1:0", "--no-auth", "--no-access-log"],
                         env=environment())


def main(tests):
    """Runs the tests among these names of a file; the exit status, 77 where tmux is missing."""
    if shutil.which("tmux") is None:
        print("skipped: tmux is not installed (tests/setup.sh installs it)")
        return 77
    passed = failed = 0
    try:
        load_events()
        for name, test in list(tests.items()):
            if not name.startswith("test_") or (CHOSEN and not any(part in name for part in CHOSEN)):
                continue
            try:
                test()
                passed += 1
            except Exception:  # pylint: disable=broad-except
                failed += 1
                print("FAILED %s" % name)
                traceback.print_exc(file=sys.stdout)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0
