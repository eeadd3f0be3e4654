#!/usr/bin/env python3
"""Measures the prompt as its user feels it: python3 tests/bench/prompt.py EVQ [ROUNDS]

Times in milliseconds, median and worst, measured from outside through a pseudo-terminal, and the
processor time that evq took, which tells the same on a machine with other work:
  start       from starting evq to its prompt
  key         from a key to the end of the repaint, at the end of a query of 200 characters
  completion  from Tab to the list of fields, on a dataset of 1,000 fields
  values      from Tab to the values of a field of it
"""

import json
import os
import pty
import select
import statistics
import subprocess
import sys
import tempfile
import time

QUIET_S = 0.05  # without output for so long, a repaint is over
TIMEOUT_S = 20.0


class Prompt:
    def __init__(self, evq, env):
        self.began = time.perf_counter()
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execvpe(evq, [evq, "repl"], env)

    def wait_for(self, text):
        """Seconds until `text` has come, and the time of the last output before quiet."""
        seen, last = b"", None
        began = time.perf_counter()
        while time.perf_counter() - began < TIMEOUT_S:
            ready, _, _ = select.select([self.terminal], [], [], QUIET_S)
            if ready:
                seen += os.read(self.terminal, 65536)
                last = time.perf_counter()
            elif text in seen:
                return last
        raise SystemExit("no %r came; the prompt printed %r" % (text, seen))

    def processor_ms(self):
        """Of all threads so far."""
        total = 0
        for thread in os.listdir("/proc/%d/task" % self.pid):
            with open("/proc/%d/task/%s/schedstat" % (self.pid, thread), encoding="ascii") as file:
                total += int(file.read().split()[0])
        return total / 1e6

    def press(self, key, text):
        """(elapsed, processor) milliseconds."""
        before = self.processor_ms()
        began = time.perf_counter()
        os.write(self.terminal, key)
        elapsed = (self.wait_for(text) - began) * 1000
        return elapsed, self.processor_ms() - before

    def close(self):
        os.write(self.terminal, b"\x03\x04")
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


def report(name, times):
    elapsed, processor = zip(*times)
    print("%-12s median %7.2f ms   worst %7.2f ms   processor %6.2f ms, first %6.2f ms"
          % (name, statistics.median(elapsed), max(elapsed), statistics.median(processor),
             processor[0]))


def press_tab(prompt, query, text):
    os.write(prompt.terminal, b"\x15")
    prompt.wait_for(b"")
    os.write(prompt.terminal, query)
    prompt.wait_for(query[-2:])
    times = prompt.press(b"\t", text)
    os.write(prompt.terminal, b"\x1b")
    time.sleep(0.1)
    return times


def main():
    evq = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "HOME": folder, "XDG_STATE_HOME": folder, "EVQ_STORE": folder + "/store",
               "TERM": "xterm", "LC_ALL": "C.UTF-8", "COLUMNS": "100", "LINES": "30"}
        event = {"field_%04d" % i: i for i in range(997)}  # and method, _time, _sysTime
        lines = "".join(json.dumps({**event, "method": "GET"}) + "\n" for _ in range(100))
        subprocess.run([evq, "ingest", "wide"], input=lines.encode(), env=env, check=True,
                       stdout=subprocess.DEVNULL)
        starts, keys, tabs, values = [], [], [], []
        for _ in range(rounds):
            prompt = Prompt(evq, env)
            elapsed = (prompt.wait_for(b"> ") - prompt.began) * 1000
            starts.append((elapsed, prompt.processor_ms()))
            prompt.close()
        prompt = Prompt(evq, env)
        prompt.wait_for(b"> ")
        query = "wide | where field_0001 > 1 and method == 'GET'"
        query += " | extend total = field_0002 + field_0003" * 4
        query = query[:199].ljust(199, "1")
        os.write(prompt.terminal, query.encode())
        prompt.wait_for(b"total")
        for _ in range(rounds):
            keys.append(prompt.press(b"2", b"2"))
            prompt.press(b"\x7f", b"")
        for _ in range(rounds):
            tabs.append(press_tab(prompt, b"wide | where fi", b"field_0001"))
            values.append(press_tab(prompt, b"wide | where method == ", b"GET"))
        prompt.close()
    report("start", starts)
    report("key", keys)
    report("completion", tabs)
    report("values", values)


if __name__ == "__main__":
    main()
