#!/usr/bin/env python3
"""Measures `evq serve`: ingest over HTTP beside `evq ingest`, queries while ingesting, and memory
under idle connections. Started by tests/bench/http, which builds what it needs.
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
import time

LINES = "application/x-ndjson"


class Server:
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

    def resident_mib(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
        shutil.rmtree(self.store, ignore_errors=True)


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


def measure_ingest(args, clients, lines):
    server = Server(args.evq, args.dir)
    done = run_load(args, server, clients, args.seconds, 0, "/v1/ingest/events", LINES,
                    args.events, lines)
    peak = server.resident_mib()
    server.stop()
    assert done["errors"] == 0, done
    return done["requests"] * lines / done["seconds"], done, peak


def measure_queries(args, ingest_rate):
    """Small queries while events come in at half the rate that was reached alone."""
    server = Server(args.evq, args.dir)
    run_load(args, server, 1, 1, 0, "/v1/ingest/events", LINES, args.events, 1000)
    body = os.path.join(args.dir, "query.json")
    with open(body, "w") as file:
        json.dump({"apl": args.query, "startTime": "now-1m", "endTime": "now"}, file)
    ingest = subprocess.Popen(
        load_command(args, server, 4, args.seconds + 1, ingest_rate / 2 / 1000, "/v1/ingest/events",
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
    args = parser.parse_args()
    cli = measure_cli(args)
    print(f"evq ingest, one file              {cli:12,.0f} events/s")
    best = 0
    for lines in (1000, 10):
        for clients in (1, 8, 64):
            rate, done, peak = measure_ingest(args, clients, lines)
            best = max(best, rate)
            print(f"HTTP, {clients:2} clients, {lines:4} a batch    {rate:12,.0f} events/s  "
                  f"{rate / cli:5.0%} of it, p99 {done['p99_ms']:7.1f} ms, {peak:4.0f} MiB")
    done, alone, beside = measure_queries(args, best)
    print(f"a small query while {beside:,.0f} events/s come in: p50 {done['p50_ms']:.1f} ms, "
          f"p99 {done['p99_ms']:.1f} ms")
    print(f"the same query alone, 4 clients   {alone['requests'] / alone['seconds']:12,.0f} queries/s, "
          f"p99 {alone['p99_ms']:.1f} ms")
    before, grown = measure_idle(args, 1000)
    print(f"1,000 idle connections            {grown:12.1f} MiB over {before:.0f}, "
          f"{grown * 1024 / 1000:.1f} KiB each")


if __name__ == "__main__":
    main()
