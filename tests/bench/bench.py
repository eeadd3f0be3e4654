#!/usr/bin/env python3
"""Measures evq beside DuckDB, ClickHouse and VictoriaLogs: ingest, size, hot and cold queries, memory.

Called by tests/bench/run, which builds the programs and passes their places in the environment:
EVQ, GENERATE, METER, PEER_DRIVER, and DUCKDB_LIB, CHDB_LIB and VLOGS (a server binary of
VictoriaLogs) where those peers are to be had.
Results gather in DIR/results-<events>.json; a run of one engine refreshes only its figures.

  ingest  a fresh store from one NDJSON file in the page cache until every byte is on disk,
          process start and exit included; duckdb_json is DuckDB with one JSON column
  hot     one untimed run, then timed ones in one process; evq answers over HTTP on loopback as it
          would a client and so does VictoriaLogs, DuckDB in-memory chunks, ClickHouse JSON text
  cold    a new process opens the store, runs one query and ends
  growth  evq's figures of every size that was measured, beside each other: with --set growth
          --datasets requests and --events 1000000, 10000000, 100000000 in turn
"""
import argparse
import concurrent.futures
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

import bench_tables

HERE = pathlib.Path(__file__).resolve().parent
TIME_FIELD = {"otel": "_time", "bluesky": "time_us", "services": "_time", "requests": "_time",
              "views": "_time"}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steps", nargs="*", default=["ingest", "hot", "cold", "table"],
                        help="of: data ingest hot cold table growth")
    parser.add_argument("--dir", type=pathlib.Path, required=True, help="data, stores and results")
    parser.add_argument("--events", type=int, default=1_000_000, help="events per data set")
    parser.add_argument("--engines", default="evq,duckdb,duckdb_json,clickhouse,victorialogs")
    parser.add_argument("--datasets", default="otel,bluesky")
    parser.add_argument("--set", default="queries", choices=["queries", "kinds", "growth", "views"],
                        help="the file of queries: kinds.json has more of the same kinds, for "
                             "DuckDB; growth.json those of the data set requests, "
                             "views.json those of the data set views")
    parser.add_argument("--queries", default="", help="prefixes of query names, comma separated")
    parser.add_argument("--runs", type=int, default=5, help="timed runs of a query")
    parser.add_argument("--ingest-runs", type=int, default=2)
    parser.add_argument("--figure", default="ms", choices=["ms", "cpu"],
                        help="what tables show: elapsed time or, on a busy machine, processor time")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--quiet", type=float, default=0,
                        help="wait up to so many seconds for an idle machine before each item")
    return parser.parse_args()


ARGS = parse_arguments()
QUERIES = json.loads((HERE / f"{ARGS.set}.json").read_text())


# ------------------------------------------------------------------ measuring
def measure(command, stdin=None, env=None):
    """Runs a process; wall and CPU seconds, peak RSS in MB, and its output."""
    figures = ARGS.dir / "meter.json"
    process = subprocess.run([os.environ["METER"], figures, *command], input=stdin or "",
                             capture_output=True, text=True, errors="replace",
                             env=dict(os.environ, **(env or {})), check=False)
    if process.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {process.returncode}: {process.stderr[-600:]}")
    read = json.loads(figures.read_text())
    return {"wall": read["wall"], "cpu": read["cpu"], "rss": read["rss_kb"] / 1024,
            "out": process.stdout, "err": process.stderr}


def wait_until_idle():
    """Waits while others use more than an eighth of the machine."""
    def ticks():
        with open("/proc/stat", encoding="ascii") as stat:
            return list(map(int, stat.readline().split()[1:9]))
    end = time.monotonic() + ARGS.quiet
    while time.monotonic() < end:
        before = ticks()
        time.sleep(0.2)
        spent = [b - a for a, b in zip(before, ticks())]
        if sum(spent) and (spent[3] + spent[4]) / sum(spent) > 0.88:
            return


def parts_of(path):
    """A store's directory or file, and files beside it such as a write-ahead log."""
    return [p for p in (path, *path.parent.glob(path.name + ".*")) if p.exists()]


def files_under(path):
    return [p for part in parts_of(path) for p in (part, *part.rglob("*")) if p.is_file()]


def sync_files(path):
    start = time.perf_counter()
    for file in files_under(path):
        with open(file, "rb") as opened:
            os.fsync(opened.fileno())
    return time.perf_counter() - start


def data_file(dataset):
    return ARGS.dir / ("services.ndjson" if dataset == "services"
                       else f"{dataset}-{ARGS.events}.ndjson")


# ------------------------------------------------------------------ engines
class Engine:
    name = ""

    def store(self, dataset):
        return ARGS.dir / "stores" / f"{self.name}-{dataset}-{ARGS.events}"

    def wipe(self, dataset):
        for path in parts_of(self.store(dataset)):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()

    def size(self, dataset):
        return sum(file.stat().st_size for file in files_under(self.store(dataset)))


class Server(Engine):
    """An engine that is asked over HTTP on loopback: subclasses say how it is started and asked."""

    def __init__(self):
        self.process, self.port = None, 0

    def serve_command(self, dataset, port):
        raise NotImplementedError

    def request(self, query):
        """Path, body and type of body of a POST that answers the query."""
        raise NotImplementedError

    def start(self, dataset):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process = subprocess.Popen(self.serve_command(dataset, self.port),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.wait_ready()
        except RuntimeError:
            self.stop()
            raise

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def wait_ready(self):
        end = time.monotonic() + 30
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=1):
                    return
            except OSError:
                time.sleep(0.002)
        raise RuntimeError(f"{self.name} does not accept connections")

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)

    def ask(self, connection, query):
        """Status and start of the answer, which is read to its end and not kept."""
        path, body, kind = self.request(query)
        connection.request("POST", path, body, {"Content-Type": kind})
        response = connection.getresponse()
        head = b""
        while part := response.read(1 << 18):
            head = head or part[:200]
        return response.status, head.decode(errors="replace")

    def ask_repeatedly(self, connection, query):
        wait_until_idle()
        wall, cpu, head = [], [], ""
        for _ in range(ARGS.runs + 1):
            start, used = time.perf_counter(), process_cpu(self.process.pid)
            status, head = self.ask(connection, query)
            wall.append((time.perf_counter() - start) * 1e3)
            cpu.append((process_cpu(self.process.pid) - used) * 1e3)
            if status >= 400:
                return {"ms": [], "cpu": [], "head": head}
        return {"ms": wall[1:], "cpu": cpu[1:], "head": head}

    def hot(self, dataset, queries):
        self.start(dataset)
        try:
            connection = self.connect()
            results = {q["id"]: self.ask_repeatedly(connection, q) for q in queries}
            return results, process_rss(self.process.pid)
        finally:
            self.stop()


class Evq(Server):
    """Every assumption about evq's command line and HTTP interface is here."""
    name = "evq"

    def available(self):
        return "EVQ" in os.environ

    def command(self, dataset, *words):
        return [os.environ["EVQ"], "--store", str(self.store(dataset)), *words]

    def text(self, query):
        return query.get("apl")

    def ingest(self, dataset):
        def load(name):
            return measure(self.command(dataset, "ingest", name, str(data_file(name)),
                                        "--timestamp-field", TIME_FIELD[name]))
        result = load(dataset)
        if dataset == "otel":
            load("services")
        return result

    def cold(self, dataset, query):
        return measure(self.command(dataset, "query", "-o", "json", self.text(query)))

    def serve_command(self, dataset, port):
        return self.command(dataset, "serve", "--no-auth", "--no-access-log", "--listen",
                            f"127.0.0.1:{port}")

    def request(self, query):
        return ("/v1/datasets/_apl?format=tabular", json.dumps({"apl": self.text(query)}),
                "application/json")


class VictoriaLogs(Server):
    """Events come in over one HTTP stream a thread. What its version refuses is left out: queries, or
    events whose times are numbers. Cold is from the server's start to the answer's last byte."""
    name = "victorialogs"
    fields = {"otel": "_time_field=_time&_msg_field=message&_stream_fields=service",
              "bluesky": "_time_field=time_us&_stream_fields="
                         "kind,commit.collection,commit.operation"}

    def available(self):
        return os.path.exists(os.environ.get("VLOGS", ""))

    def text(self, query):
        return query.get("logsql")

    def serve_command(self, dataset, port):
        return [os.environ["VLOGS"], f"-httpListenAddr=127.0.0.1:{port}",
                f"-storageDataPath={self.store(dataset)}", "-retentionPeriod=50y",
                "-search.maxQueryDuration=10m", "-loggerLevel=ERROR"]

    def request(self, query):
        body = {"query": self.text(query), **query.get("logsql_args", {})}
        return ("/select/logsql/query", urllib.parse.urlencode(body),
                "application/x-www-form-urlencoded")

    def send(self, dataset, begin, end):
        def parts():
            with open(data_file(dataset), "rb") as file:
                file.seek(begin)
                while file.tell() < end:
                    yield file.read(min(1 << 20, end - file.tell()))
        try:
            connection = self.connect()
            connection.request("POST", "/insert/jsonline?" + self.fields[dataset], parts(),
                               {"Content-Type": "application/stream+json"}, encode_chunked=True)
            if connection.getresponse().status < 300:
                return
        except ConnectionError:  # it answers in the middle of the body
            pass
        raise RuntimeError(f"{self.name} refuses events")

    def ingest(self, dataset):
        cuts = line_starts(data_file(dataset), ARGS.threads)
        self.start(dataset)
        try:
            start = time.perf_counter()
            with concurrent.futures.ThreadPoolExecutor(ARGS.threads) as senders:
                for sent in [senders.submit(self.send, dataset, *span)
                             for span in zip(cuts, cuts[1:])]:
                    sent.result()
            connection = self.connect()
            connection.request("GET", "/internal/force_flush")
            connection.getresponse().read()
            return {"wall": time.perf_counter() - start, "cpu": process_cpu(self.process.pid),
                    "rss": process_rss(self.process.pid)}
        finally:
            self.stop()

    def cold(self, dataset, query):
        start = time.perf_counter()
        self.start(dataset)
        try:
            status, head = self.ask(self.connect(), query)
            if status >= 400:
                raise RuntimeError(head)
            return {"wall": time.perf_counter() - start, "cpu": process_cpu(self.process.pid),
                    "rss": process_rss(self.process.pid)}
        finally:
            self.stop()


def line_starts(file, parts):
    """Offsets that cut a file into about equal parts of whole lines: parts + 1 of them."""
    size = file.stat().st_size
    cuts = [0]
    with open(file, "rb") as opened:
        for part in range(1, parts):
            opened.seek(size * part // parts)
            opened.readline()
            cuts.append(opened.tell())
    return [*cuts, size]


def process_cpu(pid):
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            total += int((task / "schedstat").read_text().split()[0])
        except OSError:
            pass
    return total / 1e9


def process_rss(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0


class Library(Engine):
    """An engine reached through its C interface by peer_driver."""
    kind = library = setup = ingest_setup = ""

    def available(self):
        return os.path.exists(os.environ.get(self.library, ""))

    def command(self, dataset, *words):
        return [os.environ["PEER_DRIVER"], self.kind, os.environ[self.library],
                str(self.store(dataset)), *words]

    def run_file(self, dataset, statements, *words, setup):
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
            file.write("\n;;\n".join(statements))
            file.flush()
            return measure(self.command(dataset, *words, file.name), env={"SETUP": setup})

    def ingest(self, dataset):
        return self.run_file(dataset, self.load_statements(dataset), "script",
                             setup=self.ingest_setup)

    def hot(self, dataset, queries):
        run = self.run_file(dataset, [self.text(q) for q in queries], "hot", str(ARGS.runs + 1),
                            setup=self.setup)
        results = {}
        for query, line in zip(queries, run["out"].splitlines()):
            read = json.loads(line)
            results[query["id"]] = {"ms": read["ms"][1:], "cpu": read["cpu"][1:],
                                    "head": read["head"]}
        return results, run["rss"]

    def cold(self, dataset, query):
        return measure(self.command(dataset, "cold"), stdin=self.text(query),
                       env={"SETUP": self.setup})


class DuckDB(Library):
    """Columns and structs as DuckDB detects them."""
    name, kind, library = "duckdb", "duckdb", "DUCKDB_LIB"
    setup = ingest_setup = f"SET threads={ARGS.threads};;SET TimeZone='UTC'"

    def store(self, dataset):
        return super().store(dataset).with_suffix(".db")

    def text(self, query):
        return query.get("duckdb_sql")

    def load_statements(self, dataset):
        names = ["otel", "services"] if dataset == "otel" else [dataset]
        return [f"CREATE TABLE {name} AS SELECT * FROM read_json('{data_file(name)}', "
                "format='newline_delimited')" for name in names] + ["CHECKPOINT"]


class DuckDBJson(DuckDB):
    """Each event as it is in one column of type JSON: how fast it can be taken in at most."""
    name = "duckdb_json"

    def text(self, query):
        return None

    def load_statements(self, dataset):
        return [f"CREATE TABLE {dataset} AS SELECT json FROM "
                f"read_ndjson_objects('{data_file(dataset)}')", "CHECKPOINT"]


class ClickHouse(Library):
    """Typed columns and a JSON column for what is open, ordered by time, with the skip indexes that
    log schemas use."""
    name, kind, library = "clickhouse", "chdb", "CHDB_LIB"
    ingest_setup = f"SET max_threads={ARGS.threads};;SET max_insert_threads={ARGS.threads}"
    # What its filters found the last time is a cache of results.
    setup = f"SET max_threads={ARGS.threads};;SET use_query_condition_cache=0;;USE evb"
    otel = {"_time": "DateTime64(6,'UTC')", "service": "LowCardinality(String)",
            "method": "LowCardinality(String)", "uri": "String", "status": "UInt16",
            "resp_body_size": "UInt64", "req_duration_ms": "Float64",
            "geo": "Tuple(city LowCardinality(String), country LowCardinality(String))",
            "user_agent": "LowCardinality(String)", "trace_id": "String", "message": "String",
            "attributes": "JSON"}
    codecs = {"_time": " CODEC(Delta, ZSTD(1))", "uri": " CODEC(ZSTD(1))",
              "trace_id": " CODEC(ZSTD(1))", "message": " CODEC(ZSTD(1))",
              "attributes": " CODEC(ZSTD(1))"}
    bluesky = ("JSON(kind LowCardinality(String), `commit.operation` LowCardinality(String), "
               "`commit.collection` LowCardinality(String), did String, time_us UInt64)")
    services = "service String, team String, tier UInt8, oncall String"
    views = ("_time DateTime64(3,'UTC') CODEC(Delta, ZSTD(1)), view_id UInt64, user_id UInt64, "
             "site UInt16, region UInt32, address UInt32, refresh UInt8, link UInt8, "
             "download UInt8, uncounted UInt8, source UInt8, campaign UInt16, width UInt16, "
             "window_width UInt16, window_height UInt16, phone UInt16, phone_model String, "
             "engine UInt16, phrase String, url_hash UInt64, url String, title String, "
             "referer_hash UInt64, referer String")

    def text(self, query):
        return query.get("clickhouse_sql")

    def size(self, dataset):
        """Live parts only: merged-away ones linger for minutes."""
        sql = ("SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'evb'")
        run = measure(self.command(dataset, "cold"), stdin=sql, env={"SETUP": "", "SHOW": "1"})
        return int(run["out"].split("]")[0].strip('["'))

    def load_statements(self, dataset):
        if dataset == "views":
            return ["CREATE DATABASE evb",
                    f"CREATE TABLE evb.views ({self.views}) ENGINE = MergeTree ORDER BY _time",
                    f"INSERT INTO evb.views SELECT * FROM file('{data_file(dataset)}', "
                    "'JSONEachRow') SETTINGS date_time_input_format='best_effort'"]
        if dataset != "otel":
            return ["CREATE DATABASE evb",
                    f"CREATE TABLE evb.bluesky (data {self.bluesky} CODEC(ZSTD(1))) "
                    "ENGINE = MergeTree ORDER BY data.time_us",
                    f"INSERT INTO evb.bluesky SELECT * FROM file('{data_file(dataset)}', "
                    f"'JSONAsObject', $$data {self.bluesky}$$)"]
        plain = ", ".join(f"{name} {kind}" for name, kind in self.otel.items())
        coded = ", ".join(f"{name} {kind}{self.codecs.get(name, '')}"
                          for name, kind in self.otel.items())
        return ["CREATE DATABASE evb",
                f"CREATE TABLE evb.otel ({coded}, "
                "INDEX i_trace trace_id TYPE bloom_filter(0.001) GRANULARITY 1, "
                "INDEX i_message message TYPE text(tokenizer = 'splitByNonAlpha')) "
                "ENGINE = MergeTree ORDER BY _time",
                f"INSERT INTO evb.otel SELECT * FROM file('{data_file(dataset)}', 'JSONEachRow', "
                f"$${plain}$$) SETTINGS date_time_input_format='best_effort'",
                f"CREATE TABLE evb.services ({self.services}) ENGINE = MergeTree ORDER BY service",
                f"INSERT INTO evb.services SELECT * FROM file('{data_file('services')}', "
                f"'JSONEachRow', '{self.services}')"]


ENGINES = {engine.name: engine for engine in (Evq(), DuckDB(), DuckDBJson(), ClickHouse(),
                                             VictoriaLogs())}


# ------------------------------------------------------------------ results
def results_path():
    return ARGS.dir / f"results-{ARGS.events}.json"


def load_results():
    return json.loads(results_path().read_text()) if results_path().exists() else {}


def save(kind, engine, name, value):
    results = load_results()
    results.setdefault(kind, {}).setdefault(engine, {})[name] = value
    results_path().write_text(json.dumps(results, indent=1))


def chosen_engines():
    wanted = ARGS.engines.split(",")
    for name in wanted:
        if not ENGINES[name].available():
            print(f"{name}: not here, left out", file=sys.stderr)
    return [ENGINES[name] for name in wanted if ENGINES[name].available()]


def chosen_queries(dataset, engine):
    """Those that are put in the engine's language."""
    prefixes = tuple(ARGS.queries.split(","))
    return [q for q in QUERIES
            if q["dataset"] == dataset and q["id"].startswith(prefixes) and engine.text(q)]


def engines_with(dataset):
    return [engine for engine in chosen_engines() if engine.store(dataset).exists()]


def chosen_datasets():
    return ARGS.datasets.split(",")


# ------------------------------------------------------------------ steps
def step_data():
    for dataset in [*chosen_datasets(), "services"]:
        file = data_file(dataset)
        if not file.exists():
            partial = file.with_suffix(".partial")
            with open(partial, "wb") as out:
                subprocess.run([os.environ["GENERATE"], dataset, str(ARGS.events)], stdout=out,
                               check=True)
            partial.rename(file)
        with open(file, "rb") as opened:  # into the page cache
            while opened.read(1 << 24):
                pass


def step_ingest():
    for dataset in chosen_datasets():
        raw = data_file(dataset).stat().st_size
        for engine in chosen_engines():
            runs = []
            for _ in range(ARGS.ingest_runs):
                engine.wipe(dataset)
                engine.store(dataset).parent.mkdir(exist_ok=True)
                wait_until_idle()
                try:
                    run = engine.ingest(dataset)
                except RuntimeError as error:
                    print(f"ingest {engine.name} {dataset}: {error}", file=sys.stderr)
                    engine.wipe(dataset)
                    break
                run["wall"] += sync_files(engine.store(dataset))
                runs.append(run)
            if not runs:
                continue
            value = {key: statistics.median(run[key] for run in runs)
                     for key in ("wall", "cpu", "rss")}
            save("ingest", engine.name, dataset,
                 dict(value, raw=raw, size=engine.size(dataset), events=ARGS.events))
            print(f"ingest {engine.name} {dataset}: {value['wall']:.2f} s", file=sys.stderr)


def step_hot():
    for dataset in chosen_datasets():
        for engine in engines_with(dataset):
            queries = chosen_queries(dataset, engine)
            if not queries:
                continue
            try:
                results, rss = engine.hot(dataset, queries)
            except RuntimeError as error:
                print(f"hot {engine.name} {dataset}: {error}", file=sys.stderr)
                continue
            save("rss", engine.name, dataset, rss)
            for name, figures in results.items():
                save("hot", engine.name, name, figures)
                if not figures["ms"]:
                    print(f"hot {engine.name} {name}: {figures['head']}", file=sys.stderr)


def step_cold():
    for dataset in chosen_datasets():
        for engine in engines_with(dataset):
            for query in chosen_queries(dataset, engine):
                wait_until_idle()
                try:
                    runs = [engine.cold(dataset, query) for _ in range(ARGS.runs)]
                except RuntimeError as error:
                    print(f"cold {engine.name} {query['id']}: {error}", file=sys.stderr)
                    continue
                save("cold", engine.name, query["id"],
                     {"ms": [run["wall"] * 1e3 for run in runs],
                      "cpu": [run["cpu"] * 1e3 for run in runs],
                      "rss": max(run["rss"] for run in runs)})


def step_table():
    results = load_results()
    bench_tables.print_ingest(results.get("ingest", {}))
    for title, kind in (("Hot", "hot"), ("Cold", "cold")):
        bench_tables.print_queries(title, results.get(kind, {}), QUERIES, list(ENGINES),
                                   ARGS.figure)
    rss = [f"{engine} {dataset} {value:.0f}" for engine, datasets in results.get("rss", {}).items()
           for dataset, value in datasets.items()]
    print("\npeak RSS during the hot queries, MB: " + ", ".join(rss))


def step_growth():
    sizes = sorted((int(path.stem.split("-")[1]), json.loads(path.read_text()))
                   for path in ARGS.dir.glob("results-*.json"))
    bench_tables.print_growth(sizes, json.loads((HERE / "growth.json").read_text()), ARGS.figure)


STEPS = {"data": step_data, "ingest": step_ingest, "hot": step_hot, "cold": step_cold,
         "table": step_table, "growth": step_growth}

for step in ["data", *ARGS.steps]:
    STEPS[step]()
