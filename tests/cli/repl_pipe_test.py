#!/usr/bin/env python3
"""The prompt of evq with its input from a pipe. See repl_screen.py."""

import os
import re
import socket
import subprocess
import sys
import time

from repl_screen import EVQ, FOLDER, STORE, Server, environment, equal, run, main


def test_pipe_answers_as_ndjson():
    done = run(["repl"], "web | count\n")
    equal((done.stdout, done.stderr, done.returncode), ('{"Count":500}\n', "", 0))


def test_pipe_reads_several_queries():
    done = run(["repl"], "web\n| where status == 500\n| count\n\nprint a = 1 +\n2\n.mode csv\nprint b = 2")
    equal(done.stdout, '{"Count":100}\n{"a":3}\nb\n2\n')
    equal(done.returncode, 0)


def test_pipe_reads_queries_of_many_lines():
    lists = "datatable(a:string) ['x',\n// ['y',\n'z'\n,'(']\n| count\nprint dynamic([\n1,\n2\n]),\n3\n"
    equal(run(["repl"], lists).stdout, '{"Count":3}\n{"print_0":[1,2],"print_1":3}\n')
    condition = "web | where ms < 0 or // (\nms == 1 or\n\tms == 2\n| count\n"
    equal(run(["repl"], "let a = 1;\nlet b = 2;\n" + condition).stdout, '{"Count":2}\n')
    many = "print array_length(dynamic([\n" + 20000 * "1,\n" + "0]))\nprint 1\n"
    equal(run(["repl"], many).stdout, '{"print_0":20001}\n{"print_0":1}\n')  # each line read once
    many = "print 1\n" + 20000 * "// and on\n" + "print 2\n" + "// last"
    equal(run(["repl"], many).stdout, '{"print_0":1}\n{"print_0":2}\n')


def test_pipe_reads_functions_whose_body_begins_a_line():
    twice = "let twice = (x:long)\n{\n  x * 2\n};\nprint twice(21)\n"
    equal(run(["repl"], twice + "let none = ()\n{ 7 };\nprint none()\n").stdout,
          '{"print_0":42}\n{"print_0":7}\n')
    tables = "let big = (t:(x:long), k:long)\n{\n  t | where x > k\n};\nbig(datatable(x:long)[1, 2], 1)\n"
    equal(run(["repl"], tables).stdout, '{"x":2}\n')


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
            ("history", "Up and Ctrl-R search the history"), ("history where x", "write | where"),
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


def test_files_without_a_store():
    def write(name, text):
        with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as file:
            file.write(text)
        return os.path.join(FOLDER, name)

    events = write("app.ndjson", '{"_time":"2024-05-01T00:00:00Z","n":1}\n{"_time":"2024-05-01T00:00:01Z","n":2}\nx{\n')
    table = write("prices.csv", "a;b\n3;x\n1;y\n")
    done = run(["repl", "--file", events, table, "--format", "auto"],
               "| count\napp | where n == 2\n.store\n.store %s\nweb | count\n" % STORE)
    equal(done.stdout, '{"Count":4}\n{"_time":"2024-05-01T00:00:01Z","n":2}\n'
                       'the files are %s, %s\n{"Count":500}\n' % (events, table))
    assert done.stderr.startswith(events + ":3:1: "), done.stderr
    equal(done.returncode, 0)

    done = run(["repl", "--file", table, "--csv-delimiter", ";"], "| project a, b\nprint 1\napp\n")
    equal(done.stdout, '{"a":3,"b":"x"}\n{"a":1,"b":"y"}\n{"print_0":1}\n')
    assert "no dataset named 'app'" in done.stderr, done.stderr
    done = run(["repl", "--file", os.path.join(FOLDER, "none.csv")], "print 1\n")
    equal((done.stdout, done.returncode), ("", 1))
    done = run(["repl", "--file", "-"], "print 1\n")
    equal((done.stdout, done.returncode), ("", 2))
    assert "standard input is the prompt's own" in done.stderr, done.stderr


def test_another_store_after_an_answer():
    other = os.path.join(FOLDER, "other")
    run(["--store", other, "ingest", "web"], '{"n":1}\n{"n":2}\n')
    done = run(["repl"], "web | count\n.store %s\n.last\nweb | count\n.store /nowhere\n.last\n" % other)
    equal([line for line in done.stdout.splitlines() if line.startswith("{")],
          ['{"Count":500}', '{"Count":2}', '{"Count":2}'])
    assert "there is no answer yet" in done.stderr, done.stderr  # the other store's went with it
    equal(done.returncode, 2)


def test_a_store_that_comes_after_an_answer():
    store = os.path.join(FOLDER, "later")
    prompt = subprocess.Popen([EVQ, "repl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                              env=environment(EVQ_STORE=store))
    prompt.stdin.write("print 1\n")
    prompt.stdin.flush()
    equal(prompt.stdout.readline(), '{"print_0":1}\n')
    run(["--store", store, "ingest", "web"], '{"n":1}\n')
    equal(prompt.communicate("web | count\n", timeout=60)[0], '{"Count":1}\n')
    equal(prompt.returncode, 0)


def test_commands_in_a_pipe():
    done = run(["repl"], ".since 10x\n.mode xml\n.foo\n.sinc\n.limit -1\n.tz Mars\n.schema nope\nexit\nprint 1\n")
    for text in ("'10x' is not a time", "no form 'xml'", "no command '.foo'", "did you mean '.since'?",
                 "'-1' is not a number of rows", "no time zone 'Mars'", "nope"):
        assert text in done.stderr, done.stderr
    equal(done.stdout, "")


def test_times_the_wrong_way_round():
    done = run(["repl"], ".since 1h\n.until 2h\nweb | count\n")
    equal(done.stderr, "queries read events since 1h\nqueries read events until 2h\n"
                       "note: the time range ends before it begins\n")


def test_each_end_of_the_times_is_by_itself():
    done = run(["repl"], ".since 2000-01-01\n.until 2000-01-02\n.since off\nweb | count\n.until off\nweb | count\n")
    equal(done.stdout, '{"Count":0}\n{"Count":500}\n')
    assert "queries read all times until 2000-01-02\n" in done.stderr, done.stderr


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
    done = run(["repl"], "print a = 1\n.save %s/rows.jsonl\n.save '%s/rows.logfmt'\n.save \"%s/my q.apl\"\n"
               ".load \"%s/my q.apl\"\n" % (FOLDER, FOLDER, FOLDER, FOLDER))
    equal(done.stdout, '{"a":1}\n{"a":1}\n')
    for name, text in (("rows.jsonl", '{"a":1}\n'), ("rows.logfmt", "a=1\n"), ("my q.apl", "print a = 1\n")):
        equal(written(os.path.join(FOLDER, name)), text)


def written(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def test_answers_in_a_file():
    first, second = os.path.join(FOLDER, "first.csv"), os.path.join(FOLDER, "second.txt")
    done = run(["repl"], "web | count\n.output %s\nweb | where ms < 2 | project ms\nprint b = 1\n.stats\n"
               ".output\nprint c = 1\n.mode csv\n.output '%s'\nprint d = 1\n.last json\nprint e = 2\n"
               % (first, second))
    equal(written(first), "ms\n1\n0\nb\n1\n")
    equal(written(second), 'd\n1\n[\n{"d":1}\n]\ne\n2\n')
    equal([line for line in done.stdout.splitlines() if line.startswith("{")], ['{"Count":500}', '{"c":1}'])
    assert "rows scanned" in done.stdout, done.stdout  # no answer of a query
    for text in ("answers go to %s, as csv, until .output alone" % first, "wrote 2 rows to %s\n" % first,
                 "wrote 1 row to %s\n" % first, "answers are shown here\n", "wrote 1 row to %s\n" % second):
        assert text in done.stderr, done.stderr
    equal(done.returncode, 0)
    done = run(["repl"], "\\o %s\nprint f = 1\n\\o\nprint g = 1\n" % first)
    equal((written(first), done.stdout), ("f\n1\n", '{"g":1}\n'))


def test_one_answer_in_a_file():
    path = os.path.join(FOLDER, "once.csv")
    done = run(["repl"], "print a = 1\n.once %s\nweb | wher\nweb | project ms | take 2\nprint b = 2\n" % path)
    equal((written(path), done.stdout), ("ms\n499\n498\n", '{"a":1}\n{"b":2}\n'))
    assert "the next answer goes to %s, as csv\n" % path in done.stderr, done.stderr
    parquet = os.path.join(FOLDER, "once.parquet")
    run(["repl"], ".once %s\nprint a = 1\n" % parquet)
    with open(parquet, "rb") as file:
        equal(file.read(4), b"PAR1")
    done = run(["repl"], ".output %s\n.once\n.once %s\nprint a = 1\n.output\n.output\n" % (path, parquet))
    equal((written(path), done.returncode), ("", 2))  # one within the other
    assert "which file?" in done.stderr, done.stderr


def test_files_that_take_no_answer():
    commands = ".output %s\n.output %s/none/x.csv\n.output |less\n.output x.parquet\n.once %s\nprint a = 1\n"
    done = run(["repl"], commands % (FOLDER, FOLDER, FOLDER))
    for text in ("%s is a folder\n" % FOLDER, "there is no folder %s/none\n" % FOLDER,
                 "answers go to files, not to commands", "a file of Parquet holds one answer"):
        assert text in done.stderr, done.stderr
    equal((done.stdout, done.returncode), ('{"a":1}\n', 2))
    done = run(["repl"], ".output /dev/full\nprint a = 1\n.output\n.last\n")
    equal((done.stdout, done.returncode), ('{"a":1}\n', 5))
    assert "No space left on device" in done.stderr, done.stderr
    assert "wrote" not in done.stderr, done.stderr


def test_files_of_several_queries():
    path = os.path.join(FOLDER, "several.apl")
    with open(path, "w", encoding="utf-8") as file:
        file.write("// counts\nweb\n| count\nprint a = 1 +\n2\r\n// then\n.mode csv\n.limit 2\n\n"
                   "web | wher x\nweb\n| project ms\n// end")
    with open(path, encoding="utf-8", newline="") as file:
        piped = run(["repl"], file.read())
    equal(piped.stdout, '{"Count":500}\n{"a":3}\nms\n499\n498\n')
    loaded = run(["repl"], ".load %s\n" % path)
    equal((loaded.stdout, loaded.returncode), (piped.stdout, piped.returncode))
    assert "--> query:10:7\n" in piped.stderr, piped.stderr
    assert "--> %s:10:7\n" % path in loaded.stderr, loaded.stderr
    # Queries may end in semicolons.
    with open(path, "w", encoding="utf-8") as file:
        file.write("let a = 1;\nprint a;\nprint 2;\nprint 3")
    loaded = run(["repl"], ".load %s\n" % path)
    equal((loaded.stdout, loaded.stderr), ('{"print_0":1}\n{"print_0":2}\n{"print_0":3}\n', ""))
    # A text that is one query stays one.
    with open(path, "w", encoding="utf-8") as file:
        file.write("web\n\n| where ms == 1\n or ms == 2\n| count\n")
    equal(run(["repl"], ".load %s\n" % path).stdout, '{"Count":2}\n')
    with open(path, "w", encoding="utf-8") as file:
        file.write("print 1\n.quit\nprint 2\n")
    equal(run(["repl"], ".load %s\nprint 3\n" % path).stdout, '{"print_0":1}\n')
    with open(path, "w", encoding="utf-8") as file:
        file.write(".load %s\n" % path)
    assert "load each other" in run(["repl"], ".load %s\n" % path).stderr


def test_what_commands_tell_is_no_data():
    target = os.path.join(FOLDER, "told.csv")
    done = run(["repl", "-o", "csv"], ".limit 2\nweb | project ms\n.store %s\n.since 2000-01-01\n.tz UTC\n"
               ".timing off\n.pager off\n.null -\n.timeout 60\n.save %s\nprint b = 2\n" % (STORE, target))
    equal(done.stderr.count("\n"), 11)  # a note, and an error of two lines, among them
    for text in ("queries without a limit show 2 rows\n", "the store is ", "events since 2000-01-01\n",
                 "there is no answer yet"):
        assert text in done.stderr, done.stderr
    equal(done.stdout, "ms\n499\n498\nb\n2\n")
    equal(run(["repl", "--quiet"], ".limit 2\nprint 1\n").stderr, "")
    # Who asks is answered.
    equal(run(["repl"], ".limit\n.null\n").stdout, "queries without a limit show 1,000 rows\nnull is shown as null\n")


def test_nothing_is_watched_in_a_pipe():
    done = run(["repl"], "web | count\n.watch 1\nprint 1\n")
    equal((done.stdout, done.returncode), ('{"Count":500}\n{"print_0":1}\n', 2))
    assert "while sleep 2; do evq query" in done.stderr, done.stderr


def test_what_needs_a_person_is_refused_in_a_pipe():
    done = run(["repl"], "print 1\n.tail web\n.edit\nprint 2\n", EDITOR="false")
    equal((done.stdout, done.returncode), ('{"print_0":1}\n{"print_0":2}\n', 2))
    assert "evq tail DATASET" in done.stderr and ".edit needs" in done.stderr, done.stderr


def test_comments_and_bars_in_a_pipe():
    equal(run(["repl"], "web | count\n// end\n").returncode, 0)
    equal(run(["repl"], "web | count\n// one\n\n// two").stderr, "")
    done = run(["repl"], "// form\n.mode csv\n| count\nprint 1\n")
    equal(done.stdout, "print_0\n1\n")
    assert "there is no form" not in done.stderr and "query:3:1" in done.stderr, done.stderr
    equal(run(["repl"], ".explain web\n| count\n").stdout, run(["repl"], ".explain web | count\n").stdout)


def test_comments_and_empty_lines_do_not_cut_a_query():
    five = '{"Count":100}\n'
    for between in ("// failed\n", "\n", "  // failed\n\n\t\n// how many\n", "\r\n//\r\n"):
        text = "web\n| where status == 500\n%s| count\nprint 1\n" % between
        done = run(["repl"], text)
        equal((done.stdout, done.stderr), (five + '{"print_0":1}\n', ""))
    equal(run(["repl"], "web // all\n// failed\n| where (status == 500\n// and\n)\n| count").stdout, five)
    equal(run(["repl"], "let f = 500;\n// then\nweb\n// of\n| where status == f\n| count\n").stdout, five)
    many = "web\n" + 20000 * "// and on\n" + "| count\n" + 20000 * "// end\n"
    equal(run(["repl"], many).stdout, '{"Count":500}\n')
    # A comment about a command, and one behind a text that an empty line has ended.
    equal(run(["repl"], ".explain web\n// then\n| count\n").stdout, run(["repl"], ".explain web | count\n").stdout)
    done = run(["repl"], "let one = 1;\nlet more = 2;\nprint one\n// c\nprint 2\nprint (1\n\n// c\nprint 3\nprint 4\n")
    equal(done.stdout, '{"print_0":1}\n{"print_0":2}\n{"print_0":3}\n{"print_0":4}\n')
    equal(done.stderr.count("error["), 1)


def test_a_file_is_taken_as_load_takes_it():
    path = os.path.join(FOLDER, "stages.apl")
    for text in ("web\n\n| where ms == 1\n or ms == 2\n| count\n", "web\n// of these\n| count\n\nprint 1\n",
                 ".timing off\nweb | count\n.null -\n| extend b = 1\n\n\nweb | wher\nprint (\n\nprint 2\n"):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        loaded = run(["repl"], ".load %s\n" % path)
        with open(path, encoding="utf-8") as file:
            given = subprocess.run([EVQ, "repl"], stdin=file, capture_output=True, text=True, check=False,
                                   env=environment())
        equal((given.stdout, given.returncode), (loaded.stdout, loaded.returncode))
        equal(given.stderr, loaded.stderr.replace(path, "query"))
    assert given.stdout.startswith('{"Count":500}\n{"Count":500,"b":1}\n'), given.stdout


def test_a_bar_goes_on_from_the_last_query_in_a_pipe():
    done = run(["repl"], "web | take 7\n.timing off\n// how many\n| count\nprint 1\n.timing off\n| where (\n true)\n")
    equal(done.stdout.splitlines()[7:], ['{"Count":7}', '{"print_0":1}', '{"print_0":1}'])
    equal((done.stderr.count("error"), done.returncode), (0, 0))
    equal(run(["repl"], "| count\n").returncode, 3)


def test_the_first_line_of_a_script():
    path = os.path.join(FOLDER, "script.apl")
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/usr/bin/env -S evq query -f\nweb\n| count\n")
    for done in (run(["query", "-f", path]), run(["repl"], ".load %s\n" % path)):
        equal((done.stdout, done.stderr), ('{"Count":500}\n', ""))
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/usr/bin/env -S evq query -f\nweb\n#!\n| wher\n")
    assert "--> query:3:1\n" in run(["query", "-f", path]).stderr, run(["query", "-f", path]).stderr
    equal(run(["query", "#! web"]).returncode, 3)


def test_evq_alone_reads_what_is_piped():
    for text in ("web | count\n", ".mode ndjson\nweb | count"):
        done = run([], text)
        equal((done.stdout, done.stderr, done.returncode), ('{"Count":500}\n', "", 0))
    equal(run([], "web | wher\n").returncode, 3)
    done = subprocess.run([EVQ], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                          env=environment())
    assert done.stdout.startswith("evq: store events locally"), done.stdout
    closed = subprocess.run(["sh", "-c", 'exec "$0" <&-', EVQ], capture_output=True, text=True, check=False,
                            env=environment())
    assert closed.stdout.startswith("evq: store events locally"), closed.stdout
    assert run([], "").stdout.startswith("evq: store events locally")


def test_evq_alone_waits_for_what_is_piped():
    done = subprocess.run(["sh", "-c", "(sleep 1.5; echo 'print 1'; sleep 0.2; echo 'print 2') | \"$0\"", EVQ],
                          capture_output=True, text=True, check=False, env=environment(), timeout=60)
    equal((done.stdout, done.stderr, done.returncode), ('{"print_0":1}\n{"print_0":2}\n', "", 0))
    ours, theirs = socket.socketpair()  # as some shells give over a network
    with ours, theirs:
        prompt = subprocess.Popen([EVQ], stdin=theirs, stdout=subprocess.PIPE, text=True, env=environment())
        theirs.close()
        time.sleep(1.5)
        ours.sendall(b"print 3\n")
        ours.shutdown(socket.SHUT_WR)
        equal(prompt.communicate(timeout=60)[0], '{"print_0":3}\n')


def test_pipe_to_a_server():
    with Server() as server:
        done = run(["repl"], "web | where ms == 1 | project ms, method\n.store\n.datasets\n.schema web\n"
                   "web | wher x\n.explain web\n", EVQ_SERVER=server.url)
        assert done.stdout.startswith('{"ms":1,"method":"GET"}\nthe server is ' + server.url), done.stdout
        for text in ("web-logs", "500", "geo.city", "string"):
            assert text in done.stdout, done.stdout
        assert "  --> query:5:7\n" in done.stderr and "did you mean 'where'?" in done.stderr, done.stderr
        assert "scan web" in done.stdout, done.stdout
        equal(done.returncode, 3)
    done = run(["repl"], "web | count\n", EVQ_SERVER="http://127.0.0.1:1")
    assert "cannot connect" in done.stderr, done.stderr
    equal((done.stdout, done.returncode), ("", 6))


if __name__ == "__main__":
    sys.exit(main(globals()))
