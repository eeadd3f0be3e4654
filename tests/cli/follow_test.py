"""evq ingest --follow: every line of a growing file exactly once, whatever happens to either."""

import gzip
import json
import os
import random
import re
import signal
import threading
import time

from evq_case import EvqCase, main
from processes import open_files, wait_until


class Follow(EvqCase):
    target = ()

    def setUp(self):
        super().setUp()
        self.file = self.directory / "app.ndjson"
        self.file.touch()
        self.written = 0

    def write(self, count, end="\n"):
        with open(self.file, "a") as file:
            for _ in range(count):
                file.write(json.dumps({"i": self.written}) + end)
                self.written += 1

    def follow(self, *options):
        return self.start(*self.target, "ingest", "app", "--follow", self.file, *options)

    def numbers(self):
        # A dataset that no event has come to yet has no such field.
        out = self.out("query", "app | project i = column_ifexists('i', 0) | sort by i asc",
                       "--limit", "10000000", "-o", "csv")
        return [int(line) for line in out.splitlines()[1:]]

    def wait_for_all(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            process = self.evq("query", "app | count", "-o", "csv", status=None)
            if process[0].split()[-1:] == [str(self.written)]:
                break
            time.sleep(0.05)
        self.assertEqual(self.numbers(), list(range(self.written)))

    def kill_while_writing(self, seed, times):
        random.seed(seed)
        for _ in range(times):
            process = self.follow("--quiet")
            for _ in range(random.randrange(1, 8)):
                self.write(random.randrange(1, 3000))
                time.sleep(random.random() * 0.1)
            process.send_signal(signal.SIGKILL)
            process.wait()

    def evq(self, *words, status=0, **options):
        if status is not None:
            return super().evq(*words, status=status, **options)
        try:
            return super().evq(*words, **options)
        except AssertionError:
            return "", ""

    def test_csv_with_a_header_line_is_refused(self):
        self.file.write_text("id,name\n1,x\n2,y\n")
        for options, hint in ((("--format", "csv"), ""),
                              ((), f"  = {self.file} seems to be CSV with a header line; "
                                   "--format text makes an event of each line\n")):
            process = self.follow(*options)
            self.assertEqual(process.wait(timeout=30), 2)
            self.assertEqual(process.stderr.read(),
                             "ingested 0, failed 0\n"
                             "error: --follow reads NDJSON, lines of a log, or CSV with --csv-fields\n" + hint)

    def test_the_rest_of_a_line_that_is_too_long_is_no_line(self):
        self.written = 2
        with open(self.file, "w") as file:
            file.write("first line\n")
            file.truncate(file.tell() + (256 << 20))  # zeros, which take no room
            file.seek(0, os.SEEK_END)
            file.write("and the tail of the long line\nlast line\n")
        for events in (2, 3):
            process = self.follow("--format", "text")
            deadline = time.monotonic() + 120
            while self.evq("query", "app | count", "-o", "csv", status=None)[0].split()[-1:] != [str(events)]:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
            self.assertIn("ingested 2, failed 1" if events == 2 else "ingested 1, failed 0", errors)
            with open(self.file, "a") as file:
                file.write("one more\n")
        self.assertEqual(self.out("query", "app | sort by _sysTime asc | project message", "-o", "csv"),
                         "message\nfirst line\nlast line\none more\n")

    def test_the_last_of_many_lines_that_fail_takes_no_longer_than_the_first(self):
        self.write(1)
        with open(self.file, "a") as file:
            file.write("x\n" * 300_000)
        self.write(1)
        process = self.follow("--quiet")
        self.wait_for_all()
        self.assertEqual(self.interrupt(process), 130)

    def test_goes_on_where_it_stopped(self):
        self.write(3)
        process = self.follow()
        self.wait_for_all()
        self.write(2)
        self.wait_for_all()
        self.assertEqual(self.interrupt(process), 130)
        self.assertIn("ingested 5", process.stderr.read())
        self.write(4)
        process = self.follow()
        self.wait_for_all()
        self.assertEqual(self.interrupt(process), 130)

    def test_lines_have_the_header_above_them(self):
        def write(lines, events):
            with open(self.file, "a") as file:
                file.write(lines)
            self.written += events
            self.wait_for_all()

        process = self.follow()
        write("#Fields: date time i\n2024-05-01 00:00:00 0\n", 1)
        write("2024-05-01 00:00:01 1\n#Fields: i date time\n2 2024-05-01 00:00:02\n", 2)
        self.interrupt(process)
        self.follow()
        write("3 2024-05-01 00:00:03\n", 1)
        out = self.out("query", "app | where _time != todatetime(strcat(date, ' ', time)) | count")
        self.assertEqual(json.loads(out), {"Count": 0})

    def test_one_follower_at_a_time(self):
        self.write(3)
        process = self.follow()
        self.wait_for_all()
        second = self.follow()
        self.assertNotEqual(second.wait(timeout=30), 0)
        self.assertIn("is being followed already", second.stderr.read())
        self.interrupt(process)
        self.write(2)
        self.follow()
        self.wait_for_all()

    def other_names(self):
        """Of the file: with dots, by symbolic links to it and to its folder, and relative."""
        (self.directory / "link.ndjson").symlink_to(self.file)
        (self.directory / "folder").symlink_to(self.directory)
        return (f"{self.directory}/./app.ndjson", f"{self.directory}/link.ndjson",
                f"{self.directory}/folder/app.ndjson", "app.ndjson")

    def test_one_follower_at_a_time_under_all_names(self):
        self.write(3)
        names = (self.file, *self.other_names())
        process = self.start(*self.target, "ingest", "app", "--follow", self.directory / "link.ndjson")
        self.wait_for_all()
        for name in names:
            with self.subTest(name):
                second = self.start(*self.target, "ingest", "app", "--follow", name)
                self.assertNotEqual(second.wait(timeout=30), 0)
                self.assertIn("is being followed already", second.stderr.read())
        self.interrupt(process)

    def test_progress_belongs_to_the_name(self):
        self.write(3)
        process = self.follow()
        self.wait_for_all()
        self.interrupt(process)
        link = self.directory / "link.ndjson"
        link.symlink_to(self.file)
        process = self.start(*self.target, "ingest", "app", "--follow", link)
        wait_until(lambda: self.numbers() == [0, 0, 1, 1, 2, 2], told="the link is not read from its start")
        self.assertEqual(self.interrupt(process), 130)
        self.assertIn("ingested 3", process.stderr.read())

    def test_what_it_does_not_do_is_said(self):
        process = self.follow("--reject-file", "r")
        self.assertEqual(process.wait(timeout=30), 2)
        self.assertIn("--follow keeps no rejected lines", process.stderr.read())

    def test_report_at_the_end(self):
        self.write(3)
        with open(self.file, "a") as file:
            file.write("{no event\n")
        for form, told in (("text", "ingested 3, failed 1\n"), ("json", '{"ingested":2,"failed":0,')):
            process = self.follow("-o", form)
            self.wait_for_all()
            self.assertEqual(self.interrupt(process), 130)
            self.assertTrue(process.stdout.read().startswith(told))
            self.write(2)

    def test_waits_for_the_end_of_a_line(self):
        self.follow()
        self.write(1)
        with open(self.file, "a") as file:
            file.write('{"i":')
        self.wait_for_all()
        with open(self.file, "a") as file:
            file.write(f'{self.written}}}\n')
        self.written += 1
        self.wait_for_all()

    def test_an_entry_is_whole_when_no_line_comes_for_a_while(self):
        lines = ["2024-05-01T10:00:00Z one", "\tat a", "\tat b", "2024-05-01T10:00:01Z two", "\tat c"]
        for dataset, file, process in self.followers("--multiline"):
            if self.append_slowly(file, [line + "\n" for line in lines]):
                break
            self.interrupt(process)
        messages = self.messages(f"{dataset} | project message | sort by message asc", 2)
        self.assertEqual([json.loads(line)["message"] for line in messages],
                         ["\n".join(lines[:3]), "\n".join(lines[3:])])

    def followers(self, *options):
        """Followers of a new file each, into a new dataset, for what is to be tried until it was in time."""
        for number in range(100):
            dataset = f"slow{number}"
            self.evq("dataset", "create", dataset)
            file = self.directory / dataset
            file.touch()
            yield dataset, file, self.start(*self.target, "ingest", dataset, "--follow", file, *options)

    def append_slowly(self, file, parts):
        """Whether no part came so late after the one before that the follower may have stopped waiting for it:
        it does after a second."""
        last = None
        for part in parts:
            if last is not None:
                time.sleep(0.3)
            with open(file, "a") as log:
                log.write(part)
            now = time.monotonic()
            if last is not None and now - last > 0.8:
                return False
            last = now
        return True

    def messages_now(self, query):
        return self.evq("query", query, "-o", "ndjson", status=None)[0].splitlines()

    def messages(self, query, count):
        deadline = time.monotonic() + 60
        while len(lines := self.messages_now(query)) != count and time.monotonic() < deadline:
            time.sleep(0.05)
        return lines

    def append(self, text):
        with open(self.file, "a") as file:
            file.write(text)

    def grow(self, parts, query, *options):
        """Follows the file, which gets a part when the one before it is stored: each has its number of events."""
        process = self.follow(*options)
        total = 0
        for text, events in parts:
            self.append(text)
            total += events
            lines = self.messages(query, total)
        self.interrupt(process)
        return [list(json.loads(line).values()) for line in lines]

    def test_what_the_first_lines_told_of_dates_holds(self):
        query = "app | sort by _time asc | project _time"
        self.assertEqual(self.grow([("10/03/2024 02:30:00 a\n13/03/2024 02:30:00 b\n", 2),
                                    ("05/04/2024 10:00:00 c\n", 1)], query)[-1], ["2024-04-05T10:00:00Z"])
        self.append("06/04/2024 10:00:00 d\n")
        process = self.follow()  # as does what they told the last run
        self.assertEqual(json.loads(self.messages(query, 4)[-1]), {"_time": "2024-04-06T10:00:00Z"})
        self.interrupt(process)

    def test_the_order_of_short_dates_holds(self):
        times = self.grow([("".join(f"[24/05/{day} 10:00:00] a\n" for day in (12, 13, 28)), 3),
                           ("[24/06/01 10:00:00] c\n", 1)], "app | sort by _time asc | project _time")
        self.assertEqual(times[-1], ["2024-06-01T10:00:00Z"])

    def test_a_line_without_a_time_has_that_of_the_line_before_it(self):
        query = "app | sort by message asc | project _time"
        self.assertEqual(self.grow([("2024-03-10 02:30:00 x\n at x\n", 2), (" at y\n", 1)], query),
                         [["2024-03-10T02:30:00Z"]] * 3)
        self.append(" at z\n")
        self.follow()
        self.assertEqual(self.messages(query, 4), ['{"_time":"2024-03-10T02:30:00Z"}'] * 4)

    def wait_until_read(self, process):
        """Until the follower has looked at its file twice: it reads one or two times at each look."""
        def reads():
            with open(f"/proc/{process.pid}/io", encoding="utf-8") as counts:
                return int(re.search(r"syscr: (\d+)", counts.read())[1])

        begun = reads()
        wait_until(lambda: reads() >= begun + 4, told="the follower has not looked at its file")

    def test_an_entry_that_may_go_on_is_kept_when_its_file_is_emptied(self):
        process = self.follow("--multiline")
        self.append("2024-03-10 02:30:00 hello\n")
        self.messages("app | project message", 1)
        self.append("2024-03-10 02:30:01 one\n at x\n")
        self.wait_until_read(process)  # and not whole
        self.file.write_text("")
        self.wait_until_read(process)
        self.append("2024-03-10 02:30:09 new\n")
        lines = self.messages("app | sort by _time asc | project message", 3)
        self.assertEqual([json.loads(line)["message"] for line in lines],
                         ["2024-03-10 02:30:00 hello", "2024-03-10 02:30:01 one\n at x", "2024-03-10 02:30:09 new"])
        self.interrupt(process)

    def test_a_cell_may_come_in_two_parts(self):
        process = self.follow("--csv-fields", "a,b")
        self.append('1,x\n2,"multi\n')
        query = "app | sort by tostring(a) asc | project a, b"
        self.messages(query, 1)
        self.append('line"\n3,"z"\n')
        self.assertEqual(self.messages(query, 3), ['{"a":1,"b":"x"}', '{"a":2,"b":"multi\\nline"}', '{"a":3,"b":"z"}'])
        self.interrupt(process)
        self.assertIn("failed 0", process.stderr.read())

    def test_what_columns_are_holds(self):
        query = "app | sort by tostring(a) asc | project type = gettype(b), b = tostring(b)"
        self.assertEqual(self.grow([("1,007\n2,x\n", 2), ("3,8\n", 1)], query, "--csv-fields", "a,b"),
                         [["string", "007"], ["string", "x"], ["string", "8"]])
        self.append("4,9\n")
        self.follow("--csv-fields", "a,b")
        self.assertEqual(self.messages(query, 4)[-1], '{"type":"string","b":"9"}')

    def test_what_is_no_text_is_refused(self):
        for content, options, status, told in (
                (b"\x7fELF\x02\x01\x01\0\0\0\n\0\0\0x\n", (), 4, "this is no text: byte 8 is zero"),
                (gzip.compress(b'{"i":1}\n'), (), 2, "is compressed; --follow reads plain text in UTF-8"),
                (gzip.compress(b'{"i":1}\n'), ("--format", "ndjson"), 2, "is compressed"),
                ("\ufeffone\n".encode("utf-16-le"), (), 2, "is UTF-16 text; --follow reads plain text in UTF-8"),
                (b"SQLite format 3\0", (), 4, "this is a SQLite database")):
            self.file.write_bytes(content)
            process = self.follow(*options)
            self.assertEqual(process.wait(timeout=30), status, content)
            self.assertIn(told, process.stderr.read())
        self.file.write_bytes(b"one\0\n")
        self.follow("--format", "text")
        self.assertEqual(len(self.messages("app | project message", 1)), 1)

    def test_parts_of_a_containers_lines_are_put_together(self):
        for dataset, file, process in self.followers("--multiline"):
            if self.append_slowly(file, [
                    "2024-05-01T10:20:31.1Z stdout P be\n", "2024-05-01T10:20:31.2Z stderr F bad\n",
                    "2024-05-01T10:20:31.3Z stdout F gins\n2024-05-01T10:20:31.4Z stdout P on", "ly\n"]):
                break
            self.interrupt(process)
        wanted = ["2024-05-01T10:20:31.1Z stdout F begins", "2024-05-01T10:20:31.2Z stderr F bad",
                  "2024-05-01T10:20:31.4Z stdout F only"]
        query = f"{dataset} | sort by _time asc | project message"
        self.assertEqual([json.loads(line)["message"] for line in self.messages(query, 3)], wanted)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.start(*self.target, "ingest", dataset, "--follow", file, "--multiline")
        with open(file, "a") as log:
            log.write("2024-05-01T10:20:32Z stdout P t\n2024-05-01T10:20:32.1Z stdout F wo\n")
        self.assertEqual([json.loads(line)["message"] for line in self.messages(query, 4)],
                         wanted + ["2024-05-01T10:20:32Z stdout F two"])

    def test_a_part_whose_line_never_ends_holds_nothing_back(self):
        self.append("2024-05-01T10:20:31Z stderr P torn\n")
        self.follow("--multiline")
        over = threading.Event()

        def write():  # never a second without a line
            while not over.wait(0.05):
                self.append("2024-05-01T10:20:32Z stdout F whole\n")

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for word in ("torn", "whole"):
                query = f"app | where message endswith '{word}' | take 1 | project message"
                wait_until(lambda query=query: self.messages_now(query), told=f"nothing of {word} is stored")
        finally:
            over.set()
            writer.join()

    def test_the_names_of_containers_are_a_field(self):
        self.append('web-1  | {"n":1}\n')
        process = self.follow()
        query = "app | sort by _time asc, n asc | project container, n, message = column_ifexists('message', '')"
        self.assertEqual(self.messages("app | project container, n", 1), ['{"container":"web-1","n":1}'])
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.append("db-1   | plain\n")
        self.follow()
        self.append('db-1   | level=warn n=2\n')
        self.assertEqual(sorted(json.dumps(json.loads(line)) for line in self.messages(query, 3)), [
            '{"container": "db-1", "n": 2, "message": null}', '{"container": "db-1", "n": null, "message": "plain"}',
            '{"container": "web-1", "n": 1, "message": null}'])

    def test_rotation_while_running_and_while_away(self):
        process = self.follow()
        self.write(10)
        self.wait_for_all()
        self.write(5)
        os.rename(self.file, self.directory / "app.ndjson.1")
        self.write(5)
        self.wait_for_all()
        self.interrupt(process)
        self.write(5)
        os.rename(self.file, self.directory / "app.ndjson.2")
        self.write(5)
        self.follow()
        self.wait_for_all()

    def test_lines_that_come_to_a_renamed_file_late(self):
        """As of a daemon that logrotate asks to open the new file when it has made that."""
        process = self.follow()
        self.write(3)
        self.wait_for_all()
        with open(self.file, "a", encoding="utf-8") as old:
            def write_late(end="\n"):
                old.write(json.dumps({"i": self.written}) + end)
                old.flush()
                self.written += 1

            os.rename(self.file, self.directory / "app.ndjson.1")
            self.file.touch()
            self.write(2)
            self.wait_for_all()
            write_late()
            self.wait_for_all()
            self.write(2)
            self.wait_for_all()
            write_late()
            self.wait_for_all()
            self.assertEqual(self.interrupt(process), 130)
            self.assertIn("failed 0", process.stderr.read())
            write_late()  # while nobody looks
            self.write(2)
            write_late(end="")  # no line, and nothing comes behind it
            process = self.follow()
            self.wait_for_all()
            self.assertEqual(self.interrupt(process), 130)

    def test_a_line_that_comes_to_a_renamed_file_in_two_parts(self):
        """As of a program that writes blocks and never opens the new file."""
        process = self.follow()
        self.write(3)
        self.wait_for_all()
        with open(self.file, "a", encoding="utf-8") as old:
            os.rename(self.file, self.directory / "app.ndjson.1")
            self.write(1)
            self.wait_for_all()
            old.write('{"i":')
            old.flush()
            time.sleep(6)  # more than a last line is waited for to which nothing has come
            old.write(f"{self.written}}}\n")
        self.written += 1
        self.wait_for_all()
        self.assertEqual(self.interrupt(process), 130)
        self.assertIn("failed 0", process.stderr.read())

    def test_what_comes_to_a_renamed_file_is_told_as_its(self):
        process = self.follow()
        self.write(1)
        self.wait_for_all()
        os.rename(self.file, self.directory / "app.ndjson.1")
        self.write(1)
        self.wait_for_all()
        with open(self.directory / "app.ndjson.1", "a", encoding="utf-8") as old:
            old.write("not JSON\n")
        self.assertIn(f"a renamed file of {self.file}: byte 9: ", process.stderr.readline())
        (self.directory / "app.ndjson.1").write_text("")
        self.assertIn(f"a renamed file of {self.file} was cut short", process.stderr.readline())
        self.assertEqual(self.interrupt(process), 130)

    def test_a_file_that_was_given_up_and_comes_back_goes_on(self):
        process = self.follow()
        first = self.directory / "app.ndjson.0"
        for number in range(18):
            self.write(1)
            self.wait_for_all()
            os.rename(self.file, self.directory / f"app.ndjson.{number}")
        self.write(1)
        self.wait_for_all()
        wait_until(lambda: str(first.resolve()) not in self.followed(process), told="it is not given up")
        os.rename(self.file, self.directory / "app.ndjson.18")
        os.rename(first, self.file)
        self.write(1)
        self.wait_for_all()
        self.assertEqual(self.interrupt(process), 130)

    def followed(self, process):
        """The files of the folder that a follower has open; the system tells their names of now."""
        return [name for name in open_files(process.pid) if "/app.ndjson" in name]

    def test_a_file_that_comes_back_goes_on(self):
        process = self.follow()
        other = self.directory / "other"
        self.write(3)
        self.wait_for_all()
        for _ in range(2):
            os.rename(self.file, self.directory / "away")
            if other.exists():
                os.rename(other, self.file)
            self.write(3)
            self.wait_for_all()
            os.rename(self.file, other)
            os.rename(self.directory / "away", self.file)
            self.write(3)
            self.wait_for_all()
        self.assertEqual(self.interrupt(process), 130)

    def test_a_new_file_that_cannot_be_opened_is_tried_again(self):
        process = self.follow()
        self.write(3)
        self.wait_for_all()
        os.rename(self.file, self.directory / "app.ndjson.1")
        self.file.mkdir()
        self.assertIn("is no regular file; trying again", process.stderr.readline())
        self.file.rmdir()
        self.write(3)
        self.wait_for_all()
        self.assertEqual(self.interrupt(process), 130)

    def test_that_the_last_file_is_gone_is_told(self):
        process = self.follow()
        self.write(1)
        self.wait_for_all()
        self.interrupt(process)
        self.file.rename(self.directory / "away")
        self.write(1)
        (self.directory / "away").unlink()
        process = self.follow()
        self.wait_for_all()
        self.interrupt(process)
        self.assertIn("is not found any more; what came to it after byte 9 is not stored", process.stderr.read())

    def test_a_file_that_is_gone_is_told_once(self):
        process = self.follow()
        self.write(1)
        self.wait_for_all()
        self.interrupt(process)
        self.file.unlink()
        for told in (True, False):
            process = self.follow()
            if told:
                self.assertIn("is not found any more", process.stderr.readline())
            self.assertIn("yet; waiting for it", process.stderr.readline())
            self.assertEqual(self.interrupt(process), 130)

    def test_a_file_cut_short_is_read_anew(self):
        process = self.follow()
        self.write(10)
        self.wait_for_all()
        self.file.write_text("")
        time.sleep(0.5)
        self.write(3)
        self.wait_for_all()
        self.interrupt(process)
        self.assertIn("cut short", process.stderr.read())

    def test_a_file_written_anew_at_once_is_read_anew(self):  # copytruncate, and no poll between
        process = self.follow()
        self.write(3)
        self.wait_for_all()
        for count in (3, 40):  # as long as before, and longer
            with open(self.file, "r+") as file:
                file.write("".join(json.dumps({"i": self.written + i}) + "\n" for i in range(count)))
            self.written += count
            self.wait_for_all()
        self.interrupt(process)
        with open(self.file, "r+") as file:  # while nobody looks
            file.write("".join(json.dumps({"i": self.written + i}) + "\n" for i in range(50)))
        self.written += 50
        process = self.follow()
        self.wait_for_all()
        self.interrupt(process)

    def test_bad_lines_are_named_and_passed_over(self):
        process = self.follow()
        self.write(1)
        with open(self.file, "a") as file:
            file.write("not JSON\n")
        self.write(1)
        self.wait_for_all()
        self.interrupt(process)
        self.assertIn("app.ndjson: byte 9", process.stderr.read())

    def test_kill_loses_and_repeats_nothing(self):
        self.kill_while_writing(seed=1, times=12)
        self.follow()
        self.wait_for_all()

    def test_plain_lines(self):
        self.file.write_text("started\n")
        self.follow()
        time.sleep(0.5)
        with open(self.file, "a") as file:
            file.write('{"not":"JSON here"}\n')
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            out = self.evq("query", "app | project message", status=None)[0]
            if out.count("\n") == 2:
                break
            time.sleep(0.05)
        self.assertEqual(out, '{"message":"{\\"not\\":\\"JSON here\\"}"}\n{"message":"started"}\n')

    def test_a_file_that_is_not_there_yet_is_waited_for(self):
        self.file.unlink()
        process = self.follow()
        self.assertIn("app.ndjson yet; waiting for it", process.stderr.readline())
        self.write(3)
        self.wait_for_all()
        self.assertEqual(self.interrupt(process), 130)
        self.file.unlink()
        process = self.follow()
        self.assertIn("app.ndjson before is not found any more", process.stderr.readline())
        self.assertIn("app.ndjson yet; waiting for it", process.stderr.readline())
        self.assertEqual(self.interrupt(process), 130)

    def test_a_dataset_that_nothing_has_come_for_is_there(self):
        self.ingest("other", ['{"i":0}'])
        for absent in (False, True):
            name = f"quiet-{absent}"
            if absent:
                self.file.unlink()
            follower = self.start("ingest", name, "--follow", self.file)
            deadline = time.monotonic() + 60
            while name not in self.out("dataset", "list") and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertEqual(self.out("tail", name, "--no-follow"), "")
            self.assertEqual(self.interrupt(follower), 130)

    def test_usage(self):
        self.evq("ingest", "app", "--follow", status=2)
        self.evq("ingest", "app", "--follow", self.file, self.file, status=2)
        self.evq("ingest", "app", "--follow", self.file, "--format", "json", status=2)
        self.evq("ingest", "app", "--follow", "/dev/null", status=2)


if __name__ == "__main__":
    main()
