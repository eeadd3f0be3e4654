#!/usr/bin/env python3
"""Connections over TLS that have shown no right to anything: what they cost, and that they harm nobody.

Usage: tls_test.py EVQ.
"""

import resource
import select
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

from evq_server import EVQ, Server
from processes import wait_until
from sanitizer import sanitizer_runtime

SANITIZED = sanitizer_runtime(EVQ) is not None
CLIENTS = 600
UNPROVEN_MAX, BURST_MAX = 256, 1024
PROOF_S = 5  # each has so much time, where they are no more than BURST_MAX


@unittest.skipUnless(shutil.which("openssl"), "no openssl to make a certificate with")
class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
        cls.directory = tempfile.mkdtemp(prefix="evq-tls-")
        cls.certificate, key = cls.directory + "/certificate.pem", cls.directory + "/key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
                        "-keyout", key, "-out", cls.certificate], check=True, capture_output=True)
        cls.flags = ("--tls-cert", cls.certificate, "--tls-key", key)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.directory)

    def setUp(self):
        self.server = Server(*self.flags, tls=ssl.create_default_context(cafile=self.certificate))
        self.assertEqual(self.server.call("GET", "/v2/datasets")[0], 200)

    def tearDown(self):
        self.assertEqual(self.server.stop(), 0)

    def memory(self):
        with open(f"/proc/{self.server.process.pid}/status") as status:
            return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmRSS"))

    def hello(self):
        """What a client says first."""
        outgoing = ssl.MemoryBIO()
        client = self.server.tls.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="127.0.0.1")
        with self.assertRaises(ssl.SSLWantReadError):
            client.do_handshake()
        return outgoing.read()

    @staticmethod
    def ended(sockets):
        """How many of them the server has closed."""
        count = 0
        for sock in sockets:
            poll = select.poll()
            poll.register(sock, select.POLLRDHUP)
            count += bool(poll.poll(0))
        return count

    def open(self, sent):
        sockets = []
        for _ in range(CLIENTS):
            sock = self.server.connect()
            self.addCleanup(sock.close)
            sock.sendall(sent)
            sockets.append(sock)
        return sockets

    def ask_again(self, sock, ask):
        sock.sendall(ask)
        answer = b""
        while b" 200 OK" not in answer:
            piece = sock.recv(4096)
            self.assertTrue(piece, "the connection was closed")
            answer += piece

    def test_what_has_not_begun_to_shake_hands_costs_no_stream_of_tls(self):
        for sent in (b"", self.hello()[:7], self.hello()[:-1]):
            with self.subTest(sent):
                before = self.memory()
                sockets = self.open(sent)
                self.assertEqual(self.server.call("GET", "/v2/datasets")[0], 200)
                if not SANITIZED:
                    self.assertLess(self.memory() - before, CLIENTS * (32 << 10) + (4 << 20))
                self.assertEqual(self.ended(sockets), 0)
                for sock in sockets:
                    sock.close()

    def test_a_hello_may_come_in_pieces_and_be_no_hello(self):
        outgoing, incoming = ssl.MemoryBIO(), ssl.MemoryBIO()
        client = self.server.tls.wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
        with self.server.connect() as sock:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for _ in range(10):
                try:
                    client.do_handshake()
                    break
                except ssl.SSLWantReadError:
                    for byte in outgoing.read():
                        sock.sendall(bytes([byte]))
                        time.sleep(0.001)
                    incoming.write(sock.recv(65536))
            client.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            sock.sendall(outgoing.read())
            answer = b""
            while b" 200 OK" not in answer:
                incoming.write(sock.recv(65536))
                try:
                    answer += client.read(65536)
                except ssl.SSLWantReadError:
                    pass
        for sent in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x00\x00", b"\x16\x03\x01\xff\xff",
                     b"\x16\x02\x00\x00\x01\x01", b"\x17\x03\x01\x00\x01\x01"):
            self.assertEqual(self.server.raw(sent), b"", sent)
        self.server.raw(b"\x16\x03\x01\x00\x01\x01", more=False)  # a record and no more

    def test_those_that_show_no_right_make_room_for_each_other(self):
        with self.server.connect() as sock, \
                self.server.tls.wrap_socket(sock, server_hostname="127.0.0.1") as proven:
            ask = (b"GET /v2/datasets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                   + self.server.token.encode() + b"\r\n\r\n")
            self.ask_again(proven, ask)
            before = self.memory()
            begin = time.monotonic()
            sockets = self.open(self.hello())  # and says no more
            self.assertEqual(self.server.call("GET", "/v2/datasets")[0], 200)
            if time.monotonic() - begin < PROOF_S:
                self.assertEqual(self.ended(sockets), 0)
            time.sleep(PROOF_S)
            self.assertEqual(self.server.call("GET", "/v2/datasets")[0], 200)  # one more
            wait_until(lambda: self.ended(sockets) >= CLIENTS - UNPROVEN_MAX, 9)
            self.assertFalse(self.ended(sockets[-100:]))
            self.assertEqual(self.server.call("GET", "/v2/datasets")[0], 200)
            if not SANITIZED:
                self.assertLess(self.memory() - before, BURST_MAX * (150 << 10))
            for sock in sockets:
                sock.close()
            refused = []
            for _ in range(CLIENTS):  # shake hands, and are refused
                sock = self.server.tls.wrap_socket(self.server.connect(), server_hostname="127.0.0.1")
                self.addCleanup(sock.close)
                sock.sendall(ask.replace(self.server.token.encode(), b"wrong"))
                refused.append(sock)
            time.sleep(PROOF_S)
            self.assertEqual(self.server.call("GET", "/v2/datasets")[0], 200)  # one more
            wait_until(lambda: self.ended(refused) >= CLIENTS - UNPROVEN_MAX)
            if not SANITIZED:
                self.assertLess(self.memory() - before, BURST_MAX * (150 << 10))
            self.ask_again(proven, ask)  # who was served before all of them
            for sock in refused:
                sock.close()
            if not SANITIZED:
                wait_until(lambda: self.memory() - before < 24 << 20, 20, "the memory is kept")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
