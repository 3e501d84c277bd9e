"""Vectors from any server that speaks OpenAI's ``POST /v1/embeddings``: Ollama, vLLM, llama.cpp, a paid service."""

from __future__ import annotations

import os
import re
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from homeagent.errors import EmbedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import openai
    from numpy.typing import NDArray

    from homeagent.memory.compute import ComputeText, QueryText

__all__ = ["EmbeddingServer", "ServerEmbedder"]


@dataclass(frozen=True, slots=True)
class EmbeddingServer:
    """Where the server is and what its model wants.

    ``base_url`` ends in ``/v1`` with most servers. ``dimensions`` None: the server is asked, once. ``key_variable``
    names the environment variable that holds the key; None for a server without keys. The prefixes are put before each
    text (e5 wants ``query: `` and ``passage: ``). ``timeout`` is in seconds and for one attempt; ``retries`` counts
    further attempts after a refused connection, a time-out, or a status 408, 409, 429 or 5xx.
    """

    base_url: str
    model: str
    dimensions: int | None = None
    key_variable: str | None = None
    query_prefix: str = ""
    passage_prefix: str = ""
    batch: int = field(default=64, kw_only=True)
    timeout: float = field(default=30.0, kw_only=True)
    retries: int = field(default=2, kw_only=True)

    def __post_init__(self) -> None:
        if urlsplit(self.base_url).scheme not in {"http", "https"}:
            raise EmbedError(
                "base_url of the embedding server",
                f"expected an http or https address, got {self.base_url!r}",
                "write e.g. http://127.0.0.1:11434/v1",
            )
        if self.batch < 1 or self.timeout <= 0 or self.retries < 0:
            raise ValueError("batch and timeout must be positive, retries not negative")


class ServerEmbedder:
    """An `Embedder` that asks an `EmbeddingServer`. Making one opens no connection. Safe to share between threads.

    Every vector is checked (their number, order, length, finite numbers) and brought to length 1; an answer with
    anything wrong is refused whole. A NUL is dropped, a lone surrogate becomes U+FFFD, and an empty text is sent as
    one space, because servers refuse an empty string.
    """

    def __init__(self, server: EmbeddingServer) -> None:
        self._server = server
        self._dimensions = server.dimensions
        self._lock = threading.Lock()
        self._opened: openai.OpenAI | None = None

    @property
    def model_id(self) -> str:
        """Model, host and path, prefixes; no user name, password or key of the address."""
        server = self._server
        address = urlsplit(server.base_url)
        port = f":{address.port}" if address.port else ""
        prefixes = "|".join(part for part in (server.query_prefix, server.passage_prefix) if part)
        return f"{server.model}@{address.hostname}{port}{address.path.rstrip('/')}" + (prefixes and f"[{prefixes}]")

    @property
    def dimensions(self) -> int:
        """Length of a vector; asks the server the first time when it was not given. Raises `EmbedError`."""
        if self._dimensions is None:
            return int(self._vectors(["dimensions"]).shape[1])
        return self._dimensions

    def passages(self, texts: Sequence[ComputeText]) -> NDArray[np.float32]:
        """Return ``float32, (n, dimensions)``, each row L2-normalised, in the order of ``texts``.

        Raises `EmbedError` when the server can't be reached, refuses, or answers with something that is not this.
        """
        return self._vectors([self._server.passage_prefix + text.text for text in texts])

    def query(self, text: QueryText) -> NDArray[np.float32]:
        """Return ``float32, (dimensions,)``, L2-normalised. Raises `EmbedError` as `passages` does."""
        vector: NDArray[np.float32] = self._vectors([self._server.query_prefix + text.text])[0]
        return vector

    def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
            self._opened = None

    def _vectors(self, texts: list[str]) -> NDArray[np.float32]:
        import numpy as np

        size = self._server.batch
        parts = [self._batch(texts[start : start + size]) for start in range(0, len(texts), size)]
        return np.concatenate(parts) if parts else np.empty((0, self.dimensions), np.float32)

    def _batch(self, texts: list[str]) -> NDArray[np.float32]:
        import openai

        try:
            answer = self._client().embeddings.create(
                model=self._server.model, input=[_sendable(text) for text in texts], encoding_format="float"
            )
        except openai.APIStatusError as error:
            raise self._refused(error) from error
        except openai.APITimeoutError as error:
            raise self._error(
                f"no answer within {self._server.timeout:g} s", "raise the timeout, or send smaller batches"
            ) from error
        except openai.APIConnectionError as error:
            raise self._error(f"can't be reached ({error.__cause__ or error})", "check that it runs") from error
        except (openai.OpenAIError, ValueError) as error:
            raise self._error(f"the answer can't be read ({error})", _CHECK_ADDRESS) from error
        return self._checked(answer, len(texts))

    def _checked(self, answer: openai.types.CreateEmbeddingResponse, count: int) -> NDArray[np.float32]:
        """Return the vectors of an answer in order, L2-normalised. Raises `EmbedError` when anything is amiss."""
        import numpy as np

        # The client builds its objects without validating them: a server may have sent anything.
        items = getattr(answer, "data", None)
        if not isinstance(items, list):
            raise self._error("the answer has no list of vectors", _CHECK_ADDRESS)
        numbered = [item for item in items if isinstance(getattr(item, "index", None), int)]
        by_index = {item.index: getattr(item, "embedding", None) for item in numbered}
        if len(items) != count or set(by_index) != set(range(count)):
            raise self._error(
                f"asked for {count} vectors, the answer has {len(items)}, not one for each text",
                "send smaller batches, or use another server",
            )
        try:
            found = np.array([by_index[number] for number in range(count)], np.float64)
        except (TypeError, ValueError) as error:
            raise self._error(f"a vector is no list of numbers ({error})", _CHECK_MODEL) from error
        if found.ndim != 2 or found.shape[1] != (self._dimensions or found.shape[-1]) or not found.shape[1]:
            raise self._error(
                f"expected vectors of {self._dimensions} numbers, got an array of shape {found.shape}", _CHECK_MODEL
            )
        with np.errstate(over="ignore"):  # found out below
            lengths = np.linalg.norm(found, axis=1, keepdims=True)
        if not (np.isfinite(found).all() and np.isfinite(lengths).all() and lengths.all()):
            raise self._error("a vector has no direction (not a number, infinite, or all zero)", _CHECK_MODEL)
        self._dimensions = found.shape[1]
        unit: NDArray[np.float32] = (found / lengths).astype(np.float32)
        return unit

    def _client(self) -> openai.OpenAI:
        import openai

        server = self._server
        with self._lock:
            if self._opened is None:
                self._opened = openai.OpenAI(
                    base_url=server.base_url,
                    api_key=self._key(),
                    timeout=server.timeout,
                    max_retries=server.retries,
                )
            return self._opened

    def _key(self) -> str:
        variable = self._server.key_variable
        if variable is None:
            return "none"  # the client insists on one; a server without keys does not look at it
        key = os.environ.get(variable)
        if not key:
            raise self._error(f"its key is missing: {variable} is not set", f"set the environment variable {variable}")
        return key

    def _refused(self, error: openai.APIStatusError) -> EmbedError:
        match error.status_code:
            case 401 | 403:
                step = f"check the key in {self._server.key_variable or 'key_variable (none is set)'}"
            case 404:
                step = _CHECK_ADDRESS
            case 429:
                step = "wait, or raise the limit of your account; what is pending is tried again"
            case status if status >= 500:
                step = "look into the server's log; what is pending is tried again"
            case _:
                step = _CHECK_MODEL
        return self._error(f"refused with status {error.status_code} ({error.message[:300]})", step)

    def _error(self, problem: str, next_step: str) -> EmbedError:
        return EmbedError(f"embedding server {self.model_id}", problem, next_step)


_CHECK_ADDRESS = "check base_url (most end in /v1) and the name of the model"
_CHECK_MODEL = "check that the model makes embeddings, and the number in dimensions"


def _sendable(text: str) -> str:
    """Return the text as JSON can carry it and servers accept it."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text.replace("\0", "")) or " "
