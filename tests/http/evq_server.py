"""A running `evq serve` for the tests beside this file, and the ways they talk to it."""

import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import told_skips  # noqa: F401
from processes import ServerProcess, open_files

EVQ = sys.argv[1] if len(sys.argv) > 1 else "evq"
T0 = "2024-05-01T00:00:00Z"
# What a dashboard needs, but for what a test says of its own.
BOARD = {"name": "B", "owner": "owner", "charts": [], "layout": [], "refreshTime": 60, "schemaVersion": 2,
         "timeWindowStart": "qr-now-1h", "timeWindowEnd": "qr-now"}


class Server(ServerProcess):
    def __init__(self, *flags, store=None, tls=None, env=None, port=0):
        """`tls`: the context that the server is asked with, when the flags give it a certificate."""
        self.tls = tls
        self.directory = store or tempfile.mkdtemp(prefix="evq-http-")
        super().__init__([EVQ, "--store", self.directory, "serve", "--listen", f"127.0.0.1:{port}", *flags],
                         env=env)
        self.port = int(self.url.rsplit(":", 1)[1])

    def stop(self, keep=False):
        status = super().stop()
        if not keep:
            shutil.rmtree(self.directory, ignore_errors=True)
        return status

    def connect(self):
        """A socket for a client of the test's own, which gives up before the server ends an idle one."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=50)

    def call(self, method, path, body=None, headers=None):
        if self.tls:
            connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=120,
                                                     context=self.tls)
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        sent = dict(headers or {})
        if self.token and "Authorization" not in sent:
            sent["Authorization"] = "Bearer " + self.token
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
            sent.setdefault("Content-Type", "application/json")
        connection.request(method, path, body, sent)
        response = connection.getresponse()
        raw = response.read()
        connection.close()
        self.headers = response.headers
        try:
            return response.status, json.loads(raw)
        except ValueError:
            return response.status, raw

    def logged(self):
        """The requests in the server's log so far."""
        return [json.loads(line) for line in list(self.lines) if line.startswith("{")]

    def query(self, apl, form="tabular", **body):
        status, answer = self.call("POST", "/v1/query/_apl?format=" + form, {"apl": apl, **body})
        assert status == 200, answer
        return answer

    def peak_memory(self):
        """Bytes."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))

    def unnamed_files(self):
        """What the server has open in its store that has no name any more."""
        return [file for file in open_files(self.process.pid)
                if file.startswith(self.directory + "/") and file.endswith(" (deleted)")]

    def raw(self, data, more=True):
        """All that comes for these bytes, sent as they are, until the server ends the connection.
        Without `more` it is told that nothing else will be sent."""
        with self.connect() as sock:
            sock.sendall(data)
            if not more:
                sock.shutdown(socket.SHUT_WR)
            out = b""
            try:
                while piece := sock.recv(65536):
                    out += piece
            except ConnectionResetError:
                pass
            except TimeoutError as error:
                raise AssertionError(f"the connection is still open after {out}") from error
            return out


class ServerCase(unittest.TestCase):
    """Tests that share one server."""

    FLAGS = ("--no-auth",)

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.FLAGS)
        cls.fill()

    @classmethod
    def fill(cls):
        """What the server holds before the first test."""

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0


def run_evq(store, *words):
    done = subprocess.run([EVQ, "--store", store, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()
