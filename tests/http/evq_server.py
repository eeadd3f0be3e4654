"""A running `evq serve` for the tests beside this file, and the ways they talk to it."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

EVQ = sys.argv[1] if len(sys.argv) > 1 else "evq"
T0 = "2024-05-01T00:00:00Z"
# What a dashboard needs, but for what a test says of its own.
BOARD = {"name": "B", "owner": "owner", "charts": [], "layout": [], "refreshTime": 60, "schemaVersion": 2,
         "timeWindowStart": "qr-now-1h", "timeWindowEnd": "qr-now"}


class Server:
    def __init__(self, *flags, store=None, tls=None, env=None, port=0):
        """`tls`: the context that the server is asked with, when the flags give it a certificate."""
        self.tls = tls
        self.directory = store or tempfile.mkdtemp(prefix="evq-http-")
        self.process = subprocess.Popen(
            [EVQ, "--store", self.directory, "serve", "--listen", f"127.0.0.1:{port}", *flags],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=env)
        self.lines = []
        self.token = None
        while True:
            line = self.process.stderr.readline()
            if not line:
                raise RuntimeError("evq serve ended: " + "".join(self.lines))
            self.lines.append(line)
            if "first token" in line:
                self.token = line.split()[-1]
            found = re.search(r"listening on https?://127.0.0.1:(\d+)", line)
            if found:
                self.port = int(found.group(1))
                break
        self.reader = threading.Thread(target=self._drain, daemon=True)
        self.reader.start()

    def _drain(self):
        for line in self.process.stderr:
            self.lines.append(line)

    def stop(self, keep=False):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(30)
        self.reader.join(5)
        if not keep:
            shutil.rmtree(self.directory, ignore_errors=True)
        return status

    def call(self, method, path, body=None, headers=None):
        if self.tls:
            connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=30,
                                                     context=self.tls)
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
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
        found = []
        for descriptor in os.listdir(f"/proc/{self.process.pid}/fd"):
            try:
                target = os.readlink(f"/proc/{self.process.pid}/fd/{descriptor}")
            except FileNotFoundError:
                continue
            if target.startswith(self.directory + "/") and target.endswith(" (deleted)"):
                found.append(target)
        return found

    def raw(self, data, wait=5):
        with socket.create_connection(("127.0.0.1", self.port), timeout=wait) as sock:
            sock.sendall(data)
            out = b""
            try:
                while True:
                    piece = sock.recv(65536)
                    if not piece:
                        break
                    out += piece
            except (socket.timeout, ConnectionResetError):
                pass
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
