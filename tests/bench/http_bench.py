#!/usr/bin/env python3
"""Measures `evq serve`: ingest over HTTP beside `evq ingest` and, where its binary is given,
VictoriaLogs; queries while ingesting; what slow clients cost others, and idle ones of memory.
Started by tests/bench/http, which builds what it needs.
"""

import argparse
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

LINES = "application/x-ndjson"
STREAM_FIELD = "service"


class Server:
    """A process that serves from a directory of its own."""

    ingest_path = "/v1/ingest/events"

    def __init__(self, evq, directory):
        self.store = tempfile.mkdtemp(prefix="serve-", dir=directory)
        self.process = subprocess.Popen(
            [evq, "--store", self.store, "serve", "--no-auth", "--no-access-log", "--listen",
             "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            found = re.search(r"listening on http://127.0.0.1:(\d+)", line)
            if found:
                self.port = found.group(1)
                break

    def settle(self):
        """What was answered is durable already."""

    def resident_mib(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
        shutil.rmtree(self.store, ignore_errors=True)


class VictoriaLogs(Server):
    ingest_path = f"/insert/jsonline?_time_field=_time&_msg_field=message&_stream_fields={STREAM_FIELD}"

    def __init__(self, binary, directory):
        self.store = tempfile.mkdtemp(prefix="victoria-", dir=directory)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = str(free.getsockname()[1])
        self.process = subprocess.Popen(
            [binary, "-httpListenAddr=127.0.0.1:" + self.port, "-storageDataPath=" + self.store,
             "-retentionPeriod=50y", "-loggerLevel=ERROR"])
        deadline = time.monotonic() + 30
        while not self.answers("/metrics"):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"{binary} does not serve")
            time.sleep(0.05)

    def answers(self, path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=60) as answer:
                answer.read()
            return True
        except (urllib.error.URLError, OSError):
            return False

    def settle(self):
        """It answers before anything is on disk: what it has is counted once it is."""
        self.answers("/internal/force_flush")


def load_command(args, server, clients, seconds, rate, path, kind, file, lines):
    return [args.load, server.port, str(clients), str(seconds), str(rate), path, kind, file,
            str(lines)]


def run_load(*words):
    return json.loads(subprocess.run(load_command(*words), stdout=subprocess.PIPE, check=True).stdout)


def measure_cli(args):
    store = tempfile.mkdtemp(prefix="cli-", dir=args.dir)
    started = time.monotonic()
    subprocess.run([args.evq, "--quiet", "--store", store, "ingest", "events", args.events],
                   check=True, stdout=subprocess.DEVNULL)
    rate = args.count / (time.monotonic() - started)
    shutil.rmtree(store, ignore_errors=True)
    return rate


def measure_ingest(args, server, clients, lines):
    done = run_load(args, server, clients, args.seconds, 0, server.ingest_path, LINES, args.events,
                    lines)
    started = time.monotonic()
    server.settle()
    seconds = done["seconds"] + time.monotonic() - started
    peak = server.resident_mib()
    server.stop()
    assert done["errors"] == 0, done
    return done["requests"] * lines / seconds, done, peak


def measure_queries(args, ingest_rate):
    """Small queries while events come in at half the rate that was reached alone."""
    server = Server(args.evq, args.dir)
    run_load(args, server, 1, 1, 0, server.ingest_path, LINES, args.events, 1000)
    body = os.path.join(args.dir, "query.json")
    with open(body, "w") as file:
        json.dump({"apl": args.query, "startTime": "now-1m", "endTime": "now"}, file)
    ingest = subprocess.Popen(
        load_command(args, server, 4, args.seconds + 1, ingest_rate / 2 / 1000, server.ingest_path,
                     LINES, args.events, 1000), stdout=subprocess.PIPE)
    time.sleep(0.5)
    done = run_load(args, server, 4, args.seconds, 100, "/v1/query/_apl?format=tabular",
                    "application/json", body, 0)
    beside = json.loads(ingest.communicate()[0])
    alone = run_load(args, server, 4, args.seconds, 0, "/v1/query/_apl?format=tabular",
                     "application/json", body, 0)
    server.stop()
    assert done["errors"] == 0 and alone["errors"] == 0, (done, alone)
    return done, alone, beside["requests"] * 1000 / beside["seconds"]


class SlowClients:
    """A third send a head byte by byte, a third a body, a third read a long answer so; each comes
    again when the server has enough of it."""

    HEAD = b"POST /v1/ingest/slow HTTP/1.1\r\nHost: localhost\r\n"

    def __init__(self, server, count):
        self.address = ("127.0.0.1", int(server.port))
        query = json.dumps({"apl": "events | limit 50000"})
        asks = (f"POST /v1/query/_apl HTTP/1.1\r\nHost: localhost\r\n"
                f"Content-Length: {len(query)}\r\n\r\n{query}").encode()
        begins = [self.HEAD + b"X-", self.HEAD + b"Content-Length: 100000\r\n\r\n[", asks]
        self.clients = []
        for i in range(count):
            begin = begins[i % len(begins)]
            self.clients.append((begin, self.open(begin)))
            if begin is asks:
                assert self.clients[-1][1].recv(1), "no answer"
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def open(self, begin):
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.connect(self.address)
        sock.sendall(begin)
        return sock

    def run(self):
        while not self.ended.wait(0.01):
            for i, (begin, sock) in enumerate(self.clients):
                try:
                    if begin.startswith(self.HEAD):
                        sock.send(b"1")
                    else:
                        sock.recv(10)
                except OSError:
                    sock.close()
                    self.clients[i] = (begin, self.open(begin))

    def stop(self):
        self.ended.set()
        self.thread.join()
        for _, sock in self.clients:
            sock.close()


def measure_slow(args, count):
    """A client that sends ten events and one that asks a small query, alone and beside slow ones."""
    server = Server(args.evq, args.dir)
    run_load(args, server, 8, 1, 0, server.ingest_path, LINES, args.events, 1000)
    body = os.path.join(args.dir, "query.json")
    works = {"ten events": (server.ingest_path, LINES, args.events, 10),
             "a small query": ("/v1/query/_apl?format=tabular", "application/json", body, 0)}
    found = {}
    slow = None
    for beside in (False, True):
        slow = SlowClients(server, count) if beside else None
        for name, work in works.items():
            done = run_load(args, server, 1, args.seconds, 50, *work)
            assert done["errors"] == 0, done
            found.setdefault(name, []).append(done)
    slow.stop()
    server.stop()
    return found


def measure_idle(args, connections):
    server = Server(args.evq, args.dir)
    before = server.resident_mib()
    sockets = []
    for _ in range(connections):
        sock = socket.create_connection(("127.0.0.1", int(server.port)))
        sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        sock.recv(4096)
        sockets.append(sock)
    grown = server.resident_mib() - before
    for sock in sockets:
        sock.close()
    server.stop()
    return before, grown


def main():
    parser = argparse.ArgumentParser()
    for name in ("evq", "load", "events", "dir"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--count", type=int, required=True, help="events in the file")
    parser.add_argument("--seconds", type=float, default=5, help="of each measurement")
    parser.add_argument("--query", default="events | summarize count() by bin(_time, 10s)")
    parser.add_argument("--victorialogs", help="its server binary")
    args = parser.parse_args()
    cli = measure_cli(args)
    print(f"evq ingest, one file              {cli:12,.0f} events/s")
    best = 0
    for lines in (1000, 10):
        for clients in (1, 8, 64):
            rate, done, peak = measure_ingest(args, Server(args.evq, args.dir), clients, lines)
            best = max(best, rate)
            print(f"HTTP, {clients:2} clients, {lines:4} a batch    {rate:12,.0f} events/s  "
                  f"{rate / cli:5.0%} of it, p99 {done['p99_ms']:7.1f} ms, {peak:4.0f} MiB")
            if args.victorialogs:
                peer = VictoriaLogs(args.victorialogs, args.dir)
                its_rate, its_done, its_peak = measure_ingest(args, peer, clients, lines)
                print(f"  VictoriaLogs                    {its_rate:12,.0f} events/s  "
                      f"evq {rate / its_rate:.1f} x, p99 {its_done['p99_ms']:7.1f} ms, "
                      f"{its_peak:4.0f} MiB")
    done, alone, beside = measure_queries(args, best)
    print(f"a small query while {beside:,.0f} events/s come in: p50 {done['p50_ms']:.1f} ms, "
          f"p99 {done['p99_ms']:.1f} ms")
    print(f"the same query alone, 4 clients   {alone['requests'] / alone['seconds']:12,.0f} queries/s, "
          f"p99 {alone['p99_ms']:.1f} ms")
    for name, (alone, beside) in measure_slow(args, 100).items():
        print(f"{name}, 50 a second, alone and beside 100 slow clients: "
              f"p50 {alone['p50_ms']:.1f} and {beside['p50_ms']:.1f} ms, "
              f"p99 {alone['p99_ms']:.1f} and {beside['p99_ms']:.1f} ms")
    before, grown = measure_idle(args, 1000)
    print(f"1,000 idle connections            {grown:12.1f} MiB over {before:.0f}, "
          f"{grown * 1024 / 1000:.1f} KiB each")


if __name__ == "__main__":
    main()
