#!/usr/bin/env python3
"""What `cmake --install` puts where, and what it takes to build without the tests."""

import pathlib
import shutil
import subprocess
import unittest

from evq_case import EVQ, EvqCase


class Install(EvqCase):
    def test_program_manual_completion_and_service(self):
        root = self.directory / "root"
        subprocess.run(["cmake", "--install", pathlib.Path(EVQ).parent, "--prefix", root],
                       check=True, capture_output=True)
        installed = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
        self.assertLessEqual({
            "bin/evq", "share/man/man1/evq.1", "share/man/man5/evq-store.5",
            "share/man/man7/evq-http.7", "share/man/man7/evq-apl.7",
            "share/bash-completion/completions/evq", "share/zsh/site-functions/_evq",
            "share/fish/vendor_completions.d/evq.fish", "lib/systemd/system/evq.service",
        }, installed)
        done = subprocess.run([root / "bin/evq", "completion", "bash"], check=True,
                              capture_output=True, text=True, env=self.environment)
        script = root / "share/bash-completion/completions/evq"
        self.assertEqual(done.stdout, script.read_text())
        unit = (root / "lib/systemd/system/evq.service").read_text()
        self.assertNotIn("@", unit.replace("@system-service", ""))
        self.assertIn(f"\nExecStart={root}/bin/evq serve $EVQ_SERVE_OPTIONS\n", unit)
        if shutil.which("systemd-analyze"):
            done = subprocess.run(["systemd-analyze", "verify", "--man=no",
                                   root / "lib/systemd/system/evq.service"],
                                  capture_output=True, text=True)
            self.assertEqual([line for line in done.stderr.splitlines() if "evq" in line], [])

    def test_without_the_tests_their_library_need_not_be_there(self):
        done = subprocess.run(
            ["cmake", "-S", pathlib.Path(__file__).parents[2], "-B", self.directory / "build", "-G", "Ninja",
             "-DEVQ_TESTS=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_doctest=ON"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
