"""The last lines of sh tests/run: how the log of ctest is counted, and what of it was skipped."""

import pathlib
import subprocess
import sys

from evq_case import EvqCase, main

TESTS = pathlib.Path(__file__).parent.parent
PROGRAM = """
import sys, unittest
sys.path.insert(0, sys.argv.pop())
import told_skips

class Case(unittest.TestCase):
    def test_good(self):
        pass

    @unittest.skip("no zsh")
    def test_without_zsh(self):
        pass

    def test_without_a_mount(self):
        self.skipTest("no mount: not here")

class Other(unittest.TestCase):
    def test_good(self):
        pass

    def test_bad(self):
        self.assertFalse(%s)

unittest.main()
"""
DOCTEST = """[doctest] doctest version is "2.4.9"
===============================================================================
/work/disk_full_test.cpp:95: MESSAGE: SKIPPED: the file system of /tmp cannot keep room for a file

[doctest] test cases:    50 |    49 passed | 1 failed | 0 skipped
[doctest] assertions: 1727 | 1726 passed | 1 failed |
"""


class Counts(EvqCase):
    def counted(self, *programs):
        """What is printed for programs, each with its output and whether ctest calls it passed, and the
        lines for those that are skipped."""
        log = "Start testing: Nov 30 15:31 UTC\n----------------------------------------------------------\n"
        for number, (name, output, passed, *command) in enumerate(programs, 1):
            log += (f"{number}/{len(programs)} Testing: {name}\n{number}/{len(programs)} Test: {name}\n"
                    f"Command: {command[0] if command else '/bin/true'}\nDirectory: /build\n"
                    f'"{name}" start time: Nov 30 15:31 UTC\nOutput:\n'
                    "----------------------------------------------------------\n"
                    f"{output}<end of output>\nTest time =   3.59 sec\n"
                    "----------------------------------------------------------\n"
                    f'Test {"Passed" if passed else "Failed"}.\n"{name}" end time: Nov 30 15:31 UTC\n'
                    f'"{name}" time elapsed: 00:00:03\n'
                    "----------------------------------------------------------\n\n")
        (self.directory / "LastTest.log").write_text(log + "End testing: Nov 30 15:44 UTC\n")
        skipped = self.directory / "skipped"
        skipped.write_text("")
        done = subprocess.run(
            ["awk", "-v", f"skipped={skipped}", "-v", "preset=dev", "-f", TESTS / "count_cases.awk",
             self.directory / "LastTest.log"], capture_output=True, text=True, check=True)
        return done.stdout, skipped.read_text().splitlines()

    def unittest_output(self, bad):
        (self.directory / "program.py").write_text(PROGRAM % bad)
        done = subprocess.run([sys.executable, "program.py", TESTS / "support"], cwd=self.directory,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1 if bad else 0, done.stderr)
        return done.stderr

    def test_a_program_counts_as_many_as_it_ran(self):
        for output, passed, wanted in (
                ("", True, "1 0"), ("half a line\n", False, "0 1"), ("24 passed, 0 failed\n", True, "24 0"),
                ("3 passed, 2 failed\n", False, "3 2"), ("3 passed, 0 failed\n", False, "3 1"),
                ("# tests 25\n# pass 24\n# fail 1\n# skipped 0\n", False, "24 1"),
                ("Test Failed.\nTest time = 1\nOK\n", True, "1 0"),
                ("..\n---\nRan 2 tests in 1.9s\n\nOK\n", True, "2 0"),
                ("E\n---\nRan 0 tests in 0.1s\n\nFAILED (errors=1)\n", False, "0 1"),
                (".F\n---\nRan 7 tests in 1s\n\nFAILED (failures=1, errors=2, expected failures=1)\n", False, "4 3")):
            self.assertEqual(self.counted(("p", output, passed)), (wanted + "\n", []), output)
        programs = [("good", "", True), ("all", "7 passed, 0 failed\n", True)]
        self.assertEqual(self.counted(*programs, *programs), ("16 0\n", []))

    def test_what_is_skipped_did_not_pass(self):
        skips = ["Case.test_without_a_mount: no mount: not here", "Case.test_without_zsh: no zsh"]
        for bad, wanted in ((False, "3 0\n"), (True, "2 1\n")):
            self.assertEqual(self.counted(("py", self.unittest_output(bad), not bad)),
                             (wanted, [f"  dev, py: {skip}" for skip in skips]))
        self.assertEqual(
            self.counted(("tmux", "skipped: tmux is not installed\n", True), ("good", "", True),
                         ("py", "..s\n---\nRan 3 tests in 1.9s\n\nOK (skipped=1)\n", True),
                         ("faults", DOCTEST, False)),
            ("51 1\n", ["  dev, tmux: tmux is not installed", "  dev, py: 1 more without a reason",
                        "  dev, faults: the file system of /tmp cannot keep room for a file"]))

    def test_a_program_that_did_not_start_failed(self):
        self.assertEqual(self.counted(("absent", "", True, '""')), ("0 1\n", []))


if __name__ == "__main__":
    main()
