"""The connections to one source, and every error of theirs as a `ModelError`."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import time
from functools import cache
from typing import TYPE_CHECKING

from homeagent.models.errors import ServerDownError
from homeagent.models.failures import failure_in, model_error, redacted, wait_asked_for

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator

    import openai

    from homeagent.models.errors import ModelError
    from homeagent.models.sources import Source

__all__ = ["ClientPool", "as_model_errors"]


class ClientPool:
    """Gives out the official client for a source, with the key of the moment; its connections are kept for next time.

    Connections belong to the event loop that opened them, so another loop gets new ones.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client: openai.AsyncOpenAI | None = None

    async def load(self) -> None:
        """Import the client, which takes half a second the first time, without holding up the event loop."""
        if self._client is None:
            await asyncio.to_thread(_loaded)

    def get(self, key: str | None) -> openai.AsyncOpenAI:
        """Return a client that sends this key; without one it says ``none``, which such servers do not look at."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._loop, self._client = loop, _opened(self._source)
        client = self._client.with_options(api_key=key or "none")
        # The client takes these from the environment; they are meant for one company's servers, not for who is asked.
        client.organization = client.project = None
        return client

    async def close(self) -> None:
        """Close the connections, as far as their event loop still runs."""
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.close()


@cache
def _loaded() -> ssl.SSLContext:
    """Import the client and return what it trusts: to read that for each source would take 50 ms every time."""
    importlib.import_module("openai.resources.chat.completions")
    import httpx2

    return httpx2.create_ssl_context()


def _opened(source: Source) -> openai.AsyncOpenAI:
    import openai

    # Only the connection has a time-out of the client's; how long to wait for tokens depends on what came before.
    timeout = openai.Timeout(None, connect=source.timeouts.connect)
    return openai.AsyncOpenAI(
        base_url=source.base_url,
        api_key="none",
        timeout=timeout,
        max_retries=0,
        http_client=openai.DefaultAsyncHttpxClient(trust_env=not source.is_local, timeout=timeout, verify=_loaded()),
    )


@contextlib.contextmanager
def as_model_errors(source: Source, key: str | None) -> Iterator[None]:
    """Turn what the client raises inside into a `ModelError`. The original is left out: its text may hold the key."""
    import httpx2
    import openai

    def down(problem: str, next_step: str = "Check that it runs and that base_url is its address") -> ModelError:
        return ServerDownError(source.where, problem, next_step)

    try:
        yield
    except openai.APIStatusError as error:
        raise _refused(source, error, key) from None
    except openai.APITimeoutError:
        raise down(f"no connection within {source.timeouts.connect:g} s") from None
    except openai.APIConnectionError as error:
        raise down(f"can't be reached ({redacted(str(error.__cause__ or error), key)})") from None
    except httpx2.HTTPError as error:
        said = redacted(str(error), key) or type(error).__name__
        raise down(f"the connection was lost ({said})", "Look into the server's log") from None
    except openai.OpenAIError as error:
        raise down(f"the answer can't be read ({redacted(str(error), key)})") from None


def _refused(source: Source, error: openai.APIStatusError, key: str | None) -> ModelError:
    wait = wait_asked_for(error.response.headers, time.time())
    return model_error(source, failure_in(error.body, error.status_code, wait), key)
