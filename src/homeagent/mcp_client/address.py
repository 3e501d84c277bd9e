"""A server at an address: the library's own transport, with a client that takes no more than can be read.

Redirects to another host are not followed (the library sees to that), so a key goes nowhere else.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final, cast

from homeagent.mcp_client.sieve import LARGEST_MESSAGE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
    from types import TracebackType

    import httpx2
    from mcp.client import Transport
    from mcp.client._transport import TransportStreams

__all__ = ["Address"]

_CONNECT_SECONDS: Final = 10.0
_READ_SECONDS: Final = 600.0


class Address:
    """A transport of the library to ``url``. ``refused`` is the last HTTP status that was an error, 0 for none."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self.refused = 0
        self._url = url
        self._headers = headers
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> TransportStreams:
        from mcp.client.streamable_http import streamable_http_client

        client = await self._stack.enter_async_context(_client(self._headers, self._noted))
        transport: Transport = streamable_http_client(self._url, http_client=client, max_sse_event_size=LARGEST_MESSAGE)
        return await self._stack.enter_async_context(transport)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._stack.__aexit__(kind, error, trace)

    async def _noted(self, response: httpx2.Response) -> None:
        if response.status_code >= 400:
            self.refused = response.status_code
        response.stream = _limited(response)


def _client(headers: Mapping[str, str], noted: Callable[[httpx2.Response], Awaitable[None]]) -> httpx2.AsyncClient:
    import httpx2

    return httpx2.AsyncClient(
        headers={"Accept-Encoding": "identity", **headers},  # what is packed may unpack to anything
        timeout=httpx2.Timeout(_CONNECT_SECONDS, read=_READ_SECONDS),
        event_hooks={"response": [noted]},
    )


def _limited(response: httpx2.Response) -> httpx2.AsyncByteStream:
    """Return the body of a response, which fails where it goes on for too long."""
    import httpx2

    inner = cast("httpx2.AsyncByteStream", response.stream)

    class Limited(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            total = 0
            if response.headers.get("content-encoding", "identity") != "identity":
                raise httpx2.StreamError("the answer is packed although it was asked not to be")
            async for piece in inner:
                total += len(piece)
                if total > LARGEST_MESSAGE:
                    raise httpx2.StreamError("the answer has more than 64 MiB")
                yield piece

        async def aclose(self) -> None:
            await inner.aclose()

    return Limited()
