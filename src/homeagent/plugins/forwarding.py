"""The one way into the network for a plugin that has none: a proxy which asks, for each connection, whether it may.

It speaks HTTP (CONNECT, and plain requests with a whole address) and SOCKS5 on one port. The names are resolved here,
and the address found is what is connected to, so that a name can't be looked up twice with two results.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import re
import struct
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from homeagent.plugins.reach import Refused, Target, reach

if TYPE_CHECKING:
    import socket
    from collections.abc import Awaitable, Callable, Coroutine, Sequence

    from homeagent_sdk.permissions import Permission

__all__ = ["Forwarder"]

_PIECE: Final = 64 * 1024
_LONGEST_HEAD: Final = 64 * 1024
_HEAD_SECONDS: Final = 30.0
_CONNECT_SECONDS: Final = 30.0
_MOST_CONNECTIONS: Final = 128
_HTTP_PORT: Final = 80
_INTERIM: Final = re.compile(r"HTTP/1\.\d 1(?!01)\d\d")
_OK, _FAILED, _NOT_ALLOWED, _UNREACHABLE, _NO_COMMAND = 0, 1, 2, 4, 7
_log = logging.getLogger("homeagent.plugins")


async def _resolved(host: str, port: int) -> Sequence[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=1)  # SOCK_STREAM
    return list(dict.fromkeys(str(each[4][0]) for each in found))


class Forwarder:
    """Answers the connections of one plugin. ``resolve`` finds the addresses of a name; by default the system does."""

    def __init__(
        self,
        plugin: str,
        permissions: Sequence[Permission],
        resolve: Callable[[str, int], Awaitable[Sequence[str]]] = _resolved,
    ) -> None:
        self._plugin = plugin
        self._permissions = tuple(permissions)
        self._resolve = resolve
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._said: set[str] = set()

    async def serve(self, listener: socket.socket) -> None:
        """Accept what comes at a listening socket until `close`."""
        listener.setblocking(False)
        self._server = await asyncio.start_server(self._take, sock=listener, limit=_LONGEST_HEAD)

    async def close(self) -> None:
        """Close every connection and the listener."""
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
        try:
            if len(self._tasks) <= _MOST_CONNECTIONS:
                await self._answer(reader, writer)
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError, TimeoutError):
            pass  # what is no request, or whoever asked has left
        finally:
            writer.close()
            if task is not None:
                self._tasks.discard(task)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(_HEAD_SECONDS):
            first = await reader.readexactly(1)
            head = b"" if first == b"\x05" else first + await reader.readuntil(b"\r\n\r\n")
        if head:
            await self._http(head, reader, writer)
        else:
            await self._socks(reader, writer)

    async def _http(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line, *fields = head.decode("latin-1").split("\r\n")
        method, address, version = line.split(" ")
        if method == "CONNECT":
            target, path = Target.of(address), ""
        else:
            url = urlsplit(address)
            if url.scheme != "http" or not url.hostname:
                await _said(writer, 400, "this is a proxy: ask with a whole address that begins with http://")
                return
            target = Target(url.hostname, url.port or _HTTP_PORT)
            path = url._replace(scheme="", netloc="").geturl() or "/"
        try:
            there = await self._opened(target)
        except Refused as error:
            await _said(writer, 403, str(error))
            return
        except (OSError, TimeoutError) as error:
            await _said(writer, 502, f"{target} can't be reached ({error})")
            return
        if path:
            kept = [each for each in fields if each and not _is_for_proxies(each)]
            there[1].write(
                "\r\n".join([f"{method} {path} {version}", *kept, "Connection: close", "", ""]).encode("latin-1")
            )
            await _joined((reader, writer), there, _answered)
        else:
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await _joined((reader, writer), there)

    async def _socks(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(_HEAD_SECONDS):
            await reader.readexactly((await reader.readexactly(1))[0])  # the ways to say who one is: none is needed
            writer.write(b"\x05\x00")
            _, command, _, kind = await reader.readexactly(4)
            match kind:
                case 1:
                    host = str(ipaddress.IPv4Address(await reader.readexactly(4)))
                case 4:
                    host = str(ipaddress.IPv6Address(await reader.readexactly(16)))
                case _:
                    host = (await reader.readexactly((await reader.readexactly(1))[0])).decode("ascii")
            (port,) = struct.unpack(">H", await reader.readexactly(2))
        there = None
        answer = _OK if command == 1 else _NO_COMMAND
        if answer == _OK:
            try:
                there = await self._opened(Target.at(host, port))
            except Refused:
                answer = _NOT_ALLOWED
            except (OSError, TimeoutError):
                answer = _UNREACHABLE
        writer.write(bytes([5, answer, 0, 1]) + bytes(6))
        await writer.drain()
        if there is not None:
            await _joined((reader, writer), there)

    async def _opened(self, target: Target) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Return a connection to a target. Raises `Refused`, ``OSError``, ``TimeoutError``."""
        try:
            rule = reach(self._permissions, target)
            async with asyncio.timeout(_CONNECT_SECONDS):
                addresses = rule.passed(target, await self._resolve(target.host, target.port))
                return await _connected(addresses, target.port)
        except Refused as error:
            if target.host not in self._said:  # once for each host: a plugin may try it again and again
                self._said.add(target.host)
                _log.warning("plugin %r: %s", self._plugin, error)
            raise


async def _connected(addresses: Sequence[str], port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    problem: OSError = OSError("it has no address")
    for address in addresses:
        try:
            return await asyncio.open_connection(address, port)
        except OSError as error:
            problem = error
    raise problem


async def _carried(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while data := await source.read(_PIECE):
        target.write(data)
        await target.drain()
    with contextlib.suppress(OSError):
        target.write_eof()


async def _answered(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Carry an answer, and say in its head that the connection ends with it.

    A server need not repeat that it was asked to close. A client which is not told sends its next request into a
    connection that is about to end.
    """
    with contextlib.suppress(asyncio.LimitOverrunError):  # no such head: it goes on as it came
        while True:
            try:
                head = await source.readuntil(b"\r\n\r\n")
            except asyncio.IncompleteReadError as error:
                target.write(error.partial)
                break
            line, *fields = head.decode("latin-1").split("\r\n")
            if _INTERIM.match(line):  # "100 Continue" and its like come before the answer
                target.write(head)
                continue
            kept = [each for each in fields if each and not _is_for_proxies(each)]
            target.write("\r\n".join([line, *kept, "Connection: close", "", ""]).encode("latin-1"))
            break
    await _carried(source, target)


async def _joined(
    here: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    there: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    back: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[None, None, None]] = _carried,
) -> None:
    """Carry bytes both ways until both have ended; ``back`` carries what comes from there."""
    try:
        async with asyncio.TaskGroup() as both:
            both.create_task(_carried(here[0], there[1]))
            both.create_task(back(there[0], here[1]))
    except* (OSError, EOFError):
        pass  # one end is gone, and the other one is closed with it
    finally:
        there[1].close()


async def _said(writer: asyncio.StreamWriter, code: int, text: str) -> None:
    """Answer with an error whose reason is in the status line, which is what many libraries show."""
    line = "".join(letter if letter.isascii() and letter.isprintable() else "?" for letter in text)
    body = f"{text}\n".encode()
    head = f"HTTP/1.1 {code} {line}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
    writer.write(f"{head}Connection: close\r\n\r\n".encode("ascii") + body)
    await writer.drain()


def _is_for_proxies(field: str) -> bool:
    name = field.partition(":")[0].strip().lower()
    return name.startswith("proxy-") or name in ("connection", "keep-alive", "te")
