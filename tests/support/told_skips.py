"""What unittest leaves out, told: a line "skipped: TEST: REASON" for every test that is skipped, which
sh tests/run repeats at its end. To import it is enough."""

import unittest


class TellingResult(unittest.TextTestResult):
    def printErrors(self):
        super().printErrors()
        for test, reason in self.skipped:
            self.stream.writeln(f"skipped: {test.id().removeprefix('__main__.')}: {reason}")


unittest.TextTestRunner.resultclass = TellingResult
