"""Fetching a feed politely: only what has changed, redirects followed by hand, private addresses refused.

An address is refused when its host is, or turns out when it answers to be, of this machine or of a private network: a
feed that a page talked somebody into must not read what only this home can see.
"""

from __future__ import annotations

import email.utils
import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies

import httpx

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Answer", "FetchError", "Known", "check_address", "fetch"]

_SECONDS: Final = 30.0
_MOST_BYTES: Final = 10_000_000
_MOST_HOPS: Final = 5
_FOR_GOOD: Final = (301, 308)
_REDIRECTS: Final = (301, 302, 303, 307, 308)
_LONGEST_WAIT: Final = timedelta(days=1)
_ACCEPT: Final = "application/atom+xml, application/rss+xml, application/xml;q=0.9, text/xml;q=0.8, */*;q=0.1"


class FetchError(Exception):
    """A feed can't be fetched; the text says why. ``wait`` is how long its server wants to be left alone.

    ``gone`` says that it is not coming back (410).
    """

    def __init__(self, reason: str, *, wait: timedelta | None = None, gone: bool = False) -> None:
        super().__init__(reason)
        self.wait = wait
        self.gone = gone


@dataclass(frozen=True, slots=True)
class Known:
    """What the server said of the version that is known: sent back to it, so that it answers "not modified"."""

    etag: str = ""
    modified: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came. ``data`` is None when nothing has changed; ``address`` is where the feed lives from now on."""

    data: bytes | None
    content_type: str
    address: str
    known: Known


async def fetch(address: str, known: Known, *, allow_private: bool) -> Answer:
    """Fetch a feed if it has changed. Raises `FetchError`."""
    here, home = address, address
    for_good = True
    try:
        async with httpx.AsyncClient(timeout=_SECONDS, headers={"User-Agent": "homeagent-rss/1.0"}) as client:
            for _ in range(_MOST_HOPS + 1):
                check_address(here, allow_private=allow_private)
                async with client.stream("GET", here, headers=_headers(known)) as response:
                    _check_peer(response, allow_private=allow_private)
                    if response.status_code not in _REDIRECTS:
                        return await _answer(response, home, known)
                    here = urljoin(here, response.headers.get("location", ""))
                    for_good = for_good and response.status_code in _FOR_GOOD
                    home = here if for_good else home
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise FetchError(f"it can't be reached ({error or type(error).__name__})") from None
    raise FetchError(f"it is redirected more than {_MOST_HOPS} times")


def check_address(address: str, *, allow_private: bool) -> None:
    """Raise `FetchError` for an address that is none of the web, or that is plainly private."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        raise FetchError(f"{address!r} is no address") from None
    if parts.scheme not in ("http", "https") or not host:
        raise FetchError(f"{address!r} is no address of the web")
    if not allow_private and _is_private(host):
        raise FetchError(f"{host} is of this machine or of a private network")


def _check_peer(response: httpx.Response, *, allow_private: bool) -> None:
    """Look at who answers: a public name may lead to a private address. Behind a proxy it is the proxy's business."""
    stream = response.extensions.get("network_stream")
    peer = stream.get_extra_info("server_addr") if stream is not None else None
    if allow_private or getproxies() or not isinstance(peer, tuple):
        return
    if _is_private(str(peer[0])):
        raise FetchError(f"{response.url.host} leads to this machine or into a private network")


def _is_private(host: str) -> bool:
    name = host.rstrip(".").casefold()
    if name == "localhost" or name.endswith((".localhost", ".local", ".internal", ".lan", ".home.arpa")):
        return True
    try:
        return not ipaddress.ip_address(name.partition("%")[0]).is_global
    except ValueError:
        return name.replace(".", "").isdecimal() or name.startswith("0x")  # other ways to write 127.0.0.1


def _headers(known: Known) -> dict[str, str]:
    found = {"Accept": _ACCEPT}
    if known.etag:
        found["If-None-Match"] = known.etag
    if known.modified:
        found["If-Modified-Since"] = known.modified
    return found


async def _answer(response: httpx.Response, home: str, known: Known) -> Answer:
    status = response.status_code
    if status == 304:
        return Answer(None, "", home, known)
    if status == 410:
        raise FetchError("it is gone for good (410)", gone=True)
    if status != 200:
        raise FetchError(f"its server answers {status} {response.reason_phrase}".rstrip(), wait=_wait(response.headers))
    pieces, size = [], 0
    async for piece in response.aiter_bytes():
        size += len(piece)
        if size > _MOST_BYTES:
            raise FetchError(f"it has more than {_MOST_BYTES:,} bytes")
        pieces.append(piece)
    headers = response.headers
    fresh = Known(headers.get("etag", ""), headers.get("last-modified", ""))
    return Answer(b"".join(pieces), headers.get("content-type", ""), home, fresh)


def _wait(headers: Mapping[str, str]) -> timedelta | None:
    """Return what ``Retry-After`` asks for: seconds, or a date; a day at most."""
    text = headers.get("retry-after", "").strip()
    if text.isdecimal():
        return min(timedelta(seconds=int(text[:9])), _LONGEST_WAIT)
    try:
        until = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    return min(max(until - datetime.now(UTC), timedelta(0)), _LONGEST_WAIT) if until.tzinfo else None
