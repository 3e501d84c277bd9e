"""Between a server and the library: counts what comes, takes out of tool listings what would spoil them, stops a flood.

The library checks a listing as a whole, checks results by schemas of the server (whose patterns may run for hours), and
takes in whatever comes, however much. So none of that reaches it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, Protocol, Self

from homeagent.mcp_client.metadata import cleaned_listing

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from mcp.shared.message import SessionMessage

    Item = SessionMessage | Exception

__all__ = ["LARGEST_MESSAGE", "Sieve", "Sieved"]

LARGEST_MESSAGE: Final = 64 * 1024 * 1024
"""The most bytes of one message from a server; the same as a plugin may return."""

_WINDOW_SECONDS: Final = 10.0
_MOST_MESSAGES: Final = 20_000
_MOST_BYTES: Final = 4 * LARGEST_MESSAGE


class _Stream(Protocol):
    """A stream of messages, as the library's transports give it."""

    async def receive(self) -> Item: ...
    async def aclose(self) -> None: ...
    async def __anext__(self) -> Item: ...


class Sieve:
    """What one connection has received. ``problems`` are those of the listing that came last."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.problems: list[str] = []
        self._clock = clock
        self._since = clock()
        self._messages = 0
        self._bytes = 0

    def count(self, size: int) -> bool:
        """Take note of a message of ``size`` bytes; return False when it is one too many: the server floods."""
        now = self._clock()
        if now - self._since > _WINDOW_SECONDS:
            self._since, self._messages, self._bytes = now, 0, 0
        self._messages += 1
        self._bytes += size
        return self._messages <= _MOST_MESSAGES and self._bytes <= _MOST_BYTES

    def clean(self, item: Item) -> None:
        """Take out of a listing of tools what can't be used; anything else stays as it is."""
        result = getattr(getattr(item, "message", None), "result", None)
        if isinstance(result, dict) and isinstance(tools := result.get("tools"), list):
            result["tools"], problems = cleaned_listing(tools)
            self.problems += problems


class Sieved:
    """A stream of a transport, seen through a sieve. It ends where the stream ends, or a flood begins.

    ``ended`` is called then with the reason, empty where the stream ended by itself.
    """

    def __init__(self, inner: _Stream, sieve: Sieve, ended: Callable[[str], None]) -> None:
        self._inner = inner
        self._sieve = sieve
        self._ended = ended

    @property
    def last_context(self) -> object:
        """In which context the last message was sent, where the transport knows."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Item:
        """Return the next message."""
        return await self.__anext__()

    async def aclose(self) -> None:
        """Close the stream."""
        await self._inner.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Item:
        try:
            item = await self._inner.__anext__()
        except StopAsyncIteration:
            self._ended("")
            raise
        if not self._sieve.count(0):
            self._ended("it floods: more messages than can be read")
            raise StopAsyncIteration
        self._sieve.clean(item)
        return item

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
