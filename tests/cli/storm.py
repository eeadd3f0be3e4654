#!/usr/bin/env python3
"""One store, many processes, and what may befall them.

Usage: storm.py EVQ kill ROUNDS [SEED]       kill -9 of writers, servers, compactions, deletes,
                                             recoveries, beside blocks that are damaged
       storm.py EVQ together SECONDS [SEED]  writers, readers, a deleter and a server side by side
       storm.py EVQ soak SECONDS [SEED]      the same, watching memory, descriptors, threads and disk
       storm.py EVQ clock JUMPS [SEED]       the wall clock of a server jumps by seconds to years

Requests are numbered and hold a known number of events. An acknowledged one must be there with all
its events, once; any other one with all or none. Deleted requests never come back. `evq check` must
find the store sound. Ends with one line of totals; fails at the first violation and then keeps the
store. Times are long because the machine may be busy.
"""

import csv
import http.client
import io
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, "../support"))
from sanitizer import sanitizer_runtime

EVENTS_MAX = 40
HURT = "datasets/3.db"  # of the third dataset that a store gets
SEGMENT_BITS = 14


class Violation(Exception):
    pass


class Model:
    """What was acknowledged, by whom."""

    def __init__(self, seed):
        self.lock = threading.Lock()
        self.random = random.Random(seed)
        self.next = 1
        self.acknowledged = {}  # request -> events
        self.deleted = set()
        self.kills = 0

    def request(self):
        with self.lock:
            number, events = self.next, self.random.randint(1, EVENTS_MAX)
            self.next += 1
        lines = (json.dumps({"r": number, "k": events, "e": i, "text": "event %d of %d" % (i, number)})
                 for i in range(events))
        return number, events, "\n".join(lines) + "\n"

    def acknowledge(self, number, events):
        with self.lock:
            self.acknowledged[number] = events

    def below(self, bound):
        with self.lock:
            return self.random.random() * bound


class World:
    def __init__(self, evq, seed):
        self.evq = evq
        self.model = Model(seed)
        self.work = tempfile.mkdtemp(prefix="evq-storm-")
        self.store = self.work + "/store"
        self.server = None
        self.port = None
        self.stop = threading.Event()
        self.problems = []
        self.slowest = 0.0
        self.backups = 0
        self.hurt = Hurt(self)

    # ---- processes

    def start(self, *words, stdin=subprocess.DEVNULL, env=None):
        return subprocess.Popen([self.evq, "--store", self.store, *words], stdin=stdin,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)

    def run(self, *words, text=None, store=None):
        """The output of a command that must succeed."""
        began = time.monotonic()
        done = subprocess.run([self.evq, "--store", store or self.store, *words], input=text,
                              capture_output=True, text=True, timeout=300)
        self.slowest = max(self.slowest, time.monotonic() - began)
        if done.returncode != 0:
            raise Violation("evq %s: %s%s" % (" ".join(words), done.stdout, done.stderr))
        return done.stdout

    def create_datasets(self):
        """With one event each, so that every field that a reader names is there from the start."""
        for name in ("d", "doomed", "hurt"):
            number = self.model.next
            self.model.next += 1
            self.run("ingest", name, "-", text=json.dumps({"r": number, "k": 1, "e": 0}) + "\n")
            if name == "d":
                self.model.acknowledge(number, 1)

    def start_server(self, *options, env=None):
        self.server = self.start("serve", "--listen", "127.0.0.1:0", "--no-auth", *options, env=env)
        for line in self.server.stderr:
            found = re.search(r"listening on http://127.0.0.1:(\d+)", line)
            if found:
                self.port = int(found.group(1))
                threading.Thread(target=self.server.stderr.read, daemon=True).start()
                return
        raise Violation("evq serve ended: status %s" % self.server.wait())

    def stop_server(self):
        self.server.send_signal(signal.SIGTERM)
        status = self.server.wait(60)
        if status != 0:
            raise Violation("evq serve ended with status %d" % status)

    def kill(self, process):
        process.kill()
        process.communicate()
        self.model.kills += 1

    # ---- single acts

    def post(self, path, body, content_type, method="POST"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request(method, path, body, {"Content-Type": content_type})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def ingest_by_http(self):
        number, events, text = self.model.request()
        try:
            status, answer = self.post("/v1/ingest/d", text, "application/x-ndjson")
        except (OSError, http.client.HTTPException):
            return False
        if status != 200:
            if not self.stop.is_set():
                self.problems.append("ingest answered %d: %r" % (status, answer[:200]))
            return False
        if json.loads(answer)["ingested"] != events:
            self.problems.append("ingest counts %r instead of %d" % (answer[:200], events))
        self.model.acknowledge(number, events)
        return True

    def query_by_http(self, apl):
        status, answer = self.post("/v1/query/_apl?format=tabular", json.dumps(
            {"apl": apl, "startTime": "1970-01-01T00:00:00Z", "endTime": "2200-01-01T00:00:00Z"}),
            "application/json")
        if status != 200:
            raise Violation("query answered %d: %r" % (status, answer[:300]))
        return json.loads(answer)["tables"][0]["columns"]

    def ingest_by_command(self):
        """Starts an ingest; the process, and what to do when it has succeeded."""
        number, events, text = self.model.request()
        process = self.start("ingest", "d", "-", stdin=subprocess.PIPE)
        try:
            process.stdin.write(text)
            process.stdin.close()
        except OSError:
            pass
        process.stdin = None
        return process, lambda: self.model.acknowledge(number, events)

    def rows(self, apl, store=None):
        answer = self.run("query", "--all", "-o", "csv", apl, store=store)
        return list(csv.DictReader(io.StringIO(answer)))

    # ---- loops that run in threads

    def loop(self, act):
        def body():
            while not self.stop.is_set():
                try:
                    act()
                except (Violation, OSError, ValueError, http.client.HTTPException) as error:
                    if not self.stop.is_set():
                        self.problems.append(str(error))
                    return
        thread = threading.Thread(target=body)
        thread.start()
        return thread

    def write_by_http(self):
        if not self.ingest_by_http():
            time.sleep(0.01)

    def write_by_command(self):
        process, acknowledge = self.ingest_by_command()
        _, errors = process.communicate()
        if process.returncode == 0:
            acknowledge()
        elif not self.stop.is_set():
            self.problems.append("evq ingest: " + errors)

    def watch_whole_requests(self):
        """No query sees a part of a request."""
        for row in self.rows("d | summarize n = count(), k = max(k) by r | where n != k | take 3"):
            raise Violation("a query saw a part of a request: %s" % row)
        time.sleep(0.05)

    def watch_count(self):
        """No count goes back."""
        with self.model.lock:
            least = sum(self.model.acknowledged.values())
        count = self.query_by_http("d | count")[0][0]
        if count < least:
            raise Violation("%d events counted, %d were acknowledged before" % (count, least))

    def delete_some(self):
        """In a dataset of its own, because a delete takes whole blocks with it."""
        number, _, text = self.model.request()
        self.run("ingest", "doomed", "-", text=text)
        self.run("delete", "doomed | where r == %d" % number, "--commit", "--yes")
        with self.model.lock:
            self.model.deleted.add(number)

    def compact(self):
        self.run("compact")
        time.sleep(0.2)

    def back_up(self):
        """A copy is sound, and has whole requests and all that were acknowledged before."""
        with self.model.lock:
            least = sum(self.model.acknowledged.values())
        copy = self.store + "-copy"
        self.run("backup", copy, "--check")
        self.backups += 1
        for row in self.rows("d | summarize n = count(), k = max(k) by r | where n != k", store=copy):
            raise Violation("a copy has a part of a request: %s" % row)
        count = int(self.rows("d | count", store=copy)[0]["Count"])
        if count < least:
            raise Violation("a copy has %d events, %d were acknowledged before" % (count, least))
        shutil.rmtree(copy)
        time.sleep(0.5)

    # ---- the verdict

    def verify(self):
        began = time.monotonic()
        self.run("query", "d | count")
        reopened = time.monotonic() - began
        self.hurt.verify()
        found = {}
        for row in self.rows("d | summarize n = count(), s = sum(e), k = max(k) by r"):
            number, n, s, k = (int(float(row[name])) for name in ("r", "n", "s", "k"))
            if n != k or 2 * s != k * (k - 1):
                raise Violation("request %d has %d of %d events, sum %d" % (number, n, k, s))
            found[number] = n
        lost = [number for number in self.model.acknowledged if number not in found]
        if lost:
            raise Violation("acknowledged requests are gone: %s" % lost[:5])
        if self.model.deleted:
            back = [row["r"] for row in self.rows("doomed | distinct r")
                    if int(float(row["r"])) in self.model.deleted]
            if back:
                raise Violation("deleted requests are back: %s" % back[:5])
        if self.problems:
            raise Violation(self.problems[0])
        return reopened


class Hurt:
    """A dataset with blocks that are damaged by hand, while no process works. What is sound beside
    them is merged and deleted as ever; what is damaged stays until a delete takes all."""

    DAMAGED_MAX = 5

    def __init__(self, world):
        self.world = world
        self.requests = set()  # that are acknowledged and can be read
        self.gone = set()      # and were deleted
        self.damaged = set()   # ids of blocks
        self.doomed = None     # a request that is being deleted, with its neighbours; 0: all
        self.damages = 0       # so far
        self.deletes = 0       # that ended by themselves

    def ingest(self):
        for _ in range(3):
            number, _, text = self.world.model.request()
            self.world.run("ingest", "hurt", "-", text=text)
            self.requests.add(number)

    def damage(self):
        if len(self.damaged) >= self.DAMAGED_MAX:
            return
        with sqlite3.connect(self.world.store + "/" + HURT) as database:
            there = [(block, state) for block, state in
                     database.execute("SELECT id, state FROM blocks WHERE state <> 1 ORDER BY id")
                     if block not in self.damaged]
            if not there:
                return
            block, state = there[int(self.world.model.below(len(there)))]
            database.execute("UPDATE chunks SET data = zeroblob(length(data)) WHERE id = ?" if state == 2
                             else "UPDATE segments SET data = zeroblob(length(data)) "
                             f"WHERE id >> {SEGMENT_BITS} = ?", (block,))
        database.close()
        self.damaged.add(block)
        self.damages += 1
        self.requests &= self.read()

    def start_delete(self):
        """A process that deletes some, or all; what to do when it has ended by itself."""
        self.doomed = 0
        if self.requests and self.world.model.below(4) < 3:
            self.doomed = min(self.requests)
        words = ("hurt | where r == %d" % self.doomed,) if self.doomed else ("hurt",)
        return self.world.start("delete", *words, "--commit", "--yes"), self.note_deleted

    def note_deleted(self):
        self.gone |= {self.doomed} if self.doomed else self.requests
        self.deletes += 1

    def read(self):
        found = set()
        for row in self.world.rows("set best_effort; hurt | where r > 0 "
                                   "| summarize n = count(), s = sum(e), k = max(k) by r"):
            number, n, s, k = (int(float(row[name])) for name in ("r", "n", "s", "k"))
            if n != k or 2 * s != k * (k - 1):
                raise Violation("beside damage: request %d has %d of %d events" % (number, n, k))
            found.add(number)
        return found

    def verify(self):
        done = subprocess.run([self.world.evq, "--store", self.world.store, "check"],
                              capture_output=True, text=True, timeout=300)
        told = done.stdout + done.stderr
        problems = [line for line in done.stdout.splitlines()[:-1]]
        found = {int(at.group(1)) for line in problems
                 if (at := re.match(re.escape(HURT) + r": block (\d+): ", line))}
        other = [line for line in problems if not line.startswith(HURT + ": block ")]
        all_gone = self.doomed == 0 and not found
        if done.returncode != (5 if found else 0) or other or \
                (found != self.damaged and not all_gone):
            raise Violation("blocks %s are damaged; evq check: %s" % (sorted(self.damaged), told))
        self.damaged = found
        there = self.read()
        if self.doomed is None and not self.requests <= there:
            raise Violation("beside damage: acknowledged requests are gone: %s"
                            % sorted(self.requests - there)[:5])
        if self.doomed == 0 and there and not self.requests <= there:
            raise Violation("a delete of everything took a part: %s"
                            % sorted(self.requests - there)[:5])
        if there & self.gone:
            raise Violation("beside damage: deleted requests are back: %s"
                            % sorted(there & self.gone)[:5])
        self.requests &= there
        self.doomed = None


def finish(world, threads):
    world.stop.set()
    for thread in threads:
        thread.join()


def kill_rounds(world, rounds):
    """Processes write, compact, delete and serve until some of them are killed."""
    world.create_datasets()
    slowest = 0.0
    for number in range(rounds):
        world.stop.clear()
        world.hurt.ingest()
        if number % 3 == 1:
            world.hurt.damage()
        world.start_server()
        threads = [world.loop(world.write_by_http) for _ in range(6)]  # who share commits
        victims = []
        for _ in range(3):
            process, acknowledge = world.ingest_by_command()
            victims.append((process, acknowledge))
        victims.append((world.start("compact"), lambda: None))
        doomed = number * 10
        world.start("ingest", "doomed", "-", stdin=subprocess.PIPE).communicate(
            json.dumps({"r": -doomed - 1, "k": 1, "e": 0}) + "\n")
        deletion = world.start("delete", "doomed | where r == %d" % (-doomed - 1), "--commit", "--yes")
        victims.append((deletion, lambda gone=-doomed - 1: world.model.deleted.add(gone)))
        if number % 4 == 3:
            victims.append(world.hurt.start_delete())
        time.sleep(world.model.below(0.8))
        world.stop.set()
        if world.model.below(3) < 2:
            world.kill(world.server)
        else:
            world.stop_server()
        for process, acknowledge in victims:
            if process.poll() is None and world.model.below(3) < 2:
                world.kill(process)
            else:
                process.communicate()
            # A delete that left damaged blocks alone has deleted the others.
            if process.returncode in (0, 5):
                acknowledge()
        for thread in threads:
            thread.join()
        for _ in range(int(world.model.below(3))):  # while it recovers
            process = world.start("query", "d | count")
            time.sleep(world.model.below(0.03))
            world.kill(process)
        world.problems.clear()  # of requests that the kill cut off
        slowest = max(slowest, world.verify())
    return "%d rounds, %d kills, %d deletes, %d damaged blocks, usable again in at most %.1f s" % (
        rounds, world.model.kills, len(world.model.deleted) + world.hurt.deletes, world.hurt.damages,
        slowest)


def run_together(world, seconds, watch=None, options=()):
    world.create_datasets()
    world.start_server(*options)
    acts = [world.write_by_http, world.write_by_http, world.write_by_command, world.write_by_command,
            world.watch_whole_requests, world.watch_count, world.delete_some, world.compact,
            world.back_up]
    threads = [world.loop(act) for act in acts]
    end = time.monotonic() + seconds
    while time.monotonic() < end and not world.problems:
        time.sleep(min(1.0, max(0.0, end - time.monotonic())))
        if watch is not None:
            watch()
    finish(world, threads)
    world.stop_server()
    world.verify()
    for name in ("catalog.db", "datasets/1.db"):
        wal = world.store + "/" + name + "-wal"
        if os.path.exists(wal) and os.path.getsize(wal) > 0:
            raise Violation(name + "-wal is not empty after the last process has ended")
    return "%d s, %d threads of commands beside a server, %d backups, slowest command %.1f s" % (
        seconds, len(acts), world.backups, world.slowest)


class Gauge:
    """What the server holds, by the clock; the slope counts from a third of the run on."""

    def __init__(self, world):
        self.world = world
        self.samples = []

    def __call__(self):
        folder = "/proc/%d" % self.world.server.pid
        status = open(folder + "/status").read()
        number = lambda name: int(re.search(name + r":\s+(\d+)", status).group(1))
        self.samples.append((time.monotonic(), number("VmRSS") / 1024, number("Threads"),
                             len(os.listdir(folder + "/fd"))))

    def report(self):
        late = self.samples[len(self.samples) // 3:]
        hours = max(late[-1][0] - late[0][0], 1) / 3600
        slope = (late[-1][1] - late[0][1]) / hours
        return "memory %.0f MiB, %+.0f MiB/h, threads at most %d, descriptors %d to %d" % (
            late[-1][1], slope, max(s[2] for s in late), min(s[3] for s in late),
            max(s[3] for s in late))


def soak(world, seconds):
    gauge = Gauge(world)
    # The cache may fill for hours; what grows when it is full already is something else.
    text = run_together(world, seconds, gauge, ("--cache-size", "4M"))
    return text + ", " + gauge.report()


def jump_clock(world, jumps):
    """The server's wall clock is off by what a file says; cursors, counts and retention must not
    care."""
    library, offset = world.work + "/clock_shim.so", world.work + "/offset"
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", library,
                    HERE + "/clock_shim.c", "-ldl"], check=True)
    write = lambda seconds: open(offset, "w").write("%d\n" % seconds)
    write(0)
    world.create_datasets()
    preload = " ".join(filter(None, (sanitizer_runtime(world.evq), library)))
    world.start_server("--upkeep-ms", "100",
                       env={**os.environ, "LD_PRELOAD": preload, "EVQ_CLOCK_OFFSET": offset})
    status, answer = world.post("/v2/datasets/d", json.dumps(
        {"description": "", "useRetentionPeriod": True, "retentionDays": 30}),
        "application/json", method="PUT")
    if status != 200:
        raise Violation("the retention period was not taken: %d %r" % (status, answer[:200]))
    threads = []
    for number in range(jumps):
        world.stop.clear()
        threads = [world.loop(world.write_by_http), world.loop(world.watch_count)]
        time.sleep(0.4)
        far = world.model.below(1) < 0.5
        jump = int((world.model.below(2) - 1) * (10 * 365 * 86400 if far else 3600))
        write(jump if number > 0 else 2 * 365 * 86400)  # at least one beyond the retention period
        time.sleep(0.6)
        finish(world, threads)
        if world.problems:
            raise Violation("after jump %d: %s" % (number + 1, world.problems[0]))
    world.stop_server()
    world.verify()
    return "%d jumps" % jumps


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    evq, mode, amount = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else int.from_bytes(os.urandom(4), "little")
    modes = {"kill": kill_rounds, "together": run_together, "soak": soak, "clock": jump_clock}
    world = World(evq, seed)
    try:
        told = modes[mode](world, amount)
    except Exception as error:
        world.stop.set()
        if world.server is not None and world.server.poll() is None:
            world.server.kill()
        sys.exit("storm %s: seed %d, after %d kills: %s\nstore kept: %s" % (
            mode, seed, world.model.kills, error, world.work))
    shutil.rmtree(world.work)
    print("storm %s: %s, %d acknowledged requests, none lost, none twice, seed %d" % (
        mode, told, len(world.model.acknowledged), seed))


if __name__ == "__main__":
    main()
