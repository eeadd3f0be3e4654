"""What evq ingest holds in memory, whatever its input is."""

import json
import os
import random
import subprocess
import unittest

from evq_case import EVQ, EvqCase, main
from sanitizer import sanitizer_runtime

MEMORY_MAX = 256 << 20  # as man 1 evq states


@unittest.skipIf(sanitizer_runtime(EVQ) is not None, "a sanitizer's own memory would be measured")
class IngestMemory(EvqCase):
    def test_it_does_not_grow_with_the_input(self):
        line = '{"n":%d,"host":"web-%d","path":"/api/v1/items/%d","text":"' + "x" * 200 + '"}\n'
        batch = [line % (i, i % 50, i * 7919 % 100_003) for i in range(4000)]
        self.assertLess(self.peak_memory(batch, 3 * MEMORY_MAX), MEMORY_MAX)

    def test_events_that_hardly_compress(self):
        noise = random.Random(1)
        for name, batch in (
                ("middling texts", [{"x": noise.randbytes(1000).hex(), "y": noise.randbytes(1500).hex()}
                                    for _ in range(400)]),
                ("many fields", [{f"f{i}": noise.randbytes(8).hex() for i in range(500)}
                                 for _ in range(100)]),
                ("nested", [{"a": [{f"k{noise.randrange(50)}": noise.randbytes(7).hex(), "v": i}
                                   for i in range(30)]} for _ in range(2000)])):
            with self.subTest(name):
                lines = [json.dumps(event) + "\n" for event in batch]
                self.assertLess(self.peak_memory(lines, MEMORY_MAX, name.replace(" ", "-")), MEMORY_MAX)

    def test_wide_events_that_change(self):
        """What dictionaries, growing columns and text that was parsed take beside the values."""
        noise = random.Random(2)
        fields = [[f'"g{group}_{i}":' for i in range(990)] for group in range(9)]

        def event(group, value):
            return "{" + ",".join(map(str.__add__, fields[group], value())) + "}\n"

        def texts(digits):
            row = noise.randbytes(990 * digits // 2).hex()
            return [f'"{row[i:i + digits]}"' for i in range(0, 990 * digits, digits)]

        def lists():
            return [f"[{text},7]" for text in texts(6)]

        def cells(i):  # numbers for a while, then texts
            row = noise.randbytes(3000).hex()
            return ",".join(str(int(row[i:i + 3], 16)) if i % 3000 < 2000 else row[i:i + 6]
                            for i in range(0, 6000, 6)) + "\n"

        header = ",".join(f"c{i}" for i in range(1000)) + "\n"
        for name, head, rows in (
                ("in turn", "", (event(i % 9, lambda: texts(8)) for i in range(3000))),
                ("one after the other", "",
                 (event(i // 500 % 9, lambda: texts(8)) for i in range(4500))),
                ("lists", "", (event(i % 9, lists) for i in range(3000))),
                ("csv", header, (cells(i) for i in range(6000)))):
            with self.subTest(name):
                self.assertLess(self.peak_memory(rows, 200 << 20, name.replace(" ", "-"), head),
                                MEMORY_MAX)

    def test_fields_that_come_and_go(self):
        """Merges of chunks with thousands of columns, most of them empty in most chunks."""
        noise = random.Random(4)

        def event(i):
            digits = noise.randbytes(800).hex()
            return "{" + ",".join(f'"field_{(i * 97 + k) % 9900}":"{digits[8 * k:8 * k + 8]}"'
                                  for k in range(200)) + "}\n"

        self.assertLess(self.peak_memory(map(event, range(9900)), 130 << 20), MEMORY_MAX)

    def test_one_event(self):
        for name, line in (
                ("keys", "{" + ",".join(f'"k{i}":1' for i in range(2_000_000)) + "}"),
                ("list", '{"a":[' + "1," * 15_000_000 + "1]}"),
                ("lists", "{" + ",".join(f'"l{i}":[' + "1," * 50_000 + "1]" for i in range(300)) + "}"),
                ("line of numbers", "[{}" + ",1" * 15_000_000 + "]")):
            with self.subTest(name):
                self.assertLess(self.peak_memory([line, "\n"], 1, name.replace(" ", "-")), 2 * MEMORY_MAX)

    def peak_memory(self, batch, size, dataset="d", head=""):
        """Bytes of a process that takes `head` and then `batch`, lines, again and again, `size` bytes
        in all. They wait in a file: a process counts its parent's memory as its own."""
        with open(self.directory / "head", "w") as file:
            file.write(head)
        with open(self.directory / "batch", "w") as file:
            file.writelines(batch)
            batch_size = file.tell()
        times = -(-size // batch_size)
        with subprocess.Popen(["cat", "head", *["batch"] * times], cwd=self.directory,
                              stdout=subprocess.PIPE) as source:
            process = subprocess.Popen([EVQ, "ingest", dataset], env=self.environment,
                                       stdin=source.stdout, stdout=subprocess.PIPE)
            report = json.loads(process.stdout.read())
            process.stdout.close()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
        self.assertEqual((status, report["processedBytes"]), (0, len(head) + times * batch_size))
        return usage.ru_maxrss * 1024


if __name__ == "__main__":
    main()
