"""A store that others may write to is used, and told of."""

import os

from evq_case import EvqCase, main


class Exposed(EvqCase):
    def setUp(self):
        super().setUp()
        self.store = self.directory / "shared store"
        self.store.mkdir(mode=0o700)
        self.notes()

    def notes(self, *words):
        _, errors = self.evq("--store", self.store, *words, "ingest", "d", input='{"n":1}\n')
        return [line for line in errors.splitlines() if "other users" in line or "another user" in line]

    def test_a_folder_that_others_may_write_to(self):
        self.assertEqual(self.notes(), [])
        for mode in (0o777, 0o707, 0o1777):
            self.store.chmod(mode)
            told = self.notes()
            self.assertEqual(len(told), 1, told)
            self.assertIn(f"other users may write to {self.store}", told[0])
            self.assertIn(f"chmod -R o-w '{self.store}'", told[0])
        self.assertEqual(self.notes("--quiet"), [])
        for mode in (0o770, 0o755, 0o700):  # a group is meant to share
            self.store.chmod(mode)
            self.assertEqual(self.notes(), [], mode)

    def test_a_file_that_others_may_write_to(self):
        for file in ("catalog.db", "datasets/1.db", "datasets"):
            path = self.store / file
            before = path.stat().st_mode & 0o777
            path.chmod(0o777 if path.is_dir() else 0o666)
            self.store.chmod(0o711)
            told = self.notes()
            self.assertEqual(len(told), 1, file)
            self.assertIn(f"other users may write to {path}", told[0])
            self.store.chmod(0o700)  # nobody comes so far
            self.assertEqual(self.notes(), [], file)
            for made in (path, *path.parent.glob(path.name + "-*")):  # SQLite gives them its mode
                made.chmod(before)

    def test_root_works_in_the_stores_of_others(self):
        if os.geteuid() != 0:
            self.skipTest("OTHER USERS' STORES ARE NOT TESTED: only root can give one away")
        for path in (self.store, *self.store.rglob("*")):
            os.chown(path, 65534, 65534)
        self.assertEqual(self.notes(), [])


if __name__ == "__main__":
    main()
