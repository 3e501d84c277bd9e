"""A model server on this machine that answers as a script says: for transcripts and trials, without a real model."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["Call", "ModelServer", "Say"]


@dataclass(frozen=True)
class Say:
    """An answer, sent word by word, with a pause of ``seconds`` before each."""

    text: str
    seconds: float = 0.0


@dataclass(frozen=True)
class Call:
    """A tool the model asks for."""

    tool: str
    arguments: dict[str, object] = field(default_factory=dict)


class ModelServer:
    """Speaks OpenAI's protocol with streaming; each request gets the next of the answers, the last one for ever."""

    def __init__(self, answers: Iterable[Say | Call], model: str = "small", key: str = "") -> None:
        self.model = model
        self.key = key
        self.requests: list[dict[str, object]] = []
        self._answers = list(answers)
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self._server.daemon_threads = True
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

    def script(self, answers: Iterable[Say | Call]) -> None:
        """Give these answers from now on."""
        with self._lock:
            self._answers = list(answers)

    def next_answer(self, request: dict[str, object]) -> tuple[int, Say | Call]:
        """Take a request down and return its number and what to answer."""
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
            return number, self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


def _handler_for(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if self._may():
                self._send(200, {"data": [{"id": server.model}]})

        def do_POST(self) -> None:
            request: dict[str, object] = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if not self._may():
                return
            number, answer = server.next_answer(request)
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            self.close_connection = True
            for event in _events(answer, number, server.model):
                self.wfile.write(b"data: " + event.encode() + b"\n\n")
                self.wfile.flush()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def _may(self) -> bool:
            if server.key and self.headers.get("authorization") != f"Bearer {server.key}":
                self._send(401, {"error": {"message": "wrong key", "code": "invalid_api_key", "type": "error"}})
                return False
            return True

        def _send(self, status: int, content: dict[str, object]) -> None:
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


def _events(answer: Say | Call, number: int, model: str) -> Iterator[str]:
    match answer:
        case Say(text=text, seconds=seconds):
            for piece in _pieces(text):
                time.sleep(seconds)
                yield _chunk(model, {"content": piece})
            yield _chunk(model, {}, "stop")
        case Call(tool=tool, arguments=arguments):
            function = {"name": tool, "arguments": json.dumps(arguments, ensure_ascii=False)}
            call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
            yield _chunk(model, {"tool_calls": [call]})
            yield _chunk(model, {}, "tool_calls")
    counts = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    yield json.dumps({"id": "1", "model": model, "choices": [], "usage": counts})
    yield "[DONE]"


def _pieces(text: str) -> Sequence[str]:
    return [f"{word} " for word in text.split(" ")[:-1]] + text.split(" ")[-1:]


def _chunk(model: str, delta: dict[str, object], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return json.dumps({"id": "1", "object": "chat.completion.chunk", "model": model, "choices": [choice]})
