#!/usr/bin/env python3
"""How answers look in a terminal, and what the commands of the prompt change about them.
See repl_screen.py."""

import os
import sys
import time

from repl_screen import FOLDER, Screen, equal, run, main


def test_time_of_arrival_only_when_asked_for():
    with Screen() as screen:
        screen.expect("evq>")
        screen.type("web | where ms == 0", "Enter")
        screen.expect("│ _time", "geo.city", "1 row", absent=("_sysTime",))
        screen.fresh()
        screen.type("web | where ms == 0 | project-keep _sysTime, ms", "Enter")
        screen.expect("│ _sysTime", "1 row")


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


def test_answers_go_to_a_file():
    folder = os.path.join(FOLDER, "sent")
    os.makedirs(folder, exist_ok=True)
    with Screen() as screen:
        screen.expect("evq>")
        screen.type(f".output {folder}/rows.txt", "Enter")
        screen.expect(f"answers go to {folder}/rows.txt, as table, until .output alone")
        screen.fresh()
        screen.type("web | where ms < 2 | project ms", "Enter")
        screen.expect(f"wrote 2 rows to {folder}/rows.txt", "2 rows · 500 scanned", "evq>", absent=("│",))
        screen.fresh()
        screen.type(".output", "Enter")
        screen.expect("answers are shown here")
        screen.type("print a = 1", "Enter")
        screen.expect("│ 1 │")
        with open(f"{folder}/rows.txt", encoding="utf-8") as file:
            equal(file.read().splitlines()[3:5], ["│  1 │", "│  0 │"])
        screen.fresh()
        screen.type(f".once {folder}/ro", "Tab")
        screen.expect(f".once {folder}/rows.txt")


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


def test_what_follows_an_answer_follows_a_pager_that_is_left_early():
    # More than a pipe holds: the pager is left while its input is still being written.
    run(["ingest", "big"], "".join('{"_time":%d,"text":"%s"}\n' % (1714521600 + i, "x" * 300) for i in range(1200)))
    with Screen(["query", "big"], columns=80, rows=24, PAGER="less -RSX") as screen:
        screen.expect("│", ":")
        screen.keys("q")
        screen.expect('1,000 rows shown, the newest; add "| limit N" or --all for more',
                      "1,000 rows · 1,200 scanned · 1/1 blocks", "ended with 0")
    with Screen(["query", "big | project text", "-o", "csv"], rows=24, PAGER="less -RSX") as screen:
        screen.expect("xxx", ":")
        screen.keys("q")
        screen.expect("ended with 0", absent=("error",))
    run(["dataset", "delete", "big", "--yes"])


def test_no_pager_where_the_terminal_has_no_screen():
    with Screen(["query", "web | project ms"], term="dumb", rows=24, PAGER="less -RSX") as screen:
        screen.expect("│   0 │", "500 rows", "ended with 0")
    with Screen(["help"], term="dumb", rows=24, PAGER="less -RSX") as screen:
        screen.expect("ended with 0")
    with Screen(term="dumb", rows=24, PAGER="less -RSX") as screen:
        screen.expect("evq>")
        screen.type("web | project ms", "Enter")
        screen.expect("│   0 │", "500 rows", "evq>")


def test_colors_in_a_pager():
    for variables, colors in (({"PAGER": "less"}, True), ({"EVQ_PAGER": "less -S"}, True),
                              ({"PAGER": "less", "LESS": "-S"}, False), ({"PAGER": "less -X", "LESS": ""}, False),
                              ({"PAGER": "less", "LESS": "RX"}, True)):
        with Screen(["query", "web | project ms"], rows=20, **variables) as screen:
            screen.expect("│")
            equal("\x1b[1m" in screen.text("-e"), colors)
            assert "ESC[" not in screen.text(), screen.text()
            screen.keys("q")


def test_ctrl_c_is_the_pagers():
    with Screen(["query", "web | project ms"], PAGER="less -RSX", rows=20) as screen:
        screen.expect("│ 499 │", ":")
        for _ in range(3):
            screen.keys("C-c")
            time.sleep(0.3)
        # less drops keys while it handles a signal; this one means the same however often it comes.
        screen.expect_after(lambda: screen.keys("G"), "│   0 │", "(END)")


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
        screen.type("web | wh")
        screen.expect("web | wh")
        screen.keys("C-c")
        screen.expect("web | wh^C\nevq>")
        screen.type("print 1 + 1", "Enter")
        screen.expect("│       2 │", "evq>")
        screen.keys("C-d")
        screen.expect("evq>\nended with 0")


def test_a_tall_query_is_kept_whole():
    with Screen(rows=8) as screen:
        screen.expect("evq>")
        screen.type("print strcat(")
        screen.keys("M-Enter")
        for i in range(12):
            screen.type("'%d'," % i)
            screen.keys("M-Enter")
        screen.expect("strcat(", "text")
        screen.type("'end')", "Enter")
        screen.expect("01234567891011end")
        whole = screen.text("-S", "-100")
        for i in range(12):
            assert "...> '%d'," % i in whole, whole


def test_resize():
    with Screen(columns=80) as screen:
        screen.expect("evq>")
        screen.type("web | where method == 'GET' and status == 200 and ms < 5 | project ms")
        screen.tmux("resize-window", "-t", "0", "-x", "40", "-y", "30")
        screen.expect("evq> web | where method == 'GET' and sta\n")
        screen.keys("Enter")
        screen.expect("3 rows")


if __name__ == "__main__":
    sys.exit(main(globals()))
