"""What every request passes first: where it comes from, how large it is, how many there are. And what answers carry.

Written against ASGI itself, so that it stands before everything that is mounted, WebSockets too.
"""

from __future__ import annotations

import ipaddress
import json
import logging
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException

from homeagent.server.options import LOOPBACK

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from homeagent.server.options import Limits, ServeOptions

__all__ = ["Guard", "Rates", "address_of", "own_names"]

_UPLOADS: Final = ("/v1/chat/completions", "/api/chats/", "/page/_nicegui/client/", "/webhook")
_ENTRANCE: Final = "/page/enter/"
_HISTORY: Final = "/api/memory/import"
_MOST_CLIENTS: Final = 10_000
_SAFE: Final = ("GET", "HEAD", "OPTIONS")
_ALWAYS: Final = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}
_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"
_log = logging.getLogger("homeagent.server.access")


def own_names(options: ServeOptions) -> frozenset[str]:
    """Return the host names under which this server may be asked for; others are a page that names its own host."""
    return frozenset(name.lower() for name in (LOOPBACK, "localhost", "::1", options.host, *options.names))


class Rates:
    """A bucket for each client: it fills by ``rate`` a second up to ``burst``, and each request takes one out.

    Of more than 10,000 clients the one that asked longest ago is forgotten, which gives it a full bucket.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, client: str) -> float:
        """Take one out of a client's bucket; return 0.0, or for how many seconds there is none."""
        now = self._clock()
        left, at = self._buckets.pop(client, (float(self._limits.burst), now))
        left = min(float(self._limits.burst), left + (now - at) * self._limits.rate)
        wait = 0.0 if left >= 1 else (1 - left) / self._limits.rate
        self._buckets[client] = (left if wait else left - 1, now)
        while len(self._buckets) > _MOST_CLIENTS:
            self._buckets.popitem(last=False)
        return wait


class Guard:
    """Refuses what does not come from this server's own pages or from programs, and what is too much.

    ``known`` returns the id of the token that a request's headers prove, empty where they prove none: requests are
    counted by that, else by the address they come from, so that nobody gets a new bucket by writing a new header, and
    strangers take nothing from those who are known.
    """

    def __init__(self, app: ASGIApp, options: ServeOptions, known: Callable[[Headers], str]) -> None:
        self._app = app
        self._known = known
        self._names = own_names(options)
        self._limits = options.limits
        self._rates = Rates(options.limits)
        self._strangers = Rates(options.limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it here."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        watched = _Watched(scope, send)
        refused = self._refused(scope, headers)
        if refused is not None:
            await _refuse(scope, watched.send, *refused)
        else:
            await self._app(scope, _limited(receive, self._most(scope)), watched.send)
        watched.log()

    def _refused(self, scope: Scope, headers: Headers) -> tuple[int, str, float] | None:
        host = headers.get("host", "")
        if len(headers.getlist("host")) > 1 or len(headers.getlist("origin")) > 1:
            return 400, "the headers say twice what a request has once: Host, Origin", 0.0
        if _name_of(host) not in self._names:
            return 403, f"this server does not go by the name {host!r}: start it with --name to let it", 0.0
        if not self._is_own(scope, headers, host):
            return 403, "pages of other servers may not ask this one", 0.0
        if scope["type"] == "http" and _length(headers) > self._most(scope):
            return 413, f"the body is larger than {self._most(scope):,} bytes", 0.0
        token = self._known(headers)
        wait = self._rates.wait(token) if token else self._strangers.wait(address_of(scope))
        return (429, "too many requests", wait) if wait else None

    def _is_own(self, scope: Scope, headers: Headers, host: str) -> bool:
        """Whether a request comes from no page, or from one of this server."""
        origin = headers.get("origin")
        if origin is not None:
            return _netloc_of(origin) == host.lower()
        if scope["type"] == "websocket" or scope["method"] in _SAFE:
            return True
        return headers.get("sec-fetch-site", "none") in ("none", "same-origin")

    def _most(self, scope: Scope) -> int:
        if scope["path"] == _HISTORY:
            return self._limits.history
        return self._limits.upload if scope["path"].startswith(_UPLOADS) else self._limits.body


class _Watched:
    """Sends an answer with the headers that all of them carry, and says in the log what became of the request."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._began = time.monotonic()
        self._status = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in _ALWAYS.items():
                headers.setdefault(name, value)
            headers.setdefault("content-security-policy", _POLICY)
            headers.setdefault("cache-control", "no-store")
        await self._send(message)

    def log(self) -> None:
        if self._scope["type"] == "http":
            fields = {
                "method": self._scope["method"],
                "path": _said_path(self._scope["path"]),  # without what was asked for: that may be private
                "status": self._status,
                "ms": round((time.monotonic() - self._began) * 1000),
            }
            _log.info("%s %s", fields["method"], fields["status"], extra={"fields": fields})


def _limited(receive: Receive, most: int) -> Receive:
    taken = 0

    async def limited() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > most:
            raise HTTPException(413, f"the body is larger than {most:,} bytes")
        return message

    return limited


async def _refuse(scope: Scope, send: Send, status: int, message: str, wait: float) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    kind = {429: "rate_limit_error", 403: "permission_error"}.get(status, "invalid_request_error")
    error = {"message": message, "type": kind, "param": None, "code": None, "where": "", "problem": message}
    body = json.dumps({"error": {**error, "next_step": ""}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if wait:
        headers.append((b"retry-after", str(int(wait) + 1).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _name_of(host: str) -> str:
    """Return the name in a Host header, without its port: ``[::1]:8080`` is ``::1``."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.rpartition(":")[0].lower() if ":" in host else host.lower()


def _said_path(path: str) -> str:
    """Return a path as the log may say it: a link that lets a browser in may still hold when it was refused here."""
    return f"{_ENTRANCE}***" if path.startswith(_ENTRANCE) else path


def _netloc_of(origin: str) -> str:
    """Return the name and port of an Origin header; empty for what is none, like ``null`` or ``http://[``."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _length(headers: Headers) -> int:
    length = headers.get("content-length", "0")
    return int(length) if length.isdecimal() else 0


def address_of(scope: Scope) -> str:
    """Return from where a request comes; of IPv6 the network, since one machine has all the addresses of its own."""
    host = scope["client"][0] if scope.get("client") else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    return str(ipaddress.ip_network(f"{host.partition('%')[0]}/64", strict=False)) if address.version == 6 else host
