"""What tests watch of other processes: something that comes true after a while, the files that one has
open, and a server from when it listens. For tests/cli and tests/http; each waits so long that only what
never comes fails, however slow the machine is."""

import contextlib
import os
import re
import signal
import subprocess
import threading
import time


def wait_until(condition, seconds=60, told="it has not come true"):
    """Asks again and again until condition() gives something true, and gives that."""
    end = time.monotonic() + seconds
    while True:
        late = time.monotonic() > end
        if value := condition():
            return value
        if late:
            raise AssertionError(f"{told} within {seconds} s; the last answer was {value!r}")
        time.sleep(0.02)


def open_files(pid):
    """What the descriptors of a process lead to, but for those that it closes meanwhile."""
    found = []
    for descriptor in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            found.append(os.readlink(f"/proc/{pid}/fd/{descriptor}"))
    return found


def catches(pid, number):
    """Whether a process has a handler for the signal; False as well when it is not there."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as status:
            caught = re.search(r"^SigCgt:\s*(\w+)", status.read(), re.M)
    except OSError:  # ESRCH of one that ends while it is read
        return False
    return caught is not None and int(caught[1], 16) >> (number - 1) & 1 == 1


class ServerProcess:
    """`evq serve`, listening: its URL, its first token if it made one, and the lines it has written so
    far. They are read all the time, so that it never waits for a full pipe."""

    def __init__(self, command, **options):
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True, **options)
        self.url = self.token = ""
        self.lines = []
        while not self.url:
            line = self.process.stderr.readline()
            if not line:
                raise AssertionError("the server did not start: " + "".join(self.lines))
            self.lines.append(line)
            if "first token" in line:
                self.token = line.split()[-1]
            if "listening on" in line:
                self.url = line.split()[-1]
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line)

    def stop(self, number=signal.SIGTERM):
        """Its exit status, which the signal leads to unless it has ended by itself."""
        self.process.send_signal(number)
        status = self.process.wait(60)
        self._reader.join(60)
        self.process.stderr.close()
        return status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
