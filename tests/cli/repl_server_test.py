#!/usr/bin/env python3
"""The prompt of evq on a server. See repl_screen.py."""

import http.server
import sys
import threading
import urllib.request

from repl_screen import WAIT_S, Screen, Server, main


class OldServer:
    """Passes everything on to a server but what only evq's own servers know."""

    def __init__(self, url):
        class Handler(http.server.BaseHTTPRequestHandler):
            def forward(self):
                size = int(self.headers.get("Content-Length", 0))
                body = self.rfile.read(size) if size else None
                if self.path in ("/v1/_complete", "/v1/_check"):
                    self.reply(404, b'{"message":"no such path"}')
                    return
                request = urllib.request.Request(url + self.path, body, method=self.command)
                request.add_header("Content-Type", "application/json")
                with urllib.request.urlopen(request, timeout=WAIT_S) as answer:
                    self.reply(answer.status, answer.read())

            def reply(self, status, body):
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = forward

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def test_a_server():
    with Server() as server, Screen("--server " + server.url, rows=40) as screen:
        prompt = "evq %s>" % server.url[len("http://"):]
        screen.expect(server.url + ": web, web-logs", prompt)
        screen.type("web | where sta", "Tab")
        screen.expect("status", "long", "startofday")
        screen.fresh()
        screen.type("web | where method == 'P", "Tab")
        screen.expect("POST", "20%")
        screen.fresh()
        screen.type("wbe | where agen", "Tab")
        screen.expect("> wbe | where agen\nno dataset 'wbe'")
        screen.fresh()
        screen.type("web | summarize n = count() by status | render barchart", "Enter")
        screen.expect("200", "████", "300", "3 rows", prompt)
        screen.fresh()
        screen.type("web | where stauts == 1", "Enter")
        screen.expect("--> query:1:13", "^^^^^^", "did you mean 'status'?", prompt)
        screen.fresh()
        screen.type(".tail web where ms >= 498 | project ms", "Enter")
        screen.expect("ms=498\nms=499")
        screen.keys("C-c")
        screen.expect("ms=499", prompt)
        screen.fresh()
        server.stop()
        screen.type("de", "Tab")
        screen.expect("> de\nthe server does not answer", "declare")
        screen.fresh()
        screen.type("web | count", "Enter")
        screen.expect("cannot connect to " + server.url, "does the server run?", prompt)


def test_a_server_that_completes_nothing():
    with Server() as server, OldServer(server.url) as old, Screen("--server " + old.url) as screen:
        screen.expect("web, web-logs", ">")
        for text, wanted in (("web | where sta", ("status", "long", "startofday")),
                             ("web | where method == 'P", ("POST", "20%")),
                             ("web | proj", ("project", "project-away"))):
            screen.type(text, "Tab")
            screen.expect(*wanted)
            screen.fresh()
        screen.type(".explain web", "Enter")
        screen.expect("does not tell its plans")


if __name__ == "__main__":
    sys.exit(main(globals()))
