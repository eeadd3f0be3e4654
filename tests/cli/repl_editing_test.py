#!/usr/bin/env python3
"""What a person types at the prompt of evq: completion, history, lines, the editor, signals.
See repl_screen.py."""

import os
import signal
import subprocess
import sys
import termios

from repl_screen import (EVQ, FOLDER, WAIT_S, Screen, environment, expect_bytes, run,
                         wait_for_handler, main)


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
    with Screen(["--store", os.path.join(FOLDER, "no such"), "repl"], columns=150) as screen:
        screen.expect("No events yet", "evq --store '%s/no such' ingest logs" % FOLDER,
                      "evq --store '%s/no such' demo" % FOLDER, "evq>")
        screen.keys("C-d")
        screen.expect("ended with 0")


def test_mistakes_are_marked_while_they_are_typed():
    with Screen() as screen:
        screen.expect("evq>")
        screen.type("web | where stauts")
        screen.expect("where stauts")
        assert "unknown" not in screen.text(), screen.text()
        screen.type(" == 500")
        screen.expect("unknown field 'stauts' in 'web': did you mean 'status'?")
        assert "\x1b[4m\x1b[31mstauts" in screen.text("-e"), screen.text("-e")
        screen.type(" | summarize count(")  # help for the call comes first
        screen.expect("count([value])")
        assert "unknown" not in screen.text(), screen.text()
        screen.type(") by path")
        screen.expect("by path", "unknown field 'stauts'")
        screen.keys("C-a", "M-f", "M-f", "M-f", "M-BSpace")
        screen.type("status")
        screen.expect("where status == 500 |")
        assert "unknown" not in screen.text(), screen.text()
        screen.fresh()
        screen.type("web | count", "Enter")
        screen.expect("500")
        screen.type("| where nobody == 1 ")  # of what it goes on from
        screen.expect("unknown field 'nobody'")


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
        screen.expect("count() b\n", "by", "between")
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
        screen.fresh()
        screen.type(".tail web-", "Tab")
        screen.expect(".tail web-logs")
        screen.type(" ", "Tab")
        screen.expect(".tail web-logs", "T | count", absent=("dataset",))
        screen.fresh()
        screen.type(".tail web | where stat", "Tab")
        screen.expect("| where status")
        screen.fresh()
        screen.type(".tail web where sta", "Tab")
        screen.expect("where sta\n", "status", "startofday")
        screen.fresh()
        screen.type(".tail ['web-logs'] | where no", "Tab")
        screen.expect("where no\n", "note")
        screen.fresh()
        screen.type(".schema ['web-logs']", "Enter")
        screen.expect("note", "string")
        screen.fresh()
        screen.type(".tail ['web-logs'] | project note", "Enter")
        screen.expect("note=x")
        screen.keys("C-c")
        screen.expect("^C\nevq>")
        screen.fresh()
        screen.type(".mo", "Tab")
        screen.expect("evq> .mode")
        screen.type("mark", "Tab", "Enter")
        screen.expect("evq markdown>")


def test_a_dataset_whose_name_begins_with_a_digit_is_completed():
    run(["ingest", "2024-logs"], '{"a":1}\n')
    with Screen() as screen:
        screen.expect("evq>")
        screen.type("20", "Tab")
        screen.expect("evq> ['2024-logs']")
    run(["dataset", "delete", "2024-logs", "--yes"])


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

        def ask():
            screen.fresh()
            screen.type("web | where method == ", "Tab")

        screen.expect_after(ask, "GET", "60%", "POST", "20%")  # the data may need a second look
        screen.fresh()
        screen.type("web | where method in ('GET', 'PO", "Tab")
        screen.expect("in ('GET', 'POST'")
        screen.fresh()
        screen.type("web | where status == 5", "Tab")
        screen.expect("status == 500")


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


def test_a_signal_that_ends_the_prompt_leaves_the_terminal_as_it_was():
    events = os.path.join(FOLDER, "events.ndjson")
    with open(events, "w", encoding="utf-8") as file:
        file.write('{"n":1}\n')
    for words in (["repl"], ["repl", "--file", events]):  # loading a file has handlers of its own
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            screen, terminal = os.openpty()
            process = subprocess.Popen([EVQ, *words], stdin=terminal, stdout=terminal, stderr=terminal,
                                       env=environment(TERM="xterm"), start_new_session=True)
            expect_bytes(screen, b"\x1b[?2004h")  # the prompt has begun
            assert not termios.tcgetattr(terminal)[3] & termios.ICANON
            process.send_signal(number)
            assert process.wait(timeout=WAIT_S) == -number, process.returncode
            assert termios.tcgetattr(terminal)[3] & termios.ICANON
            expect_bytes(screen, b"\x1b[?2004l")
            os.close(screen)
            os.close(terminal)


def test_a_signal_while_files_are_loaded():
    pipe = os.path.join(FOLDER, "pipe.ndjson")
    os.mkfifo(pipe)
    for number in (signal.SIGTERM, signal.SIGINT):
        process = subprocess.Popen([EVQ, "repl", "--file", pipe], stdin=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, env=environment())
        wait_for_handler(lambda: process.pid, signal.SIGTERM)
        process.send_signal(number)
        assert "cancelled" in process.communicate(timeout=WAIT_S)[1]
        assert process.returncode == 128 + number, process.returncode


def test_an_edited_query_is_in_the_history():
    with Screen(VISUAL="sed -i s/1/2/") as screen:
        screen.expect("evq>")
        screen.type("print n = 1", "Enter")
        screen.expect("1 row")
        screen.type(".edit", "Enter")
        screen.expect("print n = 2", "1 row")
        screen.keys("Up")
        screen.expect("1 row", "evq> print n = 2")


def test_an_edit_that_is_dropped_runs_nothing():
    with Screen(VISUAL="true") as screen:
        screen.expect("evq>")
        screen.type("print alive = 1", "Enter")
        screen.expect("alive", "1 row")
        screen.fresh()
        screen.type(".edit", "Enter")
        screen.type("print after = 1", "Enter")
        screen.expect("after", "1 row", absent=("alive",))
    with Screen(VISUAL="touch") as screen:  # written as it was
        screen.expect("evq>")
        screen.type("print alive = 1", "Enter")
        screen.expect("alive", "1 row")
        screen.fresh()
        screen.type(".edit", "Enter")
        screen.expect("alive", "1 row")


def test_pasted_queries():
    paste = "\x1b[200~print first = 1\n.null nothing\nprint second = 2\n// the end\x1b[201~"
    with Screen(rows=40) as screen:
        screen.expect("evq>")
        screen.type(paste, "Enter")
        screen.expect("│ first │", "null is shown as nothing", "│ second │", "1 row", "evq>", absent=("error",))


def test_a_comment_before_a_text_that_goes_on():
    with Screen(rows=40) as screen:
        screen.expect("evq>")
        screen.type("print kept = 41", "Enter")
        screen.expect("│ kept │", "1 row")
        screen.type("// only big", "Enter")
        screen.expect("...>")
        screen.type("| extend more = kept + 1", "Enter")
        screen.expect("│ more │", "42", "1 row", absent=("error",))


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


if __name__ == "__main__":
    sys.exit(main(globals()))
