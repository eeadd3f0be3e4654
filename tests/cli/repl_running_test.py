#!/usr/bin/env python3
"""What runs for long in a terminal: queries with their progress, and events as they arrive.
See repl_screen.py."""

import re
import signal
import subprocess
import sys
import time

from repl_screen import (EVQ, Screen, Server, environment, equal, has_color, run, slow_query,
                         wait_for_handler, wait_until, main)


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
    with Screen("--tz Europe/Berlin dataset list", columns=40) as screen:
        screen.expect("levels", "2024-05-01T02:00:00+02:00", "ended with 0", absent=("┌",))
    with Screen("dataset list", columns=80) as screen:
        screen.expect("│ levels", "│      3 │", "2024-05-01T00:00:00Z │ 2024-05-01T00:00:02Z │")
    run(["dataset", "delete", "levels", "--yes"])


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


def test_progress_on_a_terminal_that_becomes_narrower():
    with Screen(["query", slow_query("web")], columns=100) as screen:
        screen.expect("scanning", "rows")
        screen.tmux("resize-window", "-t", "0", "-x", "12", "-y", "30")
        wait_until(lambda: re.fullmatch("scannin.?…", screen.text()))  # one line, and nothing else
        screen.keys("C-c")
        screen.expect("ended with")


def test_a_dumb_terminal_shows_no_line_that_moves():
    with Screen(["query", slow_query("web")], columns=150, term="dumb") as screen:
        wait_for_handler(screen.child, signal.SIGINT)
        time.sleep(0.6)
        screen.keys("C-c")
        screen.expect("ended with 130", absent=("scanning",))


def test_a_large_table_is_laid_out():
    with Screen(["query", "range n from 1 to 4000000 step 1 | extend t = strcat('text ', n)", "--all",
                 "--memory-limit", "4G", "--no-pager"], columns=100) as screen:
        screen.expect("laying out")
        line = next(line for line in screen.text().splitlines() if line.startswith("laying out"))
        assert "/s" not in line and "rows" not in line, line
        screen.keys("C-c")
        screen.expect("ended with 130")


def test_progress_at_the_prompt_moves():
    with Screen(columns=150) as screen:
        screen.expect("evq>")
        screen.type(slow_query("web"), "Enter")
        seconds = lambda: float((re.search(r"scanning  (\d+\.\d)", screen.text()) or ["", 0])[1])
        first = wait_until(seconds)
        wait_until(lambda: seconds() > first)
        screen.keys("C-c")
        screen.expect("cancelled", "evq>")


def test_zones_are_completed():
    with Screen(rows=40) as screen:
        screen.expect("evq>")
        screen.type(".tz Europe/Be", "Tab")
        screen.expect("Europe/Berlin")


def test_tail_with_the_pipeline_in_quotes():
    for line in (".tail web 'where ms > 497 | project ms'", '.tail web "where ms > 497 | project ms"',
                 ".tail web | where ms > 497 | project ms"):
        with Screen() as screen:
            screen.expect("evq>")
            screen.type(line, "Enter")
            screen.expect("ms=498", "ms=499", absent=("error",))


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


def test_interrupt_cancels_the_query():
    with Screen() as screen:
        screen.expect("evq>")
        screen.type(slow_query("web"), "Enter")
        screen.expect("scanning")
        screen.keys("C-c")
        screen.expect("cancelled", "evq>")
        screen.type("print alive = 1", "Enter")
        screen.expect("alive", "1 row")


def test_watch():
    event = '{"_time":"2024-05-01T00:00:0%dZ","n":%d}\n'
    run(["ingest", "watched"], event % (0, 0))
    with Screen(rows=24) as screen:
        screen.expect("evq>")
        screen.type(".watch", "Enter")
        screen.expect("there is no query yet")
        screen.type(".watch 0.05 watched", "Enter")
        screen.expect("0.1 seconds to a day, not 0.05")
        screen.type(".watch 2x watched", "Enter")
        screen.expect("'2x' is not a number of seconds")
        screen.fresh()
        screen.type(".watch 0.2 watched | summarize number = count()", "Enter")
        screen.expect("Z  every 0.2 s  watched | summarize number = count()", "│      1 │", "1 row")
        screen.type("junk that is not seen")
        run(["ingest", "watched"], event % (1, 1))
        text = screen.expect("│      2 │", absent=("│      1 │", "junk"))
        equal(text.count("every 0.2 s"), 1)
        screen.keys("C-c")
        screen.expect("│      2 │", "evq>", absent=("^C", "junk", "cancelled"))
        screen.fresh()
        screen.type(".watch 0.2", "Enter")
        screen.expect("every 0.2 s  watched | summarize number = count()", "│      2 │")
        screen.type("q")
        screen.expect("1 row", "evq>")
        screen.fresh()
        screen.type(".watch 0.2 | extend twice = number * 2", "Enter")
        screen.expect("│      2 │     4 │")
        run(["dataset", "delete", "watched", "--yes"])
        screen.expect("│      2 │     4 │", "no dataset named 'watched'", "evq>")
        screen.type(".last", "Enter")
        screen.expect("evq> .last", "│      2 │     4 │")


def test_watched_pictures():
    chart = "web | summarize n = count() by bin(_time, 1h) | render timechart"
    with Screen(rows=20) as screen:
        screen.expect("evq>")
        screen.type(".watch 0.2 " + chart, "Enter")
        for _ in range(3):
            time.sleep(0.3)
            equal(screen.expect("every 0.2 s", "9 rows").count("every 0.2 s"), 1)
        screen.tmux("resize-window", "-t", "0", "-x", "60", "-y", "16")
        equal(screen.expect("every 0.2 s", "rows").count("every"), 1)
        screen.keys("C-c")
        screen.expect("rows", "evq>")


def test_watched_answers_that_do_not_fit():
    with Screen(rows=10) as screen:
        screen.expect("evq>")
        screen.type(".watch 0.3 web | project ms | take 12", "Enter")
        wait_until(lambda: screen.text("-S", "-200").count("every 0.3 s") > 1)
        screen.keys("C-c")
        screen.expect("12 rows", "evq>")


def test_watch_on_a_server():
    with Server() as server, Screen("--server " + server.url) as screen:
        screen.expect("web, web-logs")
        screen.type(".watch 0.2 web | count", "Enter")
        screen.expect("every 0.2 s", "│   500 │", "1 row")
        server.stop()
        screen.expect("│   500 │", "cannot connect to " + server.url)


if __name__ == "__main__":
    sys.exit(main(globals()))
