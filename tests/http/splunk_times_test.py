#!/usr/bin/env python3
"""The times that texts sent to Splunk's collector say they are from.

Usage: splunk_times_test.py EVQ.
"""

import json
import sys
import unittest

from evq_server import ServerCase

OLD, LATER = "2024-05-01T10:20:30Z", "2024-05-01T10:20:31Z"


class Times(ServerCase):
    def send(self, path, body):
        status, answer = self.server.call("POST", "/services/collector" + path, body)
        self.assertEqual((status, answer["code"]), (200, 0), answer)

    def times(self, dataset):
        """By `_raw`; null for the time of the receipt."""
        answer = self.server.query(f"{dataset} | project k = tostring(_raw), t = iff(_time == _sysTime, "
                                   "datetime(null), _time)")
        return dict(zip(*answer["tables"][0]["columns"]))

    def test_an_event_gets_the_time_in_its_text_where_that_is_asked_for(self):
        line = OLD + " hello"
        envelopes = [{"event": line}, {"event": "no time"}, {"event": line + " 2", "time": 1714558831},
                     {"event": line + " 3", "fields": {"_time": LATER}}]
        body = "".join(json.dumps(each) for each in envelopes)
        for number, asked in enumerate(("", *("&auto_extract_timestamp=" + off
                                              for off in ("false", "False", "0", "f", "No", "n", "off")))):
            dataset = f"off{number}"
            self.send(f"/event?index={dataset}{asked}", body)
            self.assertEqual(self.times(dataset), {line: None, "no time": None, line + " 2": LATER,
                                                   line + " 3": LATER})
        for number, asked in enumerate(("true", "True", "1", "t", "yes", "Y", "on")):
            self.send(f"?index=on{number}&auto_extract_timestamp={asked}", body)
            self.assertEqual(self.times(f"on{number}"), {line: OLD, "no time": None, line + " 2": LATER,
                                                         line + " 3": LATER})
        status, answer = self.server.call(
            "POST", "/services/collector?index=on0&auto_extract_timestamp=maybe", body)
        self.assertEqual(status, 400, answer)
        self.assertIn("auto_extract_timestamp must be one of true/false, t/f, yes/no, y/n, on/off, 1/0",
                      answer["text"])

    def test_objects_keep_what_they_say_themselves(self):
        self.send("?index=objects&auto_extract_timestamp=true",
                  json.dumps({"event": {"_time": OLD, "_raw": "own"}}) + json.dumps({"event": {"_raw": "none"}}))
        self.assertEqual(self.times("objects"), {"own": OLD, "none": None})

    def test_raw_lines_are_from_when_they_say(self):
        self.send("/raw?index=raw", f"a banner\n{OLD} one\n  at some place\n{LATER} two\n")
        self.assertEqual(self.times("raw"), {"a banner": None, OLD + " one": OLD, "  at some place": OLD,
                                             LATER + " two": LATER})

    def test_dates_tell_their_order_together(self):
        self.send("/raw?index=days", "01/05/2024 10:20:30 a\n13/05/2024 10:20:30 b\n")
        self.assertEqual(set(self.times("days").values()), {OLD, "2024-05-13T10:20:30Z"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
