#!/usr/bin/env python3
"""Real shippers against a running server: rsyslog by Elasticsearch's bulk format, syslog-ng by its
http() destination, collectd's measurements as JSON, curl as people use it. Started by
tests/http/peers, which fetches them.

Usage: peers_test.py EVQ. RSYSLOGD, SYSLOG_NG, COLLECTD and PEER_LIBRARIES (their modules' root) come
from the environment.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from evq_server import Server
from processes import wait_until

ROOT = os.environ.get("PEER_LIBRARIES", "")
RSYSLOGD = os.environ.get("RSYSLOGD", "rsyslogd")
SYSLOG_NG = os.environ.get("SYSLOG_NG", "syslog-ng")
COLLECTD = os.environ.get("COLLECTD", "collectd")

RSYSLOG_CONF = """
global(workDirectory="{dir}")
module(load="imuxsock" SysSock.Use="off")
module(load="omelasticsearch")
input(type="imuxsock" Socket="{dir}/log")
template(name="event" type="list" option.jsonf="on") {{
  property(outname="@timestamp" name="timereported" dateFormat="rfc3339" format="jsonf")
  property(outname="host" name="hostname" format="jsonf")
  property(outname="severity" name="syslogseverity-text" format="jsonf")
  property(outname="tag" name="programname" format="jsonf")
  property(outname="message" name="msg" format="jsonf")
}}
action(type="omelasticsearch" server="{url}/v1/ingest/rsyslog/elastic" searchIndex="any"
       searchType="" bulkmode="on" uid="x" pwd="{token}" template="event"
       action.resumeRetryCount="-1")
"""

SYSLOG_NG_CONF = """@version: 3.38
source s {{ unix-dgram("{dir}/log"); }};
destination d {{
  http(url("{url}/v1/ingest/syslogng") method("POST") headers("Authorization: Bearer {token}",
       "Content-Type: application/json") batch-lines(100) batch-timeout(200) delimiter(",")
       body-prefix("[") body-suffix("]")
       body("$(format-json --scope rfc5424 --key ISODATE _time=$ISODATE)"));
}};
log {{ source(s); destination(d); }};
"""


COLLECTD_CONF = """
BaseDir "{dir}"
PluginDir "{root}/usr/lib/collectd"
TypesDB "{root}/usr/share/collectd/types.db"
Interval 0.5
LoadPlugin load
LoadPlugin write_http
<Plugin write_http>
  <Node "evq">
    URL "{url}/v1/ingest/collectd?timestamp-field=time"
    Header "Authorization: Bearer {token}"
    Format "JSON"
    BufferSize 1024
  </Node>
</Plugin>
"""


class Peers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.url = f"http://127.0.0.1:{cls.server.port}"

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    def ship(self, start, conf):
        """Starts a shipper over a socket of its own, logs 500 lines, returns when it was stopped."""
        with tempfile.TemporaryDirectory(prefix="evq-peer-") as directory:
            path = os.path.join(directory, "conf")
            with open(path, "w") as file:
                file.write(conf.format(dir=directory, url=self.url, token=self.server.token))
            process = subprocess.Popen(start(path, directory), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            try:
                log = os.path.join(directory, "log")
                wait_until(lambda: os.path.exists(log))
                with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
                    sock.connect(log)
                    for i in range(500):
                        sock.send(f'<14>May  1 12:00:00 shop[{i}]: line {i} "quoted" \\ end'.encode())
                        time.sleep(0.001)
                yield
            finally:
                process.terminate()
                process.wait(20)

    def count(self, dataset):
        status, answer = self.server.call("POST", "/v1/query/_apl?format=tabular",
                                          {"apl": f"['{dataset}'] | count"})
        return answer["tables"][0]["columns"][0][0] if status == 200 else 0

    @unittest.skipUnless(shutil.which(RSYSLOGD), "no rsyslog")
    def test_rsyslog(self):
        start = lambda conf, directory: [
            RSYSLOGD, "-n", "-f", conf, "-i", directory + "/pid",
            *(["-M", ROOT + "/usr/lib/x86_64-linux-gnu/rsyslog"] if ROOT else [])]
        for _ in self.ship(start, RSYSLOG_CONF):
            wait_until(lambda: self.count("rsyslog") == 500)
        rows = self.server.query("rsyslog | where message has 'line 7' | project message, severity, tag")
        self.assertEqual([column[0] for column in rows["tables"][0]["columns"]],
                         [' line 7 "quoted" \\ end', "info", "shop"])

    @unittest.skipUnless(shutil.which(SYSLOG_NG), "no syslog-ng")
    def test_syslog_ng(self):
        start = lambda conf, directory: [
            SYSLOG_NG, "-F", "--no-caps", "-f", conf, "-R", directory + "/persist", "-p",
            directory + "/pid", "-c", directory + "/ctl",
            *(["--module-path", ROOT + "/usr/lib/syslog-ng/3.38"] if ROOT else [])]
        for _ in self.ship(start, SYSLOG_NG_CONF):
            wait_until(lambda: self.count("syslogng") == 500)
        rows = self.server.query("syslogng | where MESSAGE has 'line 7' | project MESSAGE, PROGRAM")
        self.assertEqual([column[0] for column in rows["tables"][0]["columns"]],
                         ['line 7 "quoted" \\ end', "shop"])

    @unittest.skipUnless(shutil.which(COLLECTD), "no collectd")
    def test_collectd(self):
        with tempfile.TemporaryDirectory(prefix="evq-peer-") as directory:
            path = os.path.join(directory, "conf")
            with open(path, "w") as file:
                file.write(COLLECTD_CONF.format(dir=directory, root=ROOT, url=self.url,
                                                token=self.server.token))
            process = subprocess.Popen([COLLECTD, "-f", "-C", path, "-P", directory + "/pid"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                wait_until(lambda: self.count("collectd") >= 4)
            finally:
                process.terminate()
                process.wait(20)
        rows = self.server.query("collectd | extend seconds = (_time - datetime(1970-01-01)) / 1s "
                                 "| project plugin, seconds, time, values | take 1")
        plugin, seconds, sent, values = [column[0] for column in rows["tables"][0]["columns"]]
        self.assertEqual((plugin, len(values)), ("load", 3))
        self.assertAlmostEqual(seconds, sent, places=3)

    def curl(self, *words, data=None):
        done = subprocess.run(["curl", "-sS", "-H", "Authorization: Bearer " + self.server.token,
                               *words], input=data, capture_output=True, check=True)
        return done.stdout.decode()

    @unittest.skipUnless(shutil.which("curl"), "no curl")
    def test_curl(self):
        lines = b"".join(b'{"n":%d,"pad":"%s"}\n' % (i, b"x" * 100) for i in range(20000))
        # Longer than a megabyte: curl asks first (Expect: 100-continue).
        answer = self.curl(self.url + "/v1/ingest/curl", "-H", "Content-Type: application/x-ndjson",
                           "--data-binary", "@-", data=lines)
        self.assertIn('"ingested":20000', answer)
        self.assertIn('"ingested":2', self.curl(
            self.url + "/v1/ingest/curl", "-H", "Content-Type: text/csv", "--data-binary", "@-",
            "-H", "Transfer-Encoding: chunked", data=b"n,pad\n1,a\n2,b\n"))
        answer = self.curl(self.url + "/v1/query/_apl?format=tabular", "-H",
                           "Content-Type: application/json", "-d", '{"apl":"curl | count"}')
        self.assertIn('"columns":[[20002]]', answer)
        answer = self.curl("--http1.0", self.url + "/v1/query/_apl?format=legacy", "-d",
                           '{"apl":"curl | limit 3000"}', "-H", "Content-Type: application/json")
        self.assertEqual(answer.count('"_rowId"'), 3000)

    @unittest.skipUnless(shutil.which("curl"), "no curl")
    def test_the_readme_says_what_works(self):
        """The curl commands of README.md, run as they stand but for the port and the file."""
        with open(os.path.join(os.path.dirname(__file__), "../../README.md")) as file:
            text = file.read()
        commands = re.findall(r"^(curl (?:[^\n]*\\\n)*[^\n]*)$", text, re.MULTILINE)
        self.assertGreaterEqual(len(commands), 2)
        with tempfile.TemporaryDirectory(prefix="evq-readme-") as directory:
            with open(os.path.join(directory, "events.ndjson"), "w") as file:
                file.write('{"a":1}\n{"a":2}\n')
            for command in commands:
                command = command.replace("localhost:8080", self.url)
                done = subprocess.run(["sh", "-euc", command], cwd=directory, capture_output=True,
                                      env={**os.environ, "TOKEN": self.server.token}, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, '"ingested":2|"columns":', command)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
