"""evq ingest --follow to a server: all that holds for a store, and waiting for the server."""

import os
import re
import resource
import signal
import subprocess
import time

import follow_test
from evq_case import EVQ, main
from processes import open_files, wait_until


class FollowToServer(follow_test.Follow):
    # What is read of a file is the same; 256 MiB over HTTP show nothing else.
    test_the_rest_of_a_line_that_is_too_long_is_no_line = None
    # The types of columns are the server's to tell, by each batch.
    test_what_columns_are_holds = None
    # Events alone make one on a server.
    test_a_dataset_that_nothing_has_come_for_is_there = None

    def setUp(self):
        super().setUp()
        self.evq("dataset", "create", "app")
        self.url, token, self.server = self.serve()
        self.target = ("--server", self.url, "--token", token)

    def test_kill_loses_and_repeats_nothing(self):
        """Nothing is lost; what was on its way may come twice."""
        self.kill_while_writing(seed=2, times=6)
        self.follow()
        deadline = time.monotonic() + 60
        while sorted(set(self.numbers())) != list(range(self.written)):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_outlives_the_server(self):
        process = self.follow()
        self.write(3)
        self.wait_for_all()
        self.server.terminate()
        self.server.wait()
        self.write(3)
        self.assertTrue(any("trying again" in line for line in process.stderr))
        self.serve(listen=self.url.removeprefix("http://"))
        self.wait_for_all()
        self.assertEqual(self.interrupt(process), 130)
        self.assertNotIn("trying again", process.stderr.read())

    def test_no_file_is_missed_while_the_server_is_away(self):
        process = self.follow()
        self.write(3)
        self.wait_for_all()
        self.server.terminate()
        self.server.wait()
        self.write(3)
        self.assertTrue(any("trying again" in line for line in process.stderr))
        path = str(self.file.resolve())
        for number in (1, 2):
            os.rename(path, f"{path}.{number}")
            self.write(3)
            wait_until(lambda: path in open_files(process.pid), told="the new file is not open")
            self.assertIn(f"{path}.{number}", open_files(process.pid))
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.serve(listen=self.url.removeprefix("http://"))
        self.follow()
        self.wait_for_all()

    def test_no_file_is_missed_while_the_server_hangs(self):
        process = self.follow()
        self.write(3)
        self.wait_for_all()
        self.server.send_signal(signal.SIGSTOP)
        self.write(3)
        path = str(self.file.resolve())
        for number in (1, 2, 3):
            os.rename(path, f"{path}.{number}")
            self.write(3)
            wait_until(lambda: path in open_files(process.pid), told="the new file is not open")
        self.server.send_signal(signal.SIGCONT)
        self.wait_for_all()
        self.assertEqual(self.interrupt(process), 130)

    def test_files_that_came_while_the_server_hung_are_known_after_a_kill(self):
        process = self.follow()
        self.write(3)
        self.wait_for_all()
        self.server.send_signal(signal.SIGSTOP)
        self.write(3)
        path = str(self.file.resolve())
        for number in (1, 2):
            os.rename(path, f"{path}.{number}")
            self.write(3)
            inode = self.file.stat().st_ino
            wait_until(lambda: f" {inode} " in self.saved(), told="the new file is not in the progress")
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.server.kill()  # what was sent to it is not stored
        self.server.wait()
        os.rename(path, f"{path}.3")
        self.write(3)
        self.serve(listen=self.url.removeprefix("http://"))
        process = self.follow()
        self.wait_for_all()
        self.assertEqual(self.interrupt(process), 130)
        self.wait_for_all()

    def saved(self):
        (state,) = (path for path in (self.directory / ".local/state/evq/follow").iterdir() if path.name.isdigit())
        return state.read_text()

    def test_the_first_file_is_known_before_any_of_it_is_stored(self):
        self.server.terminate()
        self.server.wait()
        self.write(3)
        process = self.follow()
        self.assertIn("trying again", process.stderr.readline())
        process.send_signal(signal.SIGKILL)
        process.wait()
        os.rename(self.file, self.directory / "app.ndjson.1")
        self.write(3)
        self.serve(listen=self.url.removeprefix("http://"))
        self.follow()
        self.wait_for_all()

    def follow_with_descriptors(self, limit):
        words = (EVQ, *self.target, "ingest", "app", "--follow", self.file)
        process = subprocess.Popen(
            words, env=self.environment, cwd=self.directory, stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))

        def end():
            process.kill()
            process.wait()
            process.stderr.close()

        self.addCleanup(end)
        return process

    def test_descriptors_are_left_for_the_server(self):
        process = self.follow()
        self.write(1)
        self.wait_for_all()
        self.assertEqual(self.interrupt(process), 130)
        process = self.follow_with_descriptors(48)
        self.server.terminate()
        self.server.wait()
        self.write(1)
        self.assertIn("trying again", process.stderr.readline())
        path = str(self.file.resolve())
        number = 0
        while sum(name.startswith(path) for name in open_files(process.pid)) < 24:
            self.file.rename(f"{path}.{number}")
            number += 1
            self.write(1)
            wait_until(lambda: path in open_files(process.pid), told="the new file is not open")
        self.file.rename(f"{path}.{number}")
        self.write(1)
        self.assertIn("24 that had its name wait to be stored, as many as may be open", process.stderr.readline())
        self.serve(listen=self.url.removeprefix("http://"))
        self.wait_for_all()
        self.assertEqual(self.interrupt(process), 130)

    def test_the_number_of_the_device_may_change(self):
        self.write(3)
        process = self.follow()
        self.wait_for_all()
        self.assertEqual(self.interrupt(process), 130)
        (state,) = (path for path in (self.directory / ".local/state/evq/follow").iterdir() if path.suffix != ".lock")
        names, device, rest = re.fullmatch(r"(.*\n)(\d+)( .*)", state.read_text(), re.S).groups()
        state.write_text(f"{names}{int(device) + 1}{rest}")
        self.write(3)
        process = self.follow()
        self.wait_for_all()
        self.assertEqual(self.interrupt(process), 130)
        self.assertNotIn("cut short", process.stderr.read())

    def test_places_are_remembered_by_server_and_dataset(self):
        self.write(2)
        process = self.follow()
        self.wait_for_all()
        self.interrupt(process)
        self.evq(*self.target, "dataset", "create", "other")
        process = self.start(*self.target, "ingest", "other", "--follow", self.file)
        deadline = time.monotonic() + 30
        while self.out("query", "other | count", "-o", "csv") != "Count\n2\n":
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)


if __name__ == "__main__":
    main()
