"""A web server on this machine with feeds that change: ETag, Last-Modified, 304, redirects, gzip, broken ones.

``POST /put/NAME`` with a body puts a feed there; ``GET /asked`` tells as JSON what was asked.
"""

from __future__ import annotations

import contextlib
import email.utils
import gzip
import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MODIFIED = email.utils.formatdate(1_777_600_000, usegmt=True)

RSS = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<title>{title}</title><link>https://example.org/</link><description>d</description>
{items}</channel></rss>"""
ITEM = """<item><title>{title}</title><link>https://example.org/{name}</link><guid isPermaLink="false">{name}</guid>
<pubDate>Fri, 01 May 2026 10:00:00 +0800</pubDate><description><![CDATA[<p>{text}</p>]]></description></item>"""


def rss(title: str, *items: tuple[str, str, str]) -> str:
    """Return an RSS 2.0 feed of items: name, title, text."""
    return RSS.format(title=title, items="\n".join(ITEM.format(name=n, title=t, text=x) for n, t, x in items))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.server.feeds[self.path.removeprefix("/put/")] = data
        self._answer(204)

    def do_GET(self) -> None:
        name = self.path.strip("/")
        if name == "asked":
            return self._answer(200, json.dumps(self.server.asked).encode(), {"Content-Type": "application/json"})
        self.server.asked.append({"path": self.path, **{key.lower(): value for key, value in self.headers.items()}})
        kind, _, rest = name.partition("/")
        match kind:
            case "moved" | "found":
                return self._answer(301 if kind == "moved" else 302, headers={"Location": f"/{rest}"})
            case "loop":
                return self._answer(302, headers={"Location": "/loop"})
            case "gone":
                return self._answer(410)
            case "busy":
                return self._answer(503, headers={"Retry-After": "7200"})
            case "away":
                return self._answer(302, headers={"Location": "http://127.0.0.2:1/feed"})
            case "large":
                return self._answer(200, b"<rss>" + b" " * 10_000_001)
        return self._feed(kind, rest)

    def _feed(self, kind: str, rest: str) -> None:
        zipped, dated, name = kind == "zipped", kind == "dated", rest or kind
        data = self.server.feeds.get(name)
        if data is None:
            return self._answer(404, b"<html><title>Not Found</title></html>", {"Content-Type": "text/html"})
        tag = f'W/"{hashlib.sha256(data).hexdigest()[:12]}"'
        marks = {"Last-Modified": MODIFIED} if dated else {"ETag": tag}
        if self.headers.get("If-None-Match") == tag or (dated and self.headers.get("If-Modified-Since") == MODIFIED):
            return self._answer(304, headers=marks)
        kinds = {"page": "text/html"}
        marks["Content-Type"] = kinds.get(name, "application/rss+xml")
        if zipped:
            data, marks["Content-Encoding"] = gzip.compress(data), "gzip"
        return self._answer(200, data, marks)

    def _answer(self, status: int, data: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for key, value in (headers or {}).items():
            self.send_header(key, value)
        if status != 304:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def standing_in() -> Iterator[ThreadingHTTPServer]:
    """Run the server; ``feeds`` are its feeds by name, ``asked`` the requests, ``url`` is its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.feeds, server.asked = {}, []
    server.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """Run it and yield its address."""
    with standing_in() as server:
        yield server.url
