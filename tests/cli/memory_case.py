"""What the tests of memory share: a query whose peak memory is measured."""

import os
import subprocess

from evq_case import EVQ, EvqCase
from sanitizer import sanitizer_runtime

SANITIZED = sanitizer_runtime(EVQ) is not None

ROWS = "range x from 1 to 400000 step 1 | extend s = strcat('row number ', tostring(x)) "


class MemoryCase(EvqCase):
    def run_measured(self, *words, verb="query"):
        """The exit status, what it says, standard output as a file's path, the peak memory in KiB."""
        path = self.directory / "measured"
        with open(path, "w") as out:
            done = subprocess.Popen([EVQ, "-q", verb, *words], env=self.environment, stdout=out,
                                    stderr=subprocess.PIPE, text=True)
            with done.stderr:
                errors = done.stderr.read()
            _, status, usage = os.wait4(done.pid, 0)
        done.returncode = os.waitstatus_to_exitcode(status)
        return done.returncode, errors, path, usage.ru_maxrss

    def measured(self, *words):
        """Standard output, a file, and the peak memory in KiB."""
        status, errors, path, peak = self.run_measured(*words)
        self.assertEqual((status, errors), (0, ""))
        return open(path), peak

    def assert_refused(self, query, reason, wanted=1, besides=96):
        """`besides` is the MiB that the process may take beyond the limit of 32."""
        status, errors, _, peak = self.run_measured("--memory-limit", "32M", query)
        self.assertRegex(errors, reason)
        self.assertEqual(status, wanted)
        if not SANITIZED:
            self.assertLess(peak, (32 + besides) << 10)
