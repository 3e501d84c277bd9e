"""Where the browser may connect to: public addresses only, whatever a name, a redirect or a page says.

The one place that resolves names. It connects to the very address that it has checked, so that a name that means
another address a moment later (DNS rebinding) leads nowhere. Chromium and the fetcher reach the network through `Guard`
as their proxy and in no other way.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

__all__ = ["Guard", "RefusedError", "is_public"]

_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_CONNECT_SECONDS: Final = 15
_CLOSE_SECONDS: Final = 2
_LONGEST_HEAD: Final = 64 * 1024
_PIECE: Final = 64 * 1024
_MOST_REMEMBERED: Final = 20

Resolve = "Callable[[str, int], Awaitable[Sequence[str]]]"
"""Returns the addresses of a name, as texts."""


class RefusedError(Exception):
    """A connection is not allowed; the text says why."""


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public internet, also when it is an IPv4 address in the clothes of IPv6."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour or (found.teredo or (None, None))[1]
        if found in _NAT64:
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if inner is not None:
            found = inner
    return found.is_global and not found.is_multicast


async def resolved(host: str, port: int) -> Sequence[str]:
    """Return the addresses of a name as this machine's resolver knows them. Raises ``OSError``."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(each[4][0]) for each in found))


class Guard:
    """A proxy on this machine that connects to public addresses only, and to ``own_hosts`` (``host:port``).

    ``refused`` holds what was refused of late, the newest last.
    """

    def __init__(
        self, own_hosts: Iterable[str] = (), resolve: Callable[[str, int], Awaitable[Sequence[str]]] = resolved
    ) -> None:
        self._own = frozenset(each.lower() for each in own_hosts)
        self._resolve = resolve
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()
        self.refused: list[str] = []

    @property
    def port(self) -> int:
        """The port on 127.0.0.1 that it listens on."""
        if self._server is None:
            raise RefusedError("the guard is not open")
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def open(self) -> None:
        """Listen."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=_LONGEST_HEAD)

    async def close(self) -> None:
        """Listen no more, and end what is under way."""
        if self._server is not None:
            self._server.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    async def connect(self, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to an allowed host. Raises `RefusedError`, and ``OSError`` when it can't be reached."""
        try:
            addresses = await self._resolve(host, port)
        except UnicodeError:  # a name that can't be one
            addresses = ()
        if not addresses:
            raise OSError(f"there is no host {host}")
        if f"{host.lower()}:{port}" not in self._own:
            private = [each for each in addresses if not is_public(each)]
            if private:
                which = f"{host} is {private[0]}, which" if host != private[0] else host
                self._refuse(f"{which} is no address of the public internet")
        problem: OSError = OSError("no address")
        for address in addresses:
            try:
                return await asyncio.wait_for(asyncio.open_connection(address, port), _CONNECT_SECONDS)
            except OSError as error:  # a TimeoutError is one
                problem = error
        raise problem

    def _refuse(self, reason: str) -> None:
        self.refused.append(reason)
        del self.refused[:-_MOST_REMEMBERED]
        raise RefusedError(reason)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        task.add_done_callback(lambda _: writer.close())  # also when it was cancelled before it began

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            await self._pass_on(head, reader, writer)
        except RefusedError as error:
            _answer(writer, "403 Forbidden", str(error), "refused")
        except (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            _answer(writer, "502 Bad Gateway", str(error), "failed")
        finally:
            await _closed(writer)

    async def _pass_on(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line, _, headers = head.partition(b"\r\n")
        method, target, version = line.decode("latin-1").split(" ", 2)
        if method == "CONNECT":
            parts = urlsplit(f"//{target}")
            there = await self.connect(parts.hostname or "", parts.port or 443)
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            parts = urlsplit(target)
            if parts.scheme not in ("http", "ws") or not parts.hostname:
                self._refuse(f"{target[:200]} is no address of the web")
            there = await self.connect(parts.hostname or "", parts.port or 80)
            path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
            # One request for each connection: a second one, for another host, would not be looked at.
            kept = [each for each in headers.split(b"\r\n") if each and not each.lower().startswith(_NOT_PASSED_ON)]
            start = f"{method} {path} {version}".encode("latin-1")
            there[1].write(b"\r\n".join((start, *kept, b"Connection: close", b"", b"")))
        await _joined((reader, writer), there)


_NOT_PASSED_ON: Final = (b"proxy-", b"connection:", b"keep-alive:")


async def _joined(
    one: tuple[asyncio.StreamReader, asyncio.StreamWriter], other: tuple[asyncio.StreamReader, asyncio.StreamWriter]
) -> None:
    """Carry bytes both ways until either end closes."""
    ways = [asyncio.ensure_future(_carry(one[0], other[1])), asyncio.ensure_future(_carry(other[0], one[1]))]
    try:
        # What the other end sent before it closed has been written by then; what we would still say to it is moot.
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        if not ways[1].done():
            await ways[1]
    finally:
        other[1].close()
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while piece := await reader.read(_PIECE):
            writer.write(piece)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()


async def _closed(writer: asyncio.StreamWriter) -> None:
    """Close, and wait a little until what is still to be sent has been."""
    writer.close()
    with contextlib.suppress(OSError, TimeoutError):
        await asyncio.wait_for(writer.wait_closed(), _CLOSE_SECONDS)


def _answer(writer: asyncio.StreamWriter, status: str, text: str, why: str) -> None:
    body = text.encode("utf-8", "replace")
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nX-Guard: {why}\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
