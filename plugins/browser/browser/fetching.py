"""Fetching one page without a browser: through the guard, redirects followed one by one, no more than a few MB."""

from __future__ import annotations

import gzip
import http.client
import io
import re
import ssl
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

from homeagent_sdk import ToolError

if TYPE_CHECKING:
    from browser.guard import Guard

__all__ = ["REFUSED", "Page", "fetched", "web_address"]

_LARGEST: Final = 4 * 1024 * 1024
_MOST_REDIRECTS: Final = 8
_REDIRECTS: Final = (301, 302, 303, 307, 308)
_TEXT: Final = re.compile(r"text/|application/(?:[\w.-]+\+)?(?:json|xml)|application/javascript", re.IGNORECASE)
_CHARSET: Final = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w-]{2,40})""", re.IGNORECASE)
REFUSED: Final = "Only the public internet may be visited; the person can allow a host in the setting own_hosts"
"""What to do about an address that may not be visited."""

_HEADERS: Final = {
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0 Safari/537.36",
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8",
    "Accept-Encoding": "gzip",
    "Connection": "close",
}


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it came: the address at the end of all redirects, and its text."""

    address: str
    text: str
    media_type: str


def web_address(address: str) -> str:
    """Return an address of the web in its usual form. Raises ``ToolError`` for any other."""
    text = address.strip()
    if "://" not in text and not re.match(r"[a-z][a-z0-9+.-]*:(?![0-9])", text, re.IGNORECASE):
        text = f"https://{text}"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname or re.search(r"[\s\\\x00-\x1f]", text):
        raise ToolError("address", f"{address!r} is no address of the web", "Give e.g. https://example.org/page")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname.encode("idna").decode()
    place = f"{host}:{port}" if port else host
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    query = quote(parts.query, safe="/%:@!$&'()*+,;=~-._?")
    return urlunsplit((parts.scheme, place, path, query, ""))


def fetched(address: str, guard: Guard, seconds: float) -> Page:
    """Fetch a page. Raises ``ToolError`` when it can't be had, is no text, or may not be visited."""
    address = web_address(address)
    for _ in range(_MOST_REDIRECTS):
        try:
            found = _ask(address, guard.port, seconds)
        except OSError as error:
            if "403 Forbidden" in str(error) and guard.refused:  # what the guard says about a tunnel gets lost
                raise ToolError("address", guard.refused[-1], REFUSED) from None
            raise ToolError("address", _told(address, error), "Look whether the address is right") from None
        except (http.client.HTTPException, EOFError, zlib.error) as error:
            raise ToolError("address", _told(address, error), "Look whether the address is right") from None
        if isinstance(found, Page):
            return found
        address = web_address(urljoin(address, found))
    raise ToolError("address", f"it leads on and on, at last to {address}", "Try another page")


def _ask(address: str, proxy: int, seconds: float) -> Page | str:
    """Return the page, or where it says that it is now."""
    parts = urlsplit(address)
    target = urlunsplit(("", "", parts.path, parts.query, ""))
    connection = http.client.HTTPConnection("127.0.0.1", proxy, timeout=seconds)
    if parts.scheme == "https":
        connection = http.client.HTTPSConnection(
            "127.0.0.1", proxy, timeout=seconds, context=ssl.create_default_context()
        )
        connection.set_tunnel(parts.hostname or "", parts.port or 443)
    else:
        target = address
    try:
        connection.request("GET", target, headers=_HEADERS | {"Host": parts.netloc})
        answer = connection.getresponse()
        if answer.getheader("X-Guard"):
            told = answer.read(_LARGEST).decode("utf-8", "replace")
            if answer.getheader("X-Guard") != "refused":
                raise ConnectionError(told)
            raise ToolError("address", told, REFUSED)
        if answer.status in _REDIRECTS and answer.getheader("Location"):
            return str(answer.getheader("Location")).encode("latin-1").decode("utf-8", "replace")
        kind = answer.getheader("Content-Type") or "text/html"
        if not _TEXT.match(kind):
            raise ToolError("address", f"it is no page but {kind.partition(';')[0]}", "Only text can be fetched")
        if answer.status >= 400:
            raise ToolError("address", f"the server answered {answer.status} {answer.reason}", "Try another address")
        return Page(address, _decoded(_body(answer), kind), kind.partition(";")[0].strip().lower())
    finally:
        connection.close()


def _body(answer: http.client.HTTPResponse) -> bytes:
    data = answer.read(_LARGEST)
    if (answer.getheader("Content-Encoding") or "").lower() != "gzip":
        return data
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as unpacked:
        pieces = bytearray()
        try:
            while len(pieces) < _LARGEST and (piece := unpacked.read1(1 << 16)):
                pieces += piece
        except (EOFError, zlib.error):
            if not pieces:  # what came before the damage is better than nothing
                raise
        return bytes(pieces)


def _decoded(data: bytes, kind: str) -> str:
    """Return bytes as text: as the server says, as the page says, as UTF-8, or as Chinese pages of old are written."""
    said = re.search(r"charset\s*=\s*[\"']?([\w-]+)", kind, re.IGNORECASE)
    meta = _CHARSET.search(data[:4096])
    names = [said[1] if said else "", meta[1].decode() if meta else "", "utf-8", "gb18030"]
    for name in filter(None, names):
        # Whoever writes gb2312 means the larger set with the same beginning.
        name = "gb18030" if name.lower() in ("gb2312", "gbk") else name
        try:
            return data.decode(name)
        except (UnicodeDecodeError, LookupError):
            continue
    return data.decode("utf-8", "replace")


def _told(address: str, error: Exception) -> str:
    host = urlsplit(address).hostname
    if isinstance(error, TimeoutError):
        return f"{host} does not answer"
    if isinstance(error, ssl.SSLError):
        return f"the certificate of {host} is not good ({error.reason or error})"
    text = str(error)
    return f"{host} can't be reached ({text.removeprefix('Tunnel connection failed: ') or type(error).__name__})"
