"""evq --server ingest: what is told of the events is what is told where they are loaded into a store."""

from evq_case import EvqCase, main


class IngestServerNotes(EvqCase):
    def test_the_notes_are_those_of_a_store(self):
        url, token, _ = self.serve()
        server = ("--server", url, "--token", token)
        many = b"".join(b'{"i":%d,"s":"%s"}\n' % (i, b"\xff" if i >= 20_000 else b"x") for i in range(20_002))
        repaired = "1 event repaired (first at line 1: invalid UTF-8 became U+FFFD)\n"
        for content, words, told in (
                (b'{"a":"\xff"}\n', (), repaired),
                (many, (), "2 events repaired (first at line 20001: invalid UTF-8 became U+FFFD)\n"),
                (b'\n[{"a":1},\n{"a":"\xff"}]\n', (), "(first at line 3: invalid UTF-8 became U+FFFD)\n"),
                (b'{"a":1}\n{"a":2},\n{"a":3} ,\n{"a":x},\n', (),
                 "2 events repaired (first at line 2: a comma behind the event was passed over)\n"),
                (b"a,b\n1,\xff\n2,3\n", (), "(first at line 2: invalid UTF-8 became U+FFFD)\n"),
                (b"2024-05-01T10:20:30Z caf\xe9\n", (), repaired),
                (b'{"ts":"2024-05-01T10:20:30Z","a":1}\n', (),
                 "no event has the field _time, so _time is when it was read; --timestamp-field ts takes it from "
                 "there\n"),
                (b'{"_time":"2024-05-01T10:20:30Z","ts":1}\n{"a":2}\n', (), ""),
                (b"it went on\n", (), "no line begins with a time that is known, so _time is when it was read\n"),
                (b"a=1 b=2\n", (), "no line has a time that is known, so _time is when it was read\n"),
                (b'{"a":1,"host":"own"}\n{"a":2}\n', ("--label", "host=h"),
                 "1 event has a field host of its own, whose place --label has taken\n")):
            with self.subTest(content[:40]):
                _, here = self.evq("ingest", "d", "-o", "text", *words, input=content)
                _, there = self.evq(*server, "ingest", "d", "-o", "text", *words, input=content)
                self.assertEqual(there, here)
                self.assertIn(told, here)
                self.assertEqual(here == "", told == "")


if __name__ == "__main__":
    main()
