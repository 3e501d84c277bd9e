"""A model server for the load bench: it takes the same time for each answer, and notes how long that really was."""

from __future__ import annotations

import contextlib
import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MARK", "TimedModel"]

MARK: Final = re.compile(r"\[(c\d+-\d+-\w+)\]")
"""How a message of the bench is known: ``[c3-1-ab12]``."""

_WORDS: Final = ("Noted", ", and", " answered", ".")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


class TimedModel:
    """Answers in four pieces, ``seconds`` in all; ``took`` are the seconds that each message was under way here."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.took: dict[str, float] = {}
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """What belongs into ``base_url``."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(model: TimedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            began = time.monotonic()
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            self.close_connection = True
            for word in _WORDS:
                time.sleep(model.seconds / len(_WORDS))
                self._send({"content": word}, None)
            self._send({}, "stop")
            self.wfile.write(b"data: [DONE]\n\n")
            model.took[_mark_of(request)] = time.monotonic() - began

        def handle(self) -> None:
            with contextlib.suppress(OSError):  # the server that asked was killed
                super().handle()

        def _send(self, delta: Mapping[str, str], finish: str | None) -> None:
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            chunk = {"id": "1", "object": "chat.completion.chunk", "model": "timed", "choices": [choice]}
            self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
            self.wfile.flush()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler


def _mark_of(request: Mapping[str, list[Mapping[str, object]]]) -> str:
    """Return the mark of the newest message: the first one that stands in the last of the user's messages."""
    said = [str(each.get("content")) for each in request["messages"] if each.get("role") == "user"]
    found = MARK.search(said[-1]) if said else None
    return found[1] if found else ""
