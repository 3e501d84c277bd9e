"""Our offline embedder for whoever accepts one: an OpenAI-compatible address on this machine.

Peers do not say whether a text is a question; the bench knows, because it knows what it has just asked of them.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Self

import msgspec

from bench.baseline import Document
from bench.baselines import document_vectors
from homeagent.memory.compute import QueryText

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray

    from bench.vectors import RememberingEmbedder

__all__ = ["VectorServer"]


class _Request(msgspec.Struct, frozen=True):
    input: tuple[str, ...] | str


class VectorServer:
    """Serves vectors while the block runs; ``asking`` says that texts are questions now."""

    def __init__(self, embedder: RememberingEmbedder) -> None:
        self.asking = False
        self._embedder = embedder
        self._known: dict[str, NDArray[np.float32]] = {}
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def address(self) -> str:
        """The base address, to which a client adds ``/embeddings``."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def learn(self, texts: Sequence[str]) -> None:
        """Embed these passages now, so that no peer's time holds another's share of it."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            made = document_vectors([Document("", text) for text in new], self._embedder, "passages")
            self._known.update(zip(new, made, strict=True))

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text, as a question or as a passage."""
        with self._lock:
            if self.asking:
                return [self._embedder.query(QueryText(text)).tolist() for text in texts]
            self.learn(texts)
            return [self._known[text].tolist() for text in texts]


def _handler(server: VectorServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # head and body are two writes: without it each answer waits 40 ms

        def do_POST(self) -> None:
            """Answer one request for embeddings."""
            given = msgspec.json.decode(self.rfile.read(int(self.headers["Content-Length"])), type=_Request)
            texts = [given.input] if isinstance(given.input, str) else given.input
            rows = [
                {"object": "embedding", "index": place, "embedding": vector}
                for place, vector in enumerate(server.vectors(texts))
            ]
            usage = {"prompt_tokens": 0, "total_tokens": 0}
            body = json.dumps({"object": "list", "data": rows, "model": "offline", "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
            """Keep quiet: stderr is for progress."""

    return Handler
