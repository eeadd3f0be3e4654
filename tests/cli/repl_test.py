#!/usr/bin/env python3
"""Drives the prompt of evq: python3 tests/cli/repl_test.py EVQ [NAME...]

Through pipes, and in a real terminal by keys: tmux shows what a person would see. Exit 77, with the
reason, where tmux is missing. NAME chooses tests by a part of their name.
"""

import http.server
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import threading
import time
import traceback
import urllib.request

EVQ = os.path.abspath(sys.argv[1])
CHOSEN = sys.argv[2:]
FOLDER = tempfile.mkdtemp(prefix="evq-repl-")
STORE = os.path.join(FOLDER, "store")
WAIT_S = 20.0

METHODS = ["GET", "GET", "GET", "POST", "PUT"]
STATUSES = [200, 200, 200, 404, 500]


def environment(**changes):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("EVQ_", "AXIOM_", "CLICOLOR")) and k not in ("NO_COLOR", "PAGER", "TMUX")}
    env.update(LC_ALL="C.UTF-8", XDG_STATE_HOME=os.path.join(FOLDER, "state"), HOME=FOLDER,
               EVQ_STORE=STORE, TZ="UTC")
    env.update(changes)
    return env


def load_events():
    lines = []
    for i in range(500):
        lines.append('{"_time":"2024-05-01T%02d:%02d:00Z","method":"%s","status":%d,"path":"/p/%d",'
                     '"geo":{"city":"Oslo"},"user-agent":"curl/8","ms":%d}'
                     % (i // 60, i % 60, METHODS[i % 5], STATUSES[i % 5], i % 7, i))
    run(["ingest", "web"], "\n".join(lines))
    run(["ingest", "web-logs"], '{"_time":"2024-05-01T00:00:00Z","note":"x"}\n')


def run(arguments, text="", **changes):
    return subprocess.run([EVQ] + arguments, input=text, capture_output=True, text=True, timeout=60,
                          env=environment(**changes), check=False)


def expect_bytes(terminal, expected):
    """Reads a terminal until `expected` has come: one read may end before it."""
    seen = b""
    while expected not in seen:
        assert select.select([terminal], [], [], WAIT_S)[0], f"{expected} has not come after {seen}"
        seen += os.read(terminal, 65536)


def wait_for_handler(find_process, number):
    """Waits until the process that find_process() gives, None while there is none, handles a signal."""
    end = time.monotonic() + WAIT_S
    while True:
        process = find_process()
        try:
            with open("/proc/%d/status" % process, encoding="ascii") as status:
                caught = next(line for line in status if line.startswith("SigCgt"))
            if int(caught.split()[1], 16) >> (number - 1) & 1:
                return
        except (TypeError, FileNotFoundError):
            pass  # not there yet
        assert time.monotonic() < end, "signal %d is not handled" % number
        time.sleep(0.03)


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
        except FileNotFoundError:
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
        """Waits until the screen holds all parts, in this order, and none of the absent ones."""
        end = time.monotonic() + WAIT_S
        while True:
            now = self.text()
            at = 0
            for part in parts:
                found = now.find(part, at)
                at = found + len(part) if found >= 0 else -1
                if at < 0:
                    break
            if at >= 0 and not any(part in now for part in absent):
                return now
            if time.monotonic() > end:
                raise AssertionError("wanted %r without %r; the screen is\n%s" % (parts, absent, now))
            time.sleep(0.03)

    def fresh(self):
        """An empty prompt on an empty screen."""
        self.keys("C-c")
        time.sleep(0.1)
        self.keys("C-l")
        end = time.monotonic() + WAIT_S
        while not (self.text().endswith(">") and "\n" not in self.text()):
            assert time.monotonic() < end, "no fresh prompt: " + self.text()
            time.sleep(0.03)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server")


def has_color(screen, color, word):
    return re.search("\x1b\\[%dm(\x1b\\[49m)?%s" % (color, word), screen) is not None


def equal(found, wanted):
    assert found == wanted, "found\n%s\nwanted\n%s" % (found, wanted)


# ---------------------------------------------------------------- pipes

def test_pipe_answers_as_ndjson():
    done = run(["repl"], "web | count\n")
    equal((done.stdout, done.stderr, done.returncode), ('{"Count":500}\n', "", 0))


def test_pipe_reads_several_queries():
    done = run(["repl"], "web\n| where status == 500\n| count\n\nprint a = 1 +\n2\n.mode csv\nprint b = 2")
    equal(done.stdout, '{"Count":100}\n{"a":3}\nb\n2\n')
    equal(done.returncode, 0)


def test_pipe_goes_on_after_an_error():
    done = run(["repl"], "web | wher x\nprint 1\n")
    equal(done.stdout, '{"print_0":1}\n')
    equal(done.stderr, "error[unknown-operator]: no operator named 'wher'\n  --> query:1:7\n   |\n"
                       " 1 | web | wher x\n   |       ^^^^\n   = did you mean 'where'?\n")
    equal(done.returncode, 3)


def test_the_prompt_names_its_own_commands():
    for query, hint in (
            ("nope | count", ".datasets shows what there is"), ("web | limit", "see: .help limit"),
            ("web | extend x = foo(1)", ".help functions lists them all"),
            ("evq query 'web | count'", "this is evq's prompt: a query stands here alone, and .help lists the commands"),
            ("ingest web x.json", "events are loaded in the shell: evq ingest DATASET FILE"),
            ("ls", ".datasets shows what there is"), ("tables;", ".datasets shows what there is"),
            ("clear", "Ctrl-L clears the screen"),
            ("history", "Up and Ctrl-R search the history"),
            ("webs", "did you mean 'web'?   (also: ['web-logs'])")):
        done = run(["repl"], query + "\n")
        equal(done.stderr.splitlines()[-1], "   = " + hint)
    run(["ingest", "history"], '{"a":1}\n')
    done = run(["repl"], "history | nope\n")
    assert "Ctrl-R" not in done.stderr, done.stderr
    run(["dataset", "delete", "history", "--yes"])
    done = run(["repl"], ".help limit\n")
    assert done.stdout.startswith(".limit [N|all]\n") and "T | limit N" in done.stdout, done.stdout
    equal(run(["repl"], ".help .limit\n").stdout.count("\n"), 2)


def test_pipe_without_a_store():
    done = run(["repl"], "print 1\n", EVQ_STORE=os.path.join(FOLDER, "none"))
    equal((done.stdout, done.returncode), ('{"print_0":1}\n', 0))
    assert not os.path.exists(os.path.join(FOLDER, "none"))


def test_commands_in_a_pipe():
    done = run(["repl"], ".since 10x\n.mode xml\n.foo\n.sinc\n.limit -1\n.tz Mars\n.schema nope\nexit\nprint 1\n")
    for text in ("'10x' is not a time", "no form 'xml'", "no command '.foo'", "did you mean '.since'?",
                 "'-1' is not a number of rows", "no time zone 'Mars'", "nope"):
        assert text in done.stderr, done.stderr
    equal(done.stdout, "")


def test_queries_keep_what_they_decode():
    query = "web | where path == '/p/3' | count\n"
    def cached(commands):
        return int(re.search(r"blocks cached +(\d+)", run(["repl"], commands + ".stats\n").stdout)[1])
    equal(cached(query), 0)
    equal(cached(query + query) > 0, True)


def test_save_and_load():
    target = os.path.join(FOLDER, "rows.csv")
    query = os.path.join(FOLDER, "rows.apl")
    done = run(["repl"], "web | where ms < 2 | project ms, method\n.save %s\n.save %s\n.load %s\n.save x.foo\n"
               % (target, query, query))
    with open(target, encoding="utf-8") as file:
        equal(file.read(), "ms,method\n1,GET\n0,GET\n")
    equal(done.stdout.count('{"ms":1,"method":"GET"}'), 2)
    assert "does not say what to write" in done.stderr


class Server:
    """evq serve over the tests' store."""

    def __init__(self):
        self.process = subprocess.Popen(
            [EVQ, "serve", "--listen", "127.0.0.1:0", "--no-auth", "--no-access-log"],
            stderr=subprocess.PIPE, text=True, env=environment())
        self.url = ""
        for line in self.process.stderr:
            if "listening on" in line:
                self.url = line.rsplit(" ", 1)[1].strip()
                return
        raise AssertionError("the server did not start")

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stderr.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class OldServer:
    """Passes everything on to a server but what only evq's own servers know."""

    def __init__(self, url):
        class Handler(http.server.BaseHTTPRequestHandler):
            def forward(self):
                size = int(self.headers.get("Content-Length", 0))
                body = self.rfile.read(size) if size else None
                if self.path in ("/v1/_complete", "/v1/_check"):
                    self.reply(404, b'{"message":"no such path"}')
                    return
                request = urllib.request.Request(url + self.path, body, method=self.command)
                request.add_header("Content-Type", "application/json")
                with urllib.request.urlopen(request, timeout=WAIT_S) as answer:
                    self.reply(answer.status, answer.read())

            def reply(self, status, body):
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = forward

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def test_pipe_to_a_server():
    with Server() as server:
        done = run(["repl"], "web | where ms == 1 | project ms, method\n.store\n.datasets\n.schema web\n"
                   "web | wher x\n.explain web\n", EVQ_SERVER=server.url)
        assert done.stdout.startswith('{"ms":1,"method":"GET"}\nthe server is ' + server.url), done.stdout
        for text in ("web-logs", "500", "geo.city", "string"):
            assert text in done.stdout, done.stdout
        assert "  --> query:1:7\n" in done.stderr and "did you mean 'where'?" in done.stderr, done.stderr
        assert "scan web" in done.stdout, done.stdout
        equal(done.returncode, 3)
    done = run(["repl"], "web | count\n", EVQ_SERVER="http://127.0.0.1:1")
    assert "cannot connect" in done.stderr, done.stderr
    equal((done.stdout, done.returncode), ("", 6))


# ---------------------------------------------------------------- a terminal

def test_start_and_leave():
    with Screen("") as screen:
        screen.expect("evq 0.", "web, web-logs", "evq>")
        assert len(screen.text().split("\n")[0]) <= 100
        screen.keys("C-d")
        screen.expect("ended with 0")
    with Screen("repl", EVQ_STORE=os.path.join(FOLDER, "none")) as screen:
        screen.expect("No events yet", "evq ingest logs", "evq>")
        screen.type("print 1 + 1", "Enter")
        screen.expect("│       2 │", "evq>")
        screen.type("exit", "Enter")
        screen.expect("ended with 0")


def test_completion():
    with Screen() as screen:
        screen.expect("evq>")
        screen.type("web", "Tab")
        screen.expect("web", "web-logs", "dataset")
        screen.keys("Tab", "Tab", "Enter")
        screen.expect("evq> ['web-logs']")
        screen.fresh()
        screen.type("web | proj", "Tab")
        screen.expect("project", "T | project", "project-away")
        screen.fresh()
        screen.type("web | where ge", "Tab")
        screen.expect("geo.city", "string", "genai_")
        screen.fresh()
        screen.type("web | where user", "Tab")
        screen.expect("evq> web | where ['user-agent']")
        screen.fresh()
        screen.type("web | extend total = ms * 2 | where tota", "Tab")
        screen.expect("| where total")
        screen.fresh()
        screen.type("web | summarize co", "Tab")
        screen.expect("count(", "countif(predicate)", "Counts the rows for which")
        screen.fresh()
        screen.type("web | summarize count() b", "Tab")
        screen.expect("count() b\n", "between", "by")
        screen.type("y bin(_time, ")
        screen.expect("by bin(_time,", "bin(value, size)", "size:")
        screen.fresh()
        screen.type("web | join kind=lefto", "Tab")
        screen.expect("kind=leftouter")
        screen.fresh()
        screen.type("web | join kind=", "Tab")
        screen.expect("inner ", "leftouter", "rightsemi")
        screen.fresh()
        screen.type(".help summ", "Tab")
        screen.expect("evq> .help summarize")
        screen.fresh()
        screen.type("print 1 | render timec", "Tab")
        screen.expect("render timechart")
        screen.fresh()
        screen.type(".explain web | proj", "Tab")
        screen.expect(".explain web | project", "project-away")
        screen.keys("C-c")
        screen.type(".mo", "Tab")
        screen.expect("evq> .mode")
        screen.type("mark", "Tab", "Enter")
        screen.expect("evq markdown>")


def test_names_do_not_drive_the_terminal():
    store = os.path.join(FOLDER, "hostile")
    run(["ingest", "hostile"], '{"evil\\u001b]2;driven\\u0007x":1,"w":"v\\u001b]2;driven\\u0007"}\n',
        EVQ_STORE=store)
    with Screen(EVQ_STORE=store) as screen:
        screen.expect("evq>")
        screen.type("hostile | where ev", "Tab")
        screen.expect("where ['evil\\x1b]2;driven\\x07x']")
        screen.type(" == 1", "Enter")
        screen.expect("│ v\\x1b]2;driven\\x07 │")
        screen.fresh()
        screen.type("hostile | wh")
        screen.expect("hostile | where ['evil\\x1b]2;driven\\x07x'] == 1")
        screen.fresh()
        screen.type("hostile | where w == ", "Tab")
        screen.expect("v\\x1b]2;driven\\x07  ")
        screen.fresh()
        for command in (".schema hostile", ".explain", ".profile", ".last line", ".last csv"):
            screen.type(command, "Enter")
            screen.expect("driven")
            screen.fresh()
        screen.type("hostile | where ['evil\\x1b]2;driven'] == 1", "Enter")
        screen.expect("did you mean ['evil\\x1b]2;driven\\x07x']?")
        assert "driven" not in screen.tmux("display-message", "-p", "-t", "0", "#{pane_title}")


def test_completion_of_values():
    with Screen() as screen:
        screen.expect("evq>")
        for _ in range(3):  # a slow machine may need a second look at the data
            screen.type("web | where method == ", "Tab")
            time.sleep(1)
            if "60%" in screen.text():
                break
            screen.fresh()
        screen.expect("GET", "60%", "POST", "20%")
        screen.fresh()
        screen.type("web | where method in ('GET', 'PO", "Tab")
        screen.expect("in ('GET', 'POST'")
        screen.fresh()
        screen.type("web | where status == 5", "Tab")
        screen.expect("status == 500")


def test_a_server():
    with Server() as server, Screen("--server " + server.url, rows=40) as screen:
        prompt = "evq %s>" % server.url[len("http://"):]
        screen.expect(server.url + ": web, web-logs", prompt)
        screen.type("web | where sta", "Tab")
        screen.expect("status", "long", "startofday")
        screen.fresh()
        screen.type("web | where method == 'P", "Tab")
        screen.expect("POST", "20%")
        screen.fresh()
        screen.type("web | summarize n = count() by status | render barchart", "Enter")
        screen.expect("200", "████", "300", "3 rows", prompt)
        screen.fresh()
        screen.type("web | where stauts == 1", "Enter")
        screen.expect("--> query:1:13", "^^^^^^", "did you mean 'status'?", prompt)
        screen.fresh()
        screen.type(".tail web where ms >= 498 | project ms", "Enter")
        screen.expect("ms=498\nms=499")
        screen.keys("C-c")
        screen.expect("ms=499", prompt)
        screen.fresh()
        server.stop()
        screen.type("web | count", "Enter")
        screen.expect("cannot connect to " + server.url, "does the server run?", prompt)


def test_a_server_that_completes_nothing():
    with Server() as server, OldServer(server.url) as old, Screen("--server " + old.url) as screen:
        screen.expect("web, web-logs", ">")
        for text, wanted in (("web | where sta", ("status", "long", "startofday")),
                             ("web | where method == 'P", ("POST", "20%")),
                             ("web | proj", ("project", "project-away"))):
            screen.type(text, "Tab")
            screen.expect(*wanted)
            screen.fresh()
        screen.type(".explain web", "Enter")
        screen.expect("does not tell its plans")


def test_tail_for_people():
    event = '{"_time":"2024-05-01T00:00:0%dZ","level":"%s","text":"%s"}\n'
    run(["ingest", "levels"], event % (0, "info", "a b") + event % (1, "error", "\\u001b[31m\\u009b")
        + event % (2, "warn", "c"))
    with Screen("tail levels --tz Europe/Berlin") as screen:
        screen.expect('_time=2024-05-01T02:00:00+02:00 level=info text="a b"', "level=error",
                      'text="\\u001b[31m\\x9b"', "level=warn")
        colored = screen.text("-e")
        assert has_color(colored, 31, "error") and has_color(colored, 33, "warn"), colored
        assert not has_color(colored, 31, "info"), colored
    with Screen("tail levels -o csv --fields text") as screen:
        screen.expect("text\na b\n", "\\u001b[31m\\u009b", "\nc")
    with Screen("--color never query levels -o table") as screen:
        screen.expect("│ error │")
        assert "\x1b[3" not in screen.text("-e"), screen.text("-e")
    with Screen("query levels -o table") as screen:
        screen.expect("│ error │")
        assert has_color(screen.text("-e"), 31, "error"), screen.text("-e")
    with Screen("--tz Europe/Berlin dataset list", columns=60) as screen:
        screen.expect("levels", "2024-05-01T02:00:00+02:00", "ended with 0", absent=("┌",))
    with Screen("dataset list", columns=80) as screen:
        screen.expect("│ levels", "│      3 │", "2024-05-01T00:00:00Z │ 2024-05-01T00:00:02Z │")
    run(["dataset", "delete", "levels", "--yes"])


def slow_query(dataset):
    again = " | extend k = 1 | join (%s | extend k = 1) on k" % dataset  # 500 times as many rows each
    return dataset + 3 * again + " | count"


def test_progress_of_a_single_query():
    with Screen(["query", slow_query("web")], columns=150) as screen:
        screen.expect("scanning")
        screen.keys("C-c")
        screen.expect("ended with 130", absent=("scanning",))
    with Screen(["query", "--quiet", slow_query("web")], columns=150) as screen:
        wait_for_handler(screen.child, signal.SIGINT)
        screen.keys("C-c")
        screen.expect("ended with 130", absent=("scanning",))
    process = subprocess.Popen([EVQ, "query", slow_query("web")], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True, env=environment())
    wait_for_handler(lambda: process.pid, signal.SIGUSR1)
    process.send_signal(signal.SIGUSR1)
    assert process.stderr.readline().startswith("scanning"), "SIGUSR1 is not answered"
    process.send_signal(signal.SIGINT)
    equal(process.wait(), 130)
    process.stderr.close()


def test_tail():
    event = '{"_time":"2024-05-01T00:00:0%dZ","n":%d}\n'
    run(["ingest", "tailed"], "".join(event % (i, i) for i in range(3)))
    with Screen() as screen:
        screen.expect("evq>")
        screen.type(".tail tailed where n != 1 | project n", "Enter")
        screen.expect("n=0\nn=2")
        run(["ingest", "tailed"], event % (0, 7))
        screen.expect("n=0\nn=2\nn=7")
        screen.keys("C-c")
        screen.expect("n=7", "evq>")
        screen.type(".tail tailed where n == 2", "Enter")
        screen.expect("\n_time=2024-05-01T00:00:02Z n=2", absent=("_sysTime",))
        screen.keys("C-c")
        screen.expect("n=2", "evq>")
        screen.type(".tail tailed count", "Enter")
        screen.expect("each event alone", "evq>")
    run(["dataset", "delete", "tailed", "--yes"])


def test_going_on_from_the_last_query():
    with Screen("repl --no-pager") as screen:
        screen.expect("evq>")
        screen.type("web | where status == 500 | project ms, method", "Enter")
        screen.expect("100 rows", "evq>")
        screen.fresh()
        screen.type("| where m", "Tab")
        screen.expect("evq> | where m", "method", "string")
        screen.type("s < 50 | count", "Enter")
        screen.expect("│    10 │", "evq>")
        screen.fresh()
        screen.type("| where stats == 1", "Enter")
        screen.expect("unknown field 'stats'", "--> query:3:9", "evq>")


def test_time_of_arrival_only_when_asked_for():
    with Screen() as screen:
        screen.expect("evq>")
        screen.type("web | where ms == 0", "Enter")
        screen.expect("│ _time", "geo.city", "1 row", absent=("_sysTime",))
        screen.fresh()
        screen.type("web | where ms == 0 | project-keep _sysTime, ms", "Enter")
        screen.expect("│ _sysTime", "1 row")


def test_lines():
    with Screen() as screen:
        screen.expect("evq>")
        screen.type("web |", "Enter")
        screen.expect("evq> web |\n...>")
        screen.type("where ms < 3 and (", "Enter")
        screen.type("method == 'GET') | project ms", "Enter")
        screen.expect("...>", "...>", "3 rows")
        screen.fresh()
        screen.type("web | where (", "Enter", "Enter")
        screen.expect("error[", "^", "evq>")
        screen.fresh()
        screen.type("web", "M-Enter")
        screen.type("| count", "Enter")
        screen.expect("evq> web\n...> | count", "500", "1 row · 500 scanned")


def test_history():
    with Screen() as screen:
        screen.expect("evq>")
        screen.type("print needle = 1", "Enter")
        screen.expect("needle", "1 row")
        screen.keys("C-d")
        screen.expect("ended with 0")
    with Screen() as screen:
        screen.expect("evq>")
        screen.type("print nee")
        screen.expect("evq> print needle = 1")  # the hint
        screen.keys("Right", "Enter")
        screen.expect("│      1 │", "1 row")
        screen.fresh()
        screen.keys("C-r")
        screen.type("needle")
        screen.expect("search 'needle': print needle = 1")
        screen.keys("Enter")
        screen.expect("1 row")


def test_forms_that_are_not_shown():
    done = run(["repl"], ".mode nonsense\n.mode cvs\n.last nonsense\n")
    assert done.stderr == ("error: there is no form 'nonsense'\n  = .mode lists them\n"
                           "error: there is no form 'cvs'\n  = did you mean 'csv'?\n"
                           "error: there is no answer yet\n  = run a query first\n"), done.stderr
    with Screen() as screen:
        screen.expect("evq>")
        screen.type(".mode parquet", "Enter")
        screen.expect("error: a terminal cannot show Parquet\n  = write it to a file: .save answer.parquet")


def test_errors_keep_their_shape():
    with Screen(rows=40) as screen:
        screen.expect("evq>")
        screen.type("web | where stats == 2", "Enter")
        screen.expect("error[unknown-field]: unknown field 'stats' in 'web'", "--> query:1:13",
                      "1 | web | where stats == 2", "^^^^^", "= did you mean 'status'?", "evq>")
        screen.type("wbe | count", "Enter")
        screen.expect("no dataset named 'wbe'", "did you mean 'web'?", "evq>")


def test_interrupt_cancels_the_query():
    with Screen() as screen:
        screen.expect("evq>")
        screen.type(slow_query("web"), "Enter")
        time.sleep(0.5)
        screen.keys("C-c")
        screen.expect("cancelled", "evq>")
        screen.type("print alive = 1", "Enter")
        screen.expect("alive", "1 row")


def test_a_signal_that_ends_the_prompt_leaves_the_terminal_as_it_was():
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        screen, terminal = os.openpty()
        process = subprocess.Popen([EVQ, "repl"], stdin=terminal, stdout=terminal, stderr=terminal,
                                   env=environment(TERM="xterm"), start_new_session=True)
        wait_for_handler(lambda: process.pid, signal.SIGTERM)
        assert not termios.tcgetattr(terminal)[3] & termios.ICANON
        process.send_signal(number)
        assert process.wait(timeout=WAIT_S) == -number, process.returncode
        assert termios.tcgetattr(terminal)[3] & termios.ICANON
        expect_bytes(screen, b"\x1b[?2004l")
        os.close(screen)
        os.close(terminal)


def test_an_edited_query_is_in_the_history():
    with Screen(VISUAL="sed -i s/1/2/") as screen:
        screen.expect("evq>")
        screen.type("print n = 1", "Enter")
        screen.expect("1 row")
        screen.type(".edit", "Enter")
        screen.expect("print n = 2", "1 row")
        screen.keys("Up")
        screen.expect("1 row", "evq> print n = 2")


def test_keys_are_the_editors_while_it_runs():
    editor = os.path.join(FOLDER, "editor")
    with open(editor, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\necho editing\nexec sleep 60\n")
    os.chmod(editor, 0o700)
    with Screen(VISUAL=editor) as screen:
        screen.expect("evq>")
        screen.type("print kept = 1", "C-x", "C-e")
        screen.expect("editing")
        screen.keys("C-c")
        screen.expect("ended with status 130", "evq> print kept = 1")
        screen.keys("Enter")
        screen.expect("kept", "1 row")
        screen.type(".edit", "Enter")
        screen.expect("1 row", "editing")
        screen.keys("C-c")
        screen.expect("ended with status 130", "evq>")


def test_commands():
    with Screen(rows=60) as screen:
        screen.expect("evq>")
        screen.type(".help", "Enter")
        screen.expect(".datasets", ".quit", "Tab completes")
        screen.fresh()
        screen.type(".help summarize", "Enter")
        screen.expect("T | summarize")
        screen.fresh()
        screen.type(".datasets", "Enter")
        screen.expect("web-logs", "evq>")
        screen.fresh()
        screen.type(".schema web", "Enter")
        screen.expect("status", "long", "geo.city", "string", "evq>")
        screen.fresh()
        screen.type(".since 1h", "Enter")
        screen.expect("evq 1h>")
        screen.type("web | count", "Enter")
        screen.expect("│     0 │", "evq 1h>")
        screen.type(".since off", "Enter")
        screen.expect("all times", "evq>")
        screen.type("web | summarize n = count() by status", "Enter")
        screen.expect("3 rows")
        screen.fresh()
        screen.type(".chart", "Enter")
        screen.expect("200", "████", "300")
        screen.fresh()
        screen.type(".last csv", "Enter")
        screen.expect("status,n\n", "200,300")
        screen.fresh()
        screen.type(".explain", "Enter")
        screen.expect("scan web")
        screen.fresh()
        screen.type(".stats", "Enter")
        screen.expect("rows scanned", "500")
        screen.fresh()
        screen.type(".tz America/New_York", "Enter")
        screen.type("web | where ms == 0 | project _time", "Enter")
        screen.expect("2024-04-30T20:00:00-04:00")
        screen.fresh()
        screen.type(".store /nowhere", "Enter")
        screen.expect("no store at /nowhere", "evq>")
        screen.fresh()
        screen.type(".schema wbe", "Enter")
        screen.expect("dataset 'wbe' not found", "did you mean 'web'?")
        screen.type(".since 5", "Enter")
        screen.expect("'5' has no unit", "5m, 5h or 5d")


def test_files_of_commands():
    folder = os.path.join(FOLDER, "saved")
    os.makedirs(os.path.join(folder, "rows-old"), exist_ok=True)
    with Screen() as screen:
        screen.expect("evq>")
        screen.type("web | where ms == 0 | project ms", "Enter")
        screen.expect("1 row")
        screen.type(f".save {folder}/rows.parquet", "Enter")
        screen.expect("saved 1 row to")
        with open(f"{folder}/rows.parquet", "rb") as file:
            equal(file.read(4), b"PAR1")
        screen.type(f".save {folder}/my query.apl", "Enter")
        screen.expect("saved the query to")
        screen.fresh()
        screen.type(f".read {folder}/my", "Tab")
        screen.expect("saved/my query.apl")
        screen.keys("Enter")
        screen.expect("│  0 │", "1 row")
        screen.fresh()
        screen.type(f".load {folder}/ro", "Tab")
        screen.expect("saved/rows-old/\n", "saved/rows.parquet")
        screen.fresh()
        for word in (".tables", "\\dt", ".ls"):
            screen.type(word, "Enter")
            screen.expect("web-logs", "evq>")
            screen.fresh()
        screen.type("\\d web;", "Enter")
        screen.expect("geo.city", "string", "evq>")
        screen.fresh()
        screen.type("\\nothing", "Enter")
        screen.expect("there is no command '\\nothing'", "evq>")
        screen.type("\\q", "Enter")
        screen.expect("ended with 0")


def test_pager():
    for locale in ("C.UTF-8", ""):  # none, as in many a session over ssh
        with Screen(PAGER="less -RSX", LC_ALL=locale) as screen:
            screen.expect("evq>")
            screen.type("web | project ms", "Enter")
            screen.expect("│ 499 │", ":", absent=("500 rows",))
            screen.keys("q")
            screen.expect("500 rows", "evq>")
    with Screen("repl --no-pager") as screen:
        screen.expect("evq>")
        screen.type("web | project ms", "Enter")
        screen.expect("│   0 │", "500 rows", "evq>")


def test_ctrl_c_is_the_pagers():
    with Screen(["query", "web | project ms"], PAGER="less -RSX", rows=20) as screen:
        screen.expect("│ 499 │", ":")
        for _ in range(3):
            screen.keys("C-c")
            time.sleep(0.3)  # less drops what is typed while it handles the signal
        screen.keys("Space")
        screen.expect("│ 475 │", ":")


def test_wide_rows_become_lines():
    with Screen(columns=50, rows=40) as screen:
        screen.expect("evq>")
        screen.type("web | take 1", "Enter")
        screen.expect("[ 1 ]", "geo.city", "│ Oslo", "status", "│ 500", "1 row")


def test_text_of_all_kinds():
    with Screen() as screen:
        screen.expect("evq>")
        screen.type("datatable(a:string, b:long) ['日本語', 1, '👩‍👩‍👧 é', 2, '\\x1b[31mred\\x07', 3]", "Enter")
        screen.expect("│ 日本語          │ 1 │", "│ \\x1b[31mred\\x07 │ 3 │")


def test_colours():
    with Screen() as screen:
        screen.expect("evq>")
        screen.type("web | where method == 'GET' | take 1")
        screen.expect("take 1")
        assert "\x1b[33mwhere" in screen.text("-e"), screen.text("-e")
        assert "\x1b[32m'GET'" in screen.text("-e"), screen.text("-e")
    for changes in ({"NO_COLOR": "1"}, {"CLICOLOR": "0"}):
        with Screen(**changes) as screen:
            screen.expect("evq>")
            screen.type("web | where x", "Enter")
            screen.expect("error[")
            assert "\x1b[3" not in screen.text("-e"), screen.text("-e")


def test_dumb_terminal():
    with Screen(term="dumb") as screen:
        screen.expect("evq>")
        screen.type("web | where (", "Enter")
        screen.type("ms < 2) | count", "Enter")
        screen.expect("...>", "│     2 │", "evq>")
        assert "\x1b" not in screen.text("-e")


def test_resize():
    with Screen(columns=80) as screen:
        screen.expect("evq>")
        screen.type("web | where method == 'GET' and status == 200 and ms < 5 | project ms")
        screen.tmux("resize-window", "-t", "0", "-x", "40", "-y", "30")
        screen.expect("evq> web | where method == 'GET' and sta\n")
        screen.keys("Enter")
        screen.expect("3 rows")


def main():
    if shutil.which("tmux") is None:
        print("skipped: tmux is not installed (tests/setup.sh installs it)")
        return 77
    passed = failed = 0
    try:
        load_events()
        for name, test in list(globals().items()):
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


if __name__ == "__main__":
    sys.exit(main())
